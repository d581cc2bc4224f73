"""The main job, done small: data, imitation, GRPO, scores, recordings, and a page that shows them. Ours.

Everything is the ordinary code at small sizes; nothing here is computed for show. All of it depends on the seed alone,
and a demo that was stopped goes on where it was.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shopsim.agents.checkpoint import NANO
from shopsim.agents.record import to_gif, verify
from shopsim.benchmark_usb.film import Picture, SessionFilm, films_of
from shopsim.benchmark_usb.page import Report, curves_section, films_section, gallery_section
from shopsim.benchmark_usb.replay_check import validate
from shopsim.benchmark_usb.report import facts_of, score_sections
from shopsim.benchmark_usb.results import RECORDINGS, Results
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.benchmark_usb.sections import made_section
from shopsim.benchmark_usb.synthetic import make_synthetic
from shopsim.data import DataSet
from shopsim.errors import CheckFailed
from shopsim.trainers import logs
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import ImitationConfig, train_imitation
from shopsim.trainers.presets import GRPO, IMITATION, TINY
from shopsim.trainers.tiny import make_start_model

Stage = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and how much there is in all."""


@dataclass(frozen=True, slots=True)
class DemoSizes:
    """How much of everything; the defaults fit six minutes on two cores."""

    sessions: int = 400
    """Of the data set, a tenth of whose users are held out for testing."""
    imitation_steps: int = 150
    grpo_iterations: int = 5
    repetitions: int = 1
    """Rollouts of each test session by each agent."""
    record: int = 3
    """Test sessions that are recorded and shown."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demo left."""

    results: Results
    """Scores on held-out sessions."""
    report: Path
    """The page."""
    verified: int
    """Recordings that were re-executed and found the same."""


def run_demo(out: str | Path, seed: int = 0, sizes: DemoSizes | None = None, stage: Stage | None = None) -> Demo:
    """Does the main job.

    Args:
        out: Folder for everything.
        seed: Of everything.
        sizes: How much of everything.
        stage: Told about progress.

    Raises:
        CheckFailed: The data set made is not valid, or a recording's re-execution differs.
    """
    out, sizes, tell = Path(out), sizes or DemoSizes(), stage or (lambda *_: None)

    # A data set, checked by replaying every session
    data = out / "data"
    if not data.exists():
        make_synthetic(
            data, sizes.sessions, seed, history=(40.0, 2.0),
            progress=lambda done, total: tell("making shoppers", done, total),
        )  # fmt: skip
        if problems := validate(data, lambda done, total: tell("replaying their sessions", done, total)):
            raise CheckFailed(f"{data}: {problems[0]}")
    dataset = DataSet.open(data)

    # A model from nothing, then imitation, then GRPO
    start, imitation, grpo = out / "start", out / "imitation", out / "grpo"
    if not start.exists():
        tell("making a tiny model", 0, 1)
        make_start_model(start, dataset, seed)
    common = {"data": str(data), "seed": seed, "agent": TINY.style, "size": TINY.size}
    train_imitation(
        ImitationConfig(
            **{**common, **IMITATION["tiny"]},
            model=str(start),
            out=str(imitation),
            steps=sizes.imitation_steps,
            eval_every=max(1, sizes.imitation_steps // 4),
            eval_sessions=8,
        ),
        lambda done, total, _: tell("imitating people", done, total),
    )
    train_grpo(
        GRPOConfig(
            **{**common, **GRPO["tiny"], "groups": 3},
            model=str(imitation),
            out=str(grpo),
            iterations=sizes.grpo_iterations,
            save_every=4,
        ),
        lambda done, total, _: tell("learning from whole sessions", done, total),
    )

    # Scores on sessions of users never trained on, with recordings
    agents = [
        AgentSpec("human"),
        AgentSpec("recverse", str(grpo), "GRPO"),
        AgentSpec("recverse", str(imitation), "imitation"),
        AgentSpec("recverse", NANO, NANO),
        AgentSpec("heuristic"),
        AgentSpec("random"),
        AgentSpec("always-click"),
        AgentSpec("always-terminate"),
    ]
    results = run_benchmark(
        dataset,
        agents,
        out / "results",
        repetitions=sizes.repetitions,
        seed=seed,
        lanes=24,
        record=sizes.record,
        progress=lambda done, total: tell("shopping in held-out sessions", done, total),
    )
    recordings = sorted(file.parent for file in (results.path / RECORDINGS).glob("*/trace.json"))
    for n, recording in enumerate(recordings):
        tell("re-executing recordings", n, len(recordings))
        if differences := verify(recording):
            raise CheckFailed(f"{recording}: {differences[0]}")
        if not (recording / "session.gif").exists():
            to_gif(recording)

    tell("writing the page", 0, 1)
    report = _report(results, dataset, imitation, grpo).write(out / "report.html")
    return Demo(results, report, len(recordings))


def _report(results: Results, dataset: DataSet, imitation: Path, grpo: Path) -> Report:
    films = films_of(results, dataset)
    report = Report("ShopSim, the main job done small", _SUBTITLE, facts_of(results))
    report.add(gallery_section("What the agent sees", list(_screens(films)), _SCREENS))
    report.add(curves_section(_curves(imitation, grpo)))
    report.add(*score_sections(results))
    report.add(films_section(films))
    return report.add(made_section(results))


_SUBTITLE = (
    "A synthetic shop was made and checked; a model of a million weights learned from recorded people by imitation, "
    "then by GRPO on whole sessions; on sessions of people it never saw it is compared with them, with shopsim-nano, "
    "which the same trainers made in an hour, and with agents that learned nothing."
)
_SCREENS = "One person's session, drawn from the record: the feed, what a tap opens, the pages between."


def _screens(films: Sequence[SessionFilm]) -> Iterator[Picture]:
    """A few screens of the recorded person who did most."""
    frames = max((film.strips[0].frames for film in films), key=len, default=())
    for frame in frames[:: max(1, len(frames) // 4)][:4]:
        yield Picture(frame.source, frame.width, frame.height, frame.caption)


def _curves(imitation: Path, grpo: Path) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Chart -> line -> points, from the two runs' logs."""

    def line(run: Path, name: str) -> list[tuple[float, float]]:
        return [(float(row["step"]), row[name]) for row in logs.read(run) if name in row]

    parts = ("total", "macro", "micro", "format", "length")
    return {
        "imitation: -log π per token": {
            "train": line(imitation, "loss"),
            "validation": line(imitation, "validation/loss"),
        },
        "GRPO: mean reward of an iteration": {part: line(grpo, f"reward/{part}") for part in parts},
        "GRPO: answers that failed": {
            "not readable": line(grpo, "rollouts/unparsed"),
            "not possible": line(grpo, "rollouts/invalid"),
        },
    }
