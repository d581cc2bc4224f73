"""Items a shop could have shown beside those a log says were opened. Ours.

A log of views knows nothing of what was shown and passed over. What is filled in must not give the opened items
away: fillers come from the categories of the opened items, in the same shares, and inside a category as often
as people look at them; a few come from anywhere. `tells` measures what is left.
"""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_TRIES = 12
"""Draws before the rest of a group is listed: a popular item that is already taken comes up again and again."""


class FeedSampler:
    """Draws fillers for one feed after the other.

    Args:
        groups: Shape (items, levels), category codes from the finest to the coarsest; a group of a finer level lies
            wholly inside one group of the next. An item without a category there repeats its finer code (or has a
            code of its own).
        weights: Shape (items,), how often each item is looked at, above 0.
        stray: Share of fillers drawn from all items, whatever the category.
    """

    def __init__(self, groups: NDArray[np.int64], weights: NDArray[np.float64], stray: float) -> None:
        everything = np.zeros((len(groups), 1), np.int64)
        self._levels = [_Level(column, weights) for column in np.hstack((groups, everything)).T]
        self._stray = stray

    def draw(self, rng: np.random.Generator, opened: Sequence[int], count: int) -> list[int]:
        """Distinct item rows for a feed around the opened items, none of them among `opened`.

        They come in drawing order: popular ones of the right categories tend to be first, and where a category is
        used up its parent serves. How far that reaches depends on the size of categories alone, so the order does
        not tell how far a shopper went.

        Args:
            rng: The session's generator.
            opened: Distinct item rows the person opened.
            count: Number of items asked for; fewer come back only when there are no more items.
        """
        taken = set(opened)
        used: list[dict[int, int]] = [{} for _ in self._levels]
        for item in opened:
            self._use(used, item)
        fillers: list[int] = []
        count = min(count, len(self._levels[-1].items) - len(taken))
        anchors = rng.integers(len(opened), size=count).tolist()
        strays = (rng.random(count) < self._stray).tolist()
        for anchor, stray in zip(anchors, strays, strict=True):
            first = len(self._levels) - 1 if stray else 0
            item = self._draw_one(rng, opened[anchor], first, taken, used)
            taken.add(item)
            self._use(used, item)
            fillers.append(item)
        return fillers

    def _draw_one(
        self, rng: np.random.Generator, anchor: int, first: int, taken: set[int], used: list[dict[int, int]]
    ) -> int:
        depth = first
        while self._levels[depth].exhausted(anchor, used[depth]):
            depth += 1
        return self._levels[depth].draw(rng, anchor, taken)

    def _use(self, used: list[dict[int, int]], item: int) -> None:
        for level, counts in zip(self._levels, used, strict=True):
            group = level.group[item]
            counts[group] = counts.get(group, 0) + 1


class _Level:
    """All items sorted by their group on one level, with running sums of their weights."""

    def __init__(self, codes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        _, group = np.unique(codes, return_inverse=True)
        order = np.argsort(group, kind="stable")
        self.group: list[int] = group.tolist()
        self.items: list[int] = order.tolist()
        self._sums: list[float] = np.concatenate(([0.0], np.cumsum(weights[order]))).tolist()
        self._starts: list[int] = np.searchsorted(group[order], np.arange(group.max(initial=-1) + 2)).tolist()

    def exhausted(self, anchor: int, used: dict[int, int]) -> bool:
        """Whether every item of the anchor's group is in the feed already."""
        group = self.group[anchor]
        return used.get(group, 0) >= self._starts[group + 1] - self._starts[group]

    def draw(self, rng: np.random.Generator, anchor: int, taken: set[int]) -> int:
        """One item of the anchor's group that is not taken, by weight; there must be one."""
        start, end = self._starts[self.group[anchor]], self._starts[self.group[anchor] + 1]
        low, high = self._sums[start], self._sums[end]
        for _ in range(_TRIES):
            place = bisect_right(self._sums, low + rng.random() * (high - low), start, end) - 1
            if self.items[place] not in taken:
                return self.items[place]
        left = [place for place in range(start, end) if self.items[place] not in taken]
        sums = np.cumsum([self._sums[place + 1] - self._sums[place] for place in left])
        return self.items[left[int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))]]
