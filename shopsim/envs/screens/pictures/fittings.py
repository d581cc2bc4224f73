"""What is built into a home."""

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


def _ladder(s: Sketch) -> None:
    s.floor(50, 95, 40, 3)
    for x0, x1 in ((44, 84), (56, 96)):
        s.line([(x0, 8), (x1, 94)], darker(s.main, 0.45), 3.6)
    for x0, x1 in ((36, 8), (60, 46)):
        s.line([(x0, 6), (x1, 95)], darker(s.main, 0.25), 6)
        s.line([(x0, 6), (x1, 95)], s.main, 4.4)
    for i in range(4):
        t = 0.2 + 0.2 * i
        s.line([(36 - 28 * t, 6 + 89 * t), (60 - 14 * t, 6 + 89 * t)], s.accent, 5)
    s.body(rect(32, 3, 64, 9, 2), "flat", color=darker(s.main, 0.3))


def _tiles(s: Sketch) -> None:
    """Square pieces laid out, the last one lifted off."""
    for i in range(3):
        for j in range(3):
            if (i, j) != (2, 0):
                s.body(rect(6 + 30 * i, 12 + 28 * j, 34 + 30 * i, 38 + 28 * j), "fold", shadow=False)
    s.body(turned(rect(64, 6, 94, 34), 14, 79, 20), "fold")
    s.fill(rect(6, 96, 94, 98), s.accent)


def _planks(s: Sketch) -> None:
    s.floor(50, 88, 48, 4)
    for i, (x, y) in enumerate(((12, 66), (8, 50), (14, 34), (6, 18))):
        s.body(
            [(x, y + 8), (x + 12, y), (x + 82, y), (x + 70, y + 8)],
            "fold",
            color=None if i == 3 else lighter(s.main, 0.06 * i),
            material=s.material or "wood",
        )
        s.body([(x, y + 8), (x + 70, y + 8), (x + 70, y + 18), (x, y + 18)], "flat", color=darker(s.main, 0.18))
        s.body([(x + 70, y + 8), (x + 82, y), (x + 82, y + 10), (x + 70, y + 18)], "flat", color=darker(s.main, 0.4))
    s.line([(30, 26), (30, 84)], s.accent, 2)


def _sheets(s: Sketch) -> None:
    """Boards or sheets, one leaning on the other."""
    s.floor(52, 92, 44, 4)
    for i in range(3):
        dx = 9 * i
        s.body([(10 + dx, 18 + 4 * i), (66 + dx, 8 + 4 * i), (72 + dx, 84 + 3 * i), (14 + dx, 92 + i)], "fold")
        s.line([(66 + dx, 8 + 4 * i), (72 + dx, 84 + 3 * i)], darker(s.main, 0.4), 2)
    s.fill(rect(40, 76, 58, 84, 1), s.accent)


def _bricks(s: Sketch) -> None:
    s.floor(50, 86, 46, 4)
    for x, y in ((6, 60), (48, 60), (27, 36)):
        s.body([(x, y), (x + 8, y - 9), (x + 46, y - 9), (x + 40, y)], "flat", color=lighter(s.main, 0.2))
        s.body([(x + 40, y), (x + 46, y - 9), (x + 46, y + 14), (x + 40, y + 24)], "flat", color=darker(s.main, 0.35))
        s.body(rect(x, y, x + 40, y + 24), "fold")
        for k in (12, 27):
            s.fill(oval(x + k, y + 12, 4), darker(s.main, 0.5))
    s.fill(rect(30, 54, 44, 58, 1), s.accent)


def _pipe(s: Sketch) -> None:
    s.floor(50, 88, 40, 4)
    inner, outer = oval(50, 52, 16, 16, 180, 90), oval(50, 52, 36, 36, 90, 180)
    bend = [(14, 14), (34, 14), *inner, (88, 68), (88, 88), *outer]
    s.body(bend, "side", material=s.material or "metal")
    for box in (rect(10, 8, 38, 20, 2), rect(82, 63, 94, 93, 2)):
        s.body(box, "side", color=s.accent, material="metal")
    s.fill(oval(24, 9, 10, 3), darker(s.main, 0.6))


def _valve(s: Sketch) -> None:
    s.floor(50, 90, 44, 4)
    s.body(rect(6, 54, 94, 76, 3), "fold", color=darker(GOLD, 0.08), material="metal")
    for x in (6, 82):
        s.body(rect(x, 48, x + 12, 82, 2), "side", color=darker(GOLD, 0.2), material="metal")
    s.body(smooth((32, 48), (68, 48), (70, 84), (50, 90), (30, 84)), "ball", color=GOLD, material="metal")
    s.body(rect(45, 28, 55, 50), "side", color=STEEL, material="metal")
    s.body(oval(50, 24, 30, 10), "ball")
    for i in range(3):
        s.hole(oval(30 + 20 * i, 24, 6, 4))
    s.fill(oval(50, 24, 4, 3), s.accent)


def _wall_switch(s: Sketch) -> None:
    s.body(rect(14, 14, 86, 86, 6), "fold", material="plastic")
    s.body(rect(24, 24, 49, 76, 3), "fold", color=lighter(s.main, 0.25), shadow=False)
    s.body(rect(51, 24, 76, 76, 3), "fold", color=darker(s.main, 0.08), shadow=False)
    for x in (36.5, 63.5):
        s.fill(rect(x - 3, 66, x + 3, 69, 1), s.accent)


def _socket(s: Sketch) -> None:
    s.body(rect(14, 14, 86, 86, 6), "fold", material="plastic")
    s.body(oval(50, 50, 26), "ball", color=darker(s.main, 0.12), shadow=False)
    for x in (40, 60):
        s.fill(oval(x, 52, 3.6), BLACK)
    s.fill(rect(47.6, 32, 52.4, 38, 1), darker(STEEL, 0.2))
    s.fill(rect(70, 74, 80, 79, 1), s.accent)


def _door_lock(s: Sketch) -> None:
    s.body(rect(34, 6, 62, 94, 6), "side", material=s.material or "metal")
    s.fill(rect(38, 12, 58, 40, 3), BLACK)
    for row in range(3):
        for column in range(3):
            s.fill(oval(42 + 6 * column, 18 + 8 * row, 1.6), (190, 220, 250))
    s.fill(oval(48, 82, 4), BLACK)
    s.fill([(47, 83), (49, 83), (50, 90), (46, 90)], BLACK)
    s.body(rect(42, 54, 92, 65, 5), "fold", color=mix(s.accent, STEEL, 0.5), material="metal")
    s.body(oval(48, 59.5, 8), "ball", color=STEEL, material="metal", shadow=False)


def _hook(s: Sketch) -> None:
    s.body(rect(8, 20, 92, 38, 4), "fold", material=s.material or "metal")
    for x in (24, 50, 76):
        hook = smooth((x, 34), (x, 62), (x - 2, 74), (x - 12, 76), (x - 14, 66), closed=False)
        s.line(hook, darker(s.accent, 0.35), 5.6)
        s.line(hook, s.accent, 4)
        s.fill(oval(x, 28, 2), darker(s.main, 0.5))


def _window(s: Sketch) -> None:
    s.body(rect(10, 8, 90, 88, 2), "fold", material="plastic")
    for x0, x1 in ((16, 48), (52, 84)):
        s.fill(rect(x0, 14, x1, 82), (190, 220, 240))
        s.fill([(x0, 60), (x1, 44), (x1, 82), (x0, 82)], (150, 196, 160))
        s.fill([(x0 + 4, 50), (x0 + 18, 16), (x0 + 24, 16), (x0 + 10, 50)], WHITE, 0.4)
        s.line([(x0, 14), (x1, 14), (x1, 82), (x0, 82), (x0, 14)], darker(s.main, 0.3), 0.8)
    s.fill(rect(48.4, 44, 51.6, 56, 1), s.accent)
    s.body(rect(5, 87, 95, 94, 1), "flat", color=darker(s.main, 0.12))


def _bathtub(s: Sketch) -> None:
    s.floor(50, 88, 44, 4)
    s.line([(82, 44), (82, 22), (72, 22), (72, 30)], STEEL, 3)
    s.body(smooth((8, 46), (92, 46), (88, 70), (76, 84), (24, 84), (12, 70)), "side", material="ceramic")
    s.body(oval(50, 46, 45, 9), "flat", color=lighter(s.main, 0.4))
    s.fill(oval(50, 47, 39, 6.4), (164, 208, 230))
    for x, y, r in ((30, 44, 5), (38, 42, 6), (47, 44, 5), (25, 46, 3.4)):
        s.fill(oval(x, y, r), WHITE, 0.9)
    for x in (24, 76):
        s.body(smooth((x - 5, 82), (x + 5, 82), (x + 3, 92), (x - 3, 92)), "ball", color=mix(s.accent, GOLD, 0.5))


def _shower(s: Sketch) -> None:
    s.line([(74, 94), (74, 14), (36, 14), (36, 24)], darker(STEEL, 0.3), 4.6)
    s.line([(74, 94), (74, 14), (36, 14), (36, 24)], mix(s.main, STEEL, 0.5), 3.2)
    s.body([(30, 24), (42, 24), (58, 38), (14, 38)], "side", material="metal")
    s.body(rect(12, 37, 60, 42, 2), "flat", color=darker(s.main, 0.25))
    for i in range(7):
        for j in range(4):
            y = 48 + 11 * j + 4 * (i % 2)
            s.line([(16 + 6.7 * i, y), (15 + 6.7 * i, y + 5)], (120, 178, 220), 1.4)
    s.body(rect(64, 58, 84, 70, 3), "fold", color=s.accent, material="metal")


DRAWINGS = {
    "door": _door,
    "toilet": _toilet,
    "window": _window,
    "bathtub": _bathtub,
    "shower": _shower,
    "wall_switch": _wall_switch,
    "socket": _socket,
    "door_lock": _door_lock,
    "hook": _hook,
    "tiles": _tiles,
    "planks": _planks,
    "sheets": _sheets,
    "bricks": _bricks,
    "pipe": _pipe,
    "valve": _valve,
    "ladder": _ladder,
}
