"""The words, numbers and prices of the user interface in its two locales."""

from typing import NamedTuple

_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "¥", "RUB": "₽", "INR": "₹", "KRW": "₩"}
_STEPS = ((10**9, "B"), (10**6, "M"), (1000, "k"))
_STEPS_ZH = ((10**8, "亿"), (10_000, "万"))
_NO_DECIMALS = frozenset({"JPY", "KRW"})


class Words(NamedTuple):
    """What the interface says in one locale."""

    search: str
    tabs: tuple[str, str, str, str]
    preview: str
    detail: str
    add_to_cart: str
    in_cart: str
    purchase: str
    bought: str
    details: str
    attributes: str
    no_attributes: str
    description: str
    no_description: str
    reviews: str
    no_reviews: str
    shop: str
    chat: str
    sold: str
    bestseller: str
    top_rated: str


ENGLISH = Words(
    search="Search products",
    tabs=("Home", "Deals", "Cart", "Me"),
    preview="Quick view",
    detail="Product",
    add_to_cart="Add to cart",
    in_cart="In cart",
    purchase="Buy now",
    bought="Bought",
    details="See full details",
    attributes="Specifications",
    no_attributes="No specifications",
    description="Description",
    no_description="No description",
    reviews="Reviews",
    no_reviews="No reviews yet",
    shop="Shop",
    chat="Chat",
    sold="{} sold",
    bestseller="Bestseller",
    top_rated="Top rated",
)
CHINESE = Words(
    search="搜索商品",
    tabs=("首页", "特惠", "购物车", "我的"),
    preview="商品速览",
    detail="商品详情",
    add_to_cart="加入购物车",
    in_cart="已加入",
    purchase="立即购买",
    bought="已购买",
    details="查看全部详情",
    attributes="规格参数",
    no_attributes="暂无参数",
    description="商品描述",
    no_description="暂无描述",
    reviews="用户评价",
    no_reviews="暂无评价",
    shop="店铺",
    chat="客服",
    sold="已售{}",
    bestseller="热销",
    top_rated="好评",
)


def words_of(locale: str) -> Words:
    """The words of a locale; every Chinese locale (``zh``, ``zh-CN``) gets Chinese, any other English."""
    return CHINESE if locale.startswith("zh") else ENGLISH


def money(amount: float, currency: str) -> tuple[str, str, str]:
    """A price as it shows, in three parts: symbol, whole units, decimals with their point (or nothing)."""
    symbol = _SYMBOLS.get(currency, currency + " ")
    if currency in _NO_DECIMALS:
        return symbol, f"{amount:,.0f}", ""
    whole, decimals = f"{amount:,.2f}".split(".")
    return symbol, whole, "." + decimals


def count(number: int, locale: str) -> str:
    """A count as shops shorten it: 873, 1.2k, 35k, 2.1M, 4B; in Chinese 8730, 1.2万, 3亿."""
    steps = _STEPS_ZH if locale.startswith("zh") else _STEPS
    for step, suffix in steps:
        if number >= step:
            tenths = number * 10 // step
            return f"{tenths // 10}{suffix}" if tenths >= 100 or tenths % 10 == 0 else f"{tenths / 10:.1f}{suffix}"
    return str(number)
