"""LoRA (2106.09685) by peft: a low-rank term beside every linear layer is trained, the model's own weights stay.

A checkpoint holds the merged weights, so that whoever loads it need not know of this, and the adapter by itself in
peft's layout, which a resumed run puts beside the weights the run began with: merging and going on would round.
"""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from shopsim.errors import InputError

FOLDER = "adapter"
"""Folder of the adapter in a checkpoint."""
_NAME = "default"
_WEIGHTS = "adapter_model.safetensors"


def add(model: torch.nn.Module, rank: int, seed: int) -> None:
    """Freezes a model and puts a trainable term ``2 B A`` beside all its linear layers but the head.

    With B = 0 the model computes what it did before. The factor (alpha / rank in the paper) is fixed, so that the
    learning rate need not follow the rank.

    Args:
        model: A transformers model; changed in place.
        rank: Rows of A and columns of B.
        seed: Of A.
    """
    from peft import LoraConfig, inject_adapter_in_model

    with torch.random.fork_rng():  # peft draws A from the global generator
        inject_adapter_in_model(LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear"), model, _NAME)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in _parameters(model).items():
            if ".lora_A." in name:
                bound = parameter.shape[1] ** -0.5
                drawn = torch.empty(parameter.shape).uniform_(-bound, bound, generator=generator)
                parameter.copy_(drawn)


def merged(model: torch.nn.Module) -> dict[str, Tensor]:
    """The state of the plain model with the terms added to its weights; the model stays as it is."""
    from peft.tuners.lora import LoraLayer

    layers: dict[str, Any] = {name: module for name, module in model.named_modules() if isinstance(module, LoraLayer)}
    state = {}
    for name, value in model.state_dict().items():
        owner, _, leaf = name.partition(".base_layer.")
        if owner in layers:
            added = layers[owner].get_delta_weight(_NAME).to(value.dtype) if leaf == "weight" else 0.0
            state[f"{owner}.{leaf}"] = value + added
        elif ".lora_" not in name:
            state[name] = value
    return state


def save(model: Any, folder: Path) -> None:
    """Writes the adapter in peft's layout into a checkpoint's `FOLDER`."""
    (folder / FOLDER).mkdir()
    model.peft_config[_NAME].save_pretrained(folder / FOLDER)
    state = {_key(name): parameter.detach().cpu().contiguous() for name, parameter in _parameters(model).items()}
    save_file(state, folder / FOLDER / _WEIGHTS, metadata={"format": "pt"})


def load(model: torch.nn.Module, folder: Path) -> None:
    """Puts a checkpoint's adapter back.

    Raises:
        InputError: It cannot be read.
    """
    path = folder / FOLDER / _WEIGHTS
    try:
        state = load_file(path)
        with torch.no_grad():
            for name, parameter in _parameters(model).items():
                parameter.copy_(state[_key(name)])
    except (OSError, SafetensorError, KeyError, RuntimeError) as error:
        raise InputError(f"{path} cannot be read ({error})") from error


def _parameters(model: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    return {name: p for name, p in model.named_parameters() if ".lora_" in name}


def _key(name: str) -> str:
    """What peft's files call a parameter."""
    return "base_model.model." + name.replace(f".{_NAME}.", ".")
