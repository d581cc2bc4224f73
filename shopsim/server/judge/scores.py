"""What a study says: win rates, how often an agent was taken for the person, how much raters agree. Ours.

A tie counts half. Intervals resample raters and pairs, each with all that belongs to them (the pigeonhole bootstrap
of Owen, 2007): judgements of one rater are not independent, nor are those of one pair. Agreement is Krippendorff's
alpha for nominal values (Krippendorff, Content Analysis).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.bootstrap import LEVEL, Estimate
from shopsim.server.judge.drawing import LEFT, RIGHT, SAME

PASSING = 2 / 3
"""Share of the attention checks that a rater must get right to count."""
_SAMPLES = 2000

Judged = Mapping[str, Any]
"""A row of `Studies.judged`."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two sources against each other."""

    one: str
    two: str
    people: tuple[bool, bool]
    """Whether each is people."""
    wins: tuple[int, int]
    ties: int
    rate: Estimate
    """Share of judgements that `one` won, ties half; without an interval from a single rater and pair."""

    @property
    def n(self) -> int:
        """Judgements."""
        return sum(self.wins) + self.ties

    @property
    def fooled(self) -> tuple[str, Estimate] | None:
        """The agent, and how often it was taken for the person; None where not exactly one of the two is people."""
        if self.people == (True, False):
            rate = self.rate
            return self.two, Estimate(_other(rate.value), _other(rate.high), _other(rate.low))
        return (self.one, self.rate) if self.people == (False, True) else None


@dataclass(frozen=True, slots=True)
class Scores:
    """A study's results."""

    duels: tuple[Duel, ...]
    alpha: float | None
    """Krippendorff's, over raters that count; None where no two judged the same pair, or all answers are alike."""
    left: Estimate
    """Share of the left among answers that chose a side; 0.5 without a habit."""
    judgements: int
    """Of raters that count, attention checks left out."""
    inattentive: tuple[int, ...]
    """Raters that failed their checks and do not count."""


def score(sources: Sequence[Mapping[str, Any]], judged: Sequence[Judged], seed: int = 0) -> Scores:
    """Scores a study.

    Args:
        sources: Title and whether it is people, by number.
        judged: Every answer.
        seed: Of the resampling.
    """
    inattentive = inattentive_raters(judged)
    kept = [row for row in judged if row["wanted"] is None and row["rater"] not in inattentive]
    duels = []
    for one, two in combinations(range(len(sources)), 2):
        rows = [row for row in kept if {row["left"], row["right"]} == {one, two}]
        for_one = np.array([_share(row, one) for row in rows])
        people = bool(sources[one]["people"]), bool(sources[two]["people"])
        wins = int((for_one == 1).sum()), int((for_one == 0).sum())
        rate = mean_with_interval(for_one, [r["rater"] for r in rows], [r["twin"] for r in rows], seed)
        titles = str(sources[one]["title"]), str(sources[two]["title"])
        duels.append(Duel(*titles, people, wins, len(rows) - sum(wins), rate))
    sided = [row for row in kept if row["choice"] != SAME]
    lefts = np.array([float(row["choice"] == LEFT) for row in sided])
    left = mean_with_interval(lefts, [r["rater"] for r in sided], [r["twin"] for r in sided], seed)
    return Scores(tuple(duels), agreement(kept), left, len(kept), inattentive)


def inattentive_raters(judged: Sequence[Judged]) -> tuple[int, ...]:
    """Raters that got less than `PASSING` of the attention checks they answered right."""
    found = []
    for rater in dict.fromkeys(row["rater"] for row in judged):
        checks = [row["choice"] == row["wanted"] for row in judged if row["rater"] == rater and row["wanted"]]
        if checks and np.mean(checks) < PASSING:
            found.append(int(rater))
    return tuple(found)


def agreement(judged: Sequence[Judged]) -> float | None:
    """Krippendorff's alpha of which source each pair's answers chose, whichever side that was on."""
    import krippendorff

    raters = {rater: i for i, rater in enumerate(dict.fromkeys(row["rater"] for row in judged))}
    twins = {twin: i for i, twin in enumerate(dict.fromkeys(row["twin"] for row in judged))}
    answers: NDArray[np.float64] = np.full((len(raters), len(twins)), np.nan)
    for row in judged:
        answers[raters[row["rater"]], twins[row["twin"]]] = _share(row, min(row["left"], row["right"]))
    shared = answers[:, (~np.isnan(answers)).sum(axis=0) > 1]
    if shared.size == 0 or len(np.unique(shared[~np.isnan(shared)])) < 2:
        return None
    return float(krippendorff.alpha(reliability_data=shared, level_of_measurement="nominal"))


def mean_with_interval(
    values: NDArray[np.float64], raters: Sequence[int], pairs: Sequence[int], seed: int = 0
) -> Estimate:
    """A mean with its 95 % interval over raters and pairs.

    Args:
        values: Shape (n,).
        raters: Who gave each.
        pairs: What each is about.
        seed: Of the resampling.
    """
    if not len(values):
        return Estimate(None)
    rng = np.random.default_rng(seed)
    weights = np.ones((_SAMPLES, len(values)))
    for groups in (raters, pairs):
        names, place = np.unique(np.asarray(groups), return_inverse=True)
        weights *= rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=_SAMPLES)[:, place]
    total = weights.sum(axis=1)
    means = (weights @ values)[total > 0] / total[total > 0]
    if len(set(raters)) * len(set(pairs)) < 2:
        return Estimate(float(values.mean()))
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(float(values.mean()), float(low), float(high))


def _share(row: Judged, source: int) -> float:
    """1 where a source was chosen, 0 where the other was, one half for a tie."""
    if row["choice"] == SAME:
        return 0.5
    return float(row[LEFT if row["choice"] == LEFT else RIGHT] == source)


def _other(share: float | None) -> float | None:
    return None if share is None else 1 - share
