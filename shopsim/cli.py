"""The command line, `shopsim`.

Each command is a thin call into the package; libraries are imported when a command needs them, so that
``shopsim --help`` is quick. Exit codes (SPEC 8): 0 good, 1 a check said no, 2 wrong use or unreadable input,
130 stopped by Ctrl-C. Errors are one line on stderr.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shopsim.errors import CheckFailed, InputError, ShopSimError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from shopsim.benchmark_usb.results import Results, StepResults
    from shopsim.data import DataSet

Progress = Callable[[int, int], None]

app = typer.Typer(
    name="shopsim",
    help="Shop like a person: environment, benchmark, agents, trainers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="Make, import, check and look at data sets.", no_args_is_help=True)
benchmark_app = typer.Typer(help="Run agents on a data set, compare and report.", no_args_is_help=True)
train_app = typer.Typer(help="Train an agent: imitation, then GRPO.", no_args_is_help=True)
app.add_typer(data_app, name="data")
app.add_typer(benchmark_app, name="benchmark")
app.add_typer(train_app, name="train")

Seed = Annotated[int, typer.Option(help="Same seed, same bytes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DataArgument = Annotated[Path, typer.Argument(help="Folder of a data set.")]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder of a data set; the bundled one by default.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")]

Split = Annotated[str, typer.Option(help="train, validation or test.")]
Sessions = Annotated[int | None, typer.Option(help="Run so many sessions, drawn by the seed; all by default.")]
Lanes = Annotated[int, typer.Option(help="Sessions played at the same time; a matter of speed only.")]
Feed = Annotated[
    str, typer.Option(help="Feed policy: recorded, random, popularity, price_ascending, similar, or my.module:rank.")
]


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A progress bar on stderr where that is a terminal; yields a function that takes (done, total)."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=_stderr(), transient=True) as bars:
        task = bars.add_task(label, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each stage of a long job, or a line where stderr is no terminal; yields a function for progress."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    tasks: dict[str, Any] = {}
    columns = (TextColumn("{task.description:<36}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=_stderr(), disable=not sys.stderr.isatty()) as bars:

        def stage(name: str, done: int, total: int) -> None:
            if name not in tasks:
                if bars.disable:
                    typer.echo(name, err=True)
                for task in tasks.values():
                    bars.update(task, completed=bars.tasks[task].total)
                tasks[name] = bars.add_task(name, total=total)
            bars.update(tasks[name], completed=done, total=total)

        yield stage


def _stderr() -> "Console":
    from rich.console import Console

    return Console(stderr=True)


def show_json(value: Any) -> None:
    """Prints one JSON object."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


def show_table(table: "Table") -> None:
    """Prints a table, not folded to 80 columns where there is no terminal."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)


def open_data(path: Path | None) -> "DataSet":
    """The data set at a path, or the bundled one."""
    from shopsim.data import DataSet

    return DataSet.bundled() if path is None else DataSet.open(path)


# shopsim data


@data_app.command("make")
def data_make(
    kind: Annotated[str, typer.Argument(help="What to make: usb, a synthetic shop with a known shopper behind it.")],
    out: Out,
    sessions: Annotated[int, typer.Option(help="Number of sessions.")] = 300,
    seed: Seed = 0,
    locale: Annotated[str, typer.Option(help="en or zh; the same seed gives the same items and behaviour.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Make a synthetic data set."""
    from shopsim.benchmark_usb.synthetic import make_synthetic
    from shopsim.data import DataSet
    from shopsim.data.stats import describe

    if kind != "usb":
        raise InputError(f"there is no kind of data set {kind!r} to make; it must be usb")
    with progress_bar("sessions") as progress:
        make_synthetic(out, sessions=sessions, seed=seed, locale=locale, progress=progress)  # type: ignore[arg-type]
    made = describe(DataSet.open(out))
    show_json(made) if as_json else typer.echo(f"{out}: {_in_short(made)}")


@data_app.command("import")
def data_import(
    kind: Annotated[str, typer.Argument(help="Kind of log: rees46.")],
    source: Annotated[Path, typer.Argument(help="The log's file.")],
    out: Out,
    seed: Seed = 0,
    gap_minutes: Annotated[float, typer.Option(help="A longer pause cuts a session.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Turn a real shopping log into a data set; what the log lacks is filled in, marked and told in the report."""
    from shopsim.benchmark_usb.rees46 import import_rees46

    if kind != "rees46":
        raise InputError(f"there is no importer for {kind!r} logs; it must be rees46")
    with progress_bar("sessions") as progress:
        report = import_rees46(source, out, seed=seed, gap_minutes=gap_minutes, progress=progress)
    typer.echo(report.to_json() if as_json else f"{report}\nwritten to {out}")


@data_app.command("validate")
def data_validate(
    path: DataArgument,
    limit: Annotated[int, typer.Option(help="Problems to print.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Check files, hashes, references and order, and replay every session. Exit 1 where the set breaks a rule."""
    from shopsim.benchmark_usb.replay_check import validate

    with progress_bar("replaying") as progress:
        problems = validate(path, progress)
    if as_json:
        show_json({"path": str(path), "valid": not problems, "problems": [p._asdict() for p in problems]})
    else:
        for problem in problems[:limit]:
            typer.echo(f"{path}: {problem}")
        if len(problems) > limit:
            typer.echo(f"and {len(problems) - limit} more")
    if problems:
        raise CheckFailed(f"{path}: {len(problems)} problem{'s' * (len(problems) != 1)}")
    if not as_json:
        typer.echo(f"{path}: good")


@data_app.command("screens")
def data_screens(
    path: DataArgument,
    renderer: Annotated[str, typer.Option(help="fast, or browser (Chromium, by Playwright).")] = "fast",
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    size: Annotated[str, typer.Option(help="Width and height in pixels.")] = "320x608",
    pictures: Annotated[Path | None, typer.Option(help="Folder of images that replace drawn pictures.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw and store the screen of every step that has none; an environment then shows them as recorded.

    The set changes at the end, all at once. Stopped, the same command goes on where it was.
    """
    from shopsim.envs.screens.recording import record_screens

    numbers = [int(number) for number in size.split("x") if number.isdecimal()]
    if len(numbers) != 2:
        raise InputError(f"--size is {size!r}; it must be like 320x608")
    with progress_bar("screens") as progress:
        made = record_screens(
            path,
            renderer=renderer,  # type: ignore[arg-type]
            size=(numbers[0], numbers[1]),
            theme=theme,
            pictures=pictures,
            progress=progress,
        )
    if as_json:
        return show_json({"path": str(path), **asdict(made)})
    typer.echo(f"{path}: {made.screens} screens ({made.bytes / 1e6:.1f} MB) for {made.steps} steps")


@data_app.command("stats")
def data_stats(path: DataArgument, as_json: AsJson = False) -> None:
    """Figures of a data set."""
    from shopsim.data.stats import describe

    stats = describe(open_data(path))
    if as_json:
        return show_json(stats)
    for name, value in stats.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        for key, figure in inner:
            shown = f"{figure:.4g}" if isinstance(figure, float) else figure
            typer.echo(f"{name:<20} {key:<16} {shown}")


@data_app.command("show")
def data_show(
    path: DataArgument,
    session: Annotated[str | None, typer.Argument(help="A session's id; without it the sessions are listed.")] = None,
    limit: Annotated[int, typer.Option(help="Sessions to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List sessions, or print one step by step."""
    from rich.table import Table

    dataset = open_data(path)
    if session is None:
        rows = [dataset.session(row) for row in range(min(limit, dataset.n_sessions))]
        listed = [(s.session_id, s.user_id, s.split, s.started_at.isoformat(), len(s.steps)) for s in rows]
        names: tuple[str, ...] = ("session", "user", "split", "started", "steps")
        records: Sequence[Sequence[Any]] = listed
    else:
        names = ("step", "page", "scroll", "action", "item", "mind", "episodic", "preference")
        titles = {
            s.item_id: dataset.item(dataset.item_row(s.item_id)).title for s in _steps(dataset, session) if s.item_id
        }
        records = [
            (n, s.page.label, s.scroll, s.action.label, titles.get(s.item_id or ""), s.mind, s.episodic, s.preference)
            for n, s in enumerate(_steps(dataset, session))
        ]
    if as_json:
        return show_json([dict(zip(names, record, strict=True)) for record in records])
    table = Table(*names)
    for record in records:
        table.add_row(*("" if value is None else str(value) for value in record))
    show_table(table)


def _steps(dataset: "DataSet", session: str) -> Sequence[Any]:
    return dataset.session(dataset.session_row(session)).steps


def _in_short(stats: Mapping[str, Any]) -> str:
    counts = stats["counts"]
    return (
        f"{counts['sessions']} sessions, {counts['steps']} steps, {counts['items']} items, {counts['users']} users, "
        f"{stats['steps_per_session']['mean']:.2f} steps a session"
    )


# shopsim run, replay


@app.command("run")
def run(
    agent: Annotated[str, typer.Argument(help="An agent: random, heuristic, recverse@CHECKPOINT, my.module:MyAgent.")],
    out: Out,
    data: DataOption = None,
    split: Split = "test",
    sessions: Sessions = 4,
    seed: Seed = 0,
    feed: Feed = "recorded",
    gif: Annotated[bool, typer.Option(help="Make a film of each session.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let one agent shop and record its sessions: traces, every screen, a page to look at."""
    from shopsim.agents.record import to_gif
    from shopsim.benchmark_usb.results import RECORDINGS

    dataset = open_data(data)
    count = min(sessions or dataset.n_sessions, len(dataset.session_rows(split)))
    results = _run([agent], dataset, out, split=split, sessions=count, seed=seed, feed=feed, record=count)
    recordings = sorted(file.parent for file in (results.path / RECORDINGS).glob("*/trace.json"))
    for recording in recordings if gif else ():
        to_gif(recording)
    page = _report([results], out / "report.html")
    if as_json:
        return show_json({"recordings": [str(path) for path in recordings], "report": str(page)})
    typer.echo("\n".join(f"recorded {path}" for path in recordings) + f"\nlook at {page}")


@app.command("replay")
def replay(
    path: Annotated[Path, typer.Argument(help="A recording, or a folder with recordings somewhere in it.")],
    verify: Annotated[bool, typer.Option("--verify", help="Do the actions again and compare everything.")] = False,
    gif: Annotated[bool, typer.Option("--gif", help="Make a film of each recording.")] = False,
    data: Annotated[Path | None, typer.Option(help="The data set, where it has moved.")] = None,
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
            found[str(recording)] = differences(recording, data)
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


@app.command("export")
def export(
    path: Annotated[Path, typer.Argument(help="A recording, or a folder with recordings somewhere in it.")],
    out: Out,
    to: Annotated[str, typer.Option(help="parquet: one row a step, screens once; minari: an offline RL data set.")] = (
        "parquet"
    ),
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


# shopsim benchmark


@benchmark_app.command("run")
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
        results = _run(
            agents.split(","), open_data(data), out or Path(scratch) / "results",
            split=split, sessions=sessions, repetitions=repetitions, seed=seed, feed=feed, lanes=lanes, record=record,
        )  # fmt: skip
        summaries = [results.summary(name) for name in results.head.agents]
    if as_json:
        return show_json({summary.agent: asdict(summary) for summary in summaries})
    show_table(scores_table(summaries))


@benchmark_app.command("steps")
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


@benchmark_app.command("compare")
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


@benchmark_app.command("report")
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
        typer.echo(_report([run], page, data, None if steps is None else StepResults.open(steps)))


def _run(agents: Sequence[str], dataset: "DataSet", out: Path, **arguments: Any) -> "Results":
    from shopsim.benchmark_usb.roster import AgentSpec
    from shopsim.benchmark_usb.run import run_benchmark

    with progress_bar("rollouts") as progress:
        return run_benchmark(
            dataset, [AgentSpec.parse(agent.strip()) for agent in agents], out, progress=progress, **arguments
        )


def _report(
    results: "Sequence[Results]", out: Path, data: Path | None = None, steps: "StepResults | None" = None
) -> Path:
    from shopsim.benchmark_usb.film import films_of
    from shopsim.benchmark_usb.report import write_report

    return write_report(results[0], out, films_of(results[0], data), steps=steps)


# shopsim train


Init = Annotated[str | None, typer.Option("--init", help="Model to start from: a folder, a run's folder, or a hub id.")]
Options = Annotated[
    list[str] | None, typer.Option("--set", help="Any other option as NAME=VALUE; a wrong NAME lists them all.")
]


@train_app.command("il")
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
    from shopsim.agents.checkpoint import AgentSetup, folder_of
    from shopsim.trainers.imitation import ImitationConfig, train_imitation
    from shopsim.trainers.presets import IMITATION, TINY
    from shopsim.trainers.tiny import make_start_model

    setup = TINY if init is None else AgentSetup.of(folder_of(init))
    if init is None:
        init = str(out / "start")
        if not Path(init).exists():
            make_start_model(init, open_data(data), seed=seed)
    given = {"model": init, "data": data and str(data), "out": str(out), "steps": steps, "seed": seed}
    config = _config(ImitationConfig, setup, {**IMITATION[setup.style], **given}, options)
    _train(train_imitation, config, "imitation", ("loss", "validation/loss"), as_json)


@train_app.command("grpo")
def train_grpo(
    out: Out,
    init: Annotated[str, typer.Option("--init", help="Model to start from: a folder, a run's folder, or a hub id.")],
    data: DataOption = None,
    steps: Annotated[int, typer.Option(help="Iterations of collecting and updating in all.")] = 20,
    seed: Seed = 0,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """GRPO: whole sessions, rewarded for resembling the person's. Resumes."""
    from shopsim.agents.checkpoint import AgentSetup, folder_of
    from shopsim.trainers import grpo
    from shopsim.trainers.presets import GRPO

    setup = AgentSetup.of(folder_of(init))
    given = {"model": init, "data": data and str(data), "out": str(out), "iterations": steps, "seed": seed}
    config = _config(grpo.GRPOConfig, setup, {**GRPO[setup.style], **given}, options)
    _train(grpo.train_grpo, config, "GRPO", ("reward/total", "rollouts/turns", "rollouts/invalid"), as_json)


def _config(kind: Any, setup: Any, values: Mapping[str, Any], options: Sequence[str] | None) -> Any:
    """A trainer's configuration from presets, flags and ``--set``."""
    from pydantic import TypeAdapter, ValidationError

    names = [field.name for field in fields(kind)]
    told: dict[str, Any] = {}
    for option in options or ():
        name, given, value = option.partition("=")
        if not given or name not in names:
            raise InputError(f"--set {option}: it must be NAME=VALUE with NAME one of {', '.join(names)}")
        told[name] = [int(part) for part in value.split("x")] if name == "size" and "x" in value else value
    try:
        return TypeAdapter(kind).validate_python({"agent": setup.style, "size": setup.size, **values, **told})
    except ValidationError as error:
        wrong = error.errors()[0]
        raise InputError(f"--set {wrong['loc'][0]}={wrong['input']}: {wrong['msg']}") from None


def _train(train: Callable[..., Any], config: Any, label: str, names: Sequence[str], as_json: bool) -> None:
    lines: dict[str, float] = {}
    with progress_bar(label) as bar:

        def progress(done: int, total: int, scalars: Mapping[str, float]) -> None:
            lines.update(scalars)
            bar(done, total)

        result = train(config, progress)
    if as_json:
        return show_json({"checkpoint": str(result.checkpoint), "steps": result.steps, "last": lines})
    figures = ", ".join(f"{name} {lines[name]:.3f}" for name in names if name in lines)
    already = " (it had finished before)" if result.finished_before else ""
    typer.echo(f"{label}: {result.steps} steps{already}{', ' * bool(figures)}{figures}; checkpoint {result.checkpoint}")


# shopsim demo


@app.command("demo")
def demo(
    out: Out = Path("demo"),
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """The whole job, small: data, imitation, GRPO, scores, recordings, a page. Resumes."""
    from shopsim.benchmark_usb.terminal import scores_table
    from shopsim.demo import run_demo

    with stages() as stage:
        made = run_demo(out, seed, stage=stage)
    summaries = [made.results.summary(name) for name in made.results.head.agents]
    if as_json:
        return show_json({summary.agent: asdict(summary) for summary in summaries})
    show_table(scores_table(summaries))
    typer.echo(f"{made.verified} recordings re-executed: all the same\nlook at {made.report}")


def main() -> None:
    """Runs the command line and exits."""
    # Agents and feed policies of one's own are named by import path; they may lie where the command is given.
    sys.path.append("")
    try:
        app(standalone_mode=True)
    except CheckFailed as failed:
        typer.echo(f"shopsim: {failed}", err=True)
        sys.exit(1)
    except ShopSimError as error:
        typer.echo(f"shopsim: {error}", err=True)
        sys.exit(2)
