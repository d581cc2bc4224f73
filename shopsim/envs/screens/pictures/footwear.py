"""Shoes, seen from the side."""

from shopsim.envs.screens.pictures.sketch import (
    GOLD,
    WHITE,
    Sketch,
    darker,
    lighter,
    mix,
    moved,
    oval,
    smooth,
)


def _sneaker(s: Sketch) -> None:
    s.floor(50, 76, 46, 6)
    upper = (10, 62), (13, 38), (22, 34), (34, 42), (46, 40), (62, 54), (84, 58), (91, 68), (60, 72), (12, 71)
    s.body(smooth(*upper), "fold")
    s.fill(smooth((15, 40), (22, 35.5), (33, 43), (26, 47)), darker(s.main, 0.5))
    s.body(smooth((74, 57), (88, 60), (91, 69), (70, 70)), "flat", color=lighter(s.accent, 0.1), shadow=False)
    s.body(smooth((10, 56), (19, 57), (20, 71), (10, 71)), "flat", color=s.accent, shadow=False)
    s.fill(smooth((30, 62), (48, 60), (62, 52), (50, 65), (34, 68)), s.accent)
    for i in range(4):
        s.line([(38 + 6 * i, 44 + 3.4 * i), (46 + 6 * i, 40 + 4.4 * i)], WHITE, 1.7)
    s.body(
        smooth((8, 69), (50, 70), (92, 66), (94, 74), (84, 78), (12, 78)), "flat", color=(246, 245, 242), shadow=False
    )
    s.line([(10, 75), (93, 73)], mix(s.accent, WHITE, 0.3), 1.1)


def _boot(s: Sketch) -> None:
    s.floor(52, 86, 40, 5)
    s.body(smooth((26, 14), (54, 14), (54, 46), (60, 58), (80, 64), (88, 74), (86, 81), (24, 81), (27, 48)), "fold")
    s.fill(smooth((28, 14), (40, 12), (53, 14), (40, 17)), darker(s.main, 0.5))
    for i in range(5):
        s.line([(44, 26 + 7 * i), (55, 23 + 7.6 * i)], s.accent, 1.5)
    s.body(
        [(22, 79), (88, 79), (88, 85), (46, 85), (44, 87), (22, 87)], "flat", color=darker(s.main, 0.6), shadow=False
    )


def _heel(s: Sketch) -> None:
    s.floor(50, 84, 44, 4)
    s.body([(14, 50), (23, 48), (19, 84), (15, 84)], "flat", color=darker(s.main, 0.25))
    s.body(
        smooth((12, 36), (20, 32), (26, 44), (48, 66), (72, 72), (90, 78), (88, 83), (62, 83), (38, 74), (22, 54)),
        "ball",
    )
    s.fill(smooth((17, 36), (22, 38), (40, 58), (60, 71), (46, 67), (28, 52)), mix(s.accent, (230, 200, 170), 0.5))
    s.line([(60, 83), (88, 83)], darker(s.main, 0.5), 1)


def _sandal(s: Sketch) -> None:
    sole = (190, 150, 105)
    s.floor(50, 80, 46, 5)
    s.body(smooth((6, 66), (12, 62), (40, 68), (76, 68), (94, 71), (92, 79), (50, 81), (8, 79)), "flat", color=sole)
    s.line(smooth((8, 75), (40, 77), (76, 77), (92, 76), closed=False), darker(sole, 0.35), 2.4)
    back = smooth((10, 64), (9, 48), (17, 40), (34, 44), (46, 54), closed=False)
    s.line(back, darker(s.main, 0.38), 6.6)
    s.line(back, s.main, 5.2)
    for x, y, w in ((34, 46, 24), (62, 52, 27)):
        s.body([(x, 69), *smooth((x + 1, 62), (x + w * 0.35, y), (x + w, 60), closed=False), (x + w + 2, 70)], "fold")
        s.fill(smooth((x + 4, 69), (x + w * 0.38, y + 7), (x + w - 9, 69)), darker(s.main, 0.5))
    s.fill(oval(18, 41, 4, 3.4), GOLD)
    s.fill(oval(18, 41, 2, 1.6), s.accent)


def _loafer(s: Sketch) -> None:
    s.floor(50, 75, 46, 5)
    s.body(smooth((8, 56), (14, 42), (26, 42), (44, 52), (62, 50), (82, 58), (92, 68), (88, 72), (10, 72)), "ball")
    s.fill(smooth((13, 46), (25, 43), (44, 53), (28, 52)), darker(s.main, 0.6))
    s.line(smooth((48, 54), (62, 53), (78, 60), (82, 66), closed=False), darker(s.main, 0.35), 1)
    s.body([(42, 56), (52, 49), (58, 52), (50, 64)], "flat", color=s.accent, shadow=False)
    s.body([(8, 70), (91, 70), (91, 74), (34, 74), (32, 77), (8, 77)], "flat", color=darker(s.main, 0.55), shadow=False)


def _tall_boot(s: Sketch) -> None:
    s.floor(52, 93, 36, 4)
    s.body(
        smooth(
            (34, 6), (60, 6), (58, 40), (57, 64), (66, 72), (82, 77), (88, 84), (86, 88), (34, 88), (36, 60), (32, 36)
        ),
        "side",
    )
    s.fill(smooth((36, 7), (47, 5), (58, 7), (47, 10)), darker(s.main, 0.5))
    s.line(smooth((47, 12), (46, 44), (46, 70), closed=False), darker(s.main, 0.28), 0.8)
    s.line(smooth((35, 66), (46, 70), (57, 65), closed=False), s.accent, 3)
    s.fill(oval(54, 67, 2.6), GOLD)
    s.body(
        [(33, 87), (88, 87), (88, 91), (52, 91), (50, 95), (33, 95)], "flat", color=darker(s.main, 0.6), shadow=False
    )


def _chelsea_boot(s: Sketch) -> None:
    s.floor(52, 88, 42, 5)
    s.body(smooth((24, 20), (54, 18), (56, 50), (62, 60), (80, 66), (90, 76), (88, 82), (24, 82), (26, 52)), "fold")
    s.fill(smooth((27, 21), (40, 18), (53, 20), (40, 23)), darker(s.main, 0.5))
    gusset = [(34, 22), (47, 21), (45, 58), (37, 58)]
    s.body(gusset, "flat", color=s.accent, shadow=False)
    for x in (37, 40, 43):
        s.line([(x, 24), (x, 56)], darker(s.accent, 0.3), 0.6)
    s.line([(24, 20), (22, 10), (27, 10), (29, 20)], darker(s.main, 0.2), 2)
    s.body(
        [(22, 80), (90, 80), (90, 85), (48, 85), (46, 89), (22, 89)], "flat", color=darker(s.main, 0.6), shadow=False
    )


def _oxford(s: Sketch) -> None:
    s.floor(50, 76, 46, 5)
    s.body(smooth((8, 60), (12, 40), (24, 38), (42, 48), (62, 54), (84, 60), (93, 68), (90, 73), (10, 73)), "ball")
    s.fill(smooth((13, 43), (23, 39), (38, 47), (26, 48)), darker(s.main, 0.6))
    s.body(smooth((34, 46), (44, 46), (60, 54), (52, 62), (38, 58)), "fold", shadow=False)
    for i in range(4):
        s.line([(40 + 4 * i, 47.5 + 1.9 * i), (45 + 4 * i, 52 + 1.4 * i)], s.accent, 1.3)
    s.line(smooth((70, 56), (67, 64), (70, 72), closed=False), darker(s.main, 0.4), 1)
    for i in range(5):
        s.fill(oval(75 + 2.4 * i, 63 + 0.7 * i, 0.7), darker(s.main, 0.5))
    s.body([(8, 71), (93, 71), (93, 75), (36, 75), (34, 79), (8, 79)], "flat", color=darker(s.main, 0.6), shadow=False)


def _slide(s: Sketch) -> None:
    s.floor(50, 80, 46, 5)
    s.body(smooth((6, 66), (14, 62), (46, 70), (80, 68), (94, 70), (93, 78), (50, 82), (8, 79)), "flat", color=s.accent)
    s.line(smooth((9, 75), (50, 78), (92, 75), closed=False), darker(s.accent, 0.3), 1.2)
    s.body([(40, 71), *smooth((44, 60), (58, 49), (74, 50), (84, 58), closed=False), (90, 71), (66, 75)], "side")
    s.fill(smooth((43, 71), (50, 63), (56, 72)), darker(s.main, 0.55))
    s.line(smooth((49, 59), (60, 52.5), (74, 53.5), (82, 60), closed=False), lighter(s.main, 0.45), 1.4)


def _flip_flops(s: Sketch) -> None:
    for dx, dy in ((-17, -5), (17, 5)):
        sole = (
            (50, 8),
            (62, 14),
            (65, 34),
            (59, 54),
            (61, 76),
            (57, 90),
            (48, 92),
            (40, 84),
            (41, 60),
            (36, 38),
            (38, 16),
        )
        s.body(smooth(*moved(sole, dx, dy)), "fold")
        s.line(smooth(*moved(sole, dx, dy)), lighter(s.main, 0.3), 0.8)
        for x in (38.5, 63.5):
            strap = smooth(*moved([(50, 24), ((x + 50) / 2 + (x - 50) / 6, 34), (x, 50)], dx, dy), closed=False)
            s.line(strap, darker(s.accent, 0.4), 4.6)
            s.line(strap, s.accent, 3.4)
        s.fill(oval(50 + dx, 24 + dy, 2.6), darker(s.accent, 0.25))


DRAWINGS = {
    "sneaker": _sneaker,
    "boot": _boot,
    "tall_boot": _tall_boot,
    "chelsea_boot": _chelsea_boot,
    "heel": _heel,
    "sandal": _sandal,
    "slide": _slide,
    "flip_flops": _flip_flops,
    "loafer": _loafer,
    "oxford": _oxford,
}
