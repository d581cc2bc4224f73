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
