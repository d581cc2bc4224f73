"""Taobao's UserBehavior log: page views, carts, favourites and purchases of nine days, without header or sessions.

Public on Tianchi, no open licence. Its window is 2017-11-25 to 2017-12-03 in China; times outside are known mistakes.
The category is the finest there is, a mere id.
"""

from shopsim.benchmark_usb.importers.log_format import EventColumns, FileShape, LogFormat
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.settings import ImportSettings

TAOBAO = LogFormat(
    name="taobao",
    events=EventColumns(time="time", item="item", user="user", kind="behavior", category_id="category"),
    kinds={"pv": Kind.VIEW, "cart": Kind.CART, "buy": Kind.PURCHASE, "fav": None},
    shape=FileShape(format="csv", header=("user", "item", "category", "behavior", "time")),
    numeric_ids=True,
    currency="CNY",
    licence="Taobao UserBehavior (Tianchi); public, no open licence",
    settings=ImportSettings().changed(
        {"earliest": "2017-11-25T00:00:00+08:00", "latest": "2017-12-04T00:00:00+08:00", "time_zone": "Asia/Shanghai"}
    ),
)
