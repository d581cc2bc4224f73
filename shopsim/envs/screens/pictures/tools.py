"""Tools and car parts."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    STEEL,
    WHITE,
    WOOD,
    Sketch,
    darker,
    mix,
    oval,
    rect,
    smooth,
    turned,
)


def _screwdriver(s: Sketch) -> None:
    s.body(
        turned([(47, 50), (53, 50), (53, 90), (55, 98), (45, 98), (47, 90)], -40), "side", color=STEEL, material="metal"
    )
    s.body(
        turned(smooth((42, 8), (50, 3), (58, 8), (60, 30), (56, 46), (58, 52), (42, 52), (44, 46), (40, 30)), -40),
        "side",
        material="plastic",
    )
    for x in (45.5, 54.5):
        s.line(turned([(x, 10), (x, 42)], -40), s.accent, 2.2)


def _hammer(s: Sketch) -> None:
    s.body(
        turned(rect(46, 24, 54, 98, 3), 36),
        "side",
        color=WOOD if s.main == s.accent else s.main,
        material=s.material or "wood",
    )
    s.body(turned(rect(45, 66, 55, 98, 3), 36), "side", color=s.accent, material="rubber")
    head = [(40, 10), (64, 10), (64, 28), (40, 28), (36, 24), (22, 30), (14, 26), (24, 14), (36, 13)]
    s.body(turned(head, 36), "flat", color=STEEL, material="metal")
    s.body(turned(rect(64, 8, 74, 30, 2), 36), "flat", color=STEEL, material="metal")


def _drill(s: Sketch) -> None:
    s.floor(54, 93, 34, 4)
    s.body(rect(6, 31, 22, 35, 1), "flat", color=STEEL, material="metal")
    s.body([(20, 26), (32, 22), (32, 44), (20, 40)], "flat", color=darker(STEEL, 0.55))
    s.body(smooth((32, 20), (70, 16), (88, 22), (90, 42), (72, 48), (32, 46)), "ball", material="plastic")
    s.body([(56, 46), (74, 44), (80, 78), (62, 80)], "side", color=s.accent)
    s.body(rect(52, 76, 90, 92, 4), "fold", color=darker(s.main, 0.45))
    s.fill(smooth((52, 48), (58, 48), (60, 58), (54, 56)), BLACK)
    for i in range(4):
        s.line([(68 + 4 * i, 26), (68 + 4 * i, 38)], darker(s.main, 0.45), 1.3)


def _wrench(s: Sketch) -> None:
    shape = smooth((45, 34), (34, 26), (34, 12), (42, 6), (43, 18), (57, 18), (58, 6), (66, 12), (66, 26), (55, 34))
    s.body(turned(rect(44, 28, 56, 92, 6), 38), "side", material="metal")
    s.body(turned(shape, 38), "flat", shadow=False, material="metal")
    s.body(turned(oval(50, 90, 11), 38), "flat", shadow=False, material="metal")
    s.hole(turned(oval(50, 90, 5.4), 38))
    s.fill(turned(rect(47, 42, 53, 78, 3), 38), s.accent)


def _saw(s: Sketch) -> None:
    teeth = [(8 + 3.6 * i, 66 + (3.4 if i % 2 else 0)) for i in range(17)]
    s.body(turned([(66, 34), *reversed(teeth), (6, 56)], -18), "flat", color=STEEL, material="metal")
    s.body(
        turned(smooth((62, 30), (80, 28), (96, 36), (94, 68), (80, 74), (64, 70)), -18),
        "ball",
        material=s.material or "wood",
    )
    s.hole(turned(smooth((74, 42), (86, 42), (84, 60), (74, 61)), -18))
    s.fill(turned(oval(66, 50, 2), -18), s.accent)


def _screws(s: Sketch) -> None:
    s.floor(50, 86, 42, 4)
    for x, y, turn in ((28, 24, -24), (52, 16, 10), (74, 26, 28)):
        s.body(turned([(x - 2.6, y), (x + 2.6, y), (x, y + 26)], turn, x, y), "flat", color=STEEL, material="metal")
        s.body(turned(rect(x - 7, y - 5, x + 7, y + 1, 2), turn, x, y), "flat", color=STEEL, material="metal")
    s.body([(12, 52), (88, 52), (82, 86), (18, 86)], "fold", material="plastic")
    s.body(rect(9, 46, 91, 55, 2), "flat", color=darker(s.main, 0.2))
    s.fill(rect(32, 62, 68, 78, 1.5), s.accent)
    s.line([(38, 70), (62, 70)], WHITE, 2)


def _tape(s: Sketch) -> None:
    s.floor(46, 86, 38, 5)
    s.body([(46, 78), (92, 80), (92, 87), (46, 88)], "flat")
    s.body(oval(46, 48, 39), "fold")
    for r in (35, 31, 27):
        s.line(oval(46, 48, r), darker(s.main, 0.2), 0.6)
    s.fill(oval(46, 48, 22), s.accent)
    s.hole(oval(46, 48, 18))


def _paint_bucket(s: Sketch) -> None:
    s.floor(50, 90, 36, 5)
    s.line(oval(50, 34, 36, 28, 190, 350), darker(STEEL, 0.3), 1.8)
    s.body([(16, 34), (84, 34), (78, 88), (22, 88)], "side", color=(224, 226, 230), material="metal")
    s.body(oval(50, 34, 34, 9), "flat", color=darker(STEEL, 0.1), shadow=False)
    s.fill(oval(50, 35, 30, 7), s.main)
    s.fill(
        smooth((20, 36), (36, 42), (44, 41), (46, 62), (41, 66), (36, 52), (31, 52), (28, 74), (23, 74), (22, 52)),
        s.main,
    )
    s.fill(rect(48, 52, 76, 76, 2), s.accent)
    s.fill(rect(52, 57, 72, 62), WHITE)


def _tire(s: Sketch) -> None:
    s.floor(50, 92, 36, 4)
    s.body(oval(50, 50, 43), "ball", color=mix(s.main, BLACK, 0.75), material="rubber")
    for i in range(28):
        s.line(turned([(50, 7), (52, 14)], 360 / 28 * i), BLACK, 1.8)
    s.body(oval(50, 50, 27), "ball", color=STEEL, material="metal")
    s.fill(oval(50, 50, 24), (60, 62, 70))
    for i in range(5):
        s.fill(turned([(46, 48), (54, 48), (56, 27), (44, 27)], 72 * i), STEEL)
    s.fill(oval(50, 50, 7), s.accent)


def _car_part(s: Sketch) -> None:
    s.body(oval(50, 50, 42), "ball", color=STEEL, material="metal")
    for i in range(18):
        s.fill(turned(oval(50, 16, 2.2), 20 * i), darker(STEEL, 0.6))
    s.body(oval(50, 50, 18), "flat", color=darker(STEEL, 0.3), shadow=False)
    for i in range(5):
        s.fill(turned(oval(50, 39, 2.6), 72 * i), BLACK)
    s.hole(oval(50, 50, 6))
    s.body([*oval(50, 50, 46, 46, 20, 95), *oval(50, 50, 26, 26, 95, 20)], "fold", material="plastic")
    s.fill(turned(rect(66, 76, 78, 82, 1), 50, 72, 79), s.accent)


def _car_seat(s: Sketch) -> None:
    s.floor(50, 93, 36, 4)
    s.body(smooth((36, 8), (64, 8), (76, 22), (78, 62), (22, 62), (24, 22)), "ball", color=darker(s.accent, 0.2))
    s.body(smooth((38, 14), (62, 14), (68, 26), (68, 62), (32, 62), (32, 26)), "fold")
    s.body(smooth((14, 60), (86, 60), (88, 80), (76, 92), (24, 92), (12, 80)), "ball", color=darker(s.accent, 0.2))
    s.body(smooth((28, 62), (72, 62), (76, 80), (50, 86), (24, 80)), "ball", shadow=False)
    for side in (-1, 1):
        s.line([(50 + 10 * side, 26), (50 + 6 * side, 60), (50, 66)], BLACK, 3)
    s.fill(rect(45, 62, 55, 71, 2), (220, 60, 50))


def _oil_can(s: Sketch) -> None:
    s.floor(50, 91, 32, 4)
    s.body(rect(56, 8, 70, 20, 2), "side", color=s.accent)
    s.body([(26, 26), (54, 18), (74, 18), (78, 30), (78, 90), (22, 90), (22, 34)], "fold", material="plastic")
    s.hole(smooth((28, 34), (44, 29), (44, 36), (34, 40), (34, 58), (28, 58)))
    s.fill(rect(38, 46, 74, 82, 2), s.accent)
    s.fill(smooth((56, 50), (64, 64), (56, 74), (48, 64)), (250, 196, 70))


DRAWINGS = {
    "tool": _screwdriver,
    "hammer": _hammer,
    "drill": _drill,
    "wrench": _wrench,
    "saw": _saw,
    "screws": _screws,
    "tape": _tape,
    "paint_bucket": _paint_bucket,
    "tire": _tire,
    "car_part": _car_part,
    "car_seat": _car_seat,
    "oil_can": _oil_can,
}
