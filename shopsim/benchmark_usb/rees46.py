"""Importing the REES46 multi-category store log as a data set.

The log is public ("eCommerce behavior data from multi category store"): views, carts and purchases of a large shop,
with a dotted category path for two thirds of them. What is read, dropped and filled in is ours; `ImportReport`
counts every choice. Loads pyarrow.
"""

from collections import Counter
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.import_report import ImportReport
from shopsim.benchmark_usb.imported_set import CleanLog, ImportSettings, Progress, write_imported
from shopsim.benchmark_usb.item_filling import FILLED_INPUTS, fill_item
from shopsim.benchmark_usb.log_table import LogTable
from shopsim.benchmark_usb.rees46_rows import Rows, Texts, read_rows
from shopsim.data.records import Category
from shopsim.data.writer import check_free
from shopsim.errors import DataError

LICENCE = "public REES46 log; credit to the REES46 Marketing Platform asked; no open licence"
UNKNOWN_PRICE = 9.99
"""Price of an item where the whole log has no price above 0."""

Labels = tuple[str | None, str | None, str | None]


def import_rees46(
    source: str | Path,
    out: str | Path,
    *,
    seed: int = 0,
    gap_minutes: float = 30.0,
    history_until: datetime | None = None,
    stray: float = 0.05,
    seen_per_opened: float = 6.0,
    progress: Progress | None = None,
) -> ImportReport:
    """Reads a REES46 log and writes a data set.

    Args:
        source: The log, ``.csv`` or ``.csv.gz``.
        out: Folder to make; nothing of it exists until the import is complete.
        seed: Decides splits, feeds and how far shoppers browse.
        gap_minutes: A longer pause inside one user session cuts it.
        history_until: Events before this time become users' histories instead of sessions.
        stray: Share of feed fillers from any category.
        seen_per_opened: Cards seen for each item opened, on average.
        progress: Called with (sessions done, sessions in all).

    Raises:
        DataError: The file is missing, empty, damaged, not this log, or its last line is cut; or `out` is taken.
            One line names file, line and cause, and nothing is written. (Single rows that make no sense are
            dropped and counted instead.)
    """
    source, out = Path(source), Path(out)
    check_free(out)
    settings = ImportSettings(seed, gap_minutes, history_until, stray, seen_per_opened)
    report = ImportReport(log=source.name)
    rows = read_rows(source, report)
    if not len(rows):
        raise DataError(f"{source}: holds no usable event (rows {report.rows}, bad {report.bad_rows.total()})")
    log = _clean_log(rows, report)
    write_imported(
        out,
        log,
        settings,
        report,
        name=f"rees46-{source.name.removesuffix('.gz').removesuffix('.csv')}",
        currency="USD",
        licence=LICENCE,
        imputed=(*FILLED_INPUTS, *(["prices"] if report.items_filled_price else [])),
        progress=progress,
    )
    return report


def _clean_log(rows: Rows, report: ImportReport) -> CleanLog:
    """Items, categories and events of the rows."""
    category_ids = _last_told(rows.product, rows.category_id)
    # A path belongs to a category: an item whose own rows lack it has it from its neighbours.
    path_by_id = dict(zip(rows.category_id.values, _last_told(rows.category_id, rows.category_code), strict=True))
    paths = [path_by_id[category_id] for category_id in category_ids]
    brands = _last_told(rows.product, rows.brand)
    labels = [labels_of(category_id, path) for category_id, path in zip(category_ids, paths, strict=True)]
    groups = _groups(category_ids, labels)
    prices = _prices(rows, groups, report)
    items = [
        fill_item(product, price, label, tuple(path.split(".")) if path else (), brand or None)
        for product, price, label, path, brand in zip(
            rows.product.values, prices.tolist(), labels, paths, brands, strict=True
        )
    ]
    report.items_without_category = paths.count("")
    report.items_without_brand = brands.count("")
    report.items_ambiguous = len(_several(rows.product, rows.category_id) | _several(rows.product, rows.brand))
    table = LogTable(rows.time, rows.kind, rows.product.codes, rows.user.codes, rows.session.codes)
    return CleanLog(table, items, groups, _categories(labels), rows.user.values, rows.session.values)


def labels_of(category_id: str, path: str) -> Labels:
    """The three labels of a category: the first two parts of its dotted path, then the whole path.

    A path of two parts is parted further by the log's own category ids; of a category without a path nothing is
    known that could match another, so it has no labels.
    """
    parts = path.split(".") if path else []
    if len(parts) < 2:
        return (parts[0] if parts else None), None, None
    return parts[0], ".".join(parts[:2]), path if len(parts) > 2 else category_id


def _categories(labels: list[Labels]) -> list[Category]:
    """The nodes named by the labels, parents before children; ids under one path get numbers as names."""
    l1 = sorted({a for a, _, _ in labels if a})
    l2 = sorted({(b, a) for a, b, _ in labels if b})
    l3 = sorted({(b, c) for _, b, c in labels if b and c})
    nodes = [Category(a, 1, None, _name(a)) for a in l1]
    nodes += [Category(b, 2, a, _name(b)) for b, a in l2]
    unnamed: Counter[str] = Counter()
    for parent, node in l3:
        if node.startswith(parent):
            name = _name(node)
        else:
            unnamed[parent] += 1
            name = _name(parent) if unnamed[parent] == 1 else f"{_name(parent)} {unnamed[parent]}"
        nodes.append(Category(node, 3, parent, name))
    return nodes


def _name(path: str) -> str:
    return path.rpartition(".")[2].replace("_", " ").capitalize()


def _groups(category_ids: list[str], labels: list[Labels]) -> NDArray[np.int64]:
    """Codes from the finest category to the coarsest; the log's own category stands in where there is no label."""
    codes: dict[str, int] = {}
    rows = []
    for category_id, (l1, l2, l3) in zip(category_ids, labels, strict=True):
        finest = l3 or category_id
        rows.append([codes.setdefault(name, len(codes)) for name in (finest, l2 or finest, l1 or finest)])
    return np.array(rows, np.int64)


def _prices(rows: Rows, groups: NDArray[np.int64], report: ImportReport) -> NDArray[np.float64]:
    """Price of each item: the median of its prices above 0, else of its category's items, from the finest up."""
    known = rows.price > 0
    product = rows.product.codes[known]
    prices = _medians(product, rows.price[known], len(groups))
    report.items_filled_price = int(np.isnan(prices).sum())
    report.items_several_prices = int((_medians(product, rows.price[known], len(groups), 1.0) > prices).sum())
    everything = np.zeros((len(groups), 1), np.int64)
    for group in np.hstack((groups, everything)).T:
        has = ~np.isnan(prices)
        prices = np.where(has, prices, _medians(group[has], prices[has], int(group.max()) + 1)[group])
    return np.where(np.isnan(prices), UNKNOWN_PRICE, prices)


def _medians(
    owner: NDArray[np.int32], values: NDArray[np.float64], n: int, quantile: float = 0.5
) -> NDArray[np.float64]:
    """The lower median (or another quantile) of the values of each of `n` owners; NaN where there is none."""
    order = np.lexsort((values, owner))
    count = np.bincount(owner, minlength=n)
    last = np.cumsum(count) - 1
    place = last - count + 1 + np.floor((count - 1) * quantile).astype(np.int64)
    result = np.full(n, np.nan)
    result[count > 0] = values[order][place[count > 0]]
    return result


def _last_told(owner: Texts, told: Texts) -> list[str]:
    """For each owner the last text that is not empty among its rows, else an empty one."""
    codes = np.full(len(owner.values), -1)
    rows = _not_empty(told)
    codes[owner.codes[rows]] = told.codes[rows]
    return [told.values[code] if code >= 0 else "" for code in codes.tolist()]


def _several(owner: Texts, told: Texts) -> set[int]:
    """Owners with more than one text that is not empty."""
    rows = _not_empty(told)
    pairs = np.unique(owner.codes[rows].astype(np.int64) * len(told.values) + told.codes[rows])
    owners, count = np.unique(pairs // len(told.values), return_counts=True)
    return set(owners[count > 1].tolist())


def _not_empty(texts: Texts) -> NDArray[np.bool_]:
    empty = texts.values.index("") if "" in texts.values else -1
    told: NDArray[np.bool_] = texts.codes != empty
    return told
