"""A run's scalars: ``metrics.jsonl``, one line a step, and the same in TensorBoard."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from shopsim.errors import InputError


class RunLog:
    """Writes scalars as a run goes. Lines of steps that a resumed run will do again are cut off first.

    Args:
        out: The run's folder.
        start: First step that will be written.
    """

    def __init__(self, out: Path, start: int) -> None:
        self._path = out / "metrics.jsonl"
        kept = [line for line in read(out) if line["step"] < start]
        part = self._path.with_name(".metrics.jsonl")
        part.write_text("".join(json.dumps(line) + "\n" for line in kept))
        os.replace(part, self._path)
        self._file = self._path.open("a")
        self._board = SummaryWriter(str(out / "tensorboard"), purge_step=start)

    def write(self, step: int, scalars: Mapping[str, float]) -> None:
        """Appends the scalars of one step."""
        self._file.write(json.dumps({"step": step, **scalars}) + "\n")
        self._file.flush()
        for name, value in scalars.items():
            self._board.add_scalar(name, value, step)

    def close(self) -> None:
        """Flushes both."""
        self._file.close()
        self._board.close()


def read(out: Path) -> list[dict[str, Any]]:
    """All lines written so far, oldest first; a last line cut off by a kill is left out.

    Raises:
        InputError: The file holds something else.
    """
    path = out / "metrics.jsonl"
    if not path.exists():
        return []
    try:
        lines = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
        if not all(isinstance(line, dict) and "step" in line for line in lines):
            raise ValueError("a line names no step")
    except ValueError as error:
        raise InputError(f"{path} is no log of a run ({error})") from error
    return lines
