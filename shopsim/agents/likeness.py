"""How alike two texts or two pictures are, without a model: what stands in for the papers' embeddings. Ours.

A text is its set of words, a picture the colours of a coarse grid laid over it. Both are cheap, have no weights to
download, and give the same answer everywhere; neither understands anything.
"""

import math
import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"[a-z]{3,}|[\u4e00-\u9fff]")

GRID = 4
"""A picture is seen as so many rows and columns of colours."""

FINE = 8
"""About so many pixels to a cell's side are looked at."""

Look = NDArray[np.float64]
"""A picture as `look` sees it: (GRID * GRID * 3,) of mean zero and length 1; all 0 where it is one grey or tiny."""


def words(text: str) -> list[str]:
    """The words of a text: runs of at least three Latin letters in lower case, and single Chinese characters."""
    return _WORD.findall(text.lower())


def text_likeness(a: str, b: str) -> float:
    """Cosine of two texts as sets of words, 0-1; 0 where one has none."""
    one, other = _word_set(a), _word_set(b)
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


@lru_cache(maxsize=8192)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(words(text))


def look(pixels: NDArray[np.uint8]) -> Look:
    """A picture's colours, uint8 of shape (height, width, 3), as one vector."""
    height, width = pixels.shape[0] // GRID, pixels.shape[1] // GRID
    if min(height, width) == 0:
        return np.zeros(GRID * GRID * 3)
    cells = pixels[: GRID * height, : GRID * width].reshape(GRID, height, GRID, width, 3)
    # A few pixels to a cell's side tell as much of its colour as all of them.
    cells = cells[:, :: 1 + height // FINE, :, :: 1 + width // FINE].mean(axis=(1, 3))
    vector: Look = cells.ravel() - cells.mean()
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else np.zeros_like(vector)


def look_likeness(a: Look, b: Look) -> float:
    """Cosine of two looks, -1 to 1."""
    return float(a @ b)
