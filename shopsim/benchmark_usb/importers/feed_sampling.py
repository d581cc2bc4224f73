"""Items a shop could have shown beside those a log says were opened. Ours.

A log of views knows nothing of what was shown and passed over. What is filled in must not give the opened items
away: fillers come from the categories of the opened items, in the same shares, and inside a category as often
as people look at them; a few come from anywhere. `tells` measures what is left.
"""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import Keys, Stream
from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, places_of, starts_of

_TRIES = 16
"""Draws of one slot in a category that are all in the feed already before the slot goes to the parent category."""
_TRIES_LATER = 2
"""The same in a parent category, and of slots further down than shoppers mostly go: there many categories are used up,
and what is left of them comes more slowly."""
_NEAR = 400
"""Slots that are not further down: a shopper who opens sixty items sees some 360 others."""
_FIRST = 12
"""Slots that are filled first, all at once; then as many again, and so on. A card takes an item from those further
down, not the other way round."""
_LAST_TRIES = 24
"""More draws among all items before what is left is listed, which takes as long as there are items."""
_SHADES = 16
"""How finely weights inside a group are kept: no item's share is rounded by more than half of one part in
`_SHADES` times the size of its group."""
_BITS = 12
"""Size, as a power of two, of the table that tells what a feed holds already. Items of larger shops share entries, in
each feed in another way: a filler is then refused now and then though it is not there yet, and another one is taken."""
_FILLERS, _REST = 1, 2
"""Purposes of chance."""


class FeedSampler:
    """Draws fillers for many feeds at once.

    Args:
        groups: Shape (items, levels), category codes from the finest to the coarsest; a group of a finer level lies
            wholly inside one group of the next. An item without a category there repeats its finer code (or has a
            code of its own).
        weights: Shape (items,), how often each item is looked at, above 0.
        stray: Share of fillers drawn from all items, whatever the category.
    """

    def __init__(self, groups: NDArray[np.int64], weights: NDArray[np.float64], stray: float) -> None:
        self._weights = weights
        self._stray = stray
        everything = np.zeros((len(groups), 1), np.int64)
        tables, starts, lengths, size = [], [], [], 0
        for codes in np.hstack((groups, everything)).T:
            table, start, length = _lots(codes, weights)
            tables.append(table)
            starts.append(start + size)
            lengths.append(length)
            size += len(table)
        self._lots = np.concatenate(tables)
        # In one number, as both are looked up at once.
        self._span = (np.concatenate(starts) << 32) + np.concatenate(lengths)
        self._levels = len(tables)

    def draw(self, keys: Keys, opened: Ints, n_opened: Ints, counts: Ints) -> tuple[Ints, Ints]:
        """Distinct item rows for feeds around opened items, none of them among the feed's opened ones.

        They come in drawing order: popular ones of the right categories tend to be first, and where a category is
        used up its parent serves. How far that reaches depends on the size of categories alone, so the order does
        not tell how far a shopper went.

        Args:
            keys: Shape (feeds,), see `chance`.
            opened: Distinct item rows the person opened, feed after feed.
            n_opened: Shape (feeds,), how many each.
            counts: Shape (feeds,), items asked for; fewer come back only when there are no more items.

        Returns:
            Item rows, feed after feed, and how many each.
        """
        n_items = len(self._weights)
        counts = np.minimum(counts, n_items - n_opened)
        feed, place = owners_of(counts), places_of(counts)
        held = _Held(keys, n_items, int(counts.max(initial=0)))
        held.put(owners_of(n_opened), opened, np.full(len(opened), -1))
        drawn = np.full(len(feed), -1)
        left: list[Ints] = []
        low, high = 0, _FIRST
        while low < counts.max(initial=0):
            slot = np.flatnonzero((place >= low) & (place < high))
            anchors = starts_of(n_opened)[feed[slot]]
            chance = Stream(keys[feed[slot]], _FILLERS, place[slot])
            anchors += chance.below(n_opened[feed[slot]])
            tries = _TRIES if low < _NEAR else _TRIES_LATER
            drawn[slot], unfilled = self._fill(held, chance, feed[slot], place[slot], opened[anchors], tries)
            left.append(unfilled)
            low, high = high, 2 * high
        for row in np.unique(np.concatenate([feed[:0], *left])).tolist():
            self._rest(row, keys[row], drawn, opened, n_opened, counts)
        return drawn, counts

    def _fill(
        self, held: "_Held", chance: Stream, feed: Ints, place: Ints, anchor: Ints, tries: int
    ) -> tuple[Ints, Ints]:
        """Items for places of feeds, from the categories of their anchors; and the feeds where that left some at -1."""
        n_items = len(self._weights)
        # A group is told by its level and one of its items.
        top = (self._levels - 1) * n_items
        group = anchor + np.where(chance.uniform() < self._stray, top, 0)
        drawn, slot = np.full(len(feed), -1), np.arange(len(feed))
        for turn in range(1, tries + self._levels * _TRIES_LATER + _LAST_TRIES):
            if not len(slot):
                break
            span = self._span[group]
            item = self._lots[(span >> 32) + chance.below(span & 0xFFFFFFFF)].astype(np.int64)
            new = held.put(feed, item, place)
            drawn[slot[new]] = item[new]
            left = np.flatnonzero(~new)
            feed, place, slot, group = feed[left], place[left], slot[left], group[left]
            chance.keep(left)
            if turn >= tries and (turn - tries) % _TRIES_LATER == 0:
                group += np.where(group < top, n_items, 0)
        return drawn, feed

    def _rest(self, row: int, key: np.uint64, drawn: Ints, opened: Ints, n_opened: Ints, counts: Ints) -> None:
        """Fills the open slots of one feed with items that are not in it, by weight."""
        slots = drawn[starts_of(counts)[row] : starts_of(counts)[row + 1]]
        mine = opened[starts_of(n_opened)[row] : starts_of(n_opened)[row + 1]]
        free = np.ones(len(self._weights), bool)
        free[mine] = False
        free[slots[slots >= 0]] = False
        items = np.flatnonzero(free)
        race = -np.log1p(-Stream(np.full(len(items), key), _REST, items).uniform()) / self._weights[items]
        wanted = int((slots < 0).sum())
        # Only the first few of many are put in order.
        ahead = np.flatnonzero(race <= np.partition(race, wanted - 1)[wanted - 1])
        slots[slots < 0] = items[ahead[np.argsort(race[ahead], kind="stable")]][:wanted]


class _Held:
    """What each of many feeds holds already, as the place of each item there.

    Args:
        keys: Shape (feeds,).
        n_items: Items there are.
        longest: Most places of a feed.
    """

    def __init__(self, keys: Keys, n_items: int, longest: int) -> None:
        self._bits = min(_BITS, (n_items - 1).bit_length())
        self._salt = None
        if n_items > 1 << _BITS:
            self._salt = keys.astype(np.uint32) | np.uint32(1)
        small = np.int16 if longest < np.iinfo(np.int16).max else np.int32
        self._free = np.iinfo(small).max
        self._place = np.full(len(keys) << self._bits, self._free, small)

    def put(self, feeds: Ints, items: Ints, places: Ints) -> NDArray[np.bool_]:
        """Puts items at places of feeds, and says which are new there; of the same in one feed the first place's is."""
        cell = feeds << self._bits
        if self._salt is None:
            cell += items
        else:
            cell += (items.astype(np.uint32) * self._salt[feeds]).astype(np.int64) >> (32 - self._bits)
        free = np.flatnonzero(self._place[cell] == self._free)
        cell, place = cell[free], places[free]
        # The first place is written last, and so is what stays.
        self._place[cell[::-1]] = place[::-1]
        new = np.zeros(len(items), bool)
        new[free] = self._place[cell] == place
        return new


def _lots(codes: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], Ints, Ints]:
    """Items as often as their weight in their group, group after group; for each item its group's start and length."""
    _, group = np.unique(codes, return_inverse=True)
    size, mass = np.bincount(group), np.bincount(group, weights)
    copies = np.maximum(1, np.rint(_SHADES * size[group] * weights / mass[group])).astype(np.int64)
    order = np.argsort(group, kind="stable")
    table = np.repeat(order.astype(np.int32), copies[order])
    lengths = np.bincount(group, copies).astype(np.int64)
    return table, starts_of(lengths)[:-1][group], lengths[group]
