"""Items a shop could have shown beside those a log says were opened. Ours.

A log of views knows nothing of what was shown and passed over. What is filled in must not give the opened items
away: fillers come from the categories of the opened items, in the same shares, and inside a category as often
as people look at them; a few come from anywhere. `tells` measures what is left.
"""

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import Keys, Stream
from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, spans, starts_of

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
_FREE = np.int32(np.iinfo(np.int32).max)
"""Above the rank of whoever asks."""
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
        self._rank = np.empty(0, np.int32)
        """See `_Held`; kept, as it is large."""
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
        if len(self._rank) < len(keys) << _BITS:
            self._rank = np.full(len(keys) << _BITS, _FREE)
        held = _Held(keys, n_items, self._rank)
        held.put(owners_of(n_opened), opened[None])
        starts, first_opened = starts_of(counts)[:-1], starts_of(n_opened)[:-1]
        drawn = np.full(counts.sum(), -1)
        left: list[Ints] = []
        low, high = 0, _FIRST
        while low < counts.max(initial=0):
            wanted = np.clip(counts - low, 0, high - low)
            feed, slot = owners_of(wanted), spans(starts + low, wanted)
            chance = Stream(keys[feed], _FILLERS, slot - starts[feed])
            anchors = first_opened[feed]
            anchors += chance.below(n_opened[feed])
            tries = _TRIES if low < _NEAR else _TRIES_LATER
            drawn[slot], unfilled = self._fill(held, chance, feed, opened[anchors], tries)
            left.append(unfilled)
            low, high = high, 2 * high
        for row in np.unique(np.concatenate([drawn[:0], *left])).tolist():
            self._rest(row, keys[row], drawn, opened, n_opened, counts)
        return drawn, counts

    def _fill(self, held: "_Held", chance: Stream, feed: Ints, anchor: Ints, tries: int) -> tuple[Ints, Ints]:
        """Items for places of feeds, from the categories of their anchors; and the feeds where that left some at -1."""
        n_items = len(self._weights)
        # A group is told by its level and one of its items.
        top = (self._levels - 1) * n_items
        group = anchor + np.where(chance.uniform() < self._stray, top, 0)
        drawn, slot = np.full(len(feed), -1), np.arange(len(feed))
        # Many tries at once cost less each, and most slots need few.
        levels = [_shares(tries), *[[_TRIES_LATER]] * (self._levels - 2), [_TRIES_LATER + 1, _LAST_TRIES]]
        for shares in levels:
            for turns in shares:
                span = self._span[group]
                lot = chance.each_below(span & 0xFFFFFFFF, turns)
                lot += span >> 32
                items = self._lots[lot]
                got = held.put(feed, items)
                new = got % len(slot)
                drawn[slot[new]] = items.ravel()[got]
                lacks = np.ones(len(slot), bool)
                lacks[new] = False
                left = np.flatnonzero(lacks)
                feed, slot, group = feed[left], slot[left], group[left]
                chance.keep(left)
                if not len(slot):
                    return drawn, feed
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
        slots[slots < 0] = items[np.argsort(race, kind="stable")][: int((slots < 0).sum())]


def _shares(tries: int) -> list[int]:
    """Tries in a row that are made at once."""
    return [1, 3, tries - 4] if tries > 4 else [1, tries - 1]


class _Held:
    """What each of many feeds holds already.

    Args:
        keys: Shape (feeds,).
        n_items: Items there are.
        rank: Room to work in, `_FREE` throughout before and after, as many as feeds times cells of one.
    """

    def __init__(self, keys: Keys, n_items: int, rank: NDArray[np.int32]) -> None:
        self._bits = min(_BITS, (n_items - 1).bit_length())
        self._salt = None
        if n_items > 1 << _BITS:
            self._salt = keys.astype(np.uint32) | np.uint32(1)
        cells = len(keys) << self._bits
        self._taken = np.zeros((cells >> 3) + 1, np.uint8)
        """A bit for each cell: so few that the processor's cache holds them."""
        self._rank = rank[:cells]

    def put(self, feeds: Ints, items: NDArray[np.integer]) -> Ints:
        """Puts one item into each feed, the first of several that is new there.

        Feeds take turns: all try their first, then those without one all their second, and so on. Of the same item in
        one feed that which stands first is new.

        Args:
            feeds: Shape (n,); one may stand there more than once.
            items: Shape (turns, n).

        Returns:
            Which items were put, as places in all of them end to end.
        """
        turns, n = items.shape
        cell = self._cells(feeds, items).ravel()
        free = (self._taken[cell >> 3] >> (cell & 7).astype(np.uint8) & 1 == 0).reshape(turns, n)
        # For each that asks its free ones in the order of turns.
        asked = np.flatnonzero(free.T)
        row = asked // turns
        rank = (asked - row * turns) * n + row
        cell = cell[rank].astype(np.intp)
        # All ask at once for their first that is free; who asks in a later turn than another, or stands further back,
        # goes on to the next. As that order is the same for all, it comes to the same as one turn after the other
        # (the only stable matching).
        asks = np.flatnonzero(np.append(True, row[1:] != row[:-1])[: len(row)])
        row = np.append(row, -1)
        got = asks[:0]
        while len(asks):
            np.minimum.at(self._rank, cell[asks], rank[asks].astype(_FREE.dtype))
            got = np.append(got, asks)
            stays = self._rank[cell[got]] == rank[got]
            lost, got = got[~stays], got[stays]
            asks = lost[row[lost + 1] == row[lost]] + 1
        place = cell[got]
        self._rank[place] = _FREE
        np.bitwise_or.at(self._taken, place >> 3, np.uint8(1) << (place & 7).astype(np.uint8))
        result: Ints = rank[got]
        return result

    def _cells(self, feeds: Ints, items: NDArray[np.integer]) -> NDArray[np.uint32]:
        cell = items.astype(np.uint32)
        if self._salt is not None:
            cell *= self._salt[feeds]
            cell >>= np.uint32(32 - self._bits)
        cell += feeds.astype(np.uint32) << np.uint32(self._bits)
        return cell


def _lots(codes: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[NDArray[np.unsignedinteger], Ints, Ints]:
    """Items as often as their weight in their group, group after group; for each item its group's start and length."""
    _, group = np.unique(codes, return_inverse=True)
    size, mass = np.bincount(group), np.bincount(group, weights)
    copies = np.maximum(1, np.rint(_SHADES * size[group] * weights / mass[group])).astype(np.int64)
    order = np.argsort(group, kind="stable")
    table = np.repeat(order.astype(np.min_scalar_type(len(codes))), copies[order])
    lengths = np.bincount(group, copies).astype(np.int64)
    return table, starts_of(lengths)[:-1][group], lengths[group]
