"""Hardware, building materials and parts."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    GOLD,
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


def _padlock(s: Sketch) -> None:
    s.floor(50, 92, 30, 4)
    arch = [(33, 50), (33, 32), *oval(50, 30, 17, 18, 180, 360), (67, 50)]
    s.line(arch, darker(STEEL, 0.4), 8)
    s.line(arch, STEEL, 6)
    s.body(rect(22, 44, 78, 91, 7), "side", material=s.material or "metal")
    s.fill(oval(50, 62, 6), BLACK)
    s.fill([(47.6, 64), (52.4, 64), (54, 78), (46, 78)], BLACK)
    s.line([(26, 52), (74, 52)], s.accent, 1.6)


def _grinder(s: Sketch) -> None:
    s.floor(50, 82, 44, 4)
    s.body(turned(rect(26, 38, 94, 58, 8), -10), "side", material="plastic")
    s.body(turned(rect(58, 37, 90, 59, 8), -10), "side", color=darker(s.main, 0.5), shadow=False)
    s.body([(18, 42), (34, 38), (38, 62), (22, 66)], "flat", color=STEEL, material="metal")
    s.line([(30, 44), (26, 18)], BLACK, 7)
    s.body(oval(24, 70, 22, 10), "ball", color=mix(s.accent, (70, 66, 62), 0.5))
    s.fill(oval(24, 70, 6, 3), STEEL)
    s.line(oval(24, 70, 15, 6.6), BLACK, 0.8)


def _chainsaw(s: Sketch) -> None:
    s.floor(50, 80, 46, 4)
    s.body(turned(rect(2, 48, 60, 60, 6), -8), "flat", color=STEEL, material="metal")
    for i in range(12):
        s.fill(turned([(6 + 4.4 * i, 60), (9.4 + 4.4 * i, 60), (8 + 4.4 * i, 64)], -8), BLACK)
        s.fill(turned([(6 + 4.4 * i, 48), (9.4 + 4.4 * i, 48), (8 + 4.4 * i, 44)], -8), BLACK)
    s.body(smooth((52, 40), (74, 34), (86, 40), (86, 70), (56, 72)), "ball", material="plastic")
    s.line(smooth((84, 44), (98, 50), (96, 68), (82, 70), closed=False), darker(s.main, 0.5), 6)
    s.line(smooth((56, 44), (54, 24), (72, 22), (76, 38), closed=False), BLACK, 4)
    s.fill(rect(62, 50, 78, 58, 2), s.accent)


def _pliers(s: Sketch) -> None:
    for side in (-1, 1):
        s.line(smooth((50, 42), (50 + 16 * side, 62), (50 + 13 * side, 88), closed=False), darker(s.main, 0.3), 11)
        s.line(smooth((50, 42), (50 + 16 * side, 62), (50 + 13 * side, 88), closed=False), s.main, 9)
        s.line([(50 + 15.6 * side, 66), (50 + 13.4 * side, 86)], s.accent, 2.4)
        s.body(
            smooth((50, 4), (50 + 9 * side, 14), (50 + 12 * side, 36), (50 + 6 * side, 46), (50, 44)),
            "side",
            color=STEEL,
            material="metal",
        )
    s.line([(50, 6), (50, 30)], darker(STEEL, 0.5), 1)
    s.fill(oval(50, 40, 5), darker(STEEL, 0.3))


def _scissors(s: Sketch) -> None:
    for side in (-1, 1):
        blade = [(50 - 2 * side, 54), (50 + 6 * side, 50), (50 + 15 * side, 6), (50 + 11 * side, 5)]
        s.body(blade, "flat", color=STEEL, material="metal")
        s.line(oval(50 - 15 * side, 77, 11, 15), darker(s.main, 0.3), 7)
        s.line(oval(50 - 15 * side, 77, 11, 15), s.main, 5.4)
        s.line([(50, 52), (50 - 8 * side, 64)], s.main, 6)
    s.fill(oval(50, 50, 3), s.accent)


def _toolbox(s: Sketch) -> None:
    s.floor(50, 88, 46, 4)
    s.line([(34, 34), (36, 22), (64, 22), (66, 34)], BLACK, 5)
    s.body([(10, 36), (90, 36), (94, 56), (6, 56)], "flat", color=darker(s.main, 0.25))
    s.body(rect(6, 54, 94, 87, 3), "fold", material="plastic")
    for x in (24, 76):
        s.fill(rect(x - 5, 50, x + 5, 63, 1.5), s.accent)
    s.fill(rect(40, 66, 60, 76, 1.5), lighter(s.main, 0.5))


def _rod(s: Sketch) -> None:
    """Rods, shafts, rails."""
    for dy, wide in ((-14, 7), (2, 9), (18, 6)):
        s.body(turned(rect(4, 50 + dy - wide / 2, 96, 50 + dy + wide / 2, 2), -24), "fold", material="metal")
        s.fill(turned(rect(90, 50 + dy - wide / 2, 96, 50 + dy + wide / 2, 2), -24), s.accent)


def _spring(s: Sketch) -> None:
    s.floor(50, 94, 26, 3)
    s.body(rect(45, 4, 55, 96, 2), "side", color=STEEL, material="metal")
    for i in range(8):
        y = 20 + 8.4 * i
        s.line([(28, y + 6), (72, y)], darker(s.main, 0.35), 7)
        s.line([(28, y + 6), (72, y)], s.main, 5.2)
    for y in (10, 88):
        s.body(oval(50, y, 25, 5), "flat", color=s.accent)


def _bearing(s: Sketch) -> None:
    s.floor(50, 92, 34, 4)
    s.body(oval(50, 50, 41), "ball", color=mix(s.main, STEEL, 0.6), material="metal")
    s.fill(oval(50, 50, 32), darker(s.main, 0.35))
    for i in range(10):
        s.body(turned(oval(50, 23.5, 6), 36 * i), "ball", color=STEEL, shadow=False)
    s.body(oval(50, 50, 21), "ball", color=mix(s.accent, STEEL, 0.7), material="metal", shadow=False)
    s.hole(oval(50, 50, 13))
    s.line(oval(50, 50, 13), darker(STEEL, 0.4), 1)


def _saw_blade(s: Sketch) -> None:
    n = 30
    rim = [turned([(50, 50 - (44 if i % 2 else 39))], 180 / n * i)[0] for i in range(2 * n)]
    s.body(rim, "ball", color=mix(s.main, STEEL, 0.5), material="metal")
    s.body(oval(50, 50, 20), "flat", shadow=False)
    s.line(oval(50, 50, 32), darker(STEEL, 0.3), 0.8)
    s.fill(rect(40, 36, 60, 41, 1), s.accent)
    s.hole(oval(50, 50, 5))


def _circuit_board(s: Sketch) -> None:
    s.body(turned(rect(10, 16, 90, 84, 3), -6), "fold", color=mix(s.main, (26, 110, 70), 0.55))
    for i in range(5):
        s.line(turned([(16, 24 + 12 * i), (30, 24 + 12 * i), (38, 32 + 8 * i)], -6), GOLD, 0.9)
        s.line(turned([(84, 26 + 12 * i), (70, 26 + 12 * i), (62, 34 + 7 * i)], -6), GOLD, 0.9)
    s.body(turned(rect(36, 34, 64, 62, 2), -6), "flat", color=BLACK)
    s.line(turned([(42, 46), (58, 46)], -6), STEEL, 1.4)
    for x in range(38, 64, 4):
        for y in (31, 65):
            s.fill(turned(rect(x, y - 2, x + 2, y + 2), -6), STEEL)
    s.body(turned(rect(12, 70, 34, 82, 1), -6), "flat", color=STEEL, shadow=False)
    for x in (70, 78):
        s.fill(turned(oval(x, 74, 3.4), -6), s.accent)


def _battery(s: Sketch) -> None:
    s.floor(50, 92, 40, 4)
    for x in (30, 68):
        s.body(rect(x - 6, 8, x + 6, 16, 2), "side", color=STEEL, material="metal")
        s.body(rect(x - 15, 14, x + 15, 91, 4), "side", material="plastic")
        s.body(rect(x - 15, 14, x + 15, 34, 4), "side", color=GOLD, material="metal", shadow=False)
        s.line([(x - 5, 24), (x + 5, 24)], BLACK, 1.8)
        s.line([(x, 19), (x, 29)], BLACK, 1.8)
        s.fill([(x + 3, 46), (x - 8, 64), (x - 1, 64), (x - 3, 80), (x + 8, 58), (x + 1, 58)], s.accent)


def _car_battery(s: Sketch) -> None:
    s.floor(50, 86, 44, 4)
    for x, color in ((24, (206, 56, 48)), (76, BLACK)):
        s.body(rect(x - 6, 20, x + 6, 32, 2), "side", color=STEEL, material="metal")
        s.fill(rect(x - 8, 28, x + 8, 34, 2), color)
    s.body(rect(8, 42, 92, 85, 3), "fold", color=darker(s.main, 0.15), material="plastic")
    s.body(rect(6, 32, 94, 46, 3), "flat", color=darker(s.main, 0.45))
    s.fill(rect(18, 54, 82, 76, 2), s.accent)
    s.line([(26, 65), (36, 65)], WHITE, 2.4)
    s.line([(64, 65), (74, 65)], WHITE, 2.4)
    s.line([(69, 60), (69, 70)], WHITE, 2.4)


def _solar_panel(s: Sketch) -> None:
    s.floor(54, 90, 42, 4)
    s.line([(30, 60), (22, 90)], darker(STEEL, 0.3), 3)
    s.line([(74, 50), (84, 90)], darker(STEEL, 0.3), 3)
    s.body([(26, 14), (94, 14), (78, 76), (6, 76)], "fold", color=mix(s.main, (30, 52, 110), 0.7))
    for i in range(1, 6):
        t = i / 6
        s.line([(26 + 68 * t, 14), (6 + 72 * t, 76)], (170, 186, 214), 0.7)
    for j in range(1, 4):
        t = j / 4
        s.line([(26 - 20 * t, 14 + 62 * t), (94 - 16 * t, 14 + 62 * t)], (170, 186, 214), 0.7)
    s.line([(26, 14), (94, 14), (78, 76), (6, 76), (26, 14)], mix(s.accent, STEEL, 0.6), 2)
    s.fill([(34, 14), (46, 14), (26, 76), (14, 76)], WHITE, 0.12)


def _circuit_breaker(s: Sketch) -> None:
    s.floor(50, 92, 34, 4)
    for x in (20, 50):
        s.body(rect(x, 10, x + 30, 91, 3), "fold", material="plastic")
        s.body(rect(x + 6, 34, x + 24, 66, 2), "flat", color=lighter(s.main, 0.3), shadow=False)
        s.body(rect(x + 9, 42, x + 21, 54, 2), "side", color=s.accent)
        for y in (20, 80):
            s.fill(oval(x + 15, y, 4.6), darker(STEEL, 0.3))
            s.line([(x + 12, y), (x + 18, y)], BLACK, 1.2)


def _cardboard_box(s: Sketch) -> None:
    card = mix((200, 158, 108), s.main, 0.22)
    s.floor(50, 86, 46, 5)
    s.body([(10, 36), (24, 22), (54, 30), (46, 42)], "flat", color=lighter(card, 0.2))
    s.body([(46, 42), (54, 30), (92, 22), (90, 36)], "flat", color=lighter(card, 0.12))
    s.body([(10, 36), (54, 44), (54, 90), (10, 78)], "fold", color=card)
    s.body([(54, 44), (90, 36), (90, 76), (54, 90)], "fold", color=darker(card, 0.16))
    s.body([(10, 36), (54, 44), (48, 60), (2, 50)], "flat", color=lighter(card, 0.08))
    s.fill([(62, 60), (82, 55), (82, 70), (62, 76)], s.main)
    s.line([(66, 67), (78, 64)], s.accent, 2)


DRAWINGS = {
    "padlock": _padlock,
    "grinder": _grinder,
    "chainsaw": _chainsaw,
    "pliers": _pliers,
    "scissors": _scissors,
    "toolbox": _toolbox,
    "rod": _rod,
    "spring": _spring,
    "bearing": _bearing,
    "saw_blade": _saw_blade,
    "circuit_board": _circuit_board,
    "battery": _battery,
    "car_battery": _car_battery,
    "solar_panel": _solar_panel,
    "circuit_breaker": _circuit_breaker,
    "cardboard_box": _cardboard_box,
}
