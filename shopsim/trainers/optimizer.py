"""The optimizer and its learning rate, as both trainers use them."""

import math
from typing import Literal

import torch
from torch import nn

from shopsim.trainers import parallel, sharding

Schedule = Literal["constant", "linear", "cosine"]


def make_optimizer(model: nn.Module, weight_decay: float) -> torch.optim.AdamW:
    """AdamW over every trainable parameter; weight decay on matrices only, not on biases, norms and the like."""
    trained = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(
        [
            {"params": [p for p in trained if p.ndim >= 2], "weight_decay": weight_decay},
            {"params": [p for p in trained if p.ndim < 2], "weight_decay": 0.0},
        ],
        lr=0.0,
    )


def learning_rate(step: int, total: int, peak: float, warmup: int, schedule: Schedule) -> float:
    """The rate of optimizer step `step` (from 0) out of `total`.

    It rises linearly over the first `warmup` steps to `peak`, then stays, or falls to a tenth of `peak` at the last
    step, linearly or along a half cosine. A pure function of the step, so that resuming needs no state.
    """
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = (step - warmup) / max(1, total - 1 - warmup)
    fall = {"constant": 0.0, "linear": progress, "cosine": (1 - math.cos(math.pi * progress)) / 2}[schedule]
    return peak * (1 - 0.9 * fall)


def apply_step(model: nn.Module, optimizer: torch.optim.Optimizer, rate: float, max_norm: float) -> float:
    """Sums the gradient over processes, clips it to `max_norm` (0: not at all), takes one step at `rate`, clears it.

    Returns:
        The gradient's norm before clipping.
    """
    parallel.sum_gradients(model)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm or math.inf)
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(sharding.put_together(norm))
