"""Lines, words, the page model and the text view."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.screens import lines, pages
from shopsim.envs.screens.lines import ELLIPSIS, break_lines, joined, text_width
from shopsim.envs.screens.pages import Element, page_model, screen_key
from shopsim.envs.screens.text_view import text_view
from shopsim.envs.screens.words import count, money, words_of
from shopsim.envs.shop import Shop
from tests.envs.window_shopping import Shelf, enter, tour

DOWN, UP, CLICK, ENTER, BACK, CART, BUY, LEAVE = Action

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=80) | st.text("ab ,-男裙，", max_size=80)


# Lines


@given(texts, st.floats(20, 400), st.integers(1, 4), st.booleans())
def test_lines_fit_and_lose_nothing_but_the_end(text: str, width: float, most: int, bold: bool) -> None:
    broken = break_lines(text, width, 12, most, bold)
    assert len(broken) <= most
    for line in broken:
        assert line == line.strip()
        assert text_width(line, 12, bold) <= width + 1e-6 or len(line.rstrip(ELLIPSIS)) <= 1
    whole, shown = re.sub(r"\s", "", text), re.sub(r"\s", "", "".join(broken))
    assert shown == whole or (broken[-1].endswith(ELLIPSIS) and whole.startswith(shown[:-1]))


def test_a_short_text_is_one_line() -> None:
    assert break_lines("Mug", 132, 12, 2) == ("Mug",)


def test_lines_break_between_words() -> None:
    assert break_lines("Organic cotton crew neck shirt", 86, 12, 3) == ("Organic cotton", "crew neck", "shirt")


def test_chinese_breaks_anywhere_but_not_before_a_comma() -> None:
    assert break_lines("一二三四五，六七", 60, 12, 3) == ("一二三四", "五，六七")


def test_lines_are_joined_as_they_were_written() -> None:
    assert joined(("crew neck", "shirt")) == "crew neck shirt"
    assert joined(("夏季", "新款")) == "夏季新款"
    assert joined(("夏季", "T恤")) == "夏季 T恤"
    assert joined(()) == ""


def test_no_text_is_no_line() -> None:
    assert break_lines(" \n ", 100, 12, 2) == ()


def test_the_table_has_every_printable_ascii_letter() -> None:
    assert all(0.1 < lines._advance(chr(code)) < 1.1 for code in range(32, 127))


# Words


@pytest.mark.parametrize(
    ("number", "en", "zh"),
    [(0, "0", "0"), (999, "999", "999"), (1_000, "1k", "1000"), (1_290, "1.2k", "1290"), (9_999, "9.9k", "9999"),
     (12_345, "12k", "1.2万"), (345_678, "345k", "34万"), (2_100_000, "2.1M", "210万")],
)  # fmt: skip
def test_counts(number: int, en: str, zh: str) -> None:
    assert (count(number, "en"), count(number, "zh-CN")) == (en, zh)


def test_money() -> None:
    assert money(1299, "USD") == ("$", "1,299", ".00")
    assert money(9.999, "CNY") == ("¥", "10", ".00")
    assert money(1500.4, "JPY") == ("¥", "1,500", "")
    assert money(5, "CHF") == ("CHF ", "5", ".00")


def test_every_word_is_translated() -> None:
    english, chinese = words_of("en"), words_of("zh-CN")
    for name in english._fields:
        assert getattr(english, name) != getattr(chinese, name)
    assert words_of("fr") is english


# The page model


def flat(elements: tuple[Element, ...]) -> list[Element]:
    return [e for element in elements for e in (element, *element.children)]


@pytest.mark.parametrize("place", range(7))
def test_boxes_are_those_of_the_layout(place: int) -> None:
    shop = tour(Shelf())[place]
    elements = page_model(Shelf(), shop)
    if shop.page is Page.FEED:
        assert tuple(e.box for e in elements if e.kind == "card") == shop.whole_cards()
    buttons = {e.box for e in elements} & set(layout.BUTTONS[shop.page.label])
    assert buttons == set(layout.BUTTONS[shop.page.label])


@pytest.mark.parametrize("place", range(7))
def test_boxes_do_not_depend_on_locale_or_words(place: int) -> None:
    def boxes(locale: str) -> list[layout.Box]:
        shelf = Shelf(locale=locale)
        return [e.box for e in flat(page_model(shelf, tour(shelf)[place])) if e.kind not in ("badge", "deal")]

    assert boxes("en") == boxes("zh")


def test_what_stands_on_a_card_stays_inside_it() -> None:
    for element in page_model(Shelf(), enter(Shelf())):
        for part in element.children:
            assert element.box.x <= part.box.x
            assert part.box.x + part.box.w <= element.box.x + element.box.w
            assert element.box.y <= part.box.y
            assert part.box.y + part.box.h <= element.box.y + element.box.h


def test_detail_holds_only_what_shows_in_order() -> None:
    elements = page_model(Shelf(), enter(Shelf(), (ENTER, 0), (DOWN, -1)))
    content = [e for e in elements if e.box.y + e.box.h > layout.TOP and e.box.y < layout.BOTTOM]
    kinds = [e.kind for e in content]
    assert "picture" not in kinds
    assert kinds.index("attributes_header") < kinds.index("description_header") < kinds.index("reviews_header")


def test_elements_cannot_be_changed() -> None:
    element = page_model(Shelf(), enter(Shelf()))[0]
    with pytest.raises(AttributeError):
        element.badge = "!"  # type: ignore[misc]


def test_buttons_say_what_has_been_done() -> None:
    def buttons(shop: Shop) -> dict[str, tuple[str, bool]]:
        return {
            e.kind: (e.lines[0], e.active) for e in page_model(Shelf(), shop) if e.kind in ("add_to_cart", "purchase")
        }

    assert buttons(enter(Shelf(), (CLICK, 1))) == {"add_to_cart": ("Add to cart", True), "purchase": ("Buy now", True)}
    after = buttons(enter(Shelf(), (CLICK, 1), (CART, 1), (BUY, 1)))
    assert after == {"add_to_cart": ("In cart", False), "purchase": ("Bought", False)}


def test_the_bubble_counts_the_cart() -> None:
    shop = enter(Shelf(), (CLICK, 1), (CART, 1))
    assert [e.badge for e in page_model(Shelf(), shop) if e.kind == "cart_icon"] == ["1"]
    shop.step(BACK)
    assert [e.badge for e in page_model(Shelf(), shop) if e.kind == "tab_cart"] == ["1"]
    shop.cart = dict.fromkeys(range(120))
    assert [e.badge for e in page_model(Shelf(), shop) if e.kind == "tab_cart"] == ["99+"]


# The text view


@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("place", range(7))
def test_nothing_hidden_is_written(locale: str, place: int) -> None:
    shelf = Shelf(locale=locale)
    text = text_view(page_model(shelf, tour(shelf)[place]))
    for secret in ("secret", "hidden-", "tshirt", "#c02040", "dots", "cotton,"):
        assert secret not in text


def test_a_card_reads_like_this() -> None:
    shelf = Shelf()
    written = text_view(page_model(shelf, enter(shelf))).splitlines()
    assert written[:7] == [
        'search "Search products"',
        "card [256, 316]",
        "  picture",
        '  title "Organic cotton crew-neck T-shirt fo…"',
        "  price $9.99",
        "  rating 4.5 stars, 40 sold",
        "  shop Norhaven Store",
    ]
    assert written[-4:] == ['tab "Home" selected', 'tab "Deals"', 'tab "Cart"', 'tab "Me"']


def test_a_title_ends_where_it_ends_on_the_card() -> None:
    shelf = Shelf()
    card = next(e for e in page_model(shelf, enter(shelf)) if e.kind == "card")
    title = next(part for part in card.children if part.kind == "title")
    assert title.lines[-1].endswith(ELLIPSIS)
    assert f'title "{joined(title.lines)}"' in text_view((card,))
    assert "of the year" not in text_view((card,))


def test_what_the_viewport_cuts_off_is_not_written() -> None:
    shelf = Shelf()
    box = layout.Box("card", 8, layout.BOTTOM - 60, 148, 240, 0, 0)  # a strip of its picture shows
    assert text_view((pages.card(shelf, box),)) == "card [256, 878] partly hidden"
    low = layout.Box("card", 8, layout.TOP - 148 - 6 - 16, 148, 240, 0, 0)  # its picture and first title line are gone
    shown = text_view((pages.card(shelf, low),))
    assert "picture" not in shown
    title = pages.card(shelf, low).children[1].lines
    assert f'title "{title[1]}"' in shown
    assert title[0] not in shown


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([DOWN, DOWN, UP, CLICK, ENTER, BACK, CART]), st.floats(0, 1), st.floats(0, 1)),
        max_size=12,
    )
)
def test_every_written_point_hits_what_it_names(walk: list[tuple[Action, float, float]]) -> None:
    shelf = Shelf()
    shop = enter(shelf)
    for action, x, y in walk:
        shop.step(action, (x, y))
    text = text_view(page_model(shelf, shop))
    points = [(int(x) / 1000, int(y) / 1000) for x, y in re.findall(r"\[(\d+), (\d+)\]", text)]
    assert tuple(shop.target_at(point) for point in points) == shop.targets()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([DOWN, UP, CLICK, ENTER, BACK, CART, BUY]), st.floats(0, 1), st.floats(0, 1)),
        max_size=20,
    )
)
def test_one_key_one_text(walk: list[tuple[Action, float, float]]) -> None:
    shelf = Shelf()
    shop, seen = enter(shelf), {}
    for action, x, y in walk:
        shop.step(action, (x, y))
        text = text_view(page_model(shelf, shop))
        assert seen.setdefault(screen_key(shop), text) == text


def test_chinese() -> None:
    shelf = Shelf(locale="zh", currency="CNY")
    text = text_view(page_model(shelf, enter(shelf, (CLICK, 1))))
    assert 'button "加入购物车" [456, 964]' in text
    assert "price ¥110.99" in text
    assert "rating 4.5 stars, 已售1.2万" in text


def test_awkward_items_make_a_page() -> None:
    shelf = Shelf().with_item(0, title="a" * 300, shop="s" * 200, brand="", attributes={"k" * 90: "v" * 90}, sales=0)
    for shop in tour(shelf):
        assert text_view(page_model(shelf, shop))
    assert "No description" in text_view(page_model(shelf, enter(shelf, (ENTER, 4), (DOWN, -1))))


def test_a_shop_without_a_name_does_not_show() -> None:
    shelf = Shelf().with_item(0, shop=" ")
    card = next(element for element in page_model(shelf, enter(shelf)) if element.box.item == 0)
    assert "shop" not in [part.kind for part in card.children]
    assert "shop" not in [element.kind for element in page_model(shelf, enter(shelf, (CLICK, 0)))]
