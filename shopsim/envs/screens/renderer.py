"""The fast renderer: whole screens put together from pieces that are painted once (SPEC 2.3).

A card, a page and a bar are painted by Pillow when they first show and kept as arrays; a screen is then a few
copies of rows into a fresh array.
"""

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from shopsim.data.records import Picture
from shopsim.data.vocabulary import Page
from shopsim.envs import layout
from shopsim.envs.layout import Box
from shopsim.envs.screens import pages
from shopsim.envs.screens.canvas import Canvas, Scale
from shopsim.envs.screens.fonts import require_chinese
from shopsim.envs.screens.painter import Painter
from shopsim.envs.screens.pictures.gallery import picture_image
from shopsim.envs.screens.theme import theme_of
from shopsim.envs.screens.words import words_of
from shopsim.envs.shop import Shop
from shopsim.errors import InputError

Pixels = NDArray[np.uint8]

_SMALLEST = 64
_COLUMN = layout.CARD_WIDTH + layout.MARGIN


class DrawableSource(pages.ItemSource, Protocol):
    """What the renderer needs of a data set. `shopsim.data.DataSet` provides it."""

    @property
    def path(self) -> Path:
        """The folder picture files are in."""


def require_drawable(dataset: DrawableSource, width: int, height: int) -> None:
    """Refuses what no renderer can draw.

    Raises:
        InputError: The screen is too small, or there is no font for the data set's locale.
    """
    if min(width, height) < _SMALLEST:
        raise InputError(f"a screen of {width}x{height} is too small; each side needs {_SMALLEST} pixels or more")
    if dataset.locale.startswith("zh"):
        require_chinese()


class _Kept:
    """Arrays by key, the least recently used given up first when they outgrow a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._room = most_bytes
        self._kept: dict[Hashable, Pixels] = {}

    def get(self, key: Hashable, make: Callable[[], Pixels]) -> Pixels:
        """The array of this key, made where it is not there."""
        found = self._kept.pop(key, None)
        if found is None:
            found = make()
            self._room -= found.nbytes
        self._kept[key] = found  # to the end: used last
        while self._room < 0 and len(self._kept) > 1:
            self._room += self._kept.pop(next(iter(self._kept))).nbytes
        return found


class Renderer:
    """Draws the screens of shops over one data set; one renderer may serve any number of them.

    Args:
        dataset: Where items come from.
        width, height: Size of the screen in pixels.
        theme: ``light`` or ``dark``.
        cache_mb: Memory for painted cards and pages.

    Raises:
        InputError: A size or theme that does not exist, or no font for the data set's locale.
    """

    def __init__(
        self,
        dataset: DrawableSource,
        width: int = layout.WIDTH,
        height: int = layout.HEIGHT,
        theme: str = "light",
        cache_mb: int = 128,
    ) -> None:
        require_drawable(dataset, width, height)
        self.width, self.height = width, height
        self._dataset = dataset
        self._words = words_of(dataset.locale)
        self._theme = theme_of(theme)
        self._scale = Scale(width / layout.WIDTH, height / layout.HEIGHT)
        self._painter = Painter(self._theme, self._picture)
        self._lanes = self._scale.x(layout.MARGIN), self._scale.x(layout.MARGIN + _COLUMN)
        """Left edges of the feed's two columns; each reaches to the next or to the end of the screen."""
        self._top, self._bottom = self._scale.y(layout.TOP), self._scale.y(layout.BOTTOM)
        self._kept = _Kept(cache_mb << 20)
        self._bars: dict[Hashable, Pixels] = {}
        self._blank = np.empty((self._bottom - self._top, width, 3), np.uint8)
        self._blank[:] = self._theme.page

    def begin(self) -> None:
        """Nothing to do: what is painted serves every episode."""

    def close(self) -> None:
        """Nothing to do."""

    def screen(self, shop: Shop) -> Pixels:
        """What the phone shows now: a fresh array (height, width, 3) of uint8."""
        out = np.empty((self.height, self.width, 3), np.uint8)
        out[: self._top] = self._top_bar(shop)
        out[self._bottom :] = self._bottom_bar(shop)
        view = out[self._top : self._bottom]
        if shop.page is Page.FEED:
            self._fill_feed(view, shop.whole_cards())
        else:
            strip = self._page(shop.page, shop.item)
            start = self._scale.y(shop.scroll)
            view[:] = strip[start : start + len(view)]
        return out

    def _fill_feed(self, view: Pixels, cards: Sequence[Box]) -> None:
        """Copies cards, each with the gap to its right and below it, and fills what they leave free."""
        left, middle = self._lanes
        view[:, :left] = self._blank[:, :left]
        lanes = view[:, left:middle], view[:, middle:]
        filled = [0, 0]
        for box in cards:
            column = box.x > layout.MARGIN
            lane, top = lanes[column], self._scale.y(box.y) - self._top
            card = self._card(box, lane.shape[1])
            if top > filled[column]:  # above the first card
                lane[filled[column] : top] = self._blank[filled[column] : top, : lane.shape[1]]
            lane[max(0, top) : top + len(card)] = card[max(0, -top) : len(view) - top]
            filled[column] = top + len(card)
        for lane, end in zip(lanes, filled, strict=True):
            if end < len(view):
                lane[end:] = self._blank[end:, : lane.shape[1]]

    def _card(self, box: Box, width: int) -> Pixels:
        """An item's card with the gaps beside it; a row more than needed where rounding may ask for one."""

        def paint() -> Pixels:
            height = box.h + layout.MARGIN + 1 / self._scale.sy
            canvas = Canvas(width / self._scale.sx, height, self._scale, self._theme.page)
            self._painter.paint(canvas, pages.card(self._dataset, box._replace(x=0, y=0)))
            return canvas.array()

        return self._kept.get(("card", box.item, width), paint)

    def _page(self, page: Page, item: int) -> Pixels:
        """The content of an item's preview or detail page, from its top to its end."""

        def paint() -> Pixels:
            if page is Page.PREVIEW:
                elements, top, height = pages.preview(self._dataset, item), layout.TOP, layout.VIEWPORT
            else:
                shown = self._dataset.item(item)
                elements, top = pages.detail(self._dataset, item), 0
                height = layout.detail_height(len(shown.attributes), len(shown.reviews))
            # A row more than the content, for offsets whose rounding falls the other way.
            canvas = Canvas(layout.WIDTH, max(height, layout.VIEWPORT) + 2, self._scale, self._theme.surface, top)
            for element in elements:
                self._painter.paint(canvas, element)
            return canvas.array()

        return self._kept.get((page.label, item), paint)

    def _top_bar(self, shop: Shop) -> Pixels:
        in_cart = 0 if shop.page is Page.FEED else len(shop.cart)
        key = "top", shop.page, in_cart
        return self._bar(key, lambda: pages.top_bar(self._words, shop.page, in_cart), 0, layout.TOP)

    def _bottom_bar(self, shop: Shop) -> Pixels:
        if shop.page is Page.FEED:
            key: Hashable = "tabs", len(shop.cart)
        else:
            key = "buttons", shop.item in shop.carted, shop.item in shop.bought
        return self._bar(key, lambda: pages.bottom_bar(self._words, shop), layout.BOTTOM, layout.HEIGHT)

    def _bar(self, key: Hashable, elements: Callable[[], tuple[pages.Element, ...]], top: int, end: int) -> Pixels:
        if key not in self._bars:
            canvas = Canvas(layout.WIDTH, end - top, self._scale, self._theme.bar, top)
            line = layout.TOP - 1 if top == 0 else layout.BOTTOM
            canvas.rect(0, line, layout.WIDTH, 1, self._theme.hairline)
            for element in elements():
                self._painter.paint(canvas, element)
            self._bars[key] = canvas.array()
        return self._bars[key]

    def _picture(self, picture: Picture, width: int, height: int) -> Image.Image:
        return picture_image(self._dataset.path, picture, width, height)
