"""Importing a log: which file is which table, then read, clean, cut, fill in, write. Ours. Loads pyarrow."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from shopsim.benchmark_usb.importers.catalog import Catalog, make_catalog
from shopsim.benchmark_usb.importers.cutting import CutLog, cut_events
from shopsim.benchmark_usb.importers.events import read_events
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.imported_set import Progress, SetInfo, write_imported
from shopsim.benchmark_usb.importers.item_filling import FILLED_INPUTS
from shopsim.benchmark_usb.importers.log_format import LogFormat, names_in
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.benchmark_usb.importers.side_tables import read_items, read_users
from shopsim.benchmark_usb.importers.tables import column_names, listed
from shopsim.benchmark_usb.importers.times import zone_of
from shopsim.benchmark_usb.importers.user_records import UserRecords
from shopsim.data.writer import check_free, unfinished
from shopsim.errors import DataError

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".txt", ".jsonl", ".jsonl.gz", ".ndjson", ".json", ".parquet", ".pq")
UNKNOWN_CURRENCY = "USD"
"""Of prices that no log tells the currency of; then it is among what was filled in."""


class Tables(NamedTuple):
    """Which file holds which table."""

    events: list[Path]
    items: list[Path]
    users: list[Path]


def import_log(
    log: LogFormat,
    files: Sequence[str | Path],
    out: str | Path,
    settings: ImportSettings | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Reads a log and writes a data set.

    Args:
        log: What the log looks like.
        files: Its files, in any order, or folders with them; tables are told by their columns.
        out: Folder to make; nothing of it exists until the import is complete.
        settings: Every rule; the log's own defaults where None.
        progress: Called with (sessions done, sessions in all).

    Raises:
        DataError: A file is missing, empty, damaged or no such log, or `out` is taken. One line names file, row and
            cause, and nothing is written. (Single rows that make no sense are dropped and counted instead.)
    """
    out = Path(out)
    check_free(out)
    settings = settings or log.settings
    report = ImportReport(log=log.name)
    with unfinished(out) as folder:
        cut, tables = cut_log(log, files, settings, report, folder)
        catalog = catalog_of(log, cut, tables, settings, report)
        users = users_of(log, cut, tables, settings, report, folder)
        info = info_of(log, report)
        write_imported(out, cut, catalog, users, settings, report, info, progress)
    return report


def cut_log(
    log: LogFormat, files: Sequence[str | Path], settings: ImportSettings, report: ImportReport, folder: Path
) -> tuple[CutLog, Tables]:
    """Reads, cleans and cuts a log, and says where its other tables are.

    Raises:
        DataError: See `import_log`.
    """
    zone_of(settings.clean.time_zone)
    tables = find_tables(log, files, report)
    events = read_events(tables.events, log, settings.clean, report, folder)
    return cut_events(events, settings, report, folder), tables


def catalog_of(log: LogFormat, cut: CutLog, tables: Tables, settings: ImportSettings, report: ImportReport) -> Catalog:
    """The items of a log."""
    facts = read_items(tables.items, log, settings.clean, report, cut.items.ids)
    return make_catalog(cut.items, cut.prices, cut.money, facts, log, settings.fill.shelf, report)


def users_of(
    log: LogFormat, cut: CutLog, tables: Tables, settings: ImportSettings, report: ImportReport, folder: Path
) -> UserRecords:
    """The users of a log; `folder` is where they wait."""
    return UserRecords(cut, read_users(tables.users, log, settings.clean, report), report, folder)


def find_tables(log: LogFormat, files: Sequence[str | Path], report: ImportReport) -> Tables:
    """Which of the files, or of those in a folder, holds which table of a log; others are noted and left out.

    Raises:
        DataError: None of them holds events, or one cannot be read.
    """
    tables = Tables([], [], [])
    wanted = [(tables.events, list(log.sources) or names_in(log.events))]
    wanted += [(tables.items, names_in(log.items))] if log.items else []
    wanted += [(tables.users, names_in(log.users))] if log.users else []
    lacking = ""
    for path in _files(files):
        there = column_names(path, log.shape)
        home = next((table for table, names in wanted if set(names) <= set(there)), None)
        if home is None:
            missing = ", ".join(name for name in wanted[0][1] if name not in there)
            lacking = lacking or f"{path}: is no table of events, it lacks {missing} (it has {listed(there)})"
            report.files_left_out.append(path.name)
        else:
            home.append(path)
            report.files.append(path.name)
    if not tables.events:
        raise DataError(lacking or f"{', '.join(map(str, files))}: holds no file of a {log.name} log")
    return tables


def _files(files: Sequence[str | Path]) -> list[Path]:
    """All files, those of folders in the order of their paths."""
    found: list[Path] = []
    for path in map(Path, files):
        if path.is_dir():
            found += sorted(
                file for file in path.rglob("*") if file.name.lower().endswith(_SUFFIXES) and file.is_file()
            )
        else:
            found.append(path)
    return found


def info_of(log: LogFormat, report: ImportReport) -> SetInfo:
    """What is said of the set as a whole."""
    imputed = [name for name in FILLED_INPUTS if name != "titles" or report.items_titled < report.items_log]
    imputed += ["items"] if report.items_stock else []
    imputed += ["prices"] if report.items_filled_price else []
    imputed += ["currency"] if not report.currency else []
    imputed += ["ages"] if report.ages["band"] else []
    stem = report.files[0].split(".")[0]
    return SetInfo(
        name=f"{log.name}-{stem}",
        currency=report.currency or UNKNOWN_CURRENCY,
        licence=log.licence,
        locale=log.locale,
        imputed=imputed,
    )
