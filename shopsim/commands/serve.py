"""`shopsim serve`: the environments over the wire, and pages for people."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from shopsim.errors import InputError


def serve(
    data: Annotated[
        list[Path] | None,
        typer.Option("--data", help="Folder of a data set; may be repeated. Default: the bundled."),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option("--results", help="Folder of results or recordings; may be repeated."),
    ] = None,
    plays: Annotated[Path | None, typer.Option(help="Folder that takes the sessions people play.")] = None,
    study: Annotated[str | None, typer.Option(help="Database of a study: an SQLAlchemy URL.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; others need a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for one that is free.")] = 8000,
    token: Annotated[str | None, typer.Option(envvar="SHOPSIM_TOKEN", help="What clients must show.")] = None,
    sessions: Annotated[int, typer.Option(help="Environments at one time.")] = 64,
    idle: Annotated[float, typer.Option(help="Seconds without a message after which one is freed.")] = 300.0,
) -> None:
    """Serve the environments (OpenEnv's convention), and pages to watch, play and judge. Ctrl-C stops it."""
    if find_spec("uvicorn") is None or find_spec("fastapi") is None:
        raise InputError("serving needs more libraries; install them: pip install 'shopsim[server]'")
    from shopsim.server.run import run_server
    from shopsim.server.settings import ServerSettings

    run_server(
        ServerSettings(
            data=tuple(data or ()),
            results=tuple(results or ()),
            plays=plays,
            study_url=study,
            host=host,
            port=port,
            token=token,
            capacity=sessions,
            idle_seconds=idle,
        ),
        lambda address: typer.echo(f"serving {address} (API: {address}/docs); Ctrl-C stops"),
    )
