"""The rules of sessions and steps that can be told without driving the shop.

- Sessions: ids are present, not empty, and used once; the user is known and stays in one split; the split is
  ``train``, ``validation`` or ``test``; the feed's items are known and distinct; there is at least one step.
- The feed is long: at least ``min(items of the set, max(60, 3 * distinct items that the session's steps name))``.
- Steps stand session by session in the order of ``sessions.parquet`` and are numbered from 0 without a gap; `n_steps`
  is their number; the last one, and no other, is ``terminate``.
- Times lie between 1970 and 2100 and do not go back within a session, nor before its start.
- Actions and pages are among the eight and the three. ``click``, ``enter_detail``, ``add_to_cart`` and ``purchase``
  name a known item, other actions none. `scroll` is not negative. `x` and `y` are 0-1, both given or neither.
  `screen_id` names a recorded screen.
"""

from collections.abc import Callable, Collection, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shopsim.data.catalog_rules import CategoryRules, ItemRules, UserRules
from shopsim.data.manifest import Problem
from shopsim.data.rules import LARGEST, Ids, Mask, Piece, as_array, lengths, member, parents
from shopsim.data.schema import SESSIONS
from shopsim.data.screens import ScreenRules
from shopsim.data.stamp import SPLITS
from shopsim.data.vocabulary import ACTION_LABELS, ITEM_ACTIONS, PAGE_BY_LABEL, Action

MIN_FEED = 60
FEED_PER_VISIT = 3

_KEPT = pa.schema([SESSIONS.field(name) for name in ("session_id", "n_steps", "started_at")] + [("feed", pa.int64())])
"""What of every session the rules of steps need; of the feed, its length."""


class SessionRules:
    """Rules of ``sessions.parquet``; keeps what the rules of steps need, in file order, until they have come."""

    file = "sessions.parquet"

    def __init__(self, items: ItemRules, users: UserRules) -> None:
        self.ids = Ids(self.file, "session_id")
        self.items = items
        self._users = users
        self._split = np.empty(0, np.int8)
        self._kept = [_KEPT.empty_table()]
        self._start = self._forgotten = 0
        self._longest = 0
        self.user_rows = self.feed_rows = np.empty(0, np.int64)
        """Of the rows checked last, the rows of their users and, end to end, of the items of their feeds."""

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows."""
        piece = Piece(self.file, self._start, table, lambda i: f"session {table['session_id'][i].as_py()!r}")
        self._start += len(table)
        feed = pa.chunked_array([lengths(table["feed"])])
        columns = [table["session_id"], table["n_steps"], table["started_at"], feed]
        self._kept.append(pa.Table.from_arrays(columns, schema=_KEPT))
        self._longest = max(self._longest, pc.max(table["n_steps"]).as_py() or 0)
        yield from piece.nulls()
        yield from self.ids.add(table, piece.start)
        self.user_rows, unknown = self._users.ids.find(table["user_id"])
        yield from piece.unknown("user_id", unknown, "user")
        yield from self._splits(piece)
        yield from self._feeds(piece)
        yield from piece.times("started_at")
        yield from piece.outside("n_steps", 1, LARGEST, "must be at least 1")

    def __len__(self) -> int:
        return self._start

    @property
    def longest(self) -> int:
        """Largest `n_steps` so far."""
        return self._longest

    def rows(self, begin: int, end: int) -> pa.Table:
        """Of the rows from `begin` to before `end`: `session_id`, `n_steps`, `started_at`, and the length of `feed`.

        What was forgotten is not there; a slice costs nothing, however many rows there are.
        """
        self._kept = [pa.concat_tables(self._kept)]
        begin = max(begin, self._forgotten)
        return self._kept[0].slice(begin - self._forgotten, max(0, end - begin))

    def forget(self, end: int) -> None:
        """Lets go of the rows before `end`, whose steps have all come, where that is most of what is kept."""
        if 2 * (end - self._forgotten) <= self._start - self._forgotten:
            return
        rows = self.rows(end, self._start)
        # A slice would hold on to what it was cut from.
        self._kept, self._forgotten = [rows.take(pa.array(np.arange(len(rows))))], end

    def _splits(self, piece: Piece) -> Iterator[Problem]:
        users, splits = piece.table["user_id"], piece.table["split"]
        yield from piece.bad(member(splits, SPLITS)[1], "split", f"must be one of {', '.join(SPLITS)}")
        place, code = self.user_rows, member(splits, SPLITS)[0].astype(np.int8)
        self._split = np.append(self._split, np.full(len(self._users.ids) - len(self._split), -1, np.int8))
        told = np.flatnonzero((place >= 0) & (code >= 0))
        _, first = np.unique(place[told], return_index=True)
        first = told[first][self._split[place[told[first]]] < 0]
        self._split[place[first]] = code[first]
        moved = np.zeros(len(place), bool)
        moved[told] = self._split[place[told]] != code[told]

        def cause(row: int) -> str:
            before = SPLITS[self._split[place[row]]]
            return f"user {users[row].as_py()!r} is in {splits[row].as_py()} here, but in {before} before"

        yield from piece.found(moved, cause)

    def _feeds(self, piece: Piece) -> Iterator[Problem]:
        feeds = piece.table["feed"]
        self.feed_rows = places = self.items.ids.find(pc.list_flatten(feeds))[0]
        yield from piece.unknown_in("feed", places)
        size = max(1, len(self.items.ids))
        keys = np.sort((parents(feeds) * size + places)[places >= 0])
        mask = np.zeros(len(piece.table), bool)
        mask[keys[1:][keys[1:] == keys[:-1]] // size] = True
        yield from piece.found(mask, "the feed shows an item twice")


class StepRules:
    """Rules of ``steps.parquet``. `check` takes whole sessions at a time; `finish` looks for what never came."""

    file = "steps.parquet"

    def __init__(self, sessions: SessionRules, screens: Ids) -> None:
        self._sessions = sessions
        self._screens = screens
        self._start = 0
        self._next = self._done = 0
        """Session whose steps come next, and up to which all have come."""
        self._seen = np.empty(0, bool)
        """For each session, whether its steps came."""
        self.item_rows = np.empty(0, np.int64)
        """Of the rows checked last, the rows of their items, -1 for none."""

    def check(self, table: pa.Table) -> Iterator[Problem]:
        """Problems of the next rows, which must not end in the middle of a session."""
        if not len(table):
            return

        def name(i: int) -> str:
            return f"session {table['session_id'][i].as_py()!r} step {table['step'][i].as_py()}"

        piece = Piece(self.file, self._start, table, name)
        self._start += len(table)
        ids = as_array(table["session_id"].fill_null(""))
        starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))
        rows = np.full(len(starts), -1)
        yield from piece.nulls()
        yield from self._match(ids[starts].tolist(), piece.start + starts, rows)
        yield from self._words(piece)
        yield from _order(piece, starts)
        yield from self._against_sessions(piece, starts, rows)
        self._sessions.forget(self._done)

    def finish(self) -> Iterator[Problem]:
        """Sessions without steps."""
        missing = ~np.append(self._seen, np.zeros(len(self._sessions) - len(self._seen), bool))
        table = self._sessions.rows(0, len(self._sessions))
        start = len(missing) - len(table)
        whole = Piece(self._sessions.file, start, table, lambda i: f"session {table['session_id'][i].as_py()!r}")
        yield from whole.found(missing[start:], "has no steps in steps.parquet")

    def _words(self, piece: Piece) -> Iterator[Problem]:
        """Rules that look at one row alone."""
        table = piece.table
        action, odd = member(table["action"], ACTION_LABELS)
        yield from piece.bad(odd, "action", "which is none of the eight actions")
        yield from piece.bad(member(table["page"], tuple(PAGE_BY_LABEL))[1], "page", "must be feed, preview or detail")
        self.item_rows, unknown = self._sessions.items.ids.find(table["item_id"])
        yield from piece.unknown("item_id", unknown, "item")
        yield from piece.unknown("screen_id", self._screens.find(table["screen_id"])[1], "screen")
        given, needs = as_array(table["item_id"].is_valid()), np.isin(action, ITEM_ACTIONS)
        yield from piece.bad(needs & ~given, "action", "which needs an item_id")
        yield from piece.bad(given & ~needs & ~odd, "action", "which acts on no item, but item_id is given")
        yield from piece.outside("scroll", 0, LARGEST, "must not be negative")
        yield from piece.times("timestamp")
        for name in ("x", "y"):
            yield from piece.outside(name, 0.0, 1.0, "must be 0 to 1")
        half = as_array(table["x"].is_valid()) != as_array(table["y"].is_valid())
        yield from piece.found(half, "x and y must both be given or neither")

    def _match(self, ids: list[str], starts: NDArray[np.int64], rows: NDArray[np.int64]) -> Iterator[Problem]:
        """Fills in the row of the session of each run of steps, -1 where there is none."""
        self._seen = np.append(self._seen, np.zeros(len(self._sessions) - len(self._seen), bool))
        expected = self._sessions.rows(self._next, self._next + len(ids))["session_id"]
        if expected.to_pylist() == ids:
            rows[:] = np.arange(self._next, self._next + len(ids))
            self._seen[rows] = True
            whole = self._done == self._next
            self._next += len(ids)
            self._done = self._next if whole else self._done
            return
        for k, (session, place) in enumerate(zip(ids, starts.tolist(), strict=True)):
            row = self._sessions.ids.row(session)
            if row is None:
                yield Problem(self.file, place, f"unknown session {session!r}")
            elif self._seen[row]:
                yield Problem(self.file, place, f"steps of session {session!r} stand in two places")
            else:
                if row < self._next:
                    yield Problem(self.file, place, f"session {session!r} is out of the order of sessions.parquet")
                rows[k] = row
                self._seen[row] = True
                self._next = max(self._next, row + 1)

    def _against_sessions(self, piece: Piece, starts: NDArray[np.int64], rows: NDArray[np.int64]) -> Iterator[Problem]:
        """Rules that compare each run of steps with its session's row (-1: it has none)."""
        table, matched, size = piece.table, rows >= 0, max(1, len(self._sessions.items.ids))
        row, run_length = rows[matched], np.diff(np.append(starts, len(table)))
        low, high = (int(row.min()), int(row.max()) + 1) if len(row) else (0, 0)
        session = self._sessions.rows(low, high)
        # Mostly they come in order.
        if len(row) != high - low or not bool((np.diff(row) == 1).all()):
            session = session.take(pa.array(row - low))

        def at(mask: Mask, cause: str, *values: NDArray[np.int64]) -> Iterator[Problem]:
            for k in np.flatnonzero(mask).tolist():
                told = cause.format(*(value[k] for value in values))
                yield Problem(self._sessions.file, int(row[k]), f"session {session['session_id'][k].as_py()!r}: {told}")

        begun = as_array(session["started_at"].cast(pa.int64()).fill_null(np.iinfo(np.int64).min))
        time = as_array(table["timestamp"].cast(pa.int64()).fill_null(np.iinfo(np.int64).max))
        early = np.zeros(len(table), bool)
        early[starts[matched]] = time[starts[matched]] < begun
        yield from piece.found(early, "timestamp lies before the session's started_at")

        has, says = run_length[matched], as_array(session["n_steps"].fill_null(0))
        yield from at(has != says, "n_steps is {}, but steps.parquet has {}", says, has)

        places = self.item_rows
        run = np.repeat(np.arange(len(starts)), run_length)
        visits = np.unique((run * size + places)[places >= 0]) // size
        visited = np.bincount(visits, minlength=len(starts))[matched]
        least = np.minimum(len(self._sessions.items.ids), np.maximum(MIN_FEED, FEED_PER_VISIT * visited))
        feed = as_array(session["feed"])
        rule = f"at least {MIN_FEED} and {FEED_PER_VISIT} for each item visited"
        yield from at(feed < least, f"the feed has {{}} items, must have {{}} ({rule})", feed, least)


def _order(piece: Piece, starts: NDArray[np.int64]) -> Iterator[Problem]:
    """Rules that look at a step and the one before or after it in its session."""
    table = piece.table
    first = np.zeros(len(table), bool)
    first[starts] = True
    step = as_array(table["step"].fill_null(-1))
    expected = np.where(first, 0, np.append(0, step[:-1]) + 1)
    yield from piece.found(step != expected, lambda i: f"step is {step[i]}, must be {expected[i]} (0, 1, 2, ...)")
    last = np.append(first[1:], True)
    leaves = as_array(pc.equal(table["action"], Action.TERMINATE.label).fill_null(False))
    yield from piece.found(leaves & ~last, "terminate before the session's last step")
    yield from piece.found(last & ~leaves, "the session's last step must be terminate")
    time = as_array(table["timestamp"].cast(pa.int64()).fill_null(0))
    back = np.append(False, time[1:] < time[:-1]) & ~first
    yield from piece.found(back, "timestamp lies before the one of the step before")


class Rules:
    """The rules of all tables, each knowing those that it refers to.

    Attributes:
        tables: For each file, in the order of `TABLES`, what yields the problems of its next rows.
        ids: For each file of rows that others refer to, their ids.
    """

    def __init__(self, files: Collection[str]) -> None:
        """Takes the names of the data set's files, among which picture files must be."""
        categories = CategoryRules()
        items = ItemRules(categories, files)
        users = UserRules(items)
        self.screens = ScreenRules()
        self.sessions = SessionRules(items, users)
        self.steps = StepRules(self.sessions, self.screens.ids)
        self.ids = {rules.file: rules.ids for rules in (categories, items, users, self.sessions)}
        self.tables: dict[str, Callable[[pa.Table], Iterator[Problem]]] = {
            rules.file: rules.check for rules in (categories, items, users, self.sessions, self.steps)
        }
