"""Tables beside the events: what a log says of its items and of its users. Ours. Loads pyarrow."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.log_format import ItemColumns, LogFormat, UserColumns, names_in
from shopsim.benchmark_usb.importers.pieces import Note
from shopsim.benchmark_usb.importers.settings import CleanRules
from shopsim.benchmark_usb.importers.tables import read_pieces
from shopsim.benchmark_usb.importers.values import Age, coded, read_age, read_id, read_price, read_words

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What a table of items says of one; empty or None where it says nothing."""

    price: float | None = None
    category: tuple[str, ...] = ()
    category_id: str = ""
    brand: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class UserFacts:
    """What a table of users says of one."""

    age: Age
    gender: str | None = None
    persona: str | None = None


def read_items(
    paths: Sequence[Path], log: LogFormat, rules: CleanRules, report: ImportReport, ids: Collection[str]
) -> dict[str, ItemFacts]:
    """What tables of items say of the wanted ones; of several rows for one the last counts."""
    columns = log.items
    if columns is None:
        return {}
    wanted = set(ids)
    missing = frozenset(rules.missing)

    def words(text: str) -> str:
        return read_words(text, missing)

    def price(text: str) -> float | None:
        amount = read_price(text, missing).amount
        return amount if amount is not None and amount > 0 else None

    facts: dict[str, ItemFacts] = {}
    for table in _pieces(paths, log, columns, rules, report, "table of items"):
        prices = _read(table, columns.price, price, None)
        levels = [_read(table, name, words, "") for name in columns.category]
        ids, brands = _read(table, columns.category_id, words, ""), _read(table, columns.brand, words, "")
        titles = [_read(table, name, words, "") for name in columns.title]
        for row, item in enumerate(_ids(table, columns.item, rules)):
            if item is not None and item in wanted:
                path = tuple(level[row] for level in levels)
                title = " ".join(part[row] for part in titles if part[row])
                facts[item] = ItemFacts(prices[row], path, ids[row], brands[row], title)
    return facts


def read_users(paths: Sequence[Path], log: LogFormat, rules: CleanRules, report: ImportReport) -> dict[str, UserFacts]:
    """What tables of users say; of several rows for one the last counts."""
    columns = log.users
    if columns is None:
        return {}
    missing = frozenset(rules.missing)
    facts: dict[str, UserFacts] = {}
    for table in _pieces(paths, log, columns, rules, report, "table of users"):
        ages = _read(
            table, columns.age, lambda text: Age(None) if text.lower() in missing else read_age(text), Age(None)
        )
        genders = _read(table, columns.gender, lambda text: log.genders.get(text.lower()), None)
        personas = _read(table, columns.persona, lambda text: read_words(text, missing) or None, None)
        for row, user in enumerate(_ids(table, columns.user, rules)):
            if user is not None:
                facts[user] = UserFacts(ages[row], genders[row], personas[row])
    return facts


def _pieces(
    paths: Sequence[Path],
    log: LogFormat,
    columns: ItemColumns | UserColumns,
    rules: CleanRules,
    report: ImportReport,
    name: str,
) -> Iterator[pa.Table]:
    for path in paths:
        note = Note(report, path.name, name)
        for piece in read_pieces(path, log.shape, names_in(columns), note, rules.cut_end == "refuse"):
            yield piece.table


def _read(table: pa.Table, name: str, read: Callable[[str], T], nothing: T) -> list[T]:
    """What is read of a column's texts, row by row."""
    if not name:
        return [nothing] * len(table)
    column = coded(table[name])
    values = [read(text) if text else nothing for text in column.values]
    return [values[code] for code in column.codes.tolist()]


def _ids(table: pa.Table, name: str, rules: CleanRules) -> list[str | None]:
    missing, repair = frozenset(rules.missing), rules.float_ids == "repair"
    return _read(table, name, lambda text: read_id(text, missing, repair).text, None)
