"""Music, crafts, play and sport."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    GOLD,
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


def _drum(s: Sketch) -> None:
    s.floor(50, 88, 40, 4)
    s.body([(10, 40), (90, 40), (86, 84), (14, 84)], "side")
    for i in range(7):
        s.line([(14 + 12 * i, 46), (20 + 10.4 * i, 82), (26 + 10.4 * i, 46)], lighter(s.main, 0.4), 1.1)
    s.line([(12, 80), (88, 80)], s.accent, 4)
    s.body(oval(50, 40, 41, 13), "flat", color=(246, 240, 226))
    s.line(oval(50, 40, 41, 13), s.accent, 3)
    for x0, x1 in ((16, 52), (88, 50)):
        s.line([(x0, 8), (x1, 38)], WOOD, 3)
        s.fill(oval(x1, 38, 3.4), darker(WOOD, 0.2))


def _violin(s: Sketch) -> None:
    body = smooth((50, 42), (66, 46), (64, 60), (58, 66), (70, 76), (68, 94), (50, 98), (32, 94), (30, 76),
                  (42, 66), (36, 60), (34, 46))  # fmt: skip
    s.body(turned(body, 24), "ball", material=s.material or "wood")
    s.body(turned(rect(47, 6, 53, 64, 1), 24), "flat", color=BLACK)
    s.body(turned(smooth((44, 2), (56, 2), (54, 10), (46, 10)), 24), "ball", color=darker(s.main, 0.3))
    for x in (48.4, 50, 51.6):
        s.line(turned([(x, 10), (x, 90)], 24), STEEL, 0.5)
    s.body(turned(rect(43, 74, 57, 77), 24), "flat", color=lighter(WOOD, 0.4))
    for x in (40, 60):
        s.line(turned([(x, 68), (x + 1, 82)], 24), BLACK, 1.4)
    s.line([(88, 10), (78, 96)], WOOD, 2)
    s.line([(91, 12), (81, 96)], s.accent, 1)


def _flute(s: Sketch) -> None:
    s.body(turned(rect(2, 45, 98, 57, 5), -32), "fold", material=s.material or "wood")
    for x in (34, 44, 54, 68, 77):
        s.fill(turned(oval(x, 50, 2.6), -32), BLACK)
    for x in (14, 26, 88):
        s.body(turned(rect(x, 44, x + 4, 58, 1), -32), "fold", color=s.accent, shadow=False)
    s.fill(turned(rect(6, 47, 12, 50, 1), -32), BLACK)


def _vinyl(s: Sketch) -> None:
    s.body(oval(60, 50, 36), "ball", color=BLACK)
    for r in (32, 28, 24, 20):
        s.line(oval(60, 50, r), (74, 74, 82), 0.7)
    s.fill(oval(60, 50, 13), s.accent)
    s.body(rect(6, 14, 62, 86, 1), "fold")
    s.fill(oval(34, 44, 16), s.accent)
    s.fill([(20, 58), (34, 34), (48, 58)], lighter(s.main, 0.5))
    s.line([(14, 72), (44, 72)], WHITE, 2.4)
    s.line([(14, 78), (34, 78)], WHITE, 1.6)


def _disc_case(s: Sketch) -> None:
    s.body(oval(66, 56, 30), "ball", color=(206, 212, 222), material="metal")
    s.fill(oval(66, 56, 8), WHITE)
    s.body(rect(12, 8, 66, 92, 2), "fold")
    s.fill(rect(12, 8, 66, 18, 1), darker(s.main, 0.5))
    s.line([(20, 13), (42, 13)], WHITE, 2)
    s.fill([(18, 78), (34, 44), (44, 60), (52, 48), (60, 78)], s.accent)
    s.fill(oval(50, 34, 6), lighter(s.accent, 0.5))
    s.line([(18, 84), (48, 84)], WHITE, 2)


def _robot(s: Sketch) -> None:
    s.floor(50, 94, 34, 4)
    for x in (38, 62):
        s.body(rect(x - 8, 66, x + 8, 88, 2), "side", color=darker(s.main, 0.25))
        s.body(rect(x - 11, 86, x + 11, 95, 2), "fold", color=s.accent)
    for side in (-1, 1):
        middle = 50 + 30.5 * side
        s.body(rect(middle - 6.5, 36, middle + 6.5, 66, 4), "side")
        s.body(oval(50 + 30 * side, 70, 6), "ball", color=s.accent)
    s.body(rect(28, 34, 72, 70, 5), "fold", material="plastic")
    s.body([(36, 42), (64, 42), (58, 58), (42, 58)], "flat", color=s.accent, shadow=False)
    s.body(rect(35, 8, 65, 34, 5), "fold", material="plastic")
    s.fill(rect(39, 16, 61, 24, 3), BLACK)
    for x in (45, 55):
        s.fill(oval(x, 20, 2.6), (120, 230, 250))
    s.line([(50, 8), (50, 3)], STEEL, 2)


def _plane(s: Sketch) -> None:
    s.line([(50, 66), (50, 92)], STEEL, 2.4)
    s.body(oval(50, 93, 20, 3), "flat", color=darker(STEEL, 0.3))
    s.body([(44, 48), (62, 44), (30, 16), (22, 18)], "flat", color=darker(s.main, 0.15))
    s.body(turned(smooth((2, 50), (12, 42), (88, 42), (98, 48), (88, 56), (12, 58)), -10), "fold")
    s.body([(84, 38), (96, 12), (88, 12), (74, 40)], "flat", color=s.accent)
    s.body([(42, 54), (60, 50), (52, 80), (42, 82)], "flat", color=darker(s.main, 0.15))
    for i in range(9):
        s.fill(turned(oval(20 + 7 * i, 48, 1.5), -10), (70, 90, 120))
    s.line(turned([(8, 53), (90, 52)], -10), s.accent, 2)


def _train(s: Sketch) -> None:
    s.floor(50, 88, 48, 3)
    s.line([(2, 88), (98, 88)], darker(STEEL, 0.4), 2.4)
    s.body(rect(8, 24, 38, 74, 2), "fold")
    s.fill(rect(14, 32, 32, 48, 2), (190, 220, 240))
    s.body(rect(36, 40, 88, 74, 6), "fold")
    s.body([(68, 40), (80, 40), (84, 18), (64, 18)], "side", color=s.accent)
    s.body(rect(4, 18, 42, 26, 2), "flat", color=s.accent)
    s.body([(84, 62), (98, 82), (84, 82)], "flat", color=darker(s.main, 0.5))
    for x, r in ((20, 10), (46, 10), (66, 8), (80, 8)):
        s.body(oval(x, 86 - r, r), "ball", color=BLACK)
        s.fill(oval(x, 86 - r, r * 0.45), s.accent)


def _on_board(column: int, row: int) -> tuple[float, float]:
    """A corner of a square of the chess board, which lies in perspective."""
    left = 19 - 3.8 * row
    return left + (100 - 2 * left) * column / 4, 55 + 7 * row


def _chess(s: Sketch) -> None:
    s.floor(50, 88, 46, 4)
    s.body([(20, 54), (80, 54), (96, 84), (4, 84)], "fold", color=mix(s.main, WOOD, 0.4), material="wood")
    for row in range(4):
        for column in range(4):
            if (row + column) % 2:
                corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
                s.fill([_on_board(i, j) for i, j in corners], darker(s.main, 0.45))
    for x, y, color in ((34, 66, lighter(WOOD, 0.6)), (62, 74, BLACK)):
        s.body([(x - 9, y), (x - 5, y - 22), (x + 5, y - 22), (x + 9, y)], "side", color=color)
        s.body(oval(x, y - 28, 8), "ball", color=color)
        s.fill(oval(x, y - 40, 3), s.accent)


def _bench(s: Sketch) -> None:
    s.floor(50, 90, 46, 4)
    for x in (20, 76):
        s.line([(x, 62), (x - 6, 90)], darker(s.accent, 0.2), 5)
        s.line([(x + 4, 62), (x + 10, 90)], darker(s.accent, 0.2), 5)
    for y in (26, 38):
        s.body(rect(8, y, 92, y + 8, 3), "fold", material=s.material or "wood")
    for y in (54, 61):
        s.body([(6, y), (94, y), (97, y + 6), (3, y + 6)], "fold", material=s.material or "wood")
    for x in (12, 88):
        s.line([(x, 24), (x, 60)], darker(s.accent, 0.2), 4)


def _playground(s: Sketch) -> None:
    s.floor(50, 92, 48, 4)
    for x in (14, 44):
        s.line([(x, 14), (x, 92)], s.accent, 5)
    for y in (40, 54, 68, 82):
        s.line([(14, y), (44, y)], s.accent, 3.4)
    s.body([(8, 16), (29, 2), (50, 16)], "flat", color=s.accent)
    s.body(smooth((42, 34), (60, 44), (74, 72), (96, 82), (95, 91), (70, 86), (52, 58), (42, 50)), "fold")
    s.line(smooth((44, 32), (62, 42), (76, 70), (96, 80), closed=False), lighter(s.main, 0.4), 2.4)


def _yarn(s: Sketch) -> None:
    s.floor(48, 88, 36, 5)
    s.body(oval(46, 52, 36), "ball", material="wool")
    for i in range(6):
        s.line(smooth((14 + 5 * i, 36 - 3 * i), (40 + 3 * i, 44 - 2 * i), (58 + 4 * i, 78 - 5 * i), closed=False),
               darker(s.main, 0.3), 1)  # fmt: skip
        s.line(smooth((20, 70 - 5 * i), (46, 62 - 5 * i), (78, 58 - 4 * i), closed=False), lighter(s.main, 0.3), 0.9)
    s.line(smooth((70, 78), (84, 88), (96, 82), closed=False), s.main, 2)
    s.line([(28, 4), (84, 72)], WOOD, 2.8)
    s.fill(oval(28, 4, 3.4), s.accent)


def _thread(s: Sketch) -> None:
    s.floor(50, 92, 32, 4)
    s.body(oval(50, 86, 32, 6), "flat", color=lighter(WOOD, 0.3))
    s.body(rect(26, 18, 74, 84, 4), "side")
    for i in range(14):
        s.line([(26, 22 + 4.6 * i), (74, 20 + 4.6 * i)], darker(s.main, 0.25), 0.8)
    s.body(oval(50, 16, 32, 6.4), "flat", color=lighter(WOOD, 0.3))
    s.fill(oval(50, 16, 7, 2.2), BLACK)
    s.line(smooth((74, 70), (88, 78), (84, 94), closed=False), s.accent, 1.6)


def _easel(s: Sketch) -> None:
    s.floor(50, 96, 36, 3)
    for x0, x1 in ((46, 18), (54, 82), (50, 50)):
        s.line([(x0, 3), (x1, 96)], WOOD if x0 != 50 else darker(WOOD, 0.3), 4)
    s.body(rect(20, 16, 80, 66), "flat", color=(248, 246, 240))
    s.fill([(22, 64), (40, 38), (52, 52), (62, 42), (78, 64)], s.main)
    s.fill(oval(64, 28, 6), s.accent)
    s.body(rect(16, 66, 84, 71, 1), "flat", color=WOOD)


def _kite(s: Sketch) -> None:
    s.body([(56, 4), (90, 34), (54, 70), (24, 30)], "fold")
    s.fill([(56, 4), (90, 34), (57, 33)], s.accent, 0.9)
    s.fill([(24, 30), (57, 33), (54, 70)], s.accent, 0.9)
    s.line([(56, 4), (54, 70)], WOOD, 1.2)
    s.line([(24, 30), (90, 34)], WOOD, 1.2)
    tail = smooth((54, 70), (44, 78), (52, 86), (38, 96), closed=False)
    s.line(tail, darker(s.main, 0.3), 1.2)
    for x, y in ((46, 78), (50, 87), (40, 94)):
        s.fill([(x - 5, y - 3), (x + 5, y + 3), (x + 5, y - 3), (x - 5, y + 3)], s.accent)


def _sword(s: Sketch) -> None:
    s.body(turned([(47, 70), (46, 10), (50, 0), (54, 10), (53, 70)], 40), "side", color=STEEL, material="metal")
    s.line(turned([(50, 8), (50, 68)], 40), darker(STEEL, 0.3), 0.8)
    s.body(turned(smooth((32, 68), (50, 72), (68, 68), (66, 75), (50, 77), (34, 75)), 40), "ball", color=GOLD)
    s.body(turned(rect(46, 75, 54, 94, 2), 40), "side", material="leather")
    s.body(turned(oval(50, 97, 5), 40), "ball", color=s.accent)


DRAWINGS = {
    "drum": _drum,
    "violin": _violin,
    "flute": _flute,
    "vinyl": _vinyl,
    "disc_case": _disc_case,
    "robot": _robot,
    "plane": _plane,
    "train": _train,
    "chess": _chess,
    "bench": _bench,
    "playground": _playground,
    "yarn": _yarn,
    "thread": _thread,
    "easel": _easel,
    "kite": _kite,
    "sword": _sword,
}
