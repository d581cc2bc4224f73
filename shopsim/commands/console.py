"""What all commands share with a terminal: options of one meaning, progress, output."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from shopsim.data import DataSet

Progress = Callable[[int, int], None]

LINE_EVERY = 30.0
"""Seconds between two lines of progress where there is no terminal."""

Seed = Annotated[int, typer.Option(help="Same seed, same bytes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DataArgument = Annotated[Path, typer.Argument(help="Folder of a data set.")]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder of a data set; the bundled one by default.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")]

Split = Annotated[str, typer.Option(help="train, validation or test.")]
Sessions = Annotated[int | None, typer.Option(help="Run so many sessions, drawn by the seed; all by default.")]
Lanes = Annotated[int, typer.Option(help="Sessions played at the same time; a matter of speed only.")]
Model = Annotated[
    str | None,
    typer.Option(
        help="Model of the agents that name none: a folder, a hub id, vllm:FOLDER, or http://HOST:PORT/v1#MODEL."
    ),
]
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
def rollouts_bar() -> Iterator[tuple[Progress, Callable[[int], None]]]:
    """A progress bar for rollouts with the rate of tokens; yields functions for (done, total) and for tokens spent.

    Where stderr is no terminal, a line is printed now and then.
    """
    from time import monotonic

    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    tokens, done, total = 0, 0, 0
    began = last_line = monotonic()
    first: tuple[float, int] | None = None  # when the first rollout of this call was done, and the how-manieth
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[rate]}"))
    shown = sys.stderr.isatty()
    with Bars(TextColumn("rollouts"), *columns, console=_stderr(), transient=True, disable=not shown) as bars:
        task = bars.add_task("rollouts", total=None, rate="")

        def show() -> None:
            nonlocal last_line
            now = monotonic()
            rate = f"{tokens / max(now - began, 1e-3):,.0f} tokens/s" if tokens else ""
            bars.update(task, completed=done, total=total or None, rate=rate)
            if not shown and now - last_line >= LINE_EVERY:
                last_line = now
                parts = [f"{done} of {total or '?'} rollouts"]
                if first is not None and done > first[1]:
                    parts.append(f"about {(total - done) * (now - first[0]) / (done - first[1]):,.0f} s left")
                typer.echo(", ".join([*parts, *filter(None, [rate])]), err=True)

        def progress(now_done: int, of: int) -> None:
            nonlocal done, total, first
            done, total = now_done, of
            first = first or (monotonic(), done)
            show()

        def spent(more: int) -> None:
            nonlocal tokens
            tokens += more
            show()

        yield progress, spent


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
