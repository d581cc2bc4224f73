"""The pieces screens are put together from: cards, bars, stretches of a page. Importing this does not load Pillow."""

from typing import NamedTuple

from shopsim.envs.screens.pages import Element
from shopsim.envs.screens.theme import Color


class Piece(NamedTuple):
    """What one piece holds. In one theme, at one scale, equal pieces have equal pixels, but for photos in them."""

    elements: tuple[Element, ...]
    width: float
    height: float
    """In logical units."""
    background: Color
    top: float = 0
    """Logical y of its first row, from where the boxes of its elements are counted."""
    line: float | None = None
    """Logical y of a hairline across it."""


def has_photo(elements: tuple[Element, ...]) -> bool:
    """Whether an image file shows among the elements."""
    return any((e.picture is not None and e.picture.file is not None) or has_photo(e.children) for e in elements)
