"""Structural similarity of two pictures (Wang et al. 2004), on their brightness, with windows of 7 x 7 pixels."""

import numpy as np
from numpy.typing import NDArray

_WINDOW = 7
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def structural_similarity(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """1 for equal pictures; near 0 for unrelated ones."""
    x, y = (picture.astype(np.float64) @ [0.299, 0.587, 0.114] for picture in (a, b))
    mx, my = _means(x), _means(y)
    vx, vy, vxy = _means(x * x) - mx * mx, _means(y * y) - my * my, _means(x * y) - mx * my
    similar = (2 * mx * my + _C1) * (2 * vxy + _C2) / ((mx * mx + my * my + _C1) * (vx + vy + _C2))
    return float(similar.mean())


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each window."""
    sums = np.cumsum(np.cumsum(np.pad(values, ((1, 0), (1, 0))), axis=0), axis=1)
    n = _WINDOW
    return (sums[n:, n:] - sums[n:, :-n] - sums[:-n, n:] + sums[:-n, :-n]) / (n * n)
