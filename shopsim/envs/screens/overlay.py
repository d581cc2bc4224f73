"""What is drawn over a screen: a phone, touch and caption for people to watch, numbers for agents that ask for them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from shopsim.envs.layout import WIDTH
from shopsim.envs.screens.fonts import BOLD, MEDIUM, text_mask
from shopsim.envs.screens.theme import Color

_FINE = 3
_BACKDROP: Color = (232, 234, 239)
_PHONE: Color = (22, 23, 27)
_RIM: Color = (74, 77, 86)
_INK: Color = (36, 38, 46)
_TOUCH: Color = (32, 120, 255)
_MARK: Color = (205, 0, 105)
_MARGIN, _BEZEL, _CAPTION = 12, 9, 34
"""Room around the phone, its frame, and the caption's row, for a screen 320 wide."""


def decorate(
    screen: NDArray[np.uint8], point: tuple[float, float] | None = None, caption: str = ""
) -> NDArray[np.uint8]:
    """Puts a screen into a phone.

    Args:
        screen: RGB pixels (height, width, 3).
        point: Where the last action touched, as shares of the screen; a point off the screen is not drawn.
        caption: Said under the phone, for example ``click``.

    Returns:
        A larger RGB array, the same size for every screen of one size. Fresh; `screen` is left alone.
    """
    height, width = screen.shape[:2]
    unit = width / WIDTH
    edge, room, foot = (max(2, round(v * unit)) for v in (_BEZEL, _MARGIN, _CAPTION))
    left = top = edge + room
    frame = Image.new("RGB", (width + 2 * left, height + 2 * top + foot), _BACKDROP)
    phone = (room, room, left + width + edge, top + height + edge)
    _rounded(frame, phone, 30 * unit, _RIM)
    _rounded(frame, (phone[0] + 2, phone[1] + 2, phone[2] - 2, phone[3] - 2), 28 * unit, _PHONE)
    frame.paste(Image.fromarray(screen), (left, top), _mask((width, height), 20 * unit))
    if point is not None and all(0 <= v <= 1 for v in point):
        _touch(frame, left + point[0] * width, top + point[1] * height, 17 * unit)
    if caption:
        drawn = text_mask(caption, 15 * unit, MEDIUM)
        x = max(2, round((frame.width - drawn.width) / 2))
        frame.paste(_INK, (x, phone[3] + room + round(10 * unit) - drawn.ascent // 2 + round(4 * unit)), drawn.mask)
    return np.array(frame)


def number_boxes(screen: NDArray[np.uint8], boxes: Sequence[tuple[float, float, float, float]]) -> NDArray[np.uint8]:
    """Outlines boxes and writes their numbers, from 1, into their upper left corners.

    Args:
        screen: RGB pixels (height, width, 3).
        boxes: Left, top, right, bottom as shares of the screen.

    Returns:
        A fresh array of the same size; `screen` is left alone.
    """
    height, width = screen.shape[:2]
    unit = width / WIDTH
    line = max(1, round(2 * unit))
    image = Image.fromarray(screen)
    draw = ImageDraw.Draw(image)
    for number, (x0, y0, x1, y1) in enumerate(boxes, start=1):
        left, top = round(x0 * width), round(y0 * height)
        draw.rectangle((left, top, round(x1 * width) - 1, round(y1 * height) - 1), outline=_MARK, width=line)
        drawn = text_mask(str(number), 14 * unit, BOLD)
        side = max(drawn.mask.width + 2 * line, round(20 * unit))
        draw.rectangle((left, top, left + side, top + side), fill=_MARK)
        x = left + round((side - drawn.width) / 2)
        image.paste((255, 255, 255), (x, top + round(0.76 * side) - drawn.ascent), drawn.mask)
    return np.array(image)


def _mask(size: tuple[int, int], radius: float) -> Image.Image:
    large = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    ImageDraw.Draw(large).rounded_rectangle((0, 0, large.width - 1, large.height - 1), radius * _FINE, 255)
    return large.reduce(_FINE)


def _rounded(frame: Image.Image, box: tuple[int, int, int, int], radius: float, color: Color) -> None:
    frame.paste(color, box, _mask((box[2] - box[0], box[3] - box[1]), radius))


def _touch(frame: Image.Image, x: float, y: float, radius: float) -> None:
    """A see-through disc with a ring."""
    side = 2 * round(radius * 1.2) + 1
    large = Image.new("L", (side * _FINE, side * _FINE))
    draw, middle, r = ImageDraw.Draw(large), side * _FINE / 2, radius * _FINE
    draw.ellipse((middle - r, middle - r, middle + r, middle + r), 96, outline=235, width=max(1, round(r / 6)))
    draw.ellipse((middle - r / 4, middle - r / 4, middle + r / 4, middle + r / 4), 235)
    frame.paste(_TOUCH, (round(x - side / 2), round(y - side / 2)), large.reduce(_FINE))
