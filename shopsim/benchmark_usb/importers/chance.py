"""Random numbers that rest on a key and a place alone: the same however many others are drawn beside them. Ours.

A session's numbers come from its own key, so what is made of it does not depend on the sessions around it, on the
size of batches or on the order of work; and whole arrays of sessions draw at once.
"""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_FACTOR, _ADDEND = 6364136223846793005, 1442695040888963407
"""A linear congruential generator modulo 2**64 (Knuth's MMIX); its high bits are used."""
_FAR = 32
"""Numbers that are drawn at once at most."""


def _jumps() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Factor and addend of 0, 1, 2 ... `_FAR` steps of the generator at once."""
    steps = [(1, 0)]
    for _ in range(_FAR):
        factor, addend = steps[-1]
        steps.append((factor * _FACTOR % 2**64, (addend * _FACTOR + _ADDEND) % 2**64))
    factors, addends = np.array(steps, np.uint64).T.copy()
    return factors, addends


_FACTORS, _ADDENDS = _jumps()


def keys_of(seed: int, names: Iterable[str]) -> Keys:
    """One key for each name."""
    head = f"{seed}:"
    digests = b"".join(blake2b((head + name).encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, ">u8").astype(np.uint64)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number scattered over 64 bits (the finaliser of SplitMix64); changes `values`."""
    for shift, factor in ((30, _MIX[0]), (27, _MIX[1])):
        values ^= values >> np.uint64(shift)
        values *= factor
    values ^= values >> np.uint64(31)
    return values


class Stream:
    """A column of generators that draw side by side, each from its own start.

    Args:
        keys: Shape (n,).
        purpose: What is drawn; another purpose, other numbers.
        places: Shape (n,), which of its key's streams each is, from 0.
    """

    def __init__(self, keys: Keys, purpose: int, places: NDArray[np.int64]) -> None:
        state = places.astype(np.uint64)
        state += np.uint64((purpose << 40) + 1)
        state *= _STEP
        state += keys
        self._state = mixed(state)

    def uniform(self) -> NDArray[np.float64]:
        """The next numbers in [0, 1)."""
        return (self._next() >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """The next whole numbers from 0 to one below each limit (which must be less than 2**31)."""
        return _scaled(self._next(), limits)

    def each_below(self, limits: NDArray[np.int64], draws: int) -> NDArray[np.int64]:
        """What so many calls of `below` give: shape (draws, n)."""
        states = self._state * _FACTORS[:draws, None]
        states += _ADDENDS[:draws, None]
        self._state = self._state * _FACTORS[draws] + _ADDENDS[draws]
        return _scaled(states, limits)

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Goes on with these generators alone."""
        self._state = self._state[rows]

    def _next(self) -> NDArray[np.uint64]:
        now = self._state.copy()
        self._state *= _FACTORS[1]
        self._state += _ADDENDS[1]
        return now


def _scaled(states: NDArray[np.uint64], limits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers from 0 to one below each limit; changes `states`."""
    states >>= np.uint64(32)
    states *= limits.view(np.uint64)
    states >>= np.uint64(32)
    return states.view(np.int64)
