"""The items of a log: their categories, brands, prices and titles out of what many rows say of each. Ours."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import Stream, keys_of
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.item_filling import Draft, fill_items
from shopsim.benchmark_usb.importers.item_texts import ItemTexts
from shopsim.benchmark_usb.importers.log_format import LogFormat
from shopsim.benchmark_usb.importers.money import Money, PriceCounts
from shopsim.benchmark_usb.importers.side_tables import ItemFacts
from shopsim.benchmark_usb.importers.stock import stock_of
from shopsim.data.records import Category, Item

Labels = tuple[str | None, str | None, str | None]
Path = tuple[str, ...]

USUAL_PRICE = 20.0
"""Median of the prices made up where a log tells none at all; the spread is that of the shops at hand: among
categories, and among the items of one."""
_SPREAD_OF_CATEGORIES, _SPREAD_IN_CATEGORY = 0.9, 0.5
_LEAST_PRICE = 0.01
_PRICES = 31
"""A purpose of chance."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """All items of a log and what they refer to."""

    items: Sequence[Item]
    """The log's, then the stock (see `stock`)."""
    n_stock: int
    groups: NDArray[np.int64]
    """Shape (items, 3): category codes from the finest, for `FeedSampler`; items without a category share one."""
    categories: Sequence[Category]
    """Parents before children."""


def make_catalog(
    texts: ItemTexts,
    prices: PriceCounts,
    money: Money,
    facts: Mapping[str, ItemFacts],
    log: LogFormat,
    shelf: int,
    report: ImportReport,
) -> Catalog:
    """The items that events name, and others like them that were in stock.

    Args:
        texts: The items of the log, and what events say of them.
        prices: What they cost.
        money: Knows units and currencies.
        facts: What a table of items says; it goes before what the events say.
        log: What the log looks like.
        shelf: Least items of a category, see `stock`.
        report: Gets its counts.
    """
    names, separator = texts.ids, log.category_separator
    none = ItemFacts()
    known = [facts.get(name, none) for name in names]
    told = {name: texts.last(name) for name in ("category_id", "brand", "title")}
    leaves = [fact.category_id or last for fact, last in zip(known, told["category_id"], strict=True)]
    levels = [texts.last(f"category {level}") for level in range(len(log.events.category))]
    paths = _paths(levels, known, separator)
    if levels and any(told["category_id"]):
        # A path belongs to a category: an item whose own rows lack it has it from its neighbours.
        by_leaf = {leaf: path for leaf, path in zip(leaves, paths, strict=True) if leaf and path}
        paths = [path or by_leaf.get(leaf, ()) for path, leaf in zip(paths, leaves, strict=True)]
    brands = [fact.brand or last for fact, last in zip(known, told["brand"], strict=True)]
    titles = [fact.title or last for fact, last in zip(known, told["title"], strict=True)]
    join = separator or " > "
    labels = [labels_of(path, leaf, join) for path, leaf in zip(paths, leaves, strict=True)]
    groups = _groups(labels)
    amounts, report.currency = money.settle(prices)
    price = _prices(prices.item, amounts, prices.count, names, known, groups, report)
    report.items_without_category = labels.count((None, None, None))
    report.items_category_unnamed = sum(bool(leaf) and not path for leaf, path in zip(leaves, paths, strict=True))
    report.items_without_brand = brands.count("")
    report.items_titled = len(titles) - titles.count("")
    report.items_ambiguous = texts.several()
    columns = zip(names, price.tolist(), labels, paths, brands, titles, strict=True)
    drafts = [
        Draft(name, cost, label, tuple(part.lower() for part in path), _brand(brand), _title(title))
        for name, cost, label, path, brand, title in columns
    ]
    stock, stock_groups = stock_of(drafts, groups, shelf)
    report.items_log, report.items_stock = len(drafts), len(stock)
    return Catalog(
        fill_items(drafts + stock),
        len(stock),
        np.concatenate((groups, stock_groups)),
        _categories(labels, paths, leaves),
    )


def labels_of(path: Path, leaf: str, join: str) -> Labels:
    """The three labels of a category: the first two parts of its path, then the whole of it.

    Where the path is shorter and the log has an id for the finest category, that id stands for the levels that are
    left: items of one such category have them in common, and of others nothing is known that could match.
    """
    whole = join.join(path)
    labels: list[str | None] = [join.join(path[: level + 1]) if len(path) > level else None for level in range(3)]
    if len(path) > 3:
        labels[2] = whole
    if leaf:
        for level in range(len(path), 3):
            labels[level] = leaf if level == 2 else f"{leaf}{join}{level + 1}"
    return labels[0], labels[1], labels[2]


def _paths(levels: Sequence[Sequence[str]], known: Sequence[ItemFacts], separator: str) -> list[Path]:
    """The path of each item's category, as far as it is told without a gap."""
    paths = []
    for row, fact in enumerate(known):
        parts = fact.category if any(fact.category) else tuple(level[row] for level in levels)
        if separator and len(parts) == 1:
            parts = tuple(part.strip() for part in parts[0].split(separator))
        end = parts.index("") if "" in parts else len(parts)
        paths.append(parts[:end])
    return paths


def _groups(labels: Sequence[Labels]) -> NDArray[np.int64]:
    """Codes from the finest category to the coarsest."""
    codes: dict[str | None, int] = {}
    rows = []
    for l1, l2, l3 in labels:
        rows.append([codes.setdefault(name, len(codes)) for name in (l3 or l2 or l1, l2 or l1, l1)])
    return np.array(rows, np.int64).reshape(-1, 3)


def _categories(labels: Sequence[Labels], paths: Sequence[Path], leaves: Sequence[str]) -> list[Category]:
    """The nodes named by the labels, parents before children.

    What the log names by an id alone has the name of the node above it, with a number from the second on.
    """
    found: list[dict[str, tuple[str | None, str, bool]]] = [{}, {}, {}]
    for label, path, leaf in dict.fromkeys(zip(labels, paths, leaves, strict=True)):
        for level, node in enumerate(label):
            if node is not None:
                word = path[level if level < 2 else -1] if level < len(path) else path[-1] if path else leaf
                parent = label[level - 1] if level else None
                found[level].setdefault(node, (parent, word, level >= len(path) > 0))
    nodes = []
    for level, named in enumerate(found):
        twins: Counter[str | None] = Counter()
        for node, (parent, word, borrowed) in sorted(named.items(), key=lambda pair: (pair[1][0] or "", pair[0])):
            twins[parent] += borrowed
            number = f" {twins[parent]}" if borrowed and twins[parent] > 1 else ""
            name = f"Category {word}" if word.isdigit() else word.replace("_", " ").capitalize()
            nodes.append(Category(node, level + 1, parent, name + number))
    return nodes


def _brand(brand: str) -> str | None:
    return f"Brand {brand}" if brand.isdigit() else brand or None


def _title(title: str) -> str | None:
    """A title in the case of a sentence where it has no small letters."""
    return title.capitalize() if title.isupper() else title or None


def _prices(
    item: NDArray[np.int32],
    price: NDArray[np.float64],
    count: NDArray[np.int64],
    names: Sequence[str],
    known: Sequence[ItemFacts],
    groups: NDArray[np.int64],
    report: ImportReport,
) -> NDArray[np.float64]:
    """Price of each item: the median of its prices, else of its category's items, from the finest up."""
    n = len(known)
    rows = ~np.isnan(price) & (item >= 0)
    item, price, count = item[rows], price[rows], count[rows]
    prices = medians(item, price, n, count)
    report.items_several_prices = int((medians(item, price, n, count, 1.0) > prices).sum())
    told = np.array([np.nan if fact.price is None else fact.price for fact in known], np.float64)
    prices = np.where(np.isnan(told), prices, told)
    report.items_filled_price = int(np.isnan(prices).sum())
    if report.items_filled_price == n:
        return _made_up_prices(names, groups)
    for group in (*groups.T, np.zeros(n, np.int64)):
        has = ~np.isnan(prices)
        prices = np.where(has, prices, medians(group[has], prices[has], int(group.max()) + 1)[group])
    return np.maximum(np.round(prices, 2), _LEAST_PRICE)


def _made_up_prices(names: Sequence[str], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Prices by a log-normal law of a category's and an item's own chance."""
    _, first, group = np.unique(groups[:, 0], return_index=True, return_inverse=True)
    of_category = _bell(keys_of(0, (f"category of {names[row]}" for row in first.tolist())))
    log = of_category[group] * _SPREAD_OF_CATEGORIES + _bell(keys_of(0, names)) * _SPREAD_IN_CATEGORY
    return np.maximum(np.round(USUAL_PRICE * np.exp(log), 2), _LEAST_PRICE)


def _bell(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    """One normal number for each key (by the sum of twelve uniform ones, which is near enough)."""
    chance = Stream(keys, _PRICES, np.zeros(len(keys), np.int64))
    total = chance.uniform()
    for _ in range(11):
        total += chance.uniform()
    return total - 6.0


def medians(
    owner: NDArray[np.integer],
    values: NDArray[np.float64],
    n: int,
    count: NDArray[np.int64] | None = None,
    quantile: float = 0.5,
) -> NDArray[np.float64]:
    """The lower median (or another quantile) of the values of each of `n` owners; NaN where there is none.

    Args:
        owner: Whose each value is.
        values: The values.
        n: Owners there are.
        count: How often each value stands; once where None.
        quantile: 0 to 1.
    """
    order = np.lexsort((values, owner))
    ends = np.cumsum(np.ones(len(order), np.int64) if count is None else count[order])
    total = np.bincount(owner, count, minlength=n).astype(np.int64)
    place = np.cumsum(total) - total + np.floor((total - 1) * quantile).astype(np.int64)
    result = np.full(n, np.nan)
    result[total > 0] = values[order][np.searchsorted(ends, place[total > 0], side="right")]
    return result
