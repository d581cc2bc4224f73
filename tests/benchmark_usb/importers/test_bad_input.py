"""What no importer can use, through the command line: one clear line, exit code 2, nothing half-written."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmark_usb.importers.logs import HEADER, background, files, write
from tests.conftest import Run

TAOBAO = "1,2268318,2520377,pv,1511544070\n"
OTTO = json.dumps({"session": 1, "events": [{"aid": 1, "ts": 1659304800025, "type": "clicks"}]}) + "\n"


def cut_gzip(path: Path) -> None:
    write(path, background())
    path.write_bytes(path.read_bytes()[:-400])


def text(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(content)


def content(raw: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(raw)


BAD: list[tuple[str, str, Callable[[Path], object], str]] = [
    ("rees46", "log.csv.gz", cut_gzip, "log.csv.gz line 1: the gzip stream ends early; get the whole file"),
    ("rees46", "log.csv.gz", content(b"\x1f\x8b"), "the gzip stream ends early"),
    ("rees46", "log.csv.gz", text("a,b\n"), "log.csv.gz: is named .gz but is not gzip"),
    ("rees46", "log.csv", content(b""), "log.csv: is empty"),
    ("rees46", "log.csv.gz", content(gzip.compress(b"")), "is no table of events, it lacks event_time, "),
    ("rees46", "log.csv", content(b"\n"), "(it has no columns)"),
    ("rees46", "log.csv", content(b"\xef\xbb\xbf"), "(it has no columns)"),
    ("rees46", "log.csv", content(b"\0" * 2000), "log.csv: is no table of events"),
    ("rees46", "log.csv", content(bytes(range(256))), "log.csv line 2: is not UTF-8 text"),
    ("rees46", "log.csv", content(b"x" * 2000), "(it has ...)"),
    ("rees46", "log.csv", content(f"{HEADER}\n".encode().replace(b"\n", b"\r") * 3), "is no table of events"),
    ("rees46", "log.csv", text(HEADER + "\n"), "holds no rows below the names of the columns"),
    ("rees46", "log.csv", text(f"{HEADER}\n,,,,,,,,\n"), "(rows 1, bad 1, most of which: time cannot be read)"),
    ("rees46", "log.csv", lambda path: None, "log.csv: cannot be opened (No such file or directory)"),
    ("rees46", "log.csv", text(TAOBAO), "is no table of events, it lacks event_time, "),
    ("rees46", "log.jsonl", text(OTTO), "(it has session, events)"),
    ("rees46", "log.parquet", text("a,b\n"), "log.parquet: cannot be read as Parquet"),
    (
        "rees46",
        "log.csv",
        lambda path: write(path, background(), HEADER.replace("user_session", "visit")),
        "is no table of events, it lacks user_session (it has event_time, event_type, product_id, ",
    ),
    ("rees46", "folder", lambda path: path.mkdir(), "folder: holds no file of a rees46 log"),
    ("rees46", "folder", lambda path: write(path / "a.csv", ["1,2"], "x,y"), "a.csv: is no table of events, it lacks"),
    (
        "taobao",
        "log.csv",
        lambda path: write(path, background()),
        "holds no usable event (rows 241, bad 241, most of which: has 9 fields, must have 5)",
    ),
    ("otto", "log.csv", lambda path: write(path, background()), "is no table of events, it lacks ts, aid, session"),
    ("otto", "log.jsonl", text('{"session": 1, "events": []}\n{"session": 2, "events": 7}\n'), "it lacks ts, aid,"),
    ("otto", "log.jsonl", text('{"session": 1, "eve'), "(it has no columns)"),
    ("jdata", "log.csv", lambda path: write(path, background()), "it lacks time, sku_id, type, cate, model_id"),
    ("complete_journey", "log.csv", text(TAOBAO), "it lacks household_id, basket_id, product_id"),
    ("opera", "log.csv", text(TAOBAO), "it lacks session_id, timestamp, action_type"),
]


@pytest.mark.parametrize(("kind", "name", "make", "cause"), BAD, ids=[f"{b[0]}-{b[3]}" for b in BAD])
def test_a_log_of_no_use_is_exit_2_with_one_line(
    run: Run, tmp_path: Path, kind: str, name: str, make: Callable[[Path], object], cause: str
) -> None:
    make(tmp_path / name)
    before = files(tmp_path)
    code, out, err = run("data", "import", kind, tmp_path / name, "-o", tmp_path / "set")
    assert (code, out) == (2, "")
    assert cause in err
    assert (err.count("\n"), err.startswith("shopsim: ")) == (1, True)
    assert len(err) < 700
    assert files(tmp_path) == before


def test_one_bad_file_among_good_ones_stops_it_all(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "log/a.csv", background())
    cut_gzip(tmp_path / "log/b.csv.gz")
    before = files(tmp_path)
    code, _, err = run("data", "import", "rees46", tmp_path / "log", "-o", tmp_path / "set")
    assert (code, err.count("\n"), "b.csv.gz line" in err) == (2, 1, True)
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("rule", "cause"),
    [
        ("gap_minutes", "it must be NAME=VALUE"),
        ("gap_minutes=nan", "gap_minutes cannot be 'nan' (it must be finite)"),
        ("seed=-1", "seed must not be negative"),
        ("gap_minutes=-1", "gap_minutes must be above 0"),
        ("shelf=100000000", "shelf must be from 0 to 1000"),
        ("seen_per_opened=1e6", "seen_per_opened must be above 1 and at most 100"),
        ("pace_seconds=1e12", "pace_seconds must be from 0 to 3600"),
        ("rates=EUR", "rates cannot be 'EUR'"),
        ("rates=EUR:-1", "a rate must be above 0"),
        ("price_unit=pence", "price_unit must be one of auto, units, micros"),
        ("time_format=%Q", "holds no usable event (rows 240, bad 240, most of which: time cannot be read)"),
        ("latest=1999-01-01", "most of which: time is outside the log's own)"),
        ("history_until=2100-01-01", "holds no events to make sessions of"),
        ("speed=9", "there is no import rule 'speed'; there are bad_prices, "),
    ],
)
def test_a_rule_that_cannot_be_is_exit_2_with_one_line(run: Run, tmp_path: Path, rule: str, cause: str) -> None:
    log = write(tmp_path / "log.csv", background())
    code, _, err = run("data", "import", "rees46", log, "-o", tmp_path / "set", "--rule", rule)
    assert (code, err.count("\n")) == (2, 1)
    assert cause in err
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


@pytest.mark.parametrize(
    ("more", "cause"),
    [
        ('[file]\ndelimiter = "::"', "delimiter must be one plain character or none, got '::'"),
        ('[file]\nquote = "„"', "quote must be one plain character or none"),
        ('[file]\nencodings = ["klingon"]', "there is no encoding 'klingon'"),
        ('[file]\nformat = "xml"', "format must be csv, jsonl or parquet, got 'xml'"),
        ('[set]\nlocale = "fr"', "[set] locale must be en or zh, got 'fr'"),
        ("[rules]\ngap_minutes = [1]", "gap_minutes cannot be [1]"),
        ("[rules", "shop.toml: is not TOML"),
    ],
)
def test_a_mapping_that_cannot_be_is_exit_2_with_one_line(run: Run, tmp_path: Path, more: str, cause: str) -> None:
    mapping = tmp_path / "shop.toml"
    mapping.write_text(f'[events]\ntime = "t"\nitem = "i"\nuser = "u"\n{more}\n', encoding="utf-8")
    log = write(tmp_path / "log.csv", ["2024-05-01,1,2"], "t,i,u")
    code, _, err = run("data", "import", mapping, log, "-o", tmp_path / "set")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(f"shopsim: {mapping}: ")
    assert cause in err
    assert not (tmp_path / "set").exists()
