"""Kitchen and household goods."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
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


def _pan(s: Sketch) -> None:
    s.body(turned(rect(58, 45, 98, 54, 4), -38, 42, 50), "flat", color=s.accent)
    s.body(oval(42, 52, 36), "fold", material=s.material or "metal")
    s.fill(oval(42, 52, 30), darker(s.main, 0.5))
    s.glow(oval(42, 52, 30), "spot", alpha=0.35)
    s.line(oval(42, 52, 18), darker(s.main, 0.6), 0.6)


def _pot(s: Sketch) -> None:
    s.floor(50, 86, 44, 5)
    for x0, x1 in ((4, 20), (80, 96)):
        s.body(rect(x0, 48, x1, 56, 4), "flat", color=s.accent)
    s.body(rect(14, 40, 86, 85, 9), "side", material=s.material or "metal")
    s.body(smooth((12, 41), (22, 30), (50, 25), (78, 30), (88, 41)), "fold", material=s.material or "metal")
    s.body(smooth((43, 24), (45, 16), (55, 16), (57, 24)), "flat", color=s.accent)
    s.line([(14, 46), (86, 46)], darker(s.main, 0.35), 0.9)


def _knife(s: Sketch) -> None:
    s.body(
        turned(smooth((6, 47), (26, 43), (62, 43), (62, 60), (30, 60), (12, 54)), -28),
        "flat",
        color=(214, 219, 226),
        material="metal",
    )
    s.line(turned([(10, 51), (30, 58.5), (61, 58.5)], -28), WHITE, 1)
    s.body(turned(rect(61, 43, 96, 55, 4), -28), "fold", material=s.material or "wood")
    for x in (68, 78, 88):
        s.fill(turned(oval(x, 49, 1.5), -28), STEEL)
    s.fill(turned(rect(60, 42, 64, 60, 1), -28), s.accent)


def _mug(s: Sketch) -> None:
    s.floor(46, 86, 38, 5)
    s.line(oval(74, 52, 13, 16, -95, 95), darker(s.main, 0.3), 7)
    s.line(oval(74, 52, 13, 16, -95, 95), s.main, 5.4)
    s.body(rect(18, 24, 72, 86, 6), "side", material=s.material or "ceramic")
    s.fill(oval(45, 25, 27, 5), darker(s.main, 0.25))
    s.fill(oval(45, 26, 23, 3.6), (92, 58, 36))
    if s.pattern in ("plain", ""):
        s.fill(smooth((45, 70), (33, 57), (35, 47), (45, 52), (55, 47), (57, 57)), s.accent)


def _glass(s: Sketch) -> None:
    s.floor(50, 92, 26, 4)
    s.body([(28, 12), (72, 12), (66, 91), (34, 91)], "side", color=lighter(s.main, 0.75), material="glass")
    s.fill([(29.6, 34), (70.4, 34), (66, 88), (34, 88)], s.main, 0.75)
    s.fill(oval(50, 34, 20.4, 3), lighter(s.main, 0.4))
    for x, y, turn in ((42, 42, 15), (56, 46, -20)):
        s.fill(turned(rect(x - 6, y - 6, x + 6, y + 6, 1), turn, x, y), WHITE, 0.45)
    s.fill([(34, 18), (38, 18), (41, 84), (38, 84)], WHITE, 0.5)


def _plate(s: Sketch) -> None:
    s.body(oval(50, 50, 43), "ball", material=s.material or "ceramic")
    s.line(oval(50, 50, 40), s.accent, 1.4)
    s.body(oval(50, 50, 28), "flat", color=lighter(s.main, 0.3), shadow=False, edge=False)
    s.line(oval(50, 50, 28), darker(s.main, 0.2), 0.8)
    s.glow(oval(50, 50, 28), "spot", alpha=0.4)


def _bowl(s: Sketch) -> None:
    s.floor(50, 84, 34, 5)
    s.body([*oval(50, 38, 41, 46, 0, 180)], "ball", material=s.material or "ceramic")
    s.body(rect(36, 80, 64, 86, 2), "flat", color=darker(s.main, 0.2), shadow=False)
    s.body(oval(50, 38, 41, 11), "flat", color=lighter(s.main, 0.3), shadow=False)
    s.fill(oval(50, 39.5, 36, 8), darker(lighter(s.main, 0.3), 0.18))
    s.line(oval(50, 40, 40.5, 13, 8, 172), s.accent, 1.4)


def _cutlery(s: Sketch) -> None:
    metal = s.main if s.material not in ("wood", "bamboo") else WOOD
    for cx in (24, 50, 76):
        s.body(
            smooth((cx - 2, 44), (cx + 2, 44), (cx + 4, 82), (cx + 3, 93), (cx - 3, 93), (cx - 4, 82)),
            "side",
            material=s.material or "metal",
        )
        s.fill(rect(cx - 3.4, 80, cx + 3.4, 85), s.accent)
    for dx in (-6, -2, 2, 6):
        s.line([(24 + dx, 8), (24 + dx, 30)], metal, 2)
    s.body(smooth((17, 26), (31, 26), (28, 42), (20, 42)), "flat", shadow=False, edge=False)
    s.body(smooth((46, 46), (45, 12), (50, 6), (56, 14), (57, 46)), "side", material=s.material or "metal")
    s.body(oval(76, 24, 9.5, 17), "ball", material=s.material or "metal")
    s.line([(76, 40), (76, 46)], metal, 3.4)


def _board(s: Sketch) -> None:
    s.body(rect(20, 20, 80, 94, 6), "fold", material=s.material or "wood")
    s.body(rect(40, 5, 60, 24, 5), "fold", shadow=False, material=s.material or "wood")
    s.hole(oval(50, 13, 4))
    s.body(smooth((34, 66), (52, 58), (66, 68), (60, 80), (42, 82)), "ball", color=(222, 72, 54))
    s.fill(smooth((49, 60), (54, 54), (58, 60), (53, 63)), (86, 150, 70))
    s.line([(26, 26), (74, 26)], s.accent, 1.4)


def _jar_storage(s: Sketch) -> None:
    s.floor(50, 90, 32, 4)
    s.body(rect(24, 24, 76, 90, 8), "side", color=(220, 233, 238), material="glass")
    s.fill(rect(26.5, 44, 73.5, 87.5, 6), s.main)
    for _ in range(46):
        x, y = s.random.uniform(29, 71), s.random.uniform(47, 85)
        s.fill(oval(x, y, 2, 1.4), darker(s.main, 0.22) if x > y - 14 else lighter(s.main, 0.3))
    s.body(rect(22, 11, 78, 26, 3), "side", color=s.accent, material="bamboo")
    s.fill(rect(29, 30, 33, 84, 2), WHITE, 0.5)


def _spray_bottle(s: Sketch) -> None:
    s.floor(50, 93, 24, 3)
    s.body([(28, 12), (64, 8), (68, 20), (58, 26), (44, 26), (42, 20), (28, 20)], "flat", color=s.accent)
    s.line(smooth((40, 21), (34, 28), (36, 36), closed=False), darker(s.accent, 0.15), 2.6)
    s.body(rect(43, 25, 59, 34), "flat", color=darker(s.accent, 0.25))
    s.body(
        mirrored(smooth((58, 33), (60, 46), (70, 58), (69, 88), (64, 92), (50, 92.5), closed=False), 51),
        "side",
        material="plastic",
    )
    s.fill(rect(35, 60, 67, 82, 2), lighter(s.accent, 0.75))
    s.fill(smooth((51, 63), (57, 72), (51, 78), (45, 72)), s.accent)


def _paper_roll(s: Sketch) -> None:
    s.floor(50, 86, 40, 5)
    s.body([(72, 34), (88, 34), (90, 84), (74, 86)], "flat", color=mix(s.main, WHITE, 0.8))
    s.body(rect(16, 26, 76, 84, 1), "side", color=mix(s.main, WHITE, 0.72))
    for i in range(3):
        for j in range(4):
            s.fill(oval(24 + 14 * j + 7 * (i % 2), 46 + 12 * i, 2.6), s.main)
    s.body(oval(46, 27, 30, 10), "flat", color=mix(s.main, WHITE, 0.85), shadow=False)
    for r in (22, 15):
        s.line(oval(46, 27, r, r / 3), (214, 214, 218), 0.7)
    s.fill(oval(46, 27, 9, 3.2), darker(mix(s.accent, WOOD, 0.5), 0.15))


def _sponge(s: Sketch) -> None:
    s.floor(50, 80, 44, 5)
    s.body(rect(12, 36, 88, 64, 5), "fold")
    for _ in range(38):
        x, y, r = s.random.uniform(15, 85), s.random.uniform(39, 61), s.random.uniform(0.8, 2.2)
        s.fill(oval(x, y, r, r * 0.8), darker(s.main, 0.25))
    s.body(rect(12, 62, 88, 78, 4), "flat", color=s.accent)
    for x in range(14, 87, 3):
        s.line([(x, 64), (x + 1.5, 77)], darker(s.accent, 0.2), 0.6)
    for x, y, r in ((24, 28, 6), (36, 22, 4), (70, 26, 5)):
        s.fill(oval(x, y, r), WHITE, 0.55)
        s.line(oval(x, y, r), (190, 214, 232), 0.6)


def _broom(s: Sketch) -> None:
    s.floor(48, 94, 26, 3)
    s.line([(78, 4), (50, 62)], darker(s.accent, 0.3), 4)
    s.line([(78, 4), (50, 62)], s.accent, 2.8)
    s.body([(38, 58), (60, 68), (54, 94), (16, 80)], "fold")
    for i in range(9):
        s.line([(40 + 2.2 * i, 60 + 0.95 * i), (18 + 4.3 * i, 81 + 1.6 * i)], darker(s.main, 0.28), 0.7)
    s.body([(40, 52), (62, 62), (59, 69), (37, 59)], "flat", color=darker(s.accent, 0.2))


def _trash_bin(s: Sketch) -> None:
    s.floor(50, 92, 32, 4)
    s.body([(24, 30), (76, 30), (70, 91), (30, 91)], "side", material=s.material or "plastic")
    for x in (38, 50, 62):
        s.line([(x + (x - 50) * 0.12, 40), (x - (x - 50) * 0.08, 84)], darker(s.main, 0.2), 1.2)
    s.body(smooth((20, 30), (24, 21), (50, 16), (76, 21), (80, 30)), "fold", color=s.accent)
    s.body(rect(42, 12, 58, 18, 3), "flat", color=darker(s.accent, 0.25), shadow=False)
    s.fill(rect(44, 87, 56, 94, 1), BLACK)


def _grater(s: Sketch) -> None:
    s.floor(50, 93, 32, 4)
    s.line(smooth((38, 20), (40, 6), (60, 6), (62, 20), closed=False), darker(s.main, 0.3), 7)
    s.line(smooth((38, 20), (40, 6), (60, 6), (62, 20), closed=False), s.main, 5.4)
    s.body([(32, 18), (68, 18), (76, 92), (24, 92)], "side", color=STEEL, material="metal")
    for row in range(6):
        for column in range(4):
            x = 50 + (column - 1.5) * (8 + row * 0.7)
            s.fill(oval(x, 32 + 9.4 * row, 2.4, 1.8), darker(STEEL, 0.6))
    s.body(rect(22, 86, 78, 93, 2), "fold")
    s.line([(33, 22), (67, 22)], s.accent, 2)


DRAWINGS = {
    "grater": _grater,
    "pan": _pan,
    "pot": _pot,
    "knife": _knife,
    "mug": _mug,
    "glass": _glass,
    "plate": _plate,
    "bowl": _bowl,
    "cutlery": _cutlery,
    "board": _board,
    "jar_storage": _jar_storage,
    "spray_bottle": _spray_bottle,
    "paper_roll": _paper_roll,
    "sponge": _sponge,
    "broom": _broom,
    "trash_bin": _trash_bin,
}
