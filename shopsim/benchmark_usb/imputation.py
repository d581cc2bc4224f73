"""From a log's session to a recorded one: the feed, the scrolls, the visits and the leaving that no log holds. Ours.

A log says that an item was looked at, carted or bought. The layout of SPEC 3 wants every action with the screen it
was taken on. What lies between is filled in here, for every log alike, and marked `imputed`:

- a view is `enter_detail` from the feed; of the item already open it is nothing (counted);
- before another item is entered the shopper goes `back` and scrolls until its card shows;
- a cart or a purchase of an item that is not open gets a visit first; a second one of the same item is nothing;
- the feed is the opened items among fillers (`feed_sampling`). How far the shopper browses is drawn first, and the
  opened items lie anywhere within, in the order they were opened; the shopper browses to that depth and leaves there,
  so that neither place nor end gives them away.

Every step is done in the shop itself (`shopsim.envs.shop`), so what comes out is legal there by construction.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from shopsim.benchmark_usb.feed_sampling import FeedSampler
from shopsim.benchmark_usb.log_table import Kind
from shopsim.data.records import ASPECTS, Item, Session, Step
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.shop import Point, Shop
from shopsim.envs.trajectory import Event
from shopsim.errors import InputError

IMPUTED_INPUTS = ("impressions", "scrolls", "leaving")
"""What this module fills in, by the names of the manifest."""

MIN_FEED = 60
FEED_PER_SEEN = 3
"""A feed is at least `MIN_FEED` items and this many times what was seen (SPEC 1), or all items there are."""
_FIRST_SCREEN = 4
_SCREEN_SLACK = 12
"""Cards that two more screens can show at most, beyond the depth asked for."""

_BUTTONS: dict[Action, Point] = {
    Action.BACK: layout.BACK_BUTTON.center(),
    Action.ADD_TO_CART: layout.CART_BUTTON.center(),
    Action.PURCHASE: layout.BUY_BUTTON.center(),
}


class LogEvent(NamedTuple):
    """One line of a log inside its session."""

    time: datetime
    kind: Kind
    item: int
    """Row of the item table."""


@dataclass(frozen=True, slots=True)
class LogSession:
    """One shopper's events, oldest first; at least one."""

    session_id: str
    user_id: str
    split: str
    events: Sequence[LogEvent]

    @property
    def opened(self) -> list[int]:
        """Distinct items, in the order they are first named; each is visited."""
        return list(dict.fromkeys(event.item for event in self.events))


@dataclass(frozen=True, slots=True)
class ImputationSettings:
    """How much is filled in. Defaults are ours and argued beside each field."""

    seed: int = 0
    seen_per_opened: float = 6.0
    """Cards seen for each item opened, on average: about a screen and a half, between the one in three of shops that
    show little and the one in thirty of endless feeds; real logs of this kind do not tell."""
    pace_seconds: float = 2.0
    """Time between filled-in steps before the first event and after the last."""

    def __post_init__(self) -> None:
        if self.seen_per_opened <= 1:
            raise InputError(f"seen_per_opened must be above 1, got {self.seen_per_opened}")


class ItemTable:
    """Items by row, with what the shop asks of them (the `Catalog` of `shopsim.envs.shop`)."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self._aspects = [ASPECTS.index(item.picture.aspect) for item in items]
        self._counts = [(len(item.attributes), len(item.reviews)) for item in items]

    def aspect(self, item: int) -> int:
        """Code of the picture's shape."""
        return self._aspects[item]

    def detail_counts(self, item: int) -> tuple[int, int]:
        """Number of attributes and of reviews."""
        return self._counts[item]


class ImputedSession(NamedTuple):
    """A session in the data layout, and what the shopper saw on the way."""

    session: Session
    feed: list[int]
    """Item rows."""
    seen: list[int]
    """Item rows of the impressions, in feed order."""


class Imputer:
    """Fills sessions in, one by one; each depends on the seed, its id and the item table only.

    Args:
        table: All items.
        sampler: Fillers for feeds of these items.
        settings: How much to fill in.
    """

    def __init__(self, table: ItemTable, sampler: FeedSampler, settings: ImputationSettings) -> None:
        self._table = table
        self._sampler = sampler
        self._settings = settings
        self.imputed: Counter[str] = Counter()
        """Steps filled in so far, by action."""
        self.recorded: Counter[str] = Counter()
        """Steps that the log held, by action."""
        self.no_effect: Counter[str] = Counter()
        """Events of the log that would have changed nothing, by reason; they have no step."""
        self.visits = 0
        """Visits filled in before carts and purchases of items that were not open."""
        self.purchases_without_cart = 0

    def impute(self, log: LogSession) -> ImputedSession:
        """The session as the data layout wants it."""
        opened = log.opened
        rng = _generator(self._settings.seed, log.session_id)
        extra = rng.negative_binomial(len(opened), 1 / self._settings.seen_per_opened)
        depth = max(_FIRST_SCREEN, len(opened) + int(extra))
        feed, scrolls = self._feed(rng, opened, depth)
        walk = _Walk(self._table, log, feed, self._settings.pace_seconds)
        for event in log.events:
            reason = walk.follow(event)
            if reason is not None:
                self.no_effect[reason] += 1
        walk.leave(scrolls * layout.scroll_step())
        for step in walk.steps:
            (self.imputed if step.imputed else self.recorded)[step.action.label] += 1
            self.visits += step.imputed and step.action is Action.ENTER_DETAIL
        self.purchases_without_cart += walk.purchases_without_cart
        ids = tuple(self._table.items[row].item_id for row in feed)
        steps = tuple(walk.steps)
        session = Session(log.session_id, log.user_id, log.split, steps[0].timestamp, ids, steps)
        impressions = walk.shop.trajectory.impressions
        return ImputedSession(session, feed, [item for item in feed if item in impressions])

    def _feed(self, rng: np.random.Generator, opened: list[int], depth: int) -> tuple[list[int], int]:
        """The feed, and how many scrolls down it a shopper goes who sees about `depth` cards."""
        least = max(MIN_FEED, FEED_PER_SEEN * (depth + _SCREEN_SLACK))
        length = int(rng.integers(least, 2 * least))  # up to twice as long, so that its length tells nothing either
        feed = self._sampler.draw(rng, opened, length - len(opened))
        scrolls, seen = self._browse(feed, depth)
        slots = np.sort(rng.choice(max(seen, len(opened)), size=len(opened), replace=False))
        for slot, item in zip(slots.tolist(), opened, strict=True):
            feed.insert(slot, item)
        return feed, scrolls

    def _browse(self, feed: Sequence[int], depth: int) -> tuple[int, int]:
        """Scrolls until `depth` cards of this feed have been half visible, and how many have been then."""
        middles = [box.y + box.h / 2 for box in _cards(self._table, feed[: depth + _SCREEN_SLACK])]
        scrolls = 0
        while True:
            bottom = scrolls * layout.scroll_step() + layout.VIEWPORT
            seen = sum(middle <= bottom for middle in middles)
            if seen >= min(depth, len(middles)):
                return scrolls, seen
            scrolls += 1


class _Walk:
    """A shopper on the way through the shop, leaving steps behind."""

    def __init__(self, table: ItemTable, log: LogSession, feed: Sequence[int], pace_seconds: float) -> None:
        self.shop = Shop(table, log.session_id, feed)
        self.steps: list[Step] = []
        self._items = table.items
        self._pace = timedelta(seconds=pace_seconds)
        last = max(feed.index(item) for item in log.opened)
        self._middles = {box.item: box.y + box.h / 2 for box in _cards(table, feed[: last + 1])}
        self.purchases_without_cart = 0
        self._deepest = 0
        self._pending: list[Event] = []
        """Filled-in steps since the last event of the log; they get their times from the next."""
        self._last: datetime | None = None

    def follow(self, event: LogEvent) -> str | None:
        """Does an event of the log and what must come before it, or says why there is nothing to do."""
        here = self.shop.item == event.item
        if event.kind is Kind.VIEW:
            if here:
                return "view of the item already open"
            self._reach(event.item)
            self._record(Action.ENTER_DETAIL, event)
            return None
        if event.kind is Kind.CART and event.item in self.shop.carted:
            return "cart of an item carted before"
        if event.kind is Kind.PURCHASE and event.item in self.shop.bought:
            return "purchase of an item bought before"
        if not here:
            self._reach(event.item)
            self._fill(Action.ENTER_DETAIL, event.item)
        self.purchases_without_cart += event.kind is Kind.PURCHASE and event.item not in self.shop.carted
        self._record(Action.ADD_TO_CART if event.kind is Kind.CART else Action.PURCHASE, event)
        return None

    def leave(self, offset: int) -> None:
        """Browses the feed down to this offset, where the shopper has not been there yet, and leaves."""
        if self._deepest < offset:
            self._to_feed()
            while self.shop.scroll < offset and self.shop.judge(Action.SCROLL_DOWN)[0] is not None:
                self._fill(Action.SCROLL_DOWN)
        self._fill(Action.TERMINATE)
        assert self._last is not None
        for i, event in enumerate(self._pending, start=1):
            self.steps.append(self._step(event, self._last + i * self._pace, imputed=True))

    def _reach(self, item: int) -> None:
        """Goes back to the feed and scrolls until at least half of the item's card shows."""
        self._to_feed()
        middle = self._middles[item]
        while middle > self.shop.scroll + layout.VIEWPORT:
            self._fill(Action.SCROLL_DOWN)
        while middle < self.shop.scroll:
            self._fill(Action.SCROLL_UP)

    def _to_feed(self) -> None:
        if self.shop.page is not Page.FEED:
            self._fill(Action.BACK)

    def _do(self, action: Action, item: int = -1) -> Event:
        event = self.shop.follow(action, item)
        assert event.effect is action, f"{action.label} of {item}: {event.invalid}"
        if self.shop.page is Page.FEED:
            self._deepest = max(self._deepest, self.shop.scroll)
        return event

    def _fill(self, action: Action, item: int = -1) -> None:
        self._pending.append(self._do(action, item))

    def _record(self, action: Action, cause: LogEvent) -> None:
        """Does what the log holds, and gives the steps filled in before it their times."""
        event = self._do(action, cause.item)
        n = len(self._pending) + 1
        pace = self._pace if self._last is None else (cause.time - self._last) / n
        for i, pending in enumerate(self._pending, start=1):
            self.steps.append(self._step(pending, cause.time - (n - i) * pace, imputed=True))
        self.steps.append(self._step(event, cause.time, imputed=False))
        self._pending = []
        self._last = cause.time

    def _step(self, event: Event, time: datetime, imputed: bool) -> Step:
        assert event.action is not None
        x, y = event.point or _BUTTONS.get(event.action) or (None, None)
        return Step(
            action=event.action,
            page=event.page,
            scroll=event.scroll,
            timestamp=time,
            item_id=self._items[event.item].item_id if event.item >= 0 else None,
            x=x,
            y=y,
            imputed=imputed,
        )


def _cards(table: ItemTable, feed: Sequence[int]) -> list[layout.Box]:
    waterfall = layout.Waterfall()
    for item in feed:
        waterfall.append(item, table.aspect(item))
    return waterfall.boxes


def _generator(seed: int, session_id: str) -> np.random.Generator:
    digest = blake2b(session_id.encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "big")])


def split_of(user_id: str, seed: int) -> str:
    """The split of a user, 80/10/10, by a hash of the seed and the id: no user is in two (SPEC 3)."""
    digest = blake2b(f"{seed}:{user_id}".encode(), digest_size=8).digest()
    share = int.from_bytes(digest, "big") / 2**64
    return "train" if share < 0.8 else "validation" if share < 0.9 else "test"
