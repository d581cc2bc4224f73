"""The page layout, version 1: where everything is, in logical units of 320 x 608 (SPEC 2.3). Ours.

This file is the only place that knows positions. Both the state machine (what is under a point) and the
renderers (where to draw) read it, so a point means the same everywhere. Sizes depend on an item's picture
shape and on how many attributes and reviews it has, never on theme, locale, font or picture size. Changing
any number here makes a new `VERSION`, since recorded points and scroll offsets rest on it.

A screen has a fixed top (status bar and search or navigation bar), a viewport that scrolls, and a fixed
bottom (tabs on the feed, the two buttons on preview and detail)::

    y   0  +----------------------+
           | status bar           |
       24  | search / navigation  |
       64  +----------------------+  TOP
           | viewport, 500 high   |
      564  +----------------------+  BOTTOM
           | tabs / buttons       |
      608  +----------------------+
"""

from bisect import bisect_left
from functools import cache
from typing import NamedTuple

VERSION = 1

WIDTH, HEIGHT = 320, 608
STATUS_HEIGHT = 24
TOP, BOTTOM = 64, 564
VIEWPORT = BOTTOM - TOP

SCROLL_FRACTION = 0.8
"""Default share of the viewport that one scroll moves."""

MARGIN = 8
CARD_WIDTH = 148
PICTURE_HEIGHTS = (148, 197, 111)
"""Height of a card's picture for each of `shopsim.data.records.ASPECTS`."""
CARD_TEXT = 92
"""Height of the text block under a card's picture: two title lines, price, rating and sales, shop."""
MAX_CARD_HEIGHT = max(PICTURE_HEIGHTS) + CARD_TEXT

MAX_ATTRIBUTES = 12
MAX_REVIEWS = 10
"""Rows a detail page shows; an item may have more."""


class Box(NamedTuple):
    """A rectangle on the screen or in a page, in logical units. `item` is a row of the item table or -1."""

    kind: str
    x: int
    y: int
    w: int
    h: int
    item: int = -1
    slot: int = -1
    """For cards: position in the feed."""

    def contains(self, x: float, y: float) -> bool:
        """Whether the point lies inside (left and top edge included, right and bottom excluded)."""
        return self.x <= x < self.x + self.w and self.y <= y < self.y + self.h

    def clipped(self) -> "Box":
        """The part of a scrolling box that shows between `TOP` and `BOTTOM`."""
        kind, x, y, w, h, item, slot = self
        top, bottom = max(y, TOP), min(y + h, BOTTOM)
        return Box(kind, x, top, w, max(0, bottom - top), item, slot)

    def moved(self, dy: int) -> "Box":
        """The same box, lower by `dy`."""
        kind, x, y, w, h, item, slot = self
        return Box(kind, x, y + dy, w, h, item, slot)

    def center(self) -> tuple[float, float]:
        """The middle, as shares of the screen (0-1, 0-1)."""
        return (self.x + self.w / 2) / WIDTH, (self.y + self.h / 2) / HEIGHT


SEARCH_FIELD = Box("search", MARGIN, 28, WIDTH - 2 * MARGIN, 32)
TABS = tuple(Box(f"tab_{name}", 80 * i, BOTTOM, 80, 44) for i, name in enumerate(("home", "deals", "cart", "me")))

BACK_BUTTON = Box("back", 0, STATUS_HEIGHT, 44, 40)
CART_ICON = Box("cart_icon", 276, STATUS_HEIGHT, 44, 40)
CART_BUTTON = Box("add_to_cart", 92, BOTTOM + 4, 108, 36)
BUY_BUTTON = Box("purchase", 204, BOTTOM + 4, 108, 36)
SHOP_ICON = Box("shop_icon", 0, BOTTOM, 44, 44)
CHAT_ICON = Box("chat_icon", 44, BOTTOM, 44, 44)

# The preview fits one screen.
PREVIEW_PICTURE = Box("picture", 0, TOP, 320, 320)
PREVIEW_PRICE = Box("price", 12, 390, 296, 28)
PREVIEW_TITLE = Box("title", 12, 420, 296, 40)
PREVIEW_META = Box("meta", 12, 462, 296, 20)
PREVIEW_SHOP = Box("shop", 12, 484, 296, 20)
DETAILS_BUTTON = Box("details", 12, 514, 296, 40)

# The detail page scrolls; these y are offsets in its content.
DETAIL_PICTURE = Box("picture", 0, 0, 320, 320)
DETAIL_PRICE = Box("price", 12, 324, 296, 32)
DETAIL_TITLE = Box("title", 12, 358, 296, 58)
DETAIL_META = Box("meta", 12, 418, 296, 24)
DETAIL_SHOP = Box("shop", 0, 444, 320, 48)
_SECTIONS_START = 496
SECTION_HEADER = 32
ATTRIBUTE_ROW = 24
DESCRIPTION_HEIGHT = 72
REVIEW_HEIGHT = 72
_DETAIL_PADDING = 16

BUTTONS = {
    "feed": (),
    "preview": (BACK_BUTTON, DETAILS_BUTTON, CART_BUTTON, BUY_BUTTON),
    "detail": (BACK_BUTTON, CART_BUTTON, BUY_BUTTON),
}
"""What a click can press on each page, besides cards. The kinds are action labels, plus ``details``."""


def detail_sections(n_attributes: int, n_reviews: int) -> list[Box]:
    """Boxes of a detail page below its head, in content units: headers, attribute rows, description, reviews.

    `slot` is the index of the attribute or review shown. The counts are capped at `MAX_ATTRIBUTES` and
    `MAX_REVIEWS`.
    """
    boxes = []
    y = _SECTIONS_START

    def put(kind: str, height: int, slot: int = -1) -> None:
        nonlocal y
        boxes.append(Box(kind, 12, y, WIDTH - 24, height, slot=slot))
        y += height

    put("attributes_header", SECTION_HEADER)
    for i in range(min(n_attributes, MAX_ATTRIBUTES)):
        put("attribute", ATTRIBUTE_ROW, i)
    put("description_header", SECTION_HEADER)
    put("description", DESCRIPTION_HEIGHT)
    put("reviews_header", SECTION_HEADER)
    for i in range(min(n_reviews, MAX_REVIEWS)):
        put("review", REVIEW_HEIGHT, i)
    return boxes


@cache
def detail_height(n_attributes: int, n_reviews: int) -> int:
    """Height of a detail page's content in logical units."""
    last = detail_sections(n_attributes, n_reviews)[-1]
    return last.y + last.h + _DETAIL_PADDING


def scroll_step(fraction: float = SCROLL_FRACTION) -> int:
    """Distance of one scroll in logical units (400 by default)."""
    return max(1, round(VIEWPORT * fraction))


def scrolled(scroll: int, direction: int, content_height: int, step: int) -> int:
    """The offset after one scroll.

    Offsets lie on the grid 0, step, 2 step, ... with the page's end as its last point, so going down and up
    again always returns to the same screen, also where the last scroll was clamped at the end.

    Args:
        scroll: Offset now.
        direction: +1 down, -1 up.
        content_height: Height of the page's content.
        step: Distance of one scroll.

    Returns:
        The new offset; equal to `scroll` when the page does not move.
    """
    end = max(0, content_height - VIEWPORT)
    if direction > 0:
        return min((scroll // step + 1) * step, end) if scroll < end else scroll
    return max(0, (scroll - 1) // step * step) if scroll > 0 else 0


class Waterfall:
    """The feed's two columns, filled in order, each card going to the shorter column (left on a tie).

    Boxes are in content units (y from 0 at the top of the feed). Since every card goes to the shorter column,
    tops never decrease along the feed, which is what lets `between` search by halving.
    """

    def __init__(self) -> None:
        self.boxes: list[Box] = []
        self._tops: list[int] = []
        self._ends = [MARGIN, MARGIN]

    def copy(self) -> "Waterfall":
        """One that can be filled further by itself."""
        made = Waterfall()
        made.boxes, made._tops, made._ends = self.boxes.copy(), self._tops.copy(), self._ends.copy()
        return made

    def append(self, item: int, aspect: int) -> None:
        """Adds the card of item row `item`, whose picture shape is ``ASPECTS[aspect]``."""
        column = 0 if self._ends[0] <= self._ends[1] else 1
        y = self._ends[column]
        height = PICTURE_HEIGHTS[aspect] + CARD_TEXT
        x = MARGIN + column * (CARD_WIDTH + MARGIN)
        self.boxes.append(Box("card", x, y, CARD_WIDTH, height, item, len(self.boxes)))
        self._tops.append(y)
        self._ends[column] = y + height + MARGIN

    @property
    def height(self) -> int:
        """Height of the content laid out so far."""
        return max(self._ends)

    @property
    def filled(self) -> int:
        """Offset down to which both columns are filled."""
        return min(self._ends)

    def between(self, scroll: int) -> list[Box]:
        """Cards that show at this offset, in feed order, moved to screen units and not yet clipped."""
        found, end = [], scroll + VIEWPORT
        for i in range(bisect_left(self._tops, scroll - MAX_CARD_HEIGHT), len(self.boxes)):
            kind, x, y, w, h, item, slot = self.boxes[i]
            if y >= end:
                break
            if y + h > scroll:
                found.append(Box(kind, x, y + TOP - scroll, w, h, item, slot))
        return found


def is_impression(card: Box) -> bool:
    """Whether at least half of a card (in screen units) shows (SPEC 1)."""
    return 2 * card.clipped().h >= card.h
