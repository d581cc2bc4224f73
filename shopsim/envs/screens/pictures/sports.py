"""Sports and outdoors."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    STEEL,
    WHITE,
    Sketch,
    darker,
    lighter,
    mix,
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


def _skateboard(s: Sketch) -> None:
    s.body(turned(smooth((36, 4), (50, 0), (64, 4), (66, 50), (64, 96), (50, 100), (36, 96), (34, 50)), 34), "ball")
    s.fill(turned([(44, 36), (58, 36), (50, 50), (58, 50), (42, 70), (48, 54), (42, 54)], 34), s.accent)
    for y in (18, 82):
        s.line(turned([(32, y), (68, y)], 34), STEEL, 3)
        for x in (31, 69):
            s.body(turned(rect(x - 4, y - 5, x + 4, y + 5, 2), 34), "ball", color=lighter(s.accent, 0.5))


def _skis(s: Sketch) -> None:
    for x, lean in ((40, -9), (60, 9)):
        s.body(turned(smooth((x - 5, 12), (x, 5), (x + 5, 12), (x + 4, 86), (x - 4, 86)), lean), "side")
        s.fill(turned(rect(x - 4, 46, x + 4, 62, 1), lean), BLACK)
        s.fill(turned(rect(x - 3.4, 16, x + 3.4, 34, 1), lean), s.accent)
    for x in (12, 88):
        s.line([(x, 14), (x, 92)], STEEL, 1.8)
        s.line([(x, 12), (x, 24)], BLACK, 4)
        s.line(oval(x, 84, 5, 2), BLACK, 1.4)


def _football(s: Sketch) -> None:
    s.floor(50, 90, 34, 5)
    s.body(oval(50, 50, 40), "ball", color=mix(s.main, WHITE, 0.75), material="leather")
    ink = s.main if sum(s.main) < 500 else s.accent
    s.fill(turned([(50, 36), (63, 46), (58, 61), (42, 61), (37, 46)], 0), ink)
    for i in range(5):
        a, b = turned([(50, 36), (50, 20)], 72 * i, 50, 50)
        s.line([a, b], darker(s.main, 0.4), 1)
        s.fill(turned([(50, 20), (58, 15), (54, 10.4), (46, 10.4), (42, 15)], 72 * i), ink)


def _golf(s: Sketch) -> None:
    s.floor(50, 93, 38, 3)
    s.line([(78, 4), (34, 84)], darker(STEEL, 0.3), 3)
    s.line([(78, 4), (64, 30)], s.accent, 5)
    s.body(smooth((36, 78), (40, 86), (24, 94), (8, 90), (14, 82)), "side", material="metal")
    s.body(oval(68, 84, 10), "ball", color=(248, 248, 246))
    for x, y in ((65, 81), (70, 80), (68, 86), (73, 85), (63, 87)):
        s.fill(oval(x, y, 1.1), (214, 214, 214))


def _swim_ring(s: Sketch) -> None:
    s.floor(50, 78, 44, 6)
    ring = oval(50, 52, 44, 28)
    s.body(ring, "ball", material="plastic")
    for i in range(4):
        start = 20 + 90 * i
        s.fill([*oval(50, 52, 43, 27, start, start + 40), *oval(50, 50, 21, 11, start + 40, start)], s.accent)
    s.hole(oval(50, 50, 20, 10))
    s.glow(oval(36, 38, 16, 7), "spot", alpha=0.6)


def _punch_bag(s: Sketch) -> None:
    for x in (36, 50, 64):
        s.line([(50, 4), (x, 22)], STEEL, 1.8)
    s.body(rect(30, 20, 70, 92, 8), "side", material=s.material or "leather")
    for y in (32, 80):
        s.fill(rect(30, y, 70, y + 5), s.accent)
    s.fill(oval(50, 56, 12), lighter(s.main, 0.6))
    s.fill(oval(50, 56, 6), s.accent)


def _treadmill(s: Sketch) -> None:
    s.floor(50, 90, 48, 4)
    s.body([(2, 78), (70, 72), (96, 80), (94, 90), (4, 90)], "fold", color=darker(s.main, 0.2))
    s.body([(8, 78), (68, 73), (84, 79), (20, 84)], "flat", color=BLACK)
    s.line([(76, 78), (64, 22)], s.main, 6)
    s.line([(88, 80), (78, 26)], darker(s.main, 0.3), 6)
    s.line([(40, 42), (68, 38)], BLACK, 4)
    s.body([(52, 10), (84, 12), (86, 30), (50, 26)], "fold")
    s.fill([(57, 14), (79, 15), (80, 25), (56, 22)], mix((60, 90, 120), s.accent, 0.4))


def _trampoline(s: Sketch) -> None:
    s.floor(50, 90, 46, 4)
    for x in (14, 36, 64, 86):
        s.line([(x, 62), (x, 90)], STEEL, 3.4)
    for x in (12, 31, 50, 69, 88):
        s.line([(x, 14 + abs(x - 50) * 0.1), (x, 62)], mix(s.accent, BLACK, 0.4), 2.2)
    s.fill([(12, 18), (88, 18), (88, 60), (12, 60)], (90, 96, 110), 0.18)
    s.body(oval(50, 62, 46, 13), "flat")
    s.fill(oval(50, 61, 35, 8.6), BLACK)


def _pool(s: Sketch) -> None:
    s.floor(50, 80, 48, 6)
    for k, y in enumerate((66, 58, 50)):
        s.body(smooth((2, y), (50, y + 16), (98, y), (96, y + 10), (50, y + 26), (4, y + 10)), "side",
               color=s.accent if k == 1 else None, material="plastic", shadow=k == 0)  # fmt: skip
    s.body(oval(50, 48, 48, 18), "flat", material="plastic")
    s.fill(oval(50, 49, 40, 13), (120, 196, 228))
    for x, y in ((36, 46), (56, 52), (64, 44)):
        s.line(smooth((x - 6, y), (x, y - 2), (x + 6, y), closed=False), WHITE, 1.2)


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
    "skateboard": _skateboard,
    "skis": _skis,
    "football": _football,
    "golf": _golf,
    "swim_ring": _swim_ring,
    "punch_bag": _punch_bag,
    "treadmill": _treadmill,
    "trampoline": _trampoline,
    "pool": _pool,
}
