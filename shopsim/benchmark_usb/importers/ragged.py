"""Lists of unlike length laid end to end: where each begins, which one a value belongs to. Ours."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def starts_of(lengths: NDArray[np.integer]) -> Ints:
    """Where each list begins, and where the last one ends: shape (n + 1,)."""
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def owners_of(lengths: NDArray[np.integer]) -> Ints:
    """For each value the list it belongs to."""
    return np.repeat(np.arange(len(lengths)), lengths)


def places_of(lengths: NDArray[np.integer]) -> Ints:
    """For each value its place in its list."""
    starts = starts_of(lengths)
    return np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)


def spans(begin: Ints, lengths: NDArray[np.integer]) -> Ints:
    """Positions ``begin[i] ... begin[i] + lengths[i] - 1`` of each list, end to end."""
    return np.repeat(begin, lengths) + places_of(lengths)
