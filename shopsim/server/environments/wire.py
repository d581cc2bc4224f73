"""Observations and infos as JSON and back: what comes out equals what went in, types included. Ours.

Screens travel as PNG, in base64. Everything else is plain JSON with names, so that any client can read it.
"""

import base64
import io
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.envs.infos import PastItem, VisibleItem
from shopsim.envs.replay_env import HumanAction
from shopsim.envs.reward import RewardParts, StepRewardParts

_COUNTS = ("page", "cart", "step")
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Outcome(NamedTuple):
    """What `reset` and `step` of an environment give."""

    observation: dict[str, Any]
    reward: float | None
    """None after a reset."""
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def write_outcome(outcome: Outcome, **more: Any) -> dict[str, Any]:
    """An outcome as JSON objects, in OpenEnv's shape.

    Args:
        outcome: What is written.
        more: What else the metadata shall say.
    """
    seen: dict[str, Any] = {name: int(outcome.observation[name]) for name in _COUNTS}
    if "screenshot" in outcome.observation:
        seen["screenshot"] = write_png(outcome.observation["screenshot"])
    return {
        "observation": seen,
        "reward": outcome.reward,
        "done": outcome.terminated or outcome.truncated,
        "metadata": {
            "terminated": outcome.terminated,
            "truncated": outcome.truncated,
            "info": _write_info(outcome.info),
            **more,
        },
    }


def read_outcome(data: Mapping[str, Any]) -> Outcome:
    """The outcome that was written."""
    seen: dict[str, Any] = {name: np.int64(data["observation"][name]) for name in _COUNTS}
    if "screenshot" in data["observation"]:
        seen["screenshot"] = read_png(data["observation"]["screenshot"])
    about = data["metadata"]
    return Outcome(seen, data["reward"], about["terminated"], about["truncated"], _read_info(about["info"]))


def write_png(pixels: NDArray[np.uint8]) -> str:
    """A screen (height, width, 3) as PNG in base64.

    By hand, as Pillow tries five filters on each row: that takes twice as long, and a drawn screen gains nothing by it.
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with its filter, 0 for none
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = _chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(rows.data, 1)), _chunk(b"IEND", b"")
    return base64.b64encode(b"".join((_SIGNATURE, *chunks))).decode("ascii")


def read_png(text: str) -> NDArray[np.uint8]:
    """A screen from PNG in base64, as an array that can be changed."""
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(text)), formats=("PNG",)) as image:
        return np.array(image.convert("RGB"))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def dumps(value: Any) -> str:
    """JSON in one line."""
    return json.dumps(value, separators=(",", ":"))


def _write_info(info: Mapping[str, Any]) -> dict[str, Any]:
    told = dict(info)
    told["action_mask"] = info["action_mask"].tolist()
    for name in ("items", "clicks", "purchases"):
        if name in told:
            told[name] = [entry._asdict() for entry in told[name]]
    for name in ("reward_parts", "human_action"):
        if name in told:
            told[name] = told[name]._asdict()
    return told


def _read_info(told: Mapping[str, Any]) -> dict[str, Any]:
    info = dict(told)
    info["action_mask"] = np.array(told["action_mask"], dtype=bool)
    info["items"] = tuple([VisibleItem(**{**entry, "box": tuple(entry["box"])}) for entry in told["items"]])
    info["cart"] = tuple(told["cart"])
    for name in ("clicks", "purchases"):
        if name in told:
            info[name] = tuple([PastItem(**entry) for entry in told[name]])
    if "reward_parts" in told:
        parts = told["reward_parts"]
        info["reward_parts"] = RewardParts(**parts) if "macro" in parts else StepRewardParts(**parts)
    if "human_action" in told:
        done = told["human_action"]
        info["human_action"] = HumanAction(done["label"], done["item_id"], _tuple(done["point"]))
    if "privileged" in told:
        hidden = told["privileged"]
        info["privileged"] = {
            "categories": tuple([tuple(names) for names in hidden["categories"]]),
            "open_item_categories": _tuple(hidden["open_item_categories"]),
            "human": tuple([tuple(pair) for pair in hidden["human"]]),
        }
    return info


def _tuple(value: list[Any] | None) -> Any:
    return None if value is None else tuple(value)
