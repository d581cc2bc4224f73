"""A/B Agent [paper 2601.04554] (SPEC 5).

Faithful: screenshots; a long-term memory searched by text and by picture; a short-term memory of structured records
(interface, what it showed, interest of 1 to 5, action); fatigue after each action, less the higher the interest, taken
from a budget at whose end the agent leaves::

    F = C_a * (phi_max - (i - i_min) * (phi_max - phi_min) / (i_max - i_min))

Not faithful: titles are alike by their words and pictures by their colours, where the paper has embeddings; the history
comes without pictures, so that only what was opened in the session can be found by its looks; C_a, phi and the budget
are ours, since the source does not give them; the eight actions in place of click, next, previous, view, rate and
back; no rating; the words of the prompt are ours.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shopsim.agents.backend import Completion, Prompt
from shopsim.agents.likeness import Look, look, look_likeness, text_likeness
from shopsim.agents.prompted import Did, PromptedAgent, grade
from shopsim.data.vocabulary import ACTION_BY_LABEL, Action, Page
from shopsim.envs.decision import Decision
from shopsim.envs.infos import VisibleItem

COSTS: Mapping[Action | None, float] = {
    Action.SCROLL_DOWN: 1.0,
    Action.SCROLL_UP: 1.0,
    Action.CLICK: 1.0,
    Action.ENTER_DETAIL: 1.0,
    Action.BACK: 0.5,
    Action.ADD_TO_CART: 0.5,
    Action.PURCHASE: 0.5,
    Action.TERMINATE: 0.0,
    None: 1.0,
}
"""C_a; None is an answer that could not be read."""
PHI = (0.5, 1.5)
"""phi_min, phi_max."""
INTEREST = (1, 5)
BUDGET = 16.0
FOUND_BY_TEXT, FOUND_BY_LOOK = 3, 2
"""Most memories in a prompt."""
RECENT = 5
"""Short-term records in a prompt."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An item in long-term memory."""

    title: str
    price: str
    how: str
    """``bought`` or ``clicked`` before the session, ``opened`` in it."""
    interest: int | None = None
    look: Look | None = None


class ABAgent(PromptedAgent):
    """Long-term memory by text and picture, short-term records, fatigue.

    Templates may use ``by_text`` and ``by_look`` (lists of `Memory`), ``recent`` (records: ``step``, ``page``,
    ``view``, ``interest``, ``action``) and ``energy`` (percent).
    """

    label = "ab-agent"
    style = "ab-agent"
    tiers: ClassVar[Mapping[str, Any]] = {**PromptedAgent.tiers, "use_working": False}
    answer: ClassVar[tuple[str, ...]] = ("mind", "interest", "action")

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        super().reset(info, seed)
        past = [(item, "clicked") for item in info["clicks"]] + [(item, "bought") for item in info["purchases"]]
        self.past: dict[str, Memory] = {
            item.item_id: Memory(self.shorten(item.title, self.builder.max_title), f"{item.price:.2f}", how)
            for item, how in past
        }
        """Long-term memory by item."""
        self.recent: deque[dict[str, Any]] = deque(maxlen=RECENT)
        self.budget = BUDGET
        self._interest = 0
        self._cards: dict[str, tuple[VisibleItem, Look]] = {}

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        items, pixels = self._info["items"], self._observation["screenshot"]
        cards = {item.item_id: (item, look(picture(pixels, item))) for item in items}
        self._cards |= cards
        shown = [item.title for item in items] or [self._title()]
        # What is on the screen is no memory.
        others = {id_: memory for id_, memory in self.past.items() if id_ not in cards}
        by_text = _nearest(others, {id_: _most_alike(memory, shown) for id_, memory in others.items()}, FOUND_BY_TEXT)
        looks = [seen for _, seen in cards.values()]
        alike = {
            id_: max((look_likeness(memory.look, seen) for seen in looks), default=0.0)
            for id_, memory in others.items()
            if memory.look is not None
        }
        return {
            "by_text": by_text,
            "by_look": _nearest(others, alike, FOUND_BY_LOOK),
            "recent": list(self.recent),
            "energy": round(100 * max(0.0, self.budget) / BUDGET),
        }

    def weigh(self, completion: Completion) -> Decision | Prompt:
        """See `ModelAgent.weigh`: whoever has no energy left leaves, whatever was answered."""
        weighed = super().weigh(completion)
        if self.budget <= 0 and isinstance(weighed, Decision):
            return replace(weighed, action=Action.TERMINATE, point=None, failure=None)
        return weighed

    def read(self, decision: Decision, answer: Mapping[str, Any]) -> Decision | Prompt:
        """See `PromptedAgent.read`."""
        self._interest = grade(answer.get("interest"), *INTEREST, otherwise=3)
        return decision

    def learn(self, did: Did, info: Mapping[str, Any]) -> None:
        """See `PromptedAgent.learn`."""
        interest, self._interest = self._interest or 3, 0
        shown = [item.title for item in self._info["items"]][:2] or [self._title()]
        view = self.shorten("; ".join(shown), 2 * self.builder.max_title)
        record = {"step": did.step, "page": did.page, "view": view, "interest": interest, "action": did.action}
        self.recent.append(record)
        self.budget -= fatigue(COSTS[None if did.action is None else ACTION_BY_LABEL[did.action]], interest)
        opened = info["open_item"]
        if did.page == Page.FEED.label and opened in self._cards:
            item, seen = self._cards[opened]
            title = self.shorten(item.title, self.builder.max_title)
            self.past[opened] = Memory(title, f"{item.price:.2f}", "opened", interest, seen)
        elif opened in self.past and did.page != Page.FEED.label:
            self.past[opened] = replace(self.past[opened], interest=interest)
        self._cards.clear()

    def snapshot(self) -> dict[str, Any]:
        """See `ModelAgent.snapshot`."""
        opened = {id_: m.interest for id_, m in self.past.items() if m.how == "opened"}
        return super().snapshot() | {"recent": list(self.recent), "opened": opened, "budget": self.budget}

    def _title(self) -> str:
        return self._titles.get(self._info["open_item"] or "", "")


def fatigue(cost: float, interest: int) -> float:
    """What an action takes from the budget: F of the module's formula."""
    low, high = INTEREST
    return cost * (PHI[1] - (interest - low) * (PHI[1] - PHI[0]) / (high - low))


def picture(pixels: NDArray[np.uint8], item: VisibleItem) -> NDArray[np.uint8]:
    """The upper part of a card as far as it shows, as high as it is wide: its picture."""
    height, width, _ = pixels.shape
    left, top, right, bottom = item.box
    x, y, end = round(left * width), round(top * height), round(right * width)
    return pixels[y : max(y + 1, min(round(bottom * height), y + end - x)), x : max(x + 1, end)]


def _most_alike(memory: Memory, titles: list[str]) -> float:
    return max(text_likeness(memory.title, title) for title in titles)


def _nearest(memories: Mapping[str, Memory], likeness: Mapping[str, float], most: int) -> list[Memory]:
    """The memories most alike, those that are not alike at all left out; ties in the order of their ids."""
    best = sorted((-value, id_) for id_, value in likeness.items() if value > 0)[:most]
    return [memories[id_] for _, id_ in best]
