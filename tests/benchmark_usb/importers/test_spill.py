"""Rows that wait on disk in parts, and imports that are worked on in parts."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.importers import events, spill
from shopsim.benchmark_usb.importers.importing import import_log
from shopsim.benchmark_usb.importers.rees46 import REES46
from shopsim.benchmark_usb.importers.spill import Spill, regrouped
from shopsim.errors import DataError
from tests.benchmark_usb.importers.logs import background, files, rees46, write

SCHEMA = pa.schema({"n": pa.int64(), "text": pa.string(), "list": pa.list_(pa.int32())})


def table(numbers: list[int]) -> pa.Table:
    return pa.table(
        {"n": numbers, "text": [f"{n}" if n % 3 else None for n in numbers], "list": [[n] * (n % 4) for n in numbers]},
        schema=SCHEMA,
    )


@given(st.lists(st.lists(st.integers(0, 99), max_size=9), max_size=6), st.integers(1, 5), st.integers(0, 300))
def test_parts_come_back_in_the_order_in_which_they_went_in(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[list[int]], parts: int, waiting: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "_WAITING", waiting)
        rows = Spill(tmp_path_factory.mktemp("spill") / "rows", parts, SCHEMA)
        for piece in pieces:
            rows.add(table(piece), np.array(piece, np.int64) % parts)
    everything = [n for piece in pieces for n in piece]
    assert len(rows) == len(everything)
    for part in (*range(parts), 0):
        assert rows.read(part).equals(table([n for n in everything if n % parts == part]))


@given(st.lists(st.lists(st.integers(0, 99), max_size=9), max_size=6), st.integers(1, 7))
def test_tables_are_regrouped(pieces: list[list[int]], rows: int) -> None:
    groups = list(regrouped(map(table, pieces), rows))
    assert [n for group in groups for n in group["n"].to_pylist()] == [n for piece in pieces for n in piece]
    assert all(len(group) == rows for group in groups[:-1])
    assert all(0 < len(group) <= rows for group in groups)


@pytest.mark.parametrize("rules", [{}, {"history_until": "2019-10-01T02:00:00Z"}, {"duplicates": "keep"}])
def test_an_import_in_many_parts_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: dict[str, Any]
) -> None:
    # Several users in a session, equal rows, equal times, one item at several prices.
    shared = [
        rees46("02:30:00", user=user, product=user, session="shared", price=f"{user}.00") for user in (7, 8, 7, 9)
    ]
    tied = [rees46("01:59:59", "purchase", 5, user, f"tied{user}", f"{user}.50") for user in (30, 20, 40, 20)]
    source = write(tmp_path / "log.csv", [*background()[:120], *shared, *tied, *background()[120:], *tied])
    settings = REES46.settings.changed(rules)
    import_log(REES46, [source], tmp_path / "whole", settings)
    monkeypatch.setattr(events, "_BYTES_OF_PART", 2000)
    import_log(REES46, [source], tmp_path / "parts", settings)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"log.csv", "whole", "parts"}


def test_an_import_that_fails_leaves_nothing(tmp_path: Path) -> None:
    source = write(tmp_path / "log.csv", [rees46("09:00:00", "look")])
    with pytest.raises(DataError, match="holds no usable event"):
        import_log(REES46, [source], tmp_path / "out/set")
    assert [path.name for path in tmp_path.rglob("*")] == ["log.csv"]
