import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from shopsim.benchmark_usb.rees46 import import_rees46, labels_of
from shopsim.benchmark_usb.replay_check import validate
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.human import replay
from shopsim.errors import DataError, InputError

HEADER = "event_time,event_type,product_id,category_id,category_code,brand,price,user_id,user_session"
REAL = Path(__file__).parents[2].parent / "shared/data/rees46/2019-Oct.csv.gz"

CATEGORIES = [
    ("100", "electronics.smartphone"),
    ("101", "electronics.smartphone"),
    ("102", "appliances.kitchen.kettle"),
    ("103", ""),
    ("104", "stationery"),
]


def row(
    time: str,
    kind: str = "view",
    product: int = 1,
    user: int = 7,
    session: str = "s1",
    price: str = "10.00",
    category: tuple[str, str] = CATEGORIES[0],
    brand: str = "acme",
) -> str:
    return f"2019-10-01 {time} UTC,{kind},{product},{category[0]},{category[1]},{brand},{price},{user},{session}"


def background() -> list[str]:
    """Rows of 120 products looked at by 30 users, hand-made: enough for feeds of 60."""
    rng = random.Random(0)
    rows = []
    for minute in range(240):
        product, user = rng.randrange(1000, 1120), rng.randrange(100, 130)
        time = f"{minute // 60:02d}:{minute % 60:02d}:{rng.randrange(60):02d}"
        category = CATEGORIES[product % len(CATEGORIES)]
        rows.append(row(time, "view", product, user, f"u{user}-{minute // 20}", f"{product / 10:.2f}", category))
    return rows


def write(path: Path, rows: list[str], header: str = HEADER, end: str = "\n") -> Path:
    text = "\n".join([header, *rows]) + end
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def acts(dataset: DataSet, session_id: str) -> list[tuple[str, str | None, bool]]:
    steps = dataset.session(dataset.session_row(session_id)).steps
    return [(s.action.label, s.item_id, s.imputed) for s in steps if "scroll" not in s.action.label]


def test_a_log_becomes_a_valid_set_whole(tmp_path: Path) -> None:
    source = write(tmp_path / "log.csv", background())
    done: list[tuple[int, int]] = []
    report = import_rees46(source, tmp_path / "set", progress=lambda *counts: done.append(counts))
    assert validate(tmp_path / "set") == []
    dataset = DataSet.open(tmp_path / "set")
    assert report.rows == report.events.total() == 240
    assert report.sessions == dataset.n_sessions == done[-1][0] == done[-1][1]
    assert (report.items, report.users) == (dataset.n_items, dataset.n_users)
    assert report.steps == sum(len(replay(dataset, i)) for i in range(dataset.n_sessions))
    assert report.longest_session == dataset.longest_session
    assert dataset.source == "imported"
    assert {"impressions", "scrolls", "leaving", "titles", "pictures"} <= dataset.imputed
    assert "prices" not in dataset.imputed
    assert dataset.user(0).age is dataset.user(0).gender is None
    stored = json.loads((tmp_path / "set" / "import_report.json").read_text())
    assert stored == json.loads(report.to_json())
    assert "240 rows" in str(report)


def test_gzip_column_order_more_columns_and_line_ends_make_no_difference(tmp_path: Path) -> None:
    rows = background()
    import_rees46(write(tmp_path / "log.csv", rows), tmp_path / "plain")
    import_rees46(write(tmp_path / "log.csv.gz", rows), tmp_path / "gzip")
    turned = [",".join(["x", *reversed(r.split(","))]) for r in rows]
    other = "more," + ",".join(reversed(HEADER.split(",")))
    (tmp_path / "other").mkdir()
    import_rees46(write(tmp_path / "other/log.csv", turned, other, end=""), tmp_path / "turned")
    (tmp_path / "dos").mkdir()
    (tmp_path / "dos/log.csv").write_bytes("\r\n".join(["\ufeff" + HEADER, *rows, ""]).encode())
    import_rees46(tmp_path / "dos/log.csv", tmp_path / "crlf")
    plain = files(tmp_path / "plain")
    assert plain.keys() == files(tmp_path / "gzip").keys()
    for name in ("gzip", "turned", "crlf"):
        tables = {k: v for k, v in files(tmp_path / name).items() if k.endswith(".parquet")}
        assert tables
        assert tables == {k: plain[k] for k in tables}


def test_the_same_import_writes_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    source = write(tmp_path / "log.csv", background())
    import_rees46(source, tmp_path / "here", seed=3)
    code = "import sys; from shopsim.benchmark_usb.rees46 import import_rees46; import_rees46(*sys.argv[1:], seed=3)"
    command = [sys.executable, "-c", code, str(source), str(tmp_path / "there")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "77"})
    assert files(tmp_path / "here") == files(tmp_path / "there")
    import_rees46(source, tmp_path / "other", seed=4)
    assert files(tmp_path / "here")["sessions.parquet"] != files(tmp_path / "other")["sessions.parquet"]


def test_views_carts_and_purchases_become_steps(tmp_path: Path) -> None:
    mine = [
        row("09:00:00", "view", 1),
        row("09:00:30", "view", 1),
        row("09:01:00", "cart", 1),
        row("09:02:00", "view", 2),
        row("09:03:00", "purchase", 1),
        row("09:04:00", "purchase", 3),
    ]
    source = write(tmp_path / "log.csv", background() + mine)
    report = import_rees46(source, tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    recorded_and_visits = [act for act in acts(dataset, "s1") if act[0] not in ("back", "terminate")]
    assert recorded_and_visits == [
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


def test_dirt_is_dropped_and_counted_with_its_lines(tmp_path: Path) -> None:
    good = background()
    bad = [
        row("09:00:00").replace("2019-10-01", "yesterday"),  # line 242
        row("09:00:00", kind="wish"),
        row("09:00:00").replace(",1,100,", ",one,100,"),
        row("09:00:00", category=("", "")),
        row("09:00:00", price="-3"),
        row("09:00:00", price="cheap"),
        row("09:00:00").replace(",7,s1", ",me,s1"),
        row("09:00:00", session=""),
        "",
        "2019-10-01 09:00:00 UTC,view,1",
        row("09:00:00") + ",more",
        row("09:00:00", kind="remove_from_cart"),
        good[5],
        good[5],
    ]
    report = import_rees46(write(tmp_path / "log.csv", good + bad), tmp_path / "set")
    assert report.rows == 254
    assert report.bad_rows == {
        "event_time is not like 2019-10-01 00:00:00 UTC": 2,
        "event_type is none of view, cart, purchase": 1,
        "product_id is not a number": 1,
        "category_id is not a number": 1,
        "price is not a number of 0 or more": 2,
        "user_id is not a number": 1,
        "user_session is empty": 1,
        "has 3 fields, the header has 9": 1,
        "has 10 fields, the header has 9": 1,
    }
    assert report.bad_row_examples[0] == (242, "event_time is not like 2019-10-01 00:00:00 UTC")
    assert [line for line, _ in report.bad_row_examples] == [242, 243, 244, 245, 246]
    assert report.without_counterpart == {"remove_from_cart": 1}
    assert report.duplicates == 2
    dropped = report.bad_rows.total() + report.without_counterpart.total() + report.duplicates
    assert report.rows == report.events.total() + dropped
    assert "line 242: event_time" in str(report)


def test_items_get_median_prices_and_their_category_fills_what_is_missing(tmp_path: Path) -> None:
    mine = [
        *(row(f"09:0{i}:00", price=price) for i, price in enumerate(["0", "5.00", "7.00", "9.00"])),
        row("09:05:00", product=2, price="0.00", category=("999", "")),
        row("09:06:00", product=3, price="", category=("999", "")),
        row("09:07:00", product=4, price="3.00", category=("999", "")),
        row("09:08:00", product=5, price="0", category=("998", "garden.hose"), brand=""),
    ]
    report = import_rees46(write(tmp_path / "log.csv", background() + mine), tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    price = {item: dataset.item(dataset.item_row(item)).price for item in "12345"}
    assert (price["1"], price["2"], price["3"], price["4"]) == (7.0, 3.0, 3.0, 3.0)
    assert price["5"] > 0
    assert (report.price_zero_rows, report.items_filled_price, report.items_several_prices) == (4, 3, 1)
    assert report.items_without_brand == 1
    assert "prices" in dataset.imputed
    assert validate(tmp_path / "set") == []


def test_categories_are_the_dotted_path_and_missing_ones_stay_missing(tmp_path: Path) -> None:
    assert labels_of("5", "a.b.c") == ("a", "a.b", "a.b.c")
    assert labels_of("5", "a.b") == ("a", "a.b", "5")
    assert labels_of("5", "a") == ("a", None, None)
    assert labels_of("5", "") == (None, None, None)
    assert labels_of("5", "a.b.c.d") == ("a", "a.b", "a.b.c.d")
    late = row("09:00:00", product=1, category=("100", ""))  # its category has a path in other rows
    report = import_rees46(write(tmp_path / "log.csv", [*background(), late]), tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    assert dataset.item(dataset.item_row("1")).l2 == "electronics.smartphone"
    without = [dataset.label_codes[i].tolist() for i in range(dataset.n_items) if dataset.item(i).l1 is None]
    assert len(without) == report.items_without_category > 0
    assert without == [[-1, -1, -1]] * len(without)
    names = {dataset.category(code).name for code in dataset.label_codes[:, 2].tolist() if code >= 0}
    assert names == {"Smartphone", "Smartphone 2", "Kettle"}


def test_sessions_are_cut_by_long_gaps_and_by_users_sharing_one(tmp_path: Path) -> None:
    mine = [
        row("09:00:00", product=1),
        row("09:10:00", product=2),
        row("09:41:00", product=3),
        row("09:41:10", product=4, user=8),
    ]
    source = write(tmp_path / "log.csv", background() + mine)
    report = import_rees46(source, tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    entered = {
        name: [item for act, item, _ in acts(dataset, name) if act == "enter_detail"] for name in ("s1", "s1#2", "s1#3")
    }
    assert entered == {"s1": ["1", "2"], "s1#2": ["3"], "s1#3": ["4"]}
    assert report.split_by_user == 1
    assert report.sessions == report.log_sessions + report.split_by_user + report.split_by_gap
    assert import_rees46(source, tmp_path / "wide", gap_minutes=60).split_by_gap < report.split_by_gap
    starts = [dataset.session(i).started_at for i in range(dataset.n_sessions)]
    firsts = [next(s.timestamp for s in dataset.session(i).steps if not s.imputed) for i in range(dataset.n_sessions)]
    assert firsts == sorted(firsts)
    assert all(start <= first for start, first in zip(starts, firsts, strict=True))


def test_no_user_is_in_two_splits_and_earlier_sessions_are_history(tmp_path: Path) -> None:
    import_rees46(write(tmp_path / "log.csv", background()), tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    splits: dict[int, set[str]] = {}
    for i in range(dataset.n_sessions):
        splits.setdefault(dataset.user_row(i), set()).add(dataset.split(i))
    assert all(len(found) == 1 for found in splits.values())
    last = {dataset.user_row(i): i for i in range(dataset.n_sessions)}
    assert any(len(dataset.history(i)[0]) for i in last.values())


def test_events_before_a_time_become_history(tmp_path: Path) -> None:
    mine = [row("00:00:01", "purchase", 1), row("00:00:02", "view", 2), row("03:59:00", "view", 3)]
    only_early = [row("00:00:03", "view", 2, user=9, session="s9")]
    source = write(tmp_path / "log.csv", background() + mine + only_early)
    until = datetime(2019, 10, 1, 2, tzinfo=UTC)
    report = import_rees46(source, tmp_path / "set", history_until=until)
    dataset = DataSet.open(tmp_path / "set")
    session = dataset.session_row("s1")
    clicks, purchases = dataset.history(session)
    assert [dataset.item_id(i) for i in clicks] == ["2"]
    assert [dataset.item_id(i) for i in purchases] == ["1"]
    assert all(dataset.session(i).steps[-1].timestamp >= until for i in range(dataset.n_sessions))
    assert report.history_events > 100
    assert report.users_left_out >= 1
    assert validate(tmp_path / "set") == []


def _cut_gzip(path: Path) -> None:
    write(path, background())
    path.write_bytes(path.read_bytes()[:-400])


def _bad_utf8(path: Path) -> None:
    text = write(path, background()).read_bytes().replace(b"acme", b"ac\xffe", 3)
    path.write_bytes(text)


@pytest.mark.parametrize(
    ("name", "make", "cause"),
    [
        ("log.csv", lambda path: None, r"log\.csv: cannot be opened \(No such file"),
        ("log.csv", lambda path: path.mkdir(), r"log\.csv: cannot be opened \(Is a directory"),
        ("log.csv", lambda path: path.write_text(""), r"log\.csv: is empty"),
        ("log.csv.gz", lambda path: path.write_bytes(gzip.compress(b"")), r"log\.csv\.gz: is empty"),
        ("log.csv.gz", lambda path: path.write_text("a,b\n"), "is named .gz but is not gzip"),
        ("log.csv.gz", _cut_gzip, r"log\.csv\.gz line \d+: the gzip stream ends early"),
        ("log.csv", lambda path: write(path, []), "holds no usable event"),
        ("log.csv", lambda path: write(path, ["", "x"]), r"holds no usable event \(rows 2, bad 2\)"),
        (
            "log.csv",
            lambda path: write(path, background(), HEADER.replace("brand,price", "maker,cost")),
            r"log\.csv line 1: the header lacks brand, price",
        ),
        ("log.csv", _bad_utf8, r"log\.csv line 2: is not UTF-8 text"),
        ("log.csv", lambda path: write(path, [*background(), row("09:00:00")[:40]], end=""), "line 242: the file ends"),
        ("log.csv", lambda path: write(path, [UUID_ROW, UUID_ROW[:-4]], end=""), "line 3: the file ends inside"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_clear_line_and_leaves_nothing(
    tmp_path: Path, name: str, make: Callable[[Path], None], cause: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    make(folder / name)
    with pytest.raises(DataError, match=cause) as caught:
        import_rees46(folder / name, tmp_path / "out" / "set")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


UUID_ROW = row("09:00:00", session="6280d577-25c8-4147-99a7-abc6048498d6")


def test_a_whole_last_line_without_a_break_is_kept(tmp_path: Path) -> None:
    report = import_rees46(write(tmp_path / "log.csv", [*background(), UUID_ROW, UUID_ROW], end=""), tmp_path / "set")
    assert report.rows == 242


def test_a_taken_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "mine.txt").write_text("mine")
    with pytest.raises(DataError, match="exists"):
        import_rees46(write(tmp_path / "log.csv", background()), tmp_path / "set")
    assert files(tmp_path / "set") == {"mine.txt": b"mine"}
    with pytest.raises(DataError, match="exists"):  # before the log is looked for
        import_rees46(tmp_path / "nothing.csv", tmp_path / "set")


def test_an_interrupted_import_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    source = write(tmp_path / "log.csv", background())
    with pytest.raises(KeyboardInterrupt):
        import_rees46(source, tmp_path / "set", progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


@pytest.mark.parametrize(("option", "value"), [("gap_minutes", 0), ("stray", 1.5), ("seen_per_opened", 1.0)])
def test_options_out_of_range_are_named(tmp_path: Path, option: str, value: float) -> None:
    source = write(tmp_path / "log.csv", background())
    with pytest.raises(InputError, match=option):
        import_rees46(source, tmp_path / "set", **{option: value})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason=f"the real log is not here: {REAL}")
def test_the_real_log_imports_clean_and_gives_nothing_away(tmp_path: Path) -> None:
    report = import_rees46(REAL, tmp_path / "set")
    assert validate(tmp_path / "set") == []
    assert (report.rows, report.duplicates, report.bad_rows.total()) == (10_384, 4, 0)
    assert report.tells is not None
    assert max(*report.tells.pooled.values(), *report.tells.within.values()) <= 0.6
    assert report.balanced
    assert 5 < report.steps / report.sessions < 25
