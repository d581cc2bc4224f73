"""The charts of reports: small SVG pictures by matplotlib that follow the page's light or dark theme.

A chart is drawn in marker colours, which are then replaced by the page's CSS variables; its text stays text, in the
page's font. Each chart is narrow enough for a phone, so that a page lays out several side by side where there is
room. Every chart carries its content as an alternative text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from math import log2

from markupsafe import Markup, escape
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from shopsim.benchmark_usb.bootstrap import Estimate

INK, MUTED, GRID, PEOPLE, BAND = "#01fe00", "#01fe01", "#01fe02", "#01fe03", "#01fe04"
_VARIABLES = ("ink", "muted", "grid", "people", "band")
N_COLORS = 8
"""Agent colours that a page defines as ``--agent-0`` to ``--agent-7``; more agents share them."""

WIDTH = 4.6
"""Inches; at 72 points an inch the text comes out at its nominal size on a phone."""
_ROW = 0.32
_SMALL = 11


def agent_color(index: int) -> str:
    """Marker colour of the index-th agent."""
    return f"#02fe{index % N_COLORS:02x}"


class Chart:
    """A figure being drawn; `svg` is the result."""

    def __init__(self, height: float, width: float = WIDTH) -> None:
        self.figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(self.figure)
        self.axes: Axes = self.figure.add_subplot()
        self.axes.set_facecolor("none")
        self.figure.patch.set_alpha(0)
        for side, spine in self.axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set_color(GRID)
        self.axes.tick_params(colors=MUTED, labelcolor=MUTED, length=0, labelsize=_SMALL)

    def svg(self, alt: str) -> Markup:
        """The chart as an inline SVG element with this alternative text."""
        out = StringIO()
        self.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
        drawing = re.sub(r"\s+", " ", out.getvalue())
        found = re.search(r'(viewBox="[^"]+").*?</defs>(.*)</svg>', drawing)
        assert found is not None
        box, drawing = found.groups()
        drawing = re.sub(r'<g id="[^"]*"', "<g", drawing)
        drawing = re.sub(r"font-family: [^;\"]+; ?", "", drawing)
        drawing = re.sub(r"#01fe0(\d)", lambda m: f"var(--{_VARIABLES[int(m[1])]})", drawing)
        drawing = re.sub(r"#02fe0(\d)", r"var(--agent-\1)", drawing)
        return Markup(f'<svg {box} role="img" aria-label="{escape(alt)}">{drawing}</svg>')


@contextmanager
def _style(salt: str) -> Iterator[None]:
    """Settings under which the same chart always gives the same bytes; `salt` keeps ids apart on one page."""
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": salt, "text.parse_math": False}):
        yield


Row = tuple[str, Estimate]
Point = tuple[float, float]


def ratio_chart(name: str, meaning: str, rows: Sequence[Row]) -> Markup:
    """Bars from 1 (people) to the left (less than people) or right (more), on a doubling scale.

    Args:
        name: The metric.
        meaning: What is counted, for the alternative text.
        rows: Agent and its ratio to people; without a value the row says n/a.
    """
    reach = 3.0  # 1/8 to 8: farther is cut off and its number says how far
    with _style(f"ratio {name}"):
        chart = _rows_chart([agent for agent, _ in rows])
        axes = chart.axes
        axes.axvspan(-1, 1, color=BAND, zorder=0, linewidth=0)
        axes.axvline(0, color=PEOPLE, linewidth=1.5, zorder=3)
        for y, (_, ratio) in enumerate(rows):
            if ratio.value is None:
                _note(axes, y, "n/a")
                continue
            x = _clip(ratio.value, reach)
            axes.barh(y, x, height=0.62, color=agent_color(y), zorder=2)
            if ratio.low is not None and ratio.high is not None:
                _whisker(axes, y, _clip(ratio.low, reach), _clip(ratio.high, reach))
            _note(axes, y, _number(ratio.value))
        axes.set_xlim(-reach, reach)
        axes.set_xticks([-3, -2, -1, 0, 1, 2, 3], ["⅛", "¼", "½", "people", "2×", "4×", "8×"])
        said = ", ".join(f"{agent} {_number(r.value) if r.value is not None else 'n/a'}" for agent, r in rows)
        return chart.svg(f"{name} ({meaning}) as a ratio to people, 1 is perfect: {said}.")


def percent_chart(name: str, meaning: str, rows: Sequence[Row]) -> Markup:
    """Bars from 0 to 100."""
    with _style(f"percent {name}"):
        chart = _rows_chart([agent for agent, _ in rows])
        axes = chart.axes
        for y, (_, score) in enumerate(rows):
            if score.value is None:
                _note(axes, y, "n/a")
                continue
            axes.barh(y, score.value, height=0.62, color=agent_color(y), zorder=2)
            if score.low is not None and score.high is not None:
                _whisker(axes, y, score.low, score.high)
            _note(axes, y, f"{score.value:.1f}")
        axes.set_xlim(0, 100)
        axes.set_xticks([0, 25, 50, 75, 100], ["0", "25", "50", "75", "100"])
        axes.xaxis.grid(True, color=GRID, linewidth=0.6, zorder=0)
        said = ", ".join(f"{agent} {'n/a' if s.value is None else f'{s.value:.1f}'}" for agent, s in rows)
        return chart.svg(f"{name} ({meaning}), percent: {said}.")


def length_chart(agent: str, index: int, lengths: Sequence[int], human: Sequence[int]) -> Markup:
    """Session lengths of an agent (line) over those of people (filled)."""
    longest = max([1, *lengths, *human])
    width = max(1, -(-longest // 24))
    edges = [0.5 + width * i for i in range(longest // width + 2)]
    with _style(f"length {agent}"):
        chart = Chart(1.9)
        axes = chart.axes
        weight = 100 / max(1, len(human))
        axes.hist(human, edges, weights=[weight] * len(human), color=PEOPLE, alpha=0.35, zorder=1)
        axes.hist(
            lengths, edges, weights=[100 / max(1, len(lengths))] * len(lengths), histtype="step", linewidth=2,
            edgecolor=agent_color(index), zorder=2,
        )  # fmt: skip
        axes.set_xlim(left=0)
        axes.set_xlabel("steps in a session", color=MUTED, fontsize=_SMALL)
        axes.set_ylabel("% of sessions", color=MUTED, fontsize=_SMALL)
        axes.yaxis.grid(True, color=GRID, linewidth=0.6, zorder=0)
        return chart.svg(
            f"Session lengths of {agent}: {_mean(lengths):.1f} steps on average, people {_mean(human):.1f}."
        )


def funnel_chart(agent: str, index: int, stages: Mapping[str, tuple[float, float]]) -> Markup:
    """Items per session that reach each stage; a mark shows people. Lengths grow with the square root.

    Args:
        agent: Its name.
        index: Its colour.
        stages: For each stage the agent's and the people's mean per session.
    """
    with _style(f"funnel {agent}"):
        chart = _rows_chart(list(stages))
        axes = chart.axes
        for y, (mine, people) in enumerate(stages.values()):
            axes.barh(y, mine**0.5, height=0.62, color=agent_color(index), zorder=2)
            axes.plot([people**0.5] * 2, [y - 0.42, y + 0.42], color=PEOPLE, linewidth=2.5, zorder=3)
            _note(axes, y, f"{_number(mine)} | {_number(people)}")
        axes.set_xlim(0, max(v for pair in stages.values() for v in pair) ** 0.5 * 1.02 or 1)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        said = ", ".join(f"{stage} {_number(a)} (people {_number(h)})" for stage, (a, h) in stages.items())
        return chart.svg(f"Items per session that {agent} takes through the shop: {said}.")


def leaving_chart(agent: str, index: int, mine: Sequence[Point], people: Sequence[Point]) -> Markup:
    """Chance to leave by step, for those who got that far: points (step, chance 0-1)."""
    with _style(f"leaving {agent}"):
        chart = Chart(1.9)
        axes = chart.axes
        for curve, color, width in ((people, PEOPLE, 2.5), (mine, agent_color(index), 2)):
            axes.plot(
                [step for step, _ in curve], [100 * chance for _, chance in curve],
                color=color, linewidth=width, marker="o", markersize=3,
            )  # fmt: skip
        axes.set_xlabel("step", color=MUTED, fontsize=_SMALL)
        axes.set_ylabel("% leave", color=MUTED, fontsize=_SMALL)
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, max([2.0, *(step for step, _ in (*mine, *people))]) + 1)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.grid(True, color=GRID, linewidth=0.6, zorder=0)
        said = [
            f"{who} {100 * c[0][1]:.0f} % at first, {100 * c[-1][1]:.0f} % at last"
            for who, c in ((agent, mine), ("people", people))
            if c
        ]
        return chart.svg(f"Chance to leave at a step: {'; '.join(said)}.")


def curve_chart(name: str, curves: Mapping[str, Sequence[Point]], xlabel: str = "update") -> Markup:
    """Lines over updates of a training or anything else, one a name; colours follow the order."""
    with _style(f"curve {name}"):
        chart = Chart(2.4)
        axes = chart.axes
        for index, (label, points) in enumerate(curves.items()):
            axes.plot(*zip(*points, strict=True), color=agent_color(index), linewidth=2, label=label)
        axes.set_xlabel(xlabel, color=MUTED, fontsize=_SMALL)
        axes.yaxis.grid(True, color=GRID, linewidth=0.6, zorder=0)
        if len(curves) > 1:
            axes.legend(frameon=False, labelcolor=INK, fontsize=_SMALL)
        said = "; ".join(f"{label} from {p[0][1]:.3g} to {p[-1][1]:.3g}" for label, p in curves.items() if p)
        return chart.svg(f"{name} by {xlabel}: {said}.")


def _rows_chart(labels: Sequence[str]) -> Chart:
    chart = Chart(0.3 + _ROW * len(labels))
    axes = chart.axes
    axes.set_yticks(range(len(labels)), [label if len(label) <= 22 else label[:21] + "…" for label in labels])
    axes.tick_params(axis="y", labelcolor=INK, pad=4)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    return chart


def _note(axes: Axes, y: float, text: str) -> None:
    """A number in a column of its own, right of the bars, where nothing covers it."""
    axes.annotate(
        text, (1, y), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points", va="center",
        color=INK, fontsize=_SMALL, annotation_clip=False,
    )  # fmt: skip


def _whisker(axes: Axes, y: float, low: float, high: float) -> None:
    axes.plot([low, high], [y, y], color=INK, linewidth=1.2, solid_capstyle="butt", zorder=4)


def _clip(ratio: float, reach: float) -> float:
    return max(-reach, min(reach, log2(ratio))) if ratio > 0 else -reach


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _mean(values: Sequence[int]) -> float:
    return sum(values) / max(1, len(values))
