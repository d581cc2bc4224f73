"""Fresh arrays without fresh memory. Ours.

Asking the system for memory, and having it cleared, costs as much as filling it with screens.
"""

import sys

import numpy as np
from numpy.typing import NDArray


class Pool:
    """Gives arrays of one shape to be kept and changed at will; memory that nobody refers to any more is given again.

    Args:
        shape: Shape of the arrays, which are of uint8.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._buffers: list[NDArray[np.uint8]] = [np.empty(shape, np.uint8)]
        self._idle = self._references(0)

    def take(self) -> NDArray[np.uint8]:
        """An array with arbitrary content that nobody else holds."""
        # Every array made out of another refers to the first of them, so to count references there is enough.
        for i in range(len(self._buffers)):
            if self._references(i) == self._idle:
                return self._buffers[i].view()
        self._buffers.append(np.empty(self._shape, np.uint8))
        return self._buffers[-1].view()

    def _references(self, i: int) -> int:
        return sys.getrefcount(self._buffers[i])
