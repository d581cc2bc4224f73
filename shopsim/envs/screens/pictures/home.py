"""Furniture, textiles and decoration."""

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
)


def _sofa(s: Sketch) -> None:
    s.floor(50, 82, 48, 5)
    for x in (14, 86):
        s.line([(x, 76), (x, 84)], darker(WOOD, 0.3), 3)
    s.body(rect(12, 28, 88, 64, 7), "fold")
    s.line([(50, 30), (50, 54)], darker(s.main, 0.3), 0.9)
    for x0 in (16, 50.5):
        s.body(rect(x0, 52, x0 + 33.5, 68, 4), "fold", shadow=False)
    s.body(rect(12, 64, 88, 78, 3), "flat", shadow=False)
    for x0 in (4, 82):
        s.body(rect(x0, 42, x0 + 14, 79, 6), "fold")
    s.body(smooth((23, 40), (40, 40), (41, 56), (22, 57)), "ball", color=s.accent)


def _chair(s: Sketch) -> None:
    s.floor(50, 93, 34, 4)
    leg = s.accent if s.accent != s.main else WOOD
    for x0, x1 in ((32, 26), (68, 74), (40, 38), (60, 62)):
        s.line([(x0, 58), (x1, 92 if abs(x0 - 50) > 12 else 84)], darker(leg, 0.15), 3.2)
    s.body(smooth((30, 12), (50, 8), (70, 12), (69, 50), (50, 54), (31, 50)), "fold")
    s.body(smooth((26, 54), (50, 50), (74, 54), (76, 63), (50, 67), (24, 63)), "ball")


def _table(s: Sketch) -> None:
    s.floor(50, 86, 46, 4)
    wood = s.material or "wood"
    for x in (16, 80):
        s.body([(x, 40), (x + 5, 40), (x + 4, 86), (x + 1, 86)], "flat", color=darker(s.main, 0.15))
    for x in (28, 68):
        s.body([(x, 36), (x + 4, 36), (x + 3, 72), (x + 1, 72)], "flat", color=darker(s.main, 0.35), shadow=False)
    s.body([(22, 24), (78, 24), (94, 38), (6, 38)], "fold", material=wood)
    s.body(rect(6, 38, 94, 43, 1), "flat", color=darker(s.main, 0.2), shadow=False)
    for centre, fruit in ((46.5, (232, 150, 60)), (53.5, (206, 70, 60)), (50, (150, 178, 76))):
        s.fill(oval(centre, 19, 4), fruit)
    s.body([(40, 20), (60, 20), (57, 26), (53, 29), (47, 29), (43, 26)], "ball", color=s.accent)


def _bed(s: Sketch) -> None:
    s.floor(50, 86, 48, 4)
    s.body(rect(8, 16, 92, 64, 5), "fold", color=s.accent)
    s.body([(10, 48), (90, 48), (96, 80), (4, 80)], "flat", color=(246, 244, 240))
    for x0 in (17, 53):
        s.body(
            smooth((x0, 40), (x0 + 15, 37), (x0 + 30, 40), (x0 + 29, 52), (x0 + 15, 54), (x0 + 1, 52)),
            "ball",
            color=WHITE,
        )
    s.body(smooth((8, 56), (50, 54), (92, 56), (97, 78), (96, 84), (50, 85), (4, 84), (3, 78)), "fold")
    s.body([(7, 56), (93, 56), (94.5, 63), (5.5, 63)], "flat", color=lighter(s.main, 0.45), shadow=False)


def _cabinet(s: Sketch) -> None:
    s.floor(50, 90, 42, 4)
    s.body(rect(14, 14, 86, 84, 2), "fold", material=s.material or "wood")
    for x in (20, 80):
        s.line([(x, 84), (x, 91)], darker(s.main, 0.4), 3)
    for row in range(3):
        y = 18 + 22 * row
        for x0, x1 in ((18, 48.5), (51.5, 82)):
            frame = rect(x0, y, x1, y + 19, 1)
            s.line([*frame, frame[0]], darker(s.main, 0.35), 0.9)
            s.fill(oval((x0 + x1) / 2, y + 9.5, 1.9), s.accent)


def _shelf(s: Sketch) -> None:
    s.floor(50, 95, 36, 3)
    s.fill(rect(20, 8, 80, 93), darker(s.main, 0.5), 0.35)
    books = (s.accent, (196, 76, 60), (70, 118, 164), (222, 184, 92), (96, 138, 96))
    for row in range(4):
        y, x = 28 + 21.5 * row, 24.0
        for i in range(5 - row % 2):
            w, h = s.random.uniform(4, 7), s.random.uniform(11, 16)
            s.fill(rect(x, y - h, x + w, y), books[(i + row) % 5])
            x += w + 0.8
        if row % 2:
            s.fill(mirrored([(70, y - 6), (72, y), (66, y)], 66), WHITE)
            s.fill(oval(66, y - 9, 6, 5), GREEN)
    for y in (6, 28, 49.5, 71, 91):
        s.body(rect(18, y, 82, y + 3), "flat", shadow=False)
    for x in (17, 79):
        s.body(rect(x, 5, x + 4, 95), "flat")


def _mirror(s: Sketch) -> None:
    s.body(oval(50, 50, 34, 43), "fold", material=s.material or "wood")
    s.fill(oval(50, 50, 28.5, 37.5), (206, 222, 232))
    s.glow(oval(50, 50, 28.5, 37.5), "bottom", (120, 140, 160), 0.45)
    for x in (40, 54):
        s.fill([(x, 20), (x + 8, 18), (x - 10, 76), (x - 16, 72)], WHITE, 0.4)


def _curtain(s: Sketch) -> None:
    s.fill(rect(14, 14, 86, 88), (214, 232, 246))
    s.fill(rect(48.5, 14, 51.5, 88), WHITE)
    s.fill(rect(14, 48, 86, 51), WHITE)
    for side in (-1, 1):
        outer = 50 + 42 * side
        s.body(
            [
                (outer, 12),
                (50 + 3 * side, 12),
                (50 + 12 * side, 50),
                (50 + 22 * side, 64),
                (50 + 18 * side, 92),
                (outer, 92),
            ],
            "fold",
        )
        for i in range(4):
            s.line(
                smooth(
                    (outer - side * 7 * (i + 1), 13),
                    (outer - side * 6 * (i + 1), 50),
                    (outer - side * 4 * (i + 1), 92),
                    closed=False,
                ),
                darker(s.main, 0.25),
                0.9,
            )
        s.fill(rect(min(outer, 50 + 20 * side), 62, max(outer, 50 + 20 * side), 67), s.accent)
    s.line([(3, 10), (97, 10)], darker(WOOD, 0.2), 3)


def _rug(s: Sketch) -> None:
    s.body([(20, 26), (80, 26), (96, 78), (4, 78)], "fold")
    for inset, width in ((6, 2.2), (10, 0.9)):
        k = inset * 0.3
        s.line(
            [
                (20 + inset, 26 + inset * 0.8),
                (80 - inset, 26 + inset * 0.8),
                (96 - inset - k, 78 - inset),
                (4 + inset + k, 78 - inset),
                (20 + inset, 26 + inset * 0.8),
            ],
            s.accent,
            width,
        )
    s.line([*smooth((50, 38), (66, 50), (50, 64), (34, 50)), (50, 38)], s.accent, 2)
    for i in range(24):
        s.line([(6 + 3.8 * i, 78), (5 + 3.88 * i, 82)], lighter(s.main, 0.5), 0.8)


def _pillow(s: Sketch) -> None:
    s.floor(50, 84, 42, 5, 0.24)
    s.body(smooth((12, 18), (50, 24), (88, 18), (84, 50), (90, 82), (50, 77), (10, 82), (16, 50)), "ball")
    edge = smooth((16, 22), (50, 27), (84, 22), (80.5, 50), (86, 78), (50, 73.5), (14, 78), (19.5, 50))
    s.line([*edge, edge[0]], s.accent, 1.1)


def _blanket(s: Sketch) -> None:
    s.floor(50, 82, 46, 5)
    for i in range(4):
        y = 66 - 13 * i
        s.body(rect(10 + i, y, 90 - i, y + 15, 7), "side")
        s.line([(86 - i, y + 4), (88 - i, y + 11)], darker(s.main, 0.3), 1)
    s.body([(30, 25), (48, 25), (50, 58), (28, 58)], "fold", color=s.accent)
    for i in range(5):
        s.line([(30 + 4.4 * i, 58), (30 + 4.4 * i, 63)], darker(s.accent, 0.15), 1)


def _towel(s: Sketch) -> None:
    s.line([(10, 14), (90, 14)], STEEL, 3)
    s.body([(24, 13), (76, 13), (78, 88), (22, 88)], "side")
    s.body([(24, 11), (76, 11), (77, 60), (23, 60)], "fold")
    for y in (48, 53):
        s.fill(rect(23.2, y, 76.8, y + 3), s.accent)
    for x in (10, 90):
        s.fill(oval(x, 14, 3.4), STEEL)


def _vase(s: Sketch) -> None:
    s.floor(50, 93, 24, 4)
    for dx, y, color in ((-14, 18, s.accent), (0, 10, lighter(s.accent, 0.3)), (14, 20, darker(s.accent, 0.1))):
        s.line(smooth((50 + dx, y), (50 + dx * 0.5, 34), (50, 48), closed=False), darker(GREEN, 0.1), 1.6)
        s.fill(oval(50 + dx * 0.6 + 4, 34, 4, 2), GREEN)
        for i in range(6):
            petal = oval(50 + dx + 4 * (i % 3 - 1), y + 3.4 * (i // 3 * 2 - 1) * (1 if i % 3 == 1 else 0.6), 3.6)
            s.fill(petal, color)
        s.fill(oval(50 + dx, y, 2.6), (250, 214, 90))
    s.body(
        mirrored(smooth((57, 44), (55, 52), (68, 66), (66, 84), (58, 92), (50, 92.5), closed=False)),
        "ball",
        material=s.material or "ceramic",
    )
    s.line([(43, 44), (57, 44)], darker(s.main, 0.3), 1.8)


def _frame(s: Sketch) -> None:
    s.body(rect(14, 8, 86, 92, 1), "fold", material=s.material or "wood")
    s.fill(rect(21, 15, 79, 85), (250, 249, 245))
    s.fill(rect(29, 24, 71, 76), mix(s.accent, (200, 225, 245), 0.7))
    s.fill(oval(58, 38, 6), (255, 214, 110))
    s.fill([(29, 76), (29, 62), (42, 50), (54, 64), (62, 58), (71, 66), (71, 76)], s.accent)
    s.fill([(29, 76), (29, 70), (48, 66), (71, 73), (71, 76)], darker(s.accent, 0.35))
    s.fill([(22, 80), (50, 16), (60, 16), (32, 84)], WHITE, 0.14)


def _candle(s: Sketch) -> None:
    s.floor(50, 90, 30, 4)
    s.fill(oval(50, 26, 24), (255, 226, 150), 0.35)
    s.body(rect(26, 44, 74, 90, 6), "side", color=lighter(s.main, 0.25), material="glass")
    s.fill(rect(28, 52, 72, 88, 5), s.main, 0.9)
    s.fill(oval(50, 52, 22, 3.6), lighter(s.main, 0.45))
    s.line([(50, 52), (50, 40)], BLACK, 1.2)
    s.fill(smooth((50, 20), (56, 34), (50, 43), (44, 34)), (255, 176, 40))
    s.fill(smooth((50, 29), (53, 36), (50, 41), (47, 36)), (255, 240, 190))
    s.fill(rect(34, 64, 66, 80, 1), lighter(s.accent, 0.8))
    s.line([(40, 70), (60, 70)], s.accent, 1.6)
    s.line([(43, 75), (57, 75)], s.accent, 1)


def _basket(s: Sketch) -> None:
    s.floor(50, 88, 40, 5)
    s.line(oval(50, 42, 28, 28, 180, 360), darker(s.main, 0.15), 4)
    s.fill(oval(50, 42, 36, 7), darker(s.main, 0.55))
    s.fill(smooth((22, 42), (34, 30), (52, 34), (66, 30), (78, 42), (50, 47)), s.accent)
    s.body(smooth((14, 42), (50, 47), (86, 42), (78, 84), (50, 88), (22, 84)), "ball", material=s.material or "rattan")
    s.line(smooth((14, 43), (50, 48), (86, 43), closed=False), darker(s.main, 0.2), 3)


def _box(s: Sketch) -> None:
    s.floor(50, 82, 46, 5)
    s.body([(10, 40), (50, 48), (50, 88), (10, 78)], "flat")
    s.body([(50, 48), (90, 40), (90, 78), (50, 88)], "flat", shadow=False)
    s.glow([(50, 48), (90, 40), (90, 78), (50, 88)], "bottom", BLACK, 0.3)
    s.fill([(10, 40), (50, 32), (90, 40), (50, 48)], darker(s.main, 0.55))
    s.body([(10, 36), (50, 28), (90, 36), (90, 42), (50, 51), (10, 42)], "fold")
    s.fill([(24, 62), (38, 65), (38, 74), (24, 71)], s.accent)


def _hanger(s: Sketch) -> None:
    s.line(smooth((50, 40), (50, 30), (58, 24), (54, 14), (44, 16), closed=False), STEEL, 2.6)
    s.line([(50, 40), (92, 68), (88, 74), (12, 74), (8, 68), (50, 40)], darker(s.main, 0.4), 6)
    s.line([(50, 40), (92, 68), (88, 74), (12, 74), (8, 68), (50, 40)], s.main, 4.6)
    for x in (24, 76):
        s.fill(rect(x - 3, 71, x + 3, 80, 1), s.accent)


def _drying_rack(s: Sketch) -> None:
    s.floor(50, 93, 44, 4)
    frame = darker(s.main, 0.05)
    for a, b in (((24, 92), (70, 34)), ((76, 92), (30, 34))):
        s.line([a, b], darker(s.main, 0.4), 3.6)
        s.line([a, b], frame, 2.4)
    s.line([(6, 40), (30, 34), (70, 34), (94, 40)], darker(s.main, 0.4), 3.4)
    s.line([(6, 40), (30, 34), (70, 34), (94, 40)], frame, 2.2)
    for x in range(14, 90, 8):
        s.line([(x, 38), (x, 35)], darker(s.main, 0.3), 1.2)
    s.body([(14, 37), (34, 33), (34, 66), (14, 70)], "fold", color=s.accent)
    s.body([(42, 34), (58, 34), (58, 60), (42, 60)], "fold", color=lighter(s.accent, 0.55))
    s.body([(68, 34), (86, 38), (86, 62), (68, 58)], "fold", color=lighter(s.main, 0.5))


DRAWINGS = {
    "sofa": _sofa,
    "chair": _chair,
    "table": _table,
    "bed": _bed,
    "cabinet": _cabinet,
    "shelf": _shelf,
    "mirror": _mirror,
    "curtain": _curtain,
    "rug": _rug,
    "pillow": _pillow,
    "blanket": _blanket,
    "towel": _towel,
    "vase": _vase,
    "frame": _frame,
    "candle": _candle,
    "basket": _basket,
    "box": _box,
    "hanger": _hanger,
    "drying_rack": _drying_rack,
}
