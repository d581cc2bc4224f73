"""Several processes, one update: started by ``torchrun``, each plays and trains its share, gradients are summed.

Weights of tokens are those of the whole batch, so a sum, not a mean, of the processes' gradients is the gradient that
one process would have had, however unequal their shares. What is gathered is small: numbers, and answers without their
prompts. Started without ``torchrun`` all of this does nothing.
"""

import os
from collections.abc import Sequence
from typing import Any, TypeVar

import torch
from torch import distributed, nn
from torch.distributed.fsdp import FSDPModule

T = TypeVar("T")


def join(device: str) -> None:
    """Joins the processes that torchrun started; on CPUs by gloo."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1 or distributed.is_initialized():
        return
    gpu = device != "cpu" and torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("nccl" if gpu else "gloo")


def rank() -> int:
    """This process's number, from 0; only 0 writes to disk."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def size() -> int:
    """Number of processes."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def share(items: Sequence[T]) -> Sequence[T]:
    """This process's part; `gather` puts the parts together again."""
    return items[rank() :: size()]


def gather(mine: Sequence[T]) -> list[T]:
    """All items in the order they had before `share`."""
    parts = _of_all(mine)
    whole: list[Any] = [None] * sum(map(len, parts))
    for number, part in enumerate(parts):
        whole[number :: size()] = part
    return whole


def total(values: Sequence[float]) -> list[float]:
    """Each number summed over the processes."""
    return [sum(of_all) for of_all in zip(*_of_all(values), strict=True)]


def sum_gradients(model: nn.Module) -> None:
    """Leaves in every process the sum of all processes' gradients."""
    if size() == 1 or isinstance(model, FSDPModule):  # a sharded model's are summed as they come
        return
    for parameter in model.parameters():
        if parameter.requires_grad:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            distributed.all_reduce(parameter.grad)


def wait() -> None:
    """Until all processes are here."""
    if size() > 1:
        distributed.barrier()


def _of_all(mine: Sequence[T]) -> list[list[T]]:
    """Every process's own items."""
    if size() == 1:
        return [list(mine)]
    parts: list[Any] = [None] * size()
    distributed.all_gather_object(parts, list(mine))
    return parts
