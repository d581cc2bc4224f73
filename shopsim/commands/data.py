"""`shopsim data`: make, import, check and look at data sets."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shopsim.commands.console import AsJson, DataArgument, Out, Seed, open_data, progress_bar, show_json, show_table
from shopsim.errors import CheckFailed, InputError

if TYPE_CHECKING:
    from shopsim.data import DataSet

app = typer.Typer(help="Make, import, check and look at data sets.", no_args_is_help=True)


@app.command("make")
def data_make(
    kind: Annotated[str, typer.Argument(help="What to make: usb, a synthetic shop with a known shopper behind it.")],
    out: Out,
    sessions: Annotated[int, typer.Option(help="Number of sessions; USB's by default.", min=1)] = 5274,
    seed: Seed = 0,
    locale: Annotated[str, typer.Option(help="en or zh; the same seed gives the same items and behaviour.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Make a synthetic data set, by default of exactly USB's published size."""
    from shopsim.benchmark_usb.synthetic import make_synthetic
    from shopsim.data import DataSet
    from shopsim.data.stats import describe

    if kind != "usb":
        raise InputError(f"there is no kind of data set {kind!r} to make; it must be usb")
    with progress_bar("sessions") as progress:
        make_synthetic(out, sessions=sessions, seed=seed, locale=locale, progress=progress)  # type: ignore[arg-type]
    made = describe(DataSet.open(out))
    show_json(made) if as_json else typer.echo(f"{out}: {_in_short(made)}")


@app.command("import")
def data_import(
    kind: Annotated[
        str, typer.Argument(help="rees46, jdata, taobao, otto, complete_journey, opera, or a mapping file (.toml).")
    ],
    files: Annotated[list[Path], typer.Argument(help="The log's files, or folders with them.")],
    out: Out,
    seed: Seed = 0,
    rule: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE: another value for a rule of docs/importers.md, for example gap_minutes=60."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Turn a real shopping log into a data set; what the log lacks is filled in, marked and told in the report."""
    from shopsim.benchmark_usb.importers.importing import import_log
    from shopsim.benchmark_usb.importers.kinds import log_of_kind

    log = log_of_kind(kind)
    rules = {}
    for text in rule or ():
        name, given, rules[name] = text.partition("=")
        if not given:
            raise InputError(f"--rule {text}: it must be NAME=VALUE, for example gap_minutes=60")
    with progress_bar("sessions") as progress:
        report = import_log(log, files, out, log.settings.changed({"seed": seed, **rules}), progress)
    typer.echo(report.to_json() if as_json else f"{report}\nwritten to {out}")


@app.command("validate")
def data_validate(
    path: DataArgument,
    limit: Annotated[int, typer.Option(help="Problems to print.", min=0)] = 20,
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


@app.command("screens")
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


@app.command("stats")
def data_stats(
    path: DataArgument,
    more: Annotated[list[str] | None, typer.Argument(metavar="[LOG]...", help="Further logs, after --against.")] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOG...",
            help="Compare behaviour with logs: KIND:PATH of a raw log (as for `data import`), the folder of a data "
            "set, or a JSON file of figures.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="With --against: the comparison as a picture, .png or .svg.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Figures of a data set; of a synthetic one, what is planted in it too. With --against, beside real logs."""
    if against:
        return _compare(open_data(path), [*against, *(more or [])], plot, as_json)
    if more or plot:
        raise InputError(f"{more[0] if more else '--plot'}: logs and a plot go with --against LOG...")
    from shopsim.benchmark_usb.structure import BOUNDS, structure
    from shopsim.data.stats import describe

    dataset = open_data(path)
    stats = describe(dataset)
    if dataset.source == "synthetic":
        try:
            stats["structure"] = structure(dataset)
        except InputError as unknown:
            stats["structure"] = str(unknown)
    if as_json:
        return show_json(stats)
    for name, value in stats.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        for key, figure in inner:
            shown = f"{figure:.6g}" if isinstance(figure, float) else figure
            bound = f"  at least {BOUNDS[key]:.3g}" if name == "structure" and key in BOUNDS else ""
            typer.echo(f"{name:<20} {key:<20} {shown}{bound}")


def _compare(dataset: "DataSet", logs: Sequence[str], plot: Path | None, as_json: bool) -> None:
    """Behaviour in a data set beside that in logs."""
    from rich.table import Table

    from shopsim.benchmark_usb.realism import events_of, figures, figures_of

    compared = {dataset.name: figures(events_of(dataset))}
    for log in logs:
        for name, found in figures_of(log).items():
            # Two samples of one kind of log stand side by side.
            compared[name if name not in compared else f"{name} {len(compared)}"] = found
    if plot is not None:
        from shopsim.benchmark_usb.realism_shown import draw_comparison

        draw_comparison(compared, plot)
    if as_json:
        return show_json(compared)
    from shopsim.benchmark_usb.realism_shown import comparison_rows

    table = Table("")
    for name in compared:
        table.add_column(name, justify="right", overflow="fold")
    for row in comparison_rows(compared):
        table.add_row(*row)
    show_table(table)


@app.command("show")
def data_show(
    path: DataArgument,
    session: Annotated[str | None, typer.Argument(help="A session's id; without it the sessions are listed.")] = None,
    limit: Annotated[int, typer.Option(help="Sessions to list.", min=1)] = 20,
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
        names = ("step", "page", "scroll", "action", "item", "title", "mind", "episodic", "preference")
        records = [
            (n, s.page.label, s.scroll, s.action.label, s.item_id, title, s.mind, s.episodic, s.preference)
            for n, s in enumerate(dataset.session(dataset.session_row(session)).steps)
            for title in [_title(dataset, s.item_id)]
        ]
    if as_json:
        return show_json([dict(zip(names, record, strict=True)) for record in records])
    table = Table(*names)
    for record in records:
        table.add_row(*("" if value is None else str(value) for value in record))
    show_table(table)


def _title(dataset: "DataSet", item_id: str | None) -> str | None:
    return None if item_id is None else dataset.titles([dataset.item_row(item_id)])[0]


def _in_short(stats: Mapping[str, Any]) -> str:
    counts = stats["counts"]
    return (
        f"{counts['sessions']} sessions, {counts['steps']} steps, {counts['items']} items, {counts['users']} users, "
        f"{stats['steps_per_session']['mean']:.2f} steps a session"
    )
