"""How people behave in a data set or a log, in figures that real logs have too. Ours.

A log holds *item events*: an item looked at, carted, bought. Of a data set these are the steps that open a card, cart
and buy; scrolls, reading and leaving are in no log, and what an importer filled in is left out. So a synthetic set, an
imported one and a raw log are measured alike (SPEC 3: `shopsim data stats --against`).
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.length_law import fit_weibull
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action, Page
from shopsim.errors import DataError

Figures = dict[str, Any]
"""See `figures`."""

MIX = ("view", "cart", "purchase")
QUANTILES = (5, 25, 50, 75, 90, 95, 99)
"""Percentiles that stand for a distribution."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemEvents:
    """What is looked at, carted and bought, session by session, in order of time."""

    starts: NDArray[np.int64]
    """(sessions + 1,): session `i` is the events ``starts[i] : starts[i + 1]``; none is empty."""
    time: NDArray[np.int64]
    """Microseconds."""
    kind: NDArray[np.int8]
    """`Kind.VIEW`, `Kind.CART` or `Kind.PURCHASE`."""
    item: NDArray[np.int32]
    fine: NDArray[np.int32]
    """(items,) code of the finest category, -1 where none is known."""
    coarse: NDArray[np.int32]
    """(items,) code of the coarsest category, -1 where none is known."""
    price: NDArray[np.float64]
    """(items,), NaN where unknown."""


def events_of(dataset: DataSet) -> ItemEvents:
    """The item events of a data set."""
    kinds = np.full(len(Action), -1, np.int8)
    kinds[[Action.CLICK, Action.ENTER_DETAIL]] = Kind.VIEW
    kinds[Action.ADD_TO_CART], kinds[Action.PURCHASE] = Kind.CART, Kind.PURCHASE
    kind = kinds[dataset.step_actions]
    # Going on from the preview to the detail page is no second look.
    again = (kind == Kind.VIEW) & (dataset.step_pages != Page.FEED)
    real = (kind >= 0) & ~again & ~dataset.step_imputed
    session = np.repeat(np.arange(dataset.n_sessions), np.diff(dataset.step_starts))[real]
    lengths = np.bincount(session, minlength=dataset.n_sessions)
    return ItemEvents(
        starts=np.concatenate(([0], np.cumsum(lengths[lengths > 0]))),
        time=dataset.step_times[real],
        kind=kind[real],
        item=dataset.step_items[real],
        fine=dataset.label_codes[:, 2],
        coarse=dataset.label_codes[:, 0],
        price=np.full(dataset.n_items, np.nan) if "prices" in dataset.imputed else dataset.prices,
    )


def figures(events: ItemEvents) -> Figures:
    """What the events tell of behaviour, as values that JSON can hold; None where there is nothing to measure.

    - ``sessions``, ``events``: how many.
    - ``session_len``, ``gap_seconds``, ``abs_log_price_ratio_next``: quantiles (``p5`` to ``p99``), ``mean`` and
      ``max`` of the item events of a session, the seconds from one to the next, and |ln| of the price of an item
      viewed over that of the one viewed before.
    - ``share_len1``: sessions of one event; ``length_shape``, ``length_q``: the discrete Weibull law that fits the
      lengths best.
    - ``mix``: share of each kind.
    - ``next_same_item``, ``next_same_category``, ``next_same_l1``: share of the views that are of the same item, or
      of one of the same finest or coarsest category, as the view before.
    - ``sessions_with_cart``, ``sessions_with_purchase``; ``purchase_without_cart``, ``purchase_without_view``: of the
      purchases, those whose item was not carted, not viewed before in the session.
    """
    lengths = np.diff(events.starts)
    session = np.repeat(np.arange(len(lengths)), lengths)
    within = session[1:] == session[:-1]
    shape, q = fit_weibull(lengths) if len(lengths) else (None, None)
    views = events.kind == Kind.VIEW
    item, of = events.item[views], session[views]
    pairs = of[1:] == of[:-1]
    last, this = item[:-1][pairs], item[1:][pairs]
    jumps = np.abs(np.log(events.price[this]) - np.log(events.price[last]))
    counts = np.bincount(events.kind, minlength=len(MIX))[: len(MIX)]
    return {
        "sessions": len(lengths),
        "events": len(events.kind),
        "session_len": _spread(lengths),
        "share_len1": _mean(lengths == 1),
        "length_shape": shape,
        "length_q": q,
        "mix": {name: _share(n, len(events.kind)) for name, n in zip(MIX, counts.tolist(), strict=True)},
        "gap_seconds": _spread(np.diff(events.time)[within] / 1e6),
        "next_same_item": _mean(last == this),
        "next_same_category": _alike(events.fine, last, this),
        "next_same_l1": _alike(events.coarse, last, this),
        "abs_log_price_ratio_next": _spread(jumps[np.isfinite(jumps)]),
        "sessions_with_cart": _share(len(np.unique(session[events.kind == Kind.CART])), len(lengths)),
        "sessions_with_purchase": _share(len(np.unique(session[events.kind == Kind.PURCHASE])), len(lengths)),
        "purchase_without_cart": _without(events, session, Kind.CART),
        "purchase_without_view": _without(events, session, Kind.VIEW),
    }


def figures_of(source: str) -> dict[str, Figures]:
    """Figures of a source by its name: what ``--against`` takes.

    Args:
        source: ``KIND:PATH``, a raw log; a data set's folder; or a JSON file, see `stored_figures`.

    Raises:
        DataError: It cannot be read.
        InputError: There is no such kind of log.
    """
    kind, colon, path = source.rpartition(":")
    if colon and not Path(source).exists():
        return {Path(kind).stem: log_figures(kind, path)}
    if source.endswith(".json"):
        return stored_figures(source)
    dataset = DataSet.open(source)
    return {dataset.name: figures(events_of(dataset))}


def log_figures(kind: str, path: str | Path) -> Figures:
    """Figures of a raw log, read, cleaned and cut as its importer would.

    Args:
        kind: An importer's name, or a mapping file (`importers.kinds.log_of_kind`).
        path: The log's file, or a folder with its files.

    Raises:
        DataError: There is no such log there.
        InputError: There is no such kind.
    """
    # Loads pyarrow.
    from shopsim.benchmark_usb.importers.import_report import ImportReport
    from shopsim.benchmark_usb.importers.importing import catalog_of, cut_log
    from shopsim.benchmark_usb.importers.kinds import log_of_kind
    from shopsim.benchmark_usb.importers.set_columns import Batch

    log = log_of_kind(kind)
    report = ImportReport(log=log.name)
    with TemporaryDirectory() as folder:
        cut, tables = cut_log(log, [path], log.settings, report, Path(folder))
        batches = [Batch.of(table) for table in cut.in_order()]
    catalog = catalog_of(log, cut, tables, log.settings, report)
    items = [catalog.items[row] for row in range(len(catalog.items) - catalog.n_stock)]
    priced = report.items_filled_price < len(items)
    # That a shopper left is no event of an item; no session begins with it.
    acts = [batch.events.kind != Kind.LEAVE for batch in batches]
    lengths = [
        np.bincount(batch.events.session[mask], minlength=len(batch.lengths))
        for batch, mask in zip(batches, acts, strict=True)
    ]

    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(b.events, name)[mask] for b, mask in zip(batches, acts, strict=True)])

    return figures(
        ItemEvents(
            starts=np.append(0, np.cumsum(np.concatenate(lengths))),
            time=column("time"),
            kind=column("kind"),
            item=column("item"),
            fine=_codes(item.l3 for item in items),
            # Where a log has mere ids of finest categories, the coarser labels are made of them and tell nothing.
            coarse=_codes(None if item.l1 and item.l3 and item.l1.startswith(item.l3) else item.l1 for item in items),
            price=np.array([item.price if priced else np.nan for item in items]),
        )
    )


_KNOWN = {
    "next_view_same_product": "next_same_item",
    "next_view_same_category": "next_same_category",
    "next_view_same_L1": "next_same_l1",
    "buy_without_pv": "purchase_without_view",
    "sessions_30min": "sessions",
}
_KNOWN_KINDS = {"pv": "view", "buy": "purchase"}


def stored_figures(path: str | Path) -> dict[str, Figures]:
    """Figures of logs from a JSON file: an object with the figures of each log by its name, with what is known.

    Logs without ``session_len`` are left out. Names of figures that differ between logs mean the same here, and a
    law of lengths may stand beside the logs, under ``session_length_fits_aic``, by the first word of a log's name.

    Raises:
        DataError: It is no such file.
    """
    try:
        raw = json.loads(Path(path).read_text("utf-8"))
        found = {name: one for name, one in raw.items() if isinstance(one, dict) and "session_len" in one}
    except (OSError, ValueError, AttributeError) as error:
        raise DataError(f"{path}: holds no figures of logs ({error})") from error
    if not found:
        raise DataError(f"{path}: holds no figures of logs; each needs at least session_len")
    laws = {name.split("_")[0]: fits["weibull_disc"] for name, fits in raw.get("session_length_fits_aic", {}).items()}
    return {name: _in_our_words(one, laws.get(name.split("_")[0])) for name, one in found.items()}


def _in_our_words(raw: Mapping[str, Any], law: Mapping[str, Any] | None) -> Figures:
    told = {_KNOWN.get(name, name): value for name, value in raw.items()}
    if law is not None:
        told["length_q"], told["length_shape"] = law["params"]
    if "mix" in told:
        mix = {_KNOWN_KINDS.get(kind, kind): share for kind, share in told["mix"].items()}
        total = sum(mix.get(kind, 0.0) for kind in MIX)
        told["mix"] = {kind: mix.get(kind, 0.0) / total for kind in MIX}
    return {name: told.get(name) for name in NAMES}


def _codes(labels: Iterable[str | None]) -> NDArray[np.int32]:
    """A number for each label, -1 for none."""
    numbers: dict[str, int] = {}
    codes = [-1 if label is None else numbers.setdefault(label, len(numbers)) for label in labels]
    return np.array(codes, np.int32)


def _alike(codes: NDArray[np.int32], last: NDArray[np.int32], this: NDArray[np.int32]) -> float | None:
    """Share of the pairs of items of one category, among those of which both are known."""
    a, b = codes[last], codes[this]
    known = (a >= 0) & (b >= 0)
    return _mean(a[known] == b[known])


def _without(events: ItemEvents, session: NDArray[np.int64], before: Kind) -> float | None:
    """Share of the purchases whose item had no event of this kind before in the session."""
    pair = session * (int(events.item.max(initial=0)) + 1) + events.item
    bought = np.flatnonzero(events.kind == Kind.PURCHASE)
    first: dict[int, int] = {}
    for place in np.flatnonzero(events.kind == before).tolist():
        first.setdefault(int(pair[place]), place)
    return _mean(np.array([first.get(int(pair[place]), len(pair)) > place for place in bought.tolist()]))


def _spread(values: NDArray[Any]) -> dict[str, float] | None:
    if not len(values):
        return None
    spread = {f"p{p}": float(x) for p, x in zip(QUANTILES, np.percentile(values, QUANTILES), strict=True)}
    return {**spread, "mean": float(values.mean()), "max": float(values.max())}


def _mean(values: NDArray[Any]) -> float | None:
    return float(values.mean()) if len(values) else None


def _share(part: int, of: int) -> float | None:
    return part / of if of else None


NAMES = (
    "sessions", "events", "session_len", "share_len1", "length_shape", "length_q", "mix", "gap_seconds",
    "next_same_item", "next_same_category", "next_same_l1", "abs_log_price_ratio_next", "sessions_with_cart",
    "sessions_with_purchase", "purchase_without_cart", "purchase_without_view",
)  # fmt: skip
"""Of the figures, in order."""
