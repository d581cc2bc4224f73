"""Two agents against each other: only on like runs, paired by session, with a bootstrap over users (SPEC 4.4)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shopsim.benchmark_usb.bootstrap import Array, Bootstrap, Estimate, Statistic, mean_of
from shopsim.benchmark_usb.fidelity import METRICS, Metric, deviation, rate_columns
from shopsim.benchmark_usb.intent import INTENT
from shopsim.benchmark_usb.provenance import differences
from shopsim.benchmark_usb.results import Line, Results, StepResults
from shopsim.benchmark_usb.step_scores import STEP_SCORES, StepScore, columns_of
from shopsim.benchmark_usb.summary import SessionScore, bootstrap_of
from shopsim.errors import InputError

ALLOWED = ("commit", "python", "packages")
"""Differences that may be accepted by name; all others make two results unlike."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of both agents on the same sessions."""

    score: str
    """Name of an intent score, reward part or step score (more is better), or of a rate ``off by`` the factor that
    parts it from people's (1 is perfect, less is better)."""
    a: float | None
    b: float | None
    difference: Estimate
    """b - a, with its interval."""
    better: Literal["a", "b"] | None
    """Who is better beyond chance (the 95 % interval leaves 0 out), if anyone."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agent a against agent b."""

    a: str
    b: str
    pairs: int
    """Rollouts in which neither agent's environment faulted."""
    differences: tuple[Difference, ...]
    accepted: tuple[str, ...]
    """Differences between the runs that the caller allowed."""


def compare(
    a: Results | StepResults, b: Results | StepResults, agent_a: str, agent_b: str, allow: Collection[str] = ()
) -> Comparison:
    """Compares two agents, of one run or of two like ones: both free running, or both teacher forced.

    Args:
        a: Run of the first agent.
        b: Run of the second; may be the same.
        agent_a: First agent.
        agent_b: Second agent.
        allow: Which of `ALLOWED` may differ.

    Raises:
        InputError: The runs are unlike (every difference is named), or an agent is not in its run or has not finished.
    """
    for results, agent in ((a, agent_a), (b, agent_b)):
        if agent not in results.finished():
            raise InputError(f"{results.path}: has no finished agent {agent!r}; it has {', '.join(results.finished())}")
    if unknown := set(allow) - set(ALLOWED):
        raise InputError(f"compare: {sorted(unknown)[0]!r} cannot be allowed to differ, only {', '.join(ALLOWED)}")
    if a.FORMAT != b.FORMAT:
        raise InputError(f"{a.path} and {b.path} are unlike: {a.FORMAT} / {b.FORMAT}")
    code = differences(a.head.provenance, b.head.provenance)
    accepted = tuple(line for line in code if line.startswith(tuple(allow)) and allow)
    unlike = differences(a.head.settings, b.head.settings) + [line for line in code if line not in accepted]
    if unlike:
        raise InputError(f"{a.path} and {b.path} are unlike: {'; '.join(unlike)}")
    if isinstance(a, Results) and isinstance(b, Results):
        pairs = _pairs(a.scores(agent_a), b.scores(agent_b))
        found, n = _differences(pairs, frozenset(a.head.settings.data.imputed)), len(pairs)
    else:
        assert isinstance(a, StepResults)
        assert isinstance(b, StepResults)
        step_pairs = _pairs(a.scores(agent_a), b.scores(agent_b))
        found, n = _step_differences(step_pairs), len(step_pairs)
    return Comparison(agent_a, agent_b, n, tuple(found), accepted)


def _pairs(a: list[Line], b: list[Line]) -> list[tuple[Line, Line]]:
    others = {(s.session_id, s.repetition): s for s in b if s.fault is None}
    mine = [s for s in a if s.fault is None]
    pairs = [(s, others[s.session_id, s.repetition]) for s in mine if (s.session_id, s.repetition) in others]
    if not pairs:
        raise InputError("the two agents have no finished session in common")
    return pairs


def _difference(bootstrap: Bootstrap, score: str, columns: Array, statistic: Statistic, sign: int) -> Difference:
    """`columns`: those of a, then as many of b. `sign` is +1 where more is better."""
    half = columns.shape[1] // 2
    values = [bootstrap.estimate(c, statistic).value for c in (columns[:, :half], columns[:, half:])]
    gap = bootstrap.estimate(columns, lambda s: statistic(s[..., half:]) - statistic(s[..., :half]))
    better: Literal["a", "b"] | None = None
    if gap.low is not None and gap.high is not None and (gap.low > 0 or gap.high < 0):
        better = "b" if (gap.low > 0) == (sign > 0) else "a"
    return Difference(score, values[0], values[1], gap, better)


def _step_differences(pairs: list[tuple[StepScore, StepScore]]) -> list[Difference]:
    bootstrap = Bootstrap([x.user_id for x, _ in pairs], [x.session_id for x, _ in pairs])
    columns = np.hstack([columns_of([pair[side] for pair in pairs]) for side in (0, 1)])
    return [_difference(bootstrap, name, columns, statistic, +1) for name, statistic in STEP_SCORES.items()]


def _differences(pairs: list[tuple[SessionScore, SessionScore]], imputed: frozenset[str]) -> list[Difference]:
    bootstrap = bootstrap_of([x for x, _ in pairs])
    rows = []

    def add(score: str, columns: Array, statistic: Statistic, sign: int) -> None:
        rows.append(_difference(bootstrap, score, columns, statistic, sign))

    def per_session(values: list[list[float]], counted: list[bool]) -> Array:
        weight = np.array(counted, dtype=float)
        return np.column_stack([c for v in values for c in (np.array(v, dtype=float) * weight, weight)])

    def rates(metrics: Sequence[Metric]) -> Array:
        return np.hstack(
            [rate_columns(metrics, [p[i].behaviour for p in pairs], [p[i].human for p in pairs]) for i in (0, 1)]
        )

    for metric in METRICS:
        add(f"{metric.name} off by", rates([metric]), deviation, -1)
    add("deviation", rates([m for m in METRICS if not m.inputs & imputed]), deviation, -1)
    for name, field in INTENT.items():
        values = [[getattr(p[side].intent, field) * 100 if p[side].intent else 0.0 for p in pairs] for side in range(2)]
        add(name, per_session(values, [p[0].intent is not None for p in pairs]), mean_of, +1)
    everyone = [True] * len(pairs)
    for part in pairs[0][0].reward:
        values = [[p[side].reward[part] for p in pairs] for side in range(2)]
        add(f"reward {part}", per_session(values, everyone), mean_of, +1)
    return rows
