"""The environment sessions of a server. Ours."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shopsim.server.served import ServedData
from shopsim.server.settings import ServerSettings


class Sessions:
    """All environment sessions of a server.

    Args:
        settings: Of the server.
        data: The data sets it serves.
    """

    def __init__(self, settings: ServerSettings, data: ServedData) -> None:
        self._settings, self._data = settings, data

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps the sessions while the server runs, and ends all of them with it."""
        yield
