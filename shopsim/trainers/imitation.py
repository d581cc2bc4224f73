"""Imitation, stage 1: ``L = -Σ log π(a* | s)`` over recorded people's answers (SPEC 6.1) [paper: RecVerse 2608.20707].

The prompts are the very ones the agent sees when it acts: `shopsim.agents.demonstrations` lets the agent walk along a
recorded session with its memory rebuilt, and every step becomes one row, a prompt and the answer the person would
have given.

Logged: ``loss`` (mean -log π over the batch's supervised tokens, weighted as trained), ``entropy`` (mean, nats),
``grad_norm`` (before clipping), ``lr``, ``tokens`` (supervised in the batch), ``epoch``, ``validation/loss`` (mean per
supervised token of the validation split), ``time/step`` (seconds).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import torch

from shopsim.agents.backend import Prompt
from shopsim.agents.demonstrations import Demonstration
from shopsim.data import DataSet
from shopsim.trainers import parallel, sharding
from shopsim.trainers.config import Progress, TrainerConfig, TrainingResult
from shopsim.trainers.loss import imitation_loss
from shopsim.trainers.optimizer import apply_step, learning_rate
from shopsim.trainers.policy import Policy
from shopsim.trainers.recorded import RecordedSteps
from shopsim.trainers.rows import micro_batches, token_weights
from shopsim.trainers.run import Run


@dataclass(frozen=True, kw_only=True)
class ImitationConfig(TrainerConfig):
    """Options of `train_imitation`."""

    steps: int = 1000
    """Optimizer steps."""
    batch: int = 32
    """Rows (steps of sessions) in one optimizer step."""
    warmup: int = 20
    """Steps over which the learning rate rises."""
    lr: float = 1e-5
    """Peak learning rate, common for fine-tuning a few billion weights; a tiny model from nothing wants 1e-3."""
    weight_decay: float = 0.01
    """AdamW's decay of weight matrices."""
    supervise: Literal["labels", "answer", "action"] = "labels"
    """What of an answer is learned. `labels`: the action, and thought and memory writes where the data set has them;
    `action`: the action alone; `answer`: everything with its JSON around it, which a model from nothing needs."""
    loss_weighting: Literal["token", "step"] = "token"
    """`token`: every supervised token counts the same, as in the published loss; `step`: every answer does, so that
    long thoughts do not drown short actions."""
    grid: int = 1
    """Round points to multiples of this (of 1000) where that stays on the same card. The tiny model's coordinates are
    single tokens on a grid of 20."""
    shuffle_sessions: int = 32
    """Rows of so many sessions are shuffled among each other; their screens are in memory at the same time."""
    eval_every: int = 100
    """Measure the validation loss every so many steps, and at the end; 0 for never."""
    eval_sessions: int = 20
    """Sessions of the validation split it is measured on, the first ones; 0 for none."""

    FREE: ClassVar[frozenset[str]] = TrainerConfig.FREE | {"eval_every", "eval_sessions"}

    LENGTH: ClassVar[str] = "steps"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least(1, "batch", "grid", "shuffle_sessions")
        self._at_least(0, "steps", "warmup", "eval_every", "eval_sessions")


class Example(NamedTuple):
    """One row: a prompt and the answer to learn."""

    prompt: Prompt
    ids: list[int]
    """The answer's tokens, the end token included."""
    supervised: list[bool]
    """Which of them are learned; at least one."""


def train_imitation(config: ImitationConfig, progress: Progress | None = None) -> TrainingResult:
    """Trains a model to answer as the recorded people did, or goes on with a run that was begun.

    Raises:
        InputError: The model, the data set or the run's folder cannot be used.
    """
    dataset = config.dataset()
    run = Run(config, "imitation", dataset, progress)
    policy = run.policy
    training = Examples(config, dataset, policy, "train")
    validation = Examples(config, dataset, policy, "validation") if config.eval_every and config.eval_sessions else None

    with run:
        for step in run.steps():
            started = time.perf_counter()
            first = step * config.batch  # batches run on across the end of an epoch, so no row is left out
            batch = training.take(parallel.share(range(first, first + config.batch)))

            # Update
            loss, entropy, tokens = accumulate(policy, batch, config)
            rate = learning_rate(step, config.steps, config.lr, config.warmup, config.schedule)
            norm = apply_step(policy.model, run.optimizer, rate, config.max_grad_norm)

            # Log
            scalars = {
                "loss": loss,
                "entropy": entropy,
                "grad_norm": norm,
                "lr": rate,
                "tokens": float(tokens),
                "epoch": step * config.batch / training.rows,
            }
            last = step + 1 == config.steps
            if validation is not None and (last or (step + 1) % config.eval_every == 0):
                scalars["validation/loss"] = _loss(policy, validation.first(config.eval_sessions), config.micro_batch)
            run.end_step(scalars | {"time/step": time.perf_counter() - started})
    return run.result()


def accumulate(policy: Policy, batch: Sequence[Example], config: ImitationConfig) -> tuple[float, float, int]:
    """Adds the gradient of one optimizer step; micro-batches, and processes, sum up to that of the whole batch.

    Args:
        policy: The model.
        batch: This process's share of the batch.
        config: Options of the run.

    Returns:
        Loss, mean entropy per supervised token (nats), number of supervised tokens.
    """
    counts = parallel.gather([sum(example.supervised) for example in batch])
    weights = parallel.share(token_weights(counts, range(len(counts)), config.loss_weighting))
    loss = entropy = 0.0
    nothing = Example(sharding.filler(policy.reads_images), [], [])
    parts = list(micro_batches(list(zip(batch, weights, strict=True)), config.micro_batch))
    for part in sharding.even(policy.model, parts, [(nothing, 0.0)]):
        tokens = policy.tokens([(example.prompt, example.ids) for example, _ in part])
        flags = [flag for example, _ in part for flag in example.supervised]
        chosen = torch.tensor(flags, dtype=torch.bool, device=policy.device)
        token_weight = torch.tensor(
            [weight for example, weight in part for flag in example.supervised if flag], device=policy.device
        )
        part_loss = imitation_loss(tokens.logprobs[chosen], token_weight)
        part_loss.backward()  # type: ignore[no-untyped-call]
        loss += part_loss.item()
        entropy += tokens.entropy[chosen].sum().item()
    loss, entropy = parallel.total([loss, entropy])
    return loss, entropy / sum(counts), sum(counts)


class Examples(RecordedSteps[Example]):
    """What the people of a split did, to be learned.

    Args:
        config: Options of the run.
        dataset: The data set.
        policy: Whose tokenizer turns answers into ids.
        split: Which sessions.
    """

    def __init__(self, config: ImitationConfig, dataset: DataSet, policy: Policy, split: str) -> None:
        self._encoder = policy.backend.encoder
        super().__init__(config, dataset, policy, split, config.shuffle_sessions, config.supervise, config.grid)

    def make(self, demonstration: Demonstration) -> Example:
        """See `RecordedSteps.make`."""
        return Example(demonstration.prompt, *self._encoder.answer(demonstration.answer, demonstration.spans))


@torch.no_grad()
def _loss(policy: Policy, examples: Iterator[Example], micro_batch: int) -> float:
    """Mean -log π per supervised token."""
    total, count = 0.0, 0
    for part in micro_batches(list(examples), micro_batch):
        logprobs = policy.tokens([(example.prompt, example.ids) for example in part]).logprobs
        supervised = torch.tensor([flag for example in part for flag in example.supervised], device=policy.device)
        total -= logprobs[supervised].sum().item()
        count += int(supervised.sum())
    return total / count
