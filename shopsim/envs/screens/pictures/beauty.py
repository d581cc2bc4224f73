"""Beauty and health."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    GOLD,
    STEEL,
    WHITE,
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


def _label(s: Sketch, x0: float, y0: float, x1: float, y1: float) -> None:
    """A paper label with lines of print."""
    s.fill(rect(x0, y0, x1, y1, 1.5), lighter(s.accent, 0.72))
    s.fill(rect(x0, y0, x1, y0 + (y1 - y0) * 0.3, 1.5), s.accent)
    middle, room = (x0 + x1) / 2, (x1 - x0) * 0.32
    for i, share in enumerate((1.0, 0.7, 0.85)):
        y = y0 + (y1 - y0) * (0.48 + 0.17 * i)
        s.line([(middle - room * share, y), (middle + room * share, y)], darker(s.accent, 0.35), 1)


def _bottle(s: Sketch) -> None:
    s.floor(50, 91, 26, 4)
    s.body(
        mirrored([(57, 24), (60, 32), (69, 40), (69, 88), (66, 91), (50, 92)]), "side", material=s.material or "plastic"
    )
    s.body(rect(42, 9, 58, 25, 2), "side", color=darker(s.accent, 0.15), material="plastic")
    for x in range(44, 58, 3):
        s.line([(x, 11), (x, 24)], darker(s.accent, 0.38), 0.5)
    _label(s, 33, 51, 67, 78)


def _pump_bottle(s: Sketch) -> None:
    s.floor(50, 91, 28, 4)
    s.line([(50, 22), (50, 36)], STEEL, 3)
    s.body([(30, 14), (34, 12), (58, 12), (60, 22), (42, 22), (40, 18), (30, 20)], "flat", color=s.accent)
    s.body(rect(41, 30, 59, 40, 2), "side", color=darker(s.accent, 0.2))
    s.body(rect(28, 39, 72, 91, 8), "side", material=s.material or "plastic")
    _label(s, 34, 53, 66, 80)


def _jar(s: Sketch) -> None:
    s.floor(50, 84, 36, 5)
    s.body(rect(20, 38, 80, 85, 9), "side", material=s.material or "glass")
    s.body(rect(18, 22, 82, 41, 4), "side", color=s.accent, material="plastic")
    s.line([(19, 35), (81, 35)], darker(s.accent, 0.3), 0.8)
    _label(s, 30, 50, 70, 77)


def _tube(s: Sketch) -> None:
    s.floor(50, 94, 22, 3)
    s.body([(28, 8), (72, 8), (64, 78), (36, 78)], "side", material=s.material or "plastic")
    s.body(rect(27, 5, 73, 12, 1), "flat", color=darker(s.main, 0.12), shadow=False)
    s.body(rect(36, 77, 64, 94, 2), "side", color=s.accent, material="plastic")
    s.fill([(33, 32), (67, 32), (65.5, 46), (34.5, 46)], s.accent)
    for y, half in ((52, 11), (57, 8), (62, 9.5)):
        s.line([(50 - half, y), (50 + half, y)], darker(s.main, 0.4), 1)


def _lipstick(s: Sketch) -> None:
    s.floor(50, 92, 26, 4)
    s.body([(41, 44), (41, 22), (59, 9), (59, 44)], "side", material="silk")
    s.fill([(42, 22.5), (58, 11), (58, 18), (45, 27)], lighter(s.main, 0.35), 0.7)
    s.body(rect(39, 42, 61, 58, 1), "side", color=GOLD, material="metal")
    s.body(rect(35, 57, 65, 92, 3), "side", color=s.accent, material="plastic")
    s.line([(35, 62), (65, 62)], GOLD, 1.2)


def _perfume(s: Sketch) -> None:
    s.floor(50, 89, 34, 4)
    s.body(rect(40, 10, 60, 28, 2), "side", color=GOLD, material="metal")
    s.body(rect(44, 27, 56, 36), "side", color=STEEL, material="metal")
    s.body(rect(22, 35, 78, 89, 7), "fold", color=lighter(s.main, 0.72), material="glass")
    s.fill(rect(27, 52, 73, 84, 4), s.main, 0.85)
    s.fill(rect(30, 55, 34, 81, 2), WHITE, 0.45)
    s.fill(rect(39, 62, 61, 76, 1), lighter(s.accent, 0.8))
    s.line([(43, 67), (57, 67)], s.accent, 1.2)
    s.line([(46, 71), (54, 71)], s.accent, 0.9)


def _brush(s: Sketch) -> None:
    s.body(
        turned(smooth((50, 6), (62, 14), (64, 30), (57, 42), (43, 42), (36, 30), (38, 14)), 24), "ball", pattern=False
    )
    for i in range(-3, 4):
        s.line(turned([(50 + 3.4 * i, 12), (50 + 1.8 * i, 40)], 24), darker(s.main, 0.25), 0.6)
    s.body(turned(rect(43, 41, 57, 54, 1), 24), "flat", color=GOLD, material="metal")
    s.body(turned(smooth((43, 54), (57, 54), (55, 84), (50, 95), (45, 84)), 24), "side", color=s.accent)


def _palette(s: Sketch) -> None:
    s.floor(50, 80, 44, 5)
    s.body(rect(12, 16, 88, 46, 4), "fold", color=darker(s.accent, 0.25))
    s.fill(rect(17, 20, 83, 43, 2), (214, 226, 234))
    s.fill([(24, 43), (42, 20), (52, 20), (34, 43)], WHITE, 0.5)
    s.body(rect(12, 47, 88, 80, 4), "fold", color=darker(s.accent, 0.2))
    shades = (s.main, lighter(s.main, 0.35), darker(s.main, 0.3), mix(s.main, (240, 190, 170), 0.5))
    for i in range(8):
        x, y = 17 + 17 * (i % 4), 51 + 13.5 * (i // 4)
        s.fill(rect(x, y, x + 14, y + 11, 1.5), lighter(shades[i % 4], 0.25 * (i // 4)))


def _nail_polish(s: Sketch) -> None:
    s.floor(50, 90, 28, 4)
    s.body(mirrored([(54, 8), (59, 48), (50, 48)]), "side", color=s.accent, material="plastic")
    s.body(
        smooth((50, 47), (60, 50), (73, 66), (72, 86), (50, 91), (28, 86), (27, 66), (40, 50)), "ball", material="glass"
    )
    s.fill(smooth((36, 64), (39, 58), (42, 62), (38, 80), (34, 78)), WHITE, 0.55)


def _comb(s: Sketch) -> None:
    for i in range(17):
        s.line(turned([(14 + 4.5 * i, 48), (14 + 4.5 * i, 72)], -18), darker(s.main, 0.08), 2.2)
    s.body(turned(rect(9, 34, 91, 52, 8), -18), "fold")
    s.fill(turned(rect(30, 40, 70, 45, 2), -18), s.accent)


def _pills(s: Sketch) -> None:
    s.floor(50, 88, 34, 5)
    s.body(rect(26, 34, 70, 88, 6), "side", material=s.material or "plastic")
    s.body(rect(24, 16, 72, 36, 3), "side", color=WHITE, material="plastic")
    for x in range(28, 72, 4):
        s.line([(x, 18), (x, 34)], (205, 205, 210), 0.7)
    _label(s, 29, 46, 67, 76)
    for x, y, turn in ((80, 80, 20), (84, 88, -30)):
        s.body(turned(rect(x - 7, y - 3, x + 7, y + 3, 3), turn, x, y), "flat", color=WHITE)
        s.fill(turned(rect(x, y - 3, x + 7, y + 3, 3), turn, x, y), s.accent)


def _toothbrush(s: Sketch) -> None:
    for dx, color, turn in ((-11, s.main, -14), (11, s.accent, 14)):
        cx = 50 + dx
        for i in range(5):
            for j in range(3):
                x = cx - 3.4 + 3.4 * j
                s.fill(
                    turned(rect(x - 1.3, 9 + 3.6 * i, x + 1.3, 12 + 3.6 * i), turn),
                    (236, 246, 252) if (i + j) % 2 else color,
                )
        handle = smooth(
            (cx - 5, 28),
            (cx + 5, 28),
            (cx + 2, 38),
            (cx + 4.5, 60),
            (cx + 3.5, 93),
            (cx - 3.5, 93),
            (cx - 4.5, 60),
            (cx - 2, 38),
        )
        s.body(turned(handle, turn), "side", color=color, material="plastic")
        s.line(turned([(cx - 5.2, 28), (cx - 5.2, 9), (cx + 5.2, 9), (cx + 5.2, 28)], turn), color, 1.4)


def _razor(s: Sketch) -> None:
    s.body(
        turned(smooth((46, 34), (54, 34), (56, 60), (54, 92), (46, 92), (44, 60)), 18),
        "side",
        material=s.material or "plastic",
    )
    for y in range(56, 84, 5):
        s.line(turned([(46, y), (54, y)], 18), s.accent, 1.3)
    s.body(turned(rect(26, 14, 74, 34, 4), 18), "flat", color=darker(s.main, 0.2))
    for y in (19, 23, 27):
        s.line(turned([(30, y), (70, y)], 18), (226, 231, 236), 1.7)
    s.fill(turned(rect(30, 29, 70, 32, 1), 18), s.accent)


def _mask(s: Sketch) -> None:
    for side in (-1, 1):
        s.line(
            smooth(
                (50 + 32 * side, 36), (50 + 47 * side, 36), (50 + 46 * side, 64), (50 + 31 * side, 66), closed=False
            ),
            WHITE,
            1.6,
        )
    s.body(smooth((18, 32), (50, 26), (82, 32), (84, 60), (66, 74), (50, 78), (34, 74), (16, 60)), "ball")
    for y in (42, 51, 60):
        s.line(smooth((18, y), (50, y + 3), (82, y), closed=False), darker(s.main, 0.2), 0.8)
    s.line([(34, 31), (66, 31)], s.accent, 2)


def _scale(s: Sketch) -> None:
    s.floor(50, 88, 44, 5)
    s.body(rect(12, 18, 88, 86, 10), "fold", material=s.material or "glass")
    s.fill(rect(36, 24, 64, 38, 3), BLACK)
    s.line([(41, 31), (46, 31)], (130, 230, 190), 2.4)
    s.line([(49, 31), (59, 31)], (130, 230, 190), 2.4)
    for side in (-1, 1):
        s.fill(
            smooth((50 + 13 * side, 46), (50 + 24 * side, 48), (50 + 22 * side, 76), (50 + 12 * side, 78)),
            s.accent,
            0.55,
        )


def _thermometer(s: Sketch) -> None:
    s.body(
        turned(smooth((43, 8), (57, 8), (58, 66), (54, 72), (52, 92), (48, 92), (46, 72), (42, 66)), 38),
        "side",
        material="plastic",
    )
    s.fill(turned(rect(45, 22, 55, 46, 2), 38), (196, 214, 196))
    s.line(turned([(50, 26), (50, 42)], 38), BLACK, 1.8)
    s.fill(turned(oval(50, 55, 3.6), 38), s.accent)
    s.fill(turned(oval(50, 89, 2.4, 4), 38), STEEL)


def _massager(s: Sketch) -> None:
    s.floor(54, 92, 30, 3)
    s.body(turned(rect(43, 40, 58, 92, 6), -8), "side", color=darker(s.accent, 0.25), material="rubber")
    s.body(rect(26, 22, 78, 46, 9), "side", material="plastic")
    s.body(rect(14, 26, 28, 42, 3), "side", color=STEEL, material="metal")
    s.body(oval(11, 34, 9, 10), "ball", color=darker(s.accent, 0.45))
    for i in range(3):
        s.fill(oval(58 + 6 * i, 34, 1.8), WHITE)


DRAWINGS = {
    "bottle": _bottle,
    "pump_bottle": _pump_bottle,
    "jar": _jar,
    "tube": _tube,
    "lipstick": _lipstick,
    "perfume": _perfume,
    "brush": _brush,
    "palette": _palette,
    "nail_polish": _nail_polish,
    "comb": _comb,
    "pills": _pills,
    "toothbrush": _toothbrush,
    "razor": _razor,
    "mask": _mask,
    "scale": _scale,
    "thermometer": _thermometer,
    "massager": _massager,
}
