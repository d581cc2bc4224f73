"""The interface's icons, drawn on a 24 x 24 grid: once, with a pen that paints or one that writes SVG."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from PIL import Image, ImageDraw

_GRID, _FINE = 24, 6
Point = tuple[float, float]


class Pen(Protocol):
    """Draws on the grid. Ink is 255 where the icon shows and 0 where it is cut out again."""

    def line(self, *points: Point, width: float = 2.0) -> None:
        """A line with round ends and corners."""

    def ring(self, cx: float, cy: float, r: float, width: float = 2.0) -> None:
        """A circle's outline."""

    def disc(self, cx: float, cy: float, r: float, ink: int = 255) -> None:
        """A filled circle."""

    def arc(self, cx: float, cy: float, r: float, start: float, end: float, width: float = 2.0) -> None:
        """Part of a circle; degrees, clockwise from the right."""

    def shape(self, *points: Point, ink: int = 255) -> None:
        """A filled polygon."""

    def box(self, x0: float, y0: float, x1: float, y1: float, r: float = 0, width: float = 0, ink: int = 255) -> None:
        """A rounded box, filled where `width` is 0, else its outline, which lies inside."""


class _Brush:
    """Paints on an image, many pixels to a unit of the grid."""

    def __init__(self, image: Image.Image, unit: float) -> None:
        self._draw, self._unit = ImageDraw.Draw(image), unit

    def line(self, *points: Point, width: float = 2.0) -> None:
        u, r = self._unit, width / 2
        self._draw.line([(x * u, y * u) for x, y in points], 255, round(width * u), joint="curve")
        for x, y in points:
            self._draw.ellipse(((x - r) * u, (y - r) * u, (x + r) * u, (y + r) * u), 255)

    def ring(self, cx: float, cy: float, r: float, width: float = 2.0) -> None:
        u, o = self._unit, r + width / 2
        self._draw.ellipse(
            ((cx - o) * u, (cy - o) * u, (cx + o) * u, (cy + o) * u), outline=255, width=round(width * u)
        )

    def disc(self, cx: float, cy: float, r: float, ink: int = 255) -> None:
        u = self._unit
        self._draw.ellipse(((cx - r) * u, (cy - r) * u, (cx + r) * u, (cy + r) * u), ink)

    def arc(self, cx: float, cy: float, r: float, start: float, end: float, width: float = 2.0) -> None:
        u, o = self._unit, r + width / 2
        box = ((cx - o) * u, (cy - o) * u, (cx + o) * u, (cy + o) * u)
        self._draw.arc(box, start, end, 255, round(width * u))

    def shape(self, *points: Point, ink: int = 255) -> None:
        self._draw.polygon([(x * self._unit, y * self._unit) for x, y in points], ink)

    def box(self, x0: float, y0: float, x1: float, y1: float, r: float = 0, width: float = 0, ink: int = 255) -> None:
        u = self._unit
        corner = (x0 * u, y0 * u, x1 * u, y1 * u)
        if width:
            self._draw.rounded_rectangle(corner, r * u, outline=ink, width=round(width * u))
        else:
            self._draw.rounded_rectangle(corner, r * u, ink)


class _Svg:
    """Writes the elements of an SVG."""

    def __init__(self) -> None:
        self.elements: list[str] = []

    def line(self, *points: Point, width: float = 2.0) -> None:
        self._stroke(f'polyline points="{_list(points)}"', width, "round")

    def ring(self, cx: float, cy: float, r: float, width: float = 2.0) -> None:
        self._stroke(f'circle cx="{cx}" cy="{cy}" r="{r}"', width)

    def disc(self, cx: float, cy: float, r: float, ink: int = 255) -> None:
        self._fill(f'circle cx="{cx}" cy="{cy}" r="{r}"', ink)

    def arc(self, cx: float, cy: float, r: float, start: float, end: float, width: float = 2.0) -> None:
        (x0, y0), (x1, y1) = (
            (cx + r * math.cos(math.radians(a)), cy + r * math.sin(math.radians(a))) for a in (start, end)
        )
        self._stroke(f'path d="M{x0:.3f} {y0:.3f}A{r} {r} 0 0 1 {x1:.3f} {y1:.3f}"', width)

    def shape(self, *points: Point, ink: int = 255) -> None:
        self._fill(f'polygon points="{_list(points)}"', ink)

    def box(self, x0: float, y0: float, x1: float, y1: float, r: float = 0, width: float = 0, ink: int = 255) -> None:
        inset = width / 2
        w, h = x1 - x0 - width, y1 - y0 - width
        rect = f'rect x="{x0 + inset:.3f}" y="{y0 + inset:.3f}" width="{w:.3f}" height="{h:.3f}" rx="{r - inset:.3f}"'
        self._stroke(rect, width) if width else self._fill(rect, ink)

    def _stroke(self, element: str, width: float, end: str = "butt") -> None:
        style = f'fill="none" stroke="#fff" stroke-width="{width}" stroke-linecap="{end}" stroke-linejoin="round"'
        self.elements.append(f"<{element} {style}/>")

    def _fill(self, element: str, ink: int) -> None:
        self.elements.append(f'<{element} fill="{"#fff" if ink else "#000"}"/>')


def _list(points: tuple[Point, ...]) -> str:
    return " ".join(f"{x:.3f},{y:.3f}" for x, y in points)


def _search(pen: Pen) -> None:
    pen.ring(10.5, 10.5, 6.5)
    pen.line((15.5, 15.5), (20.5, 20.5))


def _home(pen: Pen) -> None:
    pen.shape((12, 2.5), (22.5, 12), (19.5, 12), (19.5, 21), (4.5, 21), (4.5, 12), (1.5, 12))
    pen.box(10, 14.5, 14, 21.5, ink=0)


def _deals(pen: Pen) -> None:
    pen.line((4, 5), (12, 4), (20.5, 12.5), (12.5, 20.5), (4, 12), (4, 5))
    pen.disc(8.5, 8.5, 1.7)


def _cart(pen: Pen) -> None:
    pen.line((2, 4), (5, 4), (7.6, 15), (18.5, 15), (21, 7.2), (5.8, 7.2))
    pen.disc(9, 19.5, 1.8)
    pen.disc(17, 19.5, 1.8)


def _me(pen: Pen) -> None:
    pen.ring(12, 8, 4)
    pen.arc(12, 22, 8, 180, 360)
    pen.line((4, 21), (20, 21))


def _back(pen: Pen) -> None:
    pen.line((15.5, 4), (7.5, 12), (15.5, 20), width=2.4)


def _forward(pen: Pen) -> None:
    pen.line((9, 5), (16, 12), (9, 19), width=2.4)


def _shop(pen: Pen) -> None:
    pen.line((4.5, 11.5), (4.5, 20.5), (19.5, 20.5), (19.5, 11.5))
    pen.line((5.5, 3.5), (18.5, 3.5), (21, 9), (3, 9), (5.5, 3.5))
    for x in (6, 12, 18):
        pen.arc(x, 9, 3, 0, 180)


def _chat(pen: Pen) -> None:
    pen.box(2.5, 3.5, 21.5, 17.5, 5, width=2)
    pen.shape((6.5, 16.5), (12, 16.5), (6.5, 21.5))
    for x in (8, 12, 16):
        pen.disc(x, 10.5, 1.3)


def _star(pen: Pen) -> None:
    pen.shape(*[
        (12 + r * math.sin(math.pi * i / 5), 12.6 - r * math.cos(math.pi * i / 5))
        for i, r in enumerate((11, 4.7) * 5)
    ])  # fmt: skip


def _signal(pen: Pen) -> None:
    for i in range(4):
        pen.box(2 + 5.4 * i, 16 - 4 * i, 6 + 5.4 * i, 21, 1)


def _wifi(pen: Pen) -> None:
    for r in (5.5, 10.5, 15.5):
        pen.arc(12, 20, r, 228, 312, 3)
    pen.disc(12, 19, 2.2)


def _battery(pen: Pen) -> None:
    pen.box(0.5, 6, 21.5, 18, 3.5, width=1.6)
    pen.box(3.2, 8.7, 18.8, 15.3, 1.5)
    pen.box(22.2, 10, 23.8, 14, 0.8)


def _check(pen: Pen) -> None:
    pen.line((4, 12.5), (10, 18.5), (20, 6.5), width=3)


ICONS: dict[str, Callable[[Pen], None]] = {
    "search": _search,
    "home": _home,
    "deals": _deals,
    "cart": _cart,
    "me": _me,
    "back": _back,
    "forward": _forward,
    "shop": _shop,
    "chat": _chat,
    "star": _star,
    "signal": _signal,
    "wifi": _wifi,
    "battery": _battery,
    "check": _check,
}


@lru_cache(maxsize=256)
def icon_mask(name: str, pixels: int) -> Image.Image:
    """How much of each pixel the icon covers, on a square of this side."""
    image = Image.new("L", (pixels * _FINE, pixels * _FINE))
    ICONS[name](_Brush(image, pixels * _FINE / _GRID))
    return image.reduce(_FINE)


def icon_svg(name: str) -> str:
    """The icon as an SVG document, white where it covers and black or nothing elsewhere: a luminance mask."""
    pen = _Svg()
    ICONS[name](pen)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_GRID} {_GRID}">{"".join(pen.elements)}</svg>'
