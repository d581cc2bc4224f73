"""From a log's sessions to recorded ones: the feeds, scrolls, visits and leaving that no log holds. Ours.

A log says that an item was looked at, carted or bought. The layout of SPEC 3 wants every action with the screen it
was taken on. What lies between is filled in here, for every log alike, and marked `imputed`:

- a view is `enter_detail` from the feed; of the item already open it is nothing (counted);
- before another item is entered the shopper goes `back` and scrolls until its card shows;
- a cart or a purchase of an item that is not open gets a visit first; a second one of the same item is nothing;
- the feed is the opened items among fillers (`feed_sampling`). How far the shopper browses is drawn first, and the
  opened items lie anywhere within, in the order they were opened; the shopper browses to that depth and leaves there,
  so that neither place nor end gives them away.

Sessions are filled in by the batch, as columns; `walks` has the rules of the shop in that form.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import Keys, Stream
from shopsim.benchmark_usb.importers.feed_sampling import FeedSampler
from shopsim.benchmark_usb.importers.log_table import Kind, LogTable
from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, places_of, spans, starts_of
from shopsim.benchmark_usb.importers.walks import Steps, offset_of, walk
from shopsim.benchmark_usb.importers.waterfalls import lay_out
from shopsim.data.records import ASPECTS, Item
from shopsim.data.session_rules import MIN_FEED
from shopsim.data.vocabulary import Action
from shopsim.envs import layout
from shopsim.errors import InputError

IMPUTED_INPUTS = ("impressions", "scrolls", "leaving")
"""What this module fills in, by the names of the manifest."""

FEED_PER_SEEN = 3
"""A feed is at least `MIN_FEED` items and this many times what was seen (SPEC 1), or all items there are."""
FEED_SPREAD = 0.25
"""Up to this much longer, at random, so that its length tells less of how far the shopper went."""
MOST_SHELF, MOST_SEEN, MOST_PACE = 1000, 100, 3600
"""Rules above these ask for more than a shop shows anybody, or memory holds."""
_FIRST_SCREEN = 4
_SLACK = 6
"""Cards beyond the depth asked for that the scroll which reaches it may show: four, and some to spare."""

_DEPTH, _LENGTH, _SLOTS = 11, 12, 13
"""Purposes of chance."""


@dataclass(frozen=True, slots=True)
class FillIn:
    """How much is filled in. Defaults are ours and argued beside each field."""

    stray: float = 0.03
    """Share of fillers from any category; higher tells opened items apart by their category."""
    seen_per_opened: float = 6.0
    """Cards seen for each item opened, on average: about a screen and a half, between the one in three of shops that
    show little and the one in thirty of endless feeds; real logs of this kind do not tell."""
    shelf: int = 48
    """Least items of a category; those that the log does not name are made up (see `stock`). 0 makes up none."""
    pace_seconds: float = 2.0
    """Time between filled-in steps before the first event and after the last."""

    def __post_init__(self) -> None:
        if not 0 <= self.stray <= 1:
            raise InputError(f"stray must be from 0 to 1, got {self.stray}")
        if not 1 < self.seen_per_opened <= MOST_SEEN:
            raise InputError(f"seen_per_opened must be above 1 and at most {MOST_SEEN}, got {self.seen_per_opened}")
        if not 0 <= self.shelf <= MOST_SHELF:
            raise InputError(f"shelf must be from 0 to {MOST_SHELF}, got {self.shelf}")
        if not 0 <= self.pace_seconds <= MOST_PACE:
            raise InputError(f"pace_seconds must be from 0 to {MOST_PACE}, got {self.pace_seconds}")


class Filled(NamedTuple):
    """Sessions as the data layout wants them, in columns."""

    feed: Ints
    """Item rows, session after session."""
    feed_length: Ints
    steps: Steps
    seen: NDArray[np.bool_]
    """For each card of `feed`, whether it was an impression."""
    opened: Ints
    """Item rows in the order opened, session after session."""
    n_opened: Ints


class Imputer:
    """Fills sessions in; each depends on its key, its events and the item table only.

    Args:
        items: All items.
        groups: Their categories, see `FeedSampler`.
        weights: How often each is looked at, see `FeedSampler`.
        settings: How much to fill in.
    """

    def __init__(
        self, items: Sequence[Item], groups: NDArray[np.int64], weights: NDArray[np.float64], settings: FillIn
    ) -> None:
        self._aspects = np.array([ASPECTS.index(item.picture.aspect) for item in items], np.int8)
        self._sampler = FeedSampler(groups, weights, settings.stray)
        self._settings = settings
        self.imputed: Counter[str] = Counter()
        """Steps filled in so far, by action."""
        self.recorded: Counter[str] = Counter()
        """Steps that the log held, by action."""
        self.no_effect: Counter[str] = Counter()
        """Events of the log that would have changed nothing, by reason; they have no step."""
        self.purchases_without_cart = 0

    @property
    def visits(self) -> int:
        """Visits filled in before carts and purchases of items that were not open."""
        return self.imputed[Action.ENTER_DETAIL.label]

    def impute(self, keys: Keys, log: LogTable, lengths: Ints) -> Filled:
        """Sessions as the data layout wants them.

        Args:
            keys: Shape (sessions,), see `chance`.
            log: Their events, session after session, in order of time; at least one of an item in each.
            lengths: Shape (sessions,), number of events of each.
        """
        opened, n_opened = _opened(log, lengths, len(self._aspects))
        depth = self._depth(keys, n_opened)
        feed, feed_length, slot, scrolls = self._feeds(keys, opened, n_opened, depth)
        cards = lay_out(self._aspects[feed], feed_length)
        card_of = starts_of(feed_length)[owners_of(n_opened)] + slot
        find = _Finder(owners_of(n_opened), opened, card_of)
        walked = walk(log, lengths, cards, find, scrolls, self._settings.pace_seconds)
        self.no_effect.update(walked.no_effect)
        self.purchases_without_cart += walked.purchases_without_cart
        steps = walked.steps
        for counts, mask in ((self.imputed, steps.imputed), (self.recorded, ~steps.imputed)):
            per_action = np.bincount(steps.action[mask], minlength=len(Action)).tolist()
            counts.update({action.label: n for action, n in zip(Action, per_action, strict=True) if n})
        bottom = offset_of(walked.deepest, cards.bottom) + layout.VIEWPORT
        seen: NDArray[np.bool_] = cards.twice_middle <= 2 * bottom[owners_of(feed_length)]
        return Filled(feed, feed_length, steps, seen, opened, n_opened)

    def _depth(self, keys: Keys, n_opened: Ints) -> Ints:
        """About how many cards each shopper sees: for each item opened, a geometric number of others."""
        owner = owners_of(n_opened)
        chance = Stream(keys[owner], _DEPTH, places_of(n_opened)).uniform()
        others = np.floor(np.log1p(-chance) / np.log1p(-1 / self._settings.seen_per_opened))
        extra = np.bincount(owner, others, minlength=len(n_opened)).astype(np.int64)
        depth: Ints = np.maximum(_FIRST_SCREEN, n_opened + extra)
        return depth

    def _feeds(self, keys: Keys, opened: Ints, n_opened: Ints, depth: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """The feeds, their lengths, the slot of each opened item, and how many scrolls down shoppers go."""
        # An opened card may be lower than the filler in its place, so that more cards come into sight.
        least = np.maximum(MIN_FEED, FEED_PER_SEEN * (depth + _SLACK + n_opened // 2))
        chance = Stream(keys, _LENGTH, np.zeros(len(keys), np.int64)).uniform()
        length = least + (chance * FEED_SPREAD * least).astype(np.int64)
        fillers, n_fillers = self._sampler.draw(keys, opened, n_opened, length - n_opened)
        scrolls, seen = self._browse(fillers, n_fillers, depth)
        slot = _places(keys, n_opened, np.maximum(seen, n_opened))

        feed_length = n_fillers + n_opened
        feed = np.empty(feed_length.sum(), np.int64)
        taken = np.zeros(len(feed), bool)
        taken[starts_of(feed_length)[owners_of(n_opened)] + slot] = True
        feed[taken], feed[~taken] = opened, fillers
        return feed, feed_length, slot, scrolls

    def _browse(self, fillers: Ints, n_fillers: Ints, depth: Ints) -> tuple[Ints, Ints]:
        """Scrolls until `depth` fillers have been half visible, and how many have been then."""
        head = np.minimum(n_fillers, depth + _SLACK)
        cards = lay_out(self._aspects[fillers[spans(starts_of(n_fillers)[:-1], head)]], head)
        owner = owners_of(head)
        # The first level at which each card has been half visible; the depth-th smallest is how far to go.
        level = np.maximum(0, -(-(cards.twice_middle - 2 * layout.VIEWPORT) // (2 * layout.scroll_step())))
        ranked = np.sort((owner << 32) + level) & 0xFFFFFFFF
        asked = np.minimum(depth, head)
        last = np.append(ranked, 0)[starts_of(head)[:-1] + asked - 1]
        scrolls = np.where(asked > 0, last, 0)
        seen = np.bincount(owner[level <= scrolls[owner]], minlength=len(head))
        return scrolls, seen


def _opened(log: LogTable, lengths: Ints, n_items: int) -> tuple[Ints, Ints]:
    """Distinct items of each session in the order they are first named, and how many; each is visited."""
    owner = owners_of(lengths)
    named = np.flatnonzero(log.kind != Kind.LEAVE)
    _, first = np.unique(owner[named] * n_items + log.item[named], return_index=True)
    first = named[np.sort(first)]
    return log.item[first].astype(np.int64), np.bincount(owner[first], minlength=len(lengths))


def _places(keys: Keys, n_chosen: Ints, n_places: Ints) -> Ints:
    """For each session `n_chosen` of the places 0 to ``n_places - 1``, in order."""
    place, owner = places_of(n_places), owners_of(n_places)
    lot = (Stream(keys[owner], _SLOTS, place).uniform() * (1 << 20)).astype(np.int64)
    ranked = np.sort((owner << 42) + (lot << 22) + place)
    chosen = ranked[spans(starts_of(n_places)[:-1], n_chosen)]
    return np.sort((chosen >> 42 << 22) + (chosen & 0x3FFFFF)) & 0x3FFFFF


class _Finder:
    """Finds the card of an item in its session's feed, among the opened items."""

    def __init__(self, owners: Ints, items: Ints, cards: Ints) -> None:
        keys = (owners << 32) + items
        order = np.argsort(keys)
        self._keys, self._cards = keys[order], cards[order]

    def __call__(self, owners: Ints, items: Ints) -> Ints:
        """Position of the card of each item."""
        return self._cards[np.searchsorted(self._keys, (owners << 32) + items)]
