"""Fruit and vegetables."""

from shopsim.envs.screens.pictures.sketch import (
    GREEN,
    WHITE,
    Shape,
    Sketch,
    darker,
    lighter,
    mix,
    oval,
    smooth,
    turned,
)
from shopsim.envs.screens.theme import Color

_STALK: Color = (104, 70, 40)


def _fruit(s: Sketch) -> None:
    s.floor(50, 88, 38, 5)
    s.body(
        smooth(
            (50, 30),
            (62, 23),
            (80, 28),
            (88, 50),
            (76, 80),
            (60, 88),
            (50, 85),
            (40, 88),
            (24, 80),
            (12, 50),
            (20, 28),
            (38, 23),
        ),
        "ball",
        material="ceramic",
    )
    s.fill(smooth((40, 31), (50, 36), (60, 31), (50, 33)), darker(s.main, 0.35))
    s.line(smooth((50, 33), (51, 20), (57, 10), closed=False), _STALK, 2.6)
    s.body(smooth((53, 20), (66, 8), (80, 10), (70, 21)), "fold", color=GREEN, shadow=False)


def _vegetable(s: Sketch) -> None:
    s.zoom(0.86)
    for turn in (-26, -9, 9, 26):
        s.line(turned(smooth((36, 34), (30, 18), (34, 2), closed=False), turn, 36, 34), darker(GREEN, 0.1), 2.6)
        s.fill(turned(oval(33, 6, 5.6, 8), turn, 36, 34), GREEN)
    carrot = smooth((24, 38), (36, 29), (48, 38), (46, 58), (38, 96), (34, 96), (26, 58))
    s.body(turned(carrot, -30, 40, 50), "side")
    for y, half in ((46, 6), (56, 5), (66, 4), (76, 3)):
        s.line(turned([(37 - half, y), (37, y + 1)], -30, 40, 50), darker(s.main, 0.28), 0.9)


def _natural(s: Sketch, ripe: Color) -> Color:
    """The colour of a fruit that hardly comes in any other, a little towards the product's own."""
    return mix(ripe, s.main, 0.22)


def _peel(s: Sketch, cx: float, cy: float, r: float, peel: Color) -> None:
    """A round citrus fruit with its pores."""
    s.body(oval(cx, cy, r), "ball", color=peel, material="ceramic")
    for i in range(34):
        angle, far = 137.5 * i, r * 0.9 * (i / 34) ** 0.5
        (x, y), *_ = turned([(cx + far, cy)], angle, cx, cy)
        s.fill(oval(x, y, 0.7), darker(peel, 0.16))


def _orange(s: Sketch) -> None:
    peel = _natural(s, (248, 146, 30))
    s.floor(50, 86, 46, 5)
    _peel(s, 36, 52, 31, peel)
    s.body(smooth((37, 24), (48, 12), (62, 13), (52, 25)), "fold", color=GREEN, shadow=False)
    s.fill(oval(36, 24, 2.4, 1.6), darker(GREEN, 0.3))
    s.body(oval(70, 66, 23), "flat", color=peel)
    s.fill(oval(70, 66, 20.6), (255, 240, 214))
    s.fill(oval(70, 66, 18.6), mix(peel, (255, 196, 80), 0.45))
    for i in range(10):
        s.line(turned([(70, 66), (70, 47.5)], 36 * i, 70, 66), (255, 240, 214), 1)
    s.fill(oval(70, 66, 2.4), (255, 240, 214))


def _pear_shape(cx: float, cy: float, size: float) -> Shape:
    half = (0, -46), (9, -42), (13, -30), (17, -14), (28, 4), (31, 22), (22, 38), (8, 42), (0, 41)
    right = [(cx + x * size, cy + y * size) for x, y in half]
    return smooth(*right, *[(2 * cx - x, y) for x, y in right[-2:0:-1]])


def _pear(s: Sketch) -> None:
    s.zoom(0.94)
    skin = mix((196, 206, 86), s.main, 0.35)
    s.floor(50, 88, 44, 5)
    s.body(turned(_pear_shape(66, 56, 0.74), 14, 66, 56), "ball", color=darker(skin, 0.08), material="ceramic")
    s.body(_pear_shape(40, 50, 0.9), "ball", color=skin, material="ceramic")
    for i in range(14):
        x, y = 34 + (i * 37 % 22), 48 + (i * 23 % 32)
        s.fill(oval(x, y, 0.6), darker(skin, 0.28))
    s.line(smooth((40, 10), (41, 5), (46, 1), closed=False), _STALK, 2.6)
    s.body(smooth((42, 8), (54, 2), (66, 7), (54, 13)), "fold", color=GREEN, shadow=False)


def _tomato(s: Sketch) -> None:
    skin = _natural(s, (222, 52, 40))
    s.floor(50, 88, 46, 5)
    for cx, cy, r in ((30, 46, 25), (70, 50, 23), (50, 64, 25)):
        s.body(oval(cx, cy, r, r * 0.92), "ball", color=skin, material="ceramic")
        for i in range(5):
            leaf = smooth((cx, cy - r * 0.6), (cx + 3, cy - r * 0.95), (cx, cy - r * 1.12), (cx - 3, cy - r * 0.95))
            s.fill(turned(leaf, 72 * i - 20, cx, cy - r * 0.58), darker(GREEN, 0.12))
        s.line([(cx, cy - r * 0.6), (cx + 2, cy - r * 0.98)], darker(GREEN, 0.3), 1.8)


def _broccoli(s: Sketch) -> None:
    head, stem = mix((62, 130, 58), s.main, 0.2), (150, 190, 104)
    s.floor(50, 90, 34, 5)
    s.body(smooth((38, 52), (62, 52), (58, 70), (60, 88), (40, 88), (42, 70)), "side", color=stem)
    for x0, x1 in ((44, 30), (56, 70)):
        s.line(smooth((x0, 66), ((x0 + x1) / 2, 58), (x1, 48), closed=False), darker(stem, 0.1), 6)
    crowns = (
        (20, 44, 14),
        (80, 44, 14),
        (34, 28, 15),
        (66, 28, 15),
        (50, 20, 15),
        (34, 48, 14),
        (66, 48, 14),
        (50, 40, 18),
    )
    for cx, cy, r in crowns:
        s.body(oval(cx, cy, r, r * 0.9), "ball", color=head, edge=False)
        for i in range(16):
            (x, y), *_ = turned([(cx + r * 0.82 * ((i * 7 % 16) / 16) ** 0.5, cy)], 137.5 * i, cx, cy)
            s.fill(oval(x, y, 1.7), lighter(head, 0.16) if i % 2 else darker(head, 0.2))


def _banana(s: Sketch) -> None:
    yellow = mix((246, 208, 70), s.main, 0.2)
    s.floor(50, 84, 40, 5)
    for k in (0, 1, 2):
        dx = 9 * k
        shape = smooth((20 + dx, 16), (27 + dx, 16), (34 + dx, 46), (60 + dx * 0.6, 66), (86, 66 + 5 * k),
                       (84, 73 + 5 * k), (54 + dx * 0.5, 84), (24 + dx, 62))  # fmt: skip
        s.body(shape, "ball", color=yellow)
        s.line(smooth((24 + dx, 22), (30 + dx, 52), (58 + dx * 0.5, 74), (82, 70 + 5 * k), closed=False),
               darker(yellow, 0.2), 1)  # fmt: skip
        s.fill(oval(86, 69.5 + 5 * k, 2.6), (84, 62, 40))
    s.body([(16, 6), (44, 6), (46, 18), (18, 18)], "side", color=mix((130, 130, 56), s.accent, 0.2))
    s.fill(oval(42, 58, 9, 6), s.main)


def _grapes(s: Sketch) -> None:
    s.floor(50, 94, 26, 4)
    s.line(smooth((50, 26), (50, 12), (58, 4), closed=False), (112, 84, 50), 3.4)
    s.body(smooth((50, 18), (34, 8), (16, 14), (22, 28), (40, 28)), "ball", color=mix(GREEN, s.accent, 0.15))
    for row, n in enumerate((5, 6, 5, 4, 3, 2, 1)):
        for i in range(n):
            x = 50 + 12.4 * (i - (n - 1) / 2)
            s.body(oval(x, 30 + 9.6 * row, 7.2), "ball", shadow=False)
            s.fill(oval(x - 2, 27.6 + 9.6 * row, 1.4), WHITE, 0.6)


def _mushroom(s: Sketch) -> None:
    s.floor(50, 92, 36, 5)
    for x, y, k in ((34, 60, 1.0), (68, 50, 1.15)):
        s.body(
            smooth((x - 8 * k, y), (x + 8 * k, y), (x + 10 * k, 90), (x - 10 * k, 90)), "side", color=(244, 234, 214)
        )
        s.body(smooth((x - 26 * k, y), (x - 18 * k, y - 22 * k), (x, y - 32 * k), (x + 18 * k, y - 22 * k),
                      (x + 26 * k, y), (x, y + 6 * k)), "ball", color=mix((226, 204, 172), s.main, 0.3))  # fmt: skip
        for dx, dy in ((-10, -12), (4, -20), (12, -8)):
            s.fill(oval(x + dx * k, y + dy * k, 3 * k, 2.2 * k), lighter(s.accent, 0.6))


DRAWINGS = {
    "fruit": _fruit,
    "orange": _orange,
    "pear": _pear,
    "vegetable": _vegetable,
    "tomato": _tomato,
    "broccoli": _broccoli,
    "banana": _banana,
    "grapes": _grapes,
    "mushroom": _mushroom,
}
