"""From a cut log and its items to a data set: what every importer does last. Ours.

Sessions are made and written by the batch, as columns; memory holds the items and a part of the log. Loads pyarrow.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.balance import SAMPLE, balanced_power
from shopsim.benchmark_usb.importers.catalog import Catalog
from shopsim.benchmark_usb.importers.chance import keys_of
from shopsim.benchmark_usb.importers.cutting import CutLog
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.imputation import IMPUTED_INPUTS, Filled, Imputer
from shopsim.benchmark_usb.importers.set_columns import Batch, SetColumns
from shopsim.benchmark_usb.importers.settings import ImportSettings
from shopsim.benchmark_usb.importers.spill import regrouped
from shopsim.benchmark_usb.importers.stock import weights_of
from shopsim.benchmark_usb.importers.tells import TellMeter
from shopsim.benchmark_usb.importers.user_records import SPLITS, Lots, UserRecords
from shopsim.data.writer import DataSetWriter
from shopsim.envs import layout

REPORT = "import_report.json"
"""Name of the report inside the data set."""

_BATCH = 1024
"""Sessions filled in at once: enough for columns to pay, few enough to stay in the processor's cache."""
_BATCHES_PER_GROUP = 2
_USERS = 65_536
"""Users written at once."""
Progress = Callable[[int, int], None]


class SetInfo(NamedTuple):
    """What is said of the set as a whole."""

    name: str
    currency: str
    licence: str
    locale: str
    imputed: Sequence[str]
    """What was filled in of the items and users; what is filled in of sessions comes on top."""


def write_imported(
    out: Path,
    cut: CutLog,
    catalog: Catalog,
    users: UserRecords,
    settings: ImportSettings,
    report: ImportReport,
    info: SetInfo,
    progress: Progress | None = None,
) -> None:
    """Fills in the sessions of a log, writes the data set and completes the report.

    Args:
        out: Folder to make.
        cut: The log's sessions.
        catalog: All items.
        users: All users.
        settings: How to fill in.
        report: Gets its counts; a copy is stored in the set.
        info: What is said of the set.
        progress: Called with (sessions done, sessions in all).

    Raises:
        DataError: `out` is taken.
    """
    n_items, n_sessions = len(catalog.items), len(cut.sessions)
    report.items, report.categories = n_items, len(catalog.categories)
    report.imputed = [*IMPUTED_INPUTS, *info.imputed]
    report.settings = settings.told()
    popularity = np.append(cut.popularity, np.zeros(catalog.n_stock))
    report.filler_power = balanced_power(catalog, _sample(cut), popularity, settings)
    weights = weights_of(popularity, catalog.groups, catalog.n_stock, report.filler_power)
    imputer = Imputer(catalog.items, catalog.groups, weights, settings.fill)
    lots = Lots(settings.seed, n_sessions)
    columns = SetColumns(catalog.items)
    meter = TellMeter(catalog.groups[:, 0], popularity)
    clicks: dict[str, list[int]] = {}
    with DataSetWriter(
        out,
        name=info.name,
        source="imported",
        locale=info.locale,
        currency=info.currency,
        licence=info.licence,
        generator={"settings": report.settings, "seed": settings.seed},
        imputed=report.imputed,
        layout_version=layout.VERSION,
        scroll_step=layout.scroll_step(),
    ) as writer:
        writer.add_categories(catalog.categories)
        writer.add_items(catalog.items)
        for records in regrouped(users.in_order(), _USERS):
            writer.add_columns("users.parquet", columns.users(records))
            clicks |= _past_clicks(records, lots)
        done = 0
        for group in regrouped(cut.in_order(), _BATCH * _BATCHES_PER_GROUP):
            made: list[tuple[pa.Table, pa.Table]] = []
            for batch in map(Batch.of, regrouped([group], _BATCH)):
                names = batch.users.to_pylist()
                filled = imputer.impute(keys_of(settings.seed, batch.names.to_pylist()), batch.events, batch.lengths)
                splits = lots.splits(names)
                made.append(columns.tables(batch, splits, filled))
                _measure(report, splits, filled, n_items)
                meter.add_all(filled, names, clicks, lots.measured(names))
                done += len(batch.lengths)
                if progress is not None:
                    progress(done, n_sessions)
            for file, parts in zip(("sessions.parquet", "steps.parquet"), zip(*made, strict=True), strict=True):
                writer.add_columns(file, pa.concat_tables(parts))
        report.steps_recorded, report.steps_imputed = imputer.recorded, imputer.imputed
        report.no_effect = imputer.no_effect
        report.purchases_without_cart = imputer.purchases_without_cart
        report.visits_imputed = imputer.visits
        report.tells = meter.result()
        writer.add_file(REPORT, report.to_json().encode())


def _sample(cut: CutLog) -> Batch:
    """Some sessions, evenly spread."""
    n = len(cut.sessions)
    wanted = np.unique(np.linspace(0, n - 1, min(SAMPLE, n)).astype(np.int64))
    found: list[pa.Table] = []
    begin = 0
    for table in cut.in_order():
        here = wanted[(wanted >= begin) & (wanted < begin + len(table))]
        found.append(table.take(pa.array(here - begin)))
        begin += len(table)
    return Batch.of(pa.concat_tables(found).combine_chunks())


def _past_clicks(records: pa.Table, lots: Lots) -> Iterator[tuple[str, list[int]]]:
    """What those users clicked before whose sessions are measured."""
    measured = lots.measured(records["user"].to_pylist())
    some = records.filter(pa.array(measured))
    return zip(some["user"].to_pylist(), some["clicks"].to_pylist(), strict=True)


def _measure(report: ImportReport, splits: NDArray[np.int8], filled: Filled, n_items: int) -> None:
    """What is known of sessions that are filled in."""
    for name, count in zip(SPLITS, np.bincount(splits, minlength=3).tolist(), strict=True):
        report.splits[name] += count
    report.longest_session = max(report.longest_session, int(filled.steps.lengths.max()))
    report.seen += int(filled.seen.sum())
    report.feed_items += len(filled.feed)
    report.feeds_short += int((filled.feed_length == n_items).sum())
