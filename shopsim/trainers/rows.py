"""From trajectories to training rows: one row per step, one advantage per trajectory, one weight per token (SPEC 6.2).

Every step of a trajectory has its own prompt, so a trajectory is several rows. Two things must not follow from the
number of rows: how much a trajectory counts (the weighting says that, by name) and how many optimizer steps an
iteration takes (mini-batches are cut in trajectories, never in rows).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

import numpy as np

from shopsim.agents.backend import Prompt
from shopsim.agents.rollout import Rollout
from shopsim.errors import InputError

Weighting = Literal["token", "step", "trajectory"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One step of one trajectory, as the policy is trained on it."""

    trajectory: int
    """Position of its trajectory in the batch."""
    prompt: Prompt | None
    """None where another process trains the row."""
    token_ids: tuple[int, ...]
    """The ids that were sampled, never tokenised again."""
    old_logprobs: tuple[float, ...]
    """The sampler's log-probability of each of them."""
    advantage: float
    """The trajectory's, the same for all its rows and tokens."""


def expand(rollouts: Sequence[Rollout], advantages: Sequence[float | None]) -> list[Row]:
    """All rows of all trained trajectories, in order.

    Args:
        rollouts: The batch.
        advantages: One per rollout; None leaves it out.

    Raises:
        InputError: The back end did not tell which tokens it sampled and how likely they were.
    """
    rows = []
    for i, (rollout, advantage) in enumerate(zip(rollouts, advantages, strict=True)):
        if advantage is not None:
            for sample in rollout.samples:
                assert sample.completion is not None
                token_ids, logprobs = sample.completion.token_ids, sample.completion.logprobs
                if token_ids is None or logprobs is None:
                    raise InputError("this model's back end does not tell the sampled tokens and their probabilities")
                rows.append(Row(i, sample.prompt, token_ids, logprobs, advantage))
    return rows


def mini_batches(rows: Sequence[Row], count: int, rng: np.random.Generator) -> list[list[Row]]:
    """Cuts one pass over the batch into the rows of `count` optimizer steps.

    Trajectories are dealt out at random, as evenly as their number allows and each as a whole, so `count` is the
    number of optimizer steps however many steps the trajectories have (fewer only where trajectories are fewer).
    Within a mini-batch rows keep their order.
    """
    trajectories = sorted({row.trajectory for row in rows})
    dealt = np.array_split(rng.permutation(trajectories), min(count, len(trajectories)))
    return [[row for row in rows if row.trajectory in chosen] for chosen in (set(part.tolist()) for part in dealt)]


def token_weights(tokens: Sequence[int], trajectories: Sequence[int], weighting: Weighting) -> list[float]:
    """What each token of each row counts in the loss of one optimizer step.

    Args:
        tokens: Number of trained tokens of each row, at least 1.
        trajectories: The trajectory of each row.
        weighting: ``token``: every token the same (DAPO's token mean; up to a constant the policy gradient of the
            expected reward). ``step``: every step the same, shared by its tokens. ``trajectory``: every trajectory the
            same, shared by all its tokens (GRPO's 1/\\|o\\|; it favours short good and long bad trajectories).

    Returns:
        One weight per row, for each of its tokens; ``Σ tokens x weight = 1``.
    """
    if weighting == "token":
        return [1 / sum(tokens)] * len(tokens)
    if weighting == "step":
        return [1 / (len(tokens) * n) for n in tokens]
    totals: dict[int, int] = {}
    for n, trajectory in zip(tokens, trajectories, strict=True):
        totals[trajectory] = totals.get(trajectory, 0) + n
    return [1 / (len(totals) * totals[trajectory]) for trajectory in trajectories]


def micro_batches(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Slices of at most `size` rows, the last one shorter; none is dropped."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
