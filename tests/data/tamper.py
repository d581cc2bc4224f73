"""Ways to spoil a data set."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shopsim.data.manifest import sha256_of
from shopsim.data.schema import TABLES

Rows = list[dict[str, Any]]


def copied(tiny_path: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return Path(shutil.copytree(tiny_path, tmp_path / "copy"))


def edit_rows(path: Path, file: str, edit: Callable[[Rows], object]) -> None:
    """Changes the rows of a table; the manifest stays as it was."""
    rows = pq.read_table(path / file).to_pylist()
    edit(rows)
    # Nothing is declared as required, so that missing values can be written.
    schema = pa.schema([pa.field(field.name, field.type) for field in TABLES[file]])
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path / file)


def edit_manifest(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Changes the manifest."""
    manifest = json.loads((path / "manifest.json").read_bytes())
    edit(manifest)
    (path / "manifest.json").write_text(json.dumps(manifest))


def sign(path: Path) -> None:
    """Makes the manifest fit the files again, as somebody would who edits a set on purpose."""

    def fit(manifest: dict[str, Any]) -> None:
        for name in manifest["files"]:
            size = (path / name).stat().st_size
            rows = pq.read_metadata(path / name).num_rows
            manifest["files"][name] = {"sha256": sha256_of(path / name), "bytes": size, "rows": rows}
            manifest["counts"][name.removesuffix(".parquet")] = rows
        manifest["counts"]["longest_session"] = max(r["n_steps"] or 0 for r in sessions)

    sessions = pq.read_table(path / "sessions.parquet").to_pylist()
    edit_manifest(path, fit)
