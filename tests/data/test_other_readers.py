"""Others read a set without this project, by the very lines of docs/data-layout.md."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shopsim.data import DataSet
from shopsim.data.schema import TABLES

PAGE = Path(__file__).parents[2] / "docs" / "data-layout.md"


def read_as_shown(library: str, path: Path) -> dict[str, Any]:
    """What the page's example for a library finds in a set, by the names there; skips where the library is absent."""
    pytest.importorskip(library, reason=f"{library} is not installed; the dev extra has it")
    shown = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    (code,) = (block for block in shown if re.search(rf"^(import|from) {library}\b", block, re.M))
    names: dict[str, Any] = {}
    exec(code.replace("out/usb", str(path)), names)
    return names


def test_duckdb(tiny: DataSet, tiny_path: Path) -> None:
    found = read_as_shown("duckdb", tiny_path)
    steps = [step for i in range(tiny.n_sessions) for step in tiny.session(i).steps]
    named = [tiny.item(tiny.item_row(step.item_id)) for step in steps if step.item_id]
    opened = Counter(item.l1 for item in named)
    assert {(l1, n) for l1, n, _ in found["opened"]} == set(opened.items())
    means = {l1: sum(item.price for item in named if item.l1 == l1) / n for l1, n in opened.items()}
    assert all(price == pytest.approx(means[l1]) for l1, _, price in found["opened"])
    feeds = [tiny.item_id(i) for row in range(tiny.n_sessions) for i in tiny.feed(row)]
    assert found["shown"] == [(item, n) for item, n in sorted(Counter(feeds).items(), key=lambda x: (-x[1], x[0]))[:5]]


def test_polars(tiny: DataSet, tiny_path: Path) -> None:
    found = read_as_shown("polars", tiny_path)
    lengths: dict[str, list[int]] = {}
    for row in range(tiny.n_sessions):
        lengths.setdefault(tiny.split(row), []).append(tiny.n_steps(row))
    expected = [(split, len(n), sum(n) / len(n)) for split, n in sorted(lengths.items())]
    assert found["lengths"].rows() == expected
    assert found["attributes"].columns == ["item_id", "key", "value"]
    told = [(tiny.item_id(i), *pair) for i in range(tiny.n_items) for pair in tiny.item(i).attributes.items()]
    assert found["attributes"].rows() == told


def test_datasets(tiny: DataSet, tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip("datasets", reason="datasets is not installed; the dev extra has it")
    monkeypatch.setattr(library.config, "HF_DATASETS_CACHE", tmp_path)
    found = read_as_shown("datasets", tiny_path)
    assert [row["session_id"] for row in found["sessions"]] == [tiny.session_id(i) for i in range(tiny.n_sessions)]
    assert found["sessions"][1]["started_at"] == tiny.session(1).started_at
    # Each table by the name that the card gives it.
    for file, schema in TABLES.items():
        table = library.load_dataset(str(tiny_path), file.removesuffix(".parquet"), split="train")
        assert table.column_names == schema.names
    assert found["items"].num_rows == tiny.n_items
