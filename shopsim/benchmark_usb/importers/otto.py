"""OTTO's log: clicks, carts and orders, one JSON object a line for each "session", which may last four weeks.

CC BY 4.0. A session of the log is a shopper (it is all that is known of one); gaps cut it into visits.
"""

from shopsim.benchmark_usb.importers.log_format import EventColumns, FileShape, LogFormat
from shopsim.benchmark_usb.importers.log_table import Kind

OTTO = LogFormat(
    name="otto",
    events=EventColumns(time="ts", item="aid", session="session", kind="type"),
    kinds={"clicks": Kind.VIEW, "carts": Kind.CART, "orders": Kind.PURCHASE},
    shape=FileShape(format="jsonl", explode="events"),
    numeric_ids=True,
    currency="EUR",
    licence="CC-BY-4.0 (OTTO recommender systems dataset)",
)
