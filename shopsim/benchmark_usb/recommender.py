"""The synthetic shop's own recommender: what fills the feed of a session.

It knows what a shop can know: the user's clicks before and in the session, age and gender, and what sells. It
knows nothing of what the shopper wants.
"""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.shopper import Weights, recency
from shopsim.benchmark_usb.world import Goods, Stock, World

# Shares of the feed: categories clicked before, their neighbours, what sells to such users, anything.
RECENT, NEAR, USUAL = 0.34, 0.18, 0.28

_SESSION_BOOST = 4.0
"""A click of this session counts as much as this many of the last clicks before it."""
_TRIES = 4


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
        return [self._next(steps) for _ in range(n)]

    def _next(self, steps: list[Weights]) -> int:
        for _ in range(_TRIES):
            source = int(np.searchsorted((RECENT, RECENT + NEAR, RECENT + NEAR + USUAL), self._rng.random()))
            at = steps[source]
            leaf = int(np.searchsorted(at, self._rng.random() * at[-1], side="right"))
            item = int(self._stock.draw(leaf, self._rng)[0])
            if item not in self._used:
                self._used.add(item)
                return item
        left = [item for item in range(len(self._goods)) if item not in self._used]
        item = left[int(self._rng.integers(len(left)))]
        self._used.add(item)
        return item
