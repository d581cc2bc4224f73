"""The command line, `shopsim`.

Each command is a thin call into the package; libraries are imported when a command needs them, so that
``shopsim --help`` is quick. Exit codes (SPEC 8): 0 good, 1 a check said no, 2 wrong use or unreadable input,
130 stopped by Ctrl-C. Errors are one line on stderr.
"""

import io
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shopsim import __version__
from shopsim.commands import ab, benchmark, data, play, serve, sessions, train
from shopsim.commands.console import AsJson, Out, Seed, show_json, show_table, stages
from shopsim.errors import CheckFailed, ShopSimError

app = typer.Typer(
    name="shopsim",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("run")(sessions.run)
app.command("replay")(sessions.replay)
app.command("export")(sessions.export)
app.command("serve")(serve.serve)
app.command("play")(play.play)
app.command("ab")(ab.ab)
app.add_typer(data.app, name="data")
app.add_typer(benchmark.app, name="benchmark")
app.add_typer(train.app, name="train")


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"shopsim {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Shop like a person: environment, benchmark, agents, trainers."""


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
    # Told to stop, a command ends as at Ctrl-C: what is half made is cleared away, a training run saved.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # where the locale knows no Chinese
    try:
        try:
            app(standalone_mode=True)
        finally:
            _flush()
    except CheckFailed as failed:
        typer.echo(f"shopsim: {failed}", err=True)
        sys.exit(1)
    except ShopSimError as error:
        typer.echo(f"shopsim: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        # A full disk, a path that cannot be: whatever the file system says no to.
        where = f"{error.filename}: " if error.filename else ""
        typer.echo(f"shopsim: {where}{error.strerror or error}", err=True)
        sys.exit(2)


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = None  # else Python tries once more at exit, and has its own exit code
        raise
