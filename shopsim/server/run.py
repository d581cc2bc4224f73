"""Runs the application under uvicorn. Ours."""

import socket
import sys
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from shopsim.errors import InputError
from shopsim.server.app import create_app
from shopsim.server.settings import ServerSettings

_GRACE = 5
"""Seconds that requests under way have to finish when the server is told to stop."""


def make_server(settings: ServerSettings) -> uvicorn.Server:
    """The server, not yet running."""
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=settings.frame_limit,
        ws_per_message_deflate=False,  # screens are compressed already
        server_header=False,
        proxy_headers=False,  # else a client could say which address it has
        timeout_graceful_shutdown=_GRACE,
    )
    return uvicorn.Server(config)


def run_server(settings: ServerSettings, ready: Callable[[str], None]) -> None:
    """Serves until told to stop (SIGINT, SIGTERM).

    Args:
        settings: What is served, and how.
        ready: Called with the server's address as soon as it listens.

    Raises:
        InputError: The address cannot be had, or a data set cannot be read.
    """
    # The thread of the environments is never idle under load; the loop, and with it /health, must not wait for it long.
    sys.setswitchinterval(0.001)
    server = make_server(settings)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((settings.host, settings.port))
        except (OSError, OverflowError) as error:
            raise InputError(f"cannot listen on {settings.host} port {settings.port}: {error}") from None
        listening.listen(128)
        host = f"[{settings.host}]" if family == socket.AF_INET6 else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}")
        with suppress(KeyboardInterrupt):  # uvicorn raises the signal again once it has stopped
            server.run(sockets=[listening])
