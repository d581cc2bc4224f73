"""GRPO on whole trajectories, stage 2 (SPEC 6.2): collect, score, advantages, rows, update, log.

G trajectories start from the same state (one session, one environment seed) with distinct sampling seeds. Each gets one
reward against the person's trajectory and, from its group, one advantage. Every step is its own prompt and so its own
training row; all rows of a trajectory carry its advantage. Sources: GRPO (2402.03300), on step-independent prompts as
GiGPO has them (2505.10978); separate clip bounds and token weighting from DAPO (2503.14476); the option of no standard
deviation from Dr. GRPO (2503.20783).

Logged, besides what `shopsim.trainers.evaluate.summary` explains by name:

================================  ======================================================================================
``reward/<part>``, ``..._std``    mean and spread over the iteration's trajectories; watch ``reward/total``
``reward/contrasted``             mean of the total less the likeness to the group, which is what is trained on
``rollouts/faults``               trajectories that ended in a fault of the environment; they are not trained
``rollouts/turns``                steps a trajectory; with ``tokens_per_turn`` it shows what a weighting favours
``rollouts/unparsed``             share of answers that could not be read
``rollouts/invalid``              share of answers that could not be done, the unread ones included
``rollouts/left``                 share of trajectories that ended by ``terminate``
``groups/zero_spread``            share of trained groups whose rewards were all equal: they teach nothing
``groups/dropped``                groups left with fewer than two trajectories by faults
``groups/cancelling``             groups whose parts of the reward vary while the sum does not; warned of
``policy/loss``                   mean of -advantage over tokens, until the policy moves; no measure of progress
``policy/clip_fraction``          share of tokens without gradient since their ratio passed its bound
``policy/old_kl``                 how far the updates of an iteration moved (k3, nats a token)
``policy/reference_kl``           distance from the reference, 0 without one (k3, nats a token)
``policy/entropy``                of the sampling distribution (nats a token); a fall to 0 ends exploration
``policy/logprob_gap``            mean \\|trainer - sampler\\| log-probability at the first update: rounding, or a bug
``policy/grad_norm``, ``lr``      means over the iteration's updates, before clipping
``updates``, ``rows``, ``tokens`` optimizer steps, rows and tokens of the iteration
``time/collect``, ``update``      seconds
================================  ======================================================================================
"""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import torch

from shopsim.agents.backend import Sampling
from shopsim.agents.rollout import Task
from shopsim.data import DataSet
from shopsim.data.vocabulary import ITEM_ACTIONS
from shopsim.envs.reward import TrajectoryReward
from shopsim.errors import InputError
from shopsim.trainers.advantages import advantages, cancelling_parts
from shopsim.trainers.config import Progress, TrainerConfig, TrainingResult
from shopsim.trainers.contrast import contrasted, likeness_of
from shopsim.trainers.evaluate import fixed_tasks, named_parts, play, summary
from shopsim.trainers.loss import policy_loss
from shopsim.trainers.optimizer import apply_step, learning_rate
from shopsim.trainers.policy import Policy
from shopsim.trainers.rows import Row, Weighting, expand, micro_batches, mini_batches, token_weights
from shopsim.trainers.run import Run, data_order


@dataclass(frozen=True, kw_only=True)
class GRPOConfig(TrainerConfig):
    """Options of `train_grpo`."""

    # Rollouts

    iterations: int = 100
    """Rounds of collecting and updating."""
    groups: int = 8
    """Groups an iteration, each of another session. More give a steadier gradient; 8 x 8 trajectories of some 13 steps
    are about 800 rows."""
    num_generations: int = 8
    """G, trajectories a group, at least 2. 8 is common (GiGPO, Dr. GRPO): the mean of fewer is a noisy baseline."""
    sessions: Literal["all", "active"] = "all"
    """Train on all sessions of the split, or on those in which the person opened, carted or bought something. Where the
    person touched nothing, only doing nothing is rewarded, so many such sessions teach a weak agent never to touch
    anything. Public logs hold none of them, and intent is scored without them."""
    max_steps: int | None = None
    """Steps after which a trajectory is cut off; the longest recorded session's if not given."""
    temperature: float = 1.0
    """Of sampling. At 1 what is trained is the model's own distribution, which is also what is evaluated."""
    max_tokens: int = 256
    """Longest answer; the tiny agent's need 48."""
    lanes: int = 64
    """Sessions played at the same time; a matter of speed only."""

    # Reward (SPEC 6.3)

    macro: Literal["clipped", "unclipped", "squared"] = "clipped"
    """What a wrong number of item actions costs; see `TrajectoryReward.macro`."""
    micro: Literal["balanced", "sum", "mean"] = "balanced"
    """How the fit of the items counts; see `TrajectoryReward.micro`."""
    lam: float = 1.0
    """λ, the weight of the micro part."""
    length_weight: float = 0.25
    """Weight of the length part; 0 is the published reward."""

    contrast: float = 0.0
    """Weight of a trajectory's likeness to its group, taken off its reward (`shopsim.trainers.contrast`). At 0, as
    published, a policy that cannot foresee a session earns most by touching nothing; at 1 by spreading as people do,
    a noisier signal that wants larger groups."""

    # Advantage

    scale_rewards: Literal["group", "none"] = "group"
    """Divide by the group's standard deviation (GRPO), or not (Dr. GRPO). Dividing makes every group count the same,
    which suits a reward whose spread differs widely between sessions."""

    # Loss

    loss_weighting: Weighting = "token"
    """`token`: every token the same; up to a constant this is the gradient of the expected reward. `step`: every step
    the same. `trajectory`: every trajectory the same (GRPO as published); it favours short good and long bad ones."""
    epsilon_low: float = 0.2
    """The ratio is clipped below 1 - this; the value of PPO, GRPO and DAPO."""
    epsilon_high: float = 0.28
    """And above 1 + this; DAPO's, a little wider so that rare tokens can gain."""
    beta: float = 0.0
    """Weight of the KL term to the model the run started from; 0 loads no reference. Off as in DAPO and Dr. GRPO: the
    reward compares with recorded people and is no learned model that could be gamed. Shop-R1 has 0.001, GiGPO 0.01."""

    # Optimizer

    epochs: int = 1
    """Passes over an iteration's trajectories; every sampled token is trained once in each."""
    mini_batches: int = 1
    """Optimizer steps a pass, cut in whole trajectories, so their number does not follow the length of episodes. 1 pass
    in 1 step is exactly on-policy; more use the same rollouts harder, bounded by the clip."""
    warmup: int = 0
    """Optimizer steps over which the learning rate rises."""

    # Watching

    eval_every: int = 0
    """Play validation sessions every so many iterations, and at the end; 0 for never."""
    eval_sessions: int = 16
    """How many of them, each once, always with the same seeds."""

    FREE: ClassVar[frozenset[str]] = TrainerConfig.FREE | {"eval_every", "eval_sessions", "lanes"}

    LENGTH: ClassVar[str] = "iterations"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_generations < 2:
            raise InputError(
                f"num_generations is {self.num_generations}; a trajectory is judged against the others of its group, "
                "so it must be at least 2"
            )
        self._at_least(1, "groups", "max_tokens", "lanes", "epochs", "mini_batches", "eval_sessions")
        self._at_least(0, "iterations", "warmup", "eval_every", "contrast", "beta", "epsilon_low", "epsilon_high")
        if self.max_steps is not None:
            self._at_least(1, "max_steps")
        if not self.temperature > 0:
            raise InputError(f"temperature is {self.temperature}; without chance there is nothing to compare")

    def reward(self) -> TrajectoryReward:
        """The reward trained on."""
        return TrajectoryReward(self.macro, self.micro, self.lam, length_weight=self.length_weight)


def train_grpo(config: GRPOConfig, progress: Progress | None = None) -> TrainingResult:
    """Trains a model by GRPO, or goes on with a run that was begun.

    Raises:
        InputError: The model, the data set or the run's folder cannot be used.
    """
    dataset = config.dataset()
    run = Run(config, "grpo", dataset, progress)
    policy = run.policy
    reference = Policy.load(run.start, config.device, config.bf16) if config.beta else None
    sampling = Sampling(config.temperature, config.max_tokens)
    reward = config.reward()
    validation = fixed_tasks(dataset, "validation", config.eval_sessions, 1, config.seed) if config.eval_every else []

    with run:
        for iteration in run.steps():
            started = time.perf_counter()

            # Collect, and score: the environment pays each trajectory's reward with its last step.
            tasks = group_tasks(config, dataset, iteration)
            rollouts = play(policy, config, dataset, "train", tasks, sampling, reward, config.max_steps, config.lanes)
            scalars = summary(rollouts)
            collected = time.perf_counter()

            # Advantages: one a trajectory, within its group.
            rewards = [rollout.reward for rollout in rollouts]
            groups = [rollout.task.group for rollout in rollouts]
            values = contrasted(
                [None if parts is None else parts.total for parts in rewards],
                [rollout.trajectory for rollout in rollouts],
                groups,
                likeness_of(reward, dataset.labels),
                config.contrast,
            )
            result = advantages(values, groups, config.scale_rewards == "group")
            cancelling = cancelling_parts([named_parts(parts) for parts in rewards], groups)
            if cancelling:
                warnings.warn(
                    f"iteration {iteration}: in {cancelling} groups parts of the reward vary but their sum does not, "
                    "so nothing is learned from them",
                    stacklevel=2,
                )

            # Rows: one a step.
            rows = expand(rollouts, result.values)

            # Update
            scalars |= update(policy, run.optimizer, reference, rows, config, iteration) if rows else {}

            # Log
            scalars |= {
                "reward/contrasted": float(np.mean([value for value in values if value is not None] or [0.0])),
                "groups/zero_spread": result.zero_spread_groups / max(1, result.groups),
                "groups/dropped": float(result.dropped_groups),
                "groups/cancelling": float(cancelling),
                "rows": float(len(rows)),
                "time/collect": collected - started,
                "time/update": time.perf_counter() - collected,
            }
            last = iteration + 1 == config.iterations
            if validation and (last or (iteration + 1) % config.eval_every == 0):
                played = play(
                    policy, config, dataset, "validation", validation, sampling, reward, config.max_steps, config.lanes
                )
                scalars |= {f"validation/{name}": value for name, value in summary(played).items()}
            run.end_step(scalars)
    return run.result()


def group_tasks(config: GRPOConfig, dataset: DataSet, iteration: int) -> list[Task]:
    """The tasks of an iteration: a group's members share session and environment seed and differ in sampling seed.

    A pure function of seed and iteration. Sessions come in a new order each epoch, every one once an epoch.
    """
    sessions = dataset.session_rows("train")
    if config.sessions == "active":
        touches = np.cumsum(np.isin(dataset.step_actions, ITEM_ACTIONS))
        ends = touches[dataset.step_starts[1:] - 1]
        sessions = sessions[np.diff(ends, prepend=0)[sessions] > 0]
        if not len(sessions):
            raise InputError(f"in no train session of data set {dataset.name!r} an item is touched; use sessions=all")
    tasks = []
    for group, i in enumerate(data_order(config.seed, iteration * config.groups, config.groups, len(sessions))):
        rng = np.random.default_rng([config.seed, 1, iteration, group])
        env_seed, *sampling_seeds = rng.integers(2**31, size=1 + config.num_generations).tolist()
        session_id = dataset.session_id(int(sessions[i]))
        tasks += [Task(session_id, env_seed, seed, group, member) for member, seed in enumerate(sampling_seeds)]
    return tasks


def update(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    reference: Policy | None,
    rows: Sequence[Row],
    config: GRPOConfig,
    iteration: int,
) -> dict[str, float]:
    """Trains on an iteration's rows: `epochs` passes of `mini_batches` optimizer steps.

    Returns:
        Scalars to log.
    """
    rng = np.random.default_rng([config.seed, 2, iteration])
    per_iteration = config.epochs * config.mini_batches
    sums = dict.fromkeys(("loss", "clip_fraction", "old_kl", "reference_kl", "entropy", "grad_norm"), 0.0)
    updates, tokens_seen, rate, gap = 0, 0, 0.0, 0.0
    for _ in range(config.epochs):
        for batch in mini_batches(rows, config.mini_batches, rng):
            trained = [policy.trainable(row.token_ids) for row in batch]
            counts = [sum(flags) for flags in trained]
            weights = token_weights(counts, [row.trajectory for row in batch], config.loss_weighting)
            gap_sum = 0.0
            for part in micro_batches(list(zip(batch, trained, weights, strict=True)), config.micro_batch):
                pairs = [(row.prompt, row.token_ids) for row, _, _ in part]
                tokens = policy.tokens(pairs, config.temperature)
                if reference is not None:
                    with torch.no_grad():
                        reference_logprobs = reference.tokens(pairs, config.temperature).logprobs
                old, advantage, weight = torch.tensor(
                    [
                        (logprob, row.advantage, row_weight)
                        for row, flags, row_weight in part
                        for logprob, flag in zip(row.old_logprobs, flags, strict=True)
                        if flag
                    ],
                    device=policy.device,
                ).unbind(1)
                result = policy_loss(
                    tokens.logprobs,
                    old,
                    advantage,
                    weight,
                    config.epsilon_low,
                    config.epsilon_high,
                    reference_logprobs if reference is not None else None,
                    config.beta,
                )
                result.loss.backward()  # type: ignore[no-untyped-call]
                sums["loss"] += result.loss.item()
                sums["clip_fraction"] += result.clipped.item()
                sums["old_kl"] += result.old_kl_sum.item()
                sums["reference_kl"] += result.reference_kl_sum.item()
                sums["entropy"] += tokens.entropy.sum().item()
                gap_sum += result.gap_sum.item()
            step = iteration * per_iteration + updates
            rate = learning_rate(step, config.iterations * per_iteration, config.lr, config.warmup, config.schedule)
            sums["grad_norm"] += apply_step(policy.model, optimizer, rate, config.max_grad_norm)
            if updates == 0:
                gap = gap_sum / sum(counts)
            updates += 1
            tokens_seen += sum(counts)
    per_update = {"loss", "grad_norm"}
    scalars = {
        f"policy/{name}": value / (updates if name in per_update else tokens_seen) for name, value in sums.items()
    }
    return scalars | {
        "policy/logprob_gap": gap,
        "lr": rate,
        "updates": float(updates),
        "tokens": float(tokens_seen),
    }
