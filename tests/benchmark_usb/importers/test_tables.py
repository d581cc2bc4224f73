import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.log_format import FileShape
from shopsim.benchmark_usb.importers.pieces import CUT_OFF, Note
from shopsim.benchmark_usb.importers.tables import column_names, read_pieces
from shopsim.errors import DataError

PLAIN = FileShape()


def read(
    path: Path, shape: FileShape = PLAIN, columns: tuple[str, ...] = ("a", "b"), refuse: bool = False
) -> tuple[list[tuple[object, ...]], list[int], ImportReport]:
    """Rows, their numbers, and the report."""
    report = ImportReport(log="test")
    pieces = list(read_pieces(path, shape, columns, Note(report, path.name), refuse))
    rows = [tuple(row.values()) for piece in pieces for row in piece.table.to_pylist()]
    return rows, [int(n) for piece in pieces for n in piece.rows], report


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_lines_ends_delimiters_and_quotes(tmp_path: Path) -> None:
    plain = [("1", "x"), ("2", "y, z")]
    assert read(write(tmp_path / "a.csv", 'a,b\n1,x\n2,"y, z"\n'))[0] == plain
    assert read(write(tmp_path / "b.csv", 'a,b\r\n1,x\r\n2,"y, z"\r\n'))[0] == plain
    assert read(write(tmp_path / "c.csv", "a;b\n1;x\n2;y, z\n"))[0] == plain
    assert read(write(tmp_path / "d.csv", "a\tb\n1\tx\n2\ty, z\n"))[0] == plain
    assert read(write(tmp_path / "e.csv", 'c,"b","a"\n0,x,1\n0,"y, z",2\n'))[0] == plain
    assert read(write(tmp_path / "f.csv", "1|x\n2|y, z\n"), FileShape(header=("a", "b")))[0] == plain
    assert read(write(tmp_path / "g.csv", "\ufeffa,b\n1,x\n"))[2].encodings == ["g.csv: utf-8+bom"]


def test_line_breaks_inside_quotes_are_kept_and_counted(tmp_path: Path) -> None:
    rows, numbers, report = read(write(tmp_path / "a.csv", 'a,b\n1,"x\ny\nz"\n2,w\n'))
    assert rows == [("1", "x\ny\nz"), ("2", "w")]
    assert (numbers, report.line_breaks) == ([2, 3], 2)


def test_other_breaks_of_unicode_end_no_line(tmp_path: Path) -> None:
    rows, _, _ = read(write(tmp_path / "a.csv", "a,b\n1,x\u2028y\x85z\n"))
    assert rows == [("1", "x\u2028y\x85z")]
    line = json.dumps({"a": 1, "b": "x\u2028y"}, ensure_ascii=False)
    assert read(write(tmp_path / "b.jsonl", line + "\n"))[0] == [("1", "x\u2028y")]


def test_without_quotes_a_quote_swallows_nothing(tmp_path: Path) -> None:
    rows, _, report = read(write(tmp_path / "a.csv", 'a,b\n1,"x\n2,y\n'), FileShape(quote=""))
    assert (rows, report.line_breaks) == ([("1", '"x'), ("2", "y")], 0)


def test_lines_that_are_no_rows_are_counted_with_their_numbers(tmp_path: Path) -> None:
    rows, numbers, report = read(write(tmp_path / "a.csv", "a,b\n1,x\n\n2\n3,y,z\n4,w\n"))
    assert (rows, numbers) == ([("1", "x"), ("", ""), ("4", "w")], [2, 3, 6])
    assert report.bad_rows == {"has 1 fields, must have 2": 1, "has 3 fields, must have 2": 1}
    assert [row for _, row, _ in report.bad_row_examples] == [4, 5]
    assert report.file_rows == {"a.csv": 5}


@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        ("a.csv", "a,b\n1,1569888000\n2,1569888001\n3", 2),
        ("a.csv", "a,b\n1,1569888000\n2,1569888001\n3,15698", 2),
        ("a.csv", "a,b\n1,1569888000\n2,1569888001\n3,1569888002", 3),
        ("a.csv", "a,b\n1,longer\n2,x\n3,y", 3),
        ("a.jsonl", '{"a":1,"b":2}\n{"a":1,"b"', 1),
        ("a.jsonl", '{"a":1,"b":2}\n{"a":1,"b":3}', 2),
    ],
)
def test_a_last_line_that_breaks_off_is_left_out_or_refused(tmp_path: Path, name: str, text: str, kept: int) -> None:
    path = write(tmp_path / name, text)
    rows, _, report = read(path)
    cut = text.count("\n") + 1 - kept - name.endswith("csv")
    assert len(rows) == kept
    assert report.bad_rows[CUT_OFF] == cut
    if cut:
        with pytest.raises(DataError, match=f"line {text.count(chr(10)) + 1}: the file ends inside this line"):
            read(path, refuse=True)
    else:
        assert len(read(path, refuse=True)[0]) == kept


def test_json_lines_keep_numbers_as_written_and_explode_lists(tmp_path: Path) -> None:
    lines = ['{"a": 12345678901234567890, "b": 1.50}', "[1]", "", '{"b": true}', '{"a": {"c": "\\u2028"}}']
    rows, numbers, report = read(write(tmp_path / "a.jsonl", "\n".join(lines) + "\n"))
    assert rows == [("12345678901234567890", "1.50"), (None, "true"), ('{"c": "\u2028"}', None)]
    assert numbers == [1, 4, 5]
    assert report.bad_rows == {"is not a JSON object": 2}
    nested = {"s": 7, "events": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, 3]}
    path = write(tmp_path / "b.jsonl", json.dumps(nested) + "\n")
    assert column_names(path, FileShape(explode="events")) == ["s", "events", "a", "b"]
    assert read(path, FileShape(explode="events"), ("s", "a", "b"))[0] == [("7", "1", "x"), ("7", "2", "y")]


def test_parquet_and_gzip(tmp_path: Path) -> None:
    pq.write_table(pa.table({"b": ["x", None], "a": [1, 2], "c": [0, 0]}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet")[0] == [(1, "x"), (2, None)]
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert read(tmp_path / "a.csv.gz")[0] == [("1", "x")]


def test_what_cannot_be_read_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="lacks the columns b; it has a, c"):
        read(write(tmp_path / "a.csv", "a,c\n1,2\n"))
    with pytest.raises(DataError, match="holds no rows below the names of the columns"):
        read(write(tmp_path / "b.csv", "a,b\n"))
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read(write(tmp_path / "c.parquet", "a,b\n"))
    with pytest.raises(DataError, match="is empty"):
        read(write(tmp_path / "d.jsonl", ""))


def test_many_rows_come_in_pieces_with_true_numbers(tmp_path: Path) -> None:
    lines = [f"{i},{'x' * 90}" if i % 1000 else "bad" for i in range(1, 200_001)]
    rows, numbers, report = read(write(tmp_path / "a.csv", "\n".join(["a,b", *lines]) + "\n"))
    assert report.bad_rows.total() == 200
    assert numbers == [int(str(a)) + 1 for a, _ in rows]


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.utf8())]
)
def test_parquet_may_hold_any_type_of_text(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array(["x", None]).cast(kind), "b": [1, 2]}), path)
    rows, _, _ = read(path)
    assert rows == [("x", 1), (None, 2)]


def test_parquet_that_holds_no_single_values_or_no_text_is_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [["x"]], "b": [1]}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"column a is list<.*>, must hold single values"):
        read(tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": [b"\xff"], "b": [1]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b.parquet row 1: cannot be read as Parquet"):
        read(tmp_path / "b.parquet")


def test_a_quote_that_swallows_more_lines_than_there_are_rows_is_named(tmp_path: Path) -> None:
    rows = [f"{i},x" for i in range(50)]
    rows[5] = '5,"x'
    with pytest.raises(DataError, match="row 7: 44 of the 51 lines lie inside quotes, maybe one is never closed"):
        read(write(tmp_path / "a.csv", "a,b\n" + "\n".join(rows)), FileShape())


def test_a_quote_that_is_never_closed_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'a,b\n1,x\n2,"y\n' + "3,z\n" * 2_500_000)
    with pytest.raises(DataError, match="a row is longer than 4 MB, maybe a quote is never closed"):
        read(path)


def test_json_may_hold_half_characters_and_any_depth(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": "x\\ud800", "b": 1}\n' + "[" * 100_000 + '\n{"a": "é", "b": 2}\n')
    rows, numbers, report = read(path)
    assert (rows, numbers) == ([("x?", "1"), ("é", "2")], [1, 3])
    assert report.bad_rows == {"is not a JSON object": 1}


def test_the_first_objects_need_not_have_every_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": 1}\n{"b": 2}\n')
    assert column_names(path, PLAIN) == ["a", "b"]
    assert read(path)[0] == [("1", None), (None, "2")]
    empty = write(
        tmp_path / "b.jsonl", '{"s": 1, "events": []}\n{"s": 2, "events": 5}\n{"s": 3, "events": [{"a": 1}]}\n'
    )
    assert read(empty, FileShape(explode="events"), ("s", "a"))[0] == [("3", "1")]
