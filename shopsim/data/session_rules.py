"""The rules of sessions and steps that can be told without driving the shop.

- Sessions: ids are present, not empty, and used once; the user is known and stays in one split; the split is
  ``train``, ``validation`` or ``test``; the feed's items are known and distinct; there is at least one step.
- The feed is long: at least ``min(items of the set, max(60, 3 * distinct items that the session's steps name))``.
- Steps stand session by session in the order of ``sessions.parquet`` and are numbered from 0 without a gap; `n_steps`
  is their number; the last one, and no other, is ``terminate``.
- Times do not go back within a session, nor before its start.
- Actions and pages are among the eight and the three. ``click``, ``enter_detail``, ``add_to_cart`` and ``purchase``
  name a known item, other actions none. `scroll` is not negative. `x` and `y` are 0-1, both given or neither.
  `screen_id` names a recorded screen.
"""

from collections.abc import Callable, Collection, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.data.catalog_rules import CategoryRules, ItemRules, UserRules, unknown_items
from shopsim.data.manifest import Problem
from shopsim.data.rules import Ids, as_array, found, lengths, member, nulls, outside, parents
from shopsim.data.schema import SESSIONS
from shopsim.data.screens import ScreenRules
from shopsim.data.stamp import SPLITS
from shopsim.data.vocabulary import ACTION_LABELS, ITEM_ACTIONS, PAGE_BY_LABEL, Action

MIN_FEED = 60
FEED_PER_VISIT = 3

_KEPT = pa.schema([SESSIONS.field(name) for name in ("session_id", "n_steps", "started_at")] + [("feed", pa.int64())])
"""What of every session the rules of steps need; of the feed, its length."""


class SessionRules:
    """Rules of ``sessions.parquet``; keeps what the rules of steps need, in file order."""

    file = "sessions.parquet"

    def __init__(self, items: ItemRules, users: UserRules) -> None:
        self.ids = Ids(self.file, "session_id")
        self.items = items
        self._users = users
        self._split_of: dict[str, str] = {}
        self._kept = [_KEPT.empty_table()]
        self._start = 0

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows."""
        start, self._start = self._start, self._start + len(table)
        feed = pa.chunked_array([lengths(table["feed"])])
        columns = [table["session_id"], table["n_steps"], table["started_at"], feed]
        self._kept.append(pa.Table.from_arrays(columns, schema=_KEPT))
        yield from nulls(self.file, start, table)
        yield from self.ids.add(table, start)
        _, stranger = self._users.ids.find(table["user_id"])
        yield from found(self.file, start, stranger, lambda i: f"unknown user {table['user_id'][i].as_py()!r}")
        yield from self._splits(table, start)
        yield from unknown_items(self.file, start, table, "feed", self.items.ids)
        yield from self._repeats(table, start)
        yield from found(self.file, start, outside(table, "n_steps", 1), "n_steps must be at least 1")

    @property
    def longest(self) -> int:
        """Largest `n_steps` so far."""
        return pc.max(self.all()["n_steps"]).as_py() or 0

    def all(self) -> pa.Table:
        """Of every row so far: `session_id`, `n_steps`, `started_at`, and the length of `feed`."""
        self._kept = [pa.concat_tables(self._kept)]
        return self._kept[0]

    def _splits(self, table: pa.Table, start: int) -> Iterator[Problem]:
        _, odd = member(table["split"], SPLITS)
        rule = f"must be one of {', '.join(SPLITS)}"
        yield from found(self.file, start, odd, lambda i: f"split is {table['split'][i].as_py()!r}, {rule}")
        pairs = zip(table["user_id"].to_pylist(), table["split"].to_pylist(), strict=True)
        for row, (user, split) in enumerate(pairs, start):
            if (before := self._split_of.setdefault(user, split)) != split:
                yield Problem(self.file, row, f"user {user!r} is in {split} here, but in {before} before")

    def _repeats(self, table: pa.Table, start: int) -> Iterator[Problem]:
        places, _ = self.items.ids.find(pc.list_flatten(table["feed"]))
        owners, size = parents(table["feed"]), max(1, len(self.items.ids))
        keys, counts = np.unique((owners * size + places)[places >= 0], return_counts=True)
        mask = np.zeros(len(table), bool)
        mask[keys[counts > 1] // size] = True
        yield from found(self.file, start, mask, "the feed shows an item twice")


class StepRules:
    """Rules of ``steps.parquet``. `check` takes whole sessions at a time; `finish` looks for what never came."""

    file = "steps.parquet"

    def __init__(self, sessions: SessionRules, screens: Ids) -> None:
        self._sessions = sessions
        self._screens = screens
        self._start = 0
        self._next = 0
        self._seen: set[int] = set()

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows, which must not end in the middle of a session."""
        if not len(table):
            return
        start, self._start = self._start, self._start + len(table)
        yield from nulls(self.file, start, table)
        ids = as_array(table["session_id"].fill_null(""))
        starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))
        run = np.cumsum(np.bincount(starts, minlength=len(table))) - 1
        yield from self._words(table, start)
        yield from self._order(table, start, starts)
        rows = np.full(len(starts), -1)
        yield from self._match(ids[starts].tolist(), start + starts, rows)
        yield from self._against_sessions(table, start, starts, run, rows)

    def finish(self) -> Iterator[Problem]:
        """Sessions without steps."""
        missing = np.ones(len(self._sessions.all()), bool)
        missing[list(self._seen)] = False
        yield from found(self._sessions.file, 0, missing, "the session has no steps in steps.parquet")

    def _words(self, table: pa.Table, start: int) -> Iterator[Problem]:
        """Rules that look at one row alone."""

        def bad(mask: NDArray[np.bool_], column: str, rule: str) -> Iterator[Problem]:
            return found(self.file, start, mask, lambda i: f"{column} is {table[column][i].as_py()!r}, {rule}")

        action, odd = member(table["action"], ACTION_LABELS)
        yield from bad(odd, "action", "which is none of the eight actions")
        yield from bad(member(table["page"], tuple(PAGE_BY_LABEL))[1], "page", "must be feed, preview or detail")
        _, unknown = self._sessions.items.ids.find(table["item_id"])
        yield from found(self.file, start, unknown, lambda i: f"unknown item {table['item_id'][i].as_py()!r}")
        _, unknown = self._screens.find(table["screen_id"])
        yield from bad(unknown, "screen_id", "which is no recorded screen")
        given, needs = as_array(table["item_id"].is_valid()), np.isin(action, ITEM_ACTIONS)
        yield from found(
            self.file, start, needs & ~given, lambda i: f"item_id is missing, {table['action'][i].as_py()} needs one"
        )
        stray = given & ~needs & ~odd
        yield from found(
            self.file, start, stray, lambda i: f"item_id is given, but {table['action'][i].as_py()} acts on no item"
        )
        yield from bad(outside(table, "scroll", 0), "scroll", "must not be negative")
        for name in ("x", "y"):
            yield from bad(outside(table, name, 0.0, 1.0), name, "must be 0 to 1")
        half = as_array(table["x"].is_valid()) != as_array(table["y"].is_valid())
        yield from found(self.file, start, half, "x and y must both be given or neither")

    def _order(self, table: pa.Table, start: int, starts: NDArray[np.int64]) -> Iterator[Problem]:
        """Rules that look at a row and the one before or after it in the session."""
        first = np.zeros(len(table), bool)
        first[starts] = True
        step = as_array(table["step"].fill_null(-1))
        expected = np.where(first, 0, np.append(0, step[:-1]) + 1)
        yield from found(
            self.file, start, step != expected, lambda i: f"step is {step[i]}, must be {expected[i]} (0, 1, 2, ...)"
        )
        last = np.append(first[1:], True)
        leaves = as_array(pc.equal(table["action"], Action.TERMINATE.label).fill_null(False))
        yield from found(self.file, start, leaves & ~last, "terminate before the session's last step")
        yield from found(self.file, start, last & ~leaves, "the session's last step must be terminate")
        time = as_array(table["timestamp"].cast(pa.int64()).fill_null(0))
        back = np.append(False, time[1:] < time[:-1]) & ~first
        yield from found(self.file, start, back, "timestamp lies before the step before")

    def _match(self, ids: list[str], starts: NDArray[np.int64], rows: NDArray[np.int64]) -> Iterator[Problem]:
        """Fills in the row of the session of each run of steps, -1 where there is none."""
        expected = self._sessions.all()["session_id"].slice(self._next, len(ids))
        if expected.to_pylist() == ids:
            rows[:] = np.arange(self._next, self._next + len(ids))
            self._seen.update(rows.tolist())
            self._next += len(ids)
            return
        for k, (session, place) in enumerate(zip(ids, starts.tolist(), strict=True)):
            row = self._sessions.ids.row(session)
            if row is None:
                yield Problem(self.file, place, f"unknown session {session!r}")
            elif row in self._seen:
                yield Problem(self.file, place, f"steps of session {session!r} stand in two places")
            else:
                if row < self._next:
                    yield Problem(self.file, place, f"session {session!r} is out of the order of sessions.parquet")
                rows[k] = row
                self._seen.add(row)
                self._next = max(self._next, row + 1)

    def _against_sessions(
        self,
        table: pa.Table,
        start: int,
        starts: NDArray[np.int64],
        run: NDArray[np.int64],
        rows: NDArray[np.int64],
    ) -> Iterator[Problem]:
        """Rules that compare a session's steps with its row in ``sessions.parquet``."""
        matched = rows >= 0
        row = rows[matched]
        session = self._sessions.all().take(pa.array(row))
        size = len(self._sessions.items.ids)

        def at(mask: NDArray[np.bool_], cause: str, *values: NDArray[np.int64]) -> Iterator[Problem]:
            for k in np.flatnonzero(mask).tolist():
                yield Problem(self._sessions.file, int(row[k]), cause.format(*(v[k] for v in values)))

        has = np.diff(np.append(starts, len(table)))[matched]
        says = as_array(session["n_steps"].fill_null(0))
        yield from at(has != says, "n_steps is {}, but steps.parquet has {}", says, has)

        begun = as_array(session["started_at"].cast(pa.int64()).fill_null(np.iinfo(np.int64).min))
        time = as_array(table["timestamp"].cast(pa.int64()).fill_null(np.iinfo(np.int64).max))
        early = np.zeros(len(table), bool)
        early[starts[matched]] = time[starts[matched]] < begun
        yield from found(self.file, start, early, "timestamp lies before the session's started_at")

        places, _ = self._sessions.items.ids.find(table["item_id"])
        visits = np.unique((run * max(1, size) + places)[places >= 0]) // max(1, size)
        seen = np.bincount(visits, minlength=len(starts))[matched]
        least = np.minimum(size, np.maximum(MIN_FEED, FEED_PER_VISIT * seen))
        feed = as_array(session["feed"])
        cause = (
            f"the feed has {{}} items, must have {{}} (at least {MIN_FEED} and {FEED_PER_VISIT} for each item visited)"
        )
        yield from at(feed < least, cause, feed, least)


class Rules:
    """The rules of all tables, each knowing those that it refers to.

    Attributes:
        tables: For each file, in the order of `TABLES`, what yields the problems of its next rows.
    """

    def __init__(self, files: Collection[str]) -> None:
        """Takes the names of the data set's files, among which picture files must be."""
        categories = CategoryRules()
        items = ItemRules(categories, files)
        users = UserRules(items)
        self.screens = ScreenRules()
        self.sessions = SessionRules(items, users)
        self.steps = StepRules(self.sessions, self.screens.ids)
        self.tables: dict[str, Callable[[pa.Table], Iterator[Problem]]] = {
            rules.file: rules.check for rules in (categories, items, users, self.sessions, self.steps)
        }
