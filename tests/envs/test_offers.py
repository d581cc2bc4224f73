"""Old prices, discounts and the carousel: the same wherever an item shows, and told as well as drawn."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.data.vocabulary import Action
from shopsim.envs.screens.offers import discount, old_price
from shopsim.envs.screens.pages import Element, page_model, pictures_of
from shopsim.envs.screens.renderer import Renderer
from shopsim.envs.screens.text_view import text_view
from tests.envs.window_shopping import Shelf, enter, item

DOWN, _, CLICK, ENTER, *_ = Action
SEEDS = st.integers(0, 2**31 - 1)


def sold(seed: int, price: float = 20.0, **changes: object) -> Shelf:
    """A shelf whose first item has this seed and price."""
    return Shelf().with_item(0, price=price, picture=item(0).picture._replace(seed=seed), **changes)


ON_SALE = next(seed for seed in range(1, 100) if old_price(sold(seed).item(0)))


@given(SEEDS, st.floats(0, 1e9))
def test_an_old_price_is_higher_and_ends_as_prices_do(seed: int, price: float) -> None:
    before = old_price(sold(seed, price).item(0))
    if before is not None:
        assert price < before < 2.6 * price + 1
        assert before == round(before, 2)
        assert 1 <= int(discount(price, before, "en").strip("-%")) <= 70


def test_a_quarter_of_the_items_is_on_sale() -> None:
    seeds = np.random.default_rng(0).integers(1, 2**31, 4000).tolist()
    assert 0.22 < np.mean([old_price(sold(seed).item(0)) is not None for seed in seeds]) < 0.28


def test_nothing_is_made_up_without_a_seed() -> None:
    assert old_price(sold(0).item(0)) is None


def test_discounts() -> None:
    assert (discount(75, 100, "en"), discount(75, 100, "zh-CN"), discount(50, 100, "zh")) == ("-25%", "7.5折", "5折")


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_card_preview_and_detail_tell_the_same_old_price(locale: str) -> None:
    shelf = sold(ON_SALE)
    shelf.locale = locale
    said = set()
    for shop in (enter(shelf), enter(shelf, (CLICK, 0)), enter(shelf, (ENTER, 0))):
        text = text_view(page_model(shelf, shop))
        said.add((re.findall(r"old price (\S+)", text)[0], re.findall(r"deal (\S+)", text)[0]))
    assert len(said) == 1


def test_an_old_price_shows() -> None:
    on, off = sold(ON_SALE), sold(0)
    for effects in ((), ((CLICK, 0),)):
        screens = [Renderer(shelf).screen(enter(shelf, *effects)) for shelf in (on, off)]
        assert (screens[0] != screens[1]).any()


@pytest.mark.parametrize("price", [1e6, 1e12, 1e15])
def test_a_price_as_wide_as_the_card_stands_alone(price: float) -> None:
    shelf = sold(ON_SALE, price)
    card = page_model(shelf, enter(shelf))[2]
    assert "price" in {part.kind for part in card.children}
    assert price < 1e9 or "old_price" not in {part.kind for part in card.children}


# The carousel


def carousel(shelf: Shelf) -> Element:
    return next(e for e in page_model(shelf, enter(shelf, (ENTER, 0))) if e.kind == "picture")


def test_the_carousel_has_a_dot_and_a_small_picture_for_each_picture() -> None:
    shelf = sold(ON_SALE)
    shots = pictures_of(shelf.item(0).picture)
    for kind in ("dot", "thumbnail"):
        parts = [part for part in carousel(shelf).children if part.kind == kind]
        assert [part.active for part in parts] == [i == 0 for i in range(len(shots))]
    assert [part.picture for part in carousel(shelf).children if part.kind == "thumbnail"] == list(shots)
    assert f"picture 1 of {len(shots)}\n" in text_view(page_model(shelf, enter(shelf, (ENTER, 0))))


def test_a_photo_stands_alone() -> None:
    shelf = sold(1)
    shelf = shelf.with_item(0, picture=shelf.item(0).picture._replace(file="photo.jpg"))
    assert carousel(shelf).children == ()


@given(SEEDS, st.sampled_from(["", "cotton"]), st.sampled_from(["plain", "dots"]))
def test_the_pictures_of_a_carousel_differ(seed: int, material: str, pattern: str) -> None:
    shots = pictures_of(item(0).picture._replace(seed=seed, material=material, pattern=pattern))
    assert len(set(shots)) == 3
