"""What is put up for a feast, or to remember."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    GOLD,
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


def _pumpkin(s: Sketch) -> None:
    s.floor(50, 88, 42, 5)
    orange = mix((236, 132, 40), s.main, 0.2)
    for x, rx in ((22, 18), (78, 18), (36, 20), (64, 20), (50, 20)):
        s.body(oval(x, 58, rx, 30), "ball", color=orange, shadow=x in (22, 78))
    s.body(smooth((44, 30), (46, 14), (56, 10), (56, 30)), "side", color=(96, 124, 62))
    for x in (36, 64):
        s.fill([(x - 8, 56), (x, 44), (x + 8, 56)], s.accent if sum(s.accent) < 300 else BLACK)
    s.fill([(26, 66), (36, 70), (42, 66), (50, 71), (58, 66), (64, 70), (74, 66), (62, 80), (38, 80)], BLACK)


def _lantern(s: Sketch) -> None:
    s.line([(50, 2), (50, 14)], darker(s.accent, 0.3), 2)
    s.body(rect(36, 12, 64, 20, 2), "side", color=s.accent)
    s.body(oval(50, 46, 38, 28), "ball")
    for rx in (12, 25):
        s.line(oval(50, 46, rx, 28), darker(s.main, 0.25), 1)
    s.glow(oval(50, 46, 36, 26), "spot", color=(255, 226, 150), alpha=0.7)
    s.body(rect(36, 72, 64, 80, 2), "side", color=s.accent)
    for x in (44, 50, 56):
        s.line([(x, 80), (x, 97)], s.accent, 2)


def _christmas_tree(s: Sketch) -> None:
    s.floor(50, 94, 30, 4)
    green = mix((44, 110, 66), s.main, 0.25)
    s.body(rect(44, 80, 56, 94, 1), "side", color=WOOD)
    for top, end, half in ((44, 84, 40), (26, 62, 31), (10, 40, 21)):
        s.body([(50, top - 8), (50 + half, end), (50, end - 5), (50 - half, end)], "side", color=green)
    s.fill([turned([(50, 9 - (7 if i % 2 == 0 else 3))], 36 * i, 50, 9)[0] for i in range(10)], GOLD)
    for i, (x, y) in enumerate(
        ((44, 30), (58, 36), (34, 54), (52, 52), (66, 58), (28, 76), (46, 72), (62, 76), (76, 80))
    ):
        s.body(oval(x, y, 3.6), "ball", color=s.main if i % 2 else s.accent, shadow=False)


def _bunting(s: Sketch) -> None:
    s.line(smooth((2, 14), (50, 34), (98, 14), closed=False), darker(s.accent, 0.3), 1.6)
    s.line(smooth((2, 54), (50, 74), (98, 54), closed=False), darker(s.accent, 0.3), 1.6)
    for row in (0, 40):
        for i in range(6):
            x = 9 + 16.4 * i
            y = 16 + row + 15 * (1 - ((x - 50) / 50) ** 2)
            s.body([(x - 7, y), (x + 7, y), (x, y + 20)], "flat",
                   color=(None, s.accent, lighter(s.main, 0.5))[i % 3])  # fmt: skip


def _carnival_mask(s: Sketch) -> None:
    for i, x in enumerate((30, 50, 70)):
        s.body(smooth((x, 40), (x - 8, 16), (x + 4 * (i - 1), 2), (x + 8, 16)), "ball", color=s.accent)
    s.body(smooth((4, 42), (24, 32), (50, 42), (76, 32), (96, 42), (88, 68), (68, 76), (50, 64), (32, 76), (12, 68)),
           "ball")  # fmt: skip
    for x in (30, 70):
        s.fill(smooth((x - 14, 54), (x, 45), (x + 14, 54), (x, 61)), BLACK)
        s.line(smooth((x - 14, 54), (x, 45), (x + 14, 54), (x, 61), (x - 14, 54), closed=False), GOLD, 1.4)
    s.fill(smooth((50, 42), (54, 49), (50, 56), (46, 49)), GOLD)


def _statue(s: Sketch) -> None:
    s.floor(50, 94, 36, 4)
    s.body(rect(22, 82, 78, 94, 2), "side", color=darker(s.accent, 0.15))
    s.body(smooth((16, 74), (34, 64), (66, 64), (84, 74), (74, 84), (26, 84)), "ball")
    s.body(smooth((38, 36), (62, 36), (70, 50), (68, 74), (32, 74), (30, 50)), "side")
    s.body(oval(50, 24, 14, 15), "ball")
    s.body(oval(50, 8, 6), "ball", shadow=False)
    for x in (44, 56):
        s.line(smooth((x - 4, 24), (x, 26), (x + 4, 24), closed=False), darker(s.main, 0.5), 1)
    s.line(smooth((46, 32), (50, 34), (54, 32), closed=False), darker(s.main, 0.5), 1)
    s.line(smooth((38, 46), (50, 66), (64, 50), closed=False), s.accent, 2.4)


def _trophy(s: Sketch) -> None:
    s.floor(50, 94, 28, 3)
    for side in (-1, 1):
        s.line(oval(50 + 28 * side, 28, 12, 14), darker(s.main, 0.2), 4)
    s.body([(22, 8), (78, 8), (74, 40), *oval(50, 40, 24, 18, 0, 180), (26, 40)], "side", material="gold")
    s.fill(oval(50, 8.5, 28, 4), darker(s.main, 0.4))
    s.fill([turned([(50, 30 - (11 if i % 2 == 0 else 5))], 36 * i, 50, 30)[0] for i in range(10)], s.accent)
    s.body([(45, 56), (55, 56), (60, 78), (40, 78)], "side", material="gold")
    s.body(rect(30, 78, 70, 93, 2), "fold", color=BLACK)
    s.fill(rect(40, 82, 60, 89, 1), GOLD)


def _skull(s: Sketch) -> None:
    bone = mix((240, 232, 212), s.main, 0.2)
    s.floor(50, 92, 30, 4)
    s.body(smooth((30, 62), (70, 62), (66, 88), (50, 92), (34, 88)), "side", color=darker(bone, 0.08))
    s.body(smooth((50, 8), (80, 18), (88, 46), (74, 66), (50, 70), (26, 66), (12, 46), (20, 18)), "ball", color=bone)
    for x in (34, 66):
        s.fill(oval(x, 46, 10, 11), mix(BLACK, s.accent, 0.25))
    s.fill([(50, 54), (56, 66), (44, 66)], BLACK)
    for i in range(7):
        s.line([(35 + 5 * i, 72), (35 + 5 * i, 82)], darker(bone, 0.45), 1.2)
    s.line([(33, 77), (67, 77)], darker(bone, 0.45), 1.2)


def _incense(s: Sketch) -> None:
    s.floor(50, 90, 34, 4)
    for x, lean in ((50, 0), (42, -8), (58, 8)):
        tip = turned([(x, 30)], lean, x, 62)[0]
        s.line([(x, 64), tip], darker(s.accent, 0.2), 2)
        s.fill(oval(*tip, 2), (240, 110, 50))
        s.line(smooth(tip, (tip[0] - 4, tip[1] - 10), (tip[0] + 4, tip[1] - 18), (tip[0], tip[1] - 26), closed=False),
               (176, 180, 188), 1.4)  # fmt: skip
    s.body(smooth((16, 60), (84, 60), (78, 82), (62, 88), (38, 88), (22, 82)), "ball", material=s.material or "ceramic")
    s.body(oval(50, 60, 35, 6), "flat", color=(206, 196, 180), shadow=False)
    s.line([(22, 70), (78, 70)], s.accent, 2)


DRAWINGS = {
    "bunting": _bunting,
    "carnival_mask": _carnival_mask,
    "statue": _statue,
    "trophy": _trophy,
    "skull": _skull,
    "incense": _incense,
    "pumpkin": _pumpkin,
    "lantern": _lantern,
    "christmas_tree": _christmas_tree,
}
