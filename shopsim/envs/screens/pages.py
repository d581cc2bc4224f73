"""The page model: what a screen holds, as boxes with content (SPEC 2.3).

Every position on a page comes from `shopsim.envs.layout`; where things sit *inside* a card is decided here.
Renderers draw these elements and the text view writes them, so all of them show the same.
"""

from dataclasses import dataclass
from typing import Protocol

from shopsim.data.records import Item, Picture
from shopsim.data.vocabulary import Page
from shopsim.envs import layout
from shopsim.envs.layout import Box
from shopsim.envs.screens.lines import break_lines, text_width
from shopsim.envs.screens.words import Words, count, money, words_of
from shopsim.envs.shop import Shop

CLOCK = "9:41"
"""What the status bar shows, always: no screen depends on the time."""

# Type sizes in logical units.
TITLE_SIZE, PRICE_SIZE, SMALL_SIZE = 12, 16, 10
PAGE_TITLE_SIZE, PAGE_PRICE_SIZE, HEADING_SIZE, TEXT_SIZE = 15, 22, 14, 12
TITLE_LINE, PAGE_TITLE_LINE, TEXT_LINE = 16, 19, 17
REVIEW_LEAD = 26

_BESTSELLER_SALES = 10_000
_TOP_RATING, _TOP_RATING_SALES = 4.8, 100


class ItemSource(Protocol):
    """What the screens need of a data set. `shopsim.data.DataSet` provides it."""

    @property
    def locale(self) -> str:
        """``en``, ``zh`` ..."""

    @property
    def currency(self) -> str:
        """ISO code of the prices' currency."""

    def item(self, row: int) -> Item:
        """The item of a row."""


@dataclass(frozen=True, slots=True)
class Element:
    """One thing on a screen.

    `box.kind` says what it is; the box is in logical units of the screen and, where the element scrolls, may
    reach beyond the viewport.
    """

    box: Box
    lines: tuple[str, ...] = ()
    """The text as it shows, line by line. A price has one line; `money_parts` splits it."""
    size: int = 0
    """Type size in logical units."""
    line_height: int = 0
    """Height of a line; 0 where one line has the whole box."""
    lead: int = 0
    """Room above the first line (a review's stars stand there)."""
    picture: Picture | None = None
    rating: float | None = None
    """Mean stars (1-5) where stars show."""
    active: bool = True
    """False for a button that does nothing now; of the tabs, the one that is open is active."""
    badge: str = ""
    """Text of the small red bubble on a cart icon."""
    money_parts: tuple[str, str, str] | None = None
    """Symbol, whole units, decimals of a price: they are set in different sizes."""
    children: tuple["Element", ...] = ()

    @property
    def kind(self) -> str:
        """What this is, for example ``card``, ``title``, ``add_to_cart``."""
        return self.box.kind


def screen_key(shop: Shop) -> tuple[object, ...]:
    """A hashable name of what shows: on one data set, equal keys mean the same pixels and the same text."""
    if shop.page is Page.FEED:
        return (Page.FEED, len(shop.cart), *((box.item, box.x, box.y) for box in shop.whole_cards()))
    item = shop.item
    return shop.page, len(shop.cart), shop.scroll, item, item in shop.carted, item in shop.bought


def page_model(dataset: ItemSource, shop: Shop) -> tuple[Element, ...]:
    """Everything that shows on the shop's current screen, from top to bottom."""
    words = words_of(dataset.locale)
    bars = top_bar(words, shop.page, len(shop.cart)), bottom_bar(words, shop)
    return (*bars[0], *content(dataset, shop), *bars[1])


def content(dataset: ItemSource, shop: Shop) -> tuple[Element, ...]:
    """What shows between the bars, in whole: what the bars cover in part reaches under them."""
    if shop.page is Page.FEED:
        return tuple(card(dataset, box) for box in shop.whole_cards())
    return page_content(dataset, shop.page, shop.item, shop.scroll)


def page_content(dataset: ItemSource, page: Page, item: int, scroll: int) -> tuple[Element, ...]:
    """What shows of an item's preview or detail page at a scroll offset."""
    if page is Page.PREVIEW:
        return preview(dataset, item)
    shown = detail(dataset, item, layout.TOP - scroll)
    return tuple(e for e in shown if e.box.y + e.box.h > layout.TOP and e.box.y < layout.BOTTOM)


def top_bar(words: Words, page: Page, in_cart: int) -> tuple[Element, ...]:
    """Status bar and search field or navigation bar."""
    status = Element(Box("status", 0, 0, layout.WIDTH, layout.STATUS_HEIGHT), (CLOCK,))
    if page is Page.FEED:
        return status, Element(layout.SEARCH_FIELD, (words.search,))
    heading = Box("heading", 44, layout.STATUS_HEIGHT, layout.WIDTH - 88, layout.TOP - layout.STATUS_HEIGHT)
    return (
        status,
        Element(layout.BACK_BUTTON),
        Element(heading, (words.preview if page is Page.PREVIEW else words.detail,)),
        Element(layout.CART_ICON, badge=_bubble(in_cart)),
    )


def bottom_bar(words: Words, shop: Shop) -> tuple[Element, ...]:
    """Tabs on the feed, the two buttons elsewhere."""
    if shop.page is Page.FEED:
        return tuple(
            Element(box, (word,), active=i == 0, badge=_bubble(len(shop.cart)) if box.kind == "tab_cart" else "")
            for i, (box, word) in enumerate(zip(layout.TABS, words.tabs, strict=True))
        )
    carted, bought = shop.item in shop.carted, shop.item in shop.bought
    return (
        Element(layout.SHOP_ICON, (words.shop,)),
        Element(layout.CHAT_ICON, (words.chat,)),
        Element(layout.CART_BUTTON, (words.in_cart if carted else words.add_to_cart,), active=not carted),
        Element(layout.BUY_BUTTON, (words.bought if bought else words.purchase,), active=not bought),
    )


def card(dataset: ItemSource, box: Box) -> Element:
    """An item's card in the feed, in this box."""
    item = dataset.item(box.item)
    words = words_of(dataset.locale)
    picture_height = box.h - layout.CARD_TEXT
    left, top, room = box.x + 8, box.y + picture_height, box.w - 16
    parts = [Element(Box("picture", box.x, box.y, box.w, picture_height), picture=item.picture)]
    if badge := _badge(item, words):
        width = round(text_width(badge, SMALL_SIZE, bold=True)) + 10
        parts.append(Element(Box("badge", left - 2, box.y + 6, width, 16), (badge,), SMALL_SIZE))
    title = break_lines(item.title, room, TITLE_SIZE, 2)
    parts.append(Element(Box("title", left, top + 6, room, 2 * TITLE_LINE), title, TITLE_SIZE, TITLE_LINE))
    parts.append(_price(Box("price", left, top + 39, room, 20), item, dataset, PRICE_SIZE))
    parts.append(_meta(Box("meta", left, top + 60, room, 13), item, dataset.locale, SMALL_SIZE))
    if item.shop:
        shop = break_lines(item.shop, room - 14, SMALL_SIZE, 1)
        parts.append(Element(Box("shop", left, top + 75, room, 13), shop, SMALL_SIZE))
    return Element(box, children=tuple(parts))


def preview(dataset: ItemSource, row: int) -> tuple[Element, ...]:
    """What the preview of an item shows between the bars."""
    item = dataset.item(row)
    words = words_of(dataset.locale)
    title = break_lines(item.title, layout.PREVIEW_TITLE.w, PAGE_TITLE_SIZE, 2, bold=True)
    return (
        Element(layout.PREVIEW_PICTURE, picture=item.picture),
        _price(layout.PREVIEW_PRICE, item, dataset, PAGE_PRICE_SIZE),
        Element(layout.PREVIEW_TITLE, title, PAGE_TITLE_SIZE, PAGE_TITLE_LINE),
        _meta(layout.PREVIEW_META, item, dataset.locale, TEXT_SIZE),
        *([Element(layout.PREVIEW_SHOP, _one_line(item.shop, 270), TEXT_SIZE)] if item.shop else []),
        Element(layout.DETAILS_BUTTON, (words.details,)),
    )


def detail(dataset: ItemSource, row: int, offset: int = 0) -> tuple[Element, ...]:
    """The whole content of an item's detail page; `offset` is where it starts on the screen."""
    item = dataset.item(row)
    words = words_of(dataset.locale)

    def at(box: Box) -> Box:
        return box._replace(y=box.y + offset)

    title = break_lines(item.title, layout.DETAIL_TITLE.w, PAGE_TITLE_SIZE, 3, bold=True)
    elements = [
        Element(at(layout.DETAIL_PICTURE), picture=item.picture),
        _price(at(layout.DETAIL_PRICE), item, dataset, PAGE_PRICE_SIZE),
        Element(at(layout.DETAIL_TITLE), title, PAGE_TITLE_SIZE, PAGE_TITLE_LINE),
        _meta(at(layout.DETAIL_META), item, dataset.locale, TEXT_SIZE),
        Element(at(layout.DETAIL_SHOP), _one_line(item.shop, 220) + _one_line(item.brand, 220), TEXT_SIZE),
    ]
    attributes = list(item.attributes.items())
    for box in map(at, layout.detail_sections(len(attributes), len(item.reviews))):
        room = box.w
        if box.kind == "attributes_header":
            heading = words.attributes if attributes else words.no_attributes
            elements.append(Element(box, (heading,), HEADING_SIZE))
        elif box.kind == "attribute":
            name, value = attributes[box.slot]
            pair = break_lines(name, 92, TEXT_SIZE, 1) + break_lines(value, room - 112, TEXT_SIZE, 1)
            elements.append(Element(box, pair, TEXT_SIZE))
        elif box.kind == "description_header":
            heading = words.description if item.description else words.no_description
            elements.append(Element(box, (heading,), HEADING_SIZE))
        elif box.kind == "description":
            elements.append(Element(box, break_lines(item.description, room, TEXT_SIZE, 4), TEXT_SIZE, TEXT_LINE))
        elif box.kind == "reviews_header":
            heading = f"{words.reviews} ({len(item.reviews)})" if item.reviews else words.no_reviews
            elements.append(Element(box, (heading,), HEADING_SIZE))
        elif box.kind == "review":
            review = item.reviews[box.slot]
            lines = break_lines(review.text, room, TEXT_SIZE, 2)
            elements.append(Element(box, lines, TEXT_SIZE, TEXT_LINE, REVIEW_LEAD, rating=review.rating))
    return tuple(elements)


def _one_line(text: str | None, width: float) -> tuple[str, ...]:
    return break_lines(text or "", width, TEXT_SIZE, 1)


def _price(box: Box, item: Item, dataset: ItemSource, size: int) -> Element:
    parts = money(item.price, dataset.currency)
    return Element(box, ("".join(parts),), size, money_parts=parts)


def _meta(box: Box, item: Item, locale: str, size: int) -> Element:
    """Rating and sales; each only where the item has it."""
    words = words_of(locale)
    sold = () if item.sales is None else (words.sold.format(count(item.sales, locale)),)
    return Element(box, sold, size, rating=item.rating)


def _badge(item: Item, words: Words) -> str:
    sales, rating = item.sales or 0, item.rating or 0.0
    if sales >= _BESTSELLER_SALES:
        return words.bestseller
    return words.top_rated if rating >= _TOP_RATING and sales >= _TOP_RATING_SALES else ""


def _bubble(number: int) -> str:
    return "" if number == 0 else str(number) if number < 100 else "99+"
