"""Every fault is found and named by file, row and cause; and a set with a fault does not open, for the same reason."""

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shopsim.data import DataSet, Problem, build_index, check
from shopsim.data.schema import TABLES
from shopsim.errors import DataError
from tests.data.tamper import Rows, copied, edit_manifest, edit_rows, sign


def setting(row: int, **values: Any) -> Callable[[Rows], object]:
    """Sets columns of one row; a function changes what is there."""

    def edit(rows: Rows) -> None:
        for name, value in values.items():
            rows[row][name] = value(rows[row][name]) if callable(value) else value

    return edit


def picture(**values: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda old: {**old, **values}


def replacing(position: int, item: object) -> Callable[[list[object]], list[object]]:
    return lambda old: [*old[:position], item, *old[position + 1 :]]


FAULTS: list[tuple[str, int, Callable[[Rows], object], str]] = [
    ("categories.parquet", 3, setting(3, category_id="c0"), "category_id 'c0' was used before, in row 0"),
    ("categories.parquet", 2, setting(2, name=None), "category 'c000': name is missing"),
    ("categories.parquet", 2, setting(2, name=""), "category 'c000': name is empty"),
    ("categories.parquet", 2, setting(2, level=4), "level is 4, must be 1, 2 or 3"),
    ("categories.parquet", 0, setting(0, parent_id="c1"), "parent_id is 'c1', but level 1 has no parent"),
    ("categories.parquet", 2, setting(2, parent_id="c0"), "parent_id 'c0' is no category of level 2 above this row"),
    ("categories.parquet", 1, setting(1, parent_id=None), "parent_id None is no category of level 1 above this row"),
    ("items.parquet", 9, setting(9, item_id="i003"), "item_id 'i003' was used before, in row 3"),
    ("items.parquet", 70, setting(70, item_id=""), "item_id is empty"),
    ("items.parquet", 9, setting(9, title=""), "item 'i009': title is empty"),
    ("items.parquet", 9, setting(9, title=None), "item 'i009': title is missing"),
    ("items.parquet", 9, setting(9, price=-0.01), "item 'i009': price is -0.01, must be 0 to 1e+15"),
    ("items.parquet", 9, setting(9, price=1e308), "item 'i009': price is 1e+308, must be 0 to 1e+15"),
    ("items.parquet", 9, setting(9, price=float("nan")), "item 'i009': price is nan"),
    ("items.parquet", 9, setting(9, price=float("inf")), "item 'i009': price is inf"),
    ("items.parquet", 9, setting(9, rating=5.5), "item 'i009': rating is 5.5, must be 1 to 5"),
    ("items.parquet", 9, setting(9, sales=-1), "item 'i009': sales is -1, must not be negative"),
    ("items.parquet", 8, setting(8, l3="c9"), "item 'i008': l3 is 'c9', which is no known category"),
    ("items.parquet", 8, setting(8, l2="c000"), "item 'i008': l2 is 'c000', which is no category of level 2"),
    ("items.parquet", 8, setting(8, l3="c011"), "l3 is 'c011', which does not lie under the item's l2"),
    ("items.parquet", 8, setting(8, l1="c1"), "l2 is 'c00', which does not lie under the item's l1"),
    ("items.parquet", 8, setting(8, l1=None), "l2 is 'c00', which does not lie under the item's l1"),
    ("items.parquet", 9, setting(9, picture=picture(aspect="2:1")), "picture.aspect is '2:1', must be one of 1:1"),
    ("items.parquet", 9, setting(9, picture=picture(accent="red")), "picture.accent is 'red', must look like"),
    ("items.parquet", 9, setting(9, picture=picture(seed=None)), "picture.seed is None, must be given"),
    ("items.parquet", 9, setting(9, picture=picture(file="../a.png")), "picture.file is '../a.png', which is no file"),
    ("items.parquet", 9, setting(9, picture=None), "picture is missing"),
    ("items.parquet", 3, setting(3, reviews=replacing(1, {"rating": 6, "text": ""})), "a review lacks its text"),
    ("items.parquet", 3, setting(3, reviews=replacing(2, {"rating": 3, "text": None})), "a review lacks its text"),
    ("items.parquet", 8, setting(8, attributes=replacing(1, {"key": "size", "value": None})), "an attribute lacks its"),
    ("items.parquet", 8, setting(8, attributes=replacing(1, {"key": "colour", "value": "red"})), "key is there twice"),
    ("users.parquet", 2, setting(2, user_id="u1"), "user_id 'u1' was used before, in row 1"),
    ("users.parquet", 2, setting(2, age=121), "user 'u2': age is 121, must be 0 to 120"),
    ("users.parquet", 1, setting(1, clicks=replacing(1, "x9")), "user 'u1': unknown item 'x9' in clicks"),
    ("users.parquet", 1, setting(1, purchases=[None]), "user 'u1': unknown item None in purchases"),
    ("users.parquet", 1, setting(1, clicks=None), "user 'u1': clicks is missing"),
    ("sessions.parquet", 2, setting(2, session_id="s1"), "session_id 's1' was used before, in row 1"),
    ("sessions.parquet", 2, setting(2, user_id="u9"), "session 's2': unknown user 'u9'"),
    ("sessions.parquet", 2, setting(2, split="dev"), "session 's2': split is 'dev', must be one of train, validation"),
    ("sessions.parquet", 7, setting(7, split="train"), "user 'u5' is in train here, but in test before"),
    ("sessions.parquet", 2, setting(2, feed=replacing(40, "x9")), "session 's2': unknown item 'x9' in feed"),
    ("sessions.parquet", 2, setting(2, feed=replacing(40, "i002")), "session 's2': the feed shows an item twice"),
    ("sessions.parquet", 2, setting(2, feed=lambda feed: feed[:59]), "the feed has 59 items, must have 60"),
    ("sessions.parquet", 2, setting(2, n_steps=5), "session 's2': n_steps is 5, but steps.parquet has 8"),
    ("sessions.parquet", 2, setting(2, n_steps=0), "session 's2': n_steps is 0, must be at least 1"),
    ("sessions.parquet", 2, setting(2, started_at=None), "session 's2': started_at is missing"),
    ("steps.parquet", 3, setting(3, action="click_it"), "session 's1' step 2: action is 'click_it', which is none of"),
    (
        "steps.parquet",
        3,
        setting(3, page="home"),
        "session 's1' step 2: page is 'home', must be feed, preview or detail",
    ),
    ("steps.parquet", 1, setting(1, item_id="x9"), "session 's1' step 0: unknown item 'x9'"),
    ("steps.parquet", 1, setting(1, item_id=None), "session 's1' step 0: action is 'click', which needs an item_id"),
    ("steps.parquet", 2, setting(2, item_id="i001"), "action is 'back', which acts on no item, but item_id is given"),
    ("steps.parquet", 3, setting(3, scroll=-400), "session 's1' step 2: scroll is -400, must not be negative"),
    ("steps.parquet", 1, setting(1, x=1.5), "session 's1' step 0: x is 1.5, must be 0 to 1"),
    ("steps.parquet", 1, setting(1, y=float("nan")), "session 's1' step 0: y is nan, must be 0 to 1"),
    ("steps.parquet", 1, setting(1, y=None), "session 's1' step 0: x and y must both be given or neither"),
    ("steps.parquet", 3, setting(3, step=7), "step is 7, must be 2 (0, 1, 2, ...)"),
    ("steps.parquet", 1, setting(1, step=1), "step is 1, must be 0 (0, 1, 2, ...)"),
    ("steps.parquet", 3, setting(3, action="terminate"), "session 's1' step 2: terminate before the session's last"),
    ("steps.parquet", 8, setting(8, action="back"), "session 's1' step 7: the session's last step must be terminate"),
    ("steps.parquet", 3, setting(3, timestamp=lambda t: t - timedelta(seconds=9)), "before the one of the step before"),
    ("steps.parquet", 1, setting(1, timestamp=lambda t: t - timedelta(days=9)), "lies before the session's started_at"),
    (
        "steps.parquet",
        8,
        setting(8, timestamp=lambda t: t.replace(year=2200)),
        "timestamp is not between 1970 and 2100",
    ),
    ("steps.parquet", 3, setting(3, session_id="s9"), "unknown session 's9'"),
    ("steps.parquet", 3, setting(3, session_id="s0"), "steps of session 's0' stand in two places"),
    ("steps.parquet", 3, setting(3, screen_id="ab"), "session 's1' step 2: unknown screen 'ab'"),
    ("steps.parquet", 3, setting(3, imputed=None), "session 's1' step 2: imputed is missing"),
]


@pytest.mark.parametrize(("file", "row", "edit", "cause"), FAULTS, ids=[f"{f[0].split('.')[0]}-{f[3]}" for f in FAULTS])
def test_a_fault_is_named_by_file_row_and_cause(
    tiny_path: Path, tmp_path: Path, file: str, row: int, edit: Callable[[Rows], object], cause: str
) -> None:
    path = copied(tiny_path, tmp_path)
    edit_rows(path, file, edit)
    sign(path)
    problems = list(check(path))
    assert [p for p in problems if (p.file, p.row) == (file, row) and cause in p.cause], "\n".join(map(str, problems))
    build_index(path, problems)
    with pytest.raises(DataError) as refused:
        DataSet.open(path)
    assert str(refused.value) == f"{path}: {problems[0]}"


def test_a_change_without_a_new_manifest_names_the_hash_and_the_row(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    edit_rows(path, "items.parquet", setting(9, rating=9.0))
    sign(path)
    manifest = json.loads((path / "manifest.json").read_bytes())
    manifest["files"]["items.parquet"]["sha256"] = "0" * 64
    (path / "manifest.json").write_text(json.dumps(manifest))
    found = [(p.file, p.row, p.cause) for p in check(path)]
    assert found == [
        ("items.parquet", None, "its hash is not the manifest's, so its content has changed"),
        ("items.parquet", 9, "item 'i009': rating is 9.0, must be 1 to 5"),
    ]


def test_sessions_whose_steps_are_gone_or_out_of_order(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)

    def edit(rows: Rows) -> None:
        order = {"s0": 0, "s1": 1, "s3": 2, "s2": 3, "s4": 4, "s5": 5, "s6": 6}
        rows[:] = sorted((r for r in rows if r["session_id"] != "s7"), key=lambda r: order[r["session_id"]])

    edit_rows(path, "steps.parquet", edit)
    sign(path)
    found = {(p.file, p.row): p.cause for p in check(path)}
    assert found == {
        ("steps.parquet", 17): "session 's2' is out of the order of sessions.parquet",
        ("sessions.parquet", 7): "session 's7': has no steps in steps.parquet",
    }


def test_many_equal_faults_are_counted_not_listed(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)

    def edit(rows: Rows) -> None:
        for row in rows:
            row["rating"] = 0.0

    edit_rows(path, "items.parquet", edit)
    sign(path)
    problems = list(check(path))
    assert len(problems) == 21
    assert problems[-1].cause == "52 more rows up to row 71 have the fault named last"


def test_columns_are_named(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    table = pq.read_table(path / "steps.parquet")
    table = table.drop_columns(["page"]).set_column(1, "step", table["step"].cast(pa.float64()))
    pq.write_table(table, path / "steps.parquet")
    sign(path)
    assert [str(p) for p in check(path)] == [
        "steps.parquet: column step is double, must be int32",
        "steps.parquet: column page (string) is missing",
    ]


def test_more_columns_other_encodings_and_other_row_groups_are_allowed(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    for file in TABLES:
        table = pq.read_table(path / file)
        for i, field in enumerate(table.schema):
            if field.type == pa.string():
                table = table.set_column(i, field.name, table[field.name].cast(pa.large_string()))
            elif field.type == pa.list_(pa.string()):
                table = table.set_column(i, field.name, table[field.name].cast(pa.large_list(pa.large_string())))
        if file == "items.parquet":
            pairs = [[(pair["key"], pair["value"]) for pair in row] for row in table["attributes"].to_pylist()]
            maps = pa.array(pairs, pa.map_(pa.string(), pa.string()))
            table = table.set_column(table.schema.get_field_index("attributes"), "attributes", maps)
        table = table.append_column("extra", pa.array(np.arange(len(table))))
        pq.write_table(table.select(table.column_names[::-1]), path / file, row_group_size=3)
    sign(path)
    assert list(check(path)) == []
    before = DataSet.open(tiny_path)
    build_index(path)
    after = DataSet.open(path)
    assert [after.session(row) for row in range(8)] == [before.session(row) for row in range(8)]
    assert [after.item(row) for row in range(72)] == [before.item(row) for row in range(72)]


MANIFEST_FAULTS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda m: m.update(format="csv"), "manifest.json: format is 'csv', must be 'usb'"),
    (lambda m: m.update(version=2), "manifest.json: version is 2, this ShopSim reads version 1"),
    (lambda m: m.pop("counts"), "manifest.json: counts: Field required"),
    (lambda m: m.update(source="dreamt"), "manifest.json: source: Input should be 'synthetic', 'imported' or"),
    (lambda m: m["files"]["items.parquet"].update(bytes="1"), "manifest.json: files.items.parquet.bytes: Input should"),
    (lambda m: m["files"].pop("items.parquet"), "manifest.json: files has no entry for items.parquet"),
    (lambda m: m["files"]["items.parquet"].update(bytes=7), " bytes where the manifest says 7 (truncated or changed)"),
    (lambda m: m["files"].update(x=m["files"]["items.parquet"]), "x: missing, though the manifest names it"),
]


@pytest.mark.parametrize(("edit", "words"), MANIFEST_FAULTS, ids=[f[1] for f in MANIFEST_FAULTS])
def test_manifest_faults_in_the_same_words(
    tiny_path: Path, tmp_path: Path, edit: Callable[[dict[str, Any]], object], words: str
) -> None:
    path = copied(tiny_path, tmp_path)
    edit_manifest(path, edit)
    first = str(next(check(path)))
    assert words in first
    with pytest.raises(DataError) as refused:
        DataSet.open(path)
    assert str(refused.value) == f"{path}: {first}"


def test_counts_must_be_true(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    edit_manifest(
        path, lambda m: (m["counts"].update(items=73, longest_session=9), m["files"]["users.parquet"].update(rows=5))
    )
    assert [str(p) for p in check(path)] == [
        "manifest.json: files.users.parquet.rows is 5, must be 6",
        "manifest.json: counts.items is 73, must be 72",
        "manifest.json: counts.longest_session is 9, must be 8",
    ]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_manifest_that_is_no_json_object(tiny_path: Path, tmp_path: Path, content: bytes) -> None:
    path = copied(tiny_path, tmp_path)
    (path / "manifest.json").write_bytes(content)
    (problem,) = check(path)
    with pytest.raises(DataError) as refused:
        DataSet.open(path)
    assert str(refused.value) == f"{path}: {problem}"


def test_no_folder_and_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, words in (
        (tmp_path / "none", "there is no such folder"),
        (tmp_path / "file", "is a file, no folder"),
        (tmp_path, "is not a ShopSim data set"),
    ):
        (problem,) = check(path)
        assert words in str(problem)
        for use in (DataSet.open, build_index):
            with pytest.raises(DataError) as refused:
                use(path)
            assert str(problem) in str(refused.value)
            assert str(refused.value).count(f"{path}: ") == 1
    with pytest.raises(DataError, match="names no data set"):
        DataSet.open("")


@pytest.mark.parametrize("file", TABLES)
def test_a_truncated_table_is_one_clear_problem(tiny_path: Path, tmp_path: Path, file: str) -> None:
    path = copied(tiny_path, tmp_path)
    size = (path / file).stat().st_size
    os.truncate(path / file, size - 100)
    problems = list(check(path))
    assert problems == [
        Problem(file, None, f"has {size - 100} bytes where the manifest says {size} (truncated or changed)")
    ]
    with pytest.raises(DataError) as refused:
        DataSet.open(path)
    assert str(refused.value) == f"{path}: {problems[0]}"
    build_index(path, problems)
    with pytest.raises(DataError) as refused:
        DataSet.open(path)
    assert str(refused.value) == f"{path}: {problems[0]}"


@pytest.mark.parametrize("file", TABLES)
def test_flipped_bytes_never_end_in_a_traceback(tiny_path: Path, tmp_path: Path, file: str) -> None:
    path = copied(tiny_path, tmp_path)
    original = (path / file).read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(4, len(original) - 8, size=25).tolist():
        content = bytearray(original)
        content[place : place + 4] = bytes(rng.integers(0, 256, size=4, dtype=np.uint8))
        if content == original:
            continue
        (path / file).write_bytes(content)
        problems = list(check(path))
        assert problems[0] == Problem(file, None, "its hash is not the manifest's, so its content has changed")


def test_a_missing_table_is_named_once(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    (path / "users.parquet").unlink()
    assert [str(p) for p in check(path)] == ["users.parquet: missing, though the manifest names it"]


def test_check_needs_no_index_and_a_repaired_set_opens_again(tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    good = (path / "items.parquet").read_bytes()
    (path / "items.parquet").write_bytes(good[:-1])
    build_index(path, list(check(path)))
    (path / "items.parquet").write_bytes(good)
    assert list(check(path)) == []
    build_index(path)
    assert DataSet.open(path).n_items == 72
