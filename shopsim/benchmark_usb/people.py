"""The recorded people a run is measured against: which sessions, what each person did, how a rollout compares."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from shopsim.agents.rollout import Rollout
from shopsim.benchmark_usb.fidelity import behaviour
from shopsim.benchmark_usb.intent import intent_score
from shopsim.benchmark_usb.summary import Cost, SessionScore
from shopsim.data import DataSet
from shopsim.envs.human import replay
from shopsim.envs.trajectory import Trajectory
from shopsim.errors import InputError


def choose_sessions(dataset: DataSet, split: str, sessions: int | Sequence[str] | None, seed: int) -> list[str]:
    """Ids of the sessions to run, in the data set's order.

    Args:
        dataset: The data set.
        split: The split they belong to.
        sessions: How many, drawn by `seed`; or ids; None for all.
        seed: Of the drawing.

    Raises:
        InputError: The split has no or too few sessions, or an id is not in it.
    """
    rows = dataset.session_rows(split)
    ids = [dataset.session_id(row) for row in rows]
    if not ids:
        raise InputError(f"data set {dataset.name!r} has no sessions in split {split!r}")
    if sessions is None:
        return ids
    if isinstance(sessions, int):
        if not 1 <= sessions <= len(ids):
            raise InputError(f"{sessions} sessions were asked for; split {split!r} has {len(ids)}")
        drawn = np.random.default_rng(seed).choice(len(ids), sessions, replace=False)
        return [ids[i] for i in sorted(drawn)]
    if missing := sorted(set(sessions) - set(ids)):
        raise InputError(f"session {missing[0]!r} is not in split {split!r} of data set {dataset.name!r}")
    return [session_id for session_id in ids if session_id in set(sessions)]


class People:
    """The recorded people of a data set, each session replayed once, and the scoring of rollouts against them."""

    def __init__(self, dataset: DataSet, paired: bool) -> None:
        self._dataset = dataset
        self._paired = paired
        self._replayed = lru_cache(maxsize=4096)(lambda row: replay(dataset, row))

    def touched(self, session_id: str) -> bool:
        """Whether the person of a session touched any item."""
        return bool(self._replayed(self._dataset.session_row(session_id)).interacted)

    def score(self, agent: str, rollout: Rollout, seconds: float) -> SessionScore:
        """Scores one rollout."""
        session_id = rollout.task.session_id
        assert session_id is not None
        row = self._dataset.session_row(session_id)
        human = self._replayed(row)
        did = rollout.trajectory or Trajectory(session_id)
        wanted = human.interacted if self._paired else set()
        return SessionScore(
            agent=agent,
            session_id=session_id,
            user_id=self._dataset.user(self._dataset.user_row(row)).user_id,
            repetition=rollout.task.member,
            seeds=(rollout.task.env_seed, rollout.task.sampling_seed),
            fault=None if rollout.fault is None else str(rollout.fault),
            behaviour=behaviour(did),
            human=behaviour(human),
            intent=intent_score(did.interacted, wanted, self._dataset.labels) if wanted else None,
            active=bool(did.interacted),
            reward=rollout.reward._asdict() if rollout.reward else {},
            stop_reason=did.stop_reason,
            cost=Cost(rollout.prompt_tokens, rollout.answer_tokens, seconds),
        )
