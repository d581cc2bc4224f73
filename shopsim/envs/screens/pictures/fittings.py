"""What is built into a home."""

from shopsim.envs.screens.pictures.sketch import (
    GOLD,
    STEEL,
    Sketch,
    darker,
    lighter,
    mix,
    oval,
    rect,
    smooth,
    turned,
)


def _door(s: Sketch) -> None:
    s.floor(50, 97, 34, 3)
    s.body(rect(22, 4, 78, 97), "flat", color=lighter(s.main, 0.45))
    s.body(rect(27, 8, 73, 97), "fold", material=s.material or "wood", shadow=False)
    for y0, y1 in ((14, 46), (54, 90)):
        for x0 in (32, 52):
            s.line([(x0, y0), (x0 + 16, y0), (x0 + 16, y1), (x0, y1), (x0, y0)], darker(s.main, 0.35), 1)
            s.line([(x0 + 1.6, y1 - 1.6), (x0 + 14.4, y1 - 1.6), (x0 + 14.4, y0 + 1.6)], lighter(s.main, 0.25), 0.7)
    s.fill(rect(28.5, 47, 31.5, 57, 1), GOLD)
    s.line([(30, 51), (37, 51)], GOLD, 2)


def _toilet(s: Sketch) -> None:
    china = mix((248, 248, 246), s.accent, 0.08)
    s.floor(54, 95, 34, 4)
    s.body(rect(20, 8, 46, 52, 4), "side", color=china, material="ceramic")
    s.body(rect(18, 4, 48, 11, 2), "flat", color=lighter(china, 0.4), shadow=False)
    s.fill(rect(30, 4.4, 37, 7, 1), STEEL)
    s.body(
        smooth((30, 56), (84, 56), (80, 72), (64, 80), (62, 94), (36, 94), (38, 80), (30, 68)),
        "ball",
        color=china,
        material="ceramic",
    )
    s.body(oval(58, 54, 30, 6.4), "flat", shadow=False)
    s.fill(oval(59, 54, 23, 4), (220, 232, 240))
    s.body(turned(rect(44, 12, 50, 52, 3), 4, 46, 52), "side", shadow=False)


DRAWINGS = {
    "door": _door,
    "toilet": _toilet,
}
