"""Instruments: what measures, looks, heals."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    GLASS,
    STEEL,
    WHITE,
    WOOD,
    Sketch,
    darker,
    lighter,
    mix,
    oval,
    rect,
    smooth,
    turned,
)

_SCREEN = (196, 220, 190)
_RED = (214, 58, 48)


def _multimeter(s: Sketch) -> None:
    s.line(smooth((44, 84), (30, 96), (14, 80), (12, 30), closed=False), _RED, 2.4)
    s.line(smooth((58, 84), (74, 98), (90, 80), (90, 32), closed=False), BLACK, 2.4)
    for x, color in ((12, _RED), (90, BLACK)):
        s.body(rect(x - 2.6, 10, x + 2.6, 34, 2), "side", color=color)
    s.body(rect(26, 6, 76, 90, 8), "fold", material="plastic")
    s.fill(rect(33, 13, 69, 34, 2), _SCREEN)
    for i in range(4):
        s.line([(38 + 8 * i, 18), (38 + 8 * i, 29)], BLACK, 2)
    s.body(oval(51, 55, 15), "ball", color=darker(s.main, 0.5), shadow=False)
    s.line([(51, 55), (59, 46)], s.accent, 3)
    for i in range(9):
        s.fill(turned(oval(51, 37.6, 1.1), 30 * i - 120, 51, 55), WHITE)
    for x, color in ((40, BLACK), (51, BLACK), (62, _RED)):
        s.fill(oval(x, 80, 4), color)


def _gauge(s: Sketch) -> None:
    s.body(rect(43, 78, 57, 96, 1), "side", color=(196, 160, 90), material="metal")
    s.body(oval(50, 46, 41), "ball", material="metal")
    s.fill(oval(50, 46, 34), (250, 250, 246))
    for i in range(11):
        s.line(turned([(50, 15), (50, 20)], 24 * i - 120, 50, 46), BLACK, 1.2)
    s.line(oval(50, 46, 26, 26, -20, 30), s.accent, 4)
    s.line([(46, 52), (66, 28)], _RED, 2)
    s.fill(oval(50, 46, 4), BLACK)
    s.fill(rect(40, 62, 60, 68, 1), s.accent)


def _microscope(s: Sketch) -> None:
    s.floor(50, 92, 36, 4)
    s.body(smooth((18, 82), (80, 82), (86, 92), (14, 92)), "fold")
    s.line(smooth((44, 84), (76, 74), (80, 46), (58, 26), closed=False), darker(s.main, 0.3), 11)
    s.line(smooth((44, 84), (76, 74), (80, 46), (58, 26), closed=False), s.main, 9)
    s.body(turned(rect(43, 16, 57, 54, 2), -18, 50, 36), "side", color=STEEL, material="metal")
    s.body(turned(rect(42, 4, 58, 18, 2), -18, 50, 36), "side", color=BLACK)
    s.body(turned(rect(45, 54, 55, 66, 2), -18, 50, 36), "side", color=darker(STEEL, 0.4), material="metal")
    s.body(rect(24, 68, 66, 73, 1), "flat", color=BLACK)
    s.fill(rect(32, 66.4, 54, 68.4), GLASS)
    s.body(oval(76, 58, 7), "ball", color=s.accent)


def _telescope(s: Sketch) -> None:
    for x in (26, 50, 74):
        s.line([(50, 52), (x, 95)], WOOD, 3.6)
    s.body(turned(rect(8, 34, 92, 52, 3), -24), "side", material="metal")
    s.body(turned(rect(78, 30, 96, 56, 3), -24), "side", color=darker(s.main, 0.45))
    s.body(turned(rect(1, 38, 12, 48, 2), -24), "side", color=BLACK)
    s.fill(turned(rect(40, 33, 46, 53), -24), s.accent)
    s.body(oval(50, 52, 7), "ball", color=darker(STEEL, 0.4))


def _binoculars(s: Sketch) -> None:
    s.floor(50, 86, 42, 4)
    for x in (28, 72):
        s.body([(x - 8, 14), (x + 8, 14), (x + 20, 76), (x - 20, 76)], "side", material="rubber")
        s.body(rect(x - 10, 8, x + 10, 20, 3), "side", color=BLACK)
        s.body(oval(x, 78, 20, 8), "flat", color=BLACK)
        s.fill(oval(x, 78, 15, 5.4), (70, 96, 150))
        s.fill(oval(x - 5, 76, 4, 1.8), WHITE, 0.6)
    s.body(rect(40, 28, 60, 56, 3), "side", color=darker(s.main, 0.35))
    s.body(rect(45, 22, 55, 36, 2), "side", color=s.accent)


def _tripod(s: Sketch) -> None:
    s.floor(50, 95, 40, 3)
    for x in (50, 18, 82):
        s.line([(50, 34), (x, 94)], darker(s.main, 0.35), 5.4)
        s.line([(50, 34), (x, 94)], s.main, 3.8)
        s.line([((50 + 2 * x) / 3, 74), (x, 94)], STEEL, 2.4)
    s.body(rect(45, 16, 55, 42, 2), "side", color=darker(s.main, 0.4))
    s.body(rect(32, 6, 68, 16, 2), "fold")
    s.line([(60, 20), (84, 30)], BLACK, 3)
    s.body(oval(50, 36, 8), "ball", color=s.accent)


def _flask(s: Sketch) -> None:
    s.floor(50, 92, 36, 4)
    glass = [(42, 10), (58, 10), (58, 38), (84, 84), (78, 91), (22, 91), (16, 84), (42, 38)]
    s.body(glass, "side", color=lighter(GLASS, 0.35), material="glass")
    s.fill([(30, 60), (70, 60), (82, 84), (77, 89), (23, 89), (18, 84)], s.main, 0.85)
    s.fill(oval(50, 60, 20, 3), lighter(s.main, 0.35))
    s.body(rect(39, 7, 61, 13, 2), "flat", color=s.accent, shadow=False)
    for i in range(3):
        s.line([(52, 50 + 9 * i), (60 + 3 * i, 50 + 9 * i)], WHITE, 1)
    for x, y, r in ((40, 74, 3), (54, 70, 2), (48, 80, 2.4)):
        s.fill(oval(x, y, r), WHITE, 0.6)


def _syringe(s: Sketch) -> None:
    s.line(turned([(50, 68), (50, 96)], 42), darker(STEEL, 0.2), 1.2)
    s.body(turned(rect(46, 60, 54, 70, 1), 42), "side", color=s.accent)
    s.body(turned(rect(40, 22, 60, 62, 2), 42), "side", color=lighter(GLASS, 0.4), material="glass")
    s.fill(turned(rect(42, 40, 58, 60, 1), 42), s.main, 0.8)
    s.fill(turned(rect(42, 36, 58, 41), 42), BLACK)
    s.line(turned([(50, 2), (50, 36)], 42), mix(s.main, WHITE, 0.4), 3)
    s.body(turned(rect(34, 20, 66, 24, 1), 42), "flat", color=mix(s.main, WHITE, 0.4))
    s.body(turned(rect(40, 0, 60, 4, 1), 42), "flat", color=mix(s.main, WHITE, 0.4))
    for i in range(5):
        s.line(turned([(53, 28 + 6 * i), (59, 28 + 6 * i)], 42), BLACK, 0.8)


def _stethoscope(s: Sketch) -> None:
    tube = smooth((32, 14), (28, 40), (48, 58), (50, 80), (66, 88), (76, 74), closed=False)
    other = smooth((68, 14), (72, 40), (52, 58), closed=False)
    for line in (tube, other):
        s.line(line, darker(s.main, 0.35), 6)
        s.line(line, s.main, 4.4)
    for x, side in ((32, 1), (68, -1)):
        s.line([(x, 16), (x + 9 * side, 6)], STEEL, 3)
        s.fill(oval(x + 10 * side, 5.4, 3), BLACK)
    s.body(oval(76, 62, 14), "ball", color=STEEL, material="metal")
    s.fill(oval(76, 62, 9), lighter(s.accent, 0.5))


def _wheelchair(s: Sketch) -> None:
    s.floor(52, 94, 42, 3)
    s.line([(18, 14), (28, 18), (32, 62)], darker(STEEL, 0.3), 4)
    s.body([(27, 22), (38, 22), (42, 58), (31, 58)], "fold")
    s.body([(30, 54), (72, 54), (74, 64), (32, 64)], "fold")
    s.line([(34, 40), (66, 40), (68, 56)], BLACK, 4)
    s.line([(70, 62), (82, 84), (94, 84)], darker(STEEL, 0.3), 3.4)
    s.line(oval(42, 68, 25), BLACK, 3.4)
    s.line(oval(42, 68, 20), s.accent, 1.6)
    for i in range(6):
        s.line(turned([(42, 44), (42, 92)], 30 * i, 42, 68), (170, 174, 182), 0.6)
    s.fill(oval(42, 68, 4), STEEL)
    s.line(oval(80, 87, 6), BLACK, 2.6)


def _cane(s: Sketch) -> None:
    s.floor(48, 94, 16, 2)
    stick = smooth((48, 92), (48, 40), (50, 16), (62, 8), (74, 16), (74, 24), closed=False)
    s.line(stick, darker(s.main, 0.4), 7)
    s.line(stick, s.main, 5.2)
    s.line(smooth((52, 12), (62, 8), (74, 16), (74, 24), closed=False), s.accent, 6)
    s.body(rect(43, 84, 53, 94, 2), "side", color=BLACK)
    for y in (54, 60, 66):
        s.fill(oval(48, y, 1.2), WHITE)


def _first_aid(s: Sketch) -> None:
    s.floor(50, 86, 44, 4)
    s.line([(36, 30), (38, 18), (62, 18), (64, 30)], darker(s.main, 0.4), 5)
    s.body(rect(8, 28, 92, 85, 7), "fold", material="plastic")
    s.line([(8, 40), (92, 40)], darker(s.main, 0.3), 1)
    s.fill(oval(50, 58, 19), WHITE)
    cross = mix(s.accent, _RED, 0.75)
    s.fill(rect(45, 46, 55, 70), cross)
    s.fill(rect(38, 53, 62, 63), cross)


def _calculator(s: Sketch) -> None:
    s.floor(50, 95, 30, 3)
    s.body(rect(22, 6, 78, 94, 6), "fold", material="plastic")
    s.fill(rect(28, 13, 72, 32, 2), _SCREEN)
    s.line([(54, 22.5), (68, 22.5)], BLACK, 3)
    for row in range(4):
        for column in range(4):
            color = s.accent if column == 3 else lighter(s.main, 0.5)
            s.fill(rect(28 + 11.6 * column, 40 + 12.6 * row, 37 + 11.6 * column, 49 + 12.6 * row, 2), color)


def _remote(s: Sketch) -> None:
    s.body(turned(rect(36, 4, 64, 96, 9), 14), "side", material="plastic")
    s.fill(turned(oval(50, 14, 3.6), 14), _RED)
    s.body(turned(oval(50, 34, 11), 14), "ball", color=darker(s.main, 0.4), shadow=False)
    s.fill(turned(oval(50, 34, 5), 14), s.accent)
    for row in range(4):
        for column in range(3):
            s.fill(turned(rect(40 + 7.6 * column, 52 + 9 * row, 45 + 7.6 * column, 57 + 9 * row, 1.5), 14),
                   lighter(s.main, 0.5))  # fmt: skip


def _telephone(s: Sketch) -> None:
    s.floor(50, 86, 44, 4)
    s.body(smooth((22, 42), (78, 42), (94, 84), (6, 84)), "fold", material="plastic")
    s.line(smooth((10, 34), (24, 20), (50, 16), (76, 20), (90, 34), closed=False), darker(s.main, 0.25), 12)
    s.line(smooth((10, 34), (24, 20), (50, 16), (76, 20), (90, 34), closed=False), s.main, 10)
    for x in (12, 88):
        s.body(oval(x, 38, 10, 8), "ball", color=darker(s.main, 0.2))
    s.fill(rect(32, 44, 68, 76, 3), lighter(s.accent, 0.3))
    for row in range(3):
        for column in range(3):
            s.fill(rect(36 + 10 * column, 48 + 9 * row, 43 + 10 * column, 54 + 9 * row, 1), BLACK)


def _doorbell(s: Sketch) -> None:
    s.body(rect(30, 5, 70, 95, 12), "side", material="plastic")
    s.body(oval(50, 27, 15), "ball", color=BLACK, shadow=False)
    s.fill(oval(50, 27, 8), (44, 60, 96))
    s.fill(oval(46, 23, 2.6), WHITE)
    for i in range(3):
        s.line([(44, 49 + 3 * i), (56, 49 + 3 * i)], darker(s.main, 0.45), 1)
    s.body(oval(50, 74, 13), "ball", color=darker(s.main, 0.3), shadow=False)
    s.line(oval(50, 74, 11), s.accent, 2)
    s.fill([(46, 69), (56, 74), (46, 79)], WHITE)


def _phone_stand(s: Sketch) -> None:
    s.floor(50, 92, 36, 4)
    s.body(oval(50, 86, 34, 8), "ball", material="metal")
    s.body(rect(46, 40, 54, 86, 2), "side", material="metal")
    s.body(turned(rect(32, 6, 68, 62, 5), 6), "flat", color=BLACK)
    s.fill(turned(rect(35, 10, 65, 58, 3), 6), mix(s.accent, (120, 160, 210), 0.5))
    s.body(turned(rect(28, 58, 72, 66, 2), 6), "fold", material="metal")


def _goggles(s: Sketch) -> None:
    s.line(smooth((8, 42), (2, 60), (14, 80), (50, 88), (86, 80), (98, 60), (92, 42), closed=False), s.accent, 6)
    s.body(smooth((8, 30), (50, 24), (92, 30), (94, 56), (74, 68), (56, 60), (44, 60), (26, 68), (6, 56)), "ball")
    s.body(
        smooth((15, 35), (50, 30), (85, 35), (86, 53), (72, 60), (56, 53), (44, 53), (28, 60), (14, 53)),
        "ball",
        color=mix((70, 110, 160), s.accent, 0.35),
        material="glass",
        shadow=False,
    )
    s.fill([(22, 54), (36, 34), (44, 34), (30, 56)], WHITE, 0.4)


def _globe(s: Sketch) -> None:
    s.floor(50, 94, 26, 3)
    s.body(rect(46, 78, 54, 90), "side", color=darker(s.accent, 0.2))
    s.body(oval(50, 91, 22, 4), "ball", color=darker(s.accent, 0.2))
    s.line(oval(50, 44, 41, 41, -70, 110), mix(s.accent, STEEL, 0.5), 3.4)
    s.body(oval(50, 44, 36), "ball", color=mix(s.main, (88, 156, 208), 0.6))
    land = (126, 168, 92)
    s.fill(smooth((30, 22), (48, 16), (52, 28), (42, 40), (30, 38)), land)
    s.fill(smooth((40, 46), (52, 50), (50, 68), (44, 74), (38, 58)), land)
    s.fill(smooth((62, 26), (80, 32), (82, 50), (70, 58), (62, 44)), land)


def _torch(s: Sketch) -> None:
    s.fill(turned([(34, 26), (66, 26), (92, -8), (8, -8)], 48), (255, 236, 160), 0.4)
    s.body(turned(rect(42, 44, 58, 96, 4), 48), "side", material="metal")
    s.body(turned([(34, 26), (66, 26), (59, 46), (41, 46)], 48), "side", color=darker(s.main, 0.35), material="metal")
    s.body(turned(oval(50, 26, 16, 5), 48), "flat", color=(255, 246, 210), shadow=False)
    s.fill(turned(rect(46, 54, 54, 62, 2), 48), s.accent)
    for y in (72, 78, 84):
        s.line(turned([(43, y), (57, y)], 48), darker(s.main, 0.4), 1.2)


DRAWINGS = {
    "torch": _torch,
    "multimeter": _multimeter,
    "gauge": _gauge,
    "microscope": _microscope,
    "telescope": _telescope,
    "binoculars": _binoculars,
    "tripod": _tripod,
    "flask": _flask,
    "syringe": _syringe,
    "stethoscope": _stethoscope,
    "wheelchair": _wheelchair,
    "cane": _cane,
    "first_aid": _first_aid,
    "calculator": _calculator,
    "remote": _remote,
    "telephone": _telephone,
    "doorbell": _doorbell,
    "phone_stand": _phone_stand,
    "goggles": _goggles,
    "globe": _globe,
}
