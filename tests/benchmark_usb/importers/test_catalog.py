from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.importers.archetypes import ARCHETYPES, archetype_of
from shopsim.benchmark_usb.importers.catalog import labels_of, medians
from shopsim.benchmark_usb.importers.item_filling import Draft, fill_items
from shopsim.benchmark_usb.importers.stock import stock_of, weights_of


@pytest.mark.parametrize(
    ("path", "leaf", "labels"),
    [
        (("a", "b", "c"), "5", ("a", "a.b", "a.b.c")),
        (("a", "b", "c", "d"), "5", ("a", "a.b", "a.b.c.d")),
        (("a", "b"), "5", ("a", "a.b", "5")),
        (("a",), "5", ("a", "5.2", "5")),
        ((), "5", ("5.1", "5.2", "5")),
        (("a", "b"), "", ("a", "a.b", None)),
        (("a",), "", ("a", None, None)),
        ((), "", (None, None, None)),
    ],
)
def test_labels(path: tuple[str, ...], leaf: str, labels: tuple[str | None, ...]) -> None:
    assert labels_of(path, leaf, ".") == labels


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 100), st.integers(1, 4)), max_size=30))
def test_medians_are_lower_medians_of_values_as_often_as_they_stand(rows: list[tuple[int, float, int]]) -> None:
    owners, values, counts = (np.array([row[i] for row in rows], kind) for i, kind in enumerate((int, float, int)))
    found = medians(owners, values, 4, counts)
    for owner in range(4):
        mine = sorted(v for o, v, n in rows if o == owner for _ in range(n))
        assert np.isnan(found[owner]) if not mine else found[owner] == mine[(len(mine) - 1) // 2]
    assert np.array_equal(medians(owners.repeat(counts), values.repeat(counts), 4), found, equal_nan=True)


def drafts(n: int, price: float = 5.0) -> list[Draft]:
    return [Draft(f"{1000 + i}", price + i, ("a", None, None), ("a",), "acme", None) for i in range(n)]


def test_stock_fills_categories_with_items_like_their_own() -> None:
    own = drafts(50)
    groups = np.array([[i // 10 if i < 10 else 1, 7] for i in range(50)])
    stock, places = stock_of(own, groups, shelf=24)
    assert Counter(places[:, 0].tolist()) == {0: 14, 1: 20}
    assert (places[:, 1] == 7).all()
    prices = {code: {draft.price for draft, g in zip(own, groups[:, 0], strict=True) if g == code} for code in (0, 1)}
    assert all(draft.price in prices[code] for draft, code in zip(stock, places[:, 0].tolist(), strict=True))
    ids = [draft.item_id for draft in own + stock]
    assert len(set(ids)) == len(ids)
    assert stock_of(own, groups, shelf=24)[0] == stock
    assert stock_of(own, groups, shelf=0)[0] == []


@pytest.mark.parametrize("like", ["17300", "B00X4WHP5E", "sku-7", "a"])
def test_ids_of_stock_look_like_the_log_s(like: str) -> None:
    stock, _ = stock_of([Draft(like, 1.0)], np.zeros((1, 1), np.int64), shelf=30)
    assert len({draft.item_id for draft in stock} | {like}) == 30
    for draft in stock:
        shape = draft.item_id[: len(like)]
        kinds = [(c.isdigit(), c.isupper(), c.islower(), c if not c.isalnum() else "") for c in shape]
        assert kinds == [(c.isdigit(), c.isupper(), c.islower(), c if not c.isalnum() else "") for c in like]


def test_what_is_taken_off_the_seldom_opened_goes_to_the_stock() -> None:
    popularity = np.array([1.0] * 8 + [2.0] * 4 + [9.0] + [0.0] * 6)
    groups = np.array([[0]] * 13 + [[0]] * 4 + [[1]] * 2)
    weights = weights_of(popularity, groups, n_stock=6, power=1.0)
    off = 8 / (8 + 2 * 4)
    assert weights[:13].tolist() == (popularity[:13] - off).tolist()
    assert weights[13:17].sum() == pytest.approx(13 * off)
    assert (weights > 0).all()
    assert weights_of(popularity, groups, 6, power=2.0)[12] == (9 - off) ** 2
    assert weights_of(popularity[:13], groups[:13], 0, 1.0).tolist() == popularity[:13].tolist()


def test_an_item_looks_the_same_in_any_import() -> None:
    labels = ("apparel", "apparel.shoes", "apparel.shoes.keds")
    draft = Draft("77", 12.5, labels, ("apparel", "shoes", "keds"), "salomon", None)
    other = draft._replace(item_id="78")
    (item,) = fill_items([draft])
    assert fill_items([other, draft])[1] == item
    assert (item.item_id, item.price, item.brand, item.l3) == ("77", 12.5, "Salomon", "apparel.shoes.keds")
    assert item.picture.archetype == "sneaker"
    assert item.title != fill_items([other])[0].title
    assert fill_items([draft._replace(title="Own words")])[0].title == "Own words"
    assert fill_items([Draft("1", 1.0)])[0].title


def test_looks_are_within_what_the_layout_allows() -> None:
    items = fill_items([Draft(str(i), 1.0, words=("electronics", "tablet"), brand="x") for i in range(300)])
    assert all(item.rating is not None and 1 <= item.rating <= 5 for item in items)
    assert {len(item.reviews) for item in items} == {0, 1, 2, 3, 4}
    assert {review.rating for item in items for review in item.reviews} <= {1, 2, 3, 4, 5}
    told = sum(item.attributes["Colour"] in item.title for item in items)
    assert 60 < told < 180  # the colour is left to the picture more often than not


def test_pictures_follow_the_most_special_word_known() -> None:
    assert archetype_of(("electronics", "smartphone")) == "phone"
    assert archetype_of(("apparel", "shoes", "something new")) == ARCHETYPES["shoes"]
    assert archetype_of(("grocery", "cheeses")) == "cheese"
    assert archetype_of(("meat", "frzn berries & fruits - bagged")) == "fruit"
    assert archetype_of(("country_yard",)) == archetype_of(()) == "box"
