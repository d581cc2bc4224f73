"""`shopsim train`: imitation, then GRPO on whole sessions or on single answers."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from shopsim.commands.console import AsJson, DataOption, Out, Seed, open_data, progress_bar, show_json
from shopsim.errors import InputError

app = typer.Typer(help="Train an agent: imitation, then GRPO.", no_args_is_help=True)

Init = Annotated[str | None, typer.Option("--init", help="Model to start from: a folder, a run's folder, or a hub id.")]
Options = Annotated[
    list[str] | None, typer.Option("--set", help="Any other option as NAME=VALUE; a wrong NAME lists them all.")
]


@app.command("il")
def train_il(
    out: Out,
    init: Init = None,
    data: DataOption = None,
    steps: Annotated[int, typer.Option(help="Optimizer steps in all.")] = 200,
    seed: Seed = 0,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """Imitation: learn to answer as the recorded people did. Without --init a tiny model is made. Resumes."""
    from shopsim.trainers.imitation import ImitationConfig, train_imitation
    from shopsim.trainers.presets import IMITATION

    given = {"data": data, "out": out, "steps": steps, "seed": seed}
    config = _from_nothing(ImitationConfig, init, IMITATION, given, options)
    _train(train_imitation, config, "imitation", ("loss", "validation/loss"), as_json)


@app.command("sight")
def train_sight(
    out: Out,
    init: Init = None,
    data: DataOption = None,
    steps: Annotated[int, typer.Option(help="Optimizer steps in all.")] = 1000,
    seed: Seed = 0,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """Sight: what shows on a card is to resemble its category's name; for a model from nothing, before il. Resumes."""
    from shopsim.trainers.presets import SIGHT
    from shopsim.trainers.sight import SightConfig
    from shopsim.trainers.sight import train_sight as train

    config = _from_nothing(SightConfig, init, SIGHT, {"data": data, "out": out, "steps": steps, "seed": seed}, options)
    _train(train, config, "sight", ("loss", "validation/accuracy/1"), as_json)


Begin = Annotated[str, typer.Option("--init", help="Model to start from: a folder, a run's folder, or a hub id.")]


@app.command("grpo")
def train_grpo(
    out: Out,
    init: Begin,
    data: DataOption = None,
    steps: Annotated[int, typer.Option(help="Iterations of collecting and updating in all.")] = 20,
    seed: Seed = 0,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """GRPO: whole sessions, rewarded for resembling the person's. Resumes."""
    from shopsim.trainers import grpo
    from shopsim.trainers.presets import GRPO

    names = ("reward/total", "rollouts/turns", "rollouts/invalid")
    given = {"data": data and str(data), "out": str(out), "iterations": steps, "seed": seed}
    config = _from_model(grpo.GRPOConfig, init, GRPO, given, options)
    _train(grpo.train_grpo, config, "GRPO", names, as_json)


@app.command("shop-r1")
def train_shop_r1(
    out: Out,
    init: Begin,
    data: DataOption = None,
    steps: Annotated[int, typer.Option(help="Iterations of asking and updating in all.")] = 100,
    seed: Seed = 0,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """Shop-R1, Customer-R1: single answers on recorded screens, rewarded for doing what the person did. Resumes."""
    from shopsim.trainers import shop_r1
    from shopsim.trainers.presets import SHOP_R1

    given = {"data": data and str(data), "out": str(out), "iterations": steps, "seed": seed}
    config = _from_model(shop_r1.ShopR1Config, init, SHOP_R1, given, options)
    _train(shop_r1.train_shop_r1, config, "Shop-R1", ("reward/total", "answers/exact_match"), as_json)


def _from_nothing(
    kind: Any, init: str | None, presets: Mapping[Any, Mapping[str, Any]], given: Mapping[str, Any], options: Options
) -> Any:
    """Configuration of a trainer that starts from a model or, where none is given, from one made for the data set."""
    from shopsim.agents.checkpoint import AgentSetup, folder_of
    from shopsim.trainers.presets import TINY
    from shopsim.trainers.tiny import make_start_model

    setup = TINY if init is None else AgentSetup.of(folder_of(init))
    start = init or str(given["out"] / "start")
    data = given["data"]
    told = {**given, "model": start, "data": data and str(data), "out": str(given["out"])}
    config = _config(kind, setup, {**presets[setup.style], **told}, options)
    if init is None and "RANK" in os.environ:
        raise InputError("several processes need a model to start from; give --init")
    if init is None and not Path(start).exists():
        make_start_model(start, open_data(data), seed=given["seed"])
    return config


def _from_model(
    kind: Any, init: str, presets: Mapping[Any, Mapping[str, Any]], given: Mapping[str, Any], options: Options
) -> Any:
    """Configuration of a trainer that starts from a model, with the presets of the model's style."""
    from shopsim.agents.checkpoint import AgentSetup, folder_of

    setup = AgentSetup.of(folder_of(init))
    return _config(kind, setup, {**presets[setup.style], "model": init, **given}, options)


def _config(kind: Any, setup: Any, values: Mapping[str, Any], options: Sequence[str] | None) -> Any:
    """A trainer's configuration from presets, flags and ``--set``."""
    from pydantic import TypeAdapter, ValidationError

    names = [field.name for field in fields(kind)]
    told: dict[str, Any] = {}
    for option in options or ():
        name, given, value = option.partition("=")
        if not given or name not in names:
            raise InputError(f"--set {option}: it must be NAME=VALUE with NAME one of {', '.join(names)}")
        told[name] = _read(name, value)
    own = {"agent": setup.style, "size": setup.size, "agent_options": setup.options}
    try:
        return TypeAdapter(kind).validate_python({**own, **values, **told})
    except ValidationError as error:
        wrong = error.errors()[0]
        raise InputError(f"--set {wrong['loc'][0]}={wrong['input']}: {wrong['msg']}") from None


def _read(name: str, value: str) -> Any:
    """An option's value as far as its type cannot be made from text; what is wrong with it is found out later."""
    if name == "size" and "x" in value:
        return value.split("x")
    if name == "agent_options":
        with suppress(ValueError):
            return json.loads(value)
    return value


def _train(train: Callable[..., Any], config: Any, label: str, names: Sequence[str], as_json: bool) -> None:
    if os.environ.get("RANK", "0") != "0":  # one of torchrun's further processes, which say nothing
        train(config)
        return
    lines: dict[str, float] = {}
    with progress_bar(label) as bar:

        def progress(done: int, total: int, scalars: Mapping[str, float]) -> None:
            if not scalars:
                typer.echo(f"{label}: resuming at step {done}", err=True)
            lines.update(scalars)
            bar(done, total)

        result = train(config, progress)
    if as_json:
        return show_json({"checkpoint": str(result.checkpoint), "steps": result.steps, "last": lines})
    figures = ", ".join(f"{name} {lines[name]:.3f}" for name in names if name in lines)
    already = " (it had finished before)" if result.finished_before else ""
    typer.echo(f"{label}: {result.steps} steps{already}{', ' * bool(figures)}{figures}; checkpoint {result.checkpoint}")
