"""What all commands share with a terminal: options of one meaning, progress, output."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from shopsim.data import DataSet

Progress = Callable[[int, int], None]

LINE_EVERY = 15.0
"""Seconds between two lines of progress where there is no terminal."""

Seed = Annotated[int, typer.Option(help="Same seed, same bytes.", min=0)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DataArgument = Annotated[Path, typer.Argument(help="Folder of a data set.")]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder of a data set; the bundled one by default.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")]

KeptOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="Folder that keeps the run; resumed where it exists.")
]
Repetitions = Annotated[int, typer.Option(help="Rollouts of each session.", min=1)]

Trust = Annotated[bool, typer.Option("--trust", help="Run code that a recording names: a feed policy of one's own.")]

Split = Annotated[str, typer.Option(help="train, validation or test.")]
Sessions = Annotated[int | None, typer.Option(help="Run so many sessions, drawn by the seed; all by default.", min=1)]
Lanes = Annotated[int, typer.Option(help="Sessions played at the same time; a matter of speed only.", min=1)]
Model = Annotated[
    str | None,
    typer.Option(
        help="Model of the agents that name none: a folder, a hub id, vllm:FOLDER, or http://HOST:PORT/v1#MODEL."
    ),
]
Budgets = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="What each model may spend in this run, any of: "
        "tokens=2e6,seconds=3600,money=5,prompt_price=0.15,answer_price=0.6 (prices of a million tokens).",
    ),
]
Constrained = Annotated[
    bool,
    typer.Option("--constrained", help="Hold models' answers to the JSON schema of what is asked (vLLM and servers)."),
]
Feed = Annotated[
    str, typer.Option(help="Feed policy: recorded, random, popularity, price_ascending, similar, or my.module:rank.")
]


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A progress bar on stderr, lines now and then where that is no terminal; yields a function of (done, total)."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    if not sys.stderr.isatty():
        with _Lines(label) as lines:
            yield lines.show
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
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    tokens, done, total = 0, 0, 0
    began = monotonic()
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[rate]}"))
    bars = Bars(TextColumn("rollouts"), *columns, console=_stderr(), transient=True, disable=not sys.stderr.isatty())
    with bars, _Lines("rollouts") if bars.disable else nullcontext() as lines:
        task = bars.add_task("rollouts", total=None, rate="")

        def show() -> None:
            rate = f"{tokens / max(monotonic() - began, 1e-3):,.0f} tokens/s" if tokens else ""
            bars.update(task, completed=done, total=total or None, rate=rate)
            if lines is not None:
                lines.show(done, total, rate)

        def progress(now_done: int, of: int) -> None:
            nonlocal done, total
            done, total = now_done, of
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
    bars = Bars(*columns, console=_stderr(), disable=not sys.stderr.isatty())
    with bars, _Lines() if bars.disable else nullcontext() as lines:

        def stage(name: str, done: int, total: int) -> None:
            if name not in tasks:
                if lines is not None:
                    lines.begin(name)
                    typer.echo(name, err=True)
                for task in tasks.values():
                    bars.update(task, completed=bars.tasks[task].total)
                tasks[name] = bars.add_task(name, total=total)
            bars.update(tasks[name], completed=done, total=total)
            if lines is not None:
                lines.show(done, total)

        yield stage


class _Lines:
    """Progress where there is no terminal: a line every `LINE_EVERY` seconds, for logs. A context manager.

    A thread writes them, so that there is a sign of life in long steps too, and before the first.
    """

    def __init__(self, label: str = "at work") -> None:
        self._over = Event()
        self.begin(label)

    def __enter__(self) -> "_Lines":
        Thread(target=self._write, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def begin(self, label: str) -> None:
        self._label, self._began = label, monotonic()
        self._done, self._total, self._more = 0, 0, ""
        self._first: tuple[float, int] | None = None  # when work was first done here, and how much there was then

    def show(self, done: int, total: int, more: str = "") -> None:
        self._done, self._total, self._more = done, total, more
        self._first = self._first or ((monotonic(), done) if done else None)

    def __str__(self) -> str:
        now = monotonic()
        parts = [f"{self._label}: {self._done} of {self._total}" if self._total else self._label]
        if self._first is not None and self._done > self._first[1]:
            left = (self._total - self._done) * (now - self._first[0]) / (self._done - self._first[1])
            parts.append(f"about {left:,.0f} s left")
        else:
            parts.append(f"{now - self._began:,.0f} s so far")
        return ", ".join([*parts, *filter(None, [self._more])])

    def _write(self) -> None:
        while not self._over.wait(LINE_EVERY):
            typer.echo(str(self), err=True)


def _stderr() -> "Console":
    from rich.console import Console

    return Console(stderr=True)


def show_json(value: Any) -> None:
    """Prints one JSON object; escaped where the terminal knows no Unicode, so that it stays JSON."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(value, ensure_ascii=not unicode, default=str))


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
