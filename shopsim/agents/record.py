"""Lossless recordings of rollouts, and their re-execution (SPEC 8, ``shopsim replay``). Ours.

A recording is a folder of its own with a name of its own, also where the same task was played twice::

    <session>-<12 random hexadecimal digits>/
        trace.json          how the environment was made, the task, and each step: prompt and its hash, raw answer,
                            tokens, seconds, action, memory before and after, reward,
                            flags, the observation's numbers and hash
        screens/<id>.png    every distinct screen once, by the hash of its pixels

What is stored is what was seen, bit for bit, and enough to do it all again: `verify` does, and compares.
"""

import json
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from shopsim import __version__
from shopsim.agents.backend import Image, Prompt, pixel_hash
from shopsim.agents.rollout import End, Rollout, StepSample, Task, observation_hash
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.envs.decision import Decision
from shopsim.envs.feed import POLICIES
from shopsim.envs.trajectory import Event
from shopsim.errors import DataError, InputError

FORMAT, VERSION = "shopsim-trace", 1
_PARTS = "environment", "data", "session_id", "task", "steps", "end", "stop_reason", "reward", "total"
_ENVIRONMENTS = "ShopSim-v0", "ShopSimReplay-v0"


def record(rollout: Rollout, folder: str | Path, agent: Mapping[str, Any]) -> Path:
    """Writes a rollout that `shopsim.agents.rollout.collect` kept with ``record=True``.

    Args:
        rollout: One that has not ended in a fault.
        folder: Where recordings are gathered.
        agent: What `Agent.settings` says.

    Returns:
        The recording's own folder.

    Raises:
        InputError: The rollout was not kept for recording, or its environment cannot be made again from plain values.
    """
    end = rollout.end
    if end is None:
        raise InputError("this rollout cannot be recorded: play it with collect(..., record=True), and without a fault")
    name = f"{re.sub(r'[^A-Za-z0-9_.-]', '_', end.session_id)}-{uuid.uuid4().hex[:12]}"
    trace = {
        "format": FORMAT,
        "version": VERSION,
        "id": name,
        "shopsim": __version__,
        "environment": _environment(end),
        "data": {"path": end.data_path, "hash": end.data_hash},
        "session_id": end.session_id,
        "seed": end.seed,
        "task": asdict(rollout.task),
        "agent": dict(agent),
        "steps": [_step(*pair) for pair in zip(rollout.samples, rollout.answers, strict=True)],
        "end": {
            "screen": end.screen.id if end.screen else None,
            "observation": end.observation_hash,
            "counts": dict(end.counts),
        },
        "stop_reason": rollout.trajectory.stop_reason if rollout.trajectory else None,
        "reward": rollout.reward._asdict() if rollout.reward else None,
        "total": rollout.total,
    }
    target = Path(folder) / name
    unfinished = target.with_name(name + ".unfinished")
    (unfinished / "screens").mkdir(parents=True)
    try:
        for image in _screens(rollout, end):
            _write_png(unfinished / "screens" / f"{image.id}.png", image.array)
        # Last, and whole from the start: what has a trace is a recording, also to who finds it after a kill.
        part = unfinished / "trace.part"
        # A model's raw answer may hold anything; what is no legal text is kept too.
        part.write_bytes(json.dumps(trace, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"))
        part.rename(unfinished / "trace.json")
        unfinished.rename(target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return target


def load(path: str | Path) -> dict[str, Any]:
    """The content of a recording's ``trace.json``.

    Raises:
        DataError: There is none, it is of another format, or parts of it are missing.
    """
    file = Path(path) / "trace.json"
    try:
        trace: dict[str, Any] = json.loads(file.read_bytes().decode("utf-8", "surrogatepass"))
    except OSError:
        raise DataError(f"{path} is no recording: it has no trace.json") from None
    except ValueError as error:
        raise DataError(f"{file} cannot be read: {error}") from None
    if not isinstance(trace, dict) or (trace.get("format"), trace.get("version")) != (FORMAT, VERSION):
        raise DataError(f"{file} is no recording of format {FORMAT}, version {VERSION}")
    if missing := [name for name in _PARTS if name not in trace]:
        raise DataError(f"{file} lacks {', '.join(missing)}")
    made = trace["environment"].get("id")
    if made not in _ENVIRONMENTS:
        raise DataError(f"{file}: environment is {made!r}; it must be one of {', '.join(_ENVIRONMENTS)}")
    for number, step in enumerate(trace["steps"]):
        try:
            decision_of(step)
        except (LookupError, TypeError, ValueError) as error:
            raise DataError(f"{file}: step {number} holds no decision that can be read ({error!r})") from None
    return trace


def recordings_in(path: str | Path) -> list[Path]:
    """The recordings at a path or anywhere below it, in the order of their names.

    Raises:
        DataError: There is none.
    """
    found = sorted(file.parent for file in Path(path).rglob("trace.json"))
    if not found:
        raise DataError(f"{path}: there is no recording (trace.json) in it")
    return found


def load_screen(path: str | Path, screen: str) -> NDArray[np.uint8]:
    """The pixels of a recorded screen, uint8 of shape (height, width, 3).

    Raises:
        DataError: The recording lacks it.
    """
    from PIL import Image as PillowImage

    file = Path(path) / "screens" / f"{screen}.png"
    try:
        with PillowImage.open(file) as picture:
            return np.array(picture)
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error}") from None


def decision_of(step: Mapping[str, Any]) -> Decision:
    """The decision of one step of a loaded trace."""
    stored = step["decision"]
    return Decision(
        None if stored["action"] is None else ACTION_BY_LABEL[stored["action"]],
        None if stored["point"] is None else (stored["point"][0], stored["point"][1]),
        stored["mind"],
        stored["episodic"],
        stored["preference"],
        stored["raw"],
        stored["failure"],
    )


def environment_of(trace: Mapping[str, Any], dataset: DataSet, trust: bool, **changed: Any) -> gym.Env[Any, Any]:
    """The environment that a loaded trace was played in, made again.

    Args:
        trace: What `load` returned.
        dataset: Its data set.
        trust: Whether code may be run that the trace names: a feed policy by import path.
        **changed: Arguments in the place of the recorded ones.

    Raises:
        DataError: It names code and is not trusted.
    """
    arguments = trace["environment"]["arguments"] | {"data": dataset} | changed
    feed = arguments.get("feed", "recorded")
    if feed not in POLICIES and not trust:
        raise DataError(f"recording {trace.get('id')}: its feed {feed!r} is code; say --trust to have it run")
    return gym.make(trace["environment"]["id"], disable_env_checker=True, **arguments)


def verify(path: str | Path, data: str | Path | None = None, trust: bool = False) -> list[str]:
    """Does a recording's actions again and compares observations, rewards and flags with what was recorded.

    Args:
        path: The recording's folder.
        data: The data set, where it is no longer at the recorded place.
        trust: Whether code may be run that the recording names: a feed policy by import path.

    Returns:
        What differs, one line each; empty where all is the same.

    Raises:
        DataError: The recording or the data set cannot be read, or it names code and is not trusted.
    """
    return list(_differences(Path(path), data, trust))


def to_gif(path: str | Path, out: str | Path | None = None, seconds: float = 0.9) -> Path:
    """Makes a film of a recording: each screen with the touch about to be made, and the last screen.

    Args:
        path: The recording's folder.
        out: The file; by default ``session.gif`` in the folder.
        seconds: How long each screen stays.

    Raises:
        DataError: The recording cannot be read or has no screens.
    """
    from PIL import Image as PillowImage

    from shopsim.envs.screens.overlay import decorate

    trace = load(path)
    if trace["end"]["screen"] is None:
        raise DataError(f"{path} has no screens: it was played without pixels")
    frames = []
    for step in trace["steps"]:
        point = step["decision"]["point"]
        asked = step["decision"]["action"] or "no action"
        caption = f"{step['step'] + 1}. {asked}" + (f" ({step['invalid']})" if step["invalid"] else "")
        frames.append(decorate(load_screen(path, step["screen"]), tuple(point) if point else None, caption))
    frames.append(decorate(load_screen(path, trace["end"]["screen"]), None, f"end: {trace['stop_reason']}"))
    out = Path(out) if out is not None else Path(path) / "session.gif"
    pictures = [PillowImage.fromarray(frame).quantize(128, dither=PillowImage.Dither.NONE) for frame in frames]
    unfinished = out.with_name(out.name + ".unfinished")
    pictures[0].save(
        unfinished, format="GIF", save_all=True, append_images=pictures[1:], duration=round(1000 * seconds), loop=0
    )
    unfinished.rename(out)
    return out


# Inner workings


def _environment(end: End) -> dict[str, Any]:
    """How to make the environment again: id and arguments as plain JSON values."""
    if end.spec is None:
        raise InputError("only rollouts in an environment made by gymnasium.make can be recorded")
    arguments = {**end.spec.kwargs, "data": end.data_path}
    if end.spec.max_episode_steps is not None:
        arguments["max_episode_steps"] = end.spec.max_episode_steps
    try:
        plain: dict[str, Any] = json.loads(json.dumps(arguments))
    except TypeError as error:
        raise InputError(f"only environments with plain arguments can be recorded: {error}") from None
    return {"id": end.spec.id, "arguments": plain}


def _step(sample: StepSample, answer: Event) -> dict[str, Any]:
    decision, completion = sample.decision, sample.completion
    return {
        "step": sample.step,
        "screen": sample.screen.id if sample.screen else None,
        "observation": sample.observation_hash,
        "counts": dict(sample.counts),
        "memory": sample.memory,
        "memory_after": sample.memory_after,
        "before": [{"prompt": _prompt(e.prompt), "completion": asdict(e.completion)} for e in sample.before],
        "prompt": _prompt(sample.prompt) if sample.prompt else None,
        "completion": asdict(completion) if completion else None,
        "seconds": sample.seconds,
        "decision": {
            "action": decision.action.label if decision.action is not None else None,
            "point": decision.point,
            "mind": decision.mind,
            "episodic": decision.episodic,
            "preference": decision.preference,
            "failure": decision.failure,
            "raw": decision.raw,
        },
        "effect": answer.effect.label if answer.effect is not None else None,
        "item": answer.item,
        "invalid": answer.invalid,
        "reward": sample.reward,
        "terminated": sample.terminated,
        "truncated": sample.truncated,
    }


def _prompt(prompt: Prompt) -> dict[str, Any]:
    return {
        "id": prompt.id,
        "messages": [
            {
                "role": message.role,
                "content": [part if isinstance(part, str) else {"screen": part.id} for part in message.content],
            }
            for message in prompt.messages
        ],
        "trimmed": list(prompt.trimmed),
    }


def _screens(rollout: Rollout, end: End) -> Iterator[Image]:
    """Every distinct screen of the rollout."""
    screens = [sample.screen for sample in rollout.samples] + [end.screen]
    yield from dict.fromkeys(screen for screen in screens if screen is not None)


def _write_png(file: Path, pixels: NDArray[np.uint8]) -> None:
    from PIL import Image as PillowImage

    PillowImage.fromarray(pixels).save(file)


def _differences(path: Path, data: str | Path | None, trust: bool) -> Iterator[str]:
    trace = load(path)
    for name in dict.fromkeys([step["screen"] for step in trace["steps"]] + [trace["end"]["screen"]]):
        try:
            if name is not None and pixel_hash(load_screen(path, name)) != name:
                yield f"screens/{name}.png: its pixels have another hash"
        except DataError as error:
            yield str(error)
    dataset = DataSet.open(data or trace["data"]["path"])
    if dataset.hash != trace["data"]["hash"]:
        yield f"data set: hash {dataset.hash}, recorded {trace['data']['hash']}"
        return
    task = Task(**trace["task"])
    env = environment_of(trace, dataset, trust)
    try:
        observation, info = env.reset(seed=task.env_seed, options=task.options)
        yield from _compare("start", session_id=(info["session_id"], trace["session_id"]))
        for step in trace["steps"]:
            where = f"step {step['step']}"
            yield from _compare(where, observation=(observation_hash(observation, info), step["observation"]))
            observation, reward, terminated, truncated, info = env.step(decision_of(step).env_action())
            core: Any = env.unwrapped
            answer: Event = (core.answers if hasattr(core, "answers") else core.trajectory.events)[-1]
            yield from _compare(
                where,
                effect=(answer.effect.label if answer.effect is not None else None, step["effect"]),
                item=(answer.item, step["item"]),
                invalid=(answer.invalid, step["invalid"]),
                reward=(float(reward), step["reward"]),
                terminated=(bool(terminated), step["terminated"]),
                truncated=(bool(truncated), step["truncated"]),
            )
            if (terminated or truncated) and step is not trace["steps"][-1]:
                yield f"{where}: the session is over, recorded are {len(trace['steps'])} steps"
                return
        parts = info.get("reward_parts")
        yield from _compare(
            "end",
            observation=(observation_hash(observation, info), trace["end"]["observation"]),
            stop_reason=(info["stop_reason"], trace["stop_reason"]),
            reward=(parts._asdict() if trace["reward"] and parts else None, trace["reward"]),
        )
    finally:
        env.close()


def _compare(where: str, **pairs: tuple[Any, Any]) -> Iterator[str]:
    for name, (now, recorded) in pairs.items():
        if now != recorded:
            yield f"{where}: {name} is {now!r}, recorded {recorded!r}"
