"""The shop of one data set: the tree, its items, and its stock, which belong together."""

from functools import lru_cache
from typing import NamedTuple

from shopsim.benchmark_usb.world.goods import Goods, make_goods
from shopsim.benchmark_usb.world.stock import Stock
from shopsim.benchmark_usb.world.tree import World, load_world


class Market(NamedTuple):
    """A stocked shop."""

    world: World
    goods: Goods
    stock: Stock


@lru_cache(maxsize=1)
def open_market(items: int, seed: int) -> Market:
    """The shop with this many items that a seed makes; the last one is kept."""
    world = load_world()
    goods = make_goods(world, items, seed)
    return Market(world, goods, Stock(world, goods))
