"""Clothes of a cut of their own: sleeveless tops, padded and tailored jackets, long dresses, whole sets."""

from shopsim.envs.screens.pictures.garments import cuffs, long_sleeves, tee
from shopsim.envs.screens.pictures.sketch import GOLD, Shape, Sketch, darker, lighter, mirrored, oval, rect, smooth


def _vest(length: float = 84) -> Shape:
    return mirrored([(58, 14), (66, 16), (67, 32), (73, 42), (72, length), (50, length + 1)])


def _polo(s: Sketch) -> None:
    s.body(tee())
    s.fill([(42, 16), (58, 16), (50, 28)], darker(s.main, 0.5))
    s.body(rect(46.5, 24, 53.5, 42, 1), "flat", color=darker(s.main, 0.1), shadow=False)
    for y in (30, 37):
        s.fill(oval(50, y, 1.2), lighter(s.accent, 0.3))
    for side in (-1, 1):
        collar = [(50 + 10 * side, 14), (50 + 14 * side, 20), (50 + 6 * side, 30), (50, 25)]
        s.body(collar, "flat", color=s.accent, shadow=False)
        s.line([(50 + 21 * side, 43), (50 + 18.5 * side, 24)], darker(s.main, 0.25), 0.6)
        s.line([(50 + 38.8 * side, 31), (50 + 29.6 * side, 47)], s.accent, 2)


def _tank_top(s: Sketch) -> None:
    s.body(mirrored([(57, 12), (63, 13), (62, 30), (72, 44), (70, 86), (50, 87)]))
    s.hole(smooth((43.6, 10), (56.4, 10), (55, 24), (50, 29), (45, 24)))
    s.line(smooth((42.6, 12), (45, 24), (50, 29.5), (55, 24), (57.4, 12), closed=False), s.accent, 1.6)
    for side in (-1, 1):
        s.line(smooth((50 + 13 * side, 13), (50 + 12 * side, 30), (50 + 22 * side, 44), closed=False), s.accent, 1.6)
    s.line([(30.5, 83), (69.5, 83)], darker(s.main, 0.25), 0.6)


def _short_sleeve_shirt(s: Sketch) -> None:
    s.body(tee(84))
    s.fill([(42, 16), (58, 16), (50, 34)], darker(s.main, 0.5))
    for side in (-1, 1):
        s.body([(50 + 9 * side, 14), (50 + 15 * side, 22), (50 + 9 * side, 34), (50, 33)], "flat", shadow=False)
        s.line([(50 + 21 * side, 43), (50 + 18.5 * side, 24)], darker(s.main, 0.25), 0.6)
    s.line([(50, 34), (50, 84)], darker(s.main, 0.3), 0.8)
    for y in range(40, 82, 10):
        s.fill(oval(51.8, y, 1.3), lighter(s.accent, 0.3))
    s.line([(58, 42), (67, 42), (67, 51), (58, 51), (58, 42)], darker(s.main, 0.3), 0.6)


def _knit_vest(s: Sketch) -> None:
    s.body(_vest(), material=s.material or "wool")
    s.hole([(42, 12), (58, 12), (50, 40)])
    s.line([(42, 13), (50, 41), (58, 13)], s.accent, 2.4)
    s.fill(rect(28, 79, 72, 85), darker(s.main, 0.14))
    for side in (-1, 1):
        s.line(smooth((50 + 16 * side, 16), (50 + 17 * side, 32), (50 + 23 * side, 43), closed=False), s.accent, 2)
    for x in range(30, 72, 3):
        s.line([(x, 79.5), (x, 84.5)], darker(s.main, 0.28), 0.5)


def _turtleneck(s: Sketch) -> None:
    s.body(long_sleeves(82), material=s.material or "wool")
    s.body(rect(40, 6, 60, 22, 4), "side", shadow=False, material=s.material or "wool")
    s.line(smooth((41, 15), (50, 17), (59, 15), closed=False), darker(s.main, 0.25), 1)
    s.fill(rect(29, 78, 71, 83), darker(s.main, 0.14))
    cuffs(s, darker(s.main, 0.18))


def _quilted(s: Sketch, rows: range, half: float) -> None:
    """The seams of a padded garment, with a little light on each roll."""
    for y in rows:
        s.line(smooth((50 - half, y + 1), (50, y - 1.4), (50 + half, y + 1), closed=False), darker(s.main, 0.35), 1)
        s.line(smooth((51 - half, y + 4), (50, y + 2), (49 + half, y + 4), closed=False), lighter(s.main, 0.25), 0.8)


def _puffer(s: Sketch) -> None:
    s.body(mirrored([(59, 12), (68, 15), (81, 26), (96, 74), (82, 80), (72, 50), (73, 82), (50, 84)]), material="silk")
    _quilted(s, range(30, 82, 10), 22)
    for side in (-1, 1):
        for i in range(4):
            a, b = (50 + (23 + 4 * i) * side, 46 + 9 * i), (50 + (35 + 3.4 * i) * side, 37 + 10 * i)
            s.line([a, b], darker(s.main, 0.35), 1)
    s.body(rect(38, 5, 62, 21, 6), "side", shadow=False, pattern=False)
    s.line([(50, 6), (50, 83)], s.accent, 1.8)
    cuffs(s, darker(s.main, 0.35))


def _gilet(s: Sketch) -> None:
    s.body(_vest(82), material="silk")
    _quilted(s, range(30, 80, 10), 21)
    s.body(rect(39, 6, 61, 21, 5), "side", shadow=False, pattern=False)
    s.line([(50, 7), (50, 82)], s.accent, 1.8)
    for side in (-1, 1):
        s.line(
            smooth((50 + 16 * side, 16), (50 + 17 * side, 32), (50 + 23 * side, 43), closed=False),
            darker(s.main, 0.4),
            1.6,
        )
        s.line([(50 + 10 * side, 58), (50 + 16 * side, 68)], darker(s.main, 0.5), 1.4)


def _blazer(s: Sketch) -> None:
    s.body(mirrored([(57, 10), (66, 13), (77, 20), (90, 72), (79, 76), (70, 44), (73, 84), (50, 90)]))
    s.fill([(43, 10), (57, 10), (50, 52)], lighter(s.accent, 0.7))
    s.fill([(48, 14), (52, 14), (53, 40), (50, 48), (47, 40)], s.accent)
    for side in (-1, 1):
        lapel = [
            (50 + 6 * side, 8),
            (50 + 15 * side, 15),
            (50 + 17 * side, 27),
            (50 + 13 * side, 28),
            (50 + 15 * side, 32),
        ]
        s.body([*lapel, (50, 54)], "flat", shadow=False)
        s.line([(50 + 9 * side, 66), (50 + 20 * side, 65)], darker(s.main, 0.45), 2)
    s.line([(50, 54), (51, 89)], darker(s.main, 0.4), 0.9)
    for y in (58, 68):
        s.fill(oval(53, y, 1.6), darker(s.main, 0.5))
    s.fill([(60, 40), (67, 39), (67, 42), (60, 43)], lighter(s.accent, 0.5))


def _pyjamas(s: Sketch) -> None:
    s.zoom(0.94)
    legs = mirrored([(82, 44), (86, 97), (70, 98), (66, 66)], 66)
    s.body(legs)
    s.body(rect(50, 42, 82.5, 48, 1), "flat", color=darker(s.main, 0.14), shadow=False)
    top = mirrored([(46, 8), (54, 10), (70, 52), (61, 55), (53, 38), (54, 70), (38, 71)], 38)
    s.body(top)
    s.fill([(33, 8), (43, 8), (38, 22)], darker(s.main, 0.5))
    s.line([(38, 22), (38, 70)], s.accent, 1)
    for y in (30, 42, 54, 64):
        s.fill(oval(38, y, 1.3), s.accent)
    for side in (-1, 1):
        s.line([(38 + 7 * side, 8), (38, 22)], s.accent, 1.6)


def _robe(s: Sketch) -> None:
    s.body(mirrored([(57, 8), (67, 11), (78, 20), (93, 58), (80, 63), (70, 42), (76, 93), (50, 95)]))
    for side in (-1, 1):
        s.body(
            [(50 + 6 * side, 6), (50 + 12 * side, 10), (50 + 5 * side, 54), (50 - 2 * side, 58)],
            "flat",
            shadow=False,
            color=lighter(s.main, 0.25),
        )
        s.line([(50 + 11 * side, 74), (50 + 21 * side, 73)], darker(s.main, 0.35), 2)
    s.line([(50, 60), (54, 94)], darker(s.main, 0.35), 0.9)
    s.body(rect(28.5, 52, 71.5, 59, 2), "flat", color=s.accent, shadow=False)
    for x in (52, 57):
        s.body([(x, 57), (x + 4, 57), (x + 6, 80), (x + 1, 80)], "flat", color=s.accent)


def _jeans(s: Sketch) -> None:
    s.body(mirrored([(66, 8), (72, 92), (55, 93), (50, 38)]), material=s.material or "denim")
    for side in (-1, 1):
        s.glow(oval(50 + 11 * side, 52, 5, 24), "spot", (255, 255, 255), 0.5)
        s.line(smooth((50 + 17 * side, 23), (50 + 11 * side, 24), (50 + 8 * side, 15), closed=False), GOLD, 0.7)
        s.line([(50 + 20.4 * side, 30), (50 + 20.6 * side, 90)], GOLD, 0.5)
        s.body(
            [(50 + 5 * side, 88), (50 + 22 * side, 87), (50 + 22 * side, 93), (50 + 5 * side, 94)],
            "flat",
            shadow=False,
            pattern=False,
        )
        s.line([(50 + 5 * side, 90), (50 + 22 * side, 89)], GOLD, 0.5)
        s.fill(rect(50 + 9 * side - 1, 7, 50 + 9 * side + 1, 15), darker(s.main, 0.25))
    s.body(rect(33.5, 8, 66.5, 14.5), "flat", shadow=False, pattern=False)
    s.line([(34, 13.4), (66, 13.4)], GOLD, 0.5)
    s.line([(50, 15), (50, 38)], darker(s.main, 0.35), 0.8)
    s.line(smooth((54, 15), (54, 28), (50, 33), closed=False), GOLD, 0.6)
    s.fill(oval(50, 11.2, 1.6), s.accent)


def _leggings(s: Sketch) -> None:
    s.body(mirrored([(64, 8), (68, 30), (64, 60), (62, 93), (54, 94), (53, 60), (50, 38)]))
    s.body(rect(35.5, 7, 64.5, 17, 2), "flat", color=darker(s.main, 0.18), shadow=False)
    for side in (-1, 1):
        s.line(
            smooth(
                (50 + 14 * side, 18), (50 + 16 * side, 34), (50 + 12 * side, 62), (50 + 10 * side, 92), closed=False
            ),
            s.accent,
            1.4,
        )
    s.line([(50, 17), (50, 38)], darker(s.main, 0.3), 0.7)


def _jumpsuit(s: Sketch) -> None:
    s.body(mirrored([(56, 10), (62, 10), (63, 26), (68, 36), (62, 46), (70, 60), (72, 93), (56, 94), (50, 64)]))
    s.hole([(44, 9), (56, 9), (50, 28)])
    s.line([(43, 10), (50, 29), (57, 10)], s.accent, 1.6)
    s.body(rect(37, 43, 63, 48, 1), "flat", color=s.accent, shadow=False)
    s.line([(50, 29), (50, 43)], darker(s.main, 0.3), 0.7)
    for side in (-1, 1):
        s.line([(50 + 17 * side, 60), (50 + 10 * side, 50)], darker(s.main, 0.38), 0.9)
        s.line([(50 + 12 * side, 62), (50 + 14 * side, 92)], darker(s.main, 0.22), 0.6)


def _slip_dress(s: Sketch) -> None:
    for side in (-1, 1):
        s.line([(50 + 9 * side, 26), (50 + 8 * side, 6)], darker(s.main, 0.15), 1.6)
    s.body(
        smooth((39, 26), (50, 32), (61, 26), (64, 44), (70, 70), (72, 94), (50, 96), (28, 94), (30, 70), (36, 44)),
        material=s.material or "silk",
    )
    s.line(smooth((39, 26.5), (50, 32.5), (61, 26.5), closed=False), s.accent, 1.4)
    for top, low in ((46, 38), (53, 58)):
        s.line(smooth((top, 42), ((top + low) / 2, 66), (low, 93), closed=False), darker(s.main, 0.2), 0.7)


def _maxi_dress(s: Sketch) -> None:
    s.body(mirrored([(57, 6), (63, 7), (62, 20), (59, 34), (70, 66), (82, 95), (50, 97)]))
    s.hole(smooth((44, 4), (56, 4), (55, 12), (50, 15), (45, 12)))
    s.body(rect(40, 32, 60, 36.5), "flat", color=s.accent, shadow=False)
    for low in (26, 38, 50, 62, 74):
        s.line([(50 + (low - 50) * 0.36, 38), (low, 95)], darker(s.main, 0.24), 0.7)
    s.line(smooth((33, 66), (50, 69), (67, 66), closed=False), darker(s.main, 0.28), 0.9)


def _shirt_dress(s: Sketch) -> None:
    s.body(mirrored([(58, 8), (65, 10), (82, 40), (74, 45), (65, 32), (63, 46), (76, 92), (50, 94)]))
    s.fill([(43, 8), (57, 8), (50, 20)], darker(s.main, 0.5))
    for side in (-1, 1):
        s.body([(50 + 8 * side, 6), (50 + 12 * side, 12), (50 + 5 * side, 21), (50, 18)], "flat", shadow=False)
    s.line([(50, 20), (50, 93)], darker(s.main, 0.3), 0.8)
    for y in (26, 36, 58, 68, 78, 88):
        s.fill(oval(51.8, y, 1.3), lighter(s.accent, 0.3))
    s.body(rect(36.4, 45, 63.6, 50.5, 1), "flat", color=s.accent, shadow=False)
    s.fill(rect(47, 45.4, 53, 50, 1), GOLD)


def _qipao(s: Sketch) -> None:
    s.body(
        mirrored([(56, 12), (62, 14), (72, 24), (67, 31), (62, 28), (59, 44), (66, 62), (63, 94), (50, 95)]),
        material=s.material or "silk",
    )
    s.body(rect(43.5, 5, 56.5, 15, 3), "side", shadow=False)
    edge = smooth((50, 14), (54, 22), (62, 29), closed=False)
    s.line(edge, s.accent, 1.8)
    s.line([(43.5, 14.5), (56.5, 14.5)], s.accent, 1.6)
    for x, y in ((50, 10), (53, 20), (59, 27)):
        s.line([(x - 2.4, y), (x + 2.4, y + 1)], s.accent, 1.4)
        s.fill(oval(x, y + 0.5, 1.2), lighter(s.accent, 0.4))
    s.line([(64.6, 70), (62.8, 93)], darker(s.main, 0.5), 1.4)
    s.line([(37, 94), (63, 94)], s.accent, 1.8)


DRAWINGS = {
    "polo": _polo,
    "tank_top": _tank_top,
    "short_sleeve_shirt": _short_sleeve_shirt,
    "knit_vest": _knit_vest,
    "turtleneck": _turtleneck,
    "puffer": _puffer,
    "gilet": _gilet,
    "blazer": _blazer,
    "pyjamas": _pyjamas,
    "robe": _robe,
    "jeans": _jeans,
    "leggings": _leggings,
    "jumpsuit": _jumpsuit,
    "slip_dress": _slip_dress,
    "maxi_dress": _maxi_dress,
    "shirt_dress": _shirt_dress,
    "qipao": _qipao,
}
