"""`shopsim benchmark`: run agents on a data set, compare and report."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shopsim.commands.console import (
    AsJson,
    DataOption,
    Feed,
    Lanes,
    Seed,
    Sessions,
    Split,
    open_data,
    progress_bar,
    show_json,
    show_table,
)
from shopsim.errors import InputError

if TYPE_CHECKING:
    from shopsim.benchmark_usb.results import Results, StepResults
    from shopsim.data import DataSet

app = typer.Typer(help="Run agents on a data set, compare and report.", no_args_is_help=True)


@app.command("run")
def benchmark_run(
    agents: Annotated[str, typer.Option(help="Comma-separated [label=]agent[@checkpoint].")] = "random,heuristic,human",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the results; resumed where it exists.")
    ] = None,
    data: DataOption = None,
    split: Split = "test",
    sessions: Sessions = None,
    repetitions: Annotated[int, typer.Option(help="Rollouts of each session.")] = 1,
    seed: Seed = 0,
    feed: Feed = "recorded",
    lanes: Lanes = 8,
    record: Annotated[int, typer.Option(help="Sessions to record for the report.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Score agents against people on the same sessions: fidelity, intent, reward and cost side by side."""
    from tempfile import TemporaryDirectory

    from shopsim.benchmark_usb.terminal import scores_table

    with TemporaryDirectory() as scratch:
        results = run_agents(
            agents.split(","), open_data(data), out or Path(scratch) / "results",
            split=split, sessions=sessions, repetitions=repetitions, seed=seed, feed=feed, lanes=lanes, record=record,
        )  # fmt: skip
        summaries = [results.summary(name) for name in results.head.agents]
    if as_json:
        return show_json({summary.agent: asdict(summary) for summary in summaries})
    show_table(scores_table(summaries))


@app.command("steps")
def benchmark_steps(
    agents: Annotated[
        str, typer.Option(help="Comma-separated [label=]agent[@checkpoint]; trivial policies are always added.")
    ] = "random,heuristic,human",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the results; resumed where it exists.")
    ] = None,
    data: DataOption = None,
    split: Split = "test",
    sessions: Sessions = None,
    repetitions: Annotated[int, typer.Option(help="How often each session is gone through.")] = 1,
    seed: Seed = 0,
    lanes: Lanes = 8,
    as_json: AsJson = False,
) -> None:
    """Ask agents at each recorded screen what the person did next: exact match, accuracy and F1 of action types."""
    from tempfile import TemporaryDirectory

    from shopsim.benchmark_usb.roster import AgentSpec
    from shopsim.benchmark_usb.run import run_steps
    from shopsim.benchmark_usb.terminal import steps_table

    with TemporaryDirectory() as scratch, progress_bar("sessions") as progress:
        results = run_steps(
            open_data(data), [AgentSpec.parse(agent.strip()) for agent in agents.split(",")],
            out or Path(scratch) / "results", split=split, sessions=sessions, repetitions=repetitions, seed=seed,
            lanes=lanes, progress=progress,
        )  # fmt: skip
        summaries = list(results.finished().values())
    if as_json:
        return show_json({summary.agent: asdict(summary) for summary in summaries})
    show_table(steps_table(summaries))


@app.command("compare")
def benchmark_compare(
    a: Annotated[Path, typer.Argument(help="Results of the first agent.")],
    b: Annotated[Path | None, typer.Argument(help="Results of the second; the same by default.")] = None,
    agents: Annotated[str, typer.Option(help="The two agents, comma-separated.")] = "",
    allow: Annotated[list[str] | None, typer.Option(help="What may differ between the runs: commit, packages.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two agents by a paired bootstrap. Unlike runs are refused."""
    from shopsim.benchmark_usb.compare import compare
    from shopsim.benchmark_usb.results import open_results
    from shopsim.benchmark_usb.terminal import comparison_table

    first, second = open_results(a), open_results(b or a)
    names = [name.strip() for name in agents.split(",") if name.strip()]
    if len(names) != 2:
        here = ", ".join(dict.fromkeys([*first.head.agents, *second.head.agents]))
        raise InputError(f"--agents must name two agents, for example --agents a,b; the results have {here}")
    comparison = compare(first, second, names[0], names[1], allow=tuple(allow or ()))
    show_json(asdict(comparison)) if as_json else show_table(comparison_table(comparison))


@app.command("report")
def benchmark_report(
    results: Annotated[Path, typer.Argument(help="Folder of the results, of run or of steps.")],
    steps: Annotated[Path | None, typer.Option(help="Folder of step results to show on the same page.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page; report.html in the folder by default.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The data set, where it has moved.")] = None,
) -> None:
    """Write a page about a run: scores, plots, recorded sessions beside the person's."""
    from shopsim.benchmark_usb.report import write_report
    from shopsim.benchmark_usb.results import StepResults, open_results

    run, page = open_results(results), out or results / "report.html"
    if isinstance(run, StepResults):
        typer.echo(write_report(run, page))
    else:
        typer.echo(report_of([run], page, data, None if steps is None else StepResults.open(steps)))


def run_agents(agents: Sequence[str], dataset: "DataSet", out: Path, **arguments: Any) -> "Results":
    """Runs agents, named as on the command line, with a progress bar."""
    from shopsim.benchmark_usb.roster import AgentSpec
    from shopsim.benchmark_usb.run import run_benchmark

    with progress_bar("rollouts") as progress:
        return run_benchmark(
            dataset, [AgentSpec.parse(agent.strip()) for agent in agents], out, progress=progress, **arguments
        )


def report_of(
    results: "Sequence[Results]", out: Path, data: Path | None = None, steps: "StepResults | None" = None
) -> Path:
    """Writes the page of a run, with what was recorded of it."""
    from shopsim.benchmark_usb.film import films_of
    from shopsim.benchmark_usb.report import write_report

    return write_report(results[0], out, films_of(results[0], data), steps=steps)
