"""Many feeds laid out at once, as `shopsim.envs.layout.Waterfall` lays out one. Ours.

The tests hold the two against each other; every session is also replayed by `shopsim.benchmark_usb.replay_check`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.ragged import Ints, starts_of
from shopsim.envs import layout

CARD_HEIGHTS = np.array(layout.PICTURE_HEIGHTS, np.int64) + layout.CARD_TEXT
"""By the code of the picture's shape."""
_FEW = 24
"""Feeds as long as so few others are quicker laid out one by one."""


class Cards(NamedTuple):
    """Cards of many feeds, end to end; content units."""

    top: Ints
    height: Ints
    column: NDArray[np.int8]
    """0 left, 1 right."""
    bottom: Ints
    """Shape (feeds,), height of each feed's content."""

    @property
    def twice_middle(self) -> Ints:
        """Twice the height at which a card's middle lies; half of it shows while the middle does."""
        return 2 * self.top + self.height


def lay_out(aspects: NDArray[np.int8], lengths: Ints) -> Cards:
    """Lays out feeds.

    Args:
        aspects: Code of the picture's shape of every card, feed after feed.
        lengths: Shape (feeds,), number of cards of each.
    """
    height = CARD_HEIGHTS[aspects]
    top, column = np.empty_like(height), np.empty(len(height), np.int8)
    order = np.argsort(-lengths, kind="stable")
    starts = starts_of(lengths)[:-1][order]
    # How many feeds have a card at each place; the longest stand first.
    alive = np.searchsorted(-lengths[order], -np.arange(int(lengths.max(initial=0))), side="left").tolist()
    ends = np.full((2, len(lengths)), layout.MARGIN, np.int64)
    together = next((place for place, n in enumerate(alive) if n < _FEW), len(alive))
    for place, n in enumerate(alive[:together]):
        cards, left, right = starts[:n] + place, ends[0, :n], ends[1, :n]
        goes_right = left > right
        y = np.minimum(left, right)
        top[cards], column[cards] = y, goes_right
        y += height[cards] + layout.MARGIN
        np.copyto(right, y, where=goes_right)
        np.copyto(left, y, where=~goes_right)
    for feed in range(alive[together] if together < len(alive) else 0):
        rest = slice(starts[feed] + together, starts[feed] + lengths[order[feed]])
        top[rest], column[rest], ends[:, feed] = _go_on(height[rest].tolist(), *ends[:, feed].tolist())
    bottom = np.empty(len(lengths), np.int64)
    bottom[order] = ends.max(axis=0)
    return Cards(top, height, column, bottom)


def _go_on(heights: list[int], left: int, right: int) -> tuple[list[int], list[bool], tuple[int, int]]:
    """Lays out the rest of one feed: tops, whether cards go right, and where the columns end."""
    tops, goes_right = [], []
    for height in heights:
        goes_right.append(left > right)
        if left > right:
            tops.append(right)
            right += height + layout.MARGIN
        else:
            tops.append(left)
            left += height + layout.MARGIN
    return tops, goes_right, (left, right)
