"""Books, stationery and music."""

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


def _book(s: Sketch) -> None:
    s.floor(52, 92, 34, 4)
    s.fill(rect(24, 11, 82, 91, 2), (244, 240, 230))
    for i in range(4):
        s.line([(79 + 0.9 * i, 13), (79 + 0.9 * i, 90)], (206, 200, 188), 0.5)
    s.body(rect(20, 8, 77, 89, 2), "fold")
    s.fill(rect(20, 8, 26, 89, 1), darker(s.main, 0.3))
    s.fill(rect(33, 20, 70, 44, 1), lighter(s.accent, 0.75))
    for y, half in ((27, 14), (33, 11), (39, 7)):
        s.line([(51.5 - half, y), (51.5 + half, y)], darker(s.main, 0.5), 2 if y < 36 else 1)
    s.fill(oval(51.5, 64, 11), s.accent)
    s.fill(oval(55.5, 60, 9), lighter(s.accent, 0.35))


def _notebook(s: Sketch) -> None:
    s.floor(52, 93, 34, 4)
    s.fill(rect(26, 10, 82, 92, 3), WHITE)
    s.body(rect(22, 8, 79, 90, 4), "fold", material=s.material or "leather")
    s.line([(70, 8), (70, 90)], s.accent, 2.4)
    for i in range(10):
        y = 14 + 7.8 * i
        s.fill(oval(27, y, 1.6), darker(s.main, 0.6))
        s.line(oval(22.5, y, 4.4, 2, 20, 340), STEEL, 1.3)


def _pen(s: Sketch) -> None:
    s.body(turned(rect(12, 44, 70, 56, 4), -35), "flat", material=s.material or "metal")
    s.body(turned(rect(66, 43.4, 92, 56.6, 3), -35), "flat", color=s.accent)
    s.body(turned([(12, 44.4), (2, 49), (2, 51), (12, 55.6)], -35), "flat", color=STEEL, material="metal")
    s.line(turned([(89, 41.4), (66, 41.4)], -35), STEEL, 1.8)
    s.line(
        smooth((8, 88), (20, 80), (28, 90), (44, 82), (52, 90), (70, 84), closed=False), mix(s.main, BLACK, 0.2), 1.3
    )


def _guitar(s: Sketch) -> None:
    s.zoom(0.84)
    s.body(turned(rect(46, 2, 54, 56, 1), 26), "flat", color=darker(WOOD, 0.5))
    s.body(turned(rect(43.5, -9, 56.5, 7, 2), 26), "flat", color=darker(s.main, 0.35))
    half = smooth((52, 42), (66, 47), (66, 60), (63, 66), (74, 80), (68, 96), (50, 100), closed=False)
    s.body(turned(mirrored(half), 26), "fold", material=s.material or "wood")
    s.fill(turned(oval(50, 64, 8.6), 26), darker(s.main, 0.75))
    s.line(turned(oval(50, 64, 9.4), 26), s.accent, 1.6)
    s.fill(turned(rect(42, 83, 58, 86.5, 1), 26), darker(WOOD, 0.5))
    s.fill(turned(rect(46.6, 6, 53.4, 58), 26), darker(WOOD, 0.45))
    for i in range(4):
        s.line(turned([(47.6 + 1.6 * i, -6), (47.6 + 1.6 * i, 84)], 26), (236, 236, 226), 0.5)


def _piano(s: Sketch) -> None:
    s.floor(50, 74, 48, 5)
    s.body(rect(4, 30, 96, 72, 4), "fold", material=s.material or "plastic")
    s.fill(rect(8, 48, 92, 70, 1), WHITE)
    for i in range(1, 14):
        s.line([(8 + 6 * i, 48), (8 + 6 * i, 70)], (150, 150, 156), 0.6)
    for i in range(1, 14):
        if i % 7 not in (3, 0):
            s.fill(rect(6.2 + 6 * i, 48, 9.8 + 6 * i, 61), BLACK)
    s.fill(rect(38, 35, 62, 43, 1), (150, 214, 226))
    for x in (16, 24, 74, 82):
        s.fill(oval(x, 39, 2.6), s.accent)


DRAWINGS = {
    "book": _book,
    "notebook": _notebook,
    "pen": _pen,
    "guitar": _guitar,
    "piano": _piano,
}
