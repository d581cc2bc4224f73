"""Breaking text into lines by a fixed table of letter widths.

What a line holds must not depend on a font file, a renderer or the size of the screen: the text view has to
say exactly what the picture shows. So lines are broken here, once, and every renderer draws them as given.
"""

from collections.abc import Sequence
from functools import cache, lru_cache

# Advance widths of the letters from space to tilde in a common sans-serif, in hundredths of the font size.
_ASCII = (
    *(27, 30, 48, 64, 64, 99, 65, 31, 37, 37, 51, 66, 30, 46, 30, 37),  # space to /
    *(64, 41, 61, 62, 65, 60, 62, 57, 62, 62),  # digits
    *(30, 31, 66, 66, 66, 52, 97),  # : to @
    *(70, 66, 73, 72, 60, 59, 75, 74, 27, 57, 68, 57, 91),  # A to M
    *(75, 77, 64, 77, 65, 64, 65, 74, 70, 99, 69, 69, 63),  # N to Z
    *(37, 37, 37, 47, 46, 33),  # [ to `
    *(56, 62, 57, 62, 58, 38, 62, 60, 25, 25, 55, 25, 88),  # a to m
    *(60, 60, 62, 62, 38, 53, 33, 60, 57, 82, 55, 57, 56),  # n to z
    *(43, 34, 43, 66),  # { to ~
)
_BOLD = 1.04
_NARROW, _WIDE = 0.62, 1.0
ELLIPSIS = "…"
_ELLIPSIS_WIDTH = 0.9
_NEVER_FIRST = frozenset("，。、；：！？）》」』】％…,.;:!?)]}%")


@cache
def _advance(letter: str) -> float:
    code = ord(letter)
    if 32 <= code < 127:
        return _ASCII[code - 32] / 100
    import unicodedata  # a library of the system's; most screens in English do without

    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Cc"):
        return 0.0
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _NARROW


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line in the units of `size`, by the table."""
    return sum(map(_advance, text)) * size * (_BOLD if bold else 1.0)


@lru_cache(maxsize=8192)
def break_lines(text: str, width: float, size: float, most: int, bold: bool = False) -> tuple[str, ...]:
    """Breaks text into at most `most` lines; what does not fit ends in an ellipsis.

    Args:
        text: Any text; runs of white space, line ends included, count as one space.
        width: Room for a line in logical units.
        size: Font size in logical units.
        most: Number of lines there is room for, at least 1.
        bold: Whether the text is set bold.

    Returns:
        The lines as they show. Breaks fall at spaces, between wide (Chinese) letters, and inside a word only
        where the word alone is too long for a line.
    """
    room = width / (size * (_BOLD if bold else 1.0))
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < most:
        end = _fitting(rest, room)
        if end < len(rest) and len(lines) == most - 1:
            return (*lines, rest[: _fitting(rest, room - _ELLIPSIS_WIDTH)].rstrip() + ELLIPSIS)
        if end < len(rest):
            end = _break_before(rest, end)
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return tuple(lines)


def joined(lines: Sequence[str]) -> str:
    """Lines as one text again: with a space between them, but not between wide (Chinese) letters."""
    text = ""
    for line in lines:
        text += ("" if not text or _advance(text[-1]) == _advance(line[0]) == _WIDE else " ") + line
    return text


def _fitting(text: str, room: float) -> int:
    """How many letters fit; at least one."""
    used = 0.0
    for i, letter in enumerate(text):
        used += _advance(letter)
        if used > room + 1e-9:
            return max(1, i)
    return len(text)


def _break_before(text: str, end: int) -> int:
    """The last place at or before `end` where a line may break."""
    for i in range(end, 0, -1):
        between_wide = _advance(text[i - 1]) == _WIDE or _advance(text[i]) == _WIDE
        if text[i] == " " or text[i - 1] == " " or (between_wide and text[i] not in _NEVER_FIRST):
            return i
    return end
