"""Each importer on hand-made rows of its log's shape, and on real rows where they are here."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.importing import import_log
from shopsim.benchmark_usb.importers.kinds import KINDS
from shopsim.benchmark_usb.importers.mapping_file import read_mapping
from shopsim.benchmark_usb.replay_check import validate
from shopsim.data import DataSet
from tests.benchmark_usb.importers.logs import acts, recorded, write

REAL = Path(__file__).parents[3].parent / "shared/data"


def load(kind: str, out: Path, *files: Path) -> tuple[DataSet, ImportReport]:
    report = import_log(KINDS[kind], list(files), out)
    assert validate(out) == []
    return DataSet.open(out), report


def test_jdata_has_three_kinds_of_file(tmp_path: Path) -> None:
    rows = [
        "266079.0,138778,2016-01-31 23:59:02,,1,8,403",
        "266079.0,138778,2016-01-31 23:59:03,0,6,8,403",
        "266079.0,138778,2016-01-31 23:59:03,0,6,8,403",
        "266079.0,138778,2016-01-31 23:59:03,111,6,8,403",
        "266079.0,138778,2016-02-01 00:00:10,,2,8,403",
        "266079.0,138778,2016-02-01 00:00:20,,5,8,403",
        "266079.0,138778,2016-02-01 00:00:30,,4,8,403",
        "266079.0,61226,2016-02-01 00:00:40,,3,8,30",
        "200719.0,61226,2016-02-01 00:01:00,,1,8,30",
    ]
    action = write(tmp_path / "JData_Action_201602.csv", rows, "user_id,sku_id,time,model_id,type,cate,brand")
    users = ["266079,26-35岁,1,5,2016-01-26", "200719,-1,2,1,2016-01-26", "5,56岁以上,0,2,2016-01-26"]
    user = write(tmp_path / "JData_User.csv", users, "user_id,age,sex,user_lv_cd,user_reg_tm", encoding="gbk")
    product = write(tmp_path / "JData_Product.csv.gz", ["138778,3,1,1,8,489"], "sku_id,a1,a2,a3,cate,brand")
    dataset, report = load("jdata", tmp_path / "set", user, product, action)
    assert recorded(dataset, "266079") == [
        ("enter_detail", "138778"),
        ("add_to_cart", "138778"),
        ("purchase", "138778"),
    ]
    assert (report.duplicates, report.rows) == (1, 9)
    assert report.without_counterpart == {"5": 1, "3": 1}
    assert report.no_effect == {"view of the item already open": 2}
    assert report.encodings == ["JData_User.csv: gb18030"]
    assert report.ages == {"band": 1, "unknown": 1}
    profiles = {dataset.user(i).user_id: (dataset.user(i).age, dataset.user(i).gender) for i in range(2)}
    assert profiles == {"266079": (30, "female"), "200719": (None, None)}
    # China's midnight; the product table goes before the events.
    first = dataset.session(dataset.session_row("266079"))
    assert next(s.timestamp for s in first.steps if not s.imputed).isoformat() == "2016-01-31T15:59:02+00:00"
    item = dataset.item(dataset.item_row("138778"))
    assert (item.brand, item.l1, item.l2) == ("Brand 489", "8", None)
    assert (dataset.currency, "ages" in dataset.imputed, "prices" in dataset.imputed) == ("CNY", True, True)


def test_taobao_has_neither_header_nor_sessions(tmp_path: Path) -> None:
    rows = [
        "1,2268318,2520377,pv,1511544070",
        "1,2333346,2520771,cart,1511544100",
        "1,2268318,2520377,buy,1511553000",
        "1,2268318,2520377,fav,1511553001",
        "2,5,2520377,pv,1511000000",
        "2,2268318,2520377,pv,151154",
    ]
    dataset, report = load("taobao", tmp_path / "set", write(tmp_path / "UserBehavior.csv", rows, "", end=""))
    assert (report.sessions, report.log_sessions, report.split_by_gap) == (2, 1, 1)
    assert recorded(dataset, "1") == [("enter_detail", "2268318"), ("add_to_cart", "2333346")]
    assert recorded(dataset, "1#2") == [("purchase", "2268318")]
    assert report.bad_rows == {"time is outside the log's own": 1, "is cut off at the end of the file": 1}
    assert report.without_counterpart == {"fav": 1}
    assert report.items_category_unnamed == 2


def test_otto_is_json_with_lists_inside(tmp_path: Path) -> None:
    first = [(1517085, 0, "clicks"), (1563459, 104_486, "clicks"), (1563459, 2_600_000_000, "carts")]
    second = [(16246, 500, "orders")]
    lines = [
        json.dumps({"session": n, "events": [{"aid": a, "ts": 1659304800025 + t, "type": k} for a, t, k in events]})
        for n, events in ((0, first), (7, second))
    ]
    path = tmp_path / "sessions.jsonl"
    path.write_text("\n".join([*lines, '{"session": 8, "eve']), encoding="utf-8")
    dataset, report = load("otto", tmp_path / "set", path)
    assert recorded(dataset, "0") == [("enter_detail", "1517085"), ("enter_detail", "1563459")]
    assert recorded(dataset, "0#2") == [("add_to_cart", "1563459")]
    assert recorded(dataset, "7") == [("purchase", "16246")]
    assert (report.log_sessions_of_days, report.bad_rows.total()) == (1, 1)
    assert (dataset.user(dataset.user_row(0)).user_id, dataset.currency) == ("0", "EUR")


TRANSACTIONS = {
    "household_id": [900, 900, 900, 12],
    "store_id": [330] * 4,
    "basket_id": [31198570044, 31198570044, 31198570047, 31198655051],
    "product_id": [1095275, 9878513, 1095275, 1041453],
    "quantity": [1, 2, 1, 0],
    "sales_value": [0.5, 1.98, 0.5, 0.0],
    "retail_disc": [0.1, 0.2, 0.1, 0.0],
    "coupon_disc": [0.0] * 4,
    "coupon_match_disc": [0.0, 0.02, 0.0, 0.0],
    "week": [1] * 4,
    "transaction_timestamp": [f"2017-01-01 {t}" for t in ("11:53:26", "11:53:26", "12:10:28", "12:26:30")],
}
PRODUCTS = {
    "product_id": [1095275, 9878513, 1041453, 5],
    "manufacturer_id": [2, 69, 69, 1],
    "department": ["GROCERY", "PASTRY", "MISCELLANEOUS", "X"],
    "brand": ["National", "Private", "Private", "National"],
    "product_category": ["CHEESES", "BREAD", None, "Y"],
    "product_type": ["CHEDDAR", "ITALIAN", None, "Z"],
    "package_size": ["8 OZ", None, None, "1"],
}


@pytest.mark.parametrize("parquet", [True, False])
def test_complete_journey_is_baskets_of_purchases(tmp_path: Path, parquet: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name, columns in (
        ("transactions", TRANSACTIONS),
        ("products", PRODUCTS),
        ("demographics", {"household_id": [900], "age": ["45-54"], "income": ["35-49K"]}),
        ("coupons", {"coupon_upc": [1]}),
    ):
        if parquet:
            table = pa.table(columns)
            if name == "transactions":
                times = table["transaction_timestamp"].cast(pa.timestamp("ns"))
                table = table.set_column(10, "transaction_timestamp", times)
            pq.write_table(table, folder / f"{name}.parquet")
        else:
            rows = zip(*columns.values(), strict=True)
            lines = [",".join("" if value is None else str(value) for value in row) for row in rows]
            write(folder / f"{name}.csv", lines, ",".join(columns))
    dataset, report = load("complete_journey", tmp_path / "set", folder)
    assert recorded(dataset, "31198570044") == [("purchase", "1095275"), ("purchase", "9878513")]
    assert (report.sessions, report.visits_imputed, report.purchases_without_cart) == (3, 4, 4)
    assert [name.split(".")[0] for name in report.files_left_out] == ["coupons"]
    items = {item: dataset.item(dataset.item_row(item)) for item in ("1095275", "9878513", "1041453")}
    assert (items["1095275"].price, items["9878513"].price) == (0.6, 1.1)
    assert items["1095275"].title == "Cheddar 8 oz"
    assert items["1095275"].l3 == "GROCERY > CHEESES > CHEDDAR"
    assert items["1095275"].picture.archetype == "cheese"
    assert (items["1041453"].l1, items["1041453"].l2) == ("MISCELLANEOUS", None)
    assert dataset.user(dataset.user_row(dataset.session_row("31198570044"))).age == 49
    assert report.bot_sessions == 0


def opera(kind: str, second: int, click: str = "", **more: object) -> dict[str, str | None]:
    session = "7f0c_2025-04-03T01:00:00Z_2025-04-03T02:00:00Z"
    row: dict[str, str | None] = {
        "session_id": session, "action_id": f"a{second}", "timestamp": f"2025-04-03T01:00:{second:02d}.719Z",
        "action_type": kind, "click_type": click or None, "semantic_id": None, "mouse_position": None,
        "element_meta": None, "url": "https://x", "window_size": None, "page_meta": None, "simplified_html": "<p>",
        "rationale": None, "products": None, "input_text": None, "image": None,
    }  # fmt: skip
    return row | {key: value if isinstance(value, str) else json.dumps(value) for key, value in more.items()}


def test_opera_has_reasons_personas_and_its_own_leaving(tmp_path: Path) -> None:
    lamp = {"asin": "B00X4WHP5E", "title": "Desk\u2028Lamp", "price": "$24.99"}
    bulb = {"asin": "B0BULB0001", "title": "Bulb", "price": "$5.00", "quantity": 2}
    rows = [
        opera("input", 1, input_text="lamp"),
        opera("click", 2, "search"),
        opera("click", 3, "product_link", products=[lamp], rationale="looks bright"),
        opera("click", 4, "review"),
        opera("click", 5, "purchase", products=[lamp], semantic_id="buybox.add_to_cart"),
        opera("click", 6, "product_link", products="not json"),
        opera("click", 7, "purchase", products=[lamp, bulb], element_meta={"name": "proceed to checkout"}),
        opera("terminate", 9),
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "action.parquet")
    persona = {"user_id": "7f0c", "survey": "{}", "interview_transcript_processed": "Likes light."}
    pq.write_table(pa.Table.from_pylist([persona]), tmp_path / "user.parquet")
    pq.write_table(
        pa.table({"session_id": ["x"], "user_id": ["7f0c"], "action_count": [8]}), tmp_path / "session.parquet"
    )
    dataset, report = load("opera", tmp_path / "set", tmp_path)
    name = dataset.session_id(0)
    assert recorded(dataset, name) == [
        ("enter_detail", "B00X4WHP5E"),
        ("add_to_cart", "B00X4WHP5E"),
        ("purchase", "B00X4WHP5E"),
        ("purchase", "B0BULB0001"),
        ("terminate", None),
    ]
    assert [step.mind for step in dataset.session(0).steps if step.mind] == ["looks bright"]
    assert acts(dataset, name)[-1] == ("terminate", None, False)
    assert report.without_counterpart == {
        "input": 1, "click search": 1, "click review": 1, "click without a product": 1,
    }  # fmt: skip
    assert report.files_left_out == ["session.parquet"]
    item = dataset.item(dataset.item_row("B00X4WHP5E"))
    assert (item.title, item.price) == ("Desk Lamp", 24.99)
    assert (dataset.user(0).user_id, dataset.user(0).persona) == ("7f0c", "Likes light.")


def test_any_other_log_by_a_mapping_file(tmp_path: Path) -> None:
    mapping = tmp_path / "shop.toml"
    mapping.write_text(
        '[file]\ndelimiter = ";"\n'
        '[events]\ntime = "when"\nuser = "who"\nitem = "what"\nkind = "did"\ncategory = "path"\n'
        'category_separator = "/"\n'
        '[kinds]\nview = ["look"]\npurchase = ["pay"]\n'
        '[items]\nitem = "sku"\nprice = "cost"\ntitle = ["name"]\n'
        '[users]\nuser = "id"\nage = "years"\ngender = "sex"\n[genders]\nfemale = ["w"]\n[set]\ncurrency = "EUR"\n',
        encoding="utf-8",
    )
    rows = ["01.05.2024 09:00;anna;k1;look;home/kitchen/kettle", "01.05.2024 09:01;anna;k1;pay;home/kitchen/kettle"]
    write(tmp_path / "log/events.csv", rows, "when;who;what;did;path")
    write(tmp_path / "log/items.csv", ["k1;19,90;Kettle 2 l"], "sku;cost;name")
    write(tmp_path / "log/people.csv", ["anna;33;W"], "id;years;sex")
    log = read_mapping(mapping)
    report = import_log(
        log, [tmp_path / "log"], tmp_path / "set", log.settings.changed({"time_format": "%d.%m.%Y %H:%M"})
    )
    assert validate(tmp_path / "set") == []
    dataset = DataSet.open(tmp_path / "set")
    assert recorded(dataset, "anna") == [("enter_detail", "k1"), ("purchase", "k1")]
    item, user = dataset.item(dataset.item_row("k1")), dataset.user(0)
    assert (item.title, item.price, item.l3) == ("Kettle 2 l", 19.9, "home/kitchen/kettle")
    assert (item.picture.archetype, user.age, user.gender) == ("kettle", 33, "female")
    assert report.ages == {"told": 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "files", "rows", "dropped"),
    [
        ("rees46", ["rees46"], 10_384, 4),
        ("jdata", ["jdata"], 59_998, 15_859),
        ("taobao", ["taobao"], 3_067, 61),
        ("otto", ["otto"], 862, 0),
    ],
)
def test_real_logs_import_whole_and_give_nothing_away(
    tmp_path: Path, kind: str, files: list[str], rows: int, dropped: int
) -> None:
    if not REAL.exists():
        pytest.skip(f"the real logs are not here: {REAL}")
    _, report = load(kind, tmp_path / "set", *(REAL / name for name in files))
    assert (report.rows, report.rows - report.events.total()) == (rows, dropped)
    assert report.balanced, str(report.tells)
