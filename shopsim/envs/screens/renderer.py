"""The fast renderer: whole screens put together from pieces that are painted once (SPEC 2.3).

A card, a page and a bar are painted by Pillow when they first show and kept as arrays; a screen is then a few
copies of rows into a fresh array. Importing this does not load Pillow.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from shopsim.data.vocabulary import Page
from shopsim.envs import layout
from shopsim.envs.layout import Box
from shopsim.envs.screens import pages
from shopsim.envs.screens.font_files import require_chinese
from shopsim.envs.screens.paint_cache import PaintCache
from shopsim.envs.screens.pieces import Piece
from shopsim.envs.screens.scale import Scale
from shopsim.envs.screens.theme import theme_of
from shopsim.envs.screens.words import words_of
from shopsim.envs.shop import Place, Shop
from shopsim.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from shopsim.envs.screens.easel import Easel

Pixels = NDArray[np.uint8]

_SMALLEST = 64
_LARGEST = 4096
"""A screen of 4096 x 4096 is 50 MB."""
_COLUMN = layout.CARD_WIDTH + layout.MARGIN
_SHARE_MB = 8
"""Memory that each user of a renderer adds: about what one session paints."""
_SLAB, _HUGE = 8 << 20, 2 << 20
"""Sizes of a stretch of memory for painted arrays, and of the system's large pages."""
_PIECE = 250
"""Height of the pieces in which a page's content is painted."""


class DrawableSource(pages.ItemSource, Protocol):
    """What the renderer needs of a data set. `shopsim.data.DataSet` provides it."""

    @property
    def path(self) -> "Path":
        """The folder picture files are in."""


def require_drawable(dataset: DrawableSource, width: int, height: int) -> None:
    """Refuses what no renderer can draw.

    Raises:
        InputError: The screen is too small, or there is no font for the data set's locale.
    """
    if min(width, height) < _SMALLEST:
        raise InputError(f"a screen of {width}x{height} is too small; each side needs {_SMALLEST} pixels or more")
    if max(width, height) > _LARGEST:
        raise InputError(f"a screen of {width}x{height} is too large; each side may have {_LARGEST} pixels at most")
    if dataset.locale.startswith("zh"):
        require_chinese()


_Area = tuple[slice, slice]
"""Rows and columns."""
_CardKey = tuple[str, int, int]
_Plan = tuple[list[tuple[_CardKey, Box, _Area, _Area]], list[tuple[_Area, _Area]]]
"""The cards of a feed, where each goes and which part of it; then the gaps, likewise."""


class _Slab(NamedTuple):
    """A stretch of memory and the keys of the arrays in it."""

    memory: NDArray[np.uint8]
    keys: list[Hashable]


class _Kept:
    """Arrays by key, the oldest given up first. Threads may share it.

    They lie side by side in few large stretches, which the system maps by pages of 2 MB where it can: to find the
    addresses of small ones costs as much as to read what is there.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, Pixels] = {}
        self._slabs: deque[_Slab] = deque()
        self._free = 0
        """Bytes left at the end of the last stretch."""
        self._lock = Lock()
        self.get = self._kept.get
        """The array of a key, or None."""

    def put(self, key: Hashable, pixels: Pixels, most_bytes: int) -> Pixels:
        """Keeps a copy of an array, read only, within some memory for all, and returns it."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                return kept
            size = pixels.nbytes
            if size > self._free or len(self._slabs[-1].memory) > most_bytes:
                self._add_slab(max(size, min(_SLAB, most_bytes // 4)))
            while len(self._slabs) > 1 and sum(len(memory) for memory, _ in self._slabs) > most_bytes:
                for old in self._slabs.popleft().keys:
                    del self._kept[old]
            memory, keys = self._slabs[-1]
            start = len(memory) - self._free
            kept = memory[start : start + size].reshape(pixels.shape)
            kept[:] = pixels
            kept.flags.writeable = False
            self._free -= size
            keys.append(key)
            self._kept[key] = kept
        return kept

    def _add_slab(self, size: int) -> None:
        memory = np.empty(size + _HUGE, np.uint8)
        start = -memory.ctypes.data % _HUGE
        self._slabs.append(_Slab(memory[start : start + size], []))
        self._free = size


class Renderer:
    """Draws the screens of shops over one data set; one renderer may serve any number of them.

    Args:
        dataset: Where items come from.
        width, height: Size of the screen in pixels.
        theme: ``light`` or ``dark``.
        cache_mb: Memory for painted cards and pages; see also `serve`.
        cache: Folder in which the first pieces are kept for other processes, None for no such folder.

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
        cache: str | PathLike[str] | None = None,
    ) -> None:
        require_drawable(dataset, width, height)
        self.width, self.height = width, height
        self._dataset = dataset
        self._words = words_of(dataset.locale)
        self._theme = theme_of(theme)
        self._scale = Scale(width / layout.WIDTH, height / layout.HEIGHT)
        self._easel: Easel | None = None
        self._disk = PaintCache(cache, self._theme, self._scale.sx, self._scale.sy) if cache is not None else None
        self._left, self._middle = self._scale.x(layout.MARGIN), self._scale.x(layout.MARGIN + _COLUMN)
        """Left edges of the cards in the feed's two columns."""
        self._widths = self._middle - self._left, width - self._middle
        """Of a card with the gap to its right."""
        self._top, self._bottom = self._scale.y(layout.TOP), self._scale.y(layout.BOTTOM)
        self._cache_mb = cache_mb
        self._served: WeakSet[object] = WeakSet()
        self.forget()
        self._tops: dict[tuple[Page, int], Pixels] = {}
        self._bottoms: dict[tuple[int, ...], Pixels] = {}
        self._plan = lru_cache(maxsize=1024)(self._plan_feed)
        row = np.empty((1, width, 3), np.uint8)
        row[:] = self._theme.page
        self._blank = np.broadcast_to(row, (self._bottom - self._top, width, 3))

    def __deepcopy__(self, memo: object) -> "Renderer":
        return self  # serves a copied environment as well

    def forget(self) -> None:
        """Gives up painted cards and pages."""
        self._kept = _Kept()

    def serve(self, user: object) -> None:
        """Takes some more memory for one more who draws here, as long as it lives."""
        self._served.add(user)

    def begin(self) -> None:
        """Nothing to do: what is painted serves every episode."""

    def close(self) -> None:
        """Nothing to do."""

    def screen(self, shop: Shop, out: Pixels | None = None) -> Pixels:
        """What the phone shows now (height, width, 3): in `out`, or in a fresh array of uint8."""
        if out is None:
            out = np.empty((self.height, self.width, 3), np.uint8)
        place = shop.place
        out[: self._top] = self._top_bar(shop)
        out[self._bottom :] = self._bottom_bar(shop)
        if place.page is Page.FEED:
            cards, gaps = self._plan(place)
            for key, box, to, of in cards:
                out[to] = self._card(key, box)[of]
            for to, of in gaps:
                out[to] = self._blank[of]
        else:
            self._fill_page(out[self._top : self._bottom], place)
        return out

    def _plan_feed(self, place: Place) -> _Plan:
        """What goes where: cards, each with the gaps beside and below it, and what they leave free."""
        y, left, middle = self._scale.y, self._left, self._middle
        lanes = slice(0, middle), slice(middle, self.width)
        parts = slice(0, middle), slice(left, None)
        end = self._bottom
        filled = [self._top, self._top]
        cards: list[tuple[_CardKey, Box, _Area, _Area]] = []
        gaps: list[tuple[_Area, _Area]] = []

        def leave(column: int, start: int, stop: int) -> None:
            if stop > start:
                free = slice(start - self._top, stop - self._top), slice(0, lanes[column].stop - lanes[column].start)
                gaps.append(((slice(start, stop), lanes[column]), free))

        for box in place.whole_cards:
            column = int(box.x > layout.MARGIN)
            top = y(box.y)
            leave(column, filled[column], top)  # above the first card
            first, filled[column] = max(self._top, top), top + self._card_rows(box)
            stop = min(filled[column], end)
            key = "card", box.item, self._widths[column]
            cards.append(
                (key, box, (slice(first, stop), lanes[column]), (slice(first - top, stop - top), parts[column]))
            )
        leave(0, filled[0], end)
        leave(1, filled[1], end)
        return cards, gaps

    def _card_rows(self, box: Box) -> int:
        """Rows of a card with the gap below it; one more than needed where rounding may ask for it."""
        return self._scale.y(box.h + layout.MARGIN + 1 / self._scale.sy)

    def _card(self, key: _CardKey, box: Box) -> Pixels:
        """An item's card with the gaps beside it."""
        card = self._kept.get(key)
        return self._keep(key, self._paint_card(box, key[2])) if card is None else card

    def _paint_card(self, box: Box, width: int) -> Pixels:
        """A card with the gap to its right, and that to its left, which only the left column shows."""
        height = box.h + layout.MARGIN + 1 / self._scale.sy
        content = pages.card(self._dataset, box._replace(x=0, y=0, slot=-1))
        card = self._paint(Piece((content,), width / self._scale.sx, height, self._theme.page))
        return np.concatenate([self._blank[: len(card), : self._left], card], axis=1)

    def _fill_page(self, view: Pixels, place: Place) -> None:
        """Copies what shows of an item's preview or detail page, which is painted in pieces as far as it is seen."""
        page, item, y = place.page, place.item, self._scale.y
        edges = self._edges(page, item)
        first, start, done = y(edges[0]), y(place.scroll), 0
        for top, end in pairwise(edges):
            if y(end) - first > start + done:
                skipped = start + done - (y(top) - first)
                rows = self._piece(page, item, top, end)[skipped : skipped + len(view) - done]
                view[done : done + len(rows)] = rows
                done += len(rows)
            if done == len(view):
                break

    def _edges(self, page: Page, item: int) -> list[int]:
        """Where the pieces of a page's content begin, and where the last ends: the picture, then what is below it."""
        if page is Page.PREVIEW:
            top, height = layout.TOP, layout.VIEWPORT
        else:
            shown = self._dataset.item(item)
            top, height = 0, layout.detail_height(len(shown.attributes), len(shown.reviews))
        # A row more than the content, at any scale, for offsets whose rounding falls the other way.
        end = top + max(height, layout.VIEWPORT) + ceil(2 / min(1, self._scale.sy))
        return [top, *range(top + layout.DETAIL_PICTURE.h, end, _PIECE), end]

    def _piece(self, page: Page, item: int, top: int, end: int) -> Pixels:
        key = page.label, item, top
        piece = self._kept.get(key)
        return self._keep(key, self._paint_piece(page, item, top, end)) if piece is None else piece

    def _paint_piece(self, page: Page, item: int, top: int, end: int) -> Pixels:
        content = pages.preview if page is Page.PREVIEW else pages.detail
        shown = [e for e in content(self._dataset, item) if e.box.y < end and e.box.y + e.box.h > top]
        return self._paint(Piece(tuple(shown), layout.WIDTH, end - top, self._theme.surface, top))

    def _keep(self, key: Hashable, pixels: Pixels) -> Pixels:
        return self._kept.put(key, pixels, self._cache_mb + _SHARE_MB * len(self._served) << 20)

    def _top_bar(self, shop: Shop) -> Pixels:
        page = shop.page
        in_cart = 0 if page is Page.FEED else len(shop.cart)
        bar = self._tops.get((page, in_cart))
        if bar is None:
            bar = self._paint_bar(pages.top_bar(self._words, page, in_cart), 0, layout.TOP)
            self._tops[page, in_cart] = bar
        return bar

    def _bottom_bar(self, shop: Shop) -> Pixels:
        item = shop.item
        key = (len(shop.cart),) if item < 0 else (item in shop.carted, item in shop.bought)
        bar = self._bottoms.get(key)
        if bar is None:
            bar = self._paint_bar(pages.bottom_bar(self._words, shop), layout.BOTTOM, layout.HEIGHT)
            self._bottoms[key] = bar
        return bar

    def _paint_bar(self, elements: Sequence[pages.Element], top: int, end: int) -> Pixels:
        line = layout.TOP - 1 if top == 0 else layout.BOTTOM
        return self._paint(Piece(tuple(elements), layout.WIDTH, end - top, self._theme.bar, top, line))

    def _paint(self, piece: Piece) -> Pixels:
        if self._disk is None:
            return self._paint_now(piece)
        height = self._scale.y(piece.top + piece.height) - self._scale.y(piece.top)
        return self._disk.painted(piece, (max(1, height), max(1, self._scale.x(piece.width))), self._paint_now)

    def _paint_now(self, piece: Piece) -> Pixels:
        if self._easel is None:
            from shopsim.envs.screens.easel import Easel

            self._easel = Easel(self._dataset.path, self._theme, self._scale)
        return self._easel.paint(piece)
