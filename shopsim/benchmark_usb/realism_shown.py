"""Figures of behaviour side by side: rows of a table, and one plot. Loads matplotlib."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from shopsim.benchmark_usb.realism import MIX, QUANTILES, Figures

_STYLE: dict[str, Any] = {"marker": "o", "markersize": 3}
_LEAST_GAP = 0.5
"""Seconds; shorter gaps are drawn here, for a logarithmic axis has no zero."""


def _part(name: str, key: str) -> Callable[[Figures], Any]:
    return lambda figures: (figures[name] or {}).get(key)


def _figure(name: str) -> Callable[[Figures], Any]:
    return lambda figures: figures[name]


_ROWS: tuple[tuple[str, Callable[[Figures], Any], str], ...] = (
    ("sessions", _figure("sessions"), "{:,}"),
    ("item events", _figure("events"), "{:,}"),
    ("events a session: mean", _part("session_len", "mean"), "{:.2f}"),
    ("  median", _part("session_len", "p50"), "{:.0f}"),
    ("  90 % below", _part("session_len", "p90"), "{:.0f}"),
    ("  99 % below", _part("session_len", "p99"), "{:.0f}"),
    ("  longest", _part("session_len", "max"), "{:.0f}"),
    ("  sessions of one event", _figure("share_len1"), "{:.1%}"),
    ("  Weibull shape", _figure("length_shape"), "{:.2f}"),
    ("kind of event: view", _part("mix", "view"), "{:.1%}"),
    ("  cart", _part("mix", "cart"), "{:.1%}"),
    ("  purchase", _part("mix", "purchase"), "{:.1%}"),
    ("seconds to the next: median", _part("gap_seconds", "p50"), "{:.0f}"),
    ("  mean", _part("gap_seconds", "mean"), "{:.0f}"),
    ("  90 % below", _part("gap_seconds", "p90"), "{:.0f}"),
    ("next view: of the same item", _figure("next_same_item"), "{:.1%}"),
    ("  of the same finest category", _figure("next_same_category"), "{:.1%}"),
    ("  of the same coarsest category", _figure("next_same_l1"), "{:.1%}"),
    ("price jump |ln ratio|: median", _part("abs_log_price_ratio_next", "p50"), "{:.2f}"),
    ("  mean", _part("abs_log_price_ratio_next", "mean"), "{:.2f}"),
    ("  90 % below", _part("abs_log_price_ratio_next", "p90"), "{:.2f}"),
    ("sessions with a cart", _figure("sessions_with_cart"), "{:.1%}"),
    ("  with a purchase", _figure("sessions_with_purchase"), "{:.1%}"),
    ("purchases never carted", _figure("purchase_without_cart"), "{:.1%}"),
    ("  never viewed", _figure("purchase_without_view"), "{:.1%}"),
)


def comparison_rows(compared: Mapping[str, Figures]) -> list[tuple[str, ...]]:
    """For each figure its name and its value in each source, as text; empty where a source does not tell."""
    return [(name, *(_text(value(f), form) for f in compared.values())) for name, value, form in _ROWS]


def _text(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def draw_comparison(compared: Mapping[str, Figures], path: str | Path) -> None:
    """Writes the plot: PNG, SVG or PDF by the file's name. The first source stands out in black.

    Above, curves of how many are longer, slower or further apart; below, shares, with a bar from the lowest to the
    highest of the other sources.

    Args:
        compared: Figures by the name of their source.
        path: The file.
    """
    figure = Figure(figsize=(13, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3, height_ratios=(3, 2))
    colors = dict(zip(compared, ["black", *(f"C{i % 10}" for i in range(len(compared)))], strict=False))
    for source, figures in compared.items():
        lengths, gaps, jumps = (figures[name] for name in ("session_len", "gap_seconds", "abs_log_price_ratio_next"))
        if lengths is not None:
            # The longest session closes the curve.
            _curve(axes[0, 0], [*_quantiles(lengths), lengths["max"]], source, colors, last=1 / figures["sessions"])
        if gaps is not None:
            _curve(axes[0, 1], [max(_LEAST_GAP, gap) for gap in _quantiles(gaps)], source, colors)
        if jumps is not None:
            _curve(axes[0, 2], [math.exp(jump) for jump in _quantiles(jumps)], source, colors)
    _scales(
        axes[0, 0],
        "How long are sessions?",
        "item events (last point: the longest)",
        (1, 2, 5, 10, 20, 50, 100, 200, 500),
    )
    axes[0, 0].set_ylabel("share of sessions longer than this")
    _scales(axes[0, 1], "How long until the next event?", "seconds", (_LEAST_GAP, 1, 3, 10, 30, 100, 300, 1000))
    axes[0, 1].set_ylabel("share of gaps longer than this")
    _scales(axes[0, 2], "How far do prices jump?", "times dearer or cheaper than the last view", (1, 2, 5, 10, 20))
    axes[0, 2].set_ylabel("share of jumps larger than this")
    stays = [(f"the same\n{name}", _figure(key)) for name, key in (
        ("item", "next_same_item"), ("finest category", "next_same_category"), ("coarsest category", "next_same_l1"),
    )]  # fmt: skip
    kinds = [(f"a {kind}", _part("mix", kind)) for kind in MIX[1:]]
    ends = [(f"a {kind}", _figure(f"sessions_with_{kind}")) for kind in MIX[1:]]
    _dots(axes[1, 0], "How many events are ...", kinds, compared, colors)
    _dots(axes[1, 1], "How often does the next view stay with ...", stays, compared, colors)
    _dots(axes[1, 2], "How many sessions have ...", ends, compared, colors)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(path, dpi=110)


def _quantiles(spread: Mapping[str, float]) -> list[float]:
    return [spread[f"p{p}"] for p in QUANTILES]


def _curve(
    axes: Axes, values: Sequence[float], source: str, colors: Mapping[str, str], last: float | None = None
) -> None:
    above = [1 - p / 100 for p in QUANTILES] + ([] if last is None else [last])
    axes.plot(values, above, color=colors[source], label=source, **_emphasis(source, colors), **_STYLE)


def _emphasis(source: str, colors: Mapping[str, str]) -> dict[str, Any]:
    """The first source lies thick above the others."""
    first = source == next(iter(colors))
    return {"linewidth": 2.6 if first else 1.2, "zorder": 4 if first else 3}


def _scales(axes: Axes, title: str, label: str, ticks: Sequence[float]) -> None:
    axes.set(title=title, xlabel=label, xscale="log", yscale="log")
    low, high = axes.get_xlim()
    shown = [tick for tick in ticks if low <= tick <= high]
    axes.set_xticks(shown, [f"{tick:g}" for tick in shown])
    least = axes.get_ylim()[0]
    axes.set_yticks((1, 0.1, 0.01, 0.001), ("100 %", "10 %", "1 %", "0.1 %"))
    axes.set_ylim(least, 1.2)
    axes.minorticks_off()
    axes.grid(alpha=0.25)


def _dots(
    axes: Axes,
    title: str,
    rows: Sequence[tuple[str, Callable[[Figures], Any]]],
    compared: Mapping[str, Figures],
    colors: Mapping[str, str],
) -> None:
    """A dot a source in the row of each share; none where a source does not tell."""
    first, *others = compared
    for row, (_, value) in enumerate(rows):
        shares = {source: 100 * share for source, f in compared.items() if (share := value(f)) is not None}
        if among := [shares[source] for source in others if source in shares]:
            axes.plot((min(among), max(among)), (row, row), color="0.85", linewidth=9, solid_capstyle="round", zorder=1)
        for source, share in shares.items():
            size, shape = (80, "D") if source == first else (45, "o")
            axes.scatter(
                share, row, size, color=colors[source], marker=shape, zorder=4 if source == first else 3, clip_on=False
            )
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set(title=title, xlabel="%", ylim=(len(rows) - 0.4, -0.6), xlim=(0, None))
    axes.margins(x=0.1)
    axes.grid(axis="x", alpha=0.25)
