"""Sound, cameras and games."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    STEEL,
    WHITE,
    Sketch,
    darker,
    lighter,
    oval,
    rect,
    smooth,
)
from shopsim.envs.screens.theme import Color


def _headphones(s: Sketch) -> None:
    s.floor(50, 90, 40, 4)
    s.line(oval(50, 50, 33, 38, 180, 360), darker(s.main, 0.3), 7)
    s.line(oval(50, 50, 33, 38, 180, 360), s.main, 5.2)
    s.line(oval(50, 50, 30.5, 35.5, 205, 335), s.accent, 1.6)
    for side in (-1, 1):
        s.body(
            smooth(*[(50 + x * side, y) for x, y in ((26, 50), (32, 44), (36, 66), (32, 88), (26, 84), (23, 67))]),
            "flat",
            color=darker(s.accent, 0.25),
        )
        s.body(
            smooth(*[(50 + x * side, y) for x, y in ((32, 46), (42, 48), (46, 66), (42, 84), (32, 87), (34, 66))]),
            "ball",
            material="plastic",
        )


def _earbuds(s: Sketch) -> None:
    s.floor(50, 90, 34, 4)
    s.body(rect(20, 52, 80, 90, 16), "fold", material="plastic")
    s.line([(20.5, 66), (79.5, 66)], darker(s.main, 0.35), 0.9)
    s.fill(oval(50, 78, 1.8), s.accent)
    for side in (-1, 1):
        cx = 50 + 17 * side
        s.body(rect(cx - 3.4, 22, cx + 3.4, 48, 3.4), "side", material="plastic")
        s.body(oval(cx + 4 * side, 21, 9, 9.5), "ball", material="plastic")
        s.fill(oval(cx + 10 * side, 21, 4, 6), darker(s.accent, 0.3))


def _speaker(s: Sketch) -> None:
    s.floor(50, 93, 30, 4)
    s.body(rect(24, 8, 76, 92, 8), "side")
    for cy, r in ((28, 10), (64, 20)):
        s.fill(oval(50, cy, r), darker(s.main, 0.6))
        s.line(oval(50, cy, r), s.accent, 1.6)
        s.fill(oval(50, cy, r * 0.62), darker(s.main, 0.35))
        s.fill(oval(50 - r * 0.1, cy - r * 0.1, r * 0.3), darker(s.main, 0.7))


def _camera(s: Sketch) -> None:
    s.floor(50, 82, 46, 5)
    s.body([(34, 22), (58, 22), (64, 32), (28, 32)], "flat", color=darker(s.main, 0.15))
    s.body(rect(8, 30, 92, 80, 6), "fold", pattern=True, material=s.material or "plastic")
    s.fill(rect(8, 44, 92, 68), darker(s.main, 0.42))
    s.fill(rect(14, 24, 26, 31, 2), STEEL)
    s.fill(oval(84, 37, 3.2), s.accent)
    s.fill(oval(50, 56, 23), STEEL)
    _glass_eye(s, 50, 56, 21)


def _glass_eye(s: Sketch, cx: float, cy: float, r: float) -> None:
    """A lens from the front."""
    for share, color in (
        (1.0, BLACK),
        (0.78, (52, 54, 64)),
        (0.68, (20, 26, 52)),
        (0.42, (38, 56, 108)),
        (0.2, (12, 14, 26)),
    ):
        s.fill(oval(cx, cy, r * share), color)
    s.fill(oval(cx - r * 0.26, cy - r * 0.28, r * 0.17), WHITE, 0.75)
    s.fill(oval(cx + r * 0.25, cy + r * 0.28, r * 0.09), (190, 150, 240), 0.7)


def _lens(s: Sketch) -> None:
    s.floor(50, 90, 36, 4)
    s.body(rect(20, 34, 80, 88, 5), "side", material="plastic")
    for y in range(52, 70, 3):
        s.line([(20.5, y), (79.5, y)], darker(s.main, 0.5), 1)
    s.line([(20.5, 76), (79.5, 76)], s.accent, 2.2)
    s.body(oval(50, 34, 31, 15), "flat", color=darker(s.main, 0.5))
    s.fill(oval(50, 34, 26, 12), (26, 34, 66))
    s.fill(oval(50, 35, 16, 7), (52, 70, 128))
    s.fill(oval(42, 30, 6, 2.4), WHITE, 0.7)


def _drone(s: Sketch) -> None:
    s.floor(50, 84, 40, 5)
    for x, y in ((16, 34), (84, 34), (24, 62), (76, 62)):
        s.line([(50, 50), (x, y)], darker(s.main, 0.3), 4.4)
    for x, y in ((16, 31), (84, 31), (24, 58), (76, 58)):
        s.fill(oval(x, y, 15, 3.4), darker(s.accent, 0.3), 0.55)
        s.fill(rect(x - 2.4, y - 1, x + 2.4, y + 8, 1), BLACK)
    s.body(smooth((34, 44), (50, 38), (66, 44), (66, 58), (50, 64), (34, 58)), "ball", material="plastic")
    s.fill(rect(43, 58, 57, 70, 4), BLACK)
    s.fill(oval(50, 64, 4), (60, 80, 140))
    for side in (-1, 1):
        s.line([(50 + 14 * side, 60), (50 + 20 * side, 80), (50 + 24 * side, 80)], darker(s.main, 0.5), 1.8)


def _controller(s: Sketch) -> None:
    s.floor(50, 82, 44, 5)
    half = (60, 30), (76, 28), (86, 36), (94, 66), (90, 80), (80, 78), (68, 62), (50, 60)
    s.body(smooth(*half, *[(100 - x, y) for x, y in half[-2::-1]], (50, 32)), "ball", material="plastic")
    s.fill(rect(24, 40, 38, 45, 1), darker(s.main, 0.6))
    s.fill(rect(28.5, 35.5, 33.5, 49.5, 1), darker(s.main, 0.6))
    colors: tuple[Color, ...] = ((230, 70, 60), (240, 190, 50), (70, 150, 230), (90, 190, 100))
    for (x, y), color in zip(((69, 35), (76, 42), (62, 42), (69, 49)), colors, strict=True):
        s.fill(oval(x, y, 3.4), color)
    for x in (40, 60):
        s.fill(oval(x, 56, 6.4), darker(s.main, 0.65))
        s.fill(oval(x - 0.6, 55, 4), s.accent)


def _console(s: Sketch) -> None:
    s.floor(50, 90, 46, 5)
    s.body(rect(10, 14, 40, 88, 4), "side", material="plastic")
    s.fill(rect(16, 14, 19, 88), s.accent)
    s.fill(rect(24, 22, 36, 24, 1), darker(s.main, 0.6))
    s.fill(oval(30, 78, 2.6), lighter(s.accent, 0.5))
    pad = smooth(
        (52, 48),
        (60, 44),
        (70, 46),
        (80, 44),
        (88, 48),
        (96, 74),
        (92, 84),
        (82, 78),
        (70, 72),
        (58, 78),
        (48, 84),
        (44, 74),
    )
    s.body(pad, "ball", color=lighter(s.main, 0.1), material="plastic")
    for points in (rect(53.4, 56, 62.6, 59, 0.8), rect(56.5, 52.9, 59.5, 62.1, 0.8)):
        s.fill(points, darker(s.main, 0.65))
    for dx, dy, color in (
        (0, -3.8, (90, 190, 110)),
        (3.8, 0, (224, 84, 84)),
        (0, 3.8, (80, 140, 220)),
        (-3.8, 0, (240, 190, 70)),
    ):
        s.fill(oval(82 + dx, 57.5 + dy, 2), color)
    for x in (64, 76):
        s.body(oval(x, 67, 4.4), "ball", color=darker(s.main, 0.5), shadow=False)


def _microphone(s: Sketch) -> None:
    s.floor(50, 92, 28, 4)
    s.body(oval(50, 90, 24, 4), "flat", color=darker(s.main, 0.4))
    s.line([(50, 66), (50, 90)], darker(STEEL, 0.4), 3)
    s.line(oval(50, 44, 25, 26, 20, 160), darker(STEEL, 0.4), 3)
    s.body(rect(34, 10, 66, 66, 16), "side", material=s.material or "metal")
    s.fill(rect(35, 12, 65, 38, 14), darker(STEEL, 0.45))
    for i in range(5):
        s.line([(37, 17 + 5 * i), (63, 17 + 5 * i)], STEEL, 0.9)
        s.line([(38 + 6 * i, 13), (38 + 6 * i, 37)], STEEL, 0.9)
    s.fill(rect(34, 40, 66, 44), s.accent)


def _projector(s: Sketch) -> None:
    s.floor(50, 80, 44, 5)
    s.body(rect(10, 32, 90, 76, 8), "fold", material="plastic")
    s.fill(oval(32, 54, 16), STEEL)
    _glass_eye(s, 32, 54, 14)
    for i in range(6):
        s.line([(58, 44 + 5 * i), (82, 44 + 5 * i)], darker(s.main, 0.45), 1.5)
    s.fill(rect(56, 24, 78, 32, 2), s.accent)
    for x in (20, 80):
        s.fill(rect(x - 4, 76, x + 4, 80), BLACK)


def _radio(s: Sketch) -> None:
    s.floor(50, 86, 44, 4)
    s.line([(82, 30), (94, 4)], STEEL, 1.6)
    s.line([(24, 30), (28, 18), (72, 18), (76, 30)], darker(s.main, 0.4), 3.4)
    s.body(rect(8, 28, 92, 84, 7), "fold", material=s.material or "plastic")
    s.body(oval(32, 56, 19), "ball", color=darker(s.main, 0.55), shadow=False)
    for r in (15, 10, 5):
        s.line(oval(32, 56, r), darker(s.main, 0.3), 0.8)
    s.fill(rect(56, 36, 86, 50, 2), (250, 240, 210))
    for x in range(59, 85, 4):
        s.line([(x, 39), (x, 44)], BLACK, 0.6)
    s.line([(70, 38), (70, 48)], (232, 62, 50), 1)
    for x in (63, 79):
        s.body(oval(x, 66, 7), "ball", color=s.accent, shadow=False)


def _turntable(s: Sketch) -> None:
    s.floor(50, 84, 46, 5)
    s.body([(14, 34), (86, 34), (96, 76), (4, 76)], "fold", material=s.material or "wood")
    s.body([(4, 76), (96, 76), (96, 84), (4, 84)], "flat", color=darker(s.main, 0.35))
    s.body(oval(43, 55, 33, 18), "ball", color=BLACK)
    for r in (28, 23, 18):
        s.line(oval(43, 55, r, r * 0.55), (74, 74, 80), 0.7)
    s.fill(oval(43, 55, 10, 5.5), s.accent)
    s.fill(oval(43, 55, 1.4, 1), WHITE)
    s.line([(82, 40), (80, 60), (62, 65)], STEEL, 2.2)
    s.body(oval(82, 41, 5, 3.4), "ball", color=STEEL)


DRAWINGS = {
    "headphones": _headphones,
    "earbuds": _earbuds,
    "speaker": _speaker,
    "camera": _camera,
    "lens": _lens,
    "drone": _drone,
    "controller": _controller,
    "console": _console,
    "microphone": _microphone,
    "projector": _projector,
    "turntable": _turntable,
    "radio": _radio,
}
