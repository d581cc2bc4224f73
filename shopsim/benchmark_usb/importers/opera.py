"""OPeRA: shopping sessions on Amazon recorded by a browser plug-in, with people's own reasons (arXiv 2506.05606).

CC BY 4.0; its action, session and user tables are Parquet, each filtered or full (give one of the two). Written
against the documented columns, without the data at hand. Of the clicks, `product_link` is a view of the product it
names, and `purchase` puts what it names into the cart or buys it, as its button says (add to cart, else buy now,
checkout, subscribe); other clicks, inputs, scrolls and navigation are nothing the eight actions could do. `terminate`
is the leaving, recorded. The `rationale` becomes the step's `mind`, the interview's summary the persona; id, title
and price come with the products. The user is the first part of the session's id.
"""

import json
import re
from typing import TYPE_CHECKING, Any

from shopsim.benchmark_usb.importers.log_format import EventColumns, LogFormat, UserColumns
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.importers.settings import ImportSettings

if TYPE_CHECKING:
    from shopsim.benchmark_usb.importers.pieces import Piece

_CART = re.compile(r"add.?to.?(cart|basket)", re.I)
_ABOUT_PRODUCTS = ("click product_link", "click purchase", "click add_to_cart")
_OTHER_CLICKS = (
    "search", "review", "filter", "quantity", "product_option", "cart_side_bar", "suggested_term", "nav_bar",
    "page_related", "cart_page_select", "other", "without a product",
)  # fmt: skip
_OTHER_ACTIONS = ("input", "scroll", "navigation", "tab_activate", "tabactivate")


def _by_product(piece: "Piece") -> "Piece":
    """A row for each product an action is about."""
    import numpy as np
    import pyarrow as pa

    records: list[dict[str, str | None]] = []
    rows: list[int] = []
    for number, action in zip(piece.rows.tolist(), piece.table.to_pylist(), strict=True):
        kind = _kind(action)
        products = _products(action["products"]) if kind in _ABOUT_PRODUCTS else []
        if kind in _ABOUT_PRODUCTS and not products:
            kind = "click without a product"
        session = action["session_id"] or ""
        about = {"timestamp": action["timestamp"], "kind": kind, "session": session, "user": session.split("_")[0]}
        for product in products or [{}]:
            told = {name: product.get(name) for name in ("asin", "title", "price")}
            records.append({**about, **told, "rationale": action["rationale"]})
            rows.append(number)
    columns = ("timestamp", "kind", "session", "user", "asin", "title", "price", "rationale")
    table = pa.table({name: pa.array([record[name] for record in records], pa.string()) for name in columns})
    return piece._replace(table=table, rows=np.array(rows, np.int64))


def _kind(action: dict[str, Any]) -> str:
    kind = str(action["action_type"] or "").lower()
    if kind != "click":
        return kind
    click = str(action["click_type"] or "other").lower()
    if click == "purchase" and _CART.search(f"{action['semantic_id']} {action['element_meta']}"):
        click = "add_to_cart"
    return f"click {click}"


def _products(text: str | None) -> list[dict[str, str | None]]:
    """The products of a JSON list; none where it is no such list."""
    try:
        products = json.loads(text or "[]", parse_int=str, parse_float=str)
    except ValueError:
        return []
    return [product for product in products if isinstance(product, dict)] if isinstance(products, list) else []


OPERA = LogFormat(
    name="opera",
    events=EventColumns(
        time="timestamp",
        item="asin",
        user="user",
        session="session",
        kind="kind",
        price="price",
        title="title",
        mind="rationale",
    ),
    kinds={
        "click product_link": Kind.VIEW,
        "click add_to_cart": Kind.CART,
        "click purchase": Kind.PURCHASE,
        "terminate": Kind.LEAVE,
        **dict.fromkeys((f"click {name}" for name in _OTHER_CLICKS), None),
        **dict.fromkeys(_OTHER_ACTIONS, None),
    },
    users=UserColumns(user="user_id", persona="interview_transcript_processed"),
    currency="USD",
    licence="CC-BY-4.0 (OPeRA, NEU-HAI)",
    # Its sessions are cut already, at 78 minutes.
    settings=ImportSettings().changed({"gap_minutes": 78}),
    prepare=_by_product,
    sources=(
        "session_id",
        "timestamp",
        "action_type",
        "click_type",
        "semantic_id",
        "element_meta",
        "rationale",
        "products",
    ),
)
