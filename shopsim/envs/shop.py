"""The shop as a state machine: pages, back stack, cart, what each action does (SPEC 2.1). No pixels, no Gymnasium.

Everything that decides what an action means is here, once; the environments, the replay check and the
benchmark's human replay all drive this class.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from threading import Lock
from typing import Protocol

from shopsim.data.vocabulary import ACTION_BY_LABEL, Action, Page
from shopsim.envs import layout
from shopsim.envs.layout import Box
from shopsim.envs.trajectory import Event, Invalid, Trajectory

Point = tuple[float, float]

_DOWN, _UP, _CLICK, _ENTER, _BACK, _CART, _BUY, _LEAVE = Action
_FEED, _PREVIEW, _DETAIL = Page
_new = tuple.__new__
_BUTTONS = {page: layout.BUTTONS[page.label] for page in Page}


class Catalog(Protocol):
    """What the state machine must know of items, by row. `shopsim.data.DataSet` provides it."""

    def aspect(self, item: int) -> int:
        """Code of the picture's shape, an index of `ASPECTS`."""

    def detail_counts(self, item: int) -> tuple[int, int]:
        """Number of attributes and of reviews."""


class Place:
    """Somewhere in a shop: a page, how far it is scrolled, the item open on it.

    `place` makes them and makes equal ones once, so what belongs to a place can be kept under the place itself.
    """

    def __init__(
        self, page: Page, scroll: int, item: int, whole_cards: tuple[Box, ...], below: int, above: int
    ) -> None:
        self.page, self.scroll, self.item = page, scroll, item
        self.whole_cards = whole_cards
        self.below, self.above = below, above

    @cached_property
    def cards(self) -> tuple[Box, ...]:
        """The cards as far as they show."""
        return tuple([box.clipped() for box in self.whole_cards])

    @cached_property
    def targets(self) -> tuple[Box, ...]:
        """Everything a click can hit here: cards or buttons, as far as they show."""
        return self.cards or _BUTTONS[self.page]

    @cached_property
    def impressions(self) -> dict[int, None]:
        """Items whose card is at least half visible."""
        return {box.item: None for box in self.whole_cards if layout.is_impression(box)}

    @cached_property
    def _edges(self) -> list[tuple[int, int, int, int, Box]]:
        return [(box.x, box.y, box.x + box.w, box.y + box.h, box) for box in self.targets]

    def __deepcopy__(self, memo: object) -> "Place":
        return self  # it never changes

    def target_at(self, point: Point) -> Box | None:
        """What a click at this point (shares of the screen) would hit."""
        x, y = point[0] * layout.WIDTH, point[1] * layout.HEIGHT
        for left, top, right, bottom, box in self._edges:
            if left <= x < right and top <= y < bottom:
                return box
        return None


@lru_cache(maxsize=4096)
def place(page: Page, scroll: int, item: int, whole_cards: tuple[Box, ...], below: int, above: int) -> Place:
    """The place that is like this.

    Args:
        page: The page.
        scroll: Its offset in logical units.
        item: The open item on preview and detail, -1 on the feed.
        whole_cards: The feed's cards that show, in screen units, not clipped.
        below, above: The offsets after one scroll down and up; `scroll` itself at the page's ends.
    """
    return Place(page, scroll, item, whole_cards, below, above)


def possible(place: Place, carted: bool, bought: bool) -> list[bool]:
    """For each of the eight actions, whether some point makes it effective there.

    Args:
        place: Where the shopper is.
        carted, bought: Whether the open item was put into the cart, and bought.
    """
    feed, preview = place.page is _FEED, place.page is _PREVIEW
    cards = bool(place.whole_cards)
    return [
        place.below != place.scroll,
        place.above != place.scroll,
        cards if feed else True,
        cards if feed else preview,
        not feed,
        not feed and not carted,
        not feed and not bought,
        True,
    ]


_laying_out = Lock()


class Aisle:
    """A feed, laid out as far as somebody has scrolled. It never changes otherwise, so shops and threads may share it.

    Args:
        catalog: Item facts by row.
        feed: Item rows in feed order.
        scroll_step: Distance of one scroll in logical units.
    """

    def __init__(self, catalog: Catalog, feed: Sequence[int], scroll_step: int) -> None:
        self._catalog = catalog
        self._step = scroll_step
        self.feed = list(feed)
        self._ends = False
        self._waterfall = layout.Waterfall()
        self._places: dict[int, Place] = {}

    @property
    def height(self) -> int:
        """Height of what is laid out, in logical units."""
        return self._waterfall.height

    def place(self, scroll: int) -> Place | None:
        """The place at an offset; None where that depends on how the feed goes on.

        It takes the items up to one scroll further down, so that the feed's end is known before the shopper gets there.
        """
        found = self._places.get(scroll)
        if found is not None:
            return found
        with _laying_out:
            return self._lay_out(scroll)

    def _lay_out(self, scroll: int) -> Place | None:
        waterfall, feed = self._waterfall, self.feed
        while waterfall.filled < scroll + self._step + layout.VIEWPORT:
            if len(waterfall.boxes) == len(feed):
                if self._ends:
                    break
                return None
            item = feed[len(waterfall.boxes)]
            waterfall.append(item, self._catalog.aspect(item))
        scrolls = _scrolls(scroll, waterfall.height, self._step)
        found = self._places[scroll] = place(_FEED, scroll, -1, tuple(waterfall.between(scroll)), *scrolls)
        return found

    def continued(self, more: Sequence[int]) -> "Aisle":
        """The same with these items behind its last; with none it ends there."""
        longer = Aisle(self._catalog, [*self.feed, *more], self._step)
        longer._ends = not more
        longer._waterfall = self._waterfall.copy()
        longer._places = self._places.copy()
        return longer


def _scrolls(scroll: int, height: int, step: int) -> tuple[int, int]:
    return layout.scrolled(scroll, +1, height, step), layout.scrolled(scroll, -1, height, step)


class Shop:
    """One session's state. `step` moves it; `trajectory` records it.

    Args:
        catalog: Item facts by row.
        session_id: Written into the trajectory.
        feed: Item rows in feed order, or a feed that is laid out with this catalog and distance.
        extend: Called with the items shown so far when the feed runs out; returns more rows, or nothing when
            there are none. The feed ends where it returns nothing.
        scroll_step: Distance of one scroll in logical units.
    """

    def __init__(
        self,
        catalog: Catalog,
        session_id: str,
        feed: Sequence[int] | Aisle,
        extend: Callable[[Sequence[int]], Sequence[int]] | None = None,
        scroll_step: int = layout.scroll_step(),
    ) -> None:
        self._catalog = catalog
        self._extend = extend
        self._step = scroll_step
        self._aisle = feed if isinstance(feed, Aisle) else Aisle(catalog, feed, scroll_step)
        self._places: dict[tuple[bool, int, int], Place] = {}
        self._stack: list[Place] = []
        self.cart: dict[int, None] = {}
        """Items in the cart, in order."""
        self.carted: set[int] = set()
        """Items ever put into the cart."""
        self.bought: set[int] = set()
        self.deals = 0
        """How often something was put into the cart or bought: with `place`, all that can differ on a screen."""
        self.trajectory = Trajectory(session_id)
        self.place: Place
        """Where the shopper is."""
        self._go_to(_FEED, 0, -1)

    # What is on the screen

    @property
    def feed(self) -> list[int]:
        """Item rows of the feed as far as it is known. Not to be changed."""
        return self._aisle.feed

    @property
    def page(self) -> Page:
        """The current page."""
        return self.place.page

    @property
    def scroll(self) -> int:
        """Its offset in logical units."""
        return self.place.scroll

    @property
    def item(self) -> int:
        """The open item on preview and detail, -1 on the feed."""
        return self.place.item

    def cards(self) -> tuple[Box, ...]:
        """Cards on the screen, clipped to the viewport, in feed order; empty off the feed."""
        return self.place.cards

    def whole_cards(self) -> tuple[Box, ...]:
        """Cards on the screen as `cards`, but not clipped: what a renderer draws."""
        return self.place.whole_cards

    def targets(self) -> tuple[Box, ...]:
        """Everything a click can hit on this screen: cards or buttons, clipped to what shows."""
        return self.place.targets

    def target_at(self, point: Point) -> Box | None:
        """What a click at this point (shares of the screen) would hit."""
        return self.place.target_at(point)

    def point_of(self, item: int) -> Point | None:
        """Middle of the visible part of this item's card, None when it does not show."""
        card = next((box for box in self.place.cards if box.item == item), None)
        return card.center() if card else None

    def content_height(self) -> int:
        """Height of the current page's content in logical units; of a feed, what is laid out so far."""
        return self._height_of(self.page, self.item)

    # What actions do

    def action_mask(self) -> list[bool]:
        """For each of the eight actions, whether some point makes it effective now."""
        item = self.place.item
        return possible(self.place, item in self.carted, item in self.bought)

    def judge(self, action: Action | None, point: Point | None = None) -> tuple[Action | None, int, Invalid | None]:
        """What an action would do now, without doing it: (effect, item, invalid)."""
        return self._judge_point(action, point) if self._aims(action) else self._judge_plain(action)

    def step(self, action: Action | None, point: Point | None = None) -> Event:
        """Does an action (or, where it is invalid, nothing) and records it.

        Args:
            action: One of the eight, or None for an answer that could not be parsed.
            point: Shares of the screen; needed by `click`, and by `enter_detail` on the feed.
        """
        place, events = self.place, self.trajectory.events
        aims = self._aims(action)
        effect, item, invalid = self._judge_point(action, point) if aims else self._judge_plain(action)
        # As `Event(...)`, which goes through a Python function of its own.
        fields = len(events), place.page, place.scroll, action, effect, item, invalid, point if aims else None
        event = _new(Event, fields)
        events.append(event)
        if effect is not None:
            self._apply(effect, item)
        return event

    def follow(self, effect: Action, item: int = -1) -> Event:
        """Does a recorded effect by its item rather than by a point, as replay does (SPEC 2.3).

        The event says why where the effect is not possible here; then nothing has changed.
        """
        point, place = None, self.place
        if effect is _CLICK or (effect is _ENTER and place.page is _FEED):
            # A point outside every card reads as "no target", which is what a card out of sight is.
            point = self.point_of(item) or (0.5, (layout.STATUS_HEIGHT / 2) / layout.HEIGHT)
        elif place.item != item and effect in (_ENTER, _CART, _BUY):
            return Event(len(self.trajectory), place.page, place.scroll, effect, None, item, Invalid.NOT_HERE)
        if effect is _CLICK and place.page is not _FEED:
            return Event(len(self.trajectory), place.page, place.scroll, effect, None, item, Invalid.NOT_HERE)
        return self.step(effect, point)

    # Inner workings

    def _aims(self, action: Action | None) -> bool:
        """Whether an action takes a point here."""
        return action is _CLICK or (action is _ENTER and self.place.page is _FEED)

    def _judge_plain(self, action: Action | None) -> tuple[Action | None, int, Invalid | None]:
        """Actions that take no point."""
        place = self.place
        if action is _DOWN or action is _UP:
            there = place.below if action is _DOWN else place.above
            return (action, -1, None) if there != place.scroll else (None, -1, Invalid.SCROLL_END)
        if action is _LEAVE:
            return action, -1, None
        if action is None:
            return None, -1, Invalid.UNPARSED
        if place.page is _FEED or (action is _ENTER and place.page is _DETAIL):
            return None, -1, Invalid.NOT_HERE
        return self._judge_open(action)

    def _judge_point(self, action: Action | None, point: Point | None) -> tuple[Action | None, int, Invalid | None]:
        # Written so that NaN fails the comparison.
        if point is None or not (0.0 <= point[0] <= 1.0 and 0.0 <= point[1] <= 1.0):
            return None, -1, Invalid.OFF_SCREEN
        box = self.place.target_at(point)
        if box is None:
            return None, -1, Invalid.NO_TARGET
        if box.kind == "card":
            return action, box.item, None
        if box.kind == "back":
            return _BACK, -1, None
        if box.kind == "details":
            return _ENTER, self.place.item, None
        return self._judge_open(ACTION_BY_LABEL[box.kind])

    def _judge_open(self, action: Action) -> tuple[Action | None, int, Invalid | None]:
        """Actions on the open item; the page is preview or detail."""
        if action is _BACK:
            return action, -1, None
        item = self.place.item
        if (action is _CART and item in self.carted) or (action is _BUY and item in self.bought):
            return None, item, Invalid.ALREADY_DONE
        return action, item, None

    def _apply(self, effect: Action, item: int) -> None:
        place = self.place
        if effect is _DOWN:
            self._go_to(place.page, place.below, place.item)
        elif effect is _UP:
            self._go_to(place.page, place.above, place.item)
        elif effect is _CLICK or effect is _ENTER:
            self._stack.append(place)
            self._go_to(_PREVIEW if effect is _CLICK else _DETAIL, 0, item)
        elif effect is _BACK:
            self.place = self._stack.pop()
        elif effect is _CART:
            self.cart[item] = None
            self.carted.add(item)
            self.deals += 1
        elif effect is _BUY:
            self.cart.pop(item, None)
            self.bought.add(item)
            self.deals += 1

    def _go_to(self, page: Page, scroll: int, item: int) -> None:
        where = page is _DETAIL, scroll, item  # quicker than the page, whose hash is a Python function
        place = self._places.get(where)
        if place is None:
            place = self._places[where] = self._make_place(page, scroll, item)
            self.trajectory.impressions.update(place.impressions)
        self.place = place

    def _make_place(self, page: Page, scroll: int, item: int) -> Place:
        if page is _FEED:
            return self._feed_place(scroll)
        return place(page, scroll, item, (), *_scrolls(scroll, self._height_of(page, item), self._step))

    def _feed_place(self, scroll: int) -> Place:
        found = self._aisle.place(scroll)
        while found is None:
            more = self._extend(self.feed) if self._extend is not None else ()
            self._aisle = self._aisle.continued(more)
            found = self._aisle.place(scroll)
        return found

    def _height_of(self, page: Page, item: int) -> int:
        if page is _FEED:
            return self._aisle.height
        if page is _DETAIL:
            return layout.detail_height(*self._catalog.detail_counts(item))
        return layout.VIEWPORT
