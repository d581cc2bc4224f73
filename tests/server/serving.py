"""Servers in tests: in a thread of this process, on a port that is free."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from shopsim.server.run import make_server
from shopsim.server.settings import ServerSettings


@contextmanager
def running(settings: ServerSettings | None = None, **options: Any) -> Iterator[str]:
    """A server while the block runs; its address."""
    server = make_server(settings or ServerSettings(port=0, **options))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


def open_socket(url: str, **options: Any) -> Any:
    """A connection, for ``with``."""
    return connect(url.replace("http", "ws") + "/ws", proxy=None, max_size=None, **options)


def say(socket: ClientConnection, kind: str, data: Any = None) -> tuple[str, dict[str, Any]]:
    """Sends a message; type and data of the answer."""
    socket.send(json.dumps({"type": kind, "data": {} if data is None else data}))
    return heard(socket)


def heard(socket: ClientConnection) -> tuple[str, dict[str, Any]]:
    answer = json.loads(socket.recv(timeout=60))
    return answer["type"], answer["data"]
