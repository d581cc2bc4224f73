"""`shopsim run`, `replay`, `export`: sessions shopped by an agent, and what was recorded of them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shopsim.commands.benchmark import report_of, run_agents, tell_left_out
from shopsim.commands.console import (
    AsJson,
    Budgets,
    Constrained,
    DataOption,
    Feed,
    Model,
    Out,
    Seed,
    Split,
    Trust,
    open_data,
    show_json,
)
from shopsim.errors import CheckFailed, InputError

FEW = 4
"""Sessions of a run, where no number is given and the split has as many."""


def run(
    agent: Annotated[
        str, typer.Argument(help="An agent: random, heuristic(read=0.9), recverse@MODEL, my.module:MyAgent.")
    ],
    out: Out,
    data: DataOption = None,
    split: Split = "test",
    sessions: Annotated[
        int | None, typer.Option(help=f"Shop so many sessions, drawn by the seed; {FEW} by default.", min=1)
    ] = None,
    session: Annotated[str | None, typer.Option(help="The id of the one session to shop.")] = None,
    model: Model = None,
    seed: Seed = 0,
    feed: Feed = "recorded",
    gif: Annotated[bool, typer.Option(help="Make a film of each session.")] = False,
    budget: Budgets = None,
    constrained: Constrained = False,
    as_json: AsJson = False,
) -> None:
    """Let one agent shop and record its sessions: traces, every screen, a page to look at."""
    from shopsim.agents.record import to_gif
    from shopsim.benchmark_usb.results import RECORDINGS

    dataset = open_data(data)
    count = sessions or min(FEW, len(dataset.session_rows(split)))
    chosen = count if session is None else [session]
    results = run_agents(
        agent, dataset, out, model, split=split, sessions=chosen, seed=seed, feed=feed, record=count, budget=budget,
        constrained=constrained,
    )  # fmt: skip
    tell_left_out(results)
    recordings = sorted(file.parent for file in (results.path / RECORDINGS).glob("*/trace.json"))
    for recording in recordings if gif else ():
        to_gif(recording)
    page = report_of(results, out / "report.html", trust=True)
    if as_json:
        return show_json({"recordings": [str(path) for path in recordings], "report": str(page)})
    typer.echo("\n".join(f"recorded {path}" for path in recordings) + f"\nlook at {page}")


def replay(
    path: Annotated[Path, typer.Argument(help="A recording, or a folder with recordings somewhere in it.")],
    verify: Annotated[bool, typer.Option("--verify", help="Do the actions again and compare everything.")] = False,
    gif: Annotated[bool, typer.Option("--gif", help="Make a film of each recording.")] = False,
    data: Annotated[Path | None, typer.Option(help="The data set, where it has moved.")] = None,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Print recorded sessions; with --verify re-execute them. Exit 1 where a hash, reward or flag differs."""
    from shopsim.agents.record import load, recordings_in, to_gif
    from shopsim.agents.record import verify as differences

    recordings = recordings_in(path)
    found: dict[str, Any] = {}
    for recording in recordings:
        trace = load(recording)
        if gif:
            typer.echo(f"film {to_gif(recording)}", err=as_json)
        if verify:
            found[str(recording)] = differences(recording, data, trust)
            verdict = "; ".join(found[str(recording)]) or "same"
        else:
            found[str(recording)] = [step["decision"]["action"] for step in trace["steps"]]
            verdict = " ".join(str(action) for action in found[str(recording)]) + f" ({trace['stop_reason']})"
        if not as_json:
            typer.echo(f"{recording}: {verdict}")
    if as_json:
        show_json(found)
    if verify and (bad := sum(map(bool, found.values()))):
        raise CheckFailed(f"{bad} of {len(found)} recordings differ from their re-execution")


def export(
    path: Annotated[Path, typer.Argument(help="A recording, or a folder with recordings somewhere in it.")],
    out: Out,
    to: Annotated[
        str,
        typer.Option(help="parquet: one row a step, screens once; minari: an offline RL data set (its name gets -v0)."),
    ] = "parquet",
    data: Annotated[Path | None, typer.Option(help="The data set, where it has moved (minari).")] = None,
    as_json: AsJson = False,
) -> None:
    """Turn recorded sessions into data for training elsewhere, without loss."""
    from shopsim.agents.record import recordings_in

    if to not in ("parquet", "minari"):
        raise InputError(f"there is no export to {to!r}; it must be parquet or minari")
    recordings = recordings_in(path)
    if to == "minari":
        from shopsim.agents.export_minari import export_minari

        made = export_minari(recordings, out, data)
    else:
        from shopsim.agents.export_parquet import export_parquet

        made = export_parquet(recordings, out)
    if as_json:
        return show_json({"out": str(made), "recordings": len(recordings)})
    typer.echo(f"{made}: {len(recordings)} recordings")
