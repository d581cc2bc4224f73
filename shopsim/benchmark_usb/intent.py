"""Intent consistency: does an agent go for the same things as the person in the same session (SPEC 4.2).

HR, P, R, F1, CP, CR and HCO are RecVerse's names (arXiv 2608.20707); the formulas are ours. Intent is never shown
without fidelity beside it: touching everything inflates HR, R and CR, hence `overacting`.
"""

from collections.abc import Callable, Collection, Hashable, Sequence, Set
from dataclasses import dataclass

import numpy as np

from shopsim.benchmark_usb.bootstrap import Array, Bootstrap, Estimate, mean_of
from shopsim.benchmark_usb.fidelity import Fidelity
from shopsim.data.similarity import category_similarity

Labels = Callable[[int], Sequence[int]]
"""Category codes (l1, l2, l3) of an item row, negative where missing: `DataSet.labels`."""

BOUNDS = (0.5, 2.0)
"""Ratios to people outside these flag a row (SPEC 4.2)."""


@dataclass(frozen=True, slots=True)
class IntentScore:
    """How the items an agent interacted with (X) match the person's (X*) in one session; all in 0-1."""

    hit: float
    precision: float
    recall: float
    f1: float
    category_precision: float
    category_recall: float
    overlap: float
    """HCO, hierarchical category overlap."""


INTENT: dict[str, str] = {
    "HR": "hit",
    "P": "precision",
    "R": "recall",
    "F1": "f1",
    "CP": "category_precision",
    "CR": "category_recall",
    "HCO": "overlap",
}
"""Published name of each field of `IntentScore`."""


def intent_score(agent: Collection[int], human: Collection[int], labels: Labels) -> IntentScore:
    """Scores one session.

    Args:
        agent: X, item rows; empty scores 0 throughout.
        human: X*, item rows, not empty.
        labels: Category codes of an item.
    """
    x, y = set(agent), set(human)
    precision, recall = _precision_recall(x, y)
    category_precision, category_recall = _precision_recall(_categories(x, labels), _categories(y, labels))
    return IntentScore(
        hit=float(bool(x & y)),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        category_precision=category_precision,
        category_recall=category_recall,
        overlap=_overlap(x, y, labels),
    )


def _precision_recall(x: Set[Hashable], y: Set[Hashable]) -> tuple[float, float]:
    both = len(x & y)
    return both / len(x) if x else 0.0, both / len(y)


def _categories(items: set[int], labels: Labels) -> set[Hashable]:
    """L3 labels; an item without one is its own label."""
    codes = {item: labels(item)[2] for item in items}
    return {code if code >= 0 else ("item", item) for item, code in codes.items()}


def _overlap(x: set[int], y: set[int], labels: Labels) -> float:
    if not x:
        return 0.0
    # Sorted, so that the order of summation, and with it the last digit, does not depend on set order.
    xs, ys = sorted(x), sorted(y)
    of = {item: labels(item) for item in x | y}
    s = [[category_similarity(of[a], of[b], a == b) for b in ys] for a in xs]
    forth = sum(max(row) for row in s) / len(xs)
    back: float = sum(max(column) for column in zip(*s, strict=True)) / len(ys)
    return 0.5 * (forth + back)


@dataclass(frozen=True, slots=True)
class Intent:
    """Intent consistency of one agent, percent."""

    sessions: int
    """Rollouts of sessions with X* not empty: what the scores are averaged over."""
    scores: dict[str, Estimate]
    """By published name, see `INTENT`."""
    quiet_sessions: int
    """Rollouts of sessions in which the person touched nothing."""
    false_activity: Estimate
    """Percent of the quiet sessions in which the agent touched something."""


def intent(scores: Sequence[IntentScore | None], active: Sequence[bool], bootstrap: Bootstrap) -> Intent:
    """Averages over a run.

    Args:
        scores: Of each rollout, None where X* is empty; faulted rollouts left out.
        active: Whether the agent touched any item in that rollout.
        bootstrap: Of the same rollouts.
    """
    counted = np.array([score is not None for score in scores], dtype=np.float64)

    def average(values: Sequence[float], weight: Array) -> Estimate:
        return bootstrap.estimate(np.column_stack([100 * np.array(values) * weight, weight]), mean_of)

    return Intent(
        sessions=int(counted.sum()),
        scores={
            name: average([getattr(score, field) if score else 0.0 for score in scores], counted)
            for name, field in INTENT.items()
        },
        quiet_sessions=int((1 - counted).sum()),
        false_activity=average([float(a) for a in active], 1 - counted),
    )


def overacting(scores: Fidelity) -> tuple[str, ...]:
    """Which of ACR, CVR and IPVR are beyond `BOUNDS` times the people's: intent of such a row is not to be trusted."""
    ratios = {name: scores.rates[name].ratio.value for name in ("ACR", "CVR", "IPVR") if name not in scores.left_out}
    return tuple(name for name, r in ratios.items() if r is not None and not BOUNDS[0] <= r <= BOUNDS[1])
