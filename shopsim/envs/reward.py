"""Rewards: of a whole trajectory against a person's (SPEC 6.3), and of one teacher-forced answer (SPEC 6.4).

Pure arithmetic on trajectories in item rows. Counts and sums are of effects, so a tap that did nothing and a second
click on the same card earn nothing. Shop-R1's rationale term (self-certainty) needs the policy's logits and is
therefore the trainer's, not here.
"""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from shopsim.data.similarity import LEVELS, category_similarity
from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page
from shopsim.envs.trajectory import Event, StopReason, Trajectory
from shopsim.errors import InputError

Labels = Callable[[int], Sequence[Hashable | None]]
"""Category labels (l1, l2, l3) of an item row; None or a negative code where one is missing."""

INTENT_WEIGHTS: Mapping[Action, float] = {
    Action.CLICK: 1.0,
    Action.ENTER_DETAIL: 1.5,
    Action.ADD_TO_CART: 2.0,
    Action.PURCHASE: 4.0,
}
"""How much intent an item action shows (ours; RecVerse gives the order, buying above clicking, but no numbers)."""


class RewardParts(NamedTuple):
    """The parts of a trajectory's reward; logged one by one."""

    macro: float
    """How far the counts of item actions are from the person's, 0 or less, before its weight."""
    micro: float
    """How well the items fit the person's, before λ."""
    format: float
    """Minus the share of steps that could not be read or executed."""
    length: float
    """Minus the weighted gap in the number of steps, 0 or less."""
    total: float
    """``macro + λ micro + format + length``, macro by its weight."""


Reward = Callable[[Trajectory, Trajectory, Labels], RewardParts | float]
"""Any trajectory reward: of the agent's trajectory, the person's of the same session, and category labels."""


@dataclass(frozen=True, slots=True)
class TrajectoryReward:
    """The trajectory reward of SPEC 6.3: ``R = R_macro + λ R_micro + R_format``.

    RecVerse (2608.20707) gives it in words; the formulas and defaults are ours, where it is silent.
    """

    macro: Literal["clipped", "unclipped", "squared"] = "clipped"
    """What each action's relative gap ``g = |N - N*| / max(1, N*)`` costs: min(1, g), g or g². Clipped, so that one
    wild action cannot drown the rest."""
    micro: Literal["balanced", "sum", "mean"] = "balanced"
    """``balanced``: ``min(Σ w r, Σ w*) / max(Σ w, Σ w*)``, in 0-1, which doing nothing and doing too much both lower.
    ``sum``: ``Σ w r``. ``mean``: ``Σ w r / Σ w``. Balanced and mean are 1 where neither did anything, 0 where one
    did."""
    macro_weight: float = 1.0
    """Weight of macro; 0 for an ablation."""
    lam: float = 1.0
    """λ, the weight of micro."""
    weights: Mapping[Action, float] = field(default_factory=lambda: dict(INTENT_WEIGHTS))
    """w of each item action."""
    length_weight: float = 0.25
    """Weight of ``min(1, |T - T*| / T*)`` on the number of steps, 1 if the session ended without `terminate`. Ours:
    without it nothing in the reward speaks of when a person leaves."""

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("macro", self.macro, ("clipped", "unclipped", "squared")),
            ("micro", self.micro, ("balanced", "sum", "mean")),
        ):
            if value not in choices:
                raise InputError(f"TrajectoryReward: {name} is {value!r}; it must be one of {', '.join(choices)}")
        if set(self.weights) != set(ITEM_ACTIONS) or any(w <= 0 for w in self.weights.values()):
            wanted = ", ".join(action.label for action in ITEM_ACTIONS)
            raise InputError(f"TrajectoryReward: weights must give a positive number for each of {wanted}")

    @classmethod
    def recverse(cls) -> "TrajectoryReward":
        """The published parts only: no length term."""
        return cls(length_weight=0.0)

    def __call__(self, agent: Trajectory, human: Trajectory, labels: Labels) -> RewardParts:
        """Compares an agent's finished trajectory with the person's of the same session."""
        did, meant = agent.pairs(), human.pairs()
        macro = -self._macro_gap(did, meant)
        micro = self._micro(did, meant, labels)
        format_ = -agent.invalid_steps / max(1, len(agent))
        length = -self.length_weight * _length_gap(agent, human)
        # Adding 0.0 turns -0.0 into 0.0.
        total = self.macro_weight * macro + self.lam * micro + format_ + length
        return RewardParts(macro + 0.0, micro, format_ + 0.0, length + 0.0, total + 0.0)

    def _macro_gap(self, did: Sequence[tuple[Action, int]], meant: Sequence[tuple[Action, int]]) -> float:
        gap = 0.0
        done, recorded = [action for action, _ in did], [action for action, _ in meant]
        for action in ITEM_ACTIONS:
            n, wanted = done.count(action), recorded.count(action)
            g = abs(n - wanted) / max(1, wanted)
            gap += {"clipped": min(1.0, g), "unclipped": g, "squared": g * g}[self.macro]
        return gap / len(ITEM_ACTIONS)

    def _micro(self, did: Sequence[tuple[Action, int]], meant: Sequence[tuple[Action, int]], labels: Labels) -> float:
        spent = sum(self.weights[action] for action, _ in did)
        wanted = sum(self.weights[action] for action, _ in meant)
        targets = {item for _, item in meant}
        match = {item: _best_match(item, targets, labels) for item in {item for _, item in did}}
        earned = sum(self.weights[action] * match[item] for action, item in did)
        if self.micro == "sum":
            return earned
        if not spent or not wanted:
            return float(spent == wanted)
        return earned / spent if self.micro == "mean" else min(earned, wanted) / max(spent, wanted)


def _best_match(item: int, targets: set[int], labels: Labels) -> float:
    """``r(x) = max over x* of s(x, x*)``."""
    if item in targets:
        return 1.0
    return max((category_similarity(labels(item), labels(target)) for target in targets), default=0.0)


def _length_gap(agent: Trajectory, human: Trajectory) -> float:
    if agent.stop_reason is not StopReason.TERMINATE:
        return 1.0
    return min(1.0, abs(len(agent) - len(human)) / max(1, len(human)))


class ItemFacts(Protocol):
    """What the step reward must know of items, by row. `shopsim.data.DataSet` provides it."""

    def labels(self, row: int) -> tuple[int, int, int]:
        """Category codes (l1, l2, l3), -1 where missing."""

    def titles(self, rows: Sequence[int]) -> list[str]:
        """Titles, in the order asked."""


class StepRewardParts(NamedTuple):
    """The parts of one answer's reward."""

    format: float
    type: float
    attribute: float
    value: float
    total: float


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
