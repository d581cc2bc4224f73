"""Bags, jewellery and what else is worn."""

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


def _bag(s: Sketch) -> None:
    s.floor(50, 86, 42, 5)
    s.line(oval(50, 40, 21, 27, 180, 360), darker(s.main, 0.25), 4.2)
    s.line(oval(50, 40, 21, 27, 180, 360), s.main, 2.8)
    s.body([(20, 38), (80, 38), (88, 82), (84, 86), (16, 86), (12, 82)], "fold")
    s.body([(20, 38), (80, 38), (77, 58), (50, 64), (23, 58)], "fold", shadow=False)
    s.fill(rect(45, 57, 55, 68, 2), GOLD)
    s.fill(rect(47.5, 60, 52.5, 64, 1), darker(GOLD, 0.4))
    for x in (29, 71):
        s.fill(oval(x, 41, 2.6), GOLD)


def _tote(s: Sketch) -> None:
    s.floor(50, 92, 40, 5)
    for y, color in ((9, darker(s.main, 0.3)), (13, s.main)):
        s.line(smooth((34, 40), (36, y + 12), (50, y), (64, y + 12), (66, 40), closed=False), color, 3.2)
    s.body([(20, 36), (80, 36), (84, 91), (16, 91)], "fold")
    s.line([(20, 41), (80, 41)], darker(s.main, 0.22), 0.7)
    for x in (34, 66):
        s.fill(rect(x - 2.6, 36, x + 2.6, 46, 1), darker(s.main, 0.25))
    s.fill(oval(50, 66, 11), s.accent)
    s.fill(smooth((50, 72), (42, 64), (46, 60), (50, 63), (54, 60), (58, 64)), lighter(s.accent, 0.6))


def _crossbody(s: Sketch) -> None:
    s.floor(50, 88, 38, 5)
    s.line(smooth((24, 52), (16, 26), (34, 8), (62, 6), (82, 24), (76, 52), closed=False), darker(s.main, 0.3), 3.4)
    s.line(smooth((24, 52), (16, 26), (34, 8), (62, 6), (82, 24), (76, 52), closed=False), s.main, 2.2)
    s.body(rect(20, 44, 80, 87, 9), "fold")
    s.body(
        [
            (20, 50),
            *oval(29, 53, 9, 9, 180, 270),
            *oval(71, 53, 9, 9, 270, 360),
            (80, 62),
            (66, 72),
            (34, 72),
            (20, 62),
        ],
        "fold",
        shadow=False,
    )
    s.fill(oval(50, 70, 4.6), GOLD)
    s.fill(oval(50, 70, 2.2), s.accent)
    for x in (23, 77):
        s.line(oval(x, 49, 3.4), GOLD, 1.5)


def _backpack(s: Sketch) -> None:
    s.floor(50, 90, 38, 5)
    s.line(oval(50, 17, 8, 8, 180, 360), darker(s.main, 0.4), 3)
    s.body(
        smooth((28, 40), (34, 18), (50, 13), (66, 18), (72, 40), (76, 80), (68, 89), (50, 90), (32, 89), (24, 80)),
        "fold",
    )
    s.line(oval(50, 40, 20, 19, 185, 355), s.accent, 1.6)
    s.body(rect(31, 54, 69, 84, 6), "fold", shadow=False)
    s.line([(33, 61), (67, 61)], s.accent, 1.6)
    s.fill(rect(60, 60, 63, 68, 1), STEEL)
    for side in (-1, 1):
        s.body(
            rect(50 + 24 * side - 4, 52, 50 + 24 * side + 4, 80, 3), "flat", color=darker(s.main, 0.22), shadow=False
        )


def _wallet(s: Sketch) -> None:
    s.floor(50, 76, 42, 5)
    s.body(rect(12, 28, 88, 76, 5), "fold")
    s.fill(rect(16, 24, 78, 30), (150, 196, 150))
    s.fill(rect(20, 26, 82, 31), (240, 240, 235))
    s.body(rect(12, 30, 88, 76, 5), "fold", shadow=False)
    s.line([(16, 34), (84, 34), (84, 72), (16, 72), (16, 34)], darker(s.main, 0.3), 0.6)
    s.body(rect(66, 46, 92, 60, 6), "flat", color=darker(s.main, 0.12))
    s.fill(oval(73, 53, 3), mix(s.accent, GOLD, 0.5))


def _suitcase(s: Sketch) -> None:
    s.floor(50, 92, 34, 4)
    s.line([(40, 26), (40, 7), (60, 7), (60, 26)], darker(STEEL, 0.35), 3)
    for x in (30, 70):
        s.fill(oval(x, 90, 4), BLACK)
    s.body(rect(22, 24, 78, 88, 7), "fold", material=s.material or "plastic")
    for x in (32, 41, 50, 59, 68):
        s.line([(x, 30), (x, 82)], darker(s.main, 0.24), 1.4)
        s.line([(x + 1.4, 30), (x + 1.4, 82)], lighter(s.main, 0.3), 0.7)
    s.fill(rect(42, 22, 58, 27, 2), s.accent)
    s.fill(rect(45, 50, 55, 57, 2), s.accent)


def _umbrella(s: Sketch) -> None:
    s.line([(50, 14), (50, 84)], darker(STEEL, 0.4), 1.8)
    s.line(smooth((50, 80), (50, 90), (57, 92), (61, 85), closed=False), s.accent, 3.4)
    dome = oval(50, 52, 42, 38, 180, 360)
    scallops = [p for i in range(4) for p in oval(81.5 - 21 * i, 52, 10.5, 5, 0, -180)]
    s.body([*dome, *scallops], "ball")
    for x in (29, 50, 71):
        s.line(smooth((50, 14), ((x + 50) / 2, 26), (x, 50), closed=False), darker(s.main, 0.28), 0.8)
    s.fill(rect(49, 10, 51, 15), darker(STEEL, 0.4))


def _belt(s: Sketch) -> None:
    s.body(oval(50, 52, 38, 30), "fold", color=darker(s.main, 0.3))
    s.hole(oval(50, 48, 34, 21))
    s.body([*oval(50, 52, 38, 30, 0, 180), *oval(50, 48, 34, 21, 180, 0)], "fold", shadow=False)
    s.line(oval(50, 51, 36, 25, 10, 60), s.accent, 0.7)
    s.line(oval(50, 51, 36, 25, 115, 170), s.accent, 0.7)
    frame = rect(40, 66, 60, 86, 3)
    s.line([*frame, frame[0]], GOLD if s.material != "silver" else STEEL, 2.6)
    s.line([(50, 68), (50, 78)], darker(GOLD, 0.2), 1.6)
    for x in (66, 72, 78):
        s.fill(oval(x, 73.5 - (x - 66) * 0.42, 1.1), darker(s.main, 0.6))


def _tie(s: Sketch) -> None:
    s.body(mirrored([(53, 22), (62, 74), (50, 92)]))
    s.body(mirrored([(58, 9), (55, 23), (50, 24)]), "flat", shadow=False)
    s.line([(46, 24), (54, 24)], darker(s.main, 0.4), 0.8)


def _ring(s: Sketch) -> None:
    s.floor(50, 88, 28, 4)
    metal = STEEL if s.material in ("silver", "steel") else s.main if s.material == "" else GOLD
    s.body(oval(50, 60, 28, 28), "side", color=metal, material="metal")
    s.hole(oval(50, 60, 21.5, 21.5))
    gem = mirrored([(58, 12), (66, 20), (50, 38)])
    s.body(gem, "flat", color=lighter(s.main if metal != s.main else s.accent, 0.15))
    for x in (42, 50, 58):
        s.line([(x, 20), (50, 38)], WHITE, 0.7)
    s.line([(34, 20), (66, 20)], WHITE, 0.8)
    s.fill([(42, 12), (50, 20), (42, 20), (34, 20)], WHITE, 0.5)


def _necklace(s: Sketch) -> None:
    metal = STEEL if s.material in ("silver", "steel") else GOLD
    chain = smooth((22, 10), (26, 38), (38, 58), (50, 64), (62, 58), (74, 38), (78, 10), closed=False)
    s.line(chain, darker(metal, 0.35), 2.4)
    s.line(chain, metal, 1.4)
    s.body(smooth((50, 62), (60, 74), (57, 86), (50, 89), (43, 86), (40, 74)), "ball", material="glass")
    s.line(smooth((50, 62), (60, 74), (57, 86), (50, 89), (43, 86), (40, 74)), metal, 1.6)
    s.fill(oval(46, 75, 2.2, 3.4), WHITE, 0.7)
    for x, y in ((33, 51), (67, 51), (27, 40), (73, 40)):
        s.fill(oval(x, y, 2.2), s.accent)


def _earrings(s: Sketch) -> None:
    metal = STEEL if s.material in ("silver", "steel") else GOLD
    for cx in (32, 68):
        s.line(oval(cx, 24, 5, 8, 100, 380), metal, 1.6)
        s.fill(oval(cx, 33, 2.6), metal)
        s.body(
            smooth((cx, 34), (cx + 12, 58), (cx + 8, 74), (cx, 78), (cx - 8, 74), (cx - 12, 58)),
            "ball",
            material="glass",
        )
        s.fill(oval(cx - 4, 54, 2, 4), WHITE, 0.65)
        s.fill(oval(cx, 82, 3.2), s.accent)


def _watch(s: Sketch) -> None:
    s.body(rect(38, 6, 62, 94, 5), "fold")
    for y in (74, 79, 84):
        s.fill(oval(50, y, 1.3), darker(s.main, 0.5))
    metal = GOLD if s.material == "gold" else STEEL
    s.body(oval(50, 46, 25, 25), "side", color=metal, material="metal")
    s.fill(rect(74, 43, 79, 49, 1), darker(metal, 0.2))
    s.fill(oval(50, 46, 20.5), lighter(s.accent, 0.75) if sum(s.accent) > 200 else s.accent)
    for i in range(12):
        tick = turned([(50, 28), (50, 31)], 30 * i, 50, 46)
        s.line(tick, BLACK if sum(s.accent) > 200 else WHITE, 1.0)
    hand = BLACK if sum(s.accent) > 200 else WHITE
    s.line([(50, 46), (40, 40)], hand, 1.9)
    s.line([(50, 46), (59, 34)], hand, 1.4)
    s.fill(oval(50, 46, 1.7), (220, 60, 40))


def _sunglasses(s: Sketch) -> None:
    s.floor(50, 68, 44, 5, 0.22)
    for side in (-1, 1):
        s.line([(50 + 40 * side, 41), (50 + 45 * side, 46), (50 + 44 * side, 62)], darker(s.main, 0.3), 2.6)
        lens = [(4, 40), (20, 36), (39, 38), (40, 52), (30, 65), (14, 65), (5, 54)]
        s.body(smooth(*[(50 + x * side, y) for x, y in lens]), "fold", pattern=True)
        inner = [(8, 43), (21, 40), (36, 42), (36, 52), (28, 61), (15, 61), (8, 53)]
        s.fill(smooth(*[(50 + x * side, y) for x, y in inner]), mix(s.accent, BLACK, 0.55))
        s.fill(
            [(50 + 22 * side - 8, 42), (50 + 22 * side - 2, 42), (50 + 22 * side - 10, 58), (50 + 22 * side - 14, 55)],
            WHITE,
            0.28,
        )
    s.line(oval(50, 46, 6, 5, 180, 360), s.main, 3)


DRAWINGS = {
    "bag": _bag,
    "tote": _tote,
    "crossbody": _crossbody,
    "backpack": _backpack,
    "wallet": _wallet,
    "suitcase": _suitcase,
    "umbrella": _umbrella,
    "belt": _belt,
    "tie": _tie,
    "ring": _ring,
    "necklace": _necklace,
    "earrings": _earrings,
    "watch": _watch,
    "sunglasses": _sunglasses,
    "glasses": _sunglasses,
}
