"""Which items each category has, ready to draw from by popularity."""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.world.goods import Goods
from shopsim.benchmark_usb.world.tree import World

_TASTE_FOR_SALES = 0.6
"""An item is drawn with weight sales ** 0.6 within its category."""


class Stock:
    """Items by category.

    Attributes:
        leaves: Indices of the leaves that have items.
        share: Share of the shop's traffic of each leaf of the world; 0 where it has no items; sums to 1.
    """

    def __init__(self, world: World, goods: Goods) -> None:
        order = np.argsort(goods.leaf, kind="stable")
        self.leaves: NDArray[np.int64] = np.unique(goods.leaf).astype(np.int64)
        starts = np.searchsorted(goods.leaf[order], np.arange(1, len(world.leaves)))
        self._rows = np.split(order, starts)
        weight = (goods.sales + 1.0) ** _TASTE_FOR_SALES
        self._steps = [np.cumsum(weight[rows]) for rows in self._rows]
        share = np.zeros(len(world.leaves))
        share[self.leaves] = world.share[self.leaves]
        self.share: NDArray[np.float64] = share / share.sum()

    def rows(self, leaf: int) -> NDArray[np.int64]:
        """Items of a leaf."""
        return self._rows[leaf]

    def draw(self, leaf: int, rng: np.random.Generator, n: int = 1) -> NDArray[np.int64]:
        """`n` items of a leaf by popularity, repeats possible; the leaf must have items."""
        steps = self._steps[leaf]
        rows: NDArray[np.int64] = self._rows[leaf][np.searchsorted(steps, rng.random(n) * steps[-1], side="right")]
        return rows
