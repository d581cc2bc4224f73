"""Small things: jewellery, paper, festive goods, what is worn on the side."""

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


def _bracelet(s: Sketch) -> None:
    s.floor(50, 80, 42, 6)
    for i in range(22):
        angle = 360 / 22 * i
        x, y = oval(50, 52, 38, 25, angle, angle)[0]
        s.body(oval(x, y, 6.2), "ball", color=s.accent if i == 6 else None, edge=False, shadow=y > 60)
    s.line([(54, 82), (54, 92)], s.accent, 1.6)
    s.fill([(50, 92), (58, 92), (56, 99), (52, 99)], s.accent)


def _badge(s: Sketch) -> None:
    s.line(smooth((24, 8), (38, 30), (50, 40), closed=False), s.accent, 4.4)
    s.line(smooth((76, 8), (62, 30), (50, 40), closed=False), darker(s.accent, 0.15), 4.4)
    s.body(rect(46, 36, 54, 46, 1), "side", color=STEEL, material="metal")
    s.body(rect(24, 44, 76, 94, 5), "fold", color=mix(s.main, WHITE, 0.8))
    s.fill(rect(24, 44, 76, 56, 3), s.main)
    s.fill(oval(50, 66, 7), lighter(s.main, 0.3))
    s.fill(smooth((36, 84), (42, 75), (58, 75), (64, 84)), lighter(s.main, 0.3))
    s.line([(36, 89), (64, 89)], darker(s.main, 0.4), 2)


def _hair_clip(s: Sketch) -> None:
    s.floor(50, 84, 40, 5)
    for i in range(6):
        x = 18 + 12.6 * i
        s.line(smooth((x, 46), (x - 3, 64), (x + 2, 82), closed=False), darker(s.main, 0.2), 5)
    s.body(smooth((6, 46), (20, 26), (50, 18), (80, 26), (94, 46), (80, 54), (50, 50), (20, 54)), "ball")
    s.body(rect(40, 10, 60, 26, 5), "side", color=s.accent)
    s.line(smooth((16, 42), (50, 30), (84, 42), closed=False), lighter(s.main, 0.4), 1.6)


def _wig(s: Sketch) -> None:
    s.floor(50, 94, 26, 3)
    s.body(rect(42, 74, 58, 94, 3), "side", color=(232, 226, 220))
    s.body(smooth((34, 30), (50, 22), (66, 30), (66, 60), (50, 76), (34, 60)), "ball", color=(236, 230, 224))
    s.body(
        smooth((50, 6), (76, 14), (84, 44), (88, 84), (68, 82), (68, 48), (62, 30), (42, 28), (33, 44), (32, 82),
               (12, 84), (16, 44), (24, 14)),
        "side",
    )  # fmt: skip
    for dx in (0, 6, 12):
        s.line(smooth((22 + dx / 2, 30), (20 + dx / 2, 56), (18 + dx, 80), closed=False), darker(s.main, 0.35), 0.9)
        s.line(smooth((78 - dx / 2, 30), (80 - dx / 2, 56), (82 - dx, 80), closed=False), darker(s.main, 0.35), 0.9)
    s.fill(oval(70, 22, 5, 3), s.accent)


def _coin(s: Sketch) -> None:
    s.floor(50, 90, 38, 4)
    for x, y, r in ((64, 36, 27), (40, 56, 33)):
        s.body(oval(x, y, r), "ball", color=mix(s.main, GOLD, 0.35), material="metal")
        s.line(oval(x, y, r * 0.86), darker(mix(s.main, GOLD, 0.35), 0.3), 1)
        star = [turned([(x, y - r * (0.55 if i % 2 == 0 else 0.24))], 36 * i, x, y)[0] for i in range(10)]
        s.fill(star, mix(s.accent, GOLD, 0.5))


def _buttons(s: Sketch) -> None:
    for x, y, r, other in ((34, 34, 24, False), (70, 42, 19, True), (46, 74, 20, False), (80, 78, 14, True)):
        s.body(oval(x, y, r), "ball", color=s.accent if other else None)
        s.line(oval(x, y, r * 0.74), darker(s.accent if other else s.main, 0.25), 1)
        for dx in (-0.2, 0.2):
            for dy in (-0.2, 0.2):
                s.fill(oval(x + dx * r, y + dy * r, r * 0.11), BLACK)


def _needles(s: Sketch) -> None:
    s.body(oval(50, 66, 34, 24), "ball")
    for i in range(6):
        s.line(smooth((50, 44), (50 + 12 * (i - 2.5), 64), (50 + 8 * (i - 2.5), 88), closed=False),
               darker(s.main, 0.3), 0.8)  # fmt: skip
    heads = (s.accent, (226, 70, 70), (70, 130, 210), (240, 200, 70), WHITE)
    for i, color in enumerate(heads):
        x = 22 + 14 * i
        s.line([(x, 14 + 4 * abs(i - 2)), (40 + 5 * i, 58)], darker(STEEL, 0.2), 1.2)
        s.body(oval(x, 12 + 4 * abs(i - 2), 4), "ball", color=color)


def _tag(s: Sketch) -> None:
    s.line(smooth((58, 22), (76, 4), (92, 14), (72, 30), closed=False), s.accent, 1.6)
    for turn, color in ((16, lighter(s.main, 0.45)), (-12, None)):
        s.body(turned([(38, 16), (62, 16), (76, 34), (76, 94), (24, 94), (24, 34)], turn), "fold", color=color)
        s.hole(turned(oval(50, 28, 4.4), turn))
    s.line(turned([(36, 56), (64, 56)], -12), s.accent, 3)
    s.line(turned([(36, 66), (64, 66)], -12), darker(s.main, 0.3), 1.6)
    s.line(turned([(36, 74), (54, 74)], -12), darker(s.main, 0.3), 1.6)


def _card(s: Sketch) -> None:
    s.body(turned(rect(8, 24, 88, 74, 5), 10), "fold", color=s.accent)
    s.body(turned(rect(10, 28, 90, 78, 5), -6), "fold")
    s.body(turned(rect(18, 42, 32, 52, 2), -6), "flat", color=GOLD, shadow=False)
    s.line(turned([(18, 62), (60, 62)], -6), lighter(s.main, 0.6), 2.4)
    s.line(turned([(18, 69), (44, 69)], -6), lighter(s.main, 0.6), 1.8)
    s.fill(turned(oval(78, 40, 6), -6), s.accent, 0.9)


def _envelope(s: Sketch) -> None:
    s.floor(50, 86, 44, 4)
    s.body(rect(22, 8, 78, 60, 1), "flat", color=(250, 246, 238))
    s.fill(smooth((50, 40), (40, 30), (42, 23), (50, 27), (58, 23), (60, 30)), s.accent)
    s.body([(6, 34), (50, 64), (94, 34), (94, 85), (6, 85)], "fold")
    s.line([(6, 85), (42, 58)], darker(s.main, 0.25), 1)
    s.line([(94, 85), (58, 58)], darker(s.main, 0.25), 1)
    s.body(oval(50, 64, 8), "ball", color=s.accent)


def _stamp(s: Sketch) -> None:
    s.floor(46, 84, 38, 4)
    s.fill(rect(58, 72, 96, 92, 2), mix(s.accent, (206, 60, 50), 0.6), 0.85)
    s.fill(rect(62, 76, 92, 88, 1), WHITE, 0.85)
    s.body(smooth((36, 10), (50, 4), (58, 12), (54, 30), (52, 46), (34, 46), (34, 30)), "side", material="wood")
    s.body(rect(18, 46, 68, 68, 3), "fold", material="wood")
    s.body(rect(20, 68, 66, 76, 1), "flat", color=BLACK)
    s.fill(rect(24, 54, 62, 60, 1), s.accent)


def _crystal(s: Sketch) -> None:
    s.floor(50, 90, 40, 5)
    for x, top, wide, lean in ((30, 40, 10, -18), (70, 34, 11, 16), (42, 20, 12, -6), (58, 8, 14, 6)):
        shape = [(x - wide, 88), (x - wide, top + 16), (x, top), (x + wide, top + 16), (x + wide, 88)]
        s.body(turned(shape, lean, x, 88), "side", material="glass")
        s.fill(turned([(x, top), (x + wide, top + 16), (x + wide * 0.3, 88), (x, 88)], lean, x, 88), s.accent, 0.25)
        s.line(turned([(x - wide * 0.3, top + 14), (x - wide * 0.3, 84)], lean, x, 88), WHITE, 1)


def _stone(s: Sketch) -> None:
    s.floor(50, 84, 44, 5)
    s.body(smooth((8, 66), (14, 42), (34, 22), (60, 24), (86, 42), (92, 66), (76, 82), (26, 84)), "ball")
    s.fill([(34, 24), (52, 44), (30, 58), (14, 44)], lighter(s.main, 0.2), 0.7)
    s.fill([(52, 44), (86, 44), (70, 80), (44, 74)], darker(s.main, 0.2), 0.6)
    for i in range(3):
        s.line(smooth((16, 52 + 9 * i), (46, 46 + 10 * i), (86, 54 + 8 * i), closed=False), s.accent, 1)


def _tights(s: Sketch) -> None:
    for side in (-1, 1):
        leg = smooth((50, 22), (50 + 15 * side, 20), (50 + 13 * side, 46), (50 + 10 * side, 78), (50 + 22 * side, 92),
                     (50 + 20 * side, 98), (50 + 5 * side, 94), (50 + 3 * side, 70), (50 + 1 * side, 36))  # fmt: skip
        s.body(leg, "side")
        s.line(smooth((50 + 9 * side, 28), (50 + 9 * side, 50), (50 + 7 * side, 80), closed=False),
               lighter(s.main, 0.35), 1.2)  # fmt: skip
    s.body(smooth((34, 6), (66, 6), (66, 28), (50, 36), (34, 28)), "side", shadow=False, edge=False)
    s.body(rect(33, 3, 67, 10, 2), "flat", color=darker(s.main, 0.3), shadow=False)
    s.fill(rect(46, 12, 54, 16, 1), s.accent)


def _apron(s: Sketch) -> None:
    s.line(smooth((38, 20), (38, 4), (62, 4), (62, 20), closed=False), s.accent, 2.6)
    for side in (-1, 1):
        s.line(smooth((50 + 24 * side, 48), (50 + 36 * side, 52), (50 + 42 * side, 68), closed=False), s.accent, 2.6)
    s.body(
        mirrored([(62, 16), (63, 30), (76, 46), (80, 94), (50, 97)]),
        "fold",
    )
    s.body(rect(34, 58, 66, 78, 3), "flat", color=darker(s.main, 0.12), shadow=False)
    s.line([(34, 62), (66, 62)], s.accent, 1.4)


def _insole(s: Sketch) -> None:
    for x, lean in ((30, -8), (68, 8)):
        side = 1 if x > 50 else -1
        outline = ((0, 6), (15, 14), (16, 36), (9, 60), (12, 82), (0, 95), (-11, 84), (-8, 56), (-13, 30), (-10, 12))
        shape = smooth(*[(x + dx * side, y) for dx, y in outline])
        s.body(turned(shape, lean, x, 50), "ball")
        s.fill(turned(oval(x, 82, 8, 9), lean, x, 50), s.accent)
        s.line(turned([(x - 6, 26), (x + 8, 26)], lean, x, 50), darker(s.main, 0.3), 1)


def _paper_cup(s: Sketch) -> None:
    s.floor(50, 93, 26, 4)
    s.body([(26, 18), (74, 18), (67, 92), (33, 92)], "side", color=mix(s.main, WHITE, 0.35))
    s.body([(28.4, 42), (71.6, 42), (69, 72), (31, 72)], "side", shadow=False)
    s.fill(oval(50, 57, 9), s.accent)
    s.body([(28, 8), (72, 8), (77, 18), (23, 18)], "flat", color=darker(s.main, 0.5))
    s.fill(rect(44, 7, 54, 10, 1), BLACK)


def _tray(s: Sketch) -> None:
    s.floor(50, 80, 46, 5)
    s.body([(16, 36), (84, 36), (98, 72), (2, 72)], "fold", material=s.material or "wood")
    s.body([(22, 42), (78, 42), (88, 66), (12, 66)], "flat", color=darker(s.main, 0.2), shadow=False)
    s.body([(2, 72), (98, 72), (96, 80), (4, 80)], "flat", color=darker(s.main, 0.3))
    for x in (8, 92):
        s.line([(x - 4, 60), (x + 4, 50)], s.accent, 3.4)


def _tweezers(s: Sketch) -> None:
    for side in (-1, 1):
        arm = smooth((50, 4), (50 + 7 * side, 8), (50 + 13 * side, 40), (50 + 4 * side, 90), (50 + 1 * side, 97),
                     (50 + 1 * side, 88), (50 + 7 * side, 40), (50 + 1 * side, 14))  # fmt: skip
        s.body(turned(arm, 32), "side", material="metal")
        s.line(turned([(50 + 10 * side, 32), (50 + 9 * side, 56)], 32), s.accent, 2)


def _sleep_mask(s: Sketch) -> None:
    s.line(smooth((8, 44), (2, 62), (24, 84), (50, 88), (76, 84), (98, 62), (92, 44), closed=False), s.accent, 3.4)
    s.body(smooth((6, 42), (28, 28), (50, 34), (72, 28), (94, 42), (88, 62), (68, 72), (50, 58), (32, 72), (12, 62)),
           "ball")  # fmt: skip
    for x in (30, 70):
        s.line(smooth((x - 11, 50), (x, 57), (x + 11, 50), closed=False), lighter(s.accent, 0.3), 1.8)
        for dx in (-8, 0, 8):
            s.line([(x + dx, 55 - abs(dx) / 4), (x + dx * 1.3, 60 - abs(dx) / 4)], lighter(s.accent, 0.3), 1.4)


DRAWINGS = {
    "tweezers": _tweezers,
    "sleep_mask": _sleep_mask,
    "bracelet": _bracelet,
    "badge": _badge,
    "hair_clip": _hair_clip,
    "wig": _wig,
    "coin": _coin,
    "buttons": _buttons,
    "needles": _needles,
    "tag": _tag,
    "card": _card,
    "envelope": _envelope,
    "stamp": _stamp,
    "crystal": _crystal,
    "stone": _stone,
    "tights": _tights,
    "apron": _apron,
    "insole": _insole,
    "paper_cup": _paper_cup,
    "tray": _tray,
}
