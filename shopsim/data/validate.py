"""Finding what is wrong with a data set: manifest, files, hashes, schema, references, values, order (SPEC 3).

The rules themselves are listed in `catalog_rules` and `session_rules`. What needs the shop (is each recorded action
legal, does it lead to the next recorded page) is not here.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shopsim.data.catalog_rules import CategoryRules, ItemRules, UserRules
from shopsim.data.manifest import MANIFEST, Manifest, Problem, file_problems, read_manifest, sha256_of
from shopsim.data.schema import TABLES, pieces, schema_faults
from shopsim.data.session_rules import SessionRules, StepRules

ROWS = 65_536
"""Rows of a piece. Feeds and histories are long, so sessions, users and items come in smaller ones."""


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
    named = set()
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
        yield from _row_problems(path, manifest)


def _hash_problems(path: Path, manifest: Manifest) -> Iterator[Problem]:
    wrong = {problem.file for problem in file_problems(path, manifest)}
    for name, entry in manifest.files.items():
        if name not in wrong and sha256_of(path / name) != entry.sha256:
            yield Problem(name, None, "its hash is not the manifest's, so its content has changed")


def _schema(file: Path) -> pa.Schema | str:
    """A table's schema, or why it cannot be read."""
    try:
        return pq.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        return f"cannot be read as Parquet ({error})"


def _row_problems(path: Path, manifest: Manifest) -> Iterator[Problem]:
    categories = CategoryRules()
    items = ItemRules(categories)
    users = UserRules(items)
    sessions = SessionRules(items, users)
    steps = StepRules(sessions)
    tables: list[tuple[str, Callable[[pa.Table], Iterator[Problem]], Iterator[pa.Table]]] = [
        (categories.file, categories.check, pieces(path, categories.file, ROWS)),
        (items.file, items.check, pieces(path, items.file, ROWS // 8)),
        (users.file, users.check, pieces(path, users.file, ROWS // 16)),
        (sessions.file, sessions.check, pieces(path, sessions.file, ROWS // 16)),
        (steps.file, steps.check, _whole_sessions(pieces(path, steps.file, ROWS))),
    ]
    for name, rules, stream in tables:
        try:
            for piece in stream:
                yield from rules(piece)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            yield Problem(name, None, f"cannot be read to its end ({error})")
            return
    yield from steps.finish()
    yield from _count_problems(path, manifest, sessions.longest)


def _count_problems(path: Path, manifest: Manifest, longest: int) -> Iterator[Problem]:
    for name in TABLES:
        rows = pq.read_metadata(path / name).num_rows
        told = {f"counts.{name.removesuffix('.parquet')}": getattr(manifest.counts, name.removesuffix(".parquet"))}
        if name in manifest.files:
            told[f"files.{name}.rows"] = manifest.files[name].rows
        for place, number in told.items():
            if number != rows:
                yield Problem(MANIFEST, None, f"{place} is {number}, but {name} has {rows} rows")
    if manifest.counts.longest_session != longest:
        cause = f"counts.longest_session is {manifest.counts.longest_session}, but the longest has {longest} steps"
        yield Problem(MANIFEST, None, cause)


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
