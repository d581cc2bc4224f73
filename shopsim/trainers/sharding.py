"""FSDP2: each of several processes keeps a slice of weights, gradients and the optimizer's state.

The model's blocks are put together when their turn comes and cut again behind it. All processes must therefore go
through the model equally often; the one with fewer micro-batches goes through it with nothing to learn (`even`).
Sampling cannot keep step like that, as answers and sessions differ in length: for it the weights, without gradients
and optimizer, stand whole in every process (`whole`). Gradients are summed as in `shopsim.trainers.parallel`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from shopsim.agents.backend import Image, Message, Prompt
from shopsim.errors import InputError
from shopsim.trainers import parallel

T = TypeVar("T")


def shard(model: nn.Module) -> None:
    """Cuts a model into slices, in place: its blocks each for themselves, and what is left of it.

    Args:
        model: A transformers model, the same in every process.

    Raises:
        InputError: There is only one process.
    """
    if parallel.size() == 1:
        raise InputError("fsdp shares one model among several processes; start them by torchrun")
    blocks: Sequence[str] = getattr(model, "_no_split_modules", None) or ()
    parts = [module for module in model.modules() if type(module).__name__ in blocks]
    for module in [*parts, model]:
        sharded = fully_shard(module, reshard_after_forward=True)
        sharded.set_gradient_divide_factor(1.0)  # a sum, not a mean,
        sharded.set_force_sum_reduction_for_comms(True)  # taken as such, which gloo can do too
    with torch.no_grad():  # the first pass settles which module is the outermost, before a sampler calls inner ones
        model(input_ids=torch.zeros((1, 1), dtype=torch.long, device=next(model.parameters()).device))


@contextmanager
def whole(model: nn.Module) -> Iterator[None]:
    """Within, all weights are in every process, and forward passes ask nothing of the others. Not for training."""
    parts = [module for module in model.modules() if isinstance(module, FSDPModule)]
    for module in parts:
        module.set_reshard_after_forward(False, recurse=False)
        module.unshard()
    try:
        yield
    finally:
        for module in parts:
            module.set_reshard_after_forward(True, recurse=False)
            module.reshard()


def even(model: nn.Module, parts: Sequence[T], filler: T) -> list[T]:
    """As many parts in every process that shares `model`, the lacking ones made up by `filler`."""
    lacking = 0
    if isinstance(model, FSDPModule):
        lacking = int(max(parallel.gather([float(len(parts))]))) - len(parts)
    return [*parts, *[filler] * lacking]


def filler(reads_images: bool) -> Prompt:
    """The smallest prompt that goes through all of a model."""
    screen = Image.of(np.zeros((64, 64, 3), dtype=np.uint8))
    return Prompt((Message("user", (".", screen) if reads_images else (".",)),))


def weights(model: nn.Module) -> dict[str, Tensor] | None:
    """A sharded model's weights put together, in the first process; None for a model that is whole already.

    All processes that share the model must call it.
    """
    if not isinstance(model, FSDPModule):
        return None
    found: dict[int, Tensor] = {}
    names: dict[str, Tensor] = {}
    for name, value in model.state_dict(keep_vars=True).items():
        if id(value) not in found:  # else one under two names
            found[id(value)] = put_together(value)
        if parallel.rank() == 0:
            names[name] = found[id(value)]
        else:
            found[id(value)] = torch.empty(0)
    return names


def put_together(value: Tensor) -> Tensor:
    """A tensor as a whole on the CPU; all processes must ask for it."""
    return (value.full_tensor() if isinstance(value, DTensor) else value).detach().cpu().contiguous()


def cut_like(value: Tensor, like: Tensor) -> Tensor:
    """A whole tensor beside another one, cut as that is."""
    value = value.to(like.device)
    return distribute_tensor(value, like.device_mesh, like.placements) if isinstance(like, DTensor) else value
