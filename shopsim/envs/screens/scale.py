"""From logical units to pixels."""

import math


class Scale:
    """From logical units to pixels of a screen of some size.

    Every edge is rounded by itself, so boxes that touch in logical units touch in pixels; halves always go up, so that
    moving a thing by whole pixels changes nothing about it.
    """

    def __init__(self, sx: float, sy: float) -> None:
        self.sx, self.sy = sx, sy
        self.unit = min(sx, sy)
        """Pixels to one unit of type sizes, radii and icons."""

    def x(self, value: float) -> int:
        """Pixel column of a logical x."""
        return math.floor(value * self.sx + 0.5)

    def y(self, value: float) -> int:
        """Pixel row of a logical y."""
        return math.floor(value * self.sy + 0.5)
