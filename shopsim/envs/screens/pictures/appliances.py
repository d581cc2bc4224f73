"""Household appliances."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    STEEL,
    WHITE,
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


def _fridge(s: Sketch) -> None:
    s.floor(50, 95, 32, 3)
    s.body(rect(26, 4, 74, 94, 4), "fold", material=s.material or "steel")
    s.line([(26, 38), (74, 38)], darker(s.main, 0.5), 1.4)
    for y0, y1 in ((16, 33), (44, 70)):
        s.body(rect(30, y0, 33.4, y1, 1.5), "flat", color=darker(STEEL, 0.25), shadow=False)
    s.fill(rect(52, 14, 66, 22, 1.5), BLACK)
    s.line([(55, 18), (63, 18)], s.accent, 1.6)
    for x in (32, 68):
        s.fill(rect(x - 3, 94, x + 3, 96), BLACK)


def _washer(s: Sketch) -> None:
    s.floor(50, 93, 40, 4)
    s.body(rect(16, 8, 84, 92, 4), "fold", material=s.material or "plastic")
    s.line([(16, 25), (84, 25)], darker(s.main, 0.25), 0.9)
    s.fill(oval(28, 16.5, 4.6), s.accent)
    s.fill(rect(54, 12, 76, 21, 1.5), BLACK)
    s.line([(58, 16.5), (70, 16.5)], (120, 220, 240), 1.8)
    s.body(oval(50, 58, 27), "ball", color=STEEL, material="metal")
    s.fill(oval(50, 58, 21), (46, 60, 78))
    s.fill(
        smooth((31, 62), (42, 57), (52, 63), (62, 58), (69, 62), (62, 75), (50, 79), (37, 74)),
        mix(s.accent, (130, 190, 230), 0.6),
    )
    s.fill(oval(41, 48, 6, 4), WHITE, 0.5)


def _microwave(s: Sketch) -> None:
    s.floor(50, 80, 48, 4)
    s.body(rect(4, 24, 96, 78, 4), "fold", material=s.material or "steel")
    s.fill(rect(9, 30, 68, 72, 3), BLACK)
    s.fill(rect(14, 36, 63, 66, 3), (62, 58, 56))
    s.fill(oval(38, 61, 20, 3.6), (110, 110, 116))
    s.fill([(20, 66), (34, 36), (40, 36), (26, 66)], WHITE, 0.14)
    s.line([(71, 32), (71, 70)], darker(s.main, 0.45), 2.6)
    s.fill(rect(76, 30, 92, 38, 1), BLACK)
    s.line([(79, 34), (89, 34)], (110, 230, 170), 1.8)
    for row in range(3):
        for column in range(3):
            s.fill(oval(78 + 6 * column, 46 + 6 * row, 1.9), darker(s.main, 0.35))
    s.fill(oval(84, 68, 4), s.accent)


def _kettle(s: Sketch) -> None:
    s.floor(48, 90, 36, 4)
    s.line(smooth((66, 26), (84, 30), (86, 56), (72, 72), closed=False), darker(s.accent, 0.2), 6)
    s.body([(30, 34), (12, 30), (24, 52)], "flat")
    s.body(mirrored([(62, 26), (74, 84), (50, 86)], 48), "side", material=s.material or "steel")
    s.body(smooth((30, 27), (34, 21), (48, 18), (62, 21), (66, 27)), "flat", color=darker(s.main, 0.25))
    s.fill(oval(48, 17, 3.6, 2.6), s.accent)
    s.body(rect(20, 84, 76, 90, 2), "flat", color=darker(s.accent, 0.3))
    s.fill(rect(36, 50, 40, 74, 2), mix((150, 200, 240), s.main, 0.3))


def _blender(s: Sketch) -> None:
    s.floor(50, 94, 28, 3)
    s.line(smooth((68, 22), (80, 26), (78, 46), (66, 52), closed=False), darker(s.accent, 0.2), 4)
    s.body([(30, 16), (70, 16), (62, 60), (38, 60)], "side", color=(214, 230, 236), material="glass")
    s.fill([(32.6, 32), (67.4, 32), (62, 58), (38, 58)], mix(s.accent, (250, 120, 140), 0.35), 0.85)
    for i, y in enumerate((28, 36, 44, 52)):
        s.line([(54, y), (60 - i, y)], WHITE, 0.9)
    s.body(rect(29, 9, 71, 17, 2), "side", color=darker(s.main, 0.25))
    s.body([(36, 60), (64, 60), (72, 92), (28, 92)], "side", material=s.material or "plastic")
    s.fill(oval(50, 78, 6), lighter(s.accent, 0.6))
    s.line([(50, 78), (54, 74)], BLACK, 1.4)


def _vacuum(s: Sketch) -> None:
    s.floor(46, 93, 44, 4)
    s.line([(64, 34), (34, 84)], darker(STEEL, 0.45), 5)
    s.line([(64, 34), (34, 84)], STEEL, 3.4)
    s.body(turned(rect(54, 14, 78, 46, 8), 31, 66, 30), "side", material="plastic")
    s.body(
        turned(rect(57, 30, 75, 44, 6), 31, 66, 30),
        "side",
        color=lighter(s.accent, 0.4),
        material="glass",
        shadow=False,
    )
    s.line(smooth((70, 10), (88, 10), (92, 26), (80, 38), closed=False), darker(s.main, 0.35), 5.4)
    s.line(smooth((70, 10), (88, 10), (92, 26), (80, 38), closed=False), darker(s.main, 0.15), 4)
    s.body(smooth((10, 82), (18, 79), (46, 79), (54, 82), (56, 92), (8, 92)), "side", material="plastic")
    s.line([(11, 89), (53, 89)], s.accent, 2)


def _fan(s: Sketch) -> None:
    s.floor(50, 94, 28, 4)
    s.line([(50, 60), (50, 88)], s.main, 5)
    s.body(rect(30, 87, 70, 93, 3), "flat")
    s.body(oval(50, 38, 33), "flat", color=lighter(s.main, 0.82), edge=False)
    for i in range(4):
        blade = smooth((50, 36), (56, 14), (70, 12), (74, 26), (56, 38))
        s.fill(turned(blade, 90 * i + 10, 50, 38), mix(s.accent, WHITE, 0.15), 0.9)
    for r in (33, 25, 17):
        s.line(oval(50, 38, r), darker(s.main, 0.2), 1.6 if r == 33 else 0.8)
    for i in range(16):
        s.line(turned([(50, 32), (50, 5.5)], 22.5 * i, 50, 38), darker(s.main, 0.2), 0.6)
    s.fill(oval(50, 38, 6), s.main)


def _iron(s: Sketch) -> None:
    s.floor(50, 78, 46, 4)
    s.body(smooth((20, 66), (26, 44), (44, 32), (72, 30), (86, 40), (88, 66)), "ball", material="plastic")
    s.hole(smooth((38, 50), (50, 42), (70, 41), (74, 48), (68, 54), (44, 56)))
    s.body([(4, 72), (18, 64), (90, 64), (92, 76), (6, 76)], "flat", color=STEEL, material="metal")
    s.fill(oval(80, 58, 4.4), s.accent)
    s.line(smooth((88, 44), (96, 36), (92, 20), closed=False), BLACK, 2)


def _hairdryer(s: Sketch) -> None:
    s.floor(58, 92, 24, 3)
    s.body([(48, 48), (62, 48), (68, 90), (54, 92)], "side", material="plastic")
    s.body(smooth((30, 22), (60, 16), (76, 24), (80, 36), (74, 50), (58, 56), (30, 50)), "ball", material="plastic")
    s.body([(10, 26), (31, 24), (31, 49), (10, 46)], "flat", color=darker(s.main, 0.5))
    s.line(oval(66, 36, 8), darker(s.main, 0.4), 1.2)
    for i in range(4):
        s.line([(61, 31 + 3.4 * i), (71, 31 + 3.4 * i)], darker(s.main, 0.4), 0.8)
    s.fill(rect(56, 62, 61, 72, 2), s.accent)


def _coffee_machine(s: Sketch) -> None:
    s.floor(50, 92, 36, 4)
    s.body([(22, 10), (78, 10), (78, 34), (64, 34), (64, 90), (22, 90)], "fold", material=s.material or "plastic")
    s.body(rect(20, 82, 82, 91, 2), "flat", color=darker(s.main, 0.3))
    s.body(rect(62, 34, 74, 42, 1), "flat", color=BLACK)
    s.line([(68, 42), (68, 62)], (92, 56, 32), 1.8)
    s.body([(58, 60), (80, 60), (77, 81), (61, 81)], "side", color=WHITE)
    s.line(oval(80, 69, 5, 6, -80, 80), (225, 225, 228), 2)
    for i in range(3):
        s.fill(oval(34 + 10 * i, 20, 3), s.accent if i == 0 else lighter(s.main, 0.5))
    s.fill(rect(28, 42, 52, 66, 3), mix((190, 220, 240), s.main, 0.3))


def _air_purifier(s: Sketch) -> None:
    s.floor(50, 93, 30, 4)
    s.body(rect(26, 8, 74, 92, 12), "side", material="plastic")
    s.fill(oval(50, 13, 17, 3.4), darker(s.main, 0.45))
    for row in range(8):
        for column in range(7):
            s.fill(oval(34 + 5.4 * column, 48 + 5 * row, 1.3), darker(s.main, 0.35))
    s.line(oval(50, 30, 8), s.accent, 2)
    s.line([(46, 30), (54, 30)], s.accent, 1.6)


def _rice_cooker(s: Sketch) -> None:
    s.floor(50, 86, 42, 5)
    s.body(
        smooth((12, 46), (18, 40), (82, 40), (88, 46), (84, 80), (74, 86), (26, 86), (16, 80)),
        "ball",
        material="plastic",
    )
    s.body(
        smooth((14, 44), (24, 26), (50, 20), (76, 26), (86, 44)), "ball", color=lighter(s.main, 0.2), material="plastic"
    )
    s.fill(rect(43, 15, 57, 23, 3), darker(s.accent, 0.1))
    s.fill(rect(34, 56, 66, 76, 4), BLACK)
    s.line([(40, 63), (60, 63)], (120, 230, 180), 2)
    for x in (42, 50, 58):
        s.fill(oval(x, 70.5, 1.8), s.accent)


def _toaster(s: Sketch) -> None:
    s.floor(50, 84, 44, 5)
    for x in (28, 54):
        s.body(
            smooth((x, 40), (x, 20), (x + 4, 14), (x + 16, 14), (x + 20, 20), (x + 20, 40)),
            "flat",
            color=(226, 178, 112),
        )
    s.body(rect(12, 34, 88, 82, 10), "fold", material=s.material or "steel")
    s.line([(22, 37), (78, 37)], darker(s.main, 0.6), 2.2)
    s.fill(rect(86, 48, 93, 54, 2), s.accent)
    s.fill(oval(70, 68, 5), s.accent)
    s.line([(70, 68), (70, 64.5)], WHITE, 1.2)
    for x in (22, 78):
        s.fill(rect(x - 5, 81, x + 5, 85, 1), BLACK)


def _lamp(s: Sketch) -> None:
    s.floor(50, 92, 28, 4)
    s.fill(oval(50, 46, 46, 30), (255, 240, 190), 0.28)
    s.body(mirrored([(53, 50), (55, 66), (64, 78), (60, 90), (50, 91)]), "side", color=s.accent, material="ceramic")
    s.body([(34, 10), (66, 10), (82, 52), (18, 52)], "side")
    s.glow([(34, 10), (66, 10), (82, 52), (18, 52)], "bottom", (255, 232, 160), 0.5)
    s.line([(18, 52), (82, 52)], darker(s.main, 0.25), 1)


def _floor_lamp(s: Sketch) -> None:
    s.floor(50, 95, 24, 3)
    s.fill(oval(58, 24, 40, 26), (255, 240, 190), 0.26)
    s.body(oval(42, 93, 18, 3.6), "flat", color=darker(s.accent, 0.1), material="metal")
    s.line(smooth((42, 92), (41, 60), (41, 30), (48, 12), (62, 9), closed=False), darker(s.accent, 0.35), 3)
    s.line(smooth((42, 92), (41, 60), (41, 30), (48, 12), (62, 9), closed=False), s.accent, 1.9)
    shade = [(56, 10), (72, 10), (86, 38), (42, 38)]
    s.body(shade, "side")
    s.glow(shade, "bottom", (255, 232, 160), 0.5)
    s.line([(42, 38), (86, 38)], darker(s.main, 0.25), 1)


def _string_lights(s: Sketch) -> None:
    for y, sag in ((16, 14), (46, 16), (76, 12)):
        wire = smooth((2, y), (26, y + sag), (50, y + sag / 3), (74, y + sag), (98, y), closed=False)
        s.line(wire, darker(s.accent, 0.5), 1.1)
        for i in range(4, len(wire), 6):
            x, top = wire[i]
            s.fill(oval(x, top + 6, 8), (255, 236, 160), 0.3)
            s.fill(rect(x - 1.4, top, x + 1.4, top + 3.4), darker(s.accent, 0.4))
            s.body(
                smooth((x, top + 2.6), (x + 3.4, top + 6.6), (x, top + 11), (x - 3.4, top + 6.6)),
                "ball",
                color=mix(s.main, (255, 226, 130), 0.35),
                material="glass",
                shadow=False,
            )


def _bulb(s: Sketch) -> None:
    s.fill(oval(50, 40, 40), (255, 244, 190), 0.35)
    s.body(
        smooth(
            (50, 10), (70, 17), (77, 36), (70, 54), (60, 66), (60, 72), (40, 72), (40, 66), (30, 54), (23, 36), (30, 17)
        ),
        "ball",
        color=lighter(mix(s.main, (255, 226, 130), 0.5), 0.4),
        material="glass",
    )
    s.line(
        smooth((44, 70), (44, 48), (38, 42), (46, 38), (50, 46), (54, 38), (62, 42), (56, 48), (56, 70), closed=False),
        (226, 140, 40),
        1.4,
    )
    s.body(rect(40, 71, 60, 88, 2), "side", color=STEEL, material="metal")
    for y in (75, 79, 83):
        s.line([(40, y), (60, y + 1)], darker(STEEL, 0.4), 1)
    s.fill(rect(45, 88, 55, 92, 2), BLACK)


def _clock(s: Sketch) -> None:
    s.body(oval(50, 50, 42), "fold", material=s.material or "plastic")
    s.body(oval(50, 50, 35), "flat", color=lighter(s.accent, 0.85), shadow=False)
    for i in range(12):
        s.line(turned([(50, 19), (50, 24 if i % 3 else 27)], 30 * i), darker(s.accent, 0.6), 1 if i % 3 else 2)
    s.line(turned([(50, 53), (50, 32)], -52), BLACK, 2.8)
    s.line(turned([(50, 55), (50, 24)], 55), BLACK, 1.9)
    s.line(turned([(50, 58), (50, 22)], 190), (220, 50, 40), 0.8)
    s.fill(oval(50, 50, 2.6), BLACK)


DRAWINGS = {
    "fridge": _fridge,
    "washer": _washer,
    "microwave": _microwave,
    "kettle": _kettle,
    "blender": _blender,
    "vacuum": _vacuum,
    "fan": _fan,
    "iron": _iron,
    "hairdryer": _hairdryer,
    "coffee_machine": _coffee_machine,
    "air_purifier": _air_purifier,
    "rice_cooker": _rice_cooker,
    "toaster": _toaster,
    "lamp": _lamp,
    "floor_lamp": _floor_lamp,
    "string_lights": _string_lights,
    "bulb": _bulb,
    "clock": _clock,
}
