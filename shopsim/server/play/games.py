"""The games that people have open at this server. Ours."""

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from shopsim.server.play.game import Game
from shopsim.server.play.saved import Plays, Saved
from shopsim.server.problems import Problem
from shopsim.server.served import ServedData
from shopsim.server.settings import ServerSettings

_IDLE_SECONDS = 3600.0


@dataclass(slots=True)
class Table:
    """A game and what the server knows of it."""

    game: Game
    data: str
    """Name of the data set."""
    last: float
    lock: Lock = field(default_factory=Lock)
    saved: Saved | None = None


class Games:
    """Open games by a name that cannot be guessed; threads may share it. At a request ``request.app.state.games``.

    Args:
        settings: How many, and where played sessions go.
        data: What is played in.
    """

    def __init__(self, settings: ServerSettings, data: ServedData) -> None:
        self._most = settings.capacity
        self._open: OrderedDict[str, Table] = OrderedDict()
        self._lock = Lock()
        self.plays = None if settings.plays is None else Plays(settings.plays)
        if self.plays is not None:
            for name in data.names:
                self.plays.mend(data.get(name), name)

    def begin(self, game: Game, data: str) -> str:
        """Opens a game; its name.

        Raises:
            Problem: There are too many; those left alone for an hour are closed first.
        """
        now = time.monotonic()
        with self._lock:
            for name in [name for name, table in self._open.items() if now - table.last > _IDLE_SECONDS]:
                del self._open[name]
            if len(self._open) >= self._most:
                done = next((name for name, table in self._open.items() if table.saved or table.game.over), None)
                if done is None:
                    raise Problem(503, "CAPACITY_REACHED", f"{self._most} people are playing already; try later")
                del self._open[done]
            name = secrets.token_urlsafe(16)
            self._open[name] = Table(game, data, now)
            return name

    def get(self, name: str) -> Table:
        """An open game.

        Raises:
            Problem: There is none of this name.
        """
        with self._lock:
            table = self._open.get(name)
            if table is None:
                raise Problem(404, "UNKNOWN_GAME", "there is no such game here (any more); start another at /play")
            table.last = time.monotonic()
            return table
