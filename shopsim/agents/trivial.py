"""Agents without any idea of shopping. They stand in every table, since published headlines were at their level."""

from collections.abc import Mapping
from typing import Any

from shopsim.agents.base import session_rng
from shopsim.data.vocabulary import ACTION_BY_LABEL, Action, Page
from shopsim.envs.decision import Decision
from shopsim.envs.layout import BUTTONS

Point = tuple[float, float]


def middle(box: tuple[float, float, float, float]) -> Point:
    """The middle of a box given by left, top, right, bottom."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


class RandomAgent:
    """Draws uniformly from the actions that can have an effect, and their targets from what shows."""

    name = "random"

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        self._rng = session_rng(info, seed)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        action = Action(int(self._rng.choice([a for a in Action if info["action_mask"][a]])))
        if action not in (Action.CLICK, Action.ENTER_DETAIL):
            return Decision(action)
        if info["items"]:
            left, top, right, bottom = info["items"][self._rng.integers(len(info["items"]))].box
            x, y = self._rng.uniform(0.1, 0.9, 2).tolist()
            return Decision(action, (left + x * (right - left), top + y * (bottom - top)))
        if action is Action.ENTER_DETAIL:
            return Decision(action)
        return Decision(action, self._button(info))

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name}

    def _button(self, info: Mapping[str, Any]) -> Point:
        does = ACTION_BY_LABEL | {"details": Action.ENTER_DETAIL}
        live = [button for button in BUTTONS[info["page"]] if info["action_mask"][does[button.kind]]]
        return live[self._rng.integers(len(live))].center()


class AlwaysAgent:
    """Gives the same action at each step.

    A click goes to the first card that shows, and to the middle of the screen where there is none; an `enter_detail`
    likewise. Where the action can have no effect it is given all the same.

    Args:
        action: The action.
    """

    def __init__(self, action: Action) -> None:
        self.action = action
        self.name = f"always-{action.label}"

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        if self.action is Action.CLICK or (self.action is Action.ENTER_DETAIL and info["page"] == Page.FEED.label):
            return Decision(self.action, middle(info["items"][0].box) if info["items"] else (0.5, 0.5))
        return Decision(self.action)

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name}
