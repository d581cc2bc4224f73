"""`shopsim benchmark`: run agents on a data set, compare and report."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shopsim.commands.console import (
    AsJson,
    Budgets,
    Constrained,
    DataOption,
    Feed,
    KeptOut,
    Lanes,
    Model,
    Out,
    Repetitions,
    Seed,
    Sessions,
    Split,
    Trust,
    open_data,
    rollouts_bar,
    show_json,
    show_table,
)
from shopsim.errors import InputError

if TYPE_CHECKING:
    from shopsim.benchmark_usb.results import Results, StepResults
    from shopsim.data import DataSet

MANY = 6
"""Agents beyond which their main scores alone are printed, one line each."""

app = typer.Typer(help="Run agents on a data set, compare and report.", no_args_is_help=True)


@app.command("run")
def benchmark_run(
    agents: Annotated[
        str,
        typer.Option(
            help="Comma-separated [label=]agent[(name=value, ...)][@model], where agent may be my.module:MyAgent; "
            "or all: every built-in agent that can run."
        ),
    ] = "human",
    model: Model = None,
    out: KeptOut = None,
    data: DataOption = None,
    split: Split = "test",
    sessions: Sessions = None,
    repetitions: Repetitions = 1,
    seed: Seed = 0,
    feed: Feed = "recorded",
    lanes: Lanes = 8,
    record: Annotated[int, typer.Option(help="Sessions to record for the report.", min=0)] = 0,
    budget: Budgets = None,
    constrained: Constrained = False,
    alone: Annotated[
        bool,
        typer.Option("--alone", help="Without the floors and ceilings that are run beside the agents otherwise."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score agents against people on the same sessions: fidelity, intent, reward and cost side by side."""
    from tempfile import TemporaryDirectory

    from shopsim.benchmark_usb.terminal import overview_table, scores_table

    with TemporaryDirectory() as scratch:
        results = run_agents(
            agents, open_data(data), out or Path(scratch) / "results", model,
            split=split, sessions=sessions, repetitions=repetitions, seed=seed, feed=feed, lanes=lanes, record=record,
            alone=alone, budget=budget, constrained=constrained,
        )  # fmt: skip
        summaries = [results.summary(name) for name in results.head.agents]
        page = None if out is None else report_of(results, out / "report.html", trust=True)
    if as_json:
        tell_left_out(results)
        return show_json({summary.agent: asdict(summary) for summary in summaries})
    table = scores_table if len(summaries) <= MANY else overview_table
    show_table(table(summaries, results.left_out()))
    if page is not None:
        typer.echo(f"look at {page}")


@app.command("steps")
def benchmark_steps(
    agents: Annotated[
        str, typer.Option(help="As for run; trivial policies are always added.")
    ] = "random,heuristic,human",
    model: Model = None,
    out: KeptOut = None,
    data: DataOption = None,
    split: Split = "test",
    sessions: Sessions = None,
    repetitions: Repetitions = 1,
    seed: Seed = 0,
    lanes: Lanes = 8,
    as_json: AsJson = False,
) -> None:
    """Ask agents at each recorded screen what the person did next: exact match, accuracy and F1 of action types."""
    from tempfile import TemporaryDirectory

    from shopsim.benchmark_usb.roster import AgentSpec
    from shopsim.benchmark_usb.run import run_steps
    from shopsim.benchmark_usb.terminal import steps_table

    with TemporaryDirectory() as scratch, rollouts_bar() as (progress, spent):
        results = run_steps(
            open_data(data), AgentSpec.parse_all(agents, model), out or Path(scratch) / "results",
            split=split, sessions=sessions, repetitions=repetitions, seed=seed, lanes=lanes,
            progress=progress, spent=spent,
        )  # fmt: skip
        summaries = [results.summary(name) for name in results.head.agents]
    if as_json:
        tell_left_out(results)
        return show_json({summary.agent: asdict(summary) for summary in summaries})
    show_table(steps_table(summaries, results.left_out()))


@app.command("personas")
def benchmark_personas(
    agents: Annotated[
        str, typer.Option(help="Comma-separated: heuristic, probabilistic, or agents with a model, as for run.")
    ] = "heuristic,probabilistic",
    model: Model = None,
    personas: Annotated[str | None, typer.Option(help="Comma-separated names; all by default.")] = None,
    file: Annotated[Path | None, typer.Option(help="Personas of your own, in TOML; see docs/agents.md.")] = None,
    out: KeptOut = None,
    data: DataOption = None,
    split: Split = "test",
    sessions: Sessions = None,
    repetitions: Repetitions = 1,
    seed: Seed = 0,
    lanes: Lanes = 8,
    as_json: AsJson = False,
) -> None:
    """Let agents shop the same sessions as different kinds of people, and measure whether they differ as named."""
    from tempfile import TemporaryDirectory

    from shopsim.agents.personas import load_personas
    from shopsim.benchmark_usb.persona_run import run_personas
    from shopsim.benchmark_usb.roster import AgentSpec
    from shopsim.benchmark_usb.terminal import personas_table

    known = load_personas(file)
    names = list(known) if personas is None else [name.strip() for name in personas.split(",")]
    if missing := [name for name in names if name not in known]:
        raise InputError(f"there is no persona {missing[0]!r}; it must be one of {', '.join(known)}, or in --file")
    with TemporaryDirectory() as scratch, rollouts_bar() as (progress, spent):
        results = run_personas(
            open_data(data), AgentSpec.parse_all(agents, model), {name: known[name] for name in names},
            out or Path(scratch) / "results", split=split, sessions=sessions, repetitions=repetitions, seed=seed,
            lanes=lanes, progress=progress, spent=spent,
        )  # fmt: skip
        if as_json:
            return show_json([asdict(shift) for shift in results.shifts()])
        show_table(personas_table(results))


@app.command("memory")
def benchmark_memory(
    model: Model = None,
    out: Out = Path("out/memory"),
    agent: Annotated[str, typer.Option(help="An agent with working memory.")] = "recverse",
    windows: Annotated[
        str, typer.Option(help="Values of K, past screens in the prompt, comma-separated.")
    ] = "0,1,2,4,8",
    temperature: Annotated[float, typer.Option(help="Of the answers; 0 takes the most likely.")] = 1.0,
    max_tokens: Annotated[int | None, typer.Option(help="Longest answer; the agent's own by default.")] = None,
    data: DataOption = None,
    split: Split = "test",
    sessions: Sessions = None,
    repetitions: Repetitions = 1,
    seed: Seed = 0,
    lanes: Lanes = 8,
    as_json: AsJson = False,
) -> None:
    """Tokens and scores of one agent against K, the past screens it is shown: a table and a picture."""
    from shopsim.benchmark_usb.memory_curve import curve_table, draw_curve, run_memory_curve

    if model is None:
        raise InputError("the curve is of an agent with a model: --model MODEL")
    try:
        values = [int(value) for value in windows.split(",")]
    except ValueError:
        raise InputError(f"--windows must be whole numbers with commas, for example 0,1,2,4, not {windows!r}") from None
    settings: dict[str, Any] = {"temperature": temperature}
    if max_tokens is not None:
        settings["max_tokens"] = max_tokens
    with rollouts_bar() as (progress, spent):
        points = run_memory_curve(
            open_data(data), model, out, agent=agent, windows=values, settings=settings, split=split,
            sessions=sessions, repetitions=repetitions, seed=seed, lanes=lanes, progress=progress, spent=spent,
        )  # fmt: skip
    picture = draw_curve(points, out / "memory.png")
    if as_json:
        return show_json([asdict(point) for point in points])
    show_table(curve_table(points))
    typer.echo(f"look at {picture}")


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
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Write a page about a run: scores, plots, recorded sessions beside the person's."""
    from shopsim.benchmark_usb.report import write_report
    from shopsim.benchmark_usb.results import StepResults, open_results

    run, page = open_results(results), out or results / "report.html"
    if isinstance(run, StepResults):
        written = write_report(run, page)
    else:
        written = report_of(run, page, data, None if steps is None else StepResults.open(steps), trust)
    show_json({"report": str(written)}) if as_json else typer.echo(written)


def run_agents(
    agents: str,
    dataset: "DataSet",
    out: Path,
    model: str | None = None,
    alone: bool = True,
    budget: str | None = None,
    constrained: bool = False,
    **arguments: Any,
) -> "Results":
    """Runs agents, named as on the command line, with a progress bar; floors and ceilings beside them if not alone."""
    from shopsim.agents.spending import Budget
    from shopsim.benchmark_usb.roster import AgentSpec, Models
    from shopsim.benchmark_usb.run import run_benchmark

    specs = AgentSpec.parse_all(agents, model, constrained)
    models = Models(None if budget is None else Budget.parse(budget))
    with rollouts_bar() as (progress, spent):
        everyone = specs if alone else [*specs, *AgentSpec.beside(specs)]
        return run_benchmark(dataset, everyone, out, models=models, progress=progress, spent=spent, **arguments)


def tell_left_out(results: "Results | StepResults") -> None:
    """Says on stderr what stands in no score, and why."""
    for line in results.left_out():
        typer.echo(f"left out: {line}", err=True)


def report_of(
    results: "Results",
    out: Path,
    data: Path | None = None,
    steps: "StepResults | None" = None,
    trust: bool = False,
) -> Path:
    """Writes the page of a run, with what was recorded of it."""
    from shopsim.benchmark_usb.film import films_of
    from shopsim.benchmark_usb.report import write_report

    return write_report(results, out, films_of(results, data, trust=trust), steps=steps)
