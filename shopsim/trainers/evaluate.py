"""How well a policy does on given sessions: the same collector, reward and temperature as in training, fixed seeds."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from shopsim.agents.backend import Sampling
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.data import DataSet
from shopsim.envs.reward import RewardParts, TrajectoryReward
from shopsim.trainers import sharding
from shopsim.trainers.config import TrainerConfig
from shopsim.trainers.policy import Policy


def play(
    policy: Policy,
    config: TrainerConfig,
    dataset: DataSet,
    split: str,
    tasks: Sequence[Task],
    sampling: Sampling,
    reward: TrajectoryReward,
    max_steps: int | None,
    lanes: int,
    workers: int = 0,
) -> list[Rollout]:
    """Plays tasks with a policy as it is now.

    Args:
        policy: The policy.
        config: Says which agent and screens.
        dataset: The data set.
        split: Of the tasks' sessions.
        tasks: What to play.
        sampling: How answers are drawn.
        reward: What is paid with the last step.
        max_steps: Steps after which a session is cut off; None for those of the longest recorded one.
        lanes: Sessions played at the same time.
        workers: Processes that play the environments; 0 for this one.
    """
    policy.renew_sampler()
    with sharding.whole(policy.model):
        return collect(
            tasks,
            partial(config.make_env, dataset, split, reward, max_steps or "longest"),
            lambda: config.make_agent(policy, sampling),
            lanes=lanes,
            workers=workers,
        )


def fixed_tasks(dataset: DataSet, split: str, sessions: int | None, repetitions: int, seed: int) -> list[Task]:
    """Tasks for comparing policies: the first sessions of a split, each several times, always with the same seeds.

    Args:
        dataset: The data set.
        split: Which sessions.
        sessions: How many; None for all.
        repetitions: Times each is played.
        seed: Of the draws; `Task.group` is the session's position, `Task.member` the repetition.
    """
    tasks = []
    for group, row in enumerate(dataset.session_rows(split)[:sessions].tolist()):
        seeds = np.random.default_rng([seed, 3, group]).integers(2**31, size=repetitions + 1).tolist()
        tasks += [Task(dataset.session_id(row), seeds[0], seeds[1 + m], group, m) for m in range(repetitions)]
    return tasks


def summary(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """Means over rollouts without faults, as both trainer and evaluation log them."""
    scored = [rollout for rollout in rollouts if rollout.reward is not None]
    answers = [event for rollout in scored for event in rollout.answers]
    scalars: dict[str, float] = {"rollouts/faults": float(len(rollouts) - len(scored))}
    if not scored:
        return scalars
    for name in RewardParts._fields:
        values = np.array([getattr(rollout.reward, name) for rollout in scored])
        scalars |= {f"reward/{name}": float(values.mean()), f"reward/{name}_std": float(values.std())}
    turns = np.array([len(rollout.answers) for rollout in scored])
    return scalars | {
        "rollouts/turns": float(turns.mean()),
        "rollouts/tokens_per_turn": sum(rollout.answer_tokens for rollout in scored) / len(answers),
        "rollouts/unparsed": sum(event.action is None for event in answers) / len(answers),
        "rollouts/invalid": sum(event.invalid is not None for event in answers) / len(answers),
        "rollouts/left": sum(sample.terminated for rollout in scored for sample in rollout.samples) / len(scored),
    }


def named_parts(parts: RewardParts | None) -> Mapping[str, float] | None:
    """Reward parts by name, None for a fault."""
    return None if parts is None else parts._asdict()
