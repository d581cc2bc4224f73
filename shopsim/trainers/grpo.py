"""GRPO on whole trajectories, stage 2 (SPEC 6.2): collect, score, advantages, rows, update, log.

G trajectories start from the same state (one session, one environment seed) with distinct sampling seeds. Each gets one
reward against the person's trajectory and, from its group, one advantage. Every step is its own prompt and so its own
training row; all rows of a trajectory carry its advantage. Sources: GRPO (2402.03300), on step-independent prompts as
GiGPO has them (2505.10978); separate clip bounds and token weighting from DAPO (2503.14476); the option of no standard
deviation from Dr. GRPO (2503.20783).

Logged, besides what `shopsim.trainers.update` logs:

================================  ======================================================================================
``reward/<part>``, ``..._std``    mean and spread over the iteration's trajectories; watch ``reward/total``
``reward/contrasted``             mean of what is trained on: the total as `contrasted` makes it
``rollouts/faults``               trajectories that ended in a fault of the environment; they are not trained
``rollouts/turns``                steps a trajectory; with ``tokens_per_turn`` it shows what a weighting favours
``rollouts/unparsed``             share of answers that could not be read
``rollouts/invalid``              share of answers that could not be done, the unread ones included
``rollouts/left``                 share of trajectories that ended by ``terminate``
``groups/drawn``                  groups played, refills included; what is logged of rollouts is of all of them
``groups/zero_spread``            share of groups whose rewards were all equal: they teach nothing
``groups/dropped``                groups left with fewer than two trajectories by faults
``groups/cancelling``             groups whose parts of the reward vary while the sum does not; warned of
``rows``                          steps of trained trajectories
``time/environment``              seconds of playing that are not the model's: environment, prompts, memory, rewards
``time/sampling``                 seconds in which answers were drawn; with vLLM, new weights included
``time/scoring``, ``update``      seconds: from trajectories to rows; optimizer steps
================================  ======================================================================================
"""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, Literal

import numpy as np

from shopsim.agents.backend import Sampling
from shopsim.agents.rollout import Rollout, Task
from shopsim.data import DataSet
from shopsim.data.vocabulary import ITEM_ACTIONS
from shopsim.envs.human import replay
from shopsim.envs.reward import Spread, TrajectoryReward
from shopsim.envs.trajectory import Trajectory
from shopsim.errors import InputError
from shopsim.trainers import parallel
from shopsim.trainers.advantages import advantages, cancelling_parts
from shopsim.trainers.config import Progress, TrainingResult
from shopsim.trainers.contrast import contrasted, likeness_of
from shopsim.trainers.evaluate import fixed_tasks, named_parts, play, summary
from shopsim.trainers.rows import expand
from shopsim.trainers.run import Run, data_order
from shopsim.trainers.update import UpdateConfig, update


@dataclass(frozen=True, kw_only=True)
class GRPOConfig(UpdateConfig):
    """Options of `train_grpo`."""

    # Rollouts

    groups: int = 8
    """Groups an iteration, each of another session. More give a steadier gradient; 8 x 8 trajectories of some 13 steps
    are about 800 rows."""
    sessions: Literal["all", "active"] = "all"
    """Train on all sessions of the split, or on those in which the person opened, carted or bought something. Where the
    person touched nothing, only doing nothing is rewarded, so many such sessions teach a weak agent never to touch
    anything. Public logs hold none of them, and intent is scored without them."""
    max_steps: int | None = None
    """Steps after which a trajectory is cut off; the longest recorded session's if not given."""
    refills: int = 0
    """Times that other sessions may be drawn in the place of groups whose rewards were all equal or that faults left
    too small, until `groups` groups teach something (DAPO's dynamic sampling). Groups that teach nothing are then left
    out of the update, also where the draws run out first. 0 trains on what came."""
    lanes: int = 64
    """Sessions played at the same time; a matter of speed only."""
    workers: int = 0
    """Processes that play the environments, for slow renderers; 0 plays them in this process. Only for speed, too."""

    # Reward (SPEC 6.3)

    macro: Literal["clipped", "unclipped", "squared"] = "clipped"
    """What a wrong number of item actions costs; see `TrajectoryReward.macro`."""
    micro: Literal["balanced", "sum", "mean"] = "balanced"
    """How the fit of the items counts; see `TrajectoryReward.micro`."""
    macro_weight: float = 1.0
    """Weight of the macro part; 0 leaves it out, for an ablation."""
    lam: float = 1.0
    """λ, the weight of the micro part."""
    length_weight: float = 0.25
    """Weight of the length part; 0 is the published reward."""
    gaps: Literal["relative", "spread"] = "relative"
    """What gaps in counts and length are measured by: what the person did, or how widely the train people differ
    (`shopsim.envs.reward.Spread`)."""

    contrast: float = 0.0
    """Weight of a trajectory's likeness to its group, taken off its reward (`shopsim.trainers.contrast`). At 0, as
    published, a policy that cannot foresee a session earns most by touching nothing; at 1 by spreading as people do,
    a noisier signal that wants larger groups."""

    # Watching

    eval_every: int = 0
    """Play validation sessions every so many iterations, and at the end; 0 for never."""
    eval_sessions: int = 16
    """How many of them, each once, always with the same seeds."""

    FREE: ClassVar[frozenset[str]] = UpdateConfig.FREE | {"eval_every", "eval_sessions", "lanes", "workers"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "groups", "lanes", "eval_sessions")
        self._at_least(0, "eval_every", "contrast", "refills", "workers")
        if self.max_steps is not None:
            self._at_least(1, "max_steps")

    def reward(self, dataset: DataSet) -> TrajectoryReward:
        """The reward trained on."""
        spread = None
        if self.gaps == "spread":
            starts = dataset.step_starts
            spread = Spread.of([dataset.step_actions[starts[r] : starts[r + 1]] for r in dataset.session_rows("train")])
        parts = self.macro, self.micro, self.macro_weight, self.lam
        return TrajectoryReward(*parts, length_weight=self.length_weight, spread=spread)


def train_grpo(config: GRPOConfig, progress: Progress | None = None) -> TrainingResult:
    """Trains a model by GRPO, or goes on with a run that was begun.

    Raises:
        InputError: The model, the data set or the run's folder cannot be used.
    """
    dataset = config.dataset()
    run = Run(config, "grpo", dataset, progress)
    policy = run.policy
    if config.sampler == "vllm":
        policy.sample_by_vllm(config.vllm_gpu_memory_utilization)
    reference = run.reference() if config.beta else None
    sampling = Sampling(config.temperature, config.max_tokens)
    reward = config.reward(dataset)
    validation = fixed_tasks(dataset, "validation", config.eval_sessions, 1, config.seed) if config.eval_every else []

    @cache
    def person(session_id: str) -> Trajectory:
        return replay(dataset, dataset.session_row(session_id))

    def play_all(split: str, tasks: Sequence[Task]) -> list[Rollout]:
        limits = config.max_steps, config.lanes, config.workers
        return play(policy, config, dataset, split, tasks, sampling, reward, *limits)

    with run:
        for iteration in run.steps():
            started, sampled, playing = time.perf_counter(), policy.sampling_seconds, 0.0
            rollouts: list[Rollout] = []
            missing = config.groups
            for draw in range(1 + config.refills):
                # Collect, and score: the environment pays each trajectory's reward with its last step.
                begun = time.perf_counter()
                tasks = group_tasks(config, dataset, iteration, draw)[: missing * config.num_generations]
                rollouts += everyones(play_all("train", parallel.share(tasks)))
                playing += time.perf_counter() - begun

                # Advantages: one a trajectory, within its group.
                rewards = [rollout.reward for rollout in rollouts]
                groups = [rollout.task.group for rollout in rollouts]
                values = contrasted(
                    [None if parts is None else parts.total for parts in rewards],
                    [rollout.trajectory for rollout in rollouts],
                    groups,
                    likeness_of(reward, dataset.labels),
                    config.contrast,
                    (person(rollout.task.session_id) for rollout in rollouts),
                )
                scale = config.scale_rewards == "group"
                result = advantages(values, groups, scale, keep_zero_spread=not config.refills)
                missing = config.groups - result.informative_groups
                if not missing:
                    break
            scalars = summary(rollouts)
            sampled = policy.sampling_seconds - sampled
            cancelling = cancelling_parts([named_parts(parts) for parts in rewards], groups)
            if cancelling:
                warnings.warn(
                    f"iteration {iteration}: in {cancelling} groups parts of the reward vary but their sum does not, "
                    "so nothing is learned from them",
                    stacklevel=2,
                )

            # Rows: one a step.
            rows = expand(rollouts, result.values)
            scored = time.perf_counter()

            # Update
            scalars |= update(policy, run.optimizer, reference, rows, config, iteration) if rows else {}

            # Log
            scalars |= {
                "reward/contrasted": float(np.mean([value for value in values if value is not None] or [0.0])),
                "groups/drawn": float(len(set(groups))),
                "groups/zero_spread": result.zero_spread_groups / max(1, result.groups),
                "groups/dropped": float(result.dropped_groups),
                "groups/cancelling": float(cancelling),
                "rows": float(len(rows)),
                "time/environment": playing - sampled,
                "time/sampling": sampled,
                "time/scoring": scored - started - playing,
                "time/update": time.perf_counter() - scored,
            }
            last = iteration + 1 == config.iterations
            if validation and (last or (iteration + 1) % config.eval_every == 0):
                played = play_all("validation", validation)
                scalars |= {f"validation/{name}": value for name, value in summary(played).items()}
            run.end_step(scalars)
    return run.result()


def everyones(mine: Sequence[Rollout]) -> list[Rollout]:
    """The rollouts of all processes in the order of their tasks; the others' without their prompts and screens."""
    if parallel.size() == 1:
        return list(mine)
    light = [
        replace(rollout, samples=tuple(replace(sample, prompt=None, screen=None) for sample in rollout.samples))
        for rollout in mine
    ]
    rollouts = parallel.gather(light)
    rollouts[parallel.rank() :: parallel.size()] = mine
    return rollouts


def group_tasks(config: GRPOConfig, dataset: DataSet, iteration: int, draw: int = 0) -> list[Task]:
    """The tasks of an iteration: a group's members share session and environment seed and differ in sampling seed.

    A pure function of its arguments. Sessions come in a new order each epoch, every one once an epoch. Each iteration
    has its place in that order for all the draws it may need; what it does not draw is passed over.

    Args:
        config: Options of the run.
        dataset: The data set.
        iteration: Its number.
        draw: 0, or the number of the refill.
    """
    sessions = dataset.session_rows("train")
    if config.sessions == "active":
        touches = np.cumsum(np.isin(dataset.step_actions, ITEM_ACTIONS))
        ends = touches[dataset.step_starts[1:] - 1]
        sessions = sessions[np.diff(ends, prepend=0)[sessions] > 0]
        if not len(sessions):
            raise InputError(f"in no train session of data set {dataset.name!r} an item is touched; use sessions=all")
    tasks = []
    first = (iteration * (1 + config.refills) + draw) * config.groups
    order = data_order(config.seed, first, config.groups, len(sessions))
    for group, i in enumerate(order, draw * config.groups):
        rng = np.random.default_rng([config.seed, 1, iteration, group])
        env_seed, *sampling_seeds = rng.integers(2**31, size=1 + config.num_generations).tolist()
        session_id = dataset.session_id(int(sessions[i]))
        tasks += [Task(session_id, env_seed, seed, group, member) for member, seed in enumerate(sampling_seeds)]
    return tasks
