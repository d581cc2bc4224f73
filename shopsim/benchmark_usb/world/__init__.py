"""The synthetic shop's world: its category tree, what it sells, and the words for it."""

from shopsim.benchmark_usb.world.goods import Goods, make_goods, pick
from shopsim.benchmark_usb.world.market import Market, open_market
from shopsim.benchmark_usb.world.stock import Stock
from shopsim.benchmark_usb.world.tree import Audience, Leaf, World, load_world
from shopsim.benchmark_usb.world.words import LOCALES, Locale, Text, read_toml, text, texts
from shopsim.benchmark_usb.world.writing import item_id, noun_of, write_item

__all__ = [
    "LOCALES",
    "Audience",
    "Goods",
    "Leaf",
    "Locale",
    "Market",
    "Stock",
    "Text",
    "World",
    "item_id",
    "load_world",
    "make_goods",
    "noun_of",
    "open_market",
    "pick",
    "read_toml",
    "text",
    "texts",
    "write_item",
]
