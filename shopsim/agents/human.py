"""The recorded person as an agent: the ceiling of every score, and the teacher of imitation. Ours."""

from collections.abc import Iterator, Mapping
from typing import Any

from shopsim.data import DataSet
from shopsim.data.records import Step
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.decision import Decision
from shopsim.envs.human import open_shop


class HumanReplay:
    """Does what the person of the session did, at the point where it shows, with the labels the set has.

    It follows the recorded session in a shop of its own, so it needs nothing of the environment but the session's
    name; in an environment with another feed its points hit whatever is there. After the record's end it leaves.

    Args:
        dataset: The data set the environment plays.
    """

    name = "human"

    def __init__(self, dataset: DataSet) -> None:
        self._dataset = dataset

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        row = self._dataset.session_row(info["session_id"])
        self._shop = open_shop(self._dataset, row)
        self._steps: Iterator[Step] = iter(self._dataset.session(row).steps)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        step = next(self._steps, None)
        if step is None:
            return Decision(Action.TERMINATE)
        item = -1 if step.item_id is None else self._dataset.item_row(step.item_id)
        on_card = step.action in (Action.CLICK, Action.ENTER_DETAIL) and self._shop.page is Page.FEED
        point = self._shop.point_of(item) if on_card else None
        self._shop.follow(step.action, item)
        return Decision(step.action, point, step.mind or "", step.episodic, step.preference)

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name}
