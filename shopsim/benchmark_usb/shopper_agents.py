"""Ceilings for agents on synthetic sets: the shopper behind a session, shopping again. Ours.

They know what no agent can see, who the person is and what was wanted (`latent`), and shop by the very rules the
set was made with, on the screens of the environment. Their distance to the recorded person is what chance alone
makes of one and the same shopper.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from shopsim.agents.base import session_rng
from shopsim.agents.trivial import middle
from shopsim.benchmark_usb.latent import MODEL, backstage
from shopsim.benchmark_usb.shopping import Shopping, Sight
from shopsim.benchmark_usb.trip import full_height
from shopsim.data import DataSet
from shopsim.data.vocabulary import PAGE_BY_LABEL, Action, Page
from shopsim.envs import layout
from shopsim.envs.decision import Decision
from shopsim.envs.infos import VisibleItem


class SecondDraw:
    """The same shopper in the same session, with fresh chance: as near as people come to themselves.

    Who it is, what is wanted, and the latent patience are the session's; errors of judgement, lapses, the draw on the
    patience and every toss are new.

    Args:
        dataset: A set made by `make_synthetic`; the one the environment plays.

    Raises:
        InputError: The set is not synthetic, or was made by another version.
    """

    name = "second-draw"
    noise = 1.0
    """Factor on errors of judgement, lapses and the draw on the patience."""

    def __init__(self, dataset: DataSet) -> None:
        self._dataset = dataset
        self._behind = backstage(dataset)

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        self.begin(self._dataset.session_row(info["session_id"]), session_rng(info, seed))

    def begin(self, session_row: int, rng: np.random.Generator) -> None:
        """Starts to shop as the person of a session, with this chance."""
        behind = self._behind
        self._shopping = Shopping(
            behind.market.goods, behind.shopper(session_row), behind.intent(session_row), rng, self.noise
        )

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        boxes = {self._dataset.item_row(shown.item_id): shown.box for shown in info["items"] if self._shows(shown)}
        page = PAGE_BY_LABEL[info["page"]]
        item = -1 if info["open_item"] is None else self._dataset.item_row(info["open_item"])
        choice = self._shopping.decide(Sight(page, list(boxes), item, info["action_mask"]))
        on_card = page is Page.FEED and choice.action in (Action.CLICK, Action.ENTER_DETAIL)
        return Decision(choice.action, middle(boxes[choice.item]) if on_card else None)

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name, "model": MODEL}

    def _shows(self, shown: VisibleItem) -> bool:
        """Whether at least half of the card does."""
        height = round((shown.box[3] - shown.box[1]) * layout.HEIGHT)
        return 2 * height >= full_height(self._behind.market.goods, self._dataset.item_row(shown.item_id))


class OwnRule(SecondDraw):
    """The shoppers' own rule, knowing the intent and judging without error: the most that knowing it can give.

    It sees at a glance what an item is worth to this person, opens nothing by a lapse, and stays as long as the
    person's patience typically lasts. The tosses between equals are still chance.
    """

    name = "own-rule"
    noise = 0.0
