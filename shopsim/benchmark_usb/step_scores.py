"""Step scores: at each recorded screen, does an agent answer what the person did next (SPEC 4.3).

Teacher forced, as Shop-R1, Customer-R1, STA and OPeRA score. Types and matches are of effects: what an answer would
have done on the recorded screen, so a tap on the cart button is an `add_to_cart`. The published scores (exact match,
macro and weighted F1) are given under these names; what they leave open is ours: an answer that would do nothing is
no type of its own but a miss of the person's, and the macro mean is over the types that people used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from shopsim.agents.rollout import Rollout
from shopsim.benchmark_usb.bootstrap import Array, Bootstrap, Estimate, mean_of, quotient
from shopsim.benchmark_usb.fidelity import EFFECTS, NOTHING
from shopsim.benchmark_usb.summary import Cost
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_LABELS
from shopsim.envs.step_reward import exact_match
from shopsim.envs.trajectory import Event

_N = len(ACTION_LABELS)


class Answer(NamedTuple):
    """One answer beside the person's step."""

    person: str
    """What the person did."""
    asked: str | None
    """The action asked for; None where the answer could not be read."""
    effect: str | None
    """What it would have done; None where nothing."""
    match: bool
    """Whether effect and target item are the person's."""


def answers_of(answers: Sequence[Event], person: Sequence[Event]) -> tuple[Answer, ...]:
    """The judged answers of a teacher-forced session beside the recorded steps, as many."""
    found = []
    for answer, step in zip(answers, person, strict=True):
        assert step.effect is not None
        found.append(
            Answer(
                step.effect.label,
                None if answer.action is None else answer.action.label,
                None if answer.effect is None else answer.effect.label,
                exact_match(answer, step),
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class StepScore:
    """One recorded session as one agent answered it."""

    agent: str
    session_id: str
    user_id: str
    repetition: int
    seeds: tuple[int, int]
    """Of the environment and of sampling."""
    fault: str | None
    """Why the environment failed; such a session is not scored, and is run again on resuming."""
    answers: tuple[Answer, ...]
    cost: Cost


def step_score(dataset: DataSet, agent: str, rollout: Rollout, seconds: float) -> StepScore:
    """What one teacher-forced rollout says."""
    task = rollout.task
    assert task.session_id is not None
    answers: tuple[Answer, ...] = ()
    if rollout.fault is None and rollout.trajectory is not None:
        answers = answers_of(rollout.answers, rollout.trajectory.events)
    return StepScore(
        agent=agent,
        session_id=task.session_id,
        user_id=dataset.user(dataset.user_row(dataset.session_row(task.session_id))).user_id,
        repetition=task.member,
        seeds=(task.env_seed, task.sampling_seed),
        fault=None if rollout.fault is None else str(rollout.fault),
        answers=answers,
        cost=Cost(rollout.prompt_tokens, rollout.answer_tokens, seconds),
    )


@dataclass(frozen=True, slots=True)
class TypeScore:
    """How one of the person's action types is met."""

    steps: int
    """Steps of this type."""
    precision: Estimate
    """Of the answers with this effect, the share given where the person did this; 0 where there is none."""
    recall: Estimate
    """Of the person's steps of this type, the share answered with it; without a value where there is none."""
    f1: Estimate
    exact: Estimate
    """Of the person's steps of this type, the share answered with it and with its target."""


@dataclass(frozen=True, slots=True)
class StepSummary:
    """Step scores of one agent; shares are 0-1."""

    agent: str
    rollouts: int
    """Sessions scored, repetitions counted; faulted ones come on top."""
    faults: int
    steps: int
    exact_match: Estimate
    """Share of all steps whose effect and target item are the person's."""
    session_exact_match: Estimate
    """Mean over sessions of their share of exact matches ("session-macro"; 2503.20749)."""
    type_accuracy: Estimate
    """Share of all steps whose effect is the person's."""
    macro_f1: Estimate
    """Mean F1 of the types that people used, each counting the same."""
    weighted_f1: Estimate
    """Mean F1 of the types, weighted by how often people used them."""
    nothing_rate: Estimate
    """Share of answers that could not be read or would have done nothing."""
    types: dict[str, TypeScore]
    """By the person's action type."""
    confusion: dict[str, dict[str, int]]
    """By the person's action type, how many of its steps were answered with each of `EFFECTS`."""
    tokens: Estimate
    """Prompt and answer tokens per session."""
    seconds: Estimate
    """Wall time per session."""


def columns_of(scores: Sequence[StepScore]) -> Array:
    """What step scores sum, one row a session.

    Returns:
        Shape (n, 8 · 9 + 8 + 2): steps by the person's type and the answer's effect, exact matches by the person's
        type, the session's share of exact matches, and 1 where the session has any step.
    """
    table = np.zeros((len(scores), _N, _N + 2))
    place = {label: number for number, label in enumerate(EFFECTS)}
    for row, score in zip(table, scores, strict=True):
        for answer in score.answers:
            row[place[answer.person], place[answer.effect or NOTHING]] += 1
            row[place[answer.person], -1] += answer.match
    confusion, exact = table[..., :-1], table[..., -1]
    steps, matches = confusion.sum(axis=(1, 2)), exact.sum(axis=1)
    return np.column_stack([confusion.reshape(len(scores), _N * (_N + 1)), exact, quotient(matches, steps), steps > 0])


def _confusion(sums: Array) -> Array:
    table: Array = sums[..., : _N * (_N + 1)].reshape(*sums.shape[:-1], _N, _N + 1)
    return table


def _exact(sums: Array) -> Array:
    return sums[..., _N * (_N + 1) : -2]


def _hits(sums: Array) -> Array:
    return np.diagonal(_confusion(sums), axis1=-2, axis2=-1)


def _support(sums: Array) -> Array:
    support: Array = _confusion(sums).sum(axis=-1)
    return support


def _answered(sums: Array) -> Array:
    answered: Array = _confusion(sums)[..., :_N].sum(axis=-2)
    return answered


def _share(above: Array, below: Array) -> Array:
    """`above / below`, without a value where there is nothing to share."""
    return mean_of(np.stack([above, below], axis=-1))


def exact_match_rate(sums: Array) -> Array:
    """Share of steps with the person's effect and target."""
    return _share(_exact(sums).sum(axis=-1), _support(sums).sum(axis=-1))


def session_exact_match(sums: Array) -> Array:
    """Mean over sessions of their exact match."""
    return mean_of(sums[..., -2:])


def type_accuracy(sums: Array) -> Array:
    """Share of steps with the person's effect."""
    return _share(_hits(sums).sum(axis=-1), _support(sums).sum(axis=-1))


def _f1(sums: Array) -> Array:
    """Of each type; 0 where it was never met."""
    return quotient(2 * _hits(sums), _support(sums) + _answered(sums))


def macro_f1(sums: Array) -> Array:
    """Mean F1 over the types that people used."""
    used = _support(sums) > 0
    return _share((_f1(sums) * used).sum(axis=-1), used.sum(axis=-1).astype(np.float64))


def weighted_f1(sums: Array) -> Array:
    """Mean F1 weighted by the people's steps of each type."""
    support = _support(sums)
    return _share((_f1(sums) * support).sum(axis=-1), support.sum(axis=-1))


def _nothing_rate(sums: Array) -> Array:
    table = _confusion(sums)
    return _share(table[..., -1].sum(axis=-1), table.sum(axis=(-2, -1)))


def _of_used(part: Callable[[Array], Array], type_: int, sums: Array) -> Array:
    """One type's share of the person's steps; NaN where people did not use it."""
    return _share(part(sums)[..., type_], _support(sums)[..., type_])


def _f1_of_used(type_: int, sums: Array) -> Array:
    result: Array = np.where(_support(sums)[..., type_] == 0, np.nan, _f1(sums)[..., type_])
    return result


def _precision(type_: int, sums: Array) -> Array:
    return quotient(_hits(sums)[..., type_], _answered(sums)[..., type_])


STEP_SCORES: dict[str, Callable[[Array], Array]] = {
    "exact match": exact_match_rate,
    "session-macro exact match": session_exact_match,
    "type accuracy": type_accuracy,
    "macro F1": macro_f1,
    "weighted F1": weighted_f1,
}
"""Score of the sums of `columns_of`, by name; more is better."""


def summarise_steps(agent: str, scores: Sequence[StepScore], samples: int = 1000) -> StepSummary:
    """Scores one agent.

    Args:
        agent: Its name.
        scores: Its sessions, faulted ones too; the order decides the last digits, so sort it.
        samples: Resamples of the intervals.
    """
    kept = [score for score in scores if score.fault is None]
    bootstrap = Bootstrap([s.user_id for s in kept], [s.session_id for s in kept], samples)
    columns = columns_of(kept)
    confusion = _confusion(columns.sum(axis=0))

    def estimate(statistic: Callable[[Array], Array]) -> Estimate:
        return bootstrap.estimate(columns, statistic)

    def mean(values: Sequence[float]) -> Estimate:
        return bootstrap.estimate(np.column_stack([np.array(values, dtype=float), np.ones(len(values))]), mean_of)

    return StepSummary(
        agent=agent,
        rollouts=len(kept),
        faults=len(scores) - len(kept),
        steps=int(confusion.sum()),
        exact_match=estimate(exact_match_rate),
        session_exact_match=estimate(session_exact_match),
        type_accuracy=estimate(type_accuracy),
        macro_f1=estimate(macro_f1),
        weighted_f1=estimate(weighted_f1),
        nothing_rate=estimate(_nothing_rate),
        types={
            label: TypeScore(
                int(confusion[number].sum()),
                precision=estimate(partial(_precision, number)),
                recall=estimate(partial(_of_used, _hits, number)),
                f1=estimate(partial(_f1_of_used, number)),
                exact=estimate(partial(_of_used, _exact, number)),
            )
            for number, label in enumerate(ACTION_LABELS)
        },
        confusion={
            label: {effect: int(confusion[i, j]) for j, effect in enumerate(EFFECTS)}
            for i, label in enumerate(ACTION_LABELS)
        },
        tokens=mean([s.cost.prompt_tokens + s.cost.completion_tokens for s in kept]),
        seconds=mean([s.cost.seconds for s in kept]),
    )
