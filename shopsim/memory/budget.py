"""Counting and shortening text: the one rule by which over-long text is trimmed (SPEC 5). Ours.

Lengths are counted in *words* unless a tokenizer's counter is passed in: a run of characters without white
space is one word, and so is every Chinese, Japanese or Korean character by itself. Text is cut at the end of
a word, never inside one, and what was cut off is replaced by an ellipsis.
"""

import re
from collections.abc import Callable

CountTokens = Callable[[str], int]
"""Length of a text; must not shrink when the text grows."""

ELLIPSIS = "…"

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_WORD = re.compile(f"[{_CJK}]|[^\\s{_CJK}]+")


def count_words(text: str) -> int:
    """Number of words in a text; a Chinese, Japanese or Korean character counts as one."""
    return sum(1 for _ in _WORD.finditer(text))


def shorten(text: str, limit: int, count: CountTokens = count_words) -> tuple[str, bool]:
    """Cuts a text to a limit.

    Args:
        text: Any text.
        limit: Most tokens it may have, 0 or more.
        count: Counts tokens.

    Returns:
        The text itself and False where it fits; else its longest beginning that ends at the end of a word and
        fits together with the ellipsis (possibly nothing), and True.
    """
    if count(text) <= limit:
        return text, False
    ends = [match.end() for match in _WORD.finditer(text)]
    low, high = 0, len(ends) - 1  # how many words fit, found by halving
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[: ends[middle - 1]] + ELLIPSIS) <= limit:
            low = middle
        else:
            high = middle - 1
    return (text[: ends[low - 1]] + ELLIPSIS if low else ""), True
