"""Garden and pets."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    GREEN,
    STEEL,
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


def _faucet(s: Sketch) -> None:
    metal = s.main if s.main != s.accent else STEEL
    s.floor(40, 90, 32, 4)
    pipe = smooth((40, 86), (40, 40), (46, 22), (62, 18), (76, 26), (79, 46), closed=False)
    s.line(pipe, darker(metal, 0.4), 11)
    s.line(pipe, metal, 9.4)
    s.line([(x - 2, y - 1) for x, y in pipe], lighter(metal, 0.6), 2)
    s.body(rect(28, 80, 52, 90, 3), "side", color=metal, material="metal")
    s.body(turned(rect(18, 50, 40, 57, 3), 16, 38, 54), "flat", color=s.accent)
    s.fill(smooth((79, 58), (84, 68), (79, 74), (74, 68)), (110, 180, 236))


def _leaf(s: Sketch, x: float, y: float, turn: float, size: float = 1.0, color: tuple[int, int, int] = GREEN) -> None:
    shape = [(0, 0), (9, -14), (6, -30), (0, -40), (-6, -30), (-9, -14)]
    leaf = turned([(x + a * size, y + b * size) for a, b in smooth(*shape)], turn, x, y)
    s.body(leaf, "fold", color=color, shadow=False)
    s.line(turned([(x, y), (x, y - 34 * size)], turn, x, y), darker(color, 0.25), 0.7)


def _pot_plant(s: Sketch) -> None:
    s.floor(50, 93, 28, 4)
    for i, turn in enumerate((-64, 62, -34, 36, 0)):
        _leaf(s, 50, 60, turn, 1.2, mix(GREEN, (120, 190, 90), 0.15 * i))
    s.body([(28, 58), (72, 58), (66, 92), (34, 92)], "side", material=s.material or "ceramic")
    s.body(rect(25, 54, 75, 63, 2), "side", shadow=False, material=s.material or "ceramic")


def _cactus(s: Sketch) -> None:
    green = mix(GREEN, (60, 140, 100), 0.5)
    s.floor(50, 94, 26, 4)
    for points in (((50, 44), (24, 44), (24, 26)), ((50, 54), (76, 54), (76, 34))):
        s.line(smooth(*points, closed=False), darker(green, 0.4), 12.4)
        s.line(smooth(*points, closed=False), green, 11)
    s.body(rect(38, 8, 62, 72, 12), "side", color=green)
    for x in (43.5, 50, 56.5):
        s.line([(x, 14), (x, 62)], darker(green, 0.25), 0.9)
    for i in range(15):
        x, y = 41 + 6.2 * (i % 4), 14 + 3.2 * i
        s.line([(x - 1.4, y - 1), (x + 1.4, y + 1)], (246, 244, 226), 0.7)
        s.line([(x + 1.4, y - 1), (x - 1.4, y + 1)], (246, 244, 226), 0.7)
    for i in range(6):
        s.fill(turned(oval(50, 4.6, 2, 3.6), 60 * i, 50, 8), (236, 96, 140))
    s.fill(oval(50, 8, 2), (255, 214, 90))
    s.body([(30, 62), (70, 62), (65, 93), (35, 93)], "side", material=s.material or "ceramic")
    s.body(rect(27, 58, 73, 67, 2), "side", shadow=False, material=s.material or "ceramic")


def _plant(s: Sketch) -> None:
    s.floor(50, 94, 26, 4)
    s.line(smooth((50, 70), (49, 40), (51, 12), closed=False), darker(GREEN, 0.3), 2)
    for i in range(5):
        for side in (-1, 1):
            _leaf(s, 50, 66 - 11 * i, side * (62 - 5 * i), 0.86 - 0.08 * i, mix(GREEN, (130, 196, 92), 0.12 * i))
    _leaf(s, 50, 18, 0, 0.4)
    s.body([(34, 68), (66, 68), (62, 93), (38, 93)], "side", material=s.material or "ceramic")
    s.fill([(34.6, 74), (65.4, 74), (64.6, 80), (35.4, 80)], s.accent)


def _flower(s: Sketch) -> None:
    s.body([(30, 54), (70, 54), (58, 96), (42, 96)], "fold", color=lighter(s.accent, 0.4))
    for dx in (-16, 0, 16):
        s.line([(50 + dx, 46), (50, 84)], darker(GREEN, 0.1), 1.6)
    for i, (x, y) in enumerate(((28, 40), (72, 40), (50, 30), (38, 52), (62, 52), (36, 22), (64, 22))):
        if i > 4:
            _leaf(s, x, y + 20, -24 if x < 50 else 24, 0.7)
            continue
        for k in range(7):
            s.body(turned(oval(x, y - 8.5, 4.6, 6.4), 360 / 7 * k, x, y), "flat", shadow=False)
        s.fill(oval(x, y, 5), (250, 208, 80))
    s.body([(40, 72), (60, 72), (59, 78), (41, 78)], "flat", color=s.accent, shadow=False)


def _hose(s: Sketch) -> None:
    s.floor(50, 86, 42, 5)
    for y in (72, 62, 52, 42):
        s.line(oval(50, y, 36, 14), darker(s.main, 0.4), 8.6)
        s.line(oval(50, y, 36, 14), s.main, 7)
        s.line(oval(50, y - 1.6, 36, 14, 20, 160), lighter(s.main, 0.4), 1.4)
    s.line(smooth((22, 34), (30, 20), (50, 16), closed=False), s.main, 7)
    s.body([(48, 10), (66, 8), (78, 4), (78, 26), (66, 22), (48, 21)], "flat", color=s.accent)


def _shovel(s: Sketch) -> None:
    s.body(turned(rect(47, 12, 53, 62, 1), 20), "side", color=WOOD, material="wood")
    handle = turned(rect(40, 2, 60, 12, 4), 20)
    s.line([*handle, handle[0]], s.accent, 3.4)
    s.body(turned(smooth((36, 58), (50, 56), (64, 58), (64, 78), (50, 100), (36, 78)), 20), "ball", material="metal")
    s.line(turned([(50, 60), (50, 84)], 20), darker(s.main, 0.3), 1.2)


def _pet_food(s: Sketch) -> None:
    s.floor(50, 92, 34, 4)
    s.body(smooth((24, 12), (50, 9), (76, 12), (80, 50), (78, 91), (50, 93), (22, 91), (20, 50)), "fold")
    s.body([(24, 6), (76, 6), (77, 17), (23, 17)], "flat", color=darker(s.main, 0.2), shadow=False)
    s.fill(oval(50, 50, 22), lighter(s.accent, 0.75))
    s.fill(smooth((50, 52), (60, 60), (54, 66), (46, 66), (40, 60)), s.accent)
    for x, y in ((38, 49), (45, 41), (55, 41), (62, 49)):
        s.fill(oval(x, y, 3.6, 4.8), s.accent)
    s.fill(rect(32, 78, 68, 84, 2), s.accent)


def _pet_bed(s: Sketch) -> None:
    s.floor(50, 82, 48, 5)
    s.body(oval(50, 56, 46, 28), "ball")
    s.body(oval(50, 52, 32, 16), "ball", color=lighter(s.accent, 0.45), shadow=False)
    bone = smooth((36, 46), (40, 42), (44, 47), (58, 52), (64, 50), (64, 55), (60, 59), (56, 56), (42, 51), (37, 51))
    s.body(bone, "flat", color=(250, 244, 230))


def _collar(s: Sketch) -> None:
    s.body(oval(50, 44, 40, 30), "fold", color=darker(s.main, 0.4))
    s.hole(oval(50, 40, 36, 22))
    s.body([*oval(50, 44, 40, 30, 0, 180), *oval(50, 40, 36, 22, 180, 0)], "fold", shadow=False)
    buckle = rect(68, 50, 84, 66, 2)
    s.line(turned([*buckle, buckle[0]], -36, 76, 58), STEEL, 2)
    s.line(oval(50, 76, 4), STEEL, 1.6)
    s.body(oval(50, 87, 9), "ball", color=s.accent, material="metal")
    s.fill(smooth((50, 86), (54, 90), (46, 90)), darker(s.accent, 0.5))


def _fish_tank(s: Sketch) -> None:
    s.floor(50, 86, 46, 4)
    s.body(rect(8, 22, 92, 84, 2), "flat", color=(206, 232, 244), material="glass")
    s.fill(rect(10, 32, 90, 82), (96, 176, 222), 0.8)
    s.fill(smooth((10, 82), (10, 74), (30, 70), (60, 75), (90, 71), (90, 82)), (222, 192, 136))
    for x in (24, 30, 80):
        s.line(smooth((x, 76), (x + 3, 64), (x - 2, 54), (x + 2, 44), closed=False), GREEN, 2)
    for x, y, color in ((46, 48, s.main), (66, 60, s.accent)):
        s.fill(smooth((x - 9, y), (x, y - 5), (x + 9, y), (x, y + 5)), color)
        s.fill([(x - 8, y), (x - 15, y - 5), (x - 15, y + 5)], color)
        s.fill(oval(x + 5, y - 1, 1), BLACK)
    s.body(rect(6, 15, 94, 24, 2), "flat", pattern=False)


def _pet_toy(s: Sketch) -> None:
    s.body(
        turned(
            smooth(
                (18, 44),
                (14, 34),
                (22, 28),
                (30, 34),
                (32, 42),
                (68, 42),
                (70, 34),
                (78, 28),
                (86, 34),
                (82, 46),
                (86, 56),
                (78, 64),
                (70, 58),
                (68, 52),
                (32, 52),
                (30, 58),
                (22, 64),
                (14, 58),
            ),
            -18,
            50,
            46,
        ),
        "ball",
        material="rubber",
    )
    s.body(oval(70, 78, 13), "ball", color=s.accent, material="rubber")
    s.line(oval(70, 78, 9, 9, 200, 320), lighter(s.accent, 0.5), 1.4)


DRAWINGS = {
    "cactus": _cactus,
    "faucet": _faucet,
    "plant": _plant,
    "pot_plant": _pot_plant,
    "flower": _flower,
    "hose": _hose,
    "shovel": _shovel,
    "pet_food": _pet_food,
    "pet_bed": _pet_bed,
    "collar": _collar,
    "fish_tank": _fish_tank,
    "pet_toy": _pet_toy,
}
