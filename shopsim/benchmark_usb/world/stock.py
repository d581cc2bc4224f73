"""Which items each category has, ready to draw from by popularity, and who usually wants the category."""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.world.goods import Goods
from shopsim.benchmark_usb.world.tree import World

_TASTE_FOR_SALES = 0.6
"""An item is drawn with weight sales ** 0.6 within its category."""


class Stock:
    """Items by category.

    Attributes:
        l2: Level-2 index of each leaf of the world.
        leaves: Indices of the leaves that have items.
        share: Share of the shop's traffic of each leaf of the world; 0 where it has no items; sums to 1.
    """

    def __init__(self, world: World, goods: Goods) -> None:
        self.l2: NDArray[np.int32] = world.l2
        self.leaves: NDArray[np.int64] = np.unique(goods.leaf).astype(np.int64)
        self.share: NDArray[np.float64] = np.zeros(len(world.leaves))
        self.share[self.leaves] = world.share[self.leaves]
        self.share /= self.share.sum()
        # Leaves stand group by group.
        self._groups = np.searchsorted(self.l2[self.leaves], np.arange(len(world.groups) + 1))
        who = [leaf.audience for leaf in world.leaves]
        self._female = np.array([one.female for one in who])
        self._male = np.array([one.male for one in who])
        self._age, self._spread = np.array([one.age for one in who]).T
        # All items in a row, leaf after leaf: an item is a stretch of its weight, a leaf the stretch of its items.
        self._order = np.argsort(goods.leaf, kind="stable")
        self._ends = np.cumsum((goods.sales[self._order] + 1.0) ** _TASTE_FOR_SALES)
        edges = np.searchsorted(goods.leaf[self._order], np.arange(len(world.leaves) + 1))
        self._edges = np.concatenate(([0.0], self._ends))[edges]

    def audience(self, age: int, gender: str | None) -> NDArray[np.float64]:
        """Share of the shop's traffic of each leaf of the world among people of this age and gender; sums to 1."""
        by_gender = {"female": self._female, "male": self._male, None: (self._female + self._male) / 2}[gender]
        # Nobody is quite excluded: gifts, families.
        weights = self.share * by_gender * (0.15 + np.exp(-0.5 * ((age - self._age) / self._spread) ** 2))
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def near(self, leaf: int) -> NDArray[np.int64]:
        """The leaves that have items in the group of this one, itself among them where it has."""
        start, end = self._groups[self.l2[leaf] : self.l2[leaf] + 2]
        return self.leaves[start:end]

    def draw(self, leaves: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """One item of each of these leaves by popularity, repeats possible; the leaves must have items."""
        low, high = self._edges[leaves], self._edges[leaves + 1]
        at = np.searchsorted(self._ends, low + rng.random(len(leaves)) * (high - low), side="right")
        # Rounding may end a hair beyond the leaf.
        last = np.searchsorted(self._ends, high, side="left")
        rows: NDArray[np.int64] = self._order[np.minimum(at, last)]
        return rows
