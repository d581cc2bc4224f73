"""The two losses, on flat tensors with one entry per sampled token; padding never gets here. Pure torch.

Every loss is a weighted *sum* over tokens whose weights already hold the normaliser of the whole optimizer step
(`shopsim.trainers.rows.token_weights`). Sums of micro-batches therefore add up to the same gradient however a batch
is cut.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class PolicyLoss:
    """A differentiable loss and what to log of it; the sums are over tokens, detached."""

    loss: Tensor
    clipped: Tensor
    """Tokens whose ratio passed the bound on their advantage's side, so that they give no gradient."""
    gap_sum: Tensor
    """Σ |log π - log π_old|; at the first update of an iteration the disagreement of trainer and sampler."""
    old_kl_sum: Tensor
    """Σ k3 estimate of KL(π_old ‖ π): how far this iteration's updates have moved."""
    reference_kl_sum: Tensor
    """Σ k3 estimate of KL(π ‖ π_ref); 0 without a reference."""


def policy_loss(
    logprobs: Tensor,
    old_logprobs: Tensor,
    advantages: Tensor,
    weights: Tensor,
    epsilon_low: float,
    epsilon_high: float,
    reference_logprobs: Tensor | None = None,
    beta: float = 0.0,
) -> PolicyLoss:
    """The clipped policy loss of GRPO (2402.03300) with separate bounds (DAPO, 2503.14476).

    Args:
        logprobs: (N,) log π of each sampled token, with gradient.
        old_logprobs: (N,) the same under the policy that sampled it.
        advantages: (N,) the advantage of the token's trajectory.
        weights: (N,) what each token counts; they sum to 1 over an optimizer step.
        epsilon_low: The ratio is clipped from below at 1 - epsilon_low.
        epsilon_high: And from above at 1 + epsilon_high.
        reference_logprobs: (N,) under the frozen reference; needed where beta > 0.
        beta: Weight of the KL term, estimated per token by k3: ``exp(d) - d - 1`` with d = log π_ref - log π.

    Returns:
        ``Σ w [-min(ρ A, clip(ρ) A) + beta k3]`` with ρ = exp(log π - log π_old), and sums to log.
    """
    difference = logprobs - old_logprobs
    ratio = difference.exp()
    bounded = ratio.clamp(1 - epsilon_low, 1 + epsilon_high)
    losses = -torch.minimum(ratio * advantages, bounded * advantages)
    reference_kl = torch.zeros_like(losses)
    if reference_logprobs is not None:
        reference_kl = _k3(reference_logprobs - logprobs)
        losses = losses + beta * reference_kl
    with torch.no_grad():
        clipped = ((advantages > 0) & (ratio > 1 + epsilon_high)) | ((advantages < 0) & (ratio < 1 - epsilon_low))
        old_kl = _k3(difference)
    return PolicyLoss(
        (weights * losses).sum(),
        clipped.sum(),
        difference.detach().abs().sum(),
        old_kl.sum(),
        reference_kl.detach().sum(),
    )


def _k3(log_ratio: Tensor) -> Tensor:
    """The low-variance KL estimate of one sample: exp(d) - d - 1, never negative."""
    return log_ratio.expm1() - log_ratio


def imitation_loss(logprobs: Tensor, weights: Tensor) -> Tensor:
    """``-Σ w log π`` over the supervised tokens.

    Args:
        logprobs: (N,) log π of each supervised token, with gradient.
        weights: (N,) what each token counts; they sum to 1 over an optimizer step.
    """
    return -(weights * logprobs).sum()
