"""Recordings as Parquet for training elsewhere: one row a step, every screen once (SPEC 8). Ours.

A folder of three files, readable by pyarrow, pandas, polars, DuckDB and ``datasets`` without this project::

    steps.parquet     one row a step, in order: what was seen (`screen`, `next_screen`), asked (`prompt`), answered
                      (`answer`, `token_ids`, `logprobs`), decided (`action`, `x`, `y`, `mind`, ...), what it did
                      (`effect`, `item`, `invalid`), `reward` and flags
    episodes.parquet  one row a recording: agent, environment, task and seeds as JSON, total reward and its parts
    screens.parquet   `screen` (hash of the pixels), `png` (the bytes of the recording's file), `width`, `height`

Nothing that a recording holds is left out, so that the recording could be made of it again; only lone halves of
surrogate pairs in a model's answer, which no Parquet text can hold, become U+FFFD.
"""

import io
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image as PillowImage

from shopsim.agents.record import load
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.errors import DataError, InputError

STEPS, EPISODES, SCREENS = "steps.parquet", "episodes.parquet", "screens.parquet"

_TEXT, _JSON = pa.string(), pa.string()

_SCHEMAS = {
    STEPS: pa.schema(
        {
            "recording": _TEXT,
            "session_id": _TEXT,
            "agent": _TEXT,
            "step": pa.int32(),
            "screen": _TEXT,
            "next_screen": _TEXT,
            "observation": _TEXT,
            "page": pa.int8(),
            "cart": pa.int32(),
            "prompt": _JSON,
            "memory": _JSON,
            "memory_after": _JSON,
            "before": _JSON,
            "seconds": pa.float64(),
            "answer": _TEXT,
            "token_ids": pa.list_(pa.int64()),
            "logprobs": pa.list_(pa.float64()),
            "prompt_tokens": pa.int32(),
            "answer_tokens": pa.int32(),
            "cut_off": pa.bool_(),
            "action": pa.int8(),
            "x": pa.float64(),
            "y": pa.float64(),
            "mind": _TEXT,
            "episodic": _TEXT,
            "preference": _TEXT,
            "failure": _TEXT,
            "effect": _TEXT,
            "item": pa.int64(),
            "invalid": _TEXT,
            "reward": pa.float64(),
            "terminated": pa.bool_(),
            "truncated": pa.bool_(),
        }
    ),
    EPISODES: pa.schema(
        {
            "recording": _TEXT,
            "session_id": _TEXT,
            "agent": _JSON,
            "environment": _JSON,
            "data": _JSON,
            "task": _JSON,
            "seed": pa.int64(),
            "steps": pa.int32(),
            "end": _JSON,
            "stop_reason": _TEXT,
            "reward": _JSON,
            "total": pa.float64(),
            "shopsim": _TEXT,
        }
    ),
    SCREENS: pa.schema({"screen": _TEXT, "png": pa.binary(), "width": pa.int32(), "height": pa.int32()}),
}


def export_parquet(recordings: Sequence[Path], out: str | Path) -> Path:
    """Writes recordings into a new folder.

    Args:
        recordings: Their folders (`shopsim.agents.record.recordings_in`).
        out: The folder to make.

    Raises:
        InputError: The folder is there already.
        DataError: A recording cannot be read.
    """
    out = Path(out)
    if out.exists():
        raise InputError(f"{out} is there already; give a new folder")
    unfinished = out.with_name(out.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)  # what a killed export left
    unfinished.mkdir(parents=True)
    known: set[str] = set()
    try:
        with ExitStack() as files:
            tables = {
                name: files.enter_context(pq.ParquetWriter(unfinished / name, schema, compression="zstd"))
                for name, schema in _SCHEMAS.items()
            }
            for path in recordings:
                trace = load(path)
                rows = {
                    STEPS: list(_steps(trace)),
                    EPISODES: [_episode(trace)],
                    SCREENS: list(_new(path, trace, known)),
                }
                for name, table in tables.items():
                    if rows[name]:
                        table.write_table(pa.Table.from_pylist(rows[name], _SCHEMAS[name]))
        unfinished.rename(out)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return out


def screens_of(trace: dict[str, Any]) -> list[str | None]:
    """The screens of a trace in order: before each step, and after the last."""
    return [step["screen"] for step in trace["steps"]] + [trace["end"]["screen"]]


def _steps(trace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    after = screens_of(trace)[1:]
    for step, next_screen in zip(trace["steps"], after, strict=True):
        decision, completion = step["decision"], step["completion"] or {}
        x, y = decision["point"] or (None, None)
        yield {
            "recording": trace["id"],
            "session_id": trace["session_id"],
            "agent": trace["agent"].get("label") or trace["agent"].get("name"),
            "next_screen": next_screen,
            **{name: step["counts"][name] for name in ("page", "cart")},
            **{name: _json(step[name]) for name in ("prompt", "memory", "memory_after", "before")},
            "answer": decision["raw"],
            **{name: completion.get(name) for name in ("token_ids", "logprobs", "prompt_tokens", "answer_tokens")},
            "cut_off": completion.get("truncated"),
            "action": None if decision["action"] is None else int(ACTION_BY_LABEL[decision["action"]]),
            "x": x,
            "y": y,
            **{name: decision[name] for name in ("mind", "episodic", "preference", "failure")},
            **{
                name: step[name]
                for name in (
                    "step", "screen", "observation", "seconds", "effect", "item", "invalid", "reward", "terminated",
                    "truncated",
                )
            },
        }  # fmt: skip


def _episode(trace: dict[str, Any]) -> dict[str, Any]:
    return {
        "recording": trace["id"],
        **{name: trace[name] for name in ("session_id", "seed", "stop_reason", "total", "shopsim")},
        **{name: _json(trace[name]) for name in ("agent", "environment", "data", "task", "end", "reward")},
        "steps": len(trace["steps"]),
    }


def _new(path: Path, trace: dict[str, Any], known: set[str]) -> Iterator[dict[str, Any]]:
    """Screens of one recording that no earlier one had."""
    for screen in dict.fromkeys(screens_of(trace)):
        if screen is None or screen in known:
            continue
        known.add(screen)
        try:
            png = (path / "screens" / f"{screen}.png").read_bytes()
            with PillowImage.open(io.BytesIO(png)) as picture:
                width, height = picture.size
        except OSError as error:
            raise DataError(f"{path}: screen {screen} cannot be read: {error}") from None
        yield {"screen": screen, "png": png, "width": width, "height": height}


def _json(value: Any) -> str | None:
    # In ASCII, since a lone half of a surrogate pair is no legal Parquet text but does occur in answers.
    return None if value is None else json.dumps(value)
