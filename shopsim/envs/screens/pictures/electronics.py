"""Phones, computers and what plugs into them."""

from shopsim.envs.screens.pictures.sketch import (
    BLACK,
    STEEL,
    WHITE,
    Sketch,
    darker,
    lighter,
    mix,
    oval,
    rect,
    smooth,
)


def _display(s: Sketch, x0: float, y0: float, x1: float, y1: float, r: float = 1) -> None:
    """A lit screen with a picture of hills on it."""
    sky = mix(s.accent, (90, 160, 230), 0.45)
    s.fill(rect(x0, y0, x1, y1, r), sky)
    s.glow(rect(x0, y0, x1, y1, r), "top", alpha=0.45)
    w, h = x1 - x0, y1 - y0
    s.fill(oval(x0 + w * 0.72, y0 + h * 0.3, min(w, h) * 0.1), (255, 236, 170))
    near = [
        (x0, y1),
        (x0, y0 + h * 0.8),
        (x0 + w * 0.36, y0 + h * 0.62),
        (x0 + w * 0.7, y0 + h * 0.84),
        (x1, y0 + h * 0.7),
        (x1, y1),
    ]
    far = [
        (x0, y1),
        (x0, y0 + h * 0.7),
        (x0 + w * 0.3, y0 + h * 0.52),
        (x0 + w * 0.62, y0 + h * 0.7),
        (x1, y0 + h * 0.5),
        (x1, y1),
    ]
    s.fill(far, mix(s.accent, (40, 60, 110), 0.4))
    s.fill(near, mix(s.accent, (20, 30, 60), 0.65))


def _phone(s: Sketch) -> None:
    s.floor(52, 93, 34, 3)
    s.body(rect(18, 8, 58, 92, 8), "fold", material=s.material or "aluminium")
    s.fill(rect(22, 12, 42, 34, 6), darker(s.main, 0.18))
    for x, y in ((28, 18), (36, 18), (28, 27)):
        s.fill(oval(x, y, 4), BLACK)
        s.fill(oval(x - 1, y - 1, 1.4), (110, 130, 170))
    s.fill(oval(36.5, 27, 1.8), (255, 240, 200))
    s.body(rect(44, 12, 82, 94, 7), "flat", color=darker(s.main, 0.35))
    _display(s, 46, 14, 80, 92, 5)
    s.fill(rect(57, 16, 69, 19.5, 2), BLACK)


def _phone_case(s: Sketch) -> None:
    s.body(rect(28, 5, 72, 95, 9), "fold")
    s.fill(rect(32, 9, 52, 32, 6), darker(s.main, 0.55))
    for x, y in ((38, 15), (46, 15), (38, 25)):
        s.fill(oval(x, y, 3.6), BLACK)
    inner = rect(30.5, 7.5, 69.5, 92.5, 7)
    s.line([*inner, inner[0]], s.accent, 0.9)


def _laptop(s: Sketch) -> None:
    s.floor(50, 80, 48, 5)
    s.body(rect(18, 20, 82, 66, 3), "flat", color=darker(s.main, 0.15), material="aluminium")
    s.fill(rect(20, 22, 80, 64, 1.5), BLACK)
    _display(s, 22, 24, 78, 62)
    s.body([(18, 66), (82, 66), (95, 77), (93, 80), (7, 80), (5, 77)], "flat", material=s.material or "aluminium")
    s.fill([(22, 67.5), (78, 67.5), (83, 72), (17, 72)], darker(s.main, 0.55))
    s.fill([(41, 73), (59, 73), (60.5, 76), (39.5, 76)], darker(s.main, 0.18))


def _tablet(s: Sketch) -> None:
    s.floor(50, 92, 36, 4)
    s.body(rect(18, 9, 82, 91, 6), "flat", material=s.material or "aluminium")
    s.fill(rect(20, 11, 80, 89, 5), BLACK)
    _display(s, 24, 16, 76, 84)
    s.line([(88, 20), (88, 78), (86.5, 84)], lighter(s.accent, 0.3), 3)


def _monitor(s: Sketch) -> None:
    s.floor(50, 87, 36, 4)
    s.body([(44, 66), (56, 66), (58, 82), (42, 82)], "side", material="metal")
    s.body(rect(30, 81, 70, 86, 2), "flat", material="metal")
    s.body(rect(6, 16, 94, 70, 3), "flat")
    _display(s, 9, 19, 91, 65)


def _tv(s: Sketch) -> None:
    s.floor(50, 84, 46, 4)
    for side in (-1, 1):
        s.line([(50 + 24 * side, 74), (50 + 32 * side, 82)], darker(STEEL, 0.5), 2.4)
    s.body(rect(3, 18, 97, 75, 2), "flat", color=mix(s.main, BLACK, 0.4))
    _display(s, 5, 20, 95, 72)


def _keyboard(s: Sketch) -> None:
    s.floor(50, 72, 48, 5)
    s.body(rect(4, 32, 96, 70, 5), "fold", material=s.material or "plastic")
    for row in range(4):
        y, shift = 36 + 8 * row, (0, 2, 3, 0)[row]
        count = 12 if row < 3 else 0
        for i in range(count):
            x = 8 + shift + 6.7 * i
            s.fill(
                rect(x, y, x + 5.6, y + 6.4, 1.2),
                s.accent if i == 0 and row == 0 else lighter(s.main, 0.35 if sum(s.main) < 420 else 0.75),
            )
    y = 60
    for x0, x1 in ((8, 15), (16, 24), (25, 66), (67, 76), (77, 91)):
        s.fill(rect(x0, y, x1, y + 6.4, 1.2), lighter(s.main, 0.35 if sum(s.main) < 420 else 0.75))


def _mouse(s: Sketch) -> None:
    s.floor(50, 88, 30, 5)
    s.body(
        smooth((50, 12), (68, 20), (75, 48), (70, 80), (50, 90), (30, 80), (25, 48), (32, 20)),
        "ball",
        material="plastic",
    )
    s.line(smooth((26, 46), (50, 52), (74, 46), closed=False), darker(s.main, 0.4), 0.9)
    s.line([(50, 13), (50, 51)], darker(s.main, 0.4), 0.9)
    s.fill(rect(46.5, 24, 53.5, 40, 3.5), s.accent)
    for y in range(27, 39, 3):
        s.line([(47.5, y), (52.5, y)], darker(s.accent, 0.4), 0.7)


def _printer(s: Sketch) -> None:
    s.floor(50, 86, 46, 5)
    s.body([(30, 14), (70, 14), (72, 40), (28, 40)], "flat", color=WHITE)
    s.body(rect(10, 36, 90, 80, 6), "fold", material="plastic")
    s.fill(rect(22, 56, 78, 62, 2), darker(s.main, 0.6))
    s.body([(26, 60), (74, 60), (80, 88), (20, 88)], "flat", color=WHITE)
    for y, half in ((68, 18), (74, 20), (80, 16)):
        s.line([(50 - half, y), (50 + half, y)], (190, 190, 200), 1.2)
    s.fill(rect(70, 42, 84, 50, 1.5), darker(s.accent, 0.1))


def _router(s: Sketch) -> None:
    s.floor(50, 78, 44, 5)
    for x in (20, 40, 60, 80):
        s.line([(x, 58), (x, 16)], darker(s.main, 0.35), 3.4)
    s.body(rect(8, 54, 92, 76, 7), "fold", material="plastic")
    for i in range(6):
        s.fill(oval(22 + 7 * i, 65, 1.5), (90, 220, 130) if i < 4 else s.accent)


def _charger(s: Sketch) -> None:
    s.floor(42, 76, 28, 4)
    for x in (34, 46):
        s.fill(rect(x - 1.8, 12, x + 1.8, 30, 1), STEEL)
    s.body(rect(20, 28, 60, 74, 8), "fold", material="plastic")
    s.fill(rect(34, 62, 46, 67, 2), darker(s.main, 0.6))
    s.line(smooth((40, 68), (40, 86), (62, 90), (78, 76), (80, 48), closed=False), s.accent, 2.8)
    s.body(rect(75.5, 30, 84.5, 48, 2), "flat", color=s.accent)
    s.fill(rect(77.5, 22, 82.5, 30, 1), STEEL)


def _cable(s: Sketch) -> None:
    for r in (30, 25, 20):
        s.line(oval(50, 48, r, r * 0.92), darker(s.main, 0.4), 4.4)
        s.line(oval(50, 48, r, r * 0.92), s.main, 3.2)
    s.line(smooth((70, 64), (78, 76), (84, 82), closed=False), s.main, 3.4)
    s.line(smooth((30, 64), (24, 74), (18, 80), closed=False), s.main, 3.4)
    for x, y in ((86, 86), (15, 84)):
        s.body(rect(x - 6, y - 7, x + 6, y + 4, 2), "flat", color=s.accent)
        s.fill(rect(x - 4, y + 4, x + 4, y + 10), STEEL)
    s.fill(rect(42, 13, 58, 34, 3), s.accent)


def _powerbank(s: Sketch) -> None:
    s.floor(50, 90, 30, 4)
    s.body(rect(26, 10, 74, 90, 9), "fold", material=s.material or "aluminium")
    s.fill(rect(36, 13, 46, 17, 1), BLACK)
    s.fill(rect(54, 13, 64, 17, 1), BLACK)
    for i in range(4):
        s.fill(oval(41 + 6 * i, 80, 1.8), (120, 230, 150) if i < 3 else darker(s.main, 0.3))
    s.fill([(53, 36), (42, 54), (49, 54), (46, 68), (58, 48), (51, 48)], s.accent)


def _usb_stick(s: Sketch) -> None:
    s.floor(50, 70, 42, 4)
    s.body(rect(66, 40, 92, 60), "flat", color=STEEL, material="metal")
    for y in (44, 53):
        s.fill(rect(74, y, 80, y + 4), darker(STEEL, 0.6))
    s.body(rect(10, 34, 68, 66, 8), "fold", material=s.material or "plastic")
    s.fill(oval(20, 50, 4), darker(s.main, 0.5))
    s.fill(rect(32, 44, 58, 56, 3), s.accent)


DRAWINGS = {
    "phone": _phone,
    "phone_case": _phone_case,
    "laptop": _laptop,
    "tablet": _tablet,
    "monitor": _monitor,
    "tv": _tv,
    "keyboard": _keyboard,
    "mouse": _mouse,
    "printer": _printer,
    "router": _router,
    "charger": _charger,
    "cable": _cable,
    "powerbank": _powerbank,
    "usb_stick": _usb_stick,
}
