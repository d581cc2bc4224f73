"""Set-of-marks: numbers on everything that can be tapped, and actions that name a number (Yang et al. 2023). Ours."""

from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from shopsim.data.vocabulary import Action
from shopsim.envs.layout import HEIGHT, WIDTH
from shopsim.envs.spaces import RawAction
from shopsim.envs.wrappers import N_SLOTS, NOWHERE, POINTING, Info, Observation, Transition

N_MARKS = N_SLOTS
"""Most things that can be tapped at once (8): cards on the feed; pages of one item have at most four buttons."""


class Mark(NamedTuple):
    """A number on the screen."""

    number: int
    """From 1, as drawn."""
    kind: str
    """``card``, or the button's: ``back``, ``details``, ``add_to_cart``, ``purchase``."""
    item_id: str | None
    """Of a card; None on a button."""
    box: tuple[float, float, float, float]
    """Left, top, right, bottom of what shows of it, as shares of the screen."""


class SetOfMarks(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Draws a number on every card and button of the screen, and takes actions by number.

    The action space is ``MultiDiscrete([8, N_MARKS], start=[0, 1])``: the action, and the number of its target.
    `click`, and `enter_detail` on the feed, go to the middle of what shows of that target; a number that is not on the
    screen is ``no_target``. Other actions ignore the number. ``info["marks"]`` says what each number is, as `Mark`, in
    their order: cards in feed order, buttons from top to bottom.

    Screenshots in the observations carry the marks; `render` and the text view do not. Without pixels nothing is drawn,
    and the numbers count all the same.
    """

    def __init__(self, env: gym.Env[Observation, RawAction]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.action_space = spaces.MultiDiscrete([len(Action), N_MARKS], start=[0, 1])
        self._marks: tuple[Mark, ...] = ()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Starts a session."""
        return self._marked(*self.env.reset(seed=seed, options=options))

    def step(self, action: Any) -> Transition:
        """Does one action on the target of a number."""
        if action not in self.action_space and np.asarray(action) not in self.action_space:
            raise ValueError(f"{action!r} is no action; it must be [0-{len(Action) - 1}, 1-{N_MARKS}]")
        number, mark = (int(v) for v in action)
        observation, reward, terminated, truncated, info = self.env.step(self._core(Action(number), mark))
        observation, info = self._marked(observation, info)
        return observation, float(reward), terminated, truncated, info

    def _core(self, action: Action, number: int) -> RawAction:
        """The core environment's action on the target of a number."""
        if action not in POINTING:
            return {"action": int(action)}
        x0, y0, x1, y1 = self._marks[number - 1].box if number <= len(self._marks) else (*NOWHERE, *NOWHERE)
        return {"action": int(action), "point": ((x0 + x1) / 2, (y0 + y1) / 2)}

    def _marked(self, observation: Observation, info: Info) -> tuple[Observation, Info]:
        core: Any = self.env.unwrapped
        self._marks = tuple(
            Mark(
                number,
                box.kind,
                core.dataset.item_id(box.item) if box.item >= 0 else None,
                (box.x / WIDTH, box.y / HEIGHT, (box.x + box.w) / WIDTH, (box.y + box.h) / HEIGHT),
            )
            for number, box in enumerate(core.shop.targets(), start=1)
        )
        info["marks"] = self._marks
        if "screenshot" in observation:
            # Here, since it needs Pillow, which an environment without pixels does not load.
            from shopsim.envs.screens.overlay import number_boxes

            observation["screenshot"] = number_boxes(observation["screenshot"], [mark.box for mark in self._marks])
        return observation, info
