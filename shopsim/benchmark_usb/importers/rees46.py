"""The log of the REES46 multi-category store.

Public ("eCommerce behavior data from multi category store"): views, carts and purchases of a large shop, with a dotted
category path for two thirds of them, brands, prices in USD and sessions. Its sister logs also hold `remove_from_cart`.
"""

from shopsim.benchmark_usb.importers.log_format import EventColumns, FileShape, LogFormat
from shopsim.benchmark_usb.importers.log_table import Kind

REES46 = LogFormat(
    name="rees46",
    events=EventColumns(
        time="event_time",
        item="product_id",
        user="user_id",
        session="user_session",
        kind="event_type",
        price="price",
        category=("category_code",),
        category_id="category_id",
        brand="brand",
    ),
    kinds={"view": Kind.VIEW, "cart": Kind.CART, "purchase": Kind.PURCHASE, "remove_from_cart": None},
    # The log has no quotes, and one inside a name must not swallow lines.
    shape=FileShape(quote=""),
    category_separator=".",
    numeric_ids=True,
    currency="USD",
    licence="public REES46 log; credit to the REES46 Marketing Platform asked; no open licence",
)
