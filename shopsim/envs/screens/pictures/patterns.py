"""Patterns and textures, painted over a piece of cloth (an image) before the light falls on it."""

import math
import random
from collections.abc import Callable

from PIL import Image, ImageDraw

from shopsim.envs.screens.theme import Color

_WHITE: Color = (255, 255, 255)


def _mix(a: Color, b: Color, share: float) -> Color:
    return tuple(round(x + (y - x) * share) for x, y in zip(a, b, strict=True))  # type: ignore[return-value]


def paint_pattern(
    image: Image.Image, pattern: str, base: Color, accent: Color, unit: float, chance: random.Random
) -> None:
    """Paints the named pattern in the accent colour; an unknown name, like ``plain``, paints nothing.

    Args:
        image: What is painted over, of one colour so far.
        pattern: ``stripes``, ``dots``, ``checks``, ``floral``, ``geometric``, ``animal``, ``camo`` or ``plain``.
        base: The colour under it.
        accent: The pattern's colour.
        unit: Pixels to a hundredth of the picture.
        chance: Decides on small variations.
    """
    if pattern in PATTERNS:
        PATTERNS[pattern](image, base, accent, unit, chance)


def _stripes(image: Image.Image, base: Color, accent: Color, unit: float, chance: random.Random) -> None:
    draw, step = ImageDraw.Draw(image), 9 * unit
    y = chance.uniform(2, 5) * unit
    while y < image.height:
        draw.rectangle((0, y, image.width, y + step * 0.45), accent)
        y += step


def _dots(image: Image.Image, base: Color, accent: Color, unit: float, chance: random.Random) -> None:
    draw, step, r = ImageDraw.Draw(image), 8.5 * unit, 2.0 * unit
    for row in range(int(image.height / (step * 0.8)) + 2):
        for column in range(int(image.width / step) + 2):
            x, y = (column + row % 2 / 2) * step, row * step * 0.8
            draw.ellipse((x - r, y - r, x + r, y + r), accent)


def _checks(image: Image.Image, base: Color, accent: Color, unit: float, chance: random.Random) -> None:
    step, half = round(10 * unit), _mix(base, accent, 0.5)
    draw = ImageDraw.Draw(image)
    for x in range(0, image.width, step):
        draw.rectangle((x, 0, x + step // 2 - 1, image.height), half)
    for y in range(0, image.height, step):
        draw.rectangle((0, y, image.width, y + step // 2 - 1), half)
        for x in range(0, image.width, step):
            draw.rectangle((x, y, x + step // 2 - 1, y + step // 2 - 1), accent)


def _floral(image: Image.Image, base: Color, accent: Color, unit: float, chance: random.Random) -> None:
    draw, step = ImageDraw.Draw(image), 13 * unit
    heart = _mix(accent, (255, 220, 90), 0.75)
    leaf = _mix((70, 130, 70), base, 0.25)
    for row in range(int(image.height / step) + 2):
        for column in range(int(image.width / step) + 2):
            x = (column + row % 2 / 2 + chance.uniform(-0.15, 0.15)) * step
            y = (row + chance.uniform(-0.15, 0.15)) * step
            turn, r = chance.uniform(0, 2 * math.pi), 2.1 * unit
            for i in (0, 1):
                a = turn + 2.2 * i
                lx, ly = x + 4.6 * unit * math.cos(a), y + 4.6 * unit * math.sin(a)
                draw.ellipse((lx - 1.7 * unit, ly - 1.2 * unit, lx + 1.7 * unit, ly + 1.2 * unit), leaf)
            for i in range(5):
                a = turn + 2 * math.pi * i / 5
                px, py = x + 2.5 * unit * math.cos(a), y + 2.5 * unit * math.sin(a)
                draw.ellipse((px - r, py - r, px + r, py + r), accent)
            draw.ellipse((x - 1.4 * unit, y - 1.4 * unit, x + 1.4 * unit, y + 1.4 * unit), heart)


def _geometric(image: Image.Image, base: Color, accent: Color, unit: float, chance: random.Random) -> None:
    draw, step, thick = ImageDraw.Draw(image), 12 * unit, max(1, round(2.2 * unit))
    for row in range(int(image.height / (step * 0.8)) + 2):
        points = [(i * step / 2, row * step * 0.8 + (i % 2) * step / 2) for i in range(int(2 * image.width / step) + 3)]
        draw.line(points, accent if row % 2 else _mix(base, accent, 0.6), thick, joint="curve")


def _animal(image: Image.Image, base: Color, accent: Color, unit: float, chance: random.Random) -> None:
    draw, step = ImageDraw.Draw(image), 8 * unit
    inner = _mix(base, accent, 0.45)
    for row in range(int(image.height / step) + 2):
        for column in range(int(image.width / step) + 2):
            x = (column + row % 2 / 2 + chance.uniform(-0.2, 0.2)) * step
            y = (row + chance.uniform(-0.2, 0.2)) * step
            rx, ry = chance.uniform(2, 3) * unit, chance.uniform(1.7, 2.6) * unit
            draw.ellipse((x - rx, y - ry, x + rx, y + ry), inner)
            start = chance.uniform(0, 360)
            box = (x - rx, y - ry, x + rx, y + ry)
            draw.arc(box, start, start + 250, accent, max(1, round(1.3 * unit)))


def _camo(image: Image.Image, base: Color, accent: Color, unit: float, chance: random.Random) -> None:
    draw = ImageDraw.Draw(image)
    tones = (accent, _mix(base, (0, 0, 0), 0.4), _mix(base, accent, 0.5))
    for i in range(int(image.width * image.height / (90 * unit * unit)) + 3):
        x, y = chance.uniform(0, image.width), chance.uniform(0, image.height)
        blob = []
        for k in range(9):
            r = chance.uniform(3, 8) * unit
            a = 2 * math.pi * k / 9
            blob.append((x + 1.4 * r * math.cos(a), y + 0.8 * r * math.sin(a)))
        draw.polygon(blob, tones[i % 3])


PATTERNS: dict[str, Callable[[Image.Image, Color, Color, float, random.Random], None]] = {
    "stripes": _stripes,
    "dots": _dots,
    "checks": _checks,
    "floral": _floral,
    "geometric": _geometric,
    "animal": _animal,
    "camo": _camo,
}
"""What paints each pattern."""
TEXTURED = frozenset({"wool", "fleece", "denim", "wood", "bamboo", "rattan", "mesh", "canvas", "linen"})
"""Materials that `paint_texture` paints; of others it paints nothing."""


def paint_texture(image: Image.Image, material: str, base: Color, unit: float) -> None:
    """Paints what a material looks like close by: knitted rows, denim's twill, wood's grain, a weave, a mesh."""
    draw, w, h = ImageDraw.Draw(image), image.width, image.height
    dark, light = _mix(base, (0, 0, 0), 0.12), _mix(base, _WHITE, 0.14)
    thin = max(1, round(0.5 * unit))
    if material in ("wool", "fleece"):
        step = 3 * unit
        for row in range(int(h / step) + 1):
            zigzag = [(i * step / 2, row * step + (i % 2) * step / 2) for i in range(int(2 * w / step) + 2)]
            draw.line(zigzag, dark, thin)
    elif material == "denim":
        for x in range(-h, w, max(2, round(1.8 * unit))):
            draw.line(((x, h), (x + h, 0)), light, thin)
    elif material in ("wood", "bamboo"):
        for i in range(int(h / (5 * unit)) + 1):
            y = i * 5 * unit
            draw.line([(x, y + 1.2 * unit * math.sin(x / (11 * unit) + i)) for x in range(0, w + 8, 8)], dark, thin)
    elif material in ("rattan", "mesh", "canvas", "linen"):
        step = max(2, round((3.6 if material == "rattan" else 2.2) * unit))
        for x in range(0, w, step):
            draw.line(((x, 0), (x, h)), dark, thin)
        for y in range(0, h, step):
            draw.line(((0, y), (w, y)), dark if material == "rattan" else light, thin)
