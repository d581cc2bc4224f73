"""The spaces of the environments, and the reading of actions. Ours."""

import math
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium import spaces

from shopsim.data.vocabulary import ACTION_LABELS, Action, Page

UNLIMITED = 2**31 - 1
"""Size of the counting spaces where there is no step limit."""

_ACTIONS = tuple(Action)
_WHOLE = frozenset({int, np.int64, np.int32})
_FLOAT32 = np.dtype(np.float32)

RawAction = Mapping[str, Any] | None
"""An action as the core environment takes it: ``{"action": 0-7, "point": (x, y)}``, or None for an unread answer."""


def action_space() -> spaces.Dict:
    """One of the eight actions, and a point that `click` and, on the feed, `enter_detail` use."""
    return spaces.Dict(
        {"action": spaces.Discrete(len(Action)), "point": spaces.Box(0.0, 1.0, (2,), np.float32)},
    )


def observation_space(size: tuple[int, int], max_steps: int | None, n_items: int, pixels: bool) -> spaces.Dict:
    """The screenshot (height, width, 3), the page, the number of items in the cart, and the number of steps taken."""
    steps = UNLIMITED if max_steps is None else max_steps + 1
    parts: dict[str, spaces.Space[Any]] = {
        "page": spaces.Discrete(len(Page)),
        "cart": spaces.Discrete(min(steps, n_items + 1)),
        "step": spaces.Discrete(steps),
    }
    if pixels:
        width, height = size
        parts["screenshot"] = _screens((height, width, 3))
    return spaces.Dict(parts)


def _screens(shape: tuple[int, ...]) -> spaces.Box:
    """The same as ``Box(0, 255, shape, uint8)`` without its four arrays of bounds, 2.3 MB for each environment.

    They are those of a single pixel, seen at the shape of a screen.
    """
    space = spaces.Box(0, 255, (1,) * len(shape), np.uint8)
    for bounds in ("low", "high", "bounded_below", "bounded_above"):
        setattr(space, bounds, np.broadcast_to(getattr(space, bounds), shape))
    space._shape = shape
    return space


def read_action(action: RawAction) -> tuple[Action | None, tuple[float, float] | None]:
    """An action and its point as the shop takes them.

    A point that is not finite becomes None, which the shop calls off the screen; one outside 0-1 is left to it.

    Raises:
        ValueError: This is no action; the message says what is wrong and what would be right.
    """
    if action is None:
        return None, None
    if type(action) is dict and len(action) == 2:  # the usual case: a sample of the action space
        number: Any = action.get("action")
        point: Any = action.get("point")
        whole = type(number) in _WHOLE and 0 <= number < len(_ACTIONS)
        if whole and type(point) is np.ndarray and point.shape == (2,) and point.dtype is _FLOAT32:
            x, y = point.tolist()
            if 0.0 <= x <= 1.0 and 0.0 <= y <= 1.0:
                return _ACTIONS[number], (x, y)
    return _read_any(action)


def _read_any(action: object) -> tuple[Action, tuple[float, float] | None]:
    right = 'an action is {"action": 0-7, "point": (x, y)} or None'
    if not isinstance(action, Mapping) or "action" not in action:
        raise ValueError(f"{action!r} is no action: {right}")
    number = action["action"]
    if isinstance(number, np.ndarray) and number.ndim == 0:
        number = number[()]
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise ValueError(f"action is {number!r}, a {type(number).__name__}; it must be a whole number from 0 to 7")
    if not 0 <= int(number) < len(Action):
        names = ", ".join(f"{i} {label}" for i, label in enumerate(ACTION_LABELS))
        raise ValueError(f"action is {int(number)}; it must be one of {names}")
    if unknown := sorted(map(str, action.keys() - {"action", "point"})):
        raise ValueError(f"an action has no {', '.join(unknown)}: {right}")
    return Action(int(number)), _read_point(action.get("point"))


def _read_point(point: object) -> tuple[float, float] | None:
    if point is None:
        return None
    try:
        numbers = np.asarray(point, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (2,):
        raise ValueError(f"point is {point!r}; it must be two numbers (x, y), shares of the screen from 0 to 1")
    x, y = numbers.tolist()
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None
