"""The logs of the JD.com contest of 2016: what shoppers did, the users and the products, in GBK.

Public contest data without a grant to pass them on. Types are 1 browse, 2 add to cart, 3 remove from cart, 4 order,
5 follow, 6 click. A click is on a part of a product's page (`model_id` says which), so that the page is open then and
it counts as a view of the product, which of an open item is nothing. `sex` is 0 male, 1 female, 2 not told [as
understood]. `cate` is one of a few large categories, so the coarsest level. Times name no zone and are China's.
"""

from shopsim.benchmark_usb.importers.log_format import EventColumns, FileShape, ItemColumns, LogFormat, UserColumns
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.settings import ImportSettings

JDATA = LogFormat(
    name="jdata",
    events=EventColumns(
        time="time",
        item="sku_id",
        user="user_id",
        kind="type",
        category=("cate",),
        brand="brand",
        also=("model_id",),
    ),
    kinds={"1": Kind.VIEW, "6": Kind.VIEW, "2": Kind.CART, "4": Kind.PURCHASE, "3": None, "5": None},
    items=ItemColumns(item="sku_id", category=("cate",), brand="brand"),
    users=UserColumns(user="user_id", age="age", gender="sex"),
    shape=FileShape(encodings=("utf-8", "gb18030")),
    genders={"0": "male", "1": "female"},
    numeric_ids=True,
    currency="CNY",
    licence="JD.com contest data of 2016; no grant to pass on",
    settings=ImportSettings().changed({"time_zone": "Asia/Shanghai"}),
)
