"""Machines and devices, large and small."""

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

_GREEN_LIGHT = (110, 230, 170)
_RED_LIGHT = (232, 62, 50)


def _hob(s: Sketch) -> None:
    s.floor(50, 78, 48, 4)
    s.body([(18, 30), (82, 30), (96, 72), (4, 72)], "fold", color=mix(s.main, BLACK, 0.7), material="glass")
    s.body([(4, 72), (96, 72), (95, 78), (5, 78)], "flat", shadow=False)
    for x in (32, 68):
        for r in (15, 10, 5):
            s.line(oval(x, 48, r, r * 0.55), lighter(s.main, 0.35) if r > 6 else _RED_LIGHT, 0.9)
    s.fill(rect(40, 64, 60, 69, 1), BLACK)
    s.line([(44, 66.5), (56, 66.5)], _RED_LIGHT, 1.6)
    for x in (28, 34, 66, 72):
        s.fill(oval(x, 66.5, 1.6, 1.2), WHITE, 0.7)


def _cooker_hood(s: Sketch) -> None:
    s.body(rect(38, 6, 62, 52), "side", material=s.material or "steel")
    s.body([(34, 50), (66, 50), (92, 76), (8, 76)], "fold", material=s.material or "steel")
    s.body(rect(8, 76, 92, 84, 1), "flat", color=darker(s.main, 0.3))
    for x in (40, 46, 52, 58):
        s.fill(oval(x, 80, 1.6), s.accent if x < 58 else _GREEN_LIGHT)
    for x in (22, 78):
        s.fill([(x - 5, 85), (x + 5, 85), (x + 9, 94), (x - 9, 94)], (255, 240, 190), 0.45)


def _air_fryer(s: Sketch) -> None:
    s.floor(50, 92, 34, 4)
    s.body(smooth((24, 30), (34, 12), (66, 12), (76, 30), (80, 82), (72, 91), (28, 91), (20, 82)), "side")
    s.fill(oval(50, 24, 15, 7), BLACK)
    s.line([(43, 24), (57, 24)], _GREEN_LIGHT, 1.6)
    s.line(smooth((20, 48), (50, 52), (80, 48), closed=False), darker(s.main, 0.45), 1.2)
    s.body(rect(36, 56, 64, 82, 6), "side", color=darker(s.main, 0.2), shadow=False)
    s.body(rect(42, 60, 58, 90, 5), "ball", color=s.accent)


def _robot_vacuum(s: Sketch) -> None:
    s.floor(50, 74, 46, 8)
    s.body([*oval(50, 60, 44, 23, 0, 180), *oval(50, 52, 44, 23, 180, 360)], "fold", color=darker(s.main, 0.35))
    s.body(oval(50, 52, 44, 23), "ball", material="plastic")
    s.line(oval(50, 52, 34, 17), darker(s.main, 0.2), 0.8)
    s.body(oval(50, 44, 12, 7), "ball", color=s.accent)
    s.fill(oval(50, 64, 5, 2.4), BLACK)
    s.fill(oval(50, 64, 2, 1), _GREEN_LIGHT)
    for i in range(5):
        s.line([(10, 66), (2 + 3 * i, 76 - abs(i - 2))], (170, 170, 176), 1)


def _air_conditioner(s: Sketch) -> None:
    s.body(rect(3, 28, 97, 62, 7), "fold", material="plastic")
    s.fill(rect(8, 53, 92, 59, 2), darker(s.main, 0.45))
    for x in range(14, 90, 9):
        s.line([(x, 54), (x - 2, 58)], lighter(s.main, 0.2), 0.7)
    s.line([(6, 44), (94, 44)], darker(s.main, 0.15), 0.7)
    s.fill(rect(76, 33, 90, 40, 1.5), BLACK)
    s.line([(79, 36.5), (87, 36.5)], _GREEN_LIGHT, 1.6)
    s.fill(rect(10, 34, 24, 37, 1), s.accent)
    for x in (30, 50, 70):
        s.line(smooth((x, 68), (x - 4, 75), (x + 2, 82), (x - 3, 88), closed=False), (126, 184, 226), 1.8)


def _radiator(s: Sketch) -> None:
    s.floor(50, 88, 44, 4)
    s.body(rect(8, 22, 92, 28, 2), "flat", color=darker(s.main, 0.12))
    for i in range(8):
        s.body(rect(9 + 10.4 * i, 18, 18 + 10.4 * i, 82, 4), "side", material="plastic", shadow=i == 0)
    for x in (16, 84):
        s.fill(rect(x - 3, 82, x + 3, 89, 1), darker(s.main, 0.4))
    s.body(rect(88, 68, 97, 80, 2), "side", color=s.accent)


def _water_heater(s: Sketch) -> None:
    s.body(smooth((26, 14), (50, 5), (74, 14), (76, 74), (50, 84), (24, 74)), "side", material="plastic")
    s.fill(rect(40, 30, 60, 40, 2), BLACK)
    s.line([(44, 35), (56, 35)], _GREEN_LIGHT, 1.8)
    s.fill(oval(50, 58, 7), darker(s.main, 0.15))
    s.line([(50, 58), (54, 54)], s.accent, 2)
    for x, color in ((38, (206, 70, 60)), (62, (70, 120, 206))):
        s.body(rect(x - 3, 80, x + 3, 95, 1), "side", color=STEEL, material="metal", shadow=False)
        s.fill(rect(x - 4, 85, x + 4, 88), color)


def _motor(s: Sketch) -> None:
    s.floor(48, 84, 42, 4)
    s.body(rect(80, 48, 96, 56, 1), "side", color=STEEL, material="metal")
    s.body(rect(18, 28, 76, 76, 8), "fold", material="plastic")
    for y in range(33, 74, 5):
        s.line([(22, y), (68, y)], darker(s.main, 0.3), 1.4)
    s.body(smooth((6, 34), (18, 28), (18, 76), (6, 70)), "side", color=darker(s.main, 0.25))
    s.body(oval(76, 52, 7, 23), "fold", color=darker(s.main, 0.2))
    s.body(rect(34, 16, 60, 32, 2), "flat", color=s.accent)
    s.body([(18, 75), (72, 75), (80, 84), (12, 84)], "flat", color=darker(s.main, 0.4))


def _power_box(s: Sketch) -> None:
    """A welder, an inverter, a bench supply: a case with a handle, knobs and sockets."""
    s.floor(50, 88, 42, 4)
    s.line([(30, 26), (34, 14), (66, 14), (70, 26)], BLACK, 4)
    s.body(rect(10, 24, 90, 86, 4), "fold", material="plastic")
    s.fill(rect(14, 28, 86, 52, 2), BLACK)
    s.line([(22, 36), (22, 44), (30, 44)], _RED_LIGHT, 2)
    s.fill(rect(20, 33, 48, 46, 1), (60, 18, 16))
    s.line([(24, 39.5), (44, 39.5)], _RED_LIGHT, 3)
    s.body(oval(68, 40, 8), "ball", color=STEEL, shadow=False)
    s.line([(68, 40), (72, 35)], BLACK, 1.4)
    for x, color in ((28, (200, 50, 44)), (50, BLACK), (72, s.accent)):
        s.body(oval(x, 69, 8), "ball", color=color, shadow=False)
        s.fill(oval(x, 69, 3), BLACK)


def _machine(s: Sketch) -> None:
    """A steel machine with a hopper, as workshops and kitchens have them."""
    s.floor(50, 93, 42, 4)
    s.body([(24, 6), (66, 6), (56, 28), (34, 28)], "side", color=STEEL, material="metal")
    s.body(rect(12, 27, 88, 80, 3), "fold", material="steel")
    s.fill(rect(18, 33, 56, 60, 2), darker(s.main, 0.55))
    s.body(oval(37, 46.5, 10), "ball", color=STEEL, material="metal", shadow=False)
    s.fill(rect(62, 33, 82, 47, 1.5), BLACK)
    s.line([(66, 40), (78, 40)], _GREEN_LIGHT, 1.8)
    for x, color in ((66, (60, 170, 90)), (78, _RED_LIGHT)):
        s.fill(oval(x, 56, 3.6), color)
    s.body([(8, 70), (56, 70), (60, 78), (4, 78)], "flat", color=s.accent)
    for x in (20, 80):
        s.fill(rect(x - 5, 80, x + 5, 94, 1), darker(s.main, 0.5))


def _vending_machine(s: Sketch) -> None:
    s.floor(50, 95, 32, 3)
    s.body(rect(22, 4, 78, 94, 3), "fold", material="plastic")
    s.fill(rect(27, 10, 61, 74, 1), (40, 52, 66))
    for row in range(4):
        for column in range(4):
            color = (s.accent, (236, 178, 60), (86, 160, 206), (206, 84, 84))[(row + column) % 4]
            s.fill(rect(29.5 + 8 * column, 14 + 15.4 * row, 35 + 8 * column, 24 + 15.4 * row, 1.5), color)
        s.line([(28, 25.5 + 15.4 * row), (60, 25.5 + 15.4 * row)], STEEL, 0.8)
    s.fill(rect(65, 26, 74, 36, 1), BLACK)
    s.line([(67, 31), (72, 31)], _GREEN_LIGHT, 1.4)
    s.fill(rect(67, 42, 72, 50, 1), STEEL)
    s.fill(rect(30, 79, 58, 88, 1), darker(s.main, 0.6))


def _pc_tower(s: Sketch) -> None:
    s.floor(50, 94, 30, 3)
    s.body(rect(28, 6, 74, 93, 3), "fold", color=mix(s.main, BLACK, 0.25), material="plastic")
    s.fill(rect(33, 11, 69, 17, 1), darker(s.main, 0.6))
    for y in (35, 57, 79):
        s.fill(oval(51, y, 10), BLACK)
        s.line(oval(51, y, 9), mix(s.accent, (90, 220, 250), 0.5), 1.6)
        for i in range(3):
            s.line([(51, y), turned([(51, y - 7)], 120 * i, 51, y)[0]], STEEL, 1.2)
    s.fill(oval(64, 21, 1.8), _GREEN_LIGHT)


def _sewing_machine(s: Sketch) -> None:
    s.floor(50, 86, 46, 4)
    s.body(rect(6, 74, 94, 86, 3), "fold", material="plastic")
    s.body([(66, 20), (90, 20), (92, 75), (68, 75)], "side", material="plastic")
    s.body(smooth((8, 22), (20, 17), (88, 17), (92, 40), (70, 44), (12, 44)), "fold", material="plastic")
    s.body(rect(12, 42, 28, 56, 2), "side", color=darker(s.main, 0.15), shadow=False)
    s.line([(20, 56), (20, 74)], darker(STEEL, 0.3), 1.6)
    s.body(oval(94, 34, 4, 10), "side", color=s.accent)
    for y in (52, 63):
        s.fill(oval(80, y, 4), s.accent)
    s.body(rect(54, 8, 60, 18, 1), "side", color=mix(s.accent, _RED_LIGHT, 0.5))
    s.line([(57, 10), (30, 18), (20, 44)], mix(s.accent, _RED_LIGHT, 0.5), 0.7)


def _printer_3d(s: Sketch) -> None:
    s.floor(50, 92, 40, 4)
    for a, b in (((16, 10), (16, 86)), ((84, 10), (84, 86)), ((16, 12), (84, 12))):
        s.line([a, b], darker(s.main, 0.2), 6)
        s.line([a, b], s.main, 4.4)
    s.body(rect(8, 82, 92, 92, 3), "fold")
    s.body(rect(24, 74, 76, 79, 1), "flat", color=BLACK)
    s.line([(16, 36), (84, 36)], STEEL, 3)
    s.body(rect(42, 28, 58, 46, 2), "flat", color=darker(s.main, 0.5))
    s.fill([(47, 46), (53, 46), (50, 51)], (224, 178, 84))
    s.body(smooth((40, 74), (37, 62), (42, 54), (58, 54), (63, 62), (60, 74)), "ball", color=s.accent)
    s.fill(rect(60, 84.5, 76, 89.5, 1), _GREEN_LIGHT, 0.8)


def _lawn_mower(s: Sketch) -> None:
    s.floor(46, 86, 42, 4)
    s.line([(92, 10), (60, 60)], BLACK, 3.4)
    s.line([(82, 10), (97, 14)], BLACK, 4.4)
    s.body([(12, 58), (62, 54), (72, 76), (8, 78)], "fold", material="plastic")
    s.body(smooth((22, 58), (24, 42), (44, 38), (54, 46), (56, 58)), "ball", color=s.accent)
    s.fill(rect(30, 46, 44, 50, 1), BLACK)
    for x, r in ((18, 9), (66, 13)):
        s.body(oval(x, 84 - r + 6, r), "ball", color=BLACK)
        s.fill(oval(x, 84 - r + 6, r * 0.45), STEEL)


def _fire_extinguisher(s: Sketch) -> None:
    s.floor(50, 95, 24, 3)
    s.line(smooth((56, 20), (76, 26), (78, 56), (72, 70), closed=False), BLACK, 3.4)
    s.body(rect(67, 66, 78, 80, 3), "side", color=BLACK)
    s.body(smooth((40, 24), (60, 24), (70, 38), (70, 90), (50, 94), (30, 90), (30, 38)), "side", material="plastic")
    s.body(rect(43, 14, 57, 26, 1), "flat", color=STEEL)
    s.body([(30, 10), (60, 8), (60, 14), (32, 16)], "flat", color=BLACK)
    s.fill(oval(42, 21, 4), WHITE)
    s.fill(rect(32, 48, 68, 74, 2), lighter(s.accent, 0.75))
    s.fill(smooth((50, 51), (57, 62), (50, 71), (43, 62)), (240, 130, 40))


def _cctv(s: Sketch) -> None:
    s.body(rect(70, 8, 92, 20, 2), "flat", color=darker(s.main, 0.15))
    s.line([(82, 18), (80, 38), (62, 48)], darker(s.main, 0.3), 6)
    s.body(turned(rect(14, 40, 76, 70, 9), 12), "side", material="plastic")
    s.body(turned([(8, 36), (66, 36), (60, 44), (8, 44)], 12), "flat", color=lighter(s.main, 0.25))
    s.body(turned(oval(17, 55, 9, 15), 12), "flat", color=BLACK, shadow=False)
    s.fill(turned(oval(16, 55, 5, 8), 12), (54, 70, 110))
    s.fill(turned(oval(15, 51, 1.6, 2.4), 12), WHITE)
    s.fill(turned(oval(15, 65, 1.4), 12), _RED_LIGHT)
    s.fill(turned(rect(46, 52, 64, 57, 1), 12), s.accent)


def _smoke_alarm(s: Sketch) -> None:
    s.floor(50, 76, 42, 5)
    s.body(oval(50, 56, 43, 22), "side", color=darker(s.main, 0.15), material="plastic")
    s.body(oval(50, 48, 43, 24), "ball", material="plastic")
    for i in range(24):
        s.line(turned([(50, 30), (50, 34)], 15 * i, 50, 48), darker(s.main, 0.4), 1.4)
    s.line(oval(50, 48, 24, 12), darker(s.main, 0.25), 0.8)
    s.body(oval(50, 47, 9, 5), "ball", color=s.accent, shadow=False)
    s.fill(oval(66, 50, 2), _RED_LIGHT)


def _generator(s: Sketch) -> None:
    s.floor(50, 88, 46, 4)
    for a, b in (((8, 22), (92, 22)), ((8, 22), (8, 84)), ((92, 22), (92, 84)), ((8, 84), (92, 84))):
        s.line([a, b], BLACK, 4)
    s.body(rect(18, 18, 82, 42, 7), "fold", material="plastic")
    s.fill(oval(50, 20, 6, 2.4), BLACK)
    s.body(rect(16, 46, 52, 80, 2), "fold", color=darker(STEEL, 0.2), material="metal")
    for y in range(50, 78, 5):
        s.line([(19, y), (48, y)], darker(STEEL, 0.5), 1.2)
    s.body(rect(56, 46, 86, 80, 2), "flat", color=s.accent)
    for x in (65, 77):
        s.fill(oval(x, 56, 4.4), BLACK)
        s.fill(oval(x, 70, 4.4), BLACK)


def _ev_charger(s: Sketch) -> None:
    s.line(smooth((46, 60), (34, 88), (72, 91), (80, 62), closed=False), BLACK, 3.6)
    s.body(rect(20, 8, 66, 70, 10), "fold", material="plastic")
    s.fill(rect(30, 18, 56, 34, 3), BLACK)
    s.line([(36, 26), (50, 26)], _GREEN_LIGHT, 2)
    s.fill([(46, 40), (36, 54), (43, 54), (40, 64), (51, 49), (44, 49)], s.accent)
    s.body(turned(rect(73, 40, 88, 66, 4), 14, 80, 54), "side", color=darker(s.main, 0.5))
    s.fill(turned(oval(80, 44, 5), 14, 80, 54), STEEL)


DRAWINGS = {
    "hob": _hob,
    "cooker_hood": _cooker_hood,
    "air_fryer": _air_fryer,
    "robot_vacuum": _robot_vacuum,
    "air_conditioner": _air_conditioner,
    "radiator": _radiator,
    "water_heater": _water_heater,
    "motor": _motor,
    "power_box": _power_box,
    "machine": _machine,
    "vending_machine": _vending_machine,
    "pc_tower": _pc_tower,
    "sewing_machine": _sewing_machine,
    "printer_3d": _printer_3d,
    "lawn_mower": _lawn_mower,
    "fire_extinguisher": _fire_extinguisher,
    "cctv": _cctv,
    "smoke_alarm": _smoke_alarm,
    "generator": _generator,
    "ev_charger": _ev_charger,
}
