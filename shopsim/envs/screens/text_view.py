"""A screen as text: what an agent without eyes reads (SPEC 2.2).

An indented accessibility tree of what can be seen and no more: what is cut off by the edge of the viewport
is left out, a title ends where it ends on the card, and pictures stay pictures (colour, pattern and shape are for
those who look). What reacts carries the middle of its visible part in thousandths of the screen, in the wire
format of an answer's point.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache

from shopsim.data.vocabulary import Page
from shopsim.envs.layout import BOTTOM, BUTTONS, CARD_WIDTH, TOP, Box
from shopsim.envs.screens import pages
from shopsim.envs.screens.lines import joined
from shopsim.envs.screens.pages import Element
from shopsim.envs.screens.words import words_of
from shopsim.envs.shop import Place, Shop

_BUTTONS = frozenset(box.kind for buttons in BUTTONS.values() for box in buttons)
_BARS = frozenset({"search", "heading", "cart_icon", "shop_icon", "chat_icon"})
_QUOTED = frozenset({"title", "description", "review", "search", "heading", "icon"})
_NAMES = {"meta": "rating", "old_price": "old price", "cart_icon": "cart", "shop_icon": "icon", "chat_icon": "icon"}
"""What kinds are called here, where their own name says little."""
_MOSTLY = 0.6
"""A line or a picture counts as seen when this share of it shows."""


def text_view(elements: Iterable[Element]) -> str:
    """The elements of a page model as text, one thing a line, parts indented under their whole.

    For example::

        search "Search products"
        card [250, 272] partly hidden
          picture
          title "Organic cotton crew-neck"
    """
    return "\n".join(line for element in elements for line in _written(element))


class TextView:
    """Writes screens of shops over one data set, as `text_view` writes their page models.

    Bars, pages and cards are written when they first show and kept; one view may serve any number of shops.
    """

    def __init__(self, dataset: pages.ItemSource) -> None:
        self._dataset = dataset
        self._words = words_of(dataset.locale)
        self._bars: dict[tuple[object, ...], tuple[str, str]] = {}
        self._content = lru_cache(maxsize=4096)(self._write_content)
        self._card = lru_cache(maxsize=2048)(self._read_card)

    def __deepcopy__(self, memo: object) -> "TextView":
        return self  # serves a copied environment as well

    def screen(self, shop: Shop) -> str:
        """What the phone shows now."""
        top, bottom = self._both_bars(shop)
        return f"{top}\n{self._content(shop.place)}\n{bottom}"

    def _both_bars(self, shop: Shop) -> tuple[str, str]:
        page, item, in_cart = shop.page, shop.item, len(shop.cart)
        key = page, in_cart, item in shop.carted, item in shop.bought
        if key not in self._bars:
            bars = pages.top_bar(self._words, page, in_cart), pages.bottom_bar(self._words, shop)
            self._bars[key] = text_view(bars[0]), text_view(bars[1])
        return self._bars[key]

    def _write_content(self, place: Place) -> str:
        if place.page is not Page.FEED:
            return text_view(pages.page_content(self._dataset, place.page, place.item, place.scroll))
        shown = zip(place.whole_cards, place.cards, strict=True)
        return "\n".join(
            [_title(whole, seen) + self._card(whole.item, whole.h).parts_at(whole.y) for whole, seen in shown]
        )

    def _read_card(self, item: int, height: int) -> "_Card":
        return _Card(pages.card(self._dataset, Box("card", 0, 0, CARD_WIDTH, height, item)))


class _Card:
    """The parts of one item's card as text, for every way in which the viewport cuts it."""

    def __init__(self, card: Element) -> None:
        """`card` stands at the origin."""
        self._parts = card.children
        rows = [row for part in self._parts for row in _rows(part)]
        least = [math.ceil(_MOSTLY * height) for _, height in rows]
        # A row is seen (`_seen`) from the first to before the second of these tops of the card.
        pairs = [(TOP - top - h + seen, BOTTOM - top - seen + 1) for (top, h), seen in zip(rows, least, strict=True)]
        self._changes = sorted({y for pair in pairs for y in pair})
        self._texts: list[str | None] = [None] * (len(self._changes) + 1)

    def parts_at(self, y: int) -> str:
        """What shows of the card when its top is at `y`."""
        cut = bisect_right(self._changes, y)
        text = self._texts[cut]
        if text is None:
            moved = (part._replace(box=part.box.moved(y)) for part in self._parts)
            text = self._texts[cut] = "".join(f"\n  {line}" for part in moved for line in _written(part))
        return text


def _written(element: Element) -> Iterator[str]:
    box, kind = element.box, element.kind
    name = "heading" if kind.endswith("_header") else _NAMES.get(kind, kind)
    if kind == "card":
        yield _title(box, box.clipped())
        for part in element.children:
            yield from ("  " + line for line in _written(part))
    elif kind in _BUTTONS:
        text = f'"{element.lines[0]}"' if element.lines else name
        yield f"button {text} {_point(box)}" + ("" if element.active else " disabled")
    elif kind.startswith("tab_"):
        yield f'tab "{element.lines[0]}"' + _bubble(element) + (" selected" if element.active else "")
    elif kind == "picture":
        if _seen(box.y, box.h):
            yield " ".join((name, *element.lines))
    elif kind != "status" and (text := _text(element, name) + _bubble(element)):
        yield f"{name} {text.strip()}"


def _text(element: Element, name: str) -> str:
    """The stars and lines that show."""
    rows = list(_rows(element))
    text = []
    if element.rating is not None and _seen(*rows.pop(0)):
        text.append(f"{round(element.rating, 1)} stars")
    kept = element.kind in _BARS
    lines = [line for line, row in zip(element.lines, rows, strict=True) if kept or _seen(*row)]
    if name in _QUOTED and lines:
        text.append(f'"{joined(lines)}"')
    else:
        text += lines
    return (": " if element.kind == "attribute" else ", ").join(text)


def _rows(element: Element) -> Iterator[tuple[int, int]]:
    """Top and height of what shows or not by itself: the picture, or the stars and then each line."""
    box = element.box
    if element.kind == "picture":
        yield box.y, box.h
        return
    if element.rating is not None:
        yield box.y, element.lead or box.h
    for i in range(len(element.lines)):
        yield box.y + element.lead + i * element.line_height, element.line_height or box.h


def _title(whole: Box, seen: Box) -> str:
    return f"card {_point(seen)}" + (" partly hidden" if seen.h < whole.h else "")


def _bubble(element: Element) -> str:
    return f" ({element.badge})" if element.badge else ""


def _seen(top: float, height: float) -> bool:
    return min(top + height, BOTTOM) - max(top, TOP) >= _MOSTLY * height


def _point(box: Box) -> str:
    x, y = box.center()
    return f"[{round(1000 * x)}, {round(1000 * y)}]"
