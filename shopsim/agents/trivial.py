"""Agents without any idea of shopping. They stand in every table, since published headlines were at their level."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from shopsim.agents.base import session_rng
from shopsim.data import DataSet
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
        name: What results call it; ``always-<action>`` by default.
    """

    def __init__(self, action: Action, name: str | None = None) -> None:
        self.action = action
        self.name = name or f"always-{action.label}"

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        return aimed(self.action, info)

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name, "action": self.action.label}


def most_frequent(dataset: DataSet) -> AlwaysAgent:
    """Always the action that people of the training split do most."""
    rows = dataset.session_rows("train").tolist()
    counts = Counter(action for row in rows for action, _ in dataset.effects(row))
    return AlwaysAgent(max(Action, key=lambda action: counts[action]), "most-frequent")


class CopyLastAgent:
    """Does again what was done last: by the person in a teacher-forced session, else by itself.

    Where nothing was done yet, or the last action had no effect, it scrolls down.
    """

    name = "copy-last"

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        return aimed(ACTION_BY_LABEL[info["effect"] or Action.SCROLL_DOWN.label], info)

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name}


def aimed(action: Action, info: Mapping[str, Any]) -> Decision:
    """An action; where it needs a point, at the first card that shows, or the middle of the screen."""
    if action is Action.CLICK or (action is Action.ENTER_DETAIL and info["page"] == Page.FEED.label):
        return Decision(action, middle(info["items"][0].box) if info["items"] else (0.5, 0.5))
    return Decision(action)
