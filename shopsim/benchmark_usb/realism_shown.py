"""Figures of behaviour side by side: rows of a table, and one plot. Loads matplotlib."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from shopsim.benchmark_usb.realism import MIX, QUANTILES, Figures

_STYLE: dict[str, Any] = {"linewidth": 1.3, "marker": "o", "markersize": 3}


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
    """Writes the plot: PNG, SVG or PDF by the file's name. The first source is drawn in black.

    Args:
        compared: Figures by the name of their source.
        path: The file.
    """
    figure = Figure(figsize=(13, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3)
    colors = dict(zip(compared, ["black", *(f"C{i % 10}" for i in range(len(compared)))], strict=False))
    spreads = (
        (axes[0, 0], "session_len", "item events a session"),
        (axes[0, 1], "gap_seconds", "seconds to the next event"),
        (axes[0, 2], "abs_log_price_ratio_next", "|ln price ratio| of one view to the next"),
    )
    for place, name, title in spreads:
        for source, figures in compared.items():
            if figures[name] is not None:
                _curve(place, figures[name], colors[source], source)
        place.set(title=title, ylabel="share above", yscale="log")
        place.grid(alpha=0.25)
    axes[0, 0].set_xscale("log")
    axes[0, 1].set_xscale("symlog", linthresh=1)
    axes[0, 1].set_xlim(left=0)
    kinds = [(kind, _part("mix", kind)) for kind in MIX[1:]]
    stays = [(f"same {name}", _figure(key)) for name, key in (
        ("item", "next_same_item"), ("finest\ncategory", "next_same_category"), ("coarsest\ncategory", "next_same_l1"),
    )]  # fmt: skip
    ends = [("with a cart", _figure("sessions_with_cart")), ("with a purchase", _figure("sessions_with_purchase"))]
    _bars(axes[1, 0], "events that are", kinds, compared, colors)
    _bars(axes[1, 1], "next view is of the", stays, compared, colors)
    _bars(axes[1, 2], "sessions", ends, compared, colors)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(path, dpi=110)


def _curve(axes: Axes, spread: Mapping[str, float], color: str, label: str) -> None:
    values = [spread[f"p{p}"] for p in QUANTILES]
    axes.plot(values, [1 - p / 100 for p in QUANTILES], color=color, label=label, **_STYLE)


def _bars(
    axes: Axes,
    title: str,
    groups: Sequence[tuple[str, Callable[[Figures], Any]]],
    compared: Mapping[str, Figures],
    colors: Mapping[str, str],
) -> None:
    width = 0.85 / len(compared)
    for number, (source, figures) in enumerate(compared.items()):
        for place, (_, value) in enumerate(groups):
            if (share := value(figures)) is not None:
                x = place + (number - (len(compared) - 1) / 2) * width
                axes.bar(x, 100 * share, width * 0.9, color=colors[source])
    axes.set_xticks(range(len(groups)), [name for name, _ in groups])
    axes.set(title=title, ylabel="%")
    axes.grid(axis="y", alpha=0.25)
