"""Rewards of one teacher-forced answer (SPEC 6.4).

Shop-R1's rationale term (self-certainty) needs the policy's logits and is therefore the trainer's, not here.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from shopsim.data.similarity import LEVELS, category_similarity
from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page
from shopsim.envs.reward import StepRewardParts
from shopsim.envs.trajectory import Event
from shopsim.errors import InputError


class ItemFacts(Protocol):
    """What the step reward must know of items, by row. `shopsim.data.DataSet` provides it."""

    def labels(self, row: int) -> tuple[int, int, int]:
        """Category codes (l1, l2, l3), -1 where missing."""

    def titles(self, rows: Sequence[int]) -> list[str]:
        """Titles, in the order asked."""


StepReward = Callable[[Event, Event, ItemFacts], StepRewardParts | float]
"""Any reward of one answer: of the answer judged on the recorded screen, the recorded step, and item facts."""


@dataclass(frozen=True, slots=True)
class ShopR1Reward:
    """Shop-R1's reward of one teacher-forced answer (2507.17842, Table 1), in the eight-action space (SPEC 6.4).

    Format pays for an answer that could be read. Type pays where its effect is the recorded one. Where that effect
    points at a card (`click`, and `enter_detail` on the feed), naming a card pays `attribute`, and one close enough
    to the person's pays ``dars * similarity``. Typing has no counterpart here.
    """

    similarity: Literal["category", "rouge_l"] = "category"
    """Of the two cards. ``category`` (ours): (levels shared + [same item]) / 4. ``rouge_l`` (as published, there on
    element names): ROUGE-L of the titles."""
    dars: float = 1000.0
    """The published difficulty-aware scale of the value."""
    threshold: float = 0.75
    """Similarity from which the value pays (published as an example)."""
    format: float = 0.5
    type: float = 0.3
    attribute: float = 0.2

    def __post_init__(self) -> None:
        if self.similarity not in ("category", "rouge_l"):
            raise InputError(f"ShopR1Reward: similarity is {self.similarity!r}; it must be one of category, rouge_l")

    def __call__(self, answer: Event, recorded: Event, items: ItemFacts) -> StepRewardParts:
        """Rewards an answer, judged on the recorded screen, against the recorded step."""
        format_ = self.format if answer.action is not None else 0.0
        type_ = attribute = value = 0.0
        if answer.effect is recorded.effect:
            type_ = self.type
            if recorded.page is Page.FEED and recorded.effect in (Action.CLICK, Action.ENTER_DETAIL):
                attribute = self.attribute
                likeness = self._likeness(answer.item, recorded.item, items)
                value = self.dars * likeness if likeness >= self.threshold else 0.0
        return StepRewardParts(format_, type_, attribute, value, format_ + type_ + attribute + value)

    def _likeness(self, x: int, y: int, items: ItemFacts) -> float:
        if self.similarity == "rouge_l":
            return rouge_l(*items.titles([x, y]))
        shared = category_similarity(items.labels(x), items.labels(y), same_item=x == y) * LEVELS
        return (shared + (x == y)) / (LEVELS + 1)


@dataclass(frozen=True, slots=True)
class CustomerR1Reward:
    """Customer-R1's reward of one teacher-forced answer (2510.07230, section 3.2, as quoted by a reproduction).

    Its table knows clicks on elements, typing and leaving. The mapping is ours: all four item actions are clicks
    there and pay `correct_click`; scrolling and going back stand where it has minor clicks (review, search). Typing
    (2000) and product options (10) have no counterpart here.
    """

    correct_click: float = 1000.0
    minor: float = 1.0
    terminate: float = 1.0
    wrong_click: float = -1.0
    """An item action that is not the person's (0 in the published runs without imitation first)."""
    format: float = 1.0

    def __call__(self, answer: Event, recorded: Event, items: ItemFacts) -> StepRewardParts:
        """Rewards an answer, judged on the recorded screen, against the recorded step."""
        format_ = self.format if answer.action is not None else 0.0
        value = 0.0
        if exact_match(answer, recorded):
            if recorded.effect in ITEM_ACTIONS:
                value = self.correct_click
            else:
                value = self.terminate if recorded.effect is Action.TERMINATE else self.minor
        elif answer.action in ITEM_ACTIONS:
            value = self.wrong_click
        return StepRewardParts(format_, 0.0, 0.0, value, format_ + value)


def exact_match(answer: Event, recorded: Event) -> bool:
    """Whether an answer's effect and target item are the recorded ones (SPEC 4.3)."""
    return answer.effect is recorded.effect and answer.item == recorded.item


def rouge_l(x: str, y: str) -> float:
    """ROUGE-L of two texts: F1 of their longest common subsequence, 0-1, case ignored.

    Over words, and over single characters of Chinese, which writes no spaces. Source: Lin 2004.
    """
    a, b = (re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", text.lower()) for text in (x, y))
    if not a or not b:
        return float(a == b)
    lengths = [0] * (len(b) + 1)
    for word in a:
        diagonal = 0
        for j, other in enumerate(b, start=1):
            diagonal, lengths[j] = lengths[j], diagonal + 1 if word == other else max(lengths[j], lengths[j - 1])
    return 2 * lengths[-1] / (len(a) + len(b))
