"""What real logs do, each counted: small hand-made rows of a plain log."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.importing import import_log
from shopsim.benchmark_usb.importers.log_format import FileShape, LogFormat
from shopsim.benchmark_usb.replay_check import validate
from shopsim.data import DataSet
from tests.benchmark_usb.importers.logs import PLAIN, acts, plain, recorded

COLUMNS = "time,item,user,session,kind,price"


def load(
    tmp_path: Path, *rows: str, log: LogFormat = PLAIN, columns: str = COLUMNS, **rules: Any
) -> tuple[DataSet, ImportReport]:
    """The set made of these rows, which must be valid and whose report must add up."""
    out = tmp_path / f"set{len(list(tmp_path.iterdir()))}"
    report = import_log(log, [plain(tmp_path, *rows, columns=columns)], out, log.settings.changed(rules))
    assert validate(out) == []
    dropped = report.bad_rows.total() + report.without_counterpart.total()
    dropped += report.duplicates if report.settings["duplicates"] == "drop" else 0
    assert report.rows == report.events.total() + dropped
    in_sessions = report.steps_recorded.total() + report.no_effect.total()
    assert report.events.total() == in_sessions + report.history_events + report.bot_events + report.empty_sessions
    return DataSet.open(out), report


def row(time: str = "09:00:00", item: str = "1", user: str = "u", session: str = "s", more: str = "view,5.00") -> str:
    return f"2024-05-01 {time},{item},{user},{session},{more}"


def test_exact_duplicates_are_dropped_or_kept(tmp_path: Path) -> None:
    rows = [row(), row(), row("09:00:05"), row(more="view,6.00"), row()]
    _, report = load(tmp_path, *rows)
    assert (report.duplicates, report.events.total()) == (2, 3)
    _, report = load(tmp_path, *rows, duplicates="keep")
    assert (report.duplicates, report.events.total()) == (2, 5)


def test_further_columns_can_tell_rows_apart(tmp_path: Path) -> None:
    log = replace(PLAIN, events=replace(PLAIN.events, also=("part",)))
    rows = [row() + ",a", row() + ",b", row() + ",a"]
    _, report = load(tmp_path, *rows, log=log, columns=COLUMNS + ",part")
    assert report.duplicates == 1


def test_several_events_in_a_second_keep_their_order(tmp_path: Path) -> None:
    dataset, report = load(tmp_path, row(item="3"), row(item="1"), row(item="2"), row("09:00:01", "4"))
    assert recorded(dataset, "s") == [("enter_detail", item) for item in "3124"]
    assert report.same_second == 2


def test_time_that_runs_backwards_is_sorted(tmp_path: Path) -> None:
    rows = [row("09:02:00", "2"), row("09:01:00", "1"), row("09:03:00", "3")]
    dataset, report = load(tmp_path, *rows)
    assert recorded(dataset, "s") == [("enter_detail", item) for item in "123"]
    assert report.backwards == 1


def test_missing_category_and_brand_stay_missing(tmp_path: Path) -> None:
    log = replace(PLAIN, events=replace(PLAIN.events, category=("l1", "l2"), brand="brand"))
    rows = [
        row(item="1") + ",toys,dolls,acme",
        row(item="2") + ",toys,,(not set)",
        row(item="3") + ",(not set),dolls,NULL",
    ]
    dataset, report = load(tmp_path, *rows, log=log, columns=COLUMNS + ",l1,l2,brand")
    items = [dataset.item(dataset.item_row(item)) for item in "123"]
    assert [(item.l1, item.l2, item.l3, item.brand) for item in items] == [
        ("toys", "toys > dolls", None, "Acme"),
        ("toys", None, None, None),
        (None, None, None, None),
    ]
    assert (report.items_without_category, report.items_without_brand) == (1, 2)
    assert report.missing == {"brand": 2, "category": 2}


def test_prices_at_zero_below_and_of_no_number_are_unknown(tmp_path: Path) -> None:
    rows = [row(item="1", more=f"view,{price}") for price in ("0", "-3", "cheap", "", "8.00")]
    rows += [row(item="2", more="view,-1")]
    dataset, report = load(tmp_path, *rows)
    assert [dataset.item(dataset.item_row(item)).price for item in "12"] == [8.0, 8.0]
    assert (report.price_zero_rows, report.price_negative_rows, report.price_odd_rows) == (2, 2, 1)
    assert report.items_filled_price == 1
    _, report = load(tmp_path, *rows, bad_prices="drop")
    assert report.bad_rows == {"price is not a number": 1, "price is below 0": 2}


def test_prices_in_millionths_are_told_and_divided(tmp_path: Path) -> None:
    rows = [row(item=str(i), more=f"view,{(10 + i) * 990_000}") for i in range(6)]
    dataset, report = load(tmp_path, *rows)
    assert dataset.item(dataset.item_row("2")).price == 11.88
    assert report.price_micros_rows == 6
    dataset, report = load(tmp_path, *rows, price_unit="units")
    assert (dataset.item(dataset.item_row("2")).price, report.price_micros_rows) == (11_880_000.0, 0)
    dear = [row(item=str(i), more=f"view,{1_500_000 + i}") for i in range(6)]
    assert load(tmp_path, *dear)[1].price_micros_rows == 0


def test_mixed_currencies_are_converted_or_unknown(tmp_path: Path) -> None:
    rows = [row(item="1", more="view,$10"), row(item="2", more="view,$20"), row(item="3", more='view,"8,00 €"')]
    dataset, report = load(tmp_path, *rows)
    assert dataset.currency == "USD"
    assert report.currencies == {"USD": 2, "EUR": 1}
    assert report.other_currency == {"EUR": 1}
    assert report.items_filled_price == 1
    dataset, report = load(tmp_path, *rows, rates="EUR:1.25")
    assert dataset.item(dataset.item_row("3")).price == 10.0
    assert (report.converted, report.items_filled_price) == ({"EUR": 1}, 0)
    dataset, report = load(tmp_path, *rows, currency="EUR")
    assert (dataset.currency, report.other_currency) == ("EUR", {"USD": 2})
    log = replace(PLAIN, events=replace(PLAIN.events, currency="money"))
    told = [row(item="1") + ",eur", row(item="2") + ",gbp", row(item="3") + ",EUR"]
    assert load(tmp_path, *told, log=log, columns=COLUMNS + ",money")[1].currencies == {"EUR": 2, "GBP": 1}


def test_a_currency_that_nobody_tells_is_marked(tmp_path: Path) -> None:
    assert "currency" in load(tmp_path, row())[0].imputed
    assert "currency" not in load(tmp_path, row(more="view,$5"))[0].imputed


def test_float_ids_are_mended_or_kept(tmp_path: Path) -> None:
    rows = [row(item="12.0", user="7.0"), row("09:01:00", item="12", user="7")]
    dataset, report = load(tmp_path, *rows)
    assert report.float_ids == {"item": 1, "user": 1}
    assert (report.items_log, report.users) == (1, 1)
    assert recorded(dataset, "s") == [("enter_detail", "12")]
    assert load(tmp_path, *rows, float_ids="keep")[1].items_log == 2


def test_ids_ruined_by_a_spreadsheet_are_dropped_or_kept(tmp_path: Path) -> None:
    rows = [row(item="1.23E+08"), row(item="1.23456789E+08"), row(item="5", user="1.2E+15"), row(item="6")]
    dataset, report = load(tmp_path, *rows)
    assert report.bad_rows == {
        "item is an id ruined by a spreadsheet": 1,
        "user is an id ruined by a spreadsheet": 1,
    }
    assert recorded(dataset, "s") == [("enter_detail", "123456789"), ("enter_detail", "6")]
    _, report = load(tmp_path, *rows, ruined_ids="keep")
    assert report.ruined_ids == {"item": 1, "user": 1}


def test_not_set_means_nothing(tmp_path: Path) -> None:
    rows = [
        row(item="(not set)"),
        row(item="2", user="null", session="x"),
        row(item="3", session="(not set)"),
        row(item="4", user="N/A", session=""),
        row(item="5", user="v"),
    ]
    dataset, report = load(tmp_path, *rows)
    assert report.bad_rows == {"item is missing": 1, "user and session are missing": 1}
    assert report.missing == {"user": 1, "session": 1}
    assert {dataset.session_id(i) for i in range(dataset.n_sessions)} == {"x", "user u", "s"}
    assert dataset.user(dataset.user_row(dataset.session_row("x"))).user_id == "session x"


def test_one_session_id_with_two_users_is_two_sessions(tmp_path: Path) -> None:
    dataset, report = load(tmp_path, row(item="1"), row("09:00:10", "2", user="v"), row("09:00:20", "3"))
    assert recorded(dataset, "s") == [("enter_detail", "1"), ("enter_detail", "3")]
    assert recorded(dataset, "s#2") == [("enter_detail", "2")]
    assert report.split_by_user == 1


def test_sessions_of_weeks_are_cut(tmp_path: Path) -> None:
    rows = [f"2024-05-{day:02d} 09:00:00,{day},u,s,view,5" for day in range(1, 29)]
    _, report = load(tmp_path, *rows)
    assert (report.sessions, report.split_by_gap, report.log_sessions_of_days) == (28, 27, 1)


def test_machines_are_dropped(tmp_path: Path) -> None:
    rows = [row("10:00:00", str(i), "bot", "b") for i in range(3000)]
    dataset, report = load(tmp_path, row(item="1"), *rows)
    assert (report.bot_sessions, report.bot_events, dataset.n_sessions) == (1, 3000, 1)
    few = rows[:200]
    assert load(tmp_path, *few, most_per_minute=0)[1].bot_sessions == 0


def test_purchases_never_viewed_get_a_visit(tmp_path: Path) -> None:
    dataset, report = load(tmp_path, row(more="buy,5"))
    assert [act for act in acts(dataset, "s") if act[0] != "back"] == [
        ("enter_detail", "1", True),
        ("purchase", "1", False),
        ("terminate", None, True),
    ]
    assert (report.visits_imputed, report.purchases_without_cart) == (1, 1)


def test_a_recorded_leaving_is_the_end(tmp_path: Path) -> None:
    rows = [row(), row("09:05:00", "", more="leave,"), row("09:00:00", "", "v", "t", more="leave,")]
    dataset, report = load(tmp_path, *rows)
    assert acts(dataset, "s")[-1] == ("terminate", None, False)
    assert dataset.session(0).steps[-1].timestamp == datetime(2024, 5, 1, 9, 5, tzinfo=UTC)
    assert report.empty_sessions == 1


def test_a_last_line_cut_off_is_dropped(tmp_path: Path) -> None:
    path = plain(tmp_path, row(), row("09:01:00", "2"))
    path.write_bytes(path.read_bytes() + b"2024-05-01 09:02:00,3,u")
    report = import_log(PLAIN, [path], tmp_path / "set")
    assert report.bad_rows == {"is cut off at the end of the file": 1}
    assert (report.rows, report.events.total()) == (3, 2)


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("gbk", "gb18030"), ("utf-8-sig", "utf-8+bom"), ("utf-16", "utf-16+bom")],
)
def test_texts_of_other_encodings(tmp_path: Path, encoding: str, told: str) -> None:
    log = replace(PLAIN, events=replace(PLAIN.events, title="title"), shape=FileShape(encodings=("utf-8", "gb18030")))
    lines = "\r\n".join([COLUMNS + ",title", row() + ",红色水壶", row("09:01:00", "2") + ",茶杯"]) + "\r\n"
    (tmp_path / "log.csv").write_bytes(lines.encode(encoding))
    report = import_log(log, [tmp_path / "log.csv"], tmp_path / "set")
    dataset = DataSet.open(tmp_path / "set")
    assert dataset.titles([dataset.item_row("1"), dataset.item_row("2")]) == ["红色水壶", "茶杯"]
    assert report.encodings == [f"log.csv: {told}"]
    assert (report.items_titled, "titles" in dataset.imputed) == (2, False)


def test_quoted_line_breaks_and_line_separators_in_titles_become_spaces(tmp_path: Path) -> None:
    log = replace(PLAIN, events=replace(PLAIN.events, title="title"))
    rows = [row(item="1") + ',"Tea\nkettle, ""red"""', row(item="2") + ",Tea\u2028cup", row(item="3") + ",Mug"]
    dataset, report = load(tmp_path, *rows, log=log, columns=COLUMNS + ",title")
    rows_of = [dataset.item_row(item) for item in "123"]
    assert dataset.titles(rows_of) == ['Tea kettle, "red"', "Tea cup", "Mug"]
    assert (report.mended_texts, report.line_breaks) == ({"title": 2}, 1)


def test_mixed_time_zones_are_each_taken_by_their_own(tmp_path: Path) -> None:
    rows = [
        "2024-05-01 09:00:00,1,u,s,view,5",
        "2024-05-01T01:01:00Z,2,u,s,view,5",
        "2024-04-30T21:02:00-04:00,3,u,s,view,5",
        "1714525380,4,u,s,view,5",
    ]
    dataset, report = load(tmp_path, *rows, time_zone="Asia/Shanghai")
    assert report.time_zones == {"none": 1, "utc": 1, "offset": 1, "unix": 1}
    times = [step.timestamp for step in dataset.session(0).steps if not step.imputed]
    assert times == [datetime(2024, 5, 1, 1, minute, tzinfo=UTC) for minute in range(4)]


def test_times_outside_a_window_or_unreadable_are_dropped(tmp_path: Path) -> None:
    rows = [row(), "soon,1,u,s,view,5", "2031-01-01 00:00:00,1,u,s,view,5", "1999-01-01 00:00:00,1,u,s,view,5"]
    _, report = load(tmp_path, *rows, earliest="2024-01-01", latest="2025-01-01")
    assert report.bad_rows == {"time cannot be read": 1, "time is outside the log's own": 2}
    assert report.bad_row_examples == [
        ("log.csv", 3, "time cannot be read"),
        ("log.csv", 4, "time is outside the log's own"),
        ("log.csv", 5, "time is outside the log's own"),
    ]


def test_kinds_without_a_counterpart_and_unknown_ones_are_told_apart(tmp_path: Path) -> None:
    _, report = load(tmp_path, row(), row(more="FAV,5"), row(more="wish,5"), row(more="View,6"))
    assert report.without_counterpart == {"fav": 1}
    assert report.bad_rows == {"kind of event is none of view, cart, buy, leave": 1}
    assert report.events["view"] == 2


def test_numbers_can_be_asked_of_ids(tmp_path: Path) -> None:
    _, report = load(
        tmp_path, row(user="1"), row(item="one", user="1"), row(user="me"), log=replace(PLAIN, numeric_ids=True)
    )
    assert report.bad_rows == {"item is not a number": 1, "user is not a number": 1}
