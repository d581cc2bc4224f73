"""What a benchmark run leaves behind: one folder, for people and machines, resumable, comparable (SPEC 4.4).

Free runs (`Results`) and teacher-forced ones (`StepResults`) keep different scores in folders of the same form.

``results.json`` says what was run on what and with which code, and holds the scores of agents that have finished.
``sessions.jsonl`` has one line for each finished rollout, appended as it finishes: a run killed at any moment goes
on where it was. A line ends in ``\\n`` and in nothing else, so ids with Unicode line separators do no harm.
``rollouts`` holds the recordings (`shopsim.agents.record`) of those sessions that were to be recorded.
"""

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

from shopsim.benchmark_usb.provenance import Provenance, differences, provenance
from shopsim.benchmark_usb.step_scores import StepScore, StepSummary, summarise_steps
from shopsim.benchmark_usb.summary import SessionScore, Summary, summarise
from shopsim.errors import InputError

T = TypeVar("T")


class RolloutLine(Protocol):
    """A line of ``sessions.jsonl``: one rollout."""

    @property
    def agent(self) -> str:
        """Who played it."""

    @property
    def session_id(self) -> str:
        """The session."""

    @property
    def repetition(self) -> int:
        """Which of its rollouts."""

    @property
    def fault(self) -> str | None:
        """Why the environment failed, if it did; such a rollout is run again on resuming."""


Line = TypeVar("Line", bound=RolloutLine)
Scores = TypeVar("Scores")


def key_of(line: RolloutLine) -> tuple[str, str, int]:
    """What is not run twice: agent, session, repetition."""
    return line.agent, line.session_id, line.repetition


VERSION = 1
HEAD, LINES, RECORDINGS = "results.json", "sessions.jsonl", "rollouts"


@dataclass(frozen=True, slots=True)
class DataInfo:
    """The data set of a run."""

    name: str
    hash: str
    source: str
    locale: str
    imputed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What was run. Results that differ in any of this are unlike and are not compared."""

    data: DataInfo
    split: str
    sessions: int
    sessions_hash: str
    """SHA-256 over the session ids in order."""
    repetitions: int
    seed: int
    feed: str
    """The feed policy (SPEC 2.4)."""
    environment: dict[str, Any]
    """Further arguments of the environment, its reward among them."""


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """Who was run."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    prompt_hash: str | None = None
    """SHA-256 of everything fixed in the agent's prompt; None for an agent without one."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    format: str
    version: int


@dataclass(frozen=True, slots=True)
class Head(_Stamp, Generic[Scores]):
    """Content of ``results.json``."""

    settings: RunSettings
    provenance: Provenance
    agents: dict[str, AgentInfo]
    scores: dict[str, Scores] = field(default_factory=dict)
    """Of the agents that have finished."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Agents that were to run if they could, and why they could not."""


class RunFolder(ABC, Generic[Line, Scores]):
    """A run's folder. `start` begins or resumes one, `open` reads one.

    Attributes:
        path: The folder.
        head: What was run, who ran, with which code.
    """

    FORMAT: ClassVar[str]
    _head_type: ClassVar[Any]
    _line_type: ClassVar[Any]

    def __init__(self, path: Path, head: Head[Scores], scores: Iterable[Line]) -> None:
        self.path = path
        self.head: Head[Scores] = head
        self._scores: dict[tuple[str, str, int], Line] = {key_of(score): score for score in scores}

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Reads a run, finished or not.

        Raises:
            InputError: The folder holds no readable results.
        """
        path = Path(path)
        return cls(path, cls._read_head(path), cls._read_lines(path)[0])

    @classmethod
    def start(
        cls,
        path: str | Path,
        settings: RunSettings,
        agents: dict[str, AgentInfo],
        skipped: Mapping[str, str] | None = None,
    ) -> Self:
        """Begins a run in a new or empty folder, or goes on with the same run in its folder.

        Args:
            path: The folder.
            settings: What is run.
            agents: Who is run.
            skipped: Who was to run but cannot, and why.

        Raises:
            InputError: The folder holds another run (what differs is named) or something else.
        """
        path = Path(path)
        # As they will be read back: a tuple of an agent's settings becomes a list.
        settings = _as_read(settings)
        agents = {name: _as_read(info) for name, info in agents.items()}
        here = provenance()
        finished: dict[str, Scores] = {}
        cannot = dict(skipped or {})
        if (path / HEAD).exists():
            head = cls._read_head(path)
            unlike = differences(head.settings, settings) + differences(head.provenance, here)
            for name in agents.keys() & head.agents.keys():
                unlike += differences(head.agents[name], agents[name], name)
            if unlike:
                raise InputError(f"{path}: holds another run ({'; '.join(unlike)}); give a new folder")
            finished = {name: scores for name, scores in head.scores.items() if name not in agents}
            agents = head.agents | agents
            cannot = {name: why for name, why in (head.skipped | cannot).items() if name not in agents}
        elif path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(
                f"{path}: is no empty folder and holds no {HEAD} (or another run is starting there); give a new folder"
            )
        path.mkdir(parents=True, exist_ok=True)
        scores, whole = cls._read_lines(path)
        with open(path / LINES, "ab") as lines:
            lines.truncate(whole)
        results = cls(path, Head(cls.FORMAT, VERSION, settings, here, agents, finished, cannot), scores)
        results._write_head()
        return results

    def scores(self, agent: str) -> list[Line]:
        """Rollouts of one agent, ordered by session and repetition whatever order they finished in."""
        return [self._scores[key] for key in sorted(self._scores) if key[0] == agent]

    def is_done(self, agent: str, session_id: str, repetition: int) -> bool:
        """Whether this rollout finished without a fault, so that it need not run again."""
        score = self._scores.get((agent, session_id, repetition))
        return score is not None and score.fault is None

    def append(self, score: Line) -> None:
        """Keeps one rollout; it is in the file when this returns."""
        # One write for one line: a kill leaves it whole or torn at the very end, where `_read_lines` drops it.
        with open(self.path / LINES, "ab", buffering=0) as lines:
            lines.write(_adapter(self._line_type).dump_json(score) + b"\n")
        self._scores[key_of(score)] = score

    @abstractmethod
    def summary(self, agent: str, samples: int = 1000) -> Scores:
        """Scores of one agent, over the rollouts there are."""

    def finish(self, agent: str) -> None:
        """Writes the scores of an agent that has played everything into ``results.json``."""
        scores = self.head.scores | {agent: self.summary(agent)}
        self.head = replace(self.head, scores={name: scores[name] for name in self.head.agents if name in scores})
        self._write_head()

    def skip(self, agent: str, reason: str) -> None:
        """Takes an agent out that turned out not to be able to run; what it played stays in the file."""
        agents = {name: info for name, info in self.head.agents.items() if name != agent}
        self.head = replace(self.head, agents=agents, skipped=self.head.skipped | {agent: reason})
        self._write_head()

    def left_out(self) -> list[str]:
        """What stands in no score and why, a line each: agents that could not run, rollouts lost to faults."""
        lines = [f"{agent} did not run: {reason}" for agent, reason in self.head.skipped.items()]
        for agent in self.head.agents:
            faults = Counter(score.fault for score in self.scores(agent) if score.fault is not None)
            lines += [f"{agent}: {n} rollout{'s' * (n > 1)} lost: {fault}" for fault, n in faults.most_common()]
        return lines

    def finished(self) -> dict[str, Scores]:
        """Scores of the agents that have finished.

        Raises:
            InputError: None has, or the rollouts of one that has are gone.
        """
        if not self.head.scores:
            raise InputError(f"{self.path}: no agent has finished; run the same command again to complete the run")
        there = {agent for agent, _, _ in self._scores}
        if gone := [agent for agent in self.head.scores if agent not in there]:
            raise InputError(f"{self.path / LINES} holds no rollout of {', '.join(gone)}; run the same command again")
        return self.head.scores

    def _write_head(self) -> None:
        part = self.path / f".{HEAD}.part"
        part.write_bytes(_adapter(self._head_type).dump_json(self.head, indent=2) + b"\n")
        os.replace(part, self.path / HEAD)

    @classmethod
    def _read_head(cls, folder: Path) -> Head[Scores]:
        path = folder / HEAD
        try:
            content = path.read_bytes()
            stamp: _Stamp = _adapter(_Stamp).validate_json(content)
            if (stamp.format, stamp.version) != (cls.FORMAT, VERSION):
                raise InputError(f"{path}: is {stamp.format} {stamp.version}; {cls.FORMAT} {VERSION} is read here")
            head: Head[Scores] = _adapter(cls._head_type).validate_json(content)
            return head
        except OSError as error:
            raise InputError(
                f"{path}: cannot be read ({error.strerror}); name the folder of a benchmark run"
            ) from error
        except ValidationError as error:
            raise InputError(f"{path}: is no results file of ShopSim: {_first(error)}") from error

    @classmethod
    def _read_lines(cls, folder: Path) -> tuple[list[Line], int]:
        """The rollouts, and how many bytes of the file are whole lines (a killed run may leave a torn last one)."""
        path = folder / LINES
        content = path.read_bytes() if path.exists() else b""
        whole = content.rfind(b"\n") + 1
        scores = []
        for number, line in enumerate(content[:whole].split(b"\n")[:-1], start=1):
            try:
                scores.append(_adapter(cls._line_type).validate_json(line))
            except ValidationError as error:
                raise InputError(f"{path} line {number}: is no rollout: {_first(error)}") from error
        return scores, whole


class Results(RunFolder[SessionScore, Summary]):
    """Free-running sessions, compared whole."""

    FORMAT = "shopsim-results"
    _head_type = Head[Summary]
    _line_type = SessionScore

    def summary(self, agent: str, samples: int = 1000) -> Summary:
        """See `RunFolder.summary`."""
        settings = self.head.settings
        return summarise(agent, self.scores(agent), settings.data.imputed, settings.feed == "recorded", samples)


class StepResults(RunFolder[StepScore, StepSummary]):
    """Teacher-forced sessions, compared step by step."""

    FORMAT = "shopsim-step-results"
    _head_type = Head[StepSummary]
    _line_type = StepScore

    def summary(self, agent: str, samples: int = 1000) -> StepSummary:
        """See `RunFolder.summary`."""
        return summarise_steps(agent, self.scores(agent), samples)


def open_results(path: str | Path) -> Results | StepResults:
    """Reads a run of either kind.

    Raises:
        InputError: The folder holds no readable results.
    """
    try:
        format_ = _adapter(_Stamp).validate_json((Path(path) / HEAD).read_bytes()).format
    except (OSError, ValidationError):
        format_ = Results.FORMAT  # whose reader says what is wrong
    return StepResults.open(path) if format_ == StepResults.FORMAT else Results.open(path)


def as_json(value: Any) -> str:
    """Any dataclass of this folder (a `Head`, a `Summary`, a `Comparison`) as one JSON object."""
    kind: type = type(value)
    return _adapter(kind).dump_json(value, indent=2).decode()


def _as_read(value: T) -> T:
    kind: type = type(value)
    read: T = _adapter(kind).validate_json(as_json(value))
    return read


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _first(error: ValidationError) -> str:
    problem = error.errors()[0]
    return f"{'.'.join(map(str, problem['loc'])) or 'content'}: {problem['msg']}"
