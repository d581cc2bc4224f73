"""The shop as a state machine: pages, back stack, cart, what each action does (SPEC 2.1). No pixels, no Gymnasium.

Everything that decides what an action means is here, once; the environments, the replay check and the
benchmark's human replay all drive this class.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.layout import Box
from shopsim.envs.trajectory import Event, Invalid, Trajectory

Point = tuple[float, float]


class Catalog(Protocol):
    """What the state machine must know of items, by row. `shopsim.data.DataSet` provides it."""

    def aspect(self, item: int) -> int:
        """Code of the picture's shape, an index of `ASPECTS`."""

    def detail_counts(self, item: int) -> tuple[int, int]:
        """Number of attributes and of reviews."""


class Visit(NamedTuple):
    """One entry of the back stack."""

    page: Page
    scroll: int
    item: int


class Shop:
    """One session's state. `step` moves it; `trajectory` records it.

    Args:
        catalog: Item facts by row.
        session_id: Written into the trajectory.
        feed: Item rows in feed order.
        extend: Called with the items shown so far when the feed runs out; returns more rows, or nothing when
            there are none. The feed ends where it returns nothing.
        scroll_step: Distance of one scroll in logical units.
    """

    def __init__(
        self,
        catalog: Catalog,
        session_id: str,
        feed: Sequence[int],
        extend: Callable[[Sequence[int]], Sequence[int]] | None = None,
        scroll_step: int = layout.scroll_step(),
    ) -> None:
        self._catalog = catalog
        self._extend = extend
        self._step = scroll_step
        self.feed: list[int] = []
        self._waterfall = layout.Waterfall()
        self._stack: list[Visit] = []
        self.page = Page.FEED
        self.scroll = 0
        self.item = -1
        """The open item on preview and detail, -1 on the feed."""
        self.cart: dict[int, None] = {}
        """Items in the cart, in order."""
        self.carted: set[int] = set()
        """Items ever put into the cart."""
        self.bought: set[int] = set()
        self.trajectory = Trajectory(session_id)
        self._append(feed)
        self._arrive()

    # What is on the screen

    def cards(self) -> list[Box]:
        """Cards on the screen, clipped to the viewport, in feed order; empty off the feed."""
        if self.page is not Page.FEED:
            return []
        return [box.clipped() for box in self._waterfall.between(self.scroll)]

    def whole_cards(self) -> list[Box]:
        """Cards on the screen as `cards`, but not clipped: what a renderer draws."""
        return list(self._waterfall.between(self.scroll)) if self.page is Page.FEED else []

    def targets(self) -> list[Box]:
        """Everything a click can hit on this screen: cards or buttons, clipped to what shows."""
        return self.cards() or list(layout.BUTTONS[self.page.label])

    def target_at(self, point: Point) -> Box | None:
        """What a click at this point (shares of the screen) would hit."""
        x, y = point[0] * layout.WIDTH, point[1] * layout.HEIGHT
        return next((box for box in self.targets() if box.contains(x, y)), None)

    def point_of(self, item: int) -> Point | None:
        """Middle of the visible part of this item's card, None when it does not show."""
        card = next((box for box in self.cards() if box.item == item), None)
        return card.center() if card else None

    def content_height(self) -> int:
        """Height of the current page's content in logical units."""
        if self.page is Page.FEED:
            return self._waterfall.height
        if self.page is Page.DETAIL:
            return layout.detail_height(*self._catalog.detail_counts(self.item))
        return layout.VIEWPORT

    # What actions do

    def action_mask(self) -> list[bool]:
        """For each of the eight actions, whether some point makes it effective now."""
        feed, preview = self.page is Page.FEED, self.page is Page.PREVIEW
        return [
            self._scroll_target(+1) != self.scroll,
            self._scroll_target(-1) != self.scroll,
            bool(self.cards()) if feed else True,
            bool(self.cards()) if feed else preview,
            not feed,
            not feed and self.item not in self.carted,
            not feed and self.item not in self.bought,
            True,
        ]

    def judge(self, action: Action | None, point: Point | None = None) -> tuple[Action | None, int, Invalid | None]:
        """What an action would do now, without doing it: (effect, item, invalid)."""
        if action is None:
            return None, -1, Invalid.UNPARSED
        if action is Action.TERMINATE:
            return action, -1, None
        if action in (Action.SCROLL_DOWN, Action.SCROLL_UP):
            moved = self._scroll_target(+1 if action is Action.SCROLL_DOWN else -1) != self.scroll
            return (action, -1, None) if moved else (None, -1, Invalid.SCROLL_END)
        on_feed = self.page is Page.FEED
        if action is Action.CLICK or (action is Action.ENTER_DETAIL and on_feed):
            return self._judge_point(action, point)
        if on_feed or (action is Action.ENTER_DETAIL and self.page is Page.DETAIL):
            return None, -1, Invalid.NOT_HERE
        return self._judge_open(action)

    def step(self, action: Action | None, point: Point | None = None) -> Event:
        """Does an action (or, where it is invalid, nothing) and records it.

        Args:
            action: One of the eight, or None for an answer that could not be parsed.
            point: Shares of the screen; needed by `click`, and by `enter_detail` on the feed.
        """
        effect, item, invalid = self.judge(action, point)
        event = Event(
            len(self.trajectory), self.page, self.scroll, action, effect, item, invalid, self._used(action, point)
        )
        self.trajectory.events.append(event)
        if effect is not None:
            self._apply(effect, item)
        return event

    def follow(self, effect: Action, item: int = -1) -> Event:
        """Does a recorded effect by its item rather than by a point, as replay does (SPEC 2.3).

        The event says why where the effect is not possible here; then nothing has changed.
        """
        point = None
        if effect is Action.CLICK or (effect is Action.ENTER_DETAIL and self.page is Page.FEED):
            # A point outside every card reads as "no target", which is what a card out of sight is.
            point = self.point_of(item) or (0.5, (layout.STATUS_HEIGHT / 2) / layout.HEIGHT)
        elif self.item != item and effect in (Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE):
            return Event(len(self.trajectory), self.page, self.scroll, effect, None, item, Invalid.NOT_HERE)
        if effect is Action.CLICK and self.page is not Page.FEED:
            return Event(len(self.trajectory), self.page, self.scroll, effect, None, item, Invalid.NOT_HERE)
        return self.step(effect, point)

    # Inner workings

    def _used(self, action: Action | None, point: Point | None) -> Point | None:
        takes = action is Action.CLICK or (action is Action.ENTER_DETAIL and self.page is Page.FEED)
        return point if takes else None

    def _judge_point(self, action: Action, point: Point | None) -> tuple[Action | None, int, Invalid | None]:
        # Written so that NaN fails the comparison.
        if point is None or not all(math.isfinite(v) and 0.0 <= v <= 1.0 for v in point):
            return None, -1, Invalid.OFF_SCREEN
        box = self.target_at(point)
        if box is None:
            return None, -1, Invalid.NO_TARGET
        if box.kind == "card":
            return action, box.item, None
        if box.kind == "back":
            return Action.BACK, -1, None
        if box.kind == "details":
            return Action.ENTER_DETAIL, self.item, None
        return self._judge_open(Action[box.kind.upper()])

    def _judge_open(self, action: Action) -> tuple[Action | None, int, Invalid | None]:
        """Actions on the open item; the page is preview or detail."""
        if action is Action.BACK:
            return action, -1, None
        done = {Action.ADD_TO_CART: self.carted, Action.PURCHASE: self.bought}.get(action, ())
        return (None, self.item, Invalid.ALREADY_DONE) if self.item in done else (action, self.item, None)

    def _apply(self, effect: Action, item: int) -> None:
        if effect in (Action.SCROLL_DOWN, Action.SCROLL_UP):
            self.scroll = self._scroll_target(+1 if effect is Action.SCROLL_DOWN else -1)
            self._arrive()
        elif effect is Action.CLICK:
            self._open(Page.PREVIEW, item)
        elif effect is Action.ENTER_DETAIL:
            self._open(Page.DETAIL, item)
        elif effect is Action.BACK:
            self.page, self.scroll, self.item = self._stack.pop()
        elif effect is Action.ADD_TO_CART:
            self.cart[item] = None
            self.carted.add(item)
        elif effect is Action.PURCHASE:
            self.cart.pop(item, None)
            self.bought.add(item)

    def _open(self, page: Page, item: int) -> None:
        self._stack.append(Visit(self.page, self.scroll, self.item))
        self.page, self.scroll, self.item = page, 0, item

    def _scroll_target(self, direction: int) -> int:
        return layout.scrolled(self.scroll, direction, self.content_height(), self._step)

    def _arrive(self) -> None:
        """Fills the feed one scroll ahead (so that its end is known) and counts impressions."""
        if self.page is not Page.FEED:
            return
        while self._waterfall.filled < self.scroll + self._step + layout.VIEWPORT and self._extend is not None:
            more = self._extend(self.feed)
            if not more:
                self._extend = None
                break
            self._append(more)
        for card in self._waterfall.between(self.scroll):
            if layout.is_impression(card):
                self.trajectory.impressions.setdefault(card.item)

    def _append(self, items: Sequence[int]) -> None:
        for item in items:
            self.feed.append(item)
            self._waterfall.append(item, self._catalog.aspect(item))
