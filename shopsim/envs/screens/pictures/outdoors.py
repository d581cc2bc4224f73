"""Around the house and on the road: garden, yard, shop floor, seats."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
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


def _watering_can(s: Sketch) -> None:
    s.floor(48, 88, 36, 4)
    s.line(smooth((64, 40), (84, 40), (90, 62), (72, 76), closed=False), darker(s.main, 0.3), 5)
    s.line(smooth((34, 38), (44, 18), (62, 22), (64, 38), closed=False), darker(s.main, 0.3), 4.4)
    s.body([(36, 66), (14, 28), (9, 31), (32, 78)], "side")
    s.body([(2, 30), (18, 20), (21, 27), (6, 37)], "flat", color=s.accent)
    s.body([(34, 38), (70, 38), (74, 87), (30, 87)], "side", material=s.material or "metal")
    s.body(oval(52, 38, 18, 4), "flat", color=darker(s.main, 0.3), shadow=False)
    s.line([(31, 76), (73, 76)], s.accent, 2.4)


def _grill(s: Sketch) -> None:
    s.floor(50, 94, 38, 3)
    for x0, x1 in ((32, 18), (68, 82), (50, 50)):
        s.line([(x0, 60), (x1, 94)], STEEL, 3.6)
    s.body([*oval(50, 50, 42, 26, 0, 180)], "ball", material="metal")
    s.body([*oval(50, 46, 42, 34, 180, 360)], "ball", material="metal")
    s.line([(8, 48), (92, 48)], darker(s.main, 0.5), 3)
    s.body(rect(40, 4, 60, 11, 3), "fold", color=s.accent)
    s.fill(oval(30, 30, 4), darker(s.main, 0.5))
    s.line([(24, 84), (76, 84)], STEEL, 2.4)


def _fence(s: Sketch) -> None:
    s.floor(50, 92, 48, 3)
    for y in (38, 70):
        s.body(rect(2, y, 98, y + 8, 1), "flat", color=darker(s.main, 0.2))
    for i in range(6):
        x = 4 + 16 * i
        s.body([(x, 20), (x + 6, 10), (x + 12, 20), (x + 12, 92), (x, 92)], "side", material=s.material or "wood")
        for y in (42, 74):
            s.fill(oval(x + 6, y, 1.3), s.accent)


def _cage(s: Sketch) -> None:
    s.floor(50, 93, 40, 4)
    s.line(oval(50, 8, 5), STEEL, 2)
    s.fill(rect(14, 78, 86, 92, 3), s.main)
    s.body(rect(12, 78, 88, 92, 3), "fold")
    s.line([(30, 58), (70, 58)], WOOD, 3)
    s.body(smooth((44, 56), (46, 42), (54, 38), (60, 44), (58, 56)), "ball", color=s.accent)
    s.fill([(60, 44), (66, 46), (60, 48)], (240, 160, 60))
    for i in range(9):
        x = 16 + 8.5 * i
        s.line(smooth((x, 78), (x, 44), (50 + (x - 50) * 0.5, 22), (50, 13), closed=False), darker(STEEL, 0.15), 1.2)
    s.line([(15, 46), (85, 46)], darker(STEEL, 0.15), 1.6)


def _shed(s: Sketch) -> None:
    s.floor(50, 92, 46, 4)
    s.body([(14, 40), (86, 40), (86, 91), (14, 91)], "fold", material=s.material or "wood")
    for x in range(20, 86, 8):
        s.line([(x, 42), (x, 90)], darker(s.main, 0.22), 0.8)
    s.body([(50, 8), (96, 42), (88, 46), (50, 18), (12, 46), (4, 42)], "flat", color=s.accent)
    s.body([(50, 18), (84, 43), (16, 43)], "fold", material=s.material or "wood", shadow=False)
    s.body(rect(38, 54, 62, 91, 1), "side", color=darker(s.main, 0.3), shadow=False)
    s.fill(oval(58, 73, 1.6), STEEL)


def _cat_tree(s: Sketch) -> None:
    s.floor(50, 94, 44, 4)
    s.body(rect(8, 86, 92, 94, 2), "fold")
    for x, top in ((26, 34), (70, 14)):
        s.body(rect(x - 5, top, x + 5, 86), "side", color=(206, 178, 132))
        for y in range(top + 4, 86, 4):
            s.line([(x - 5, y), (x + 5, y - 1)], (170, 140, 98), 0.7)
    s.body(rect(8, 28, 46, 36, 3), "fold")
    s.body(rect(50, 8, 92, 16, 3), "fold")
    s.body(rect(46, 52, 92, 84, 5), "fold", shadow=False)
    s.fill(oval(69, 68, 10), BLACK)
    s.line([(40, 36), (40, 50)], STEEL, 0.8)
    s.body(oval(40, 54, 4.4), "ball", color=s.accent)


def _shopping_cart(s: Sketch) -> None:
    s.floor(52, 94, 38, 3)
    s.line([(4, 16), (18, 16), (34, 74), (86, 74)], darker(STEEL, 0.3), 3.6)
    s.line([(2, 16), (16, 16)], s.accent, 5.6)
    s.fill([(20, 24), (94, 28), (84, 62), (30, 60)], s.main, 0.25)
    for i in range(8):
        s.line([(22 + 10 * i, 24 + i * 0.5), (31 + 7.4 * i, 60 + i * 0.3)], s.main, 1.6)
    for k in range(4):
        s.line([(20 + 3.3 * k, 24 + 12 * k), (94 - 3.3 * k, 28 + 11.4 * k)], s.main, 1.8)
    for x in (40, 80):
        s.body(oval(x, 86, 6.4), "ball", color=BLACK)
        s.fill(oval(x, 86, 2.6), STEEL)


def _hand_truck(s: Sketch) -> None:
    s.floor(44, 95, 40, 3)
    for dx in (0, 22):
        s.line(smooth((82 - dx, 6), (72 - dx, 14), (40 + (14 if dx == 0 else 0), 84), closed=False), s.main, 4.4)
    s.line([(82, 6), (60, 6)], BLACK, 5)
    for t in (0.3, 0.55, 0.8):
        s.line([(70 - 18 * t, 14 + 70 * t), (50 - 10 * t, 14 + 70 * t)], darker(s.main, 0.25), 3)
    s.body([(6, 84), (54, 84), (54, 90), (6, 90)], "flat", color=darker(s.main, 0.3))
    s.body(rect(8, 50, 38, 84, 1), "fold", color=(206, 166, 116))
    s.fill(rect(20, 50, 26, 84), s.accent)
    s.body(oval(60, 84, 11), "ball", color=BLACK)
    s.fill(oval(60, 84, 4.6), STEEL)


def _scooter(s: Sketch) -> None:
    s.floor(50, 92, 46, 3)
    s.line([(66, 6), (80, 78)], darker(s.main, 0.3), 6)
    s.line([(66, 6), (80, 78)], s.main, 4.6)
    s.line([(52, 12), (82, 5)], BLACK, 4.4)
    s.body([(14, 70), (70, 72), (78, 60), (84, 64), (74, 82), (14, 80)], "fold")
    s.line([(22, 73), (66, 75)], s.accent, 2.4)
    for x in (18, 82):
        s.body(oval(x, 82, 10), "ball", color=BLACK)
        s.fill(oval(x, 82, 4.4), STEEL)


def _steering_wheel(s: Sketch) -> None:
    s.line(oval(50, 50, 39), darker(s.main, 0.4), 10)
    s.line(oval(50, 50, 39), s.main, 8)
    s.line(oval(50, 48, 39, 39, 225, 315), s.accent, 7)
    s.body([(14, 44), (34, 40), (66, 40), (86, 44), (86, 54), (62, 60), (56, 88), (44, 88), (38, 60), (14, 54)], "fold",
           color=darker(s.main, 0.35))  # fmt: skip
    s.body(oval(50, 50, 14), "ball", color=darker(s.main, 0.5), shadow=False)
    s.fill(oval(50, 50, 5), s.accent)


def _office_chair(s: Sketch) -> None:
    s.floor(50, 95, 36, 3)
    s.line([(50, 62), (50, 82)], darker(STEEL, 0.4), 5)
    for x in (18, 34, 66, 82):
        s.line([(50, 80), (x, 90)], BLACK, 4)
        s.fill(oval(x, 92, 3.6), BLACK)
    s.body(smooth((32, 6), (68, 6), (74, 26), (70, 52), (30, 52), (26, 26)), "ball", material=s.material or "leather")
    s.body(smooth((22, 54), (78, 54), (82, 64), (50, 70), (18, 64)), "ball", material=s.material or "leather")
    for side in (-1, 1):
        s.line([(50 + 28 * side, 60), (50 + 34 * side, 42), (50 + 24 * side, 40)], BLACK, 4)
        s.line([(50 + 12 * side, 10), (50 + 13 * side, 48)], s.accent, 2)


def _stool(s: Sketch) -> None:
    s.floor(50, 95, 30, 3)
    for x0, x1 in ((36, 24), (64, 76), (44, 42), (56, 58)):
        s.line([(x0, 26), (x1, 94)], darker(s.accent, 0.2), 4)
    s.line([(28, 70), (72, 70)], darker(s.accent, 0.2), 3)
    s.body(rect(22, 22, 78, 31, 4), "side", color=darker(s.main, 0.2))
    s.body(oval(50, 20, 30, 9), "ball", material=s.material or "leather")


def _coat_stand(s: Sketch) -> None:
    s.floor(50, 96, 30, 3)
    for x in (28, 72):
        s.line([(50, 84), (x, 96)], s.main, 4.4)
    s.line([(50, 6), (50, 94)], darker(s.main, 0.3), 5.6)
    s.line([(50, 6), (50, 94)], s.main, 4.2)
    for side in (-1, 1):
        for y in (20, 34):
            s.line(smooth((50, y), (50 + 14 * side, y - 2), (50 + 20 * side, y - 12), closed=False), s.main, 3.4)
            s.fill(oval(50 + 20 * side, y - 13, 2.6), darker(s.main, 0.3))
    s.body(smooth((62, 22), (76, 34), (78, 66), (58, 68), (56, 34)), "side", color=s.accent)
    s.fill(oval(50, 5, 4), darker(s.main, 0.2))


def _hand_fan(s: Sketch) -> None:
    leaf = [*oval(50, 84, 48, 72, 202, 338), *oval(50, 84, 16, 24, 338, 202)]
    s.body(leaf, "fold")
    for i in range(9):
        x, y = oval(50, 84, 48, 72, 202 + 17 * i, 202 + 17 * i)[0]
        s.line([(50, 92), (x, y)], darker(s.accent, 0.2), 1.3)
    s.line(oval(50, 84, 48, 72, 202, 338), s.accent, 2.4)
    s.fill(oval(50, 91, 3.4), s.accent)
    s.line(smooth((50, 92), (58, 96), (64, 92), closed=False), s.accent, 1.6)


def _flag(s: Sketch) -> None:
    s.floor(26, 95, 18, 3)
    s.line([(24, 4), (24, 95)], darker(STEEL, 0.3), 4)
    s.body(smooth((25, 8), (50, 13), (72, 6), (94, 12), (94, 52), (72, 46), (50, 54), (25, 48)), "fold")
    s.fill(smooth((25, 22), (50, 27), (72, 20), (94, 26), (94, 38), (72, 32), (50, 40), (25, 34)), s.accent)
    s.fill(oval(24, 4, 3.4), s.accent)


def _ruler(s: Sketch) -> None:
    s.body([(10, 92), (70, 92), (10, 20)], "fold", material="plastic")
    s.hole([(24, 80), (44, 80), (24, 56)])
    s.body(turned(rect(4, 34, 98, 50, 1), -40), "fold", color=s.accent)
    for i in range(22):
        s.line(turned([(8 + 4 * i, 35), (8 + 4 * i, 42 if i % 5 == 0 else 39)], -40), BLACK, 0.8)


def _stapler(s: Sketch) -> None:
    s.floor(50, 78, 46, 4)
    s.body([(6, 68), (94, 68), (96, 77), (4, 77)], "flat", color=darker(s.main, 0.45))
    s.body([(14, 56), (92, 56), (92, 64), (14, 64)], "flat", color=STEEL, material="metal")
    s.body(smooth((10, 44), (40, 26), (80, 34), (97, 50), (96, 58), (14, 60)), "ball", material="plastic")
    s.line(smooth((22, 44), (48, 34), (84, 46), closed=False), s.accent, 3)


def _tape_measure(s: Sketch) -> None:
    s.floor(46, 86, 40, 4)
    s.body([(60, 74), (98, 74), (98, 82), (60, 82)], "flat", color=(246, 210, 74))
    for i in range(8):
        s.line([(66 + 4 * i, 74), (66 + 4 * i, 78)], BLACK, 0.8)
    s.body(rect(95, 72, 99, 87), "flat", color=STEEL)
    s.body(smooth((14, 22), (50, 14), (74, 30), (76, 82), (24, 85), (10, 70)), "ball", material="plastic")
    s.body(oval(42, 52, 22), "ball", color=s.accent, shadow=False)
    s.fill(oval(42, 52, 12), lighter(s.accent, 0.45))


def _caliper(s: Sketch) -> None:
    s.body(turned(rect(8, 38, 98, 50, 1), -16), "flat", color=STEEL, material="metal")
    s.body(
        turned([(8, 38), (20, 38), (20, 50), (18, 88), (12, 80), (8, 50)], -16), "flat", color=STEEL, material="metal"
    )
    s.body(turned([(44, 40), (56, 40), (56, 50), (50, 80), (44, 88)], -16), "flat", color=STEEL, material="metal")
    s.body(turned(rect(42, 28, 80, 58, 3), -16), "fold", material="plastic")
    s.fill(turned(rect(47, 33, 75, 44, 1), -16), (196, 220, 190))
    s.line(turned([(56, 38.5), (71, 38.5)], -16), BLACK, 2.6)
    for x in (52, 62, 72):
        s.fill(turned(oval(x, 51, 2.6), -16), s.accent)
    for i in range(14):
        s.line(turned([(24 + 1.4 * i, 47), (24 + 1.4 * i, 50)], -16), BLACK, 0.4)


def _snow_globe(s: Sketch) -> None:
    s.floor(50, 93, 32, 4)
    s.body(oval(50, 42, 35), "ball", color=mix((206, 226, 244), s.main, 0.12), material="glass")
    s.fill([*oval(50, 42, 33, 33, 20, 160)], WHITE, 0.9)
    s.body([(50, 16), (62, 54), (38, 54)], "side", color=(60, 120, 80), shadow=False)
    s.body(rect(56, 40, 70, 56), "flat", color=s.accent, shadow=False)
    s.fill([(54, 41), (63, 32), (72, 41)], s.main)
    for i in range(16):
        s.fill(oval(26 + i * 37 % 48, 16 + i * 23 % 38, 1.3), WHITE)
    s.body([(22, 74), (78, 74), (84, 92), (16, 92)], "side")
    s.line([(20, 83), (80, 83)], s.accent, 2)


DRAWINGS = {
    "watering_can": _watering_can,
    "grill": _grill,
    "fence": _fence,
    "cage": _cage,
    "shed": _shed,
    "cat_tree": _cat_tree,
    "shopping_cart": _shopping_cart,
    "hand_truck": _hand_truck,
    "scooter": _scooter,
    "steering_wheel": _steering_wheel,
    "office_chair": _office_chair,
    "stool": _stool,
    "coat_stand": _coat_stand,
    "hand_fan": _hand_fan,
    "flag": _flag,
    "ruler": _ruler,
    "stapler": _stapler,
    "tape_measure": _tape_measure,
    "caliper": _caliper,
    "snow_globe": _snow_globe,
}
