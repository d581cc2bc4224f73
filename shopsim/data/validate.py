"""Finding what is wrong with a data set: manifest, files, hashes, schema, references, values, order (SPEC 3).

The rules themselves are listed in `catalog_rules` and `session_rules`. What needs the shop (is each recorded action
legal, does it lead to the next recorded page) is not here.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shopsim.data import screens
from shopsim.data.manifest import MANIFEST, Manifest, Problem, file_problems, is_screens, read_manifest, sha256_of
from shopsim.data.schema import TABLES, UNREADABLE, pieces, schema_faults
from shopsim.data.screens import ScreenRules
from shopsim.data.session_rules import Rules
from shopsim.errors import DataError

ROWS = {
    "categories.parquet": 16_384,
    "items.parquet": 8192,
    "users.parquet": 4096,
    "sessions.parquet": 4096,
    "steps.parquet": 65_536,
}
"""Rows read at a time; fewer where a row holds long lists."""


def check(path: str | Path) -> Iterator[Problem]:
    """Yields everything that is wrong with a data set, without driving the shop.

    The index is not looked at. Everything streams, so memory does not grow with the number of steps. A file whose
    hash differs is still read, so that the row at fault is named too. A table that cannot be read, or lacks a
    column, ends the reading of rows, since the tables after it refer to it.

    Args:
        path: The data set's folder.
    """
    path = Path(path)
    manifest = read_manifest(path)
    if isinstance(manifest, Problem):
        yield manifest
        return
    named: set[str] = set()
    for problem in (*file_problems(path, manifest), *_hash_problems(path, manifest)):
        named.add(problem.file)
        yield problem
    schemas = {name: _schema(path / name) for name in TABLES}
    faults = []
    for name, schema in schemas.items():
        if isinstance(schema, pa.Schema):
            faults += [Problem(name, None, fault) for fault in schema_faults(name, schema)]
        elif name not in named:
            # A missing or truncated file was named above, with its sizes.
            faults.append(Problem(name, None, schema))
    yield from faults
    if not faults and all(isinstance(schema, pa.Schema) for schema in schemas.values()):
        yield from _row_problems(path, manifest, named)


def _hash_problems(path: Path, manifest: Manifest) -> Iterator[Problem]:
    wrong = {problem.file for problem in file_problems(path, manifest)}
    for name, entry in manifest.files.items():
        if name not in wrong and sha256_of(path / name) != entry.sha256:
            yield Problem(name, None, "its hash is not the manifest's, so its content has changed")


def _schema(file: Path) -> pa.Schema | str:
    """A table's schema, or why it cannot be read."""
    try:
        return pq.read_schema(file)
    except UNREADABLE as error:
        return f"cannot be read as Parquet ({error})"


def _row_problems(path: Path, manifest: Manifest, named: set[str]) -> Iterator[Problem]:
    rules = Rules(manifest.files)
    yield from _screen_problems(path, manifest, named, rules.screens)
    for name, check_rows in rules.tables.items():
        stream = pieces(path, name, ROWS[name])
        if name == rules.steps.file:
            stream = _whole_sessions(stream)
        try:
            for piece in stream:
                yield from check_rows(piece)
        except UNREADABLE as error:
            yield Problem(name, None, f"cannot be read to its end ({error})")
            return
    yield from rules.steps.finish()
    true = {name: pq.read_metadata(path / name).num_rows for name in TABLES}
    for name, rows in true.items():
        if name in manifest.files and manifest.files[name].rows != rows:
            yield Problem(MANIFEST, None, f"files.{name}.rows is {manifest.files[name].rows}, must be {rows}")
    counts = {name.removesuffix(".parquet"): rows for name, rows in true.items()}
    counts |= {"screens": len(rules.screens.ids), "longest_session": rules.sessions.longest}
    for name, told in manifest.counts:
        if told != counts[name]:
            yield Problem(MANIFEST, None, f"counts.{name} is {told}, must be {counts[name]}")


def _screen_problems(path: Path, manifest: Manifest, named: set[str], rules: ScreenRules) -> Iterator[Problem]:
    for name in filter(is_screens, manifest.files):
        if not (path / name).exists():
            continue
        start = 0
        try:
            for table in screens.tables(path / name):
                yield from rules.check(name, table, start)
                start += len(table)
            for _ in screens.places(path / name):
                break
        except (*UNREADABLE, DataError) as error:
            if name not in named:
                yield Problem(name, None, f"cannot be read as Arrow screens ({error})")


def _whole_sessions(stream: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Cuts a stream of steps anew, where one session ends and the next begins."""
    rest = TABLES["steps.parquet"].empty_table()
    for piece in stream:
        rest = pa.concat_tables([rest, piece])
        ids = rest["session_id"].fill_null("").to_numpy()
        changes = np.flatnonzero(ids[1:] != ids[:-1]) + 1
        if len(changes):
            yield rest.slice(0, changes[-1])
            rest = rest.slice(changes[-1])
    yield rest
