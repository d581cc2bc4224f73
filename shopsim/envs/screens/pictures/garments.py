"""Clothes, lying flat as shops photograph them."""

from shopsim.envs.screens.pictures.sketch import Shape, Sketch, darker, lighter, mirrored, moved, oval, rect, smooth


def tee(length: float = 86) -> Shape:
    """A T-shirt's outline."""
    return mirrored([(60, 17), (66, 18), (90, 32), (81, 48), (71, 42), (71.5, length), (50, length + 1)])


def long_sleeves(length: float = 84) -> Shape:
    """The outline of a top with long sleeves."""
    half = [(59, 15), (66, 17), (76, 24), (92, 76), (81, 80), (70, 46), (71, length), (50, length + 1)]
    return mirrored(half)


def cuffs(s: Sketch, color: tuple[int, int, int]) -> None:
    """The ends of long sleeves."""
    for side in (-1, 1):
        x = 50 + 31 * side, 50 + 42 * side
        s.line([(x[0], 80), (x[1], 76)], color, 3.4)


def neck(s: Sketch) -> None:
    """A round neck."""
    s.fill(oval(50, 17, 10.5, 6.5, 0, 180), darker(s.main, 0.45))
    s.line(oval(50, 17, 11, 7.5, 5, 175), darker(s.main, 0.2), 1.8)


def _tshirt(s: Sketch) -> None:
    s.body(tee())
    neck(s)
    for side in (-1, 1):
        s.line([(50 + 21 * side, 43), (50 + 18.5 * side, 24)], darker(s.main, 0.25), 0.6)
        s.line([(50 + 38.5 * side, 32.5), (50 + 30 * side, 46.5)], darker(s.main, 0.25), 0.5)


def _long_sleeve_tee(s: Sketch) -> None:
    s.body(long_sleeves())
    neck(s)
    for side in (-1, 1):
        s.line([(50 + 20 * side, 45), (50 + 17 * side, 19)], darker(s.main, 0.25), 0.6)
    cuffs(s, darker(s.main, 0.1))


def _blouse(s: Sketch) -> None:
    sleeves = (58, 15), (68, 18), (84, 46), (88, 66), (84, 76), (76, 74), (73, 58), (68, 44), (72, 84), (50, 88)
    s.body(mirrored(sleeves))
    for side in (-1, 1):
        s.body(rect(50 + 30 * side - 6, 72, 50 + 30 * side + 6, 79, 2), "flat", color=darker(s.main, 0.1), shadow=False)
        s.line(
            smooth((50 + 19 * side, 44), (50 + 24 * side, 58), (50 + 26 * side, 72), closed=False),
            darker(s.main, 0.2),
            0.6,
        )
    s.fill([(42, 15), (58, 15), (50, 30)], darker(s.main, 0.45))
    s.line([(50, 30), (50, 87)], darker(s.main, 0.22), 0.7)
    for side in (-1, 1):
        s.body(
            smooth((50, 31), (50 + 8 * side, 24), (50 + 17 * side, 26), (50 + 16 * side, 35)), "ball", color=s.accent
        )
        s.body(
            [(50 + 1 * side, 32), (50 + 4 * side, 33), (50 + 9 * side, 58), (50 + 2 * side, 54)], "flat", color=s.accent
        )
    s.body(rect(47, 28, 53, 35, 2), "flat", color=darker(s.accent, 0.15), shadow=False)


def _shirt(s: Sketch) -> None:
    s.body(long_sleeves())
    s.fill([(41, 15), (59, 15), (50, 27)], darker(s.main, 0.5))
    for side in (-1, 1):
        collar = [(50 + 10 * side, 13), (50 + 14 * side, 21), (50 + 5 * side, 29), (50, 25)]
        s.body(collar, "flat", shadow=False)
    s.line([(50, 26), (50, 84)], darker(s.main, 0.3), 0.8)
    s.line([(54, 30), (54, 84)], darker(s.main, 0.22), 0.5)
    for y in range(34, 84, 10):
        s.fill(oval(52, y, 1.3), lighter(s.accent, 0.3))
    s.line([(59, 41), (68, 41), (68, 50), (63.5, 53), (59, 50), (59, 41)], darker(s.main, 0.3), 0.6)
    cuffs(s, darker(s.main, 0.14))


def _sweater(s: Sketch) -> None:
    s.body(long_sleeves(80), material=s.material or "wool")
    neck(s)
    s.line(oval(50, 17, 12.5, 9.5, 5, 175), darker(s.main, 0.1), 1.6)
    s.fill(rect(29, 77, 71, 83), darker(s.main, 0.14))
    for x in range(31, 71, 3):
        s.line([(x, 77.5), (x, 82.5)], darker(s.main, 0.28), 0.5)
    cuffs(s, darker(s.main, 0.18))


def _cardigan(s: Sketch) -> None:
    s.body(long_sleeves(82), material=s.material or "wool")
    s.fill([(41, 14), (59, 14), (50, 44)], darker(s.main, 0.5))
    for side in (-1, 1):
        s.line([(50 + 9 * side, 13), (50 + 2 * side, 44), (50 + 2 * side, 82)], darker(s.main, 0.16), 3.4)
        s.line(
            [(50 + 9 * side, 60), (50 + 18 * side, 60), (50 + 18 * side, 73), (50 + 9 * side, 73)],
            darker(s.main, 0.3),
            0.8,
        )
    for y in (48, 57, 66, 75):
        s.fill(oval(51.6, y, 1.9), s.accent)
    s.fill(rect(29, 78, 71, 83), darker(s.main, 0.14))
    for x in range(31, 71, 3):
        s.line([(x, 78.5), (x, 82.5)], darker(s.main, 0.28), 0.5)
    cuffs(s, darker(s.main, 0.18))


def _hoodie(s: Sketch) -> None:
    s.body(long_sleeves(82))
    s.body(smooth((34, 24), (36, 10), (50, 6), (64, 10), (66, 24), (50, 33)), "ball", shadow=False, pattern=False)
    s.fill(smooth((40, 20), (42, 13), (50, 10), (58, 13), (60, 20), (50, 29)), darker(s.main, 0.5))
    for side in (-1, 1):
        s.line([(50 + 5 * side, 28), (50 + 6 * side, 46)], s.accent, 1.2)
    pocket = [(38, 58), (62, 58), (68, 72), (68, 76), (32, 76), (32, 72)]
    s.line([*pocket, pocket[0]], darker(s.main, 0.32), 1)
    s.fill(rect(29, 79, 71, 83), darker(s.main, 0.18))
    cuffs(s, darker(s.main, 0.2))


def _jacket(s: Sketch) -> None:
    s.body(long_sleeves(76))
    s.fill([(43, 15), (57, 15), (50, 24)], darker(s.main, 0.55))
    s.body(mirrored([(50, 22), (58, 13), (64, 16), (57, 26)]), "flat", shadow=False, pattern=False)
    s.line([(50, 24), (50, 76)], s.accent, 1.6)
    s.line([(50, 24), (50, 76)], darker(s.accent, 0.4), 0.5)
    for side in (-1, 1):
        s.line([(50 + 9 * side, 52), (50 + 15 * side, 64)], darker(s.main, 0.42), 1.4)
        s.line([(50 + 20 * side, 44), (50 + 17 * side, 24)], darker(s.main, 0.28), 0.7)
    s.fill(rect(29, 72, 71, 78), darker(s.main, 0.25))
    cuffs(s, darker(s.main, 0.28))


def _coat(s: Sketch) -> None:
    s.body(mirrored([(58, 8), (66, 10), (76, 18), (90, 64), (80, 67), (69, 38), (76, 92), (50, 94)]))
    s.fill([(42, 8), (58, 8), (50, 32)], darker(s.main, 0.6))
    for side in (-1, 1):
        lapel = [(50 + 7 * side, 6), (50 + 16 * side, 13), (50 + 13 * side, 24), (50 + 1 * side, 42), (50, 30)]
        s.body(lapel, "flat", shadow=False)
        s.line([(50 + 9 * side, 64), (50 + 19 * side, 62)], darker(s.main, 0.4), 1.6)
    s.line([(50, 40), (51, 93)], darker(s.main, 0.4), 0.8)
    for y in (50, 62, 74):
        for x in (45, 56):
            s.fill(oval(x, y, 1.7), darker(s.accent, 0.15))


def _dress(s: Sketch) -> None:
    half = (58, 10), (64, 12), (62, 26), (60, 42), (80, 88), (50, 92)
    s.body(smooth((50, 17), *half, (20, 88), (40, 42), (38, 26), (36, 12), (42, 10)))
    for top, low in ((47, 38), (50, 50), (53, 62)):
        s.line([(top, 46), (low, 88)], darker(s.main, 0.22), 0.6)
    s.fill(rect(39.5, 41, 60.5, 45), s.accent)
    s.line([(39.5, 45), (60.5, 45)], darker(s.accent, 0.3), 0.5)


def _skirt(s: Sketch) -> None:
    s.body([(34, 18), (66, 18), (86, 82), (68, 85), (50, 86), (32, 85), (14, 82)])
    for i in range(-3, 4):
        s.line([(50 + 4.4 * i, 24), (50 + 10.4 * i, 85)], darker(s.main, 0.26), 0.7)
    s.body(rect(33.5, 15, 66.5, 23, 1), "flat", color=darker(s.main, 0.2), shadow=False)
    s.fill(oval(50, 19, 1.5), s.accent)


def _trousers(s: Sketch) -> None:
    s.body(mirrored([(66, 8), (73, 92), (55, 93), (50, 38)]))
    s.line([(50, 15), (50, 38)], darker(s.main, 0.35), 0.8)
    s.body(rect(33.5, 8, 66.5, 14.5), "flat", color=darker(s.main, 0.16), shadow=False)
    s.fill(oval(50, 11.2, 1.6), s.accent)
    for side in (-1, 1):
        s.line([(50 + 17 * side, 26), (50 + 11 * side, 15)], darker(s.main, 0.38), 0.9)
        s.line([(50 + 12 * side, 34), (50 + 14.5 * side, 90)], darker(s.main, 0.2), 0.6)
        s.line([(50 + 5 * side, 90), (50 + 23 * side, 89)], darker(s.main, 0.3), 0.7)


def _shorts(s: Sketch) -> None:
    s.body(mirrored([(70, 22), (80, 76), (54, 79), (50, 50)]))
    s.body(rect(29.5, 20, 70.5, 28, 1), "flat", color=darker(s.main, 0.16), shadow=False)
    for side in (-1, 1):
        s.line([(50 + 3 * side, 26), (50 + 5 * side, 40)], s.accent, 1.3)
        s.line([(50 + 22 * side, 44), (50 + 15 * side, 29)], darker(s.main, 0.36), 0.9)
        s.line([(50 + 4.5 * side, 75), (50 + 29.5 * side, 72)], darker(s.main, 0.28), 0.7)
    s.line([(50, 28), (50, 50)], darker(s.main, 0.32), 0.8)


def _underwear(s: Sketch) -> None:
    s.body(mirrored([(80, 32), (82, 44), (62, 58), (57, 72), (50, 73)]))
    s.body(rect(19.5, 30, 80.5, 38, 1), "flat", color=s.accent, shadow=False)
    for side in (-1, 1):
        s.line([(50 + 31 * side, 45), (50 + 13 * side, 58), (50 + 8 * side, 72)], darker(s.main, 0.3), 0.8)


def _bra(s: Sketch) -> None:
    for side in (-1, 1):
        s.line([(50 + 22 * side, 40), (50 + 25 * side, 16), (50 + 20 * side, 10)], darker(s.main, 0.12), 2.2)
        cup = smooth(*[(50 + dx * side, y) for dx, y in ((2, 52), (10, 38), (24, 34), (36, 46), (32, 62), (14, 66))])
        s.body(cup, "ball")
        s.body([(50 + x * side, y) for x, y in ((34, 48), (46, 50), (46, 58), (34, 60))], "flat", shadow=False)
        s.line([(50 + x * side, y) for x, y in ((3, 50), (11, 38), (24, 34))], s.accent, 1.3)
    s.fill(oval(50, 55, 2.4), s.accent)


def _swimsuit(s: Sketch) -> None:
    s.body(mirrored([(60, 10), (63, 10), (64, 30), (67, 40), (62, 54), (68, 70), (56, 84), (50, 86)]))
    s.hole(smooth((42, 8), (58, 8), (57, 24), (50, 31), (43, 24)))
    s.line(smooth((40.5, 9), (43, 24), (50, 31), (57, 24), (59.5, 9), closed=False), s.accent, 1.5)
    for side in (-1, 1):
        s.line(smooth((50 + 18 * side, 70), (50 + 10 * side, 78), (50 + 6 * side, 85), closed=False), s.accent, 1.5)


def _socks(s: Sketch) -> None:
    sock = [(28, 12), (44, 12), (44, 52), (58, 66), (62, 74), (57, 82), (46, 82), (28, 66)]
    for dx, dy in ((20, 3), (-2, 6)):
        s.body(smooth(*moved(sock, dx, dy)))
        s.body(rect(28 + dx, 10 + dy, 44.5 + dx, 20 + dy, 2), "flat", color=s.accent, shadow=False)
        for x in range(30, 44, 3):
            s.line([(x + dx, 11 + dy), (x + dx, 19 + dy)], darker(s.accent, 0.22), 0.5)
        s.line(smooth(*moved([(52, 63), (50, 73), (55, 81)], dx, dy), closed=False), darker(s.main, 0.25), 0.8)


def _hat(s: Sketch) -> None:
    s.floor(50, 72, 44, 7)
    s.body(smooth((22, 62), (23, 40), (36, 25), (54, 24), (68, 34), (74, 60), (50, 66)), "ball")
    s.body(smooth((52, 58), (74, 55), (92, 64), (94, 70), (74, 69), (52, 66)), "flat", color=s.accent)
    s.line(smooth((48, 24), (52, 40), (52, 62), closed=False), darker(s.main, 0.3), 0.7)
    s.line(smooth((40, 25), (33, 44), (34, 63), closed=False), darker(s.main, 0.25), 0.6)
    s.fill(oval(47, 23.5, 2.6, 1.6), darker(s.main, 0.2))


def _beanie(s: Sketch) -> None:
    s.floor(50, 84, 40, 5)
    s.body(
        smooth((18, 62), (20, 38), (34, 22), (50, 18), (66, 22), (80, 38), (82, 62), (50, 66)),
        "ball",
        material=s.material or "wool",
    )
    for i in range(-4, 5):
        s.line(smooth((50 + 2 * i, 20), (50 + 6.4 * i, 40), (50 + 7.4 * i, 60), closed=False), darker(s.main, 0.2), 0.7)
    s.body(rect(15, 56, 85, 80, 8), "fold", material=s.material or "wool", pattern=False)
    for x in range(20, 84, 5):
        s.line([(x, 58), (x, 78)], darker(s.main, 0.22), 0.8)
    s.body(oval(50, 16, 10), "ball", color=s.accent)


def _bucket_hat(s: Sketch) -> None:
    s.floor(50, 76, 48, 7)
    s.body(smooth((6, 66), (26, 50), (74, 50), (94, 66), (80, 77), (50, 80), (20, 77)), "fold")
    s.body([(30, 26), (70, 26), (76, 54), (50, 60), (24, 54)], "side", shadow=False)
    s.body(oval(50, 26, 20, 5), "flat", shadow=False)
    s.line(smooth((24, 53), (50, 60), (76, 53), closed=False), s.accent, 3)
    for k in (3, 7):
        s.line(
            smooth((13 + k, 67 - k / 2), (50, 76 - k), (87 - k, 67 - k / 2), closed=False), darker(s.main, 0.22), 0.6
        )


def _scarf(s: Sketch) -> None:
    s.body([(54, 42), (72, 44), (70, 88), (54, 87)])
    s.body([(34, 42), (50, 42), (44, 82), (26, 79)])
    s.body(smooth((26, 30), (50, 16), (76, 30), (72, 46), (50, 50), (29, 46)), "ball")
    s.fill(smooth((38, 31), (50, 26), (63, 31), (50, 37)), darker(s.main, 0.5))
    for i in range(6):
        s.line([(55 + 3 * i, 87), (55 + 3 * i, 93)], s.accent, 0.9)
        s.line([(27 + 3.2 * i, 79.5 + 0.4 * i), (26 + 3.2 * i, 86 + 0.4 * i)], s.accent, 0.9)


def _gloves(s: Sketch) -> None:
    for dx, side in ((27, -1), (73, 1)):
        fingers = [(-13, 44), (-13, 26), (-8, 25), (-6, 40), (-5, 19), (1, 18), (2, 39), (5, 21), (10, 22), (9, 42)]
        thumb = [(15, 46), (21, 38), (25, 42), (18, 58), (11, 66), (10, 72), (-11, 72)]
        s.body(smooth(*[(dx - side * x, y) for x, y in fingers + thumb]))
        s.body(rect(dx - 13, 68, dx + 13, 82, 2), "flat", color=s.accent, shadow=False)
        for x in range(-10, 12, 4):
            s.line([(dx + x, 70), (dx + x, 81)], darker(s.accent, 0.25), 0.6)


DRAWINGS = {
    "tshirt": _tshirt,
    "long_sleeve_tee": _long_sleeve_tee,
    "shirt": _shirt,
    "blouse": _blouse,
    "sweater": _sweater,
    "cardigan": _cardigan,
    "hoodie": _hoodie,
    "jacket": _jacket,
    "coat": _coat,
    "dress": _dress,
    "skirt": _skirt,
    "trousers": _trousers,
    "shorts": _shorts,
    "underwear": _underwear,
    "bra": _bra,
    "swimsuit": _swimsuit,
    "socks": _socks,
    "sock": _socks,
    "hat": _hat,
    "beanie": _beanie,
    "bucket_hat": _bucket_hat,
    "scarf": _scarf,
    "gloves": _gloves,
}
