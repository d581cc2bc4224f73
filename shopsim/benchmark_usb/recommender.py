"""The synthetic shop's own recommender: what fills the feed of a session.

It knows what a shop can know: the user's clicks before and in the session, age and gender, and what sells. It
knows nothing of what the shopper wants.
"""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.shopper import Weights, recency
from shopsim.benchmark_usb.world import Market

MORE_LIKE_THIS = 0.75
"""Share of what is shown after the first click of the session that is like the session's clicks."""

# Shares of the rest: categories clicked before, their neighbours, what sells to such users; what remains is anything.
RECENT, NEAR, USUAL = 0.3, 0.18, 0.3
HEAD = 0.3
"""At the top of the feed the first share is higher by this, fading over `HEAD_LENGTH` items."""
HEAD_LENGTH = 16.0

_SESSION_BOOST = 4.0
"""Among recent clicks, one of this session counts as much as this many of the last ones before it."""
_FADING = 0.5
"""Among the session's clicks, one counts this much less than the one after it."""
_ROUNDS = 3
"""Draws before the rest is filled with anything not shown yet."""


class Recommender:
    """Fills one session's feed, a stretch at a time.

    Args:
        market: The shop.
        audience: (leaves,) how usual each category is for such users; sums to 1.
        clicked: Leaves of the user's clicks before the session, oldest first.
        rng: Source of chance.
    """

    def __init__(self, market: Market, audience: Weights, clicked: NDArray[np.int32], rng: np.random.Generator) -> None:
        self._world, self._goods, self._stock = market
        self._rng = rng
        self._known = self._by_leaf(clicked, recency(clicked))
        self._audience = audience
        self._used: set[int] = set()

    def more(self, n: int, clicks: list[int]) -> list[int]:
        """The next `n` items (fewer when the shop has no more), given the items clicked in this session."""
        steps = [np.cumsum(weights) for weights in self._sources(clicks)]
        n = min(n, len(self._goods) - len(self._used))
        chosen: list[int] = []
        for _ in range(_ROUNDS):
            for item in self._candidates(2 * n, steps, bool(clicks)):
                if len(chosen) < n and item not in self._used:
                    chosen.append(item)
                    self._used.add(item)
        if len(chosen) < n:
            left = np.setdiff1d(np.arange(len(self._goods)), list(self._used))
            rest: list[int] = self._rng.permutation(left)[: n - len(chosen)].tolist()
            chosen += rest
            self._used.update(rest)
        return chosen

    def _sources(self, clicks: list[int]) -> list[Weights]:
        """Weights of the leaves: like this session's clicks, clicked before, neighbours, usual, anything."""
        leaves = self._goods.leaf[clicks]
        now = self._by_leaf(leaves, _FADING ** np.arange(len(leaves) - 1, -1, -1.0))
        known = self._known + self._by_leaf(leaves, np.full(len(leaves), _SESSION_BOOST))
        if not known.any():
            return [now, self._audience, self._audience, self._audience, self._stock.share]
        near = np.bincount(self._world.l2, known)[self._world.l2] * self._stock.share
        return [now, known, near, self._audience, self._stock.share]

    def _by_leaf(self, leaves: NDArray[np.int32], weights: Weights) -> Weights:
        """Sums weights by leaf of the world."""
        return np.asarray(np.bincount(leaves, weights, len(self._world.leaves)), dtype=np.float64)

    def _candidates(self, n: int, steps: list[Weights], clicked: bool) -> list[int]:
        """Items for the next places, some of them shown before."""
        place = len(self._used) + np.arange(n)
        recent = RECENT + HEAD * np.exp(-place / HEAD_LENGTH)
        u = self._rng.random(n)
        source = 1 + (u > recent).astype(int) + (u > recent + NEAR) + (u > recent + NEAR + USUAL)
        source[self._rng.random(n) < MORE_LIKE_THIS * clicked] = 0
        leaves = np.empty(n, np.int64)
        for k, at in enumerate(steps):
            mine = source == k
            leaves[mine] = np.searchsorted(at, self._rng.random(int(mine.sum())) * at[-1], side="right")
        rows: list[int] = self._stock.draw(leaves, self._rng).tolist()
        return rows
