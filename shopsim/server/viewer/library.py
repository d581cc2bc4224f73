"""What there is to look at: data sets, sessions that people played here, runs and recordings. Ours.

Everything is known by a name that is looked up, so nothing of a request ever becomes part of a path.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from shopsim.agents.record import load
from shopsim.benchmark_usb.results import HEAD, LINES, Results, StepResults, open_results
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_BY_LABEL, ITEM_ACTIONS, Action
from shopsim.errors import ShopSimError
from shopsim.server.problems import Problem
from shopsim.server.served import ServedData, safe_child
from shopsim.server.settings import ServerSettings

T = TypeVar("T")

OUTCOMES: tuple[str, ...] = ("looked", "opened", "carted", "bought")
"""How far a session came: nothing was touched, something opened, put into the cart, bought."""
_RANKS = {Action.CLICK: 1, Action.ENTER_DETAIL: 1, Action.ADD_TO_CART: 2, Action.PURCHASE: 3}
RANK_OF_ACTION: tuple[int, ...] = tuple(_RANKS.get(action, 0) for action in Action)
"""For each action, the place in `OUTCOMES` that it reaches."""

_LOOK_AGAIN = 3.0
"""Seconds after which folders are looked through again."""
_NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded session in short."""

    name: str
    path: Path
    run: str | None
    """The run it belongs to."""
    agent: str
    session_id: str
    data: str
    """Hash of the data set."""
    steps: int
    outcome: str
    stop_reason: str | None
    total: float


@dataclass(frozen=True, slots=True)
class Run:
    """A folder of results in short."""

    name: str
    path: Path
    agents: tuple[str, ...] = ()
    data: str = ""
    """Name of the data set."""
    sessions: int = 0
    forced: bool = False
    """Teacher forced: asked at each recorded screen."""
    problem: str | None = None
    """Why it cannot be read."""


class Library:
    """Everything that the pages show; at a request ``request.app.state.library``.

    Args:
        settings: Names the folders.
        data: The data sets served.
    """

    def __init__(self, settings: ServerSettings, data: ServedData) -> None:
        self._settings, self._data = settings, data
        self._lock = Lock()
        self._looked, self._changes = _NEVER, 0
        self._read: dict[Path, tuple[tuple[int, int], Any]] = {}
        self._runs: dict[str, Run] = {}
        self._recordings: dict[str, Recording] = {}
        self._damaged: tuple[str, ...] = ()
        self._played: dict[str, DataSet] = {}

    # Data sets

    def datasets(self) -> dict[str, DataSet]:
        """Every data set by name; sessions played here come last."""
        self._look()
        return {name: self._data.get(name) for name in self._data.names} | self._played

    def dataset(self, name: str) -> DataSet:
        """A data set.

        Raises:
            Problem: There is none of this name.
        """
        found = self.datasets().get(name)
        return self._data.get(name) if found is None else found

    def dataset_of(self, hash_: str) -> tuple[str, DataSet] | None:
        """Name and data set of a hash, None where it is not served."""
        return next(((name, found) for name, found in self.datasets().items() if found.hash == hash_), None)

    # Runs and recordings

    def runs(self) -> dict[str, Run]:
        """Every folder of results by name."""
        self._look()
        return self._runs

    def run(self, name: str) -> Results | StepResults:
        """The results of a run.

        Raises:
            Problem: There is none of this name.
            InputError: It is damaged.
        """
        run = self.runs().get(name)
        if run is None:
            raise Problem(404, "UNKNOWN_RUN", f"there are no results {name!r} here")
        if run.problem:
            raise Problem(422, "DAMAGED_RESULTS", run.problem)
        lines = run.path / LINES  # a run that goes on grows here
        return self._once(lines if lines.exists() else run.path / HEAD, lambda: open_results(run.path), "all")

    def recordings(self) -> dict[str, Recording]:
        """Every recording that can be read, by name."""
        self._look()
        return self._recordings

    def recording(self, name: str) -> Recording:
        """A recording.

        Raises:
            Problem: There is none of this name.
        """
        found = self.recordings().get(name)
        if found is None:
            raise Problem(404, "UNKNOWN_RECORDING", f"there is no recording {name!r} here, or it is damaged")
        return found

    def trace(self, recording: Recording) -> dict[str, Any]:
        """The whole of a recording."""
        return load(recording.path)

    def damaged(self) -> tuple[str, ...]:
        """What is wrong with the recordings that cannot be read."""
        self._look()
        return self._damaged

    # Inner workings

    def forget(self) -> None:
        """Has the next request look again, and wait for it."""
        self._changes += 1
        self._looked = _NEVER

    def _look(self) -> None:
        """Finds what is new in the folders, now and then; who comes meanwhile is shown what was known before."""
        if time.monotonic() - self._looked < _LOOK_AGAIN:
            return
        if not self._lock.acquire(blocking=self._looked == _NEVER):
            return
        try:
            if time.monotonic() - self._looked < _LOOK_AGAIN:
                return
            changes = self._changes
            self._find()
            self._looked = time.monotonic() if changes == self._changes else _NEVER
        finally:
            self._lock.release()

    def _find(self) -> None:
        runs: dict[str, Run] = {}
        recordings: dict[str, Recording] = {}
        damaged: list[str] = []
        for root in self._settings.results:
            for file in _files(root, HEAD):
                name = _name(root, file.parent)
                runs.setdefault(name, self._once(file, partial(_run, name, file.parent), "head"))
        homes = {run.path: run.name for run in runs.values()}
        for root in self._settings.results:
            for file in _files(root, "trace.json"):
                home = next((homes[folder] for folder in file.parents if folder in homes), None)
                try:
                    found = self._once(file, partial(_recording, file.parent, home), "trace")
                    recordings.setdefault(found.name, found)
                except ShopSimError as error:
                    damaged.append(str(error))
        self._runs, self._recordings, self._damaged = runs, recordings, tuple(damaged)
        self._played = dict(self._plays())

    def _plays(self) -> Iterator[tuple[str, DataSet]]:
        if self._settings.plays is None or not self._settings.plays.is_dir():
            return
        for manifest in sorted(self._settings.plays.glob("*/manifest.json")):
            folder = manifest.parent
            if folder.name.startswith(".") or folder.name in self._data.names:
                continue
            with suppress(ShopSimError):
                yield folder.name, self._once(manifest, partial(DataSet.open, folder), "data")

    def _once(self, file: Path, read: Callable[[], T], what: str) -> T:
        """What `read` gives; asked again only where the file has changed."""
        about = file.stat()
        stamp = about.st_mtime_ns, about.st_size
        key = file / what
        kept = self._read.get(key)
        if kept is None or kept[0] != stamp:
            kept = self._read[key] = stamp, read()
        value: T = kept[1]
        return value


def _files(root: Path, name: str) -> list[Path]:
    """Files of a name below a folder; none that leads out of it."""
    found = []
    for file in sorted(root.rglob(name)):
        with suppress(Problem):
            safe_child(root, file.relative_to(root).as_posix())
            found.append(file)
    return found


def _name(root: Path, folder: Path) -> str:
    inner = folder.relative_to(root).as_posix()
    return root.resolve().name if inner == "." else f"{root.resolve().name}~{inner.replace('/', '~')}"


def _run(name: str, path: Path) -> Run:
    try:
        results = open_results(path)
    except ShopSimError as error:
        return Run(name, path, problem=str(error))
    settings = results.head.settings
    return Run(
        name, path, tuple(results.head.agents), settings.data.name, settings.sessions, isinstance(results, StepResults)
    )


def _recording(path: Path, run: str | None) -> Recording:
    trace = load(path)
    try:
        effects = [ACTION_BY_LABEL[step["effect"]] for step in trace["steps"] if step["effect"] is not None]
        return Recording(
            name=path.name,
            path=path,
            run=run,
            agent=str(trace["agent"].get("label") or trace["agent"]["name"]),
            session_id=str(trace["session_id"]),
            data=str(trace["data"]["hash"]),
            steps=len(trace["steps"]),
            outcome=outcome_of(effects),
            stop_reason=trace["stop_reason"],
            total=float(trace["total"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Problem(422, "DAMAGED_RECORDING", f"{path}/trace.json is damaged: {error!r}") from error


def outcome_of(effects: list[Action]) -> str:
    """How far a session came."""
    return OUTCOMES[max((RANK_OF_ACTION[effect] for effect in effects if effect in ITEM_ACTIONS), default=0)]
