"""Text put together from letters that are drawn once, exactly as Pillow draws the whole line.

Laying out and drawing a line in a variable font takes Pillow a good part of a millisecond; pasting two dozen letters
takes a tenth of that. It comes out the same because Pillow draws each letter of a line as it draws it alone, at the
whole pixel nearest to where the widths and kernings before it end.
"""

import re
from functools import lru_cache
from operator import add
from typing import Any, NamedTuple

from PIL import ImageFont

PEN = 64
"""Steps of the pen to a pixel: FreeType's, so that sums are whole numbers."""

_LATIN = re.compile("[ -~\u00a0-\u024f\u2010-\u2027\u2030-\u203a\u20a0-\u20bf\u2122]*")
"""Letters that stand for themselves; what combines with its neighbours is left to Pillow."""
_CHINESE = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]*")
_TRIAL, _LESSON = 12, 4
"""A font's first lines are Pillow's, since a program that shows one screen would not earn back what it learned. From
then on, letters and kernings learned for one line; to learn many more would take longer than Pillow takes for it."""

Mask = Any
"""How much of each pixel is covered, as Pillow's fonts give it; their class has no public name."""
Placed = tuple[Mask, int, int]


class Ink(NamedTuple):
    """A drawn letter or line."""

    mask: Mask
    left: int
    top: int
    """Where the mask lies from the pen and the baseline, in pixels."""
    advance: int
    """How far it moves the pen."""


class Letters:
    """The letters of one font at one size.

    Args:
        font: The font.
        wide: Whether it is the one for Chinese, whose letters all have one width and no kerning.
    """

    def __init__(self, font: ImageFont.FreeTypeFont, wide: bool) -> None:
        self._font = font
        self._wide = wide
        # Inter would draw + and ( higher between capitals, and an x between digits as a times sign; only Raqm can.
        self._features = ["-calt"] if font.layout_engine == ImageFont.Layout.RAQM else None
        self._letter = lru_cache(maxsize=2048)(self._draw)
        self._lines = 0
        self._known: dict[str, int] = {}
        """Advances of letters and kernings of pairs."""

    def place(self, text: str, pen: int) -> tuple[list[Placed], int]:
        """Places a run of letters.

        Args:
            text: The run.
            pen: Where it starts, in 64ths of a pixel.

        Returns:
            The masks to lay down, each with its x from the start of the line and its y from the baseline, and where the
            pen is behind the run.
        """
        kernings = self._kernings(text)
        if kernings is None:
            mask, left, top, advance = self._draw(text, pen % PEN / PEN)
            return [(mask, pen // PEN + left, top)], pen + advance
        placed = []
        for letter, kerning in zip(text, kernings, strict=True):
            mask, left, top, advance = self._letter(letter)
            pen += kerning
            placed.append((mask, (pen + PEN // 2) // PEN + left, top))
            pen += advance
        return placed, pen

    def _kernings(self, text: str) -> list[int] | None:
        """What moves the pen before each letter, None where that is not so simple or not known yet."""
        if self._wide:
            return [0] * len(text) if _CHINESE.fullmatch(text) else None
        if not _LATIN.fullmatch(text):
            return None
        pairs = list(map(add, text, text[1:]))
        unknown = [pair for pair in dict.fromkeys((*text, *pairs)) if pair not in self._known]
        self._lines += 1
        if self._lines > _TRIAL:
            for letter_or_pair in unknown[:_LESSON]:
                self._known[letter_or_pair] = self._learn(letter_or_pair)
        enough = not unknown or (self._lines > _TRIAL and len(unknown) <= _LESSON)
        return [0, *[self._known[pair] for pair in pairs]] if enough else None

    def _learn(self, text: str) -> int:
        """Draws a letter, or measures the kerning of two."""
        if len(text) == 1:
            return self._letter(text).advance
        return self._width(text) - self._letter(text[0]).advance - self._letter(text[1]).advance

    def _draw(self, text: str, start: float = 0.0) -> Ink:
        mask, (left, top) = self._font.getmask2(text, "L", anchor="ls", start=(start, 0.0), features=self._features)
        return Ink(mask, left, top, self._width(text))

    def _width(self, text: str) -> int:
        return round(self._font.getlength(text, features=self._features) * PEN)
