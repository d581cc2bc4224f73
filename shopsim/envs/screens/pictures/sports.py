"""Sports and outdoors."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    STEEL,
    WHITE,
    Sketch,
    darker,
    lighter,
    oval,
    rect,
    smooth,
    turned,
)


def _ball(s: Sketch) -> None:
    s.floor(50, 90, 34, 5)
    s.body(oval(50, 50, 40), "ball", material="rubber")
    if s.pattern in ("plain", ""):
        ink = s.accent if s.accent != s.main else darker(s.main, 0.5)
        s.line([(50, 10), (50, 90)], ink, 1.5)
        s.line([(10, 50), (90, 50)], ink, 1.5)
        for side in (-1, 1):
            s.line(smooth((50 + 26 * side, 20), (50 + 13 * side, 50), (50 + 26 * side, 80), closed=False), ink, 1.5)


def _bicycle(s: Sketch) -> None:
    s.floor(50, 85, 48, 4)
    for x in (24, 77):
        s.line(oval(x, 64, 19), BLACK, 2.8)
        for i in range(6):
            s.line(turned([(x, 46), (x, 82)], 30 * i, x, 64), (170, 172, 180), 0.5)
        s.fill(oval(x, 64, 2.4), STEEL)
    for a, b in (
        ((24, 64), (38, 36)),
        ((38, 36), (70, 36)),
        ((70, 36), (48, 66)),
        ((48, 66), (24, 64)),
        ((48, 66), (36, 30)),
        ((77, 64), (68, 28)),
    ):
        s.line([a, b], darker(s.main, 0.3), 3.8)
        s.line([a, b], s.main, 2.8)
    s.line(smooth((68, 28), (74, 24), (80, 27), (78, 33), closed=False), BLACK, 2.6)
    s.body(smooth((28, 28), (44, 27), (43, 31), (30, 32)), "flat", color=s.accent)
    s.line(oval(48, 66, 5.4), STEEL, 1.8)
    s.line([(48, 66), (53, 74)], BLACK, 2)


def _dumbbell(s: Sketch) -> None:
    s.floor(50, 74, 46, 5)
    s.body(rect(30, 46, 70, 54, 3), "side", color=STEEL, material="metal")
    for side in (-1, 1):
        s.body(rect(45 + 41 * side, 34, 55 + 41 * side, 66, 3), "fold", material="rubber")
        x0, x1 = sorted((50 + 20 * side, 50 + 36 * side))
        s.body(rect(x0, 26, x1, 74, 5), "fold", material="rubber")
        s.fill(rect(x0 + 6, 30, x1 - 6, 70, 2), s.accent)


def _racket(s: Sketch) -> None:
    head = turned(oval(50, 34, 25, 30), 32)
    for i in range(-5, 6):
        half = 30 * (1 - (i / 5.6) ** 2) ** 0.5
        s.line(turned([(50 + 4.4 * i, 34 - half), (50 + 4.4 * i, 34 + half)], 32), (226, 228, 222), 0.7)
        half = 25 * (1 - (i / 5.6) ** 2) ** 0.5
        s.line(turned([(50 - half, 34 + 5.2 * i), (50 + half, 34 + 5.2 * i)], 32), (226, 228, 222), 0.7)
    s.line([*head, head[0]], darker(s.main, 0.35), 5)
    s.line([*head, head[0]], s.main, 3.8)
    for side in (-1, 1):
        s.line(turned([(50 + 12 * side, 61), (50 + 2 * side, 76)], 32), s.main, 3.4)
    s.body(turned(rect(46, 74, 54, 104, 3), 32), "side", color=s.accent, material="leather")
    s.fill(oval(82, 78, 9), (206, 226, 70))
    s.line(oval(76, 70, 10, 10, 10, 90), WHITE, 1.2)


def _mat(s: Sketch) -> None:
    s.floor(52, 84, 46, 5)
    s.body([(20, 52), (64, 52), (96, 84), (34, 84)], "fold")
    for x0, x1 in ((25, 40), (58, 89)):
        s.line([(x0, 54), (x1, 82)], s.accent, 1.2)
    s.body(rect(16, 30, 70, 56, 10), "side")
    s.body(oval(18, 43, 8, 13), "flat", color=darker(s.main, 0.12), shadow=False)
    for r in (10, 7, 4):
        s.line(oval(18, 43, r * 0.6, r), darker(s.main, 0.4), 0.9)
    for x in (34, 56):
        s.line(smooth((x, 30), (x + 3, 43), (x, 56), closed=False), s.accent, 3)


def _tent(s: Sketch) -> None:
    s.floor(50, 84, 48, 5)
    s.body([(50, 16), (96, 82), (4, 82)], "fold")
    s.fill([(50, 16), (66, 82), (34, 82)], darker(s.main, 0.6))
    s.body([(50, 16), (34, 82), (26, 82), (44, 40)], "flat", color=s.accent, shadow=False)
    s.body([(50, 16), (66, 82), (74, 82), (56, 40)], "flat", color=s.accent, shadow=False)
    for side in (-1, 1):
        s.line([(50 + 30 * side, 58), (50 + 49 * side, 86)], darker(s.main, 0.4), 0.8)


def _sleeping_bag(s: Sketch) -> None:
    s.body(smooth((32, 10), (50, 5), (68, 10), (74, 34), (66, 88), (50, 95), (34, 88), (26, 34)), "ball")
    s.fill(smooth((38, 18), (50, 12), (62, 18), (60, 30), (50, 34), (40, 30)), s.accent)
    for i in range(5):
        y = 42 + 10 * i
        half = 23 - 1.6 * i
        s.line(smooth((50 - half, y), (50, y + 3), (50 + half, y), closed=False), darker(s.main, 0.28), 0.9)
    s.line([(58, 34), (56, 90)], lighter(s.accent, 0.3), 1.2)


def _helmet(s: Sketch) -> None:
    s.floor(50, 80, 42, 5)
    for x in (32, 66):
        s.line([(x, 62), (50, 84)], BLACK, 2)
    s.body(
        smooth((8, 60), (14, 34), (40, 18), (68, 22), (88, 42), (94, 60), (70, 64), (30, 66)),
        "ball",
        material="plastic",
    )
    for dx in (0, 17, 34):
        s.fill(smooth((26 + dx, 50), (34 + dx, 32), (40 + dx, 31), (36 + dx, 50)), darker(s.main, 0.6))
    s.line(smooth((10, 60), (30, 64), (70, 62), (93, 58), closed=False), s.accent, 2.6)


def _fishing_rod(s: Sketch) -> None:
    s.line([(8, 92), (92, 8)], darker(s.main, 0.3), 2.2)
    s.line([(6, 94), (30, 70)], s.accent, 5)
    s.line([(30, 70), (92, 8)], s.main, 1.7)
    for t in (0.45, 0.65, 0.82, 0.97):
        s.line(oval(8 + 84 * t + 1.6, 92 - 84 * t + 1.6, 2), STEEL, 0.9)
    s.line(smooth((92, 8), (86, 40), (80, 60), closed=False), (140, 150, 160), 0.6)
    s.fill(oval(80, 63, 3, 4), (226, 60, 50))
    s.fill(oval(80, 61, 3, 2), WHITE)
    s.body(oval(40, 72, 10), "ball", color=STEEL, material="metal")
    s.fill(oval(40, 72, 4.4), s.main)
    s.line([(40, 72), (52, 80)], BLACK, 2)


def _skates(s: Sketch) -> None:
    s.floor(52, 92, 42, 4)
    s.body(smooth((28, 10), (52, 12), (54, 42), (64, 54), (84, 60), (88, 72), (24, 72), (27, 44)), "fold")
    for i in range(4):
        s.line([(42, 22 + 9 * i), (54, 19 + 10 * i)], s.accent, 1.5)
    s.body([(20, 71), (90, 71), (84, 80), (26, 80)], "flat", color=BLACK)
    for x in (28, 44, 62, 80):
        s.fill(oval(x, 84, 7), s.accent)
        s.fill(oval(x, 84, 2.6), STEEL)


DRAWINGS = {
    "ball": _ball,
    "bicycle": _bicycle,
    "dumbbell": _dumbbell,
    "racket": _racket,
    "mat": _mat,
    "tent": _tent,
    "sleeping_bag": _sleeping_bag,
    "helmet": _helmet,
    "fishing_rod": _fishing_rod,
    "skates": _skates,
}
