"""A small drawing surface in logical units: rectangles, rounded boxes, text, icons, pictures."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from shopsim.envs.screens.fonts import REGULAR, text_mask
from shopsim.envs.screens.icons import icon_mask
from shopsim.envs.screens.scale import Scale
from shopsim.envs.screens.theme import Color

_FINE = 4


@lru_cache(maxsize=256)
def _cut_off(width: int, height: int, radius: float, top_only: bool) -> tuple[tuple[int, Image.Image], ...]:
    """What round corners leave free, as masks of the rows that have corners, each with its first row."""
    image = Image.new("L", (width * _FINE, height * _FINE), 255)
    box = (0, 0, width * _FINE - 1, height * _FINE - 1)
    corners = (True, True, not top_only, not top_only)
    ImageDraw.Draw(image).rounded_rectangle(box, radius * _FINE, 0, corners=corners)
    free, r = image.reduce(_FINE), math.ceil(radius)
    rows = ((0, height),) if 2 * r >= height else ((0, r),) if top_only else ((0, r), (height - r, height))
    return tuple((top, free.crop((0, top, width, end))) for top, end in rows)


class Canvas:
    """An image of a piece of the page.

    Args:
        width, height: Size of the piece in logical units.
        scale: Pixels to units.
        background: Colour it starts with.
        top: Logical y of its first row.
    """

    def __init__(self, width: float, height: float, scale: Scale, background: Color, top: float = 0) -> None:
        self.scale = scale
        self._top = scale.y(top)
        size = max(1, scale.x(width)), max(1, scale.y(top + height) - self._top)
        self.image = Image.new("RGB", size, background)
        self._draw = ImageDraw.Draw(self.image)

    def array(self) -> NDArray[np.uint8]:
        """The pixels, (height, width, 3), read only."""
        width, height = self.image.size
        # `Image.tobytes` does this in small blocks, and loads the module of file formats to learn their size.
        encoder = Image._getencoder("RGB", "raw", ("RGB",))
        encoder.setimage(self.image.im, (0, 0, width, height))
        _, _, pixels = encoder.encode(3 * width * height)
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)

    def pixels(self, x: float, y: float, w: float, h: float) -> tuple[int, int, int, int]:
        """Left, top, right, bottom in pixels; at least one pixel each way."""
        x0, y0 = self.scale.x(x), self.scale.y(y) - self._top
        return x0, y0, max(x0 + 1, self.scale.x(x + w)), max(y0 + 1, self.scale.y(y + h) - self._top)

    def rect(self, x: float, y: float, w: float, h: float, color: Color) -> None:
        """Fills a rectangle."""
        self.image.paste(color, self.pixels(x, y, w, h))

    def rounded(
        self, x: float, y: float, w: float, h: float, radius: float, color: Color, top_only: bool = False
    ) -> None:
        """Fills a rectangle with round corners."""
        self._paste_rounded(color, self.pixels(x, y, w, h), radius, top_only)

    def text(
        self,
        text: str,
        x: float,
        baseline: float,
        size: float,
        color: Color,
        weight: int = REGULAR,
        align: float = 0.0,
    ) -> float:
        """Writes one line and returns its width in logical units.

        `align` is the share of the width that lies left of `x`: 0 starts there, 0.5 centres, 1 ends there.
        """
        drawn = text_mask(text, size * self.scale.unit, weight)
        left = math.floor(x * self.scale.sx - align * drawn.width + 0.5)
        self.image.paste(color, (left, self.scale.y(baseline) - self._top - drawn.ascent), drawn.mask)
        return drawn.width / self.scale.sx

    def icon(self, name: str, cx: float, cy: float, size: float, color: Color) -> None:
        """Draws an icon, centred."""
        pixels = max(3, round(size * self.scale.unit))
        left = math.floor(cx * self.scale.sx - pixels / 2 + 0.5)
        top = math.floor(cy * self.scale.sy - pixels / 2 + 0.5) - self._top
        self.image.paste(color, (left, top), icon_mask(name, pixels))

    def picture(self, image: Image.Image, x: float, y: float, radius: float = 0) -> None:
        """Puts an image there; with a radius its upper corners are round."""
        left, top = self.scale.x(x), self.scale.y(y) - self._top
        box = left, top, left + image.width, top + image.height
        if radius:
            self._paste_rounded(image, box, radius, True)
        else:
            self.image.paste(image, box)

    def _paste_rounded(
        self, content: Image.Image | Color, box: tuple[int, int, int, int], radius: float, top_only: bool
    ) -> None:
        """Covers a box but for its corners: they are put back after, which is less work than a mask for all of it."""
        x0, y0, x1, y1 = box
        free = _cut_off(x1 - x0, y1 - y0, radius * self.scale.unit, top_only)
        under = [self.image.crop((x0, y0 + top, x1, y0 + top + mask.height)) for top, mask in free]
        self.image.paste(content, box)
        for (top, mask), kept in zip(free, under, strict=True):
            self.image.paste(kept, (x0, y0 + top), mask)
