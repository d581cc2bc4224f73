"""Each distinct screen of a batch goes through a model's vision tower once. Ours.

Steps of a session share past screens, and sessions of a group their first one; what the tower makes of a screen is
handed to every row that shows it, and gradients of all of them meet there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from shopsim.agents.encoding import Batch


@contextmanager
def screens_once(model: Any, batch: Batch) -> Iterator[None]:
    """Within, a model's forward pass on a batch encodes each distinct screen once.

    Args:
        model: Of a supported family; all of them keep their tower in ``model.model.visual``.
        batch: What the model is called with.
    """
    screens = batch.screens
    distinct = sorted(set(screens))
    if len(distinct) == len(screens):
        yield
        return
    firsts = [screens.index(screen) for screen in distinct]

    def once(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        pixels, grid = args[0], kwargs["grid_thw"]
        parts = pixels.split(grid.prod(-1).tolist())
        return (torch.cat([parts[i] for i in firsts]), *args[1:]), kwargs | {"grid_thw": grid[firsts]}

    def for_all(tower: Any, _: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Any:
        sizes = (kwargs["grid_thw"].prod(-1) // tower.spatial_merge_size**2).tolist()

        def spread(features: Tensor) -> Tensor:
            parts = torch.split(features, sizes)
            return torch.cat([parts[screen] for screen in screens])

        output.pooler_output = spread(output.pooler_output)
        if getattr(output, "deepstack_features", None):
            output.deepstack_features = [spread(features) for features in output.deepstack_features]
        return output

    tower = model.model.visual
    hooks = [
        tower.register_forward_pre_hook(once, with_kwargs=True),
        tower.register_forward_hook(for_all, with_kwargs=True),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
