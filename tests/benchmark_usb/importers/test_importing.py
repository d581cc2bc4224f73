import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.importing import import_log
from shopsim.benchmark_usb.importers.rees46 import REES46
from shopsim.benchmark_usb.replay_check import validate
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.human import replay
from shopsim.errors import DataError, InputError
from tests.benchmark_usb.importers.logs import HEADER, acts, background, files, rees46, write


def imported(source: Path, out: Path, progress: Any = None, **rules: Any) -> ImportReport:
    return import_log(REES46, [source], out, REES46.settings.changed(rules), progress)


def test_a_log_becomes_a_valid_set_whole(tmp_path: Path) -> None:
    source = write(tmp_path / "log.csv", background())
    done: list[tuple[int, int]] = []
    report = imported(source, tmp_path / "set", lambda *counts: done.append(counts))
    assert validate(tmp_path / "set") == []
    dataset = DataSet.open(tmp_path / "set")
    assert report.rows == report.events.total() == 240
    assert report.sessions == dataset.n_sessions == done[-1][0] == done[-1][1]
    assert (report.items, report.users) == (dataset.n_items, dataset.n_users)
    assert report.items == report.items_log + report.items_stock
    assert report.steps == sum(len(replay(dataset, i)) for i in range(dataset.n_sessions))
    assert report.longest_session == dataset.longest_session
    assert report.splits.total() == report.sessions
    assert (dataset.source, dataset.name, dataset.currency) == ("imported", "rees46-log", "USD")
    assert {"impressions", "scrolls", "leaving", "titles", "pictures", "items"} <= dataset.imputed
    assert not {"prices", "ages", "currency"} & dataset.imputed
    assert dataset.user(0).age is dataset.user(0).gender is None
    stored = json.loads((tmp_path / "set" / "import_report.json").read_text())
    assert stored == json.loads(report.to_json())
    assert "import_report.json" in json.loads((tmp_path / "set" / "manifest.json").read_text())["files"]
    assert "240 rows in log.csv" in str(report)


def test_gzip_column_order_more_columns_and_line_ends_make_no_difference(tmp_path: Path) -> None:
    rows = background()
    imported(write(tmp_path / "log.csv", rows), tmp_path / "plain")
    imported(write(tmp_path / "log.csv.gz", rows), tmp_path / "gzip")
    turned = [",".join(["x", *reversed(r.split(","))]) for r in rows]
    other = "more," + ",".join(reversed(HEADER.split(",")))
    imported(write(tmp_path / "other/log.csv", turned, other, end=""), tmp_path / "turned")
    dos = write(tmp_path / "dos/log.csv", [r + "\r" for r in rows], "\ufeff" + HEADER + "\r")
    imported(dos, tmp_path / "crlf")
    semicolons = write(tmp_path / "semi/log.csv", [r.replace(",", ";") for r in rows], HEADER.replace(",", ";"))
    imported(semicolons, tmp_path / "semicolons")
    plain = {k: v for k, v in files(tmp_path / "plain").items() if k.endswith(".parquet")}
    assert len(plain) == 5
    for name in ("gzip", "turned", "crlf", "semicolons"):
        assert {k: v for k, v in files(tmp_path / name).items() if k.endswith(".parquet")} == plain


def test_the_same_import_writes_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    source = write(tmp_path / "log.csv", background())
    imported(source, tmp_path / "here", seed=3)
    code = (
        "import sys; from shopsim.benchmark_usb.importers.importing import import_log;"
        "from shopsim.benchmark_usb.importers.rees46 import REES46;"
        "import_log(REES46, sys.argv[1:2], sys.argv[2], REES46.settings.changed({'seed': 3}))"
    )
    command = [sys.executable, "-c", code, str(source), str(tmp_path / "there")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "77"})
    assert files(tmp_path / "here") == files(tmp_path / "there")
    imported(source, tmp_path / "other", seed=4)
    assert files(tmp_path / "here")["sessions.parquet"] != files(tmp_path / "other")["sessions.parquet"]


def test_views_carts_and_purchases_become_steps(tmp_path: Path) -> None:
    mine = [
        rees46("09:00:00", "view", 1),
        rees46("09:00:30", "view", 1),
        rees46("09:01:00", "cart", 1),
        rees46("09:02:00", "view", 2),
        rees46("09:03:00", "purchase", 1),
        rees46("09:04:00", "purchase", 3),
    ]
    report = imported(write(tmp_path / "log.csv", background() + mine), tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    assert [act for act in acts(dataset, "s1") if act[0] not in ("back", "terminate")] == [
        ("enter_detail", "1", False),
        ("add_to_cart", "1", False),
        ("enter_detail", "2", False),
        ("enter_detail", "1", True),
        ("purchase", "1", False),
        ("enter_detail", "3", True),
        ("purchase", "3", False),
    ]
    assert acts(dataset, "s1")[-1] == ("terminate", None, True)
    assert report.no_effect == {"view of the item already open": 1}
    assert (report.visits_imputed, report.purchases_without_cart) == (2, 1)
    bought = [step for step in dataset.session(dataset.session_row("s1")).steps if step.action is Action.PURCHASE]
    assert [step.timestamp for step in bought] == [datetime(2019, 10, 1, 9, m, tzinfo=UTC) for m in (3, 4)]


def test_items_get_median_prices_and_their_category_fills_what_is_missing(tmp_path: Path) -> None:
    mine = [
        *(rees46(f"09:0{i}:00", price=price) for i, price in enumerate(["0", "5.00", "7.00", "9.00"])),
        rees46("09:05:00", product=2, price="0.00", category=("999", "")),
        rees46("09:06:00", product=3, price="", category=("999", "")),
        rees46("09:07:00", product=4, price="3.00", category=("999", "")),
        rees46("09:08:00", product=5, price="0", category=("998", "garden.hose"), brand=""),
    ]
    report = imported(write(tmp_path / "log.csv", background() + mine), tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    price = {item: dataset.item(dataset.item_row(item)).price for item in "12345"}
    assert (price["1"], price["2"], price["3"], price["4"]) == (7.0, 3.0, 3.0, 3.0)
    assert price["5"] > 0
    assert (report.price_zero_rows, report.items_filled_price, report.items_several_prices) == (4, 3, 1)
    assert report.items_without_brand == 1
    assert "prices" in dataset.imputed
    assert validate(tmp_path / "set") == []


def test_categories_are_the_dotted_path_and_a_mere_id_is_a_branch_of_its_own(tmp_path: Path) -> None:
    late = rees46("09:00:00", product=1, category=("100", ""))  # its category has a path in other rows
    report = imported(write(tmp_path / "log.csv", [*background(), late]), tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    assert dataset.item(dataset.item_row("1")).l2 == "electronics.smartphone"
    unnamed = [dataset.item(i) for i in range(report.items_log) if dataset.item(i).l3 == "103"]
    assert len(unnamed) == report.items_category_unnamed > 0
    assert {(item.l1, item.l2) for item in unnamed} == {("103.1", "103.2")}
    names = {dataset.category(code).name for code in dataset.label_codes[:, 2].tolist()}
    assert names == {"Smartphone", "Smartphone 2", "Kettle", "Category 103", "Stationery"}


def test_sessions_are_cut_by_long_gaps_and_by_users_sharing_one(tmp_path: Path) -> None:
    mine = [
        rees46("09:00:00", product=1),
        rees46("09:10:00", product=2),
        rees46("09:41:00", product=3),
        rees46("09:41:10", product=4, user=8),
    ]
    source = write(tmp_path / "log.csv", background() + mine)
    report = imported(source, tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    entered = {
        name: [item for act, item, _ in acts(dataset, name) if act == "enter_detail"] for name in ("s1", "s1#2", "s1#3")
    }
    assert entered == {"s1": ["1", "2"], "s1#2": ["3"], "s1#3": ["4"]}
    assert report.split_by_user == 1
    assert report.sessions == report.log_sessions + report.split_by_user + report.split_by_gap
    assert imported(source, tmp_path / "wide", gap_minutes=60).split_by_gap < report.split_by_gap
    firsts = [next(s.timestamp for s in dataset.session(i).steps if not s.imputed) for i in range(dataset.n_sessions)]
    assert firsts == sorted(firsts)


def test_no_user_is_in_two_splits_and_earlier_sessions_are_history(tmp_path: Path) -> None:
    imported(write(tmp_path / "log.csv", background()), tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    splits: dict[int, set[str]] = {}
    for i in range(dataset.n_sessions):
        splits.setdefault(dataset.user_row(i), set()).add(dataset.split(i))
    assert all(len(found) == 1 for found in splits.values())
    last = {dataset.user_row(i): i for i in range(dataset.n_sessions)}
    assert any(len(dataset.history(i)[0]) for i in last.values())


def test_events_before_a_time_become_history(tmp_path: Path) -> None:
    mine = [rees46("00:00:01", "purchase", 1), rees46("00:00:02", "view", 2), rees46("03:59:00", "view", 3)]
    only_early = [rees46("00:00:03", "view", 2, user=9, session="s9")]
    source = write(tmp_path / "log.csv", background() + mine + only_early)
    report = imported(source, tmp_path / "set", history_until="2019-10-01T02:00:00Z")
    dataset = DataSet.open(tmp_path / "set")
    clicks, purchases = dataset.history(dataset.session_row("s1"))
    assert [dataset.item_id(i) for i in clicks] == ["2"]
    assert [dataset.item_id(i) for i in purchases] == ["1"]
    until = datetime(2019, 10, 1, 2, tzinfo=UTC)
    assert all(dataset.session(i).steps[-1].timestamp >= until for i in range(dataset.n_sessions))
    assert report.history_events > 100
    assert report.users_left_out >= 1
    assert validate(tmp_path / "set") == []


def test_a_taken_folder_is_left_alone_and_told_before_the_log_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "mine.txt").write_text("mine")
    with pytest.raises(DataError, match="exists"):
        imported(tmp_path / "nothing.csv", tmp_path / "set")
    assert files(tmp_path / "set") == {"mine.txt": b"mine"}


def test_an_interrupted_import_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    source = write(tmp_path / "log.csv", background())
    with pytest.raises(KeyboardInterrupt):
        imported(source, tmp_path / "set", stop)
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


def test_folders_are_searched_and_other_files_left_out(tmp_path: Path) -> None:
    rows = background()
    write(tmp_path / "log/2019/a.csv", rows[:100])
    write(tmp_path / "log/2019/b.csv.gz", rows[100:])
    write(tmp_path / "log/readme.csv", ["nothing,here"], "some,words")
    (tmp_path / "log/notes.md").write_text("not looked at")
    report = imported(tmp_path / "log", tmp_path / "set")
    assert (report.files, report.files_left_out) == (["a.csv", "b.csv.gz"], ["readme.csv"])
    assert report.file_rows == {"a.csv": 100, "b.csv.gz": 140}
    one = imported(write(tmp_path / "whole.csv", rows), tmp_path / "one")
    assert (report.events, report.sessions, report.steps) == (one.events, one.sessions, one.steps)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"gap_minutes": "0"}, "gap_minutes must be above 0"),
        ({"gap_minutes": "soon"}, "gap_minutes cannot be 'soon'"),
        ({"stray": 1.5}, "stray must be from 0 to 1"),
        ({"duplicates": "maybe"}, "duplicates must be one of drop, keep"),
        ({"latest": "tomorrow"}, "latest cannot be 'tomorrow'"),
        ({"time_zone": "Mars/Base"}, "no time zone 'Mars/Base'"),
        ({"dublicates": "drop"}, "no import rule 'dublicates'; there are bad_prices, "),
    ],
)
def test_rules_that_cannot_be_are_named(tmp_path: Path, rules: dict[str, Any], words: str) -> None:
    source = write(tmp_path / "log.csv", background())
    with pytest.raises(InputError, match=words):
        imported(source, tmp_path / "set", **rules)
    assert not (tmp_path / "set").exists()


def test_rules_are_read_from_texts_and_told_in_the_report(tmp_path: Path) -> None:
    rules = {"rates": "EUR:1.1, GBP:1.3", "missing": "none, -", "latest": "2020-01-01", "most_events": "50"}
    report = imported(write(tmp_path / "log.csv", background()), tmp_path / "set", **rules)
    assert report.settings["rates"] == {"EUR": 1.1, "GBP": 1.3}
    assert report.settings["missing"] == ["none", "-"]
    assert report.settings["latest"] == "2020-01-01T00:00:00+00:00"
    assert report.settings["most_events"] == 50
    assert report.settings["gap_minutes"] == 30.0
    assert report.settings["seed"] == 0
