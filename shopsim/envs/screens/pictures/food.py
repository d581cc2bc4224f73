"""Food and drink."""

import math

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    GREEN,
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


def _meat(s: Sketch) -> None:
    s.floor(50, 84, 46, 4)
    s.body(rect(4, 40, 96, 84, 6), "flat", color=(244, 244, 246))
    s.body(
        smooth((14, 52), (24, 30), (48, 24), (74, 32), (88, 52), (78, 72), (52, 76), (26, 72)),
        "ball",
        color=(246, 228, 214),
    )
    s.body(smooth((19, 53), (27, 35), (48, 29), (71, 37), (83, 53), (75, 67), (52, 71), (29, 67)), "fold", shadow=False)
    for a, b, c in (((28, 46), (42, 44), (54, 52)), ((44, 60), (58, 60), (70, 52)), ((50, 38), (60, 42), (66, 46))):
        s.line(smooth(a, b, c, closed=False), lighter(s.main, 0.6), 1.6)
    s.body(oval(36, 55, 6, 5), "flat", color=(246, 238, 226), shadow=False)


def _fish(s: Sketch) -> None:
    s.floor(50, 76, 44, 4)
    s.body([(72, 50), (94, 32), (90, 52), (95, 70)], "fold", color=darker(s.main, 0.15))
    s.body(smooth((36, 34), (50, 24), (62, 36)), "fold", color=darker(s.main, 0.15))
    s.body(
        smooth((4, 52), (20, 36), (44, 32), (66, 42), (78, 50), (66, 60), (44, 70), (20, 66)), "ball", material="silk"
    )
    s.fill(smooth((8, 56), (30, 62), (60, 60), (44, 68), (22, 64)), lighter(s.main, 0.6), 0.8)
    for x in (36, 44, 52, 60):
        s.line(oval(x - 4, 50, 5, 8, -60, 60), darker(s.main, 0.25), 0.8)
    s.line(oval(20, 51, 8, 13, -60, 60), darker(s.main, 0.35), 1)
    s.fill(oval(14, 47, 3), WHITE)
    s.fill(oval(14, 47, 1.7), BLACK)
    s.fill(smooth((40, 54), (50, 56), (44, 62)), s.accent)


def _egg(s: Sketch) -> None:
    s.floor(50, 86, 46, 4)
    for x in (21, 50, 79):
        half = (0, 24), (5.6, 25.4), (10, 32), (12.6, 45), (11.4, 58), (6, 66), (0, 68)
        egg = [(x + dx, y) for dx, y in half] + [(x - dx, y) for dx, y in half[-2:0:-1]]
        s.body(smooth(*egg), "ball", material="ceramic")
    waves = [
        (96, 60),
        *[(96 - 92 / 60 * i, 60 + 3.4 * math.cos(2 * math.pi * i / 60 * 3 + math.pi)) for i in range(61)],
    ]
    s.body([(4, 84), (96, 84), *waves], "fold", color=mix(s.accent, (170, 165, 160), 0.5), edge=True)


def _bread(s: Sketch) -> None:
    s.floor(50, 82, 46, 5)
    s.body(
        smooth((6, 54), (12, 34), (36, 26), (66, 26), (88, 34), (94, 54), (90, 76), (50, 80), (10, 76)),
        "ball",
        color=mix(s.main, (206, 140, 74), 0.6),
    )
    for i in range(4):
        x = 24 + 17 * i
        s.fill(smooth((x - 6, 60), (x - 1, 38), (x + 6, 34), (x + 2, 56)), (244, 214, 160))
    s.line(smooth((12, 70), (50, 74), (88, 70), closed=False), darker((206, 140, 74), 0.25), 1)
    s.fill(rect(70, 62, 88, 74, 2), s.accent)


def _cake(s: Sketch) -> None:
    s.floor(50, 88, 46, 4)
    s.body(oval(50, 84, 46, 7), "flat", color=(236, 238, 242))
    s.body(rect(16, 44, 84, 83, 4), "side")
    s.line([(16, 64), (84, 64)], lighter(s.main, 0.5), 3)
    drip = (
        [(84, 42), (84, 54)]
        + [p for i in range(6) for p in oval(78 - 11.4 * i, 54 + (4 if i % 2 else 0), 5.6, 6, 0, 180)]
        + [(16, 54), (16, 42)]
    )
    s.body(drip, "flat", color=s.accent, shadow=False)
    s.body(oval(50, 43, 34, 7), "flat", color=lighter(s.accent, 0.2), shadow=False)
    for x in (32, 50, 68):
        s.body(oval(x, 37, 5), "ball", color=(214, 48, 60), material="ceramic")
    s.line([(50, 34), (50, 16)], WHITE, 2.4)
    s.fill(smooth((50, 6), (53, 13), (50, 17), (47, 13)), (255, 180, 50))


def _can(s: Sketch) -> None:
    s.floor(50, 91, 28, 4)
    s.body(mirrored([(66, 12), (70, 20), (70, 84), (65, 91), (50, 92)]), "side", material="metal")
    s.body(oval(50, 13, 17, 4.4), "flat", color=STEEL, material="metal", shadow=False)
    s.line(oval(51, 12.6, 5, 1.8), darker(STEEL, 0.4), 0.8)
    s.fill(smooth((30, 46), (50, 38), (70, 46), (70, 64), (50, 72), (30, 64)), s.accent)
    for y, half in ((51, 12), (57, 14), (63, 9)):
        s.line([(50 - half, y), (50 + half, y)], WHITE, 1.8)


def _packet(s: Sketch) -> None:
    s.floor(50, 91, 36, 4)
    s.body(
        smooth((22, 14), (50, 16), (78, 14), (80, 50), (78, 88), (50, 86), (22, 88), (20, 50)),
        "fold",
        material="plastic",
    )
    for y in (12, 87):
        s.body(
            [(21 + i * 58 / 16, y - (2 if i % 2 else 0)) for i in range(17)] + [(79, y + 5), (21, y + 5)],
            "flat",
            color=lighter(s.main, 0.25),
            shadow=False,
        )
    s.fill(smooth((26, 38), (50, 28), (74, 38), (72, 56), (50, 62), (28, 56)), s.accent)
    for y, half in ((42, 15), (49, 11)):
        s.line([(50 - half, y), (50 + half, y)], WHITE, 2.4)
    for x, y in ((36, 74), (46, 70), (56, 75), (64, 71), (50, 78)):
        s.body(oval(x, y, 6, 4), "ball", color=(226, 176, 96), shadow=False)


def _carton(s: Sketch) -> None:
    s.floor(50, 93, 28, 4)
    s.body([(30, 6), (70, 6), (70, 14), (30, 14)], "flat", color=lighter(s.main, 0.3))
    s.body([(30, 14), (70, 14), (76, 32), (24, 32)], "fold", color=darker(s.main, 0.12))
    s.body(rect(24, 32, 76, 92, 1), "fold")
    s.body(oval(58, 23, 6, 5), "flat", color=s.accent, shadow=False)
    s.fill(smooth((24, 70), (40, 62), (60, 72), (76, 64), (76, 91), (24, 91)), s.accent)
    s.fill(oval(50, 50, 13, 10), WHITE)
    s.line([(42, 48), (58, 48)], darker(s.accent, 0.1), 2)
    s.line([(45, 53), (55, 53)], darker(s.accent, 0.1), 1.4)


def _drink_bottle(s: Sketch) -> None:
    s.floor(50, 94, 20, 3)
    half = smooth(
        (55, 16), (56, 24), (66, 38), (66, 56), (63, 60), (66, 64), (66, 88), (62, 93), (50, 94), closed=False
    )
    s.body(mirrored(half), "side", material="glass")
    s.body(rect(43.5, 6, 56.5, 17, 1.5), "side", color=s.accent, material="plastic")
    s.fill(rect(34, 42, 66, 66), lighter(s.accent, 0.2))
    s.fill(rect(34, 47, 66, 61), WHITE)
    s.line([(41, 52), (59, 52)], s.accent, 2.4)
    s.line([(44, 57), (56, 57)], s.accent, 1.4)


def _wine(s: Sketch) -> None:
    s.floor(42, 95, 20, 3)
    half = [(47, 6), (47, 30), *smooth((47, 30), (50, 38), (58, 46), closed=False), (58, 90), (55, 94), (42, 95)]
    s.body(mirrored(half, 42), "side", color=mix(s.main, BLACK, 0.45), material="glass")
    s.body(rect(36.6, 4, 47.4, 22, 1), "side", color=s.accent)
    s.fill(rect(26.6, 56, 57.4, 82), (246, 240, 226))
    s.fill(oval(42, 64, 5), s.accent)
    for y in (72, 77):
        s.line([(32, y), (52, y)], darker(s.main, 0.4), 1)
    s.body(smooth((66, 52), (88, 52), (88, 66), (77, 74), (66, 66)), "ball", color=(232, 240, 246), material="glass")
    s.fill(smooth((67, 60), (87, 60), (86, 66), (77, 72), (68, 66)), s.main)
    s.line([(77, 73), (77, 92)], (206, 216, 224), 1.6)
    s.line([(69, 93), (85, 93)], (206, 216, 224), 2)


def _tea(s: Sketch) -> None:
    s.floor(50, 90, 36, 4)
    s.body(rect(18, 30, 64, 88, 2), "side", material=s.material or "metal")
    s.body(rect(16, 18, 66, 33, 2), "side", color=darker(s.main, 0.2), material="metal")
    s.fill(oval(41, 60, 16, 18), lighter(s.accent, 0.7))
    s.fill(smooth((41, 48), (50, 60), (41, 74), (32, 60)), GREEN)
    s.line([(41, 50), (41, 73)], darker(GREEN, 0.3), 0.9)
    s.line(smooth((64, 44), (78, 48), (80, 62), closed=False), (220, 214, 200), 0.9)
    s.body([(72, 62), (90, 62), (92, 86), (70, 86)], "fold", color=(240, 234, 220))
    s.fill(rect(74, 70, 88, 80, 1), s.accent)


def _coffee(s: Sketch) -> None:
    s.floor(50, 92, 34, 4)
    s.body([(26, 20), (74, 20), (80, 91), (20, 91)], "fold")
    s.body([(26, 8), (74, 8), (74, 22), (26, 22)], "flat", color=darker(s.main, 0.25), shadow=False)
    s.line([(26, 15), (74, 15)], s.accent, 2.6)
    s.fill(rect(30, 36, 70, 78, 3), lighter(s.accent, 0.75))
    for x, y, turn in ((44, 54, 24), (57, 62, -18)):
        bean = turned(oval(x, y, 7.4, 10.4), turn, x, y)
        s.body(bean, "ball", color=(104, 62, 36), shadow=False)
        s.line(turned(smooth((x, y - 9), (x + 2, y), (x, y + 9), closed=False), turn, x, y), (60, 34, 18), 1.1)


def _nuts(s: Sketch) -> None:
    s.floor(50, 86, 42, 5)
    for i in range(17):
        x, y = s.random.uniform(20, 80), s.random.uniform(30, 50)
        tone = darker(mix(s.main, (196, 136, 78), 0.55), 0.05 * (i % 4))
        s.body(
            turned(smooth((x, y - 8), (x + 5.4, y), (x, y + 8), (x - 5.4, y)), s.random.uniform(0, 180), x, y),
            "ball",
            color=tone,
        )
    s.body([*oval(50, 46, 42, 42, 0, 180)], "ball", color=s.accent, material="ceramic")


def _chocolate(s: Sketch) -> None:
    s.zoom(0.88)
    brown = (98, 56, 34)
    s.body(turned(rect(30, 6, 70, 60, 2), 14), "fold", color=brown)
    for i in range(3):
        for j in range(2):
            cell = turned(rect(33 + 17.6 * j, 9 + 16.4 * i, 49 + 17.6 * j, 23.6 + 16.4 * i, 1.5), 14)
            s.body(cell, "flat", color=lighter(brown, 0.12), shadow=False)
    foil = [(27 + 46 / 12 * i, 45 - (3.4 if i % 2 else 0)) for i in range(13)]
    s.body(turned([*foil, (73, 54), (27, 54)], 14), "flat", color=(226, 222, 210), shadow=False)
    s.body(turned(rect(26, 50, 74, 98, 1), 14), "fold")
    s.fill(turned(rect(32, 62, 68, 82, 2), 14), s.accent)
    s.line(turned([(37, 72), (63, 72)], 14), WHITE, 2.6)


def _cheese(s: Sketch) -> None:
    s.floor(50, 80, 44, 5)
    base = mix(s.main, (250, 200, 80), 0.6)
    s.body([(8, 54), (70, 26), (92, 48), (92, 52), (8, 56)], "fold", color=lighter(base, 0.25))
    s.body([(8, 55), (92, 50), (92, 76), (8, 78)], "flat", color=base, shadow=False)
    for x, y, r in ((24, 66, 5), (44, 62, 4), (62, 68, 6), (80, 60, 4), (52, 44, 4), (70, 40, 3)):
        s.fill(oval(x, y, r, r * 0.85), darker(base, 0.25))
    s.fill(rect(12, 70, 30, 76, 1), s.accent)


def _rice(s: Sketch) -> None:
    s.floor(50, 92, 38, 4)
    s.body(
        smooth((24, 24), (50, 20), (76, 24), (84, 60), (80, 90), (50, 93), (20, 90), (16, 60)),
        "ball",
        color=mix(s.main, (232, 220, 196), 0.45),
        material="linen",
    )
    s.body(
        smooth((30, 8), (50, 14), (70, 8), (72, 22), (50, 26), (28, 22)),
        "ball",
        color=mix(s.main, (232, 220, 196), 0.6),
        shadow=False,
    )
    s.line([(30, 23), (50, 26), (70, 23)], darker(WOOD, 0.2), 2)
    s.fill(oval(50, 60, 22), s.accent)
    for x, y, turn in ((44, 58, 20), (52, 54, -10), (58, 62, 30), (48, 67, -30)):
        s.fill(turned(oval(x, y, 2.4, 5.4), turn, x, y), WHITE)


def _crab(s: Sketch) -> None:
    shell = mix((206, 84, 52), s.main, 0.35)
    s.floor(50, 84, 44, 5)
    for side in (-1, 1):
        for i in range(3):
            leg = ((50 + 28 * side, 56 + 5 * i), (50 + 42 * side, 52 + 9 * i), (50 + 46 * side, 70 + 7 * i))
            s.line(smooth(*leg, closed=False), shell, 4)
        s.line(smooth((50 + 24 * side, 48), (50 + 38 * side, 40), (50 + 36 * side, 26), closed=False), shell, 6)
        claw = (
            (50 + 32 * side, 28),
            (50 + 26 * side, 12),
            (50 + 34 * side, 18),
            (50 + 42 * side, 8),
            (50 + 44 * side, 26),
        )
        s.body(smooth(*claw), "ball", color=shell)
    s.body(oval(50, 60, 33, 22), "ball", color=shell)
    for x in (42, 58):
        s.line([(x, 42), (x, 34)], shell, 2.4)
        s.fill(oval(x, 33, 2.6), BLACK)
    s.line(smooth((34, 66), (50, 72), (66, 66), closed=False), s.accent, 1.8)


DRAWINGS = {
    "crab": _crab,
    "meat": _meat,
    "fish": _fish,
    "egg": _egg,
    "bread": _bread,
    "cake": _cake,
    "can": _can,
    "packet": _packet,
    "carton": _carton,
    "drink_bottle": _drink_bottle,
    "wine": _wine,
    "tea": _tea,
    "coffee": _coffee,
    "nuts": _nuts,
    "chocolate": _chocolate,
    "cheese": _cheese,
    "rice": _rice,
}
