"""The drawing tools behind product pictures: shapes on a 100 x 100 grid, painted like a product photo.

A shape is a list of points. It is drawn several times too large and averaged down to a mask; what goes through the
mask, light and shade are painted at the picture's own size. `Sketch.body` paints a shape in the product's colour with
its pattern, the light of its material, a soft shadow and a thin edge, the other methods add plain parts.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw

from shopsim.data.records import Picture
from shopsim.envs.screens.pictures.patterns import PATTERNS, TEXTURED, paint_pattern, paint_texture
from shopsim.envs.screens.theme import Color

Point = tuple[float, float]
Shape = Sequence[Point]
Place = tuple[float, float, float, int]
"""Pixels to a unit of the grid, x and y of its corner, and how many times too large shapes are drawn."""

WHITE: Color = (255, 255, 255)
BLACK: Color = (24, 24, 28)
STEEL: Color = (196, 201, 208)
GOLD: Color = (222, 178, 84)
WOOD: Color = (186, 134, 84)
GLASS: Color = (206, 226, 236)
GREEN: Color = (84, 148, 74)

_FALLBACK: Color = (136, 136, 136)
_SHADOW: Color = (20, 20, 30)
_FAINT = [round(i * 0.26) for i in range(256)]
"""How dark a soft shadow is."""
_METALS = frozenset({"metal", "steel", "aluminium", "gold", "silver"})
_THIN, _MANY = 8, 13
"""Thickness of a line, in pixels of the large drawing, and number of its points."""
_GLOSS = {"leather": 0.5, "silk": 0.6, "glass": 0.7, "ceramic": 0.6, "plastic": 0.45, "velvet": 0.3, "rubber": 0.3}
"""How much a material shines; metals most, cloth hardly."""
_LIGHT: dict[str, tuple[Color, float]] = {
    "warm": ((255, 196, 120), 0.10),
    "cool": ((120, 170, 255), 0.08),
}
"""Tint of the light and its strength."""


# Colours


def parse_color(text: str) -> Color:
    """``#rrggbb`` as three numbers; anything else is a neutral grey."""
    try:
        value = int(text.removeprefix("#"), 16)
    except ValueError:
        return _FALLBACK
    return (value >> 16 & 255, value >> 8 & 255, value & 255) if len(text) == 7 else _FALLBACK


def mix(a: Color, b: Color, share: float) -> Color:
    """`share` of `b` in `a`."""
    return tuple(round(x + (y - x) * share) for x, y in zip(a, b, strict=True))  # type: ignore[return-value]


def darker(color: Color, share: float = 0.3) -> Color:
    """Towards black."""
    return mix(color, (0, 0, 0), share)


def lighter(color: Color, share: float = 0.4) -> Color:
    """Towards white."""
    return mix(color, WHITE, share)


# Shapes


@lru_cache(maxsize=1024)
def rect(x0: float, y0: float, x1: float, y1: float, r: float = 0) -> Shape:
    """A rectangle, its corners rounded by `r`."""
    if r <= 0:
        return (x0, y0), (x1, y0), (x1, y1), (x0, y1)
    r = min(r, (x1 - x0) / 2, (y1 - y0) / 2)
    points: list[Point] = []
    for cx, cy, start in ((x1 - r, y0 + r, -90), (x1 - r, y1 - r, 0), (x0 + r, y1 - r, 90), (x0 + r, y0 + r, 180)):
        points += oval(cx, cy, r, r, start, start + 90)
    return tuple(points)


@lru_cache(maxsize=1024)
def oval(cx: float, cy: float, rx: float, ry: float | None = None, start: float = 0, end: float = 360) -> Shape:
    """An ellipse or, between two angles (degrees, clockwise from the right), an arc of it."""
    ry = rx if ry is None else ry
    steps = max(3, round(abs(end - start) / 7.5))
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return tuple([(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles])


@lru_cache(maxsize=1024)
def smooth(*points: Point, closed: bool = True) -> Shape:
    """A smooth curve through the points (Catmull-Rom)."""
    n = len(points)
    out: list[Point] = []
    for i in range(n if closed else n - 1):
        a, b, c, d = (points[j % n] if closed else points[min(max(j, 0), n - 1)] for j in (i - 1, i, i + 1, i + 2))
        for k in range(8):
            t = k / 8
            out.append((_spline(a[0], b[0], c[0], d[0], t), _spline(a[1], b[1], c[1], d[1], t)))
    return tuple(out) if closed else (*out, points[-1])


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))


def mirrored(half: Iterable[Point], axis: float = 50) -> Shape:
    """Closes a right half, given from top to bottom, with its mirror image."""
    right = list(half)
    return right + [(2 * axis - x, y) for x, y in reversed(right)]


def turned(shape: Iterable[Point], degrees: float, cx: float = 50, cy: float = 50) -> Shape:
    """A shape turned clockwise around a point."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(cx + (x - cx) * c - (y - cy) * s, cy + (x - cx) * s + (y - cy) * c) for x, y in shape]


def moved(shape: Iterable[Point], dx: float = 0, dy: float = 0) -> Shape:
    """A shape moved."""
    return [(x + dx, y + dy) for x, y in shape]


# Light


_Values = NDArray[np.float64]
_RAMPS: dict[str, Callable[[_Values, _Values], _Values]] = {
    "side": lambda x, y: 0.10 + 0.90 * np.clip(np.abs(x - 0.42) / 0.58, 0, 1) ** 2.2,
    "fold": lambda x, y: 0.15 + 0.85 * np.clip((x + y) / 2, 0, 1) ** 1.6,
    "shine": lambda x, y: np.exp(-(((x - 0.27) / 0.07) ** 2)) * np.clip(1.2 - np.abs(y - 0.45) * 1.6, 0, 1),
    "ball": lambda x, y: np.clip(np.hypot(x - 0.36, y - 0.32) / 0.78, 0, 1) ** 2,
    "spot": lambda x, y: np.exp(-(((x - 0.34) / 0.15) ** 2) - ((y - 0.28) / 0.13) ** 2),
    "top": lambda x, y: np.clip(1 - y * 1.8, 0, 1),
    "bottom": lambda x, y: y**2,
    "floor": lambda x, y: np.clip(1 - np.hypot((x - 0.5) * 2, (y - 0.5) * 2), 0, 1) ** 1.2,
    "vignette": lambda x, y: np.clip(np.hypot(x - 0.5, y - 0.42) - 0.25, 0, 1) * 1.5,
    "metal": lambda x, y: 0.5 + 0.5 * np.cos(x * 4 * np.pi + 0.6),
}
"""How strongly light or shade falls on a body, over its bounding box from (0, 0) to (1, 1)."""


@lru_cache(maxsize=1024)
def _light(kind: str, strength: float, size: tuple[int, int]) -> Image.Image:
    """A ramp as a mask of this size; where it is full, `strength` of a colour shows. Not to be changed."""
    return _ramp(kind, strength).resize(size, Image.Resampling.BILINEAR)


@lru_cache(maxsize=128)
def _ramp(kind: str, strength: float) -> Image.Image:
    at = np.linspace(0, 1, 48)
    x, y = np.meshgrid(at, at)
    return Image.fromarray((255 * strength * np.clip(_RAMPS[kind](x, y), 0, 1)).astype(np.uint8))


@lru_cache(maxsize=512)
def _shades(color: Color, shade: Color) -> bytes:
    """The palette of what comes out where a colour is painted over with 0, 1, ... 255 of a shade."""
    return np.linspace(color, shade, 256).round().astype(np.uint8).tobytes()


# Shapes as masks. Things of one kind share them, whatever their colours: like letters, they are drawn once and kept.


class Mask(NamedTuple):
    """How much of each pixel something covers, and where in the picture it starts."""

    image: Image.Image
    corner: tuple[int, int]


@lru_cache(maxsize=2048)
def _filled(shape: tuple[Point, ...], ink: int, place: Place) -> Mask:
    pixels, box = _on_sheet(shape, place)
    sheet = _sheet(box, place[3])
    ImageDraw.Draw(sheet).polygon(pixels, ink)
    return Mask(sheet.reduce(place[3]), box[:2])


@lru_cache(maxsize=2048)
def _stroke(points: tuple[Point, ...], thick: int, place: Place) -> Mask:
    """A line some pixels of the large drawing thick."""
    r = thick / 2
    pixels, box = _on_sheet(points, place, r)
    sheet = _sheet(box, place[3])
    draw = ImageDraw.Draw(sheet)
    # The joints of a thin smooth curve need no filling.
    draw.line(pixels, 255, thick, joint=None if thick <= _THIN and len(pixels) >= _MANY else "curve")
    if thick > 3:
        for x, y in (pixels[0], pixels[-1]):
            draw.ellipse((x - r, y - r, x + r, y + r), 255)
    return Mask(sheet.reduce(place[3]), box[:2])


def _sheet(box: tuple[int, int, int, int], fine: int) -> Image.Image:
    return Image.new("L", ((box[2] - box[0]) * fine, (box[3] - box[1]) * fine))


def _on_sheet(
    shape: Iterable[Point], place: Place, around: float = 0.0
) -> tuple[list[Point], tuple[int, int, int, int]]:
    """The box of whole pixels that has the points and what is around them, and the points as they lie in it, large."""
    unit, dx, dy, fine = place
    xs, ys = [dx + x * unit for x, _ in shape], [dy + y * unit for _, y in shape]
    x0, x1 = math.floor((min(xs) - around) / fine), math.floor((max(xs) + around) / fine) + 1
    y0, y1 = math.floor((min(ys) - around) / fine), math.floor((max(ys) + around) / fine) + 1
    left, top = x0 * fine, y0 * fine
    return [(x - left, y - top) for x, y in zip(xs, ys, strict=True)], (x0, y0, x1, y1)


@lru_cache(maxsize=512)
def _shadow(shape: tuple[Point, ...], place: Place) -> Mask:
    """A soft shadow of a shape: a coarse copy of its mask, a little lower; to stretch it again blurs it."""
    mask, (x, y) = _filled(shape, 255, place)
    unit = place[0] / place[3]
    step, shift = max(1, round(2.7 * unit)), round(1.6 * unit)
    coarse = mask.reduce(step)
    frame = Image.new("L", (coarse.width + 4, coarse.height + 4))
    frame.paste(coarse, (2, 2))
    soft = frame.point(_FAINT).resize((frame.width * step, frame.height * step), Image.Resampling.BILINEAR)
    return Mask(soft, (x - 2 * step + shift // 2, y - 2 * step + shift))


@lru_cache(maxsize=32)
def _backdrop(width: int, height: int, color: Color) -> Image.Image:
    """A studio wall: a little light above the middle, a little shade in the corners."""
    image = Image.new("RGB", (width, height), color)
    image.paste(lighter(color, 0.6), (0, 0), _light("spot", 0.33, image.size))
    image.paste(darker(color, 0.5), (0, 0), _light("vignette", 0.25, image.size))
    return image


class Sketch:
    """One picture being drawn. Coordinates run 0-100 both ways over the largest centred square, and the drawing may
    go a little beyond it on the longer side.

    Args:
        picture: Colours, pattern, material, light and seed.
        width, height: Size of the finished image in pixels.
    """

    def __init__(self, picture: Picture, width: int, height: int) -> None:
        self._fine = 4 if max(width, height) <= 400 else 2
        w, h = width * self._fine, height * self._fine
        self._middle = w / 2, h / 2
        self.unit = min(w, h) / 100 * min(1.08, max(w, h) / min(w, h))
        self.zoom(1)
        self.main, self.accent = parse_color(picture.color), parse_color(picture.accent)
        self.material, self.pattern = picture.material, picture.pattern
        self.random = random.Random(picture.seed)
        self._backdrop = _backdrop(width, height, parse_color(picture.background))
        self.image = self._backdrop.copy()
        self._tint = _LIGHT.get(picture.lighting)
        self._contrast = 1.25 if picture.lighting == "studio" else 1.0

    def zoom(self, share: float) -> None:
        """Draws what follows larger or smaller, around the middle."""
        self.unit *= share
        (x, y), half = self._middle, 50 * self.unit
        self._place = self.unit, x - half, y - half, self._fine

    def finish(self) -> Image.Image:
        """The image."""
        if self._tint is None:
            return self.image
        color, share = self._tint
        return Image.blend(self.image, Image.new("RGB", self.image.size, color), share)

    # Painting

    def body(
        self,
        shape: Shape,
        light: str = "fold",
        color: Color | None = None,
        pattern: bool = True,
        shadow: bool = True,
        edge: bool = True,
        material: str | None = None,
    ) -> None:
        """Paints a main part of the product.

        Args:
            shape: Its outline.
            light: How the light falls: ``fold`` (cloth lying flat), ``side`` (a standing cylinder), ``ball``, ``flat``.
            color: Another colour than the product's main one; then it has no pattern.
            pattern: Whether it carries the product's pattern.
            shadow: Whether it throws a soft shadow.
            edge: Whether a thin darker line runs around it.
            material: Another material than the product's.
        """
        base = self.main if color is None else color
        material = self.material if material is None else material
        shape = tuple(shape)
        mask, corner = _filled(shape, 255, self._place)
        if shadow:
            soft = _shadow(shape, self._place)
            self.image.paste(_SHADOW, soft.corner, soft.image)
        patterned = pattern and color is None and self.pattern in PATTERNS
        if light == "flat" and not patterned and material not in TEXTURED:
            self.image.paste(base, corner, mask)
        else:
            self.image.paste(self._cloth(mask.size, base, light, patterned, material), corner, mask)
        if edge:
            self.line((*shape, shape[0]), darker(base, 0.38), 0.7)

    def fill(self, shape: Shape, color: Color, alpha: float = 1.0) -> None:
        """Fills a shape with one colour, see-through where `alpha` is below 1."""
        mask = _filled(tuple(shape), round(255 * alpha), self._place)
        self.image.paste(color, mask.corner, mask.image)

    def line(self, points: Iterable[Point], color: Color, width: float = 1.0) -> None:
        """A line with round joints and ends."""
        mask = _stroke(tuple(points), max(1, round(width * self.unit)), self._place)
        self.image.paste(color, mask.corner, mask.image)

    def hole(self, shape: Shape) -> None:
        """Makes what was painted there look through to the backdrop."""
        mask, (x, y) = _filled(tuple(shape), 255, self._place)
        self.image.paste(self._backdrop.crop((x, y, x + mask.width, y + mask.height)), (x, y), mask)

    def floor(self, cx: float, y: float, rx: float, ry: float = 4.0, alpha: float = 0.34) -> None:
        """The shadow a standing thing throws on the ground."""
        unit, dx, dy, fine = self._place
        x0, x1 = (round((dx + x * unit) / fine) for x in (cx - rx, cx + rx))
        y0, y1 = (round((dy + y * unit) / fine) for y in (y - ry, y + ry))
        self.image.paste(_SHADOW, (x0, y0), _light("floor", alpha, (max(1, x1 - x0), max(1, y1 - y0))))

    def glow(self, shape: Shape, kind: str = "top", color: Color = WHITE, alpha: float = 0.35) -> None:
        """Lets light (or, in a dark colour, shade) fall on a shape that is already there."""
        mask, corner = _filled(tuple(shape), 255, self._place)
        self.image.paste(color, corner, ImageChops.multiply(mask, _light(kind, alpha, mask.size)))

    # Inner workings

    def _cloth(self, size: tuple[int, int], base: Color, light: str, patterned: bool, material: str) -> Image.Image:
        """A piece of the product's surface, in the light."""
        if light == "flat" or patterned or material in TEXTURED:
            fine = Image.new("RGB", (size[0] * self._fine, size[1] * self._fine), base)
            paint_texture(fine, material, base, self.unit)
            if patterned:
                paint_pattern(fine, self.pattern, base, self.accent, self.unit, self.random)
            cloth = fine.reduce(self._fine)
            if light == "flat":
                return cloth
            cloth.paste(darker(base, 0.75), (0, 0), _light(light, 0.34 * self._contrast, size))
        else:  # the same on one colour, quicker
            shade = _light(light, 0.34 * self._contrast, size).copy()
            shade.putpalette(_shades(base, darker(base, 0.75)))
            cloth = shade.convert("RGB")
        self._shine(cloth, light, material)
        return cloth

    def _shine(self, cloth: Image.Image, light: str, material: str) -> None:
        if material in _METALS:
            ramp = _light("metal", 0.5, cloth.size)
        elif strength := _GLOSS.get(material, 0.12 if light in ("side", "ball") else 0.0):
            kind = "spot" if light == "ball" else "shine" if light == "side" else "top"
            ramp = _light(kind, strength * (1.0 if kind != "top" else 0.4), cloth.size)
        else:
            return
        cloth.paste(WHITE, (0, 0), ramp)
