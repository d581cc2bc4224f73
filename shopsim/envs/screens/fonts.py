"""Text as antialiased masks.

Letters are drawn four times too large and averaged down: spacing stays even at sizes where hinting would round
every letter's width to whole pixels.
"""

import math
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageFont

from shopsim.envs.screens.font_files import CHINESE, LATIN, find_font, has_chinese
from shopsim.envs.screens.letters import PEN, Letters
from shopsim.errors import InputError

REGULAR, MEDIUM, BOLD = 450, 560, 680
"""Weights; small type on a screen wants a little more than a font's 400."""

_FINE = 4
_SIMPLIFIED = 2  # which face of the collection
_DARKER = [round(255 * (i / 255) ** 0.8) for i in range(256)]


class TextMask(NamedTuple):
    """How much of each pixel the text covers, and where its baseline is."""

    mask: Image.Image
    ascent: int
    """Rows above the baseline."""
    width: float
    """Advance width in pixels."""


class Face(NamedTuple):
    """A font for a browser."""

    family: str
    url: str
    range: str
    """The letters it is for, as CSS says it."""


def faces() -> list[Face]:
    """The fonts that are installed, in the order in which a letter looks for its font."""
    wanted = (("Shop Latin", LATIN, "U+0-2E7F"), ("Shop Chinese", CHINESE, "U+2E80-10FFFF"))
    found = [(family, find_font(*font), letters) for family, font, letters in wanted]
    return [Face(family, Path(path).as_uri(), letters) for family, path, letters in found if path]


@cache
def _letters(size: float, weight: int, wide: bool) -> Letters:
    path = find_font(*(CHINESE if wide else LATIN))
    if path is None:
        raise InputError(f"the font package {LATIN[0].replace('_', '-')} is not installed; pip install shopsim")
    font = ImageFont.truetype(path, size, index=_SIMPLIFIED if wide else 0)
    font.set_variation_by_axes([min(weight, 900)] if wide else [14, weight])
    return Letters(font, wide)


def _is_wide(letter: str) -> bool:
    return ord(letter) >= 0x2E80 and has_chinese()


@lru_cache(maxsize=4096)
def text_mask(text: str, size: float, weight: int) -> TextMask:
    """The mask of one line of text.

    Args:
        text: The line.
        size: Font size in pixels, may be a fraction.
        weight: `REGULAR`, `MEDIUM` or `BOLD`.
    """
    if text.isascii():
        placed, pen = _letters(size * _FINE, weight, False).place(text, 0)
    else:
        placed, pen = [], 0
        for wide, run in groupby(text, _is_wide):
            more, pen = _letters(size * _FINE, weight, wide).place("".join(run), pen)
            placed += more
    width = pen / (PEN * _FINE)
    ascent, descent = math.ceil(size * 1.1), math.ceil(size * 0.35)
    image = Image.new("L", ((math.ceil(width) + 2) * _FINE, (ascent + descent) * _FINE))
    paste, baseline = image.im.paste, ascent * _FINE
    for mask, x, y in placed:
        w, h = mask.size
        y += baseline
        paste(255, (x, y, x + w, y + h), mask)
    small = image.reduce(_FINE)
    small.im = small.im.point(_DARKER, "L")  # `Image.point` spends more on its table than on a line
    return TextMask(small, ascent, width)
