"""Other ways to act: answers as text, cards by number, one flat list of actions. Ours.

Each wraps either environment; observations, rewards, seeds and options pass through.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.decision import POINT_SCALE, Decision, parse, to_json
from shopsim.envs.spaces import RawAction

Observation = dict[str, Any]
Info = dict[str, Any]
Transition = tuple[Observation, float, bool, bool, Info]

_PER_COLUMN = 2 + (layout.VIEWPORT - 2 - layout.MARGIN) // (
    min(layout.PICTURE_HEIGHTS) + layout.CARD_TEXT + layout.MARGIN
)
N_SLOTS = 2 * _PER_COLUMN
"""Most cards that can show at once (8): in each column whole ones of the least height, and a sliver of two more."""

POINTING = (Action.CLICK, Action.ENTER_DETAIL)
NOWHERE = (0.5, layout.STATUS_HEIGHT / 2 / layout.HEIGHT)
"""A point where nothing reacts: the status bar."""


class AnswerSpace(spaces.Text):
    """Any text; samples are answers in the wire format of `shopsim.envs.decision`."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length=2**20, min_length=0, seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A canonical answer: a random action at a random point. Masks do not exist for text."""
        if mask is not None or probability is not None:
            raise ValueError("an AnswerSpace samples without masks and probabilities")
        action = Action(int(self.np_random.integers(len(Action))))
        x, y = self.np_random.integers(POINT_SCALE + 1, size=2).tolist()
        return to_json(Decision(action, (x / POINT_SCALE, y / POINT_SCALE) if action in POINTING else None))

    def contains(self, x: Any) -> bool:
        """Whether this is a text; an answer that cannot be read is still an answer."""
        return isinstance(x, str)

    def __repr__(self) -> str:
        return "AnswerSpace()"


class TextActions(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Takes a model's answer as it is: the JSON of `shopsim.envs.decision`.

    An answer that cannot be read costs a step, as `unparsed`. After each step ``info["decision"]`` is the `Decision`
    and ``info["parse_failure"]`` the name of the failure, or None.
    """

    def __init__(self, env: gym.Env[Observation, RawAction]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.action_space = AnswerSpace()

    def step(self, action: str) -> Transition:
        """Parses an answer and does what it says.

        Raises:
            ValueError: This is no text.
        """
        if not isinstance(action, str):
            raise ValueError(f"{action!r} is no answer; it must be text")
        decision = parse(action)
        observation, reward, terminated, truncated, info = self.env.step(decision.env_action())
        info["decision"] = decision
        info["parse_failure"] = str(decision.failure) if decision.failure else None
        return observation, float(reward), terminated, truncated, info


class _CardActions(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Points at cards by their number on the screen, in feed order."""

    def __init__(self, env: gym.Env[Observation, RawAction]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._info: Info = {}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Starts a session."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._look(info)
        return observation, info

    def _do(self, action: Action, slot: int | None) -> Transition:
        observation, reward, terminated, truncated, info = self.env.step(self._core(action, slot))
        self._look(info)
        return observation, float(reward), terminated, truncated, info

    def _core(self, action: Action, slot: int | None) -> RawAction:
        """The core environment's action on the card of a number."""
        if slot is None or action not in POINTING:
            return {"action": int(action)}
        items = self._info["items"]
        left, top, right, bottom = items[slot].box if slot < len(items) else (*NOWHERE, *NOWHERE)
        return {"action": int(action), "point": ((left + right) / 2, (top + bottom) / 2)}

    def _look(self, info: Info) -> None:
        self._info = info
        if info["page"] != Page.FEED.label:
            # The buttons a click could press have actions of their own.
            info["action_mask"][Action.CLICK] = False


class SlotActions(_CardActions):
    """``MultiDiscrete([8, N_SLOTS])``: the action, and the number of a card on the screen, from 0 in feed order.

    `click`, and `enter_detail` on the feed, go to the middle of that card; a number without a card is ``no_target``.
    Other actions ignore it. Clicks reach cards only: ``info["action_mask"]`` rules them out elsewhere.
    """

    def __init__(self, env: gym.Env[Observation, RawAction]) -> None:
        super().__init__(env)
        self.action_space = spaces.MultiDiscrete([len(Action), N_SLOTS])

    def step(self, action: Any) -> Transition:
        """Does one action on the card of a number."""
        if action not in self.action_space and np.asarray(action) not in self.action_space:
            raise ValueError(f"{action!r} is no action; it must be [0-{len(Action) - 1}, 0-{N_SLOTS - 1}]")
        number, slot = (int(v) for v in action)
        return self._do(Action(number), slot)


class FlatActions(_CardActions):
    """``Discrete(7 + 2 N_SLOTS)`` with a mask, for algorithms that know one list of actions.

    First the actions without a card, in their order: scroll_down, scroll_up, enter_detail (of the open preview), back,
    add_to_cart, purchase, terminate; then click on card 0, 1, ...; then enter_detail on card 0, 1, ...
    ``info["action_mask"]`` is int8, as ``action_space.sample(mask)`` takes it: 1 where the action is valid now, and for
    those with a card, where that card shows.
    """

    MEANINGS: tuple[tuple[Action, int | None], ...] = (
        *((action, None) for action in Action if action is not Action.CLICK),
        *((action, slot) for action in POINTING for slot in range(N_SLOTS)),
    )
    """Action and card of each number."""

    def __init__(self, env: gym.Env[Observation, RawAction]) -> None:
        super().__init__(env)
        self.action_space = spaces.Discrete(len(self.MEANINGS))

    def step(self, action: Any) -> Transition:
        """Does the action of a number."""
        if isinstance(action, bool) or action not in self.action_space:
            raise ValueError(f"{action!r} is no action; it must be a whole number from 0 to {len(self.MEANINGS) - 1}")
        return self._do(*self.MEANINGS[int(action)])

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of the current screen as booleans, under the name that sb3-contrib looks for."""
        return self._mask.astype(np.bool_)

    def _look(self, info: Info) -> None:
        super()._look(info)
        possible, cards, on_feed = info["action_mask"], len(info["items"]), info["page"] == Page.FEED.label
        # On the feed, enter_detail needs a card.
        possible[Action.ENTER_DETAIL] &= not on_feed
        mask = [possible[action] if slot is None else slot < cards for action, slot in self.MEANINGS]
        self._mask = np.array(mask, dtype=np.int8)
        info["action_mask"] = self._mask.copy()
