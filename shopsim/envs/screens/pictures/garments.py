"""Clothes, lying flat as shops photograph them."""

from collections.abc import Callable

from shopsim.envs.screens.pictures.sketch import Sketch, darker, mirrored, oval, rect, smooth


def _tshirt(s: Sketch) -> None:
    s.body(mirrored([(60, 17), (66, 18), (90, 32), (81, 48), (71, 42), (71.5, 86), (50, 87)]))
    s.fill(oval(50, 17, 10.5, 6.5, 0, 180), darker(s.main, 0.45))
    s.line(oval(50, 17, 11, 7.5, 5, 175), darker(s.main, 0.2), 1.6)
    for side in (-1, 1):
        s.line([(50 + 21 * side, 43), (50 + 18.5 * side, 24)], darker(s.main, 0.25), 0.6)
        s.line([(50 + 38.5 * side, 32.5), (50 + 30 * side, 46.5)], darker(s.main, 0.25), 0.5)


def _dress(s: Sketch) -> None:
    s.body(
        smooth(
            (42, 10),
            (50, 17),
            (58, 10),
            (64, 12),
            (62, 26),
            (60, 42),
            (80, 88),
            (50, 92),
            (20, 88),
            (40, 42),
            (38, 26),
            (36, 12),
        )
    )
    s.fill(rect(39.5, 41, 60.5, 44.5), darker(s.accent, 0.1))


DRAWINGS: dict[str, Callable[[Sketch], None]] = {"tshirt": _tshirt, "dress": _dress}
