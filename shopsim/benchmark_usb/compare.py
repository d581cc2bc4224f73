"""Two agents against each other: only on like runs, paired by session, with a bootstrap over users (SPEC 4.4)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shopsim.benchmark_usb.bootstrap import Array, Estimate, mean_of
from shopsim.benchmark_usb.fidelity import METRICS, Metric, deviation, rate_columns
from shopsim.benchmark_usb.intent import INTENT
from shopsim.benchmark_usb.provenance import differences
from shopsim.benchmark_usb.results import Results
from shopsim.benchmark_usb.summary import SessionScore, bootstrap_of
from shopsim.errors import InputError

ALLOWED = ("commit", "python", "packages")
"""Differences that may be accepted by name; all others make two results unlike."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of both agents on the same sessions."""

    score: str
    """Name of an intent score or reward part (more is better), or of a rate ``off by`` the factor that parts it from
    people's (1 is perfect, less is better)."""
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


def compare(a: Results, b: Results, agent_a: str, agent_b: str, allow: Collection[str] = ()) -> Comparison:
    """Compares two agents, of one run or of two like ones.

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
    code = differences(a.head.provenance, b.head.provenance)
    accepted = tuple(line for line in code if line.startswith(tuple(allow)) and allow)
    unlike = differences(a.head.settings, b.head.settings) + [line for line in code if line not in accepted]
    if unlike:
        raise InputError(f"{a.path} and {b.path} are unlike: {'; '.join(unlike)}")
    pairs = _pairs(a.scores(agent_a), b.scores(agent_b))
    if not pairs:
        raise InputError(f"{a.path} and {b.path}: {agent_a} and {agent_b} have no finished session in common")
    imputed = frozenset(a.head.settings.data.imputed)
    return Comparison(agent_a, agent_b, len(pairs), tuple(_differences(pairs, imputed)), accepted)


Pair = tuple[SessionScore, SessionScore]


def _pairs(a: list[SessionScore], b: list[SessionScore]) -> list[Pair]:
    others = {(s.session_id, s.repetition): s for s in b if s.fault is None}
    mine = [s for s in a if s.fault is None]
    return [(s, others[s.session_id, s.repetition]) for s in mine if (s.session_id, s.repetition) in others]


def _differences(pairs: list[Pair], imputed: frozenset[str]) -> list[Difference]:
    bootstrap = bootstrap_of([x for x, _ in pairs])
    rows = []

    def add(score: str, columns: Array, statistic: Callable[[Array], Array], sign: int) -> None:
        """`columns`: those of a, then as many of b. `sign` is +1 where more is better."""
        half = columns.shape[1] // 2
        values = [bootstrap.estimate(c, statistic).value for c in (columns[:, :half], columns[:, half:])]
        gap = bootstrap.estimate(columns, lambda s: statistic(s[..., half:]) - statistic(s[..., :half]))
        better: Literal["a", "b"] | None = None
        if gap.low is not None and gap.high is not None and (gap.low > 0 or gap.high < 0):
            better = "b" if (gap.low > 0) == (sign > 0) else "a"
        rows.append(Difference(score, values[0], values[1], gap, better))

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
