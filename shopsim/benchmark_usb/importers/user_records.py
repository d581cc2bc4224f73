"""The users of a log: what side tables say of each, and what they did before their first session. Ours.

Loads pyarrow.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.chance import Stream, keys_of
from shopsim.benchmark_usb.importers.cutting import CutLog
from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.side_tables import UserFacts
from shopsim.benchmark_usb.importers.spill import Spill
from shopsim.benchmark_usb.importers.tells import MOST_SESSIONS
from shopsim.benchmark_usb.importers.values import Age

SPLITS = ("train", "validation", "test")
_MEASURED = 51
"""A purpose of chance."""
_RECORDS = pa.schema({
    "user": pa.string(),
    "row": pa.int64(),
    "age": pa.int16(),
    "gender": pa.string(),
    "persona": pa.string(),
    "clicks": pa.list_(pa.int32()),
    "purchases": pa.list_(pa.int32()),
})  # fmt: skip
"""Users, the row that first names them, and items of their histories."""
_NOBODY = UserFacts(Age(None))


class Lots:
    """What chance decides for each user by the seed and the id alone.

    Args:
        seed: Another seed, other lots.
        n_sessions: Sessions of the log.
    """

    def __init__(self, seed: int, n_sessions: int) -> None:
        self._seed = seed
        self._share = MOST_SESSIONS / n_sessions

    def splits(self, users: list[str]) -> NDArray[np.int8]:
        """The split of each user, a position in `SPLITS`, 80/10/10: no user is in two (SPEC 3)."""
        return np.digitize(keys_of(self._seed, users) / 2.0**64, (0.8, 0.9)).astype(np.int8)

    def measured(self, users: list[str]) -> NDArray[np.bool_]:
        """Whether the sessions of each are among those that `tells` looks at."""
        keys = keys_of(self._seed, users)
        return Stream(keys, _MEASURED, np.zeros(len(keys), np.int64)).uniform() < self._share


class UserRecords:
    """All users that have a session, in the order in which the log first names them.

    Args:
        cut: The log.
        facts: What side tables say of users.
        report: Gets its counts.
        folder: Where users wait.
    """

    def __init__(self, cut: CutLog, facts: Mapping[str, UserFacts], report: ImportReport, folder: Path) -> None:
        self._records = Spill(folder / "records", cut.users.parts, _RECORDS)
        for part in range(cut.users.parts):
            first: dict[str, int] = {}
            users = cut.users.read(part)
            shops = set(users["user"].filter(users["shops"]).to_pylist())
            for user, row in zip(users["user"].to_pylist(), users["row"].to_pylist(), strict=True):
                first[user] = min(row, first.get(user, row))
            report.users += len(shops)
            report.users_left_out += len(first) - len(shops)
            names = [user for user in first if user in shops]
            told = [facts.get(user, _NOBODY) for user in names]
            for fact in told:
                report.ages["band" if fact.age.band else "unknown" if fact.age.years is None else "told"] += 1
            rows = np.array([first[user] for user in names], np.int64)
            columns = [
                names,
                rows,
                [fact.age.years for fact in told],
                [fact.gender for fact in told],
                [fact.persona for fact in told],
                *_histories(cut.history.read(part), names),
            ]
            self._records.add(pa.table(columns, schema=_RECORDS), rows * self._records.parts // cut.rows)

    def in_order(self) -> Iterator[pa.Table]:
        """The users, a part at a time."""
        for part in range(self._records.parts):
            table = self._records.read(part)
            yield table.take(pa.array(np.argsort(table["row"].to_numpy()))).combine_chunks()


def _histories(history: pa.Table, names: list[str]) -> Iterator[list[list[int]]]:
    """Items that users clicked and those they bought, oldest first."""
    history = history.take(pa.array(np.lexsort((history["row"].to_numpy(), history["time"].to_numpy()))))
    users, kinds, items = (history[name].to_pylist() for name in ("user", "kind", "item"))
    for wanted in (Kind.VIEW, Kind.PURCHASE):
        found: dict[str, list[int]] = {}
        for user, kind, item in zip(users, kinds, items, strict=True):
            if kind == wanted:
                found.setdefault(user, []).append(item)
        yield [found.get(name, []) for name in names]
