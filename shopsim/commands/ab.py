"""`shopsim ab`: a virtual A/B test."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shopsim.commands.console import (
    AsJson,
    DataOption,
    KeptOut,
    Lanes,
    Model,
    Repetitions,
    Seed,
    Sessions,
    Split,
    open_data,
    rollouts_bar,
    show_json,
    show_table,
)


def ab(
    b: Annotated[
        str,
        typer.Option(
            help="What is tried: feed=NAME (a policy or my.module:rank), price=FACTOR or price=FACTOR@CATEGORY, "
            "theme=light|dark, size=WIDTHxHEIGHT, with commas between."
        ),
    ],
    a: Annotated[str, typer.Option(help="The control, likewise; the recorded shop by default.")] = "",
    agents: Annotated[
        str, typer.Option(help="The population, comma-separated: [label=]agent[(name=value, ...)][@model].")
    ] = "probabilistic,heuristic",
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
    """Try a ranking, prices or a look on agents before people: two variants, the same sessions, what differs."""
    from tempfile import TemporaryDirectory

    from shopsim.benchmark_usb.ab import Variant, run_ab
    from shopsim.benchmark_usb.ab_page import ab_tables, write_ab_page
    from shopsim.benchmark_usb.roster import AgentSpec

    with TemporaryDirectory() as scratch, rollouts_bar() as (progress, spent):
        report = run_ab(
            open_data(data), Variant.parse(a), Variant.parse(b), out or Path(scratch) / "ab",
            agents=AgentSpec.parse_all(agents, model), split=split, sessions=sessions, repetitions=repetitions,
            seed=seed, lanes=lanes, progress=progress, spent=spent,
        )  # fmt: skip
    page = None if out is None else write_ab_page(report, out / "ab.html")
    if as_json:
        return show_json(asdict(report))
    for table in ab_tables(report):
        show_table(table)
    if page is not None:
        typer.echo(f"look at {page}")
