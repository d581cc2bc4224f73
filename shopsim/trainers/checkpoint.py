"""Checkpoints: one folder that agents load as a model and trainers resume from, complete at every moment.

A run's folder holds ``checkpoint-<step>`` folders. One is written under a hidden name beside and renamed when it is
whole, and only then is the one before renamed away and deleted, so whatever bears the name is complete, and from the
first save on there is always one. Inside are the model, tokenizer and processor as ``save_pretrained`` writes them,
``optimizer.state`` (a safetensors file) and ``trainer.json``. Nothing is pickled.

Seeds of everything random in a run are functions of its seed and step, and so is the order of data: the step is all the
state there is besides weights and optimizer.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from shopsim.errors import InputError
from shopsim.trainers import sharding

FORMAT = 1
# By another ending, since vLLM takes every *.safetensors of a folder for the model's weights.
STATE, OPTIMIZER = "trainer.json", "optimizer.state"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a run is a run of. A checkpoint of another one is refused."""

    trainer: str
    """``imitation`` or ``grpo``."""
    model: str
    """Hash of the model it started from (`model_hash`)."""
    data: str
    """Hash of the data set."""
    settings: Mapping[str, Any]
    """Every option that shapes the curve, as JSON values."""


def model_hash(folder: Path) -> str:
    """sha256 over a model folder's configuration and weights."""
    digest = hashlib.sha256()
    for path in [folder / "config.json", *sorted(folder.glob("*.safetensors"))]:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def save(
    out: Path,
    step: int,
    identity: Identity,
    write_model: Callable[[Path], None],
    moments: Mapping[str, Tensor],
) -> Path:
    """Writes the checkpoint after `step` steps, then removes older ones.

    A checkpoint of the same step that is already there is the same one, and stays.

    Args:
        out: The run's folder.
        step: Steps (imitation) or iterations (GRPO) done.
        identity: What the run is.
        write_model: Writes model, tokenizer and processor into a folder.
        moments: The optimizer's state, see `optimizer_state`.

    Raises:
        InputError: It cannot be written.
    """
    final, hidden = out / f"checkpoint-{step:06d}", out / ".writing"
    if final.is_dir():
        return final
    shutil.rmtree(hidden, ignore_errors=True)
    hidden.mkdir(parents=True)
    try:
        write_model(hidden)
        save_file(dict(moments), hidden / OPTIMIZER)
    except SafetensorError as error:
        raise InputError(f"{final} cannot be written ({error})") from error
    (hidden / STATE).write_text(json.dumps({"format": FORMAT, "step": step, **asdict(identity)}, indent=1))
    before = list(out.glob("checkpoint-*"))
    hidden.rename(final)
    for path in before:
        _remove(path)
    return final


def step_of(checkpoint: Path, identity: Identity) -> int:
    """Steps done at a checkpoint.

    Raises:
        InputError: It belongs to another run than `identity`, or cannot be read.
    """
    try:
        state = json.loads((checkpoint / STATE).read_text())
        if state["format"] != FORMAT:
            raise InputError(f"{checkpoint} has checkpoint format {state['format']}, this version reads {FORMAT}")
        found = Identity(state["trainer"], state["model"], state["data"], state["settings"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{checkpoint / STATE} is no trainer state ({type(error).__name__})") from None
    wanted = asdict(identity)
    for what in ("trainer", "model", "data"):
        if getattr(found, what) != wanted[what]:
            raise InputError(
                f"{checkpoint} was made with another {what} ({getattr(found, what)[:12]}, now {wanted[what][:12]}); "
                "give another output folder, or what it was started with"
            )
    for name, value in wanted["settings"].items():
        if found.settings.get(name) != value:
            raise InputError(
                f"{checkpoint} was made with {name}={found.settings.get(name)}, now {value}; "
                "give another output folder, or the same settings"
            )
    return int(state["step"])


def optimizer_state(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """An optimizer's state by parameter name, on the CPU; of a sharded model all processes must ask for it."""
    return {
        f"{name}/{key}": sharding.put_together(value)
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def load_optimizer(checkpoint: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Puts a checkpoint's optimizer state back, by parameter name.

    Raises:
        InputError: It cannot be read.
    """
    try:
        saved = load_file(checkpoint / OPTIMIZER)
    except (OSError, SafetensorError) as error:
        raise InputError(f"{checkpoint / OPTIMIZER} cannot be read ({error})") from error
    by_name = dict(model.named_parameters())
    for key, value in saved.items():
        name, _, field = key.rpartition("/")
        parameter = by_name[name]
        # AdamW keeps its step count on the CPU, moments beside the parameter.
        optimizer.state[parameter][field] = value if field == "step" else sharding.cut_like(value, parameter)


def _remove(path: Path) -> None:
    """Deletes a checkpoint that no reader may take for a whole one meanwhile."""
    gone = path.with_name(".removing")
    shutil.rmtree(gone, ignore_errors=True)
    path.rename(gone)
    shutil.rmtree(gone)
