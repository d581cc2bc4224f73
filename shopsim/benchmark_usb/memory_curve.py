"""What remembering more costs and brings: prompt tokens and scores of one agent against K, its past screens. Ours.

The same sessions and seeds for every K, everything else of the agent the same; K is all that differs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from shopsim.benchmark_usb.bootstrap import Estimate, mean_of
from shopsim.benchmark_usb.results import Results
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.benchmark_usb.summary import bootstrap_of
from shopsim.data import DataSet
from shopsim.errors import InputError

WINDOWS = (0, 1, 2, 4, 8)
"""K by default."""


@dataclass(frozen=True, slots=True)
class Point:
    """One K."""

    window: int
    """K, past screens in the prompt."""
    rollouts: int
    """Scored; faulted ones come on top."""
    faults: int
    prompt_tokens: Estimate
    """A step: all prompt tokens over all steps."""
    answer_tokens: Estimate
    """A step."""
    seconds: Estimate
    """A step, wall time shared out to the sessions played together."""
    scores: dict[str, Estimate]
    """By the names in `SCORES`."""


SCORES: Mapping[str, str] = {
    "reward": "trajectory reward (SPEC 6.3), mean over sessions",
    "deviation": "geometric deviation of fidelity from people, 1 is perfect",
    "F1": "of items, percent",
}


def run_memory_curve(
    data: DataSet | str | Path | None,
    model: str,
    out: str | Path,
    *,
    agent: str = "recverse",
    windows: Sequence[int] = WINDOWS,
    settings: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Point]:
    """Runs one agent with each K through the same sessions; resumes where the folder exists.

    Args:
        data: The data set, its folder or hub id; None for the bundled one.
        model: As for `shopsim.agents.models.load_backend`.
        out: Folder of the results, as of `run_benchmark`; the agents are called ``K=0``, ``K=1`` ...
        agent: Which agent with working memory.
        windows: The values of K, distinct and not negative.
        settings: Further arguments of the agent, the same for each K.
        **options: Of `run_benchmark`: split, sessions, seed, lanes, progress ...

    Raises:
        InputError: Something given cannot be used.
        DataError: The data set cannot be used.
    """
    if not windows or min(windows) < 0 or len(set(windows)) < len(windows):
        raise InputError(f"K must be distinct whole numbers from 0, not {', '.join(map(str, windows)) or 'none'}")
    specs = [AgentSpec(agent, model, f"K={k}", {**(settings or {}), "window": k}) for k in windows]
    results = run_benchmark(data, specs, out, **options)
    return [_point(results, f"K={k}", k) for k in windows]


def _point(results: Results, name: str, window: int) -> Point:
    kept = [score for score in results.scores(name) if score.fault is None]
    bootstrap = bootstrap_of(kept)
    steps = [score.behaviour.steps for score in kept]

    def a_step(values: Sequence[float]) -> Estimate:
        return bootstrap.estimate(np.column_stack([values, steps]).astype(float), mean_of)

    summary = results.summary(name)
    return Point(
        window,
        summary.rollouts,
        summary.faults,
        a_step([score.cost.prompt_tokens for score in kept]),
        a_step([score.cost.completion_tokens for score in kept]),
        a_step([score.cost.seconds for score in kept]),
        {
            "reward": summary.reward["total"],
            "deviation": summary.fidelity.deviation,
            "F1": summary.intent.scores["F1"],
        },
    )


def curve_table(points: Sequence[Point]) -> Table:
    """The curve for a terminal, a line for each K."""
    table = Table(title="A step's tokens, and scores, by past screens K. Brackets: 95 % over users.")
    for column in ("K", "rollouts", "prompt tokens", "answer tokens", "seconds", *SCORES):
        table.add_column(column, justify="right")
    for point in points:
        faults = f" + {point.faults} faults" if point.faults else ""
        estimates = (point.prompt_tokens, point.answer_tokens, point.seconds, *point.scores.values())
        table.add_row(str(point.window), f"{point.rollouts}{faults}", *map(_text, estimates))
    return table


def draw_curve(points: Sequence[Point], file: Path) -> Path:
    """Draws the curve as a PNG picture: tokens above, scores below, with their intervals."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 8.0), layout="constrained")
    FigureCanvasAgg(figure)
    drawn = {"prompt tokens a step": [point.prompt_tokens for point in points]}
    drawn |= {name: [point.scores[name] for point in points] for name in SCORES}
    for axes, (name, estimates) in zip(figure.subplots(len(drawn), 1, sharex=True), drawn.items(), strict=True):
        shown = [(p.window, e) for p, e in zip(points, estimates, strict=True) if e.value is not None]
        axes.plot([k for k, _ in shown], [e.value for _, e in shown], marker="o", color="#2563a8")
        for k, e in shown:
            if e.low is not None and e.high is not None:
                axes.vlines(k, e.low, e.high, color="#2563a8", alpha=0.4, linewidth=3)
        axes.set_ylabel(name)
        axes.grid(axis="y", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylim(bottom=0)
    figure.axes[-1].set_xlabel("past screens in the prompt, K")
    figure.axes[-1].set_xticks([point.window for point in points])
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + ".unfinished")
    figure.savefig(unfinished, format="png", dpi=120, metadata={"Software": None})
    unfinished.replace(file)
    return file


def _text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "n/a"
    interval = "" if estimate.low is None else f" [{estimate.low:.3g}, {estimate.high:.3g}]"
    return f"{estimate.value:.4g}{interval}"
