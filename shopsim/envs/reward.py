"""Rewards of a whole trajectory against a person's (SPEC 6.3), and the parts that any reward of ours comes in.

Pure arithmetic on trajectories in item rows. Counts and sums are of effects, so a tap that did nothing and a second
click on the same card earn nothing. `shopsim.envs.step_reward` rewards single answers.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.data.similarity import category_similarity
from shopsim.data.vocabulary import ITEM_ACTIONS, Action
from shopsim.envs.trajectory import StopReason, Trajectory
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


class StepRewardParts(NamedTuple):
    """The parts of one teacher-forced answer's reward."""

    format: float
    type: float
    attribute: float
    value: float
    total: float


Reward = Callable[[Trajectory, Trajectory, Labels], RewardParts | float]
"""Any trajectory reward: of the agent's trajectory, the person's of the same session, and category labels."""


class Spread(NamedTuple):
    """How widely people differ from each other: standard deviations over their sessions."""

    counts: Mapping[Action, float]
    """Of each item action's number, more than 0."""
    steps: float
    """Of the number of steps, more than 0."""

    @classmethod
    def of(cls, actions: Sequence[NDArray[np.int8]]) -> "Spread":
        """That of sessions, given as the actions of their steps; 1 where they do not differ."""
        counts = {a: float(np.std([np.count_nonzero(session == a) for session in actions])) for a in ITEM_ACTIONS}
        return cls({a: value or 1.0 for a, value in counts.items()}, float(np.std([len(s) for s in actions])) or 1.0)


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
    spread: Spread | None = None
    """Measures gaps in place of what this person did: ``|N - N*|`` and ``|T - T*|`` over it, the latter at least 1
    without `terminate`. Ours. A gap relative to an unforeseeable number is smallest, on average, below that number's
    mean; one by a fixed measure is not, if nothing clips it (`shopsim.trainers.contrast`)."""

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
        length = -self.length_weight * self._length_gap(agent, human)
        # Adding 0.0 turns -0.0 into 0.0.
        total = self.macro_weight * macro + self.lam * micro + format_ + length
        return RewardParts(macro + 0.0, micro, format_ + 0.0, length + 0.0, total + 0.0)

    def _macro_gap(self, did: Sequence[tuple[Action, int]], meant: Sequence[tuple[Action, int]]) -> float:
        gap = 0.0
        done, recorded = [action for action, _ in did], [action for action, _ in meant]
        for action in ITEM_ACTIONS:
            n, wanted = done.count(action), recorded.count(action)
            g = abs(n - wanted) / (self.spread.counts[action] if self.spread else max(1, wanted))
            gap += {"clipped": min(1.0, g), "unclipped": g, "squared": g * g}[self.macro]
        return gap / len(ITEM_ACTIONS)

    def _length_gap(self, agent: Trajectory, human: Trajectory) -> float:
        left, gap = agent.stop_reason is StopReason.TERMINATE, abs(len(agent) - len(human))
        if self.spread:
            return gap / self.spread.steps if left else max(1.0, gap / self.spread.steps)
        return min(1.0, gap / max(1, len(human))) if left else 1.0

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
