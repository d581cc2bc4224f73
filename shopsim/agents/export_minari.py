"""Recordings as a Minari data set, the offline format of the Farama projects (https://minari.farama.org). Ours.

Lossless: observations are bit for bit what the agent saw (Minari's JPEG encoding is switched off), and each episode
keeps the seed and options that start it again. What an agent said and remembered has no place in that format; it is in
`shopsim.agents.export_parquet`.

Two things that `ShopSimEnv.step` takes are no members of its action space, so the data set's is a little larger::

    Dict(action=Discrete(9), point=Box(-1, 1, (2,), float32))

Action 8 (`UNREAD`) is an answer that could not be read, None for `step`. A point that is missing or off the screen is
(-1, -1), which does the same.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from shopsim import __version__
from shopsim.agents.record import load, load_screen
from shopsim.data.vocabulary import ACTION_BY_LABEL, Action
from shopsim.errors import DataError, InputError

UNREAD = len(Action)
"""Number of the action that stands for an answer that could not be read."""
_NO_POINT = (-1.0, -1.0)

ACTION_SPACE = spaces.Dict(
    {"action": spaces.Discrete(len(Action) + 1), "point": spaces.Box(-1.0, 1.0, (2,), np.float32)}
)


def export_minari(recordings: Sequence[Path], out: str | Path, data: str | Path | None = None) -> Path:
    """Writes recordings, all played in the same kind of environment, into a new folder.

    The folder's name is the data set's id; it gets a ``-v0`` where it has no version.
    ``minari.MinariDataset(folder / "data")`` opens it, as does ``minari.load_dataset(id)`` with
    ``MINARI_DATASETS_PATH`` set to the folder above.

    Args:
        recordings: Their folders (`shopsim.agents.record.recordings_in`).
        out: The folder to make.
        data: The data set, where it is no longer at the recorded place.

    Returns:
        The folder.

    Raises:
        InputError: Minari is not installed, or the folder is there already.
        DataError: A recording cannot be read, or was played in another environment than the first.
    """
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
        from minari.dataset.minari_storage import MinariStorage
    except ImportError as error:
        raise InputError("exporting to Minari needs it: pip install minari") from error
    out = Path(out)
    if not out.name.rpartition("-v")[2].isdigit():
        out = out.with_name(f"{out.name}-v0")
    if out.exists():
        raise InputError(f"{out} is there already; give a new folder")
    first = load(recordings[0])
    spec = _spec(first, data)
    env = gym.make(spec, disable_env_checker=True)
    observation_space = env.observation_space
    env.close()
    # Absolute, since Minari joins a relative path to itself.
    unfinished = out.with_name(out.name + ".unfinished").absolute()
    shutil.rmtree(unfinished, ignore_errors=True)  # what a killed export left
    unfinished.mkdir(parents=True)
    try:
        storage = MinariStorage.new(
            unfinished / "data", observation_space, ACTION_SPACE, spec, data_format="parquet", jpeg_encoding=False
        )
        storage.update_metadata(
            {
                "dataset_id": out.name,
                "minari_version": minari.__version__,
                "algorithm_name": json.dumps(first["agent"]),
                "description": f"Shopping sessions recorded by ShopSim {__version__}",
                "requirements": [f"shopsim=={__version__}"],
            }
        )
        storage.update_episodes(EpisodeBuffer(**episode) for episode in _episodes(recordings, first))
        unfinished.rename(out)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return out


def env_action(action: dict[str, Any]) -> dict[str, Any] | None:
    """One action of the data set as `ShopSimEnv.step` takes it."""
    if int(action["action"]) == UNREAD:
        return None
    return {"action": int(action["action"]), "point": action["point"]}


def _spec(trace: dict[str, Any], data: str | Path | None) -> EnvSpec:
    spec = deepcopy(gym.spec(trace["environment"]["id"]))
    arguments = dict(trace["environment"]["arguments"])
    # `gymnasium.make` has this one as an argument of its own.
    spec.max_episode_steps = arguments.pop("max_episode_steps", None)
    spec.kwargs = arguments | {"data": str(data or arguments["data"])}
    return spec


def _episodes(recordings: Sequence[Path], first: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in recordings:
        trace = load(path)
        for name in ("environment", "data"):
            if trace[name] != first[name]:
                raise DataError(f"{path}: was played in another environment or data set than {first['id']}")
        yield _episode(path, trace)


def _episode(path: Path, trace: dict[str, Any]) -> dict[str, Any]:
    steps = trace["steps"]
    moments = [*steps, trace["end"]]
    observations: dict[str, Any] = {
        name: np.array([moment["counts"][name] for moment in moments]) for name in ("page", "cart", "step")
    }
    if trace["end"]["screen"] is not None:
        observations["screenshot"] = np.stack([load_screen(path, moment["screen"]) for moment in moments])
    decisions = [step["decision"] for step in steps]
    task = trace["task"]
    options = {name: task[name] for name in ("session_id", "persona") if task[name] is not None}
    return {
        "seed": trace["seed"],
        "options": {"session_id": trace["session_id"]} | options,
        "observations": observations,
        "actions": {
            "action": np.array(
                [UNREAD if d["action"] is None else int(ACTION_BY_LABEL[d["action"]]) for d in decisions]
            ),
            "point": np.array([_point(d["point"]) for d in decisions], dtype=np.float32),
        },
        "rewards": [step["reward"] for step in steps],
        "terminations": [step["terminated"] for step in steps],
        "truncations": [step["truncated"] for step in steps],
        # One more than there are actions: infos begin with that of `reset`.
        "infos": {
            "effect": ["", *(step["effect"] or "" for step in steps)],
            "invalid": ["", *(step["invalid"] or "" for step in steps)],
            "item": [-1, *(step["item"] for step in steps)],
        },
    }


def _point(point: Sequence[float] | None) -> tuple[float, float]:
    if point is None or not all(0.0 <= v <= 1.0 for v in point):
        return _NO_POINT
    return point[0], point[1]
