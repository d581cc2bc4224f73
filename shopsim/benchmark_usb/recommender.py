"""The synthetic shop's own recommender: what fills the feed of a session.

It knows what a shop can know: the user's clicks before and in the session, age and gender, and what sells. It
knows nothing of what the shopper wants.
"""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.shopper import Weights, recency
from shopsim.benchmark_usb.world import Goods, Stock, World

# Shares of the feed: categories clicked before, their neighbours, what sells to such users; the rest is anything.
RECENT, NEAR, USUAL = 0.3, 0.18, 0.3
HEAD = 0.2
"""At the top of the feed the first share is higher by this, fading over `HEAD_LENGTH` items."""
HEAD_LENGTH = 16.0

_SESSION_BOOST = 4.0
"""A click of this session counts as much as this many of the last clicks before it."""
_ROUNDS = 3
"""Draws before the rest is filled with anything not shown yet."""


class Recommender:
    """Fills one session's feed, a stretch at a time.

    Args:
        world: The tree.
        goods: The items.
        stock: Items by category.
        audience: (leaves,) how usual each category is for such users; sums to 1.
        clicked: Leaves of the user's clicks before the session, oldest first.
        rng: Source of chance.
    """

    def __init__(
        self,
        world: World,
        goods: Goods,
        stock: Stock,
        audience: Weights,
        clicked: NDArray[np.int32],
        rng: np.random.Generator,
    ) -> None:
        self._world, self._goods, self._stock, self._audience, self._rng = world, goods, stock, audience, rng
        self._known = np.bincount(clicked, recency(clicked), len(world.leaves))
        self._used: set[int] = set()

    def more(self, n: int, clicks: list[int]) -> list[int]:
        """The next `n` items (fewer when the shop has no more), given the items clicked in this session."""
        known = self._known.copy()
        for item in clicks:
            known[self._goods.leaf[item]] += _SESSION_BOOST
        near = np.bincount(self._world.l2, known, len(self._world.groups))[self._world.l2] * self._stock.share
        sources = [known, near, self._audience, self._stock.share]
        if not known.any():
            sources[0] = sources[1] = self._audience
        steps = [np.cumsum(weights) for weights in sources]
        n = min(n, len(self._goods) - len(self._used))
        chosen: list[int] = []
        for _ in range(_ROUNDS):
            for item in self._candidates(2 * n, steps):
                if len(chosen) < n and item not in self._used:
                    chosen.append(item)
                    self._used.add(item)
        if len(chosen) < n:
            left = np.setdiff1d(np.arange(len(self._goods)), list(self._used))
            rest: list[int] = self._rng.permutation(left)[: n - len(chosen)].tolist()
            chosen += rest
            self._used.update(rest)
        return chosen

    def _candidates(self, n: int, steps: list[Weights]) -> list[int]:
        """Items for the next places, some of them shown before."""
        place = len(self._used) + np.arange(n)
        recent = RECENT + HEAD * np.exp(-place / HEAD_LENGTH)
        u = self._rng.random(n)
        source = (u > recent).astype(int) + (u > recent + NEAR) + (u > recent + NEAR + USUAL)
        leaves = np.empty(n, np.int64)
        for k, at in enumerate(steps):
            mine = source == k
            leaves[mine] = np.searchsorted(at, self._rng.random(int(mine.sum())) * at[-1], side="right")
        rows: list[int] = self._stock.draw(leaves, self._rng).tolist()
        return rows
