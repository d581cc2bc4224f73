"""One iteration's update from rows with advantages, as every policy-gradient trainer here does it (SPEC 6.2).

Logged:

================================  ======================================================================================
``policy/loss``                   mean of -advantage over tokens, until the policy moves; no measure of progress
``policy/clip_fraction``          share of tokens without gradient since their ratio passed its bound
``policy/old_kl``                 how far the updates of an iteration moved (k3, nats a token)
``policy/reference_kl``           distance from the reference, 0 without one (k3, nats a token)
``policy/entropy``                of the sampling distribution (nats a token); a fall to 0 ends exploration
``policy/logprob_gap``            mean \\|trainer - sampler\\| log-probability at the first update: rounding, or a bug
``policy/grad_norm``, ``lr``      means over the iteration's updates, before clipping
``updates``, ``tokens``           optimizer steps and trained tokens of the iteration
================================  ======================================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import torch

from shopsim.errors import InputError
from shopsim.trainers import parallel, sharding
from shopsim.trainers.config import TrainerConfig
from shopsim.trainers.loss import policy_loss
from shopsim.trainers.optimizer import apply_step, learning_rate
from shopsim.trainers.policy import Policy
from shopsim.trainers.rows import Row, Weighting, micro_batches, mini_batches, token_weights


@dataclass(frozen=True, kw_only=True)
class UpdateConfig(TrainerConfig):
    """Options of `update` and of what it needs before: answers in groups, and their advantages."""

    # Answers

    iterations: int = 100
    """Rounds of collecting and updating."""
    num_generations: int = 8
    """G, trajectories a group, at least 2. 8 is common (GiGPO, Dr. GRPO): the mean of fewer is a noisy baseline."""
    temperature: float = 1.0
    """Of sampling. At 1 what is trained is the model's own distribution, which is also what is evaluated."""
    max_tokens: int = 256
    """Longest answer; the tiny agent's need 48."""
    sampler: Literal["transformers", "vllm"] = "transformers"
    """Who draws the answers: the model itself, or vLLM in this process, which is given the new weights before each
    collection. The same distribution by another random stream, so a run resumed with another sampler is a new draw."""
    vllm_gpu_memory_utilization: float = 0.3
    """Share of the GPU's memory that vLLM takes; the rest is for training."""

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

    FREE: ClassVar[frozenset[str]] = TrainerConfig.FREE | {"sampler", "vllm_gpu_memory_utilization"}

    LENGTH: ClassVar[str] = "iterations"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_generations < 2:
            raise InputError(
                f"num_generations is {self.num_generations}; an answer is judged against the others of its group, "
                "so it must be at least 2"
            )
        self._at_least(1, "max_tokens", "epochs", "mini_batches")
        self._at_least(0, "iterations", "warmup", "beta", "epsilon_low", "epsilon_high")
        if not self.temperature > 0:
            raise InputError(f"temperature is {self.temperature}; without chance there is nothing to compare")


def update(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    reference: Policy | None,
    rows: Sequence[Row],
    config: UpdateConfig,
    iteration: int,
) -> dict[str, float]:
    """Trains on an iteration's rows: `epochs` passes of `mini_batches` optimizer steps.

    Args:
        policy: The policy.
        optimizer: Of its parameters.
        reference: The model the run started from, where beta > 0.
        rows: Of all processes; each trains those whose prompts it has.
        config: Options of the run.
        iteration: Its number.

    Returns:
        Scalars to log.
    """
    rng = np.random.default_rng([config.seed, 2, iteration])
    per_iteration = config.epochs * config.mini_batches
    nothing = sharding.filler(policy.reads_images)
    sums = dict.fromkeys(("loss", "clip_fraction", "old_kl", "reference_kl", "entropy", "grad_norm"), 0.0)
    updates, tokens_seen, first_tokens, rate, gap_sum = 0, 0, 0, 0.0, 0.0
    for _ in range(config.epochs):
        for batch in mini_batches(rows, config.mini_batches, rng):
            trained = [policy.trainable(row.token_ids) for row in batch]
            counts = [sum(flags) for flags in trained]
            weights = token_weights(counts, [row.trajectory for row in batch], config.loss_weighting)
            mine = [
                (row.prompt, row, flags, weight)
                for row, flags, weight in zip(batch, trained, weights, strict=True)
                if row.prompt is not None
            ]
            parts = list(micro_batches(mine, config.micro_batch))
            for part in sharding.even(policy.model, parts, [(nothing, Row(-1, nothing, (), (), 0.0), [], 0.0)]):
                pairs = [(prompt, row.token_ids) for prompt, row, _, _ in part]
                tokens = policy.tokens(pairs, config.temperature)
                if reference is not None:
                    with torch.no_grad():
                        reference_logprobs = reference.tokens(pairs, config.temperature).logprobs
                per_token = [
                    (logprob, row.advantage, row_weight)
                    for _, row, flags, row_weight in part
                    for logprob, flag in zip(row.old_logprobs, flags, strict=True)
                    if flag
                ]
                old, advantage, weight = torch.tensor(per_token, device=policy.device).reshape(-1, 3).unbind(1)
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
                if updates == 0:
                    gap_sum += result.gap_sum.item()
            step = iteration * per_iteration + updates
            rate = learning_rate(step, config.iterations * per_iteration, config.lr, config.warmup, config.schedule)
            sums["grad_norm"] += apply_step(policy.model, optimizer, rate, config.max_grad_norm)
            if updates == 0:
                first_tokens = sum(counts)
            updates += 1
            tokens_seen += sum(counts)
    *summed, gap_sum = parallel.total([*sums.values(), gap_sum])
    sums = dict(zip(sums, summed, strict=True))
    sums["grad_norm"] /= parallel.size()  # of the summed gradient, and so the same in every process
    per_update = {"loss", "grad_norm"}
    scalars = {
        f"policy/{name}": value / (updates if name in per_update else tokens_seen) for name, value in sums.items()
    }
    return scalars | {
        "policy/logprob_gap": gap_sum / first_tokens,
        "lr": rate,
        "updates": float(updates),
        "tokens": float(tokens_seen),
    }
