"""Toys and baby goods."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    STEEL,
    WHITE,
    WOOD,
    Sketch,
    darker,
    lighter,
    mirrored,
    mix,
    oval,
    rect,
    smooth,
    turned,
)

_BRIGHT = ((250, 188, 60), (88, 172, 92), (72, 140, 214))
"""Cheerful colours of blocks that are not the product's own."""


def _toy(s: Sketch) -> None:
    s.floor(50, 90, 36, 4)
    s.body(rect(46, 18, 54, 88, 3), "side", color=WOOD, material="wood")
    s.body(rect(22, 82, 78, 91, 4), "side", color=WOOD, material="wood")
    colors = s.accent, lighter(s.main, 0.35), s.main, lighter(s.accent, 0.4), s.main
    for i, color in enumerate(colors):
        half, y = 12 + 4.6 * i, 24 + 12 * i
        s.body(rect(50 - half, y, 50 + half, y + 12, 6), "side", color=color, material="plastic")
    s.body(oval(50, 16, 9), "ball", color=s.main, material="plastic")


def _plush(s: Sketch) -> None:
    s.floor(50, 93, 36, 4)
    for side in (-1, 1):
        s.body(oval(50 + 20 * side, 16, 10), "ball")
        s.fill(oval(50 + 20 * side, 17, 5.4), s.accent)
        s.body(smooth(*[(50 + x * side, y) for x, y in ((18, 52), (34, 56), (38, 68), (30, 72), (20, 64))]), "ball")
        s.body(oval(50 + 18 * side, 84, 12, 9.5), "ball")
        s.fill(oval(50 + 19 * side, 86, 6, 4.6), lighter(s.accent, 0.3))
    s.body(oval(50, 69, 23, 22), "ball")
    s.fill(oval(50, 72, 13, 13), lighter(s.main, 0.45))
    s.body(oval(50, 32, 25, 22), "ball")
    s.fill(oval(50, 40, 11, 8.5), lighter(s.main, 0.55))
    s.fill(oval(50, 36.5, 3.6, 2.6), BLACK)
    s.line(smooth((45, 41.5), (50, 44.5), (55, 41.5), closed=False), BLACK, 1)
    for x in (40, 60):
        s.fill(oval(x, 28, 2.7), BLACK)
        s.fill(oval(x - 0.8, 27.2, 0.9), WHITE)


def _bunny(s: Sketch) -> None:
    s.zoom(0.94)
    s.floor(50, 94, 34, 4)
    for side in (-1, 1):
        ear = turned(oval(50 + 10 * side, 17, 7, 18), 12 * side, 50 + 10 * side, 30)
        s.body(ear, "ball")
        s.fill(turned(oval(50 + 10 * side, 18, 3.4, 13), 12 * side, 50 + 10 * side, 30), s.accent)
        s.body(smooth(*[(50 + x * side, y) for x, y in ((14, 60), (26, 62), (31, 72), (24, 76), (15, 70))]), "ball")
        s.body(oval(50 + 15 * side, 88, 12, 7.5), "ball")
        s.fill(oval(50 + 17 * side, 88.5, 5.4, 4), lighter(s.accent, 0.3))
    s.body(oval(50, 72, 20, 19), "ball")
    s.fill(oval(50, 75, 12, 12), lighter(s.main, 0.5))
    s.body(oval(50, 44, 22, 18), "ball")
    s.fill(smooth((46.5, 47), (53.5, 47), (50, 51)), (232, 130, 150))
    s.line(smooth((50, 51), (47, 54), (43, 53), closed=False), BLACK, 0.9)
    s.line(smooth((50, 51), (53, 54), (57, 53), closed=False), BLACK, 0.9)
    for x in (41, 59):
        s.fill(oval(x, 42, 2.8), BLACK)
        s.fill(oval(x - 0.8, 41.2, 0.9), WHITE)


def _balloon(s: Sketch) -> None:
    balloons = (30, 36, 18, s.accent), (70, 34, 19, lighter(s.main, 0.35)), (50, 30, 22, None)
    for cx, cy, r, color in balloons:
        s.line(smooth((cx, cy + r * 1.2), ((cx + 50) / 2 + 2, 72), (50, 95), closed=False), (150, 150, 158), 0.8)
        s.body(
            [(cx - 2.4, cy + r * 1.28), (cx + 2.4, cy + r * 1.28), (cx, cy + r * 1.05)],
            "flat",
            color=color,
            shadow=False,
        )
        half = (0, -1.1), (0.62, -0.9), (1, -0.2), (0.78, 0.6), (0.3, 1.05), (0, 1.14)
        right = [(cx + x * r, cy + y * r) for x, y in half]
        s.body(smooth(*right, *[(2 * cx - x, y) for x, y in right[-2:0:-1]]), "ball", color=color, material="rubber")
        s.fill(
            turned(oval(cx - r * 0.42, cy - r * 0.5, r * 0.12, r * 0.26), 24, cx - r * 0.42, cy - r * 0.5), WHITE, 0.6
        )
    s.body(smooth((50, 88), (42, 83), (42, 93)), "flat", color=s.accent, shadow=False)
    s.body(smooth((50, 88), (58, 83), (58, 93)), "flat", color=s.accent, shadow=False)


def _doll(s: Sketch) -> None:
    s.floor(50, 95, 26, 3)
    skin = (246, 208, 178)
    for x in (43, 57):
        s.line([(x, 78), (x, 92)], skin, 4.6)
        s.fill(oval(x, 93, 4.4, 2.6), s.accent)
    for side in (-1, 1):
        s.line([(50 + 10 * side, 50), (50 + 24 * side, 64)], skin, 4.6)
    s.body(smooth((36, 22), (50, 6), (64, 22), (68, 44), (58, 48), (42, 48), (32, 44)), "ball", color=(122, 74, 44))
    s.body(mirrored([(58, 44), (60, 56), (74, 82), (50, 84)]), "fold")
    s.fill(rect(40, 54, 60, 58, 1), s.accent)
    s.body(oval(50, 30, 14, 15), "ball", color=skin)
    s.fill(smooth((36, 28), (40, 16), (50, 13), (60, 16), (64, 28), (56, 22), (44, 22)), (122, 74, 44))
    for x in (44, 56):
        s.fill(oval(x, 31, 1.8), BLACK)
        s.fill(oval(x - 1 if x < 50 else x + 1, 36, 2.6, 1.6), (246, 160, 150))
    s.line(smooth((47, 38), (50, 39.5), (53, 38), closed=False), (200, 70, 70), 1.2)


def _toy_car(s: Sketch) -> None:
    s.floor(50, 78, 48, 5)
    s.body(
        smooth((6, 62), (10, 50), (26, 46), (36, 30), (64, 28), (78, 46), (92, 50), (95, 64), (92, 70), (8, 70)),
        "fold",
        material="plastic",
    )
    s.fill([(33, 46), (40, 33.5), (50, 33), (50, 46)], (206, 230, 244))
    s.fill([(53, 33), (62, 33), (71, 46), (53, 46)], (206, 230, 244))
    s.line([(8, 58), (93, 58)], s.accent, 2.4)
    s.fill(oval(92, 56, 2.6, 3), (255, 236, 150))
    for x in (27, 74):
        s.fill(oval(x, 70, 11), BLACK)
        s.fill(oval(x, 70, 5.6), STEEL)
        s.fill(oval(x, 70, 2), darker(STEEL, 0.5))


def _puzzle(s: Sketch) -> None:
    def piece(x: float, y: float) -> list[tuple[float, float]]:
        return [*rect(x, y, x + 36, y + 36, 2)]

    spots = ((12, 12, s.main), (50, 12, s.accent), (12, 50, lighter(s.accent, 0.3)), (52, 54, lighter(s.main, 0.3)))
    for i, (x, y, color) in enumerate(spots):
        s.body(turned(piece(x, y), 8 if i == 3 else 0, x + 18, y + 18), "fold", color=None if i == 0 else color)
    for x, y, color in ((48, 30, s.main), (30, 48, s.main), (68, 48, s.accent), (48, 66, lighter(s.accent, 0.3))):
        s.fill(oval(x + 2.4 if y in (30, 66) else x, y if y in (30, 66) else y + 2.4, 6.4), color)


def _blocks(s: Sketch) -> None:
    s.floor(50, 88, 46, 4)
    places = ((8, 58, s.main), (38, 58, s.accent), (68, 58, _BRIGHT[0]), (22, 29, _BRIGHT[2]), (53, 29, s.main))
    for i, (x, y, color) in enumerate(places):
        s.body(rect(x, y, x + 28, y + 28, 2), "fold", color=None if color == s.main else color, material="wood")
        inner = rect(x + 4, y + 4, x + 24, y + 24, 1)
        s.line([*inner, inner[0]], lighter(color, 0.5), 1.2)
        mark = (
            oval(x + 14, y + 14, 6),
            [(x + 14, y + 7), (x + 21, y + 20), (x + 7, y + 20)],
            rect(x + 8, y + 8, x + 20, y + 20),
        )
        s.fill(mark[i % 3], WHITE)
    s.body([(38, 29), (52, 6), (66, 29)], "fold", color=_BRIGHT[1], material="wood")


def _stroller(s: Sketch) -> None:
    s.floor(50, 93, 40, 4)
    s.line([(24, 62), (66, 84)], darker(STEEL, 0.4), 3)
    s.line([(70, 58), (30, 84)], darker(STEEL, 0.4), 3)
    s.line(smooth((72, 58), (88, 34), (94, 30), closed=False), darker(STEEL, 0.4), 3)
    s.body([*oval(46, 44, 32, 34, 180, 270), (46, 44)], "ball", color=s.accent)
    s.body(smooth((14, 44), (46, 44), (78, 44), (72, 62), (50, 70), (24, 62)), "ball")
    for x, y, r in ((28, 84, 9), (70, 84, 9)):
        s.fill(oval(x, y, r), BLACK)
        s.fill(oval(x, y, r * 0.6), STEEL)


def _crib(s: Sketch) -> None:
    s.floor(50, 90, 44, 4)
    s.fill(rect(10, 30, 90, 64), darker(s.main, 0.35), 0.4)
    s.body(rect(10, 54, 90, 70, 2), "flat", color=s.accent)
    for i in range(11):
        s.body(rect(11 + 7.6 * i, 24, 14 + 7.6 * i, 74, 1), "flat", shadow=False)
    for y in (20, 72):
        s.body(rect(7, y, 93, y + 6, 2), "flat", shadow=False)
    for x in (7, 88):
        s.body(rect(x, 12, x + 5, 90, 2), "flat")


def _baby_bottle(s: Sketch) -> None:
    s.floor(50, 92, 24, 4)
    s.body(smooth((44, 24), (46, 10), (50, 6), (54, 10), (56, 24)), "ball", color=(246, 222, 190))
    s.body(rect(35, 22, 65, 36, 3), "side", color=s.accent, material="plastic")
    s.body(rect(32, 35, 68, 91, 8), "side", color=lighter(s.main, 0.72), material="glass")
    s.fill(rect(34, 50, 66, 89, 7), WHITE, 0.9)
    s.fill(smooth((50, 80), (40, 70), (42, 62), (50, 66), (58, 62), (60, 70)), s.main)
    for i in range(5):
        s.line([(58, 44 + 9 * i), (65, 44 + 9 * i)], darker(s.main, 0.2), 1)


def _diaper(s: Sketch) -> None:
    s.body(
        smooth((12, 24), (50, 28), (88, 24), (90, 42), (72, 56), (62, 80), (50, 84), (38, 80), (28, 56), (10, 42)),
        "ball",
        color=mix(s.main, WHITE, 0.75),
    )
    for side in (-1, 1):
        s.body(rect(50 + 34 * side - 8, 26, 50 + 34 * side + 8, 36, 3), "flat", color=s.accent, shadow=False)
        s.line(smooth((50 + 38 * side, 42), (50 + 22 * side, 56), (50 + 13 * side, 80), closed=False), s.main, 1.4)
    s.fill(rect(28, 30, 72, 37, 2), s.main)
    s.fill(smooth((50, 62), (42, 53), (44, 47), (50, 50), (56, 47), (58, 53)), s.accent)


DRAWINGS = {
    "toy": _toy,
    "plush": _plush,
    "teddy": _plush,
    "bunny": _bunny,
    "balloon": _balloon,
    "doll": _doll,
    "toy_car": _toy_car,
    "puzzle": _puzzle,
    "blocks": _blocks,
    "stroller": _stroller,
    "crib": _crib,
    "baby_bottle": _baby_bottle,
    "diaper": _diaper,
}
