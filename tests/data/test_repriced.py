"""Other prices in the same shop: everything that shows a price follows, the past and the set itself do not."""

import pickle

import numpy as np
import pytest

from shopsim.data import DataSet
from shopsim.data.repriced import Repriced
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.screens.words import money
from shopsim.errors import InputError


def test_cards_text_items_and_feeds_have_the_new_prices_and_the_past_has_not() -> None:
    bundled = DataSet.bundled()
    cheaper = Repriced(bundled, 0.5)
    before, after = ShopSimEnv(bundled), ShopSimEnv(cheaper)
    seen, old = before.reset(seed=4)
    now, new = after.reset(seed=4)
    assert old["session_id"] == new["session_id"]
    assert [item.price for item in new["items"]] == [pytest.approx(item.price / 2, abs=0.006) for item in old["items"]]
    prices = ["".join(money(item.price, bundled.currency)) for item in new["items"]]
    shown = [line.split()[1] for line in new["text"].split("\n") if line.startswith("  price")]
    assert shown, "a card's price shows"
    assert set(shown) <= set(prices)
    for item in new["items"]:
        assert cheaper.item(cheaper.item_row(item.item_id)).price == item.price
    assert new["clicks"] == old["clicks"], "what was done before was at the old prices"
    assert new["purchases"] == old["purchases"]
    assert (now["screenshot"] != seen["screenshot"]).any()
    assert before.reset(seed=4)[1]["items"] == old["items"], "the set itself is as it was"


def test_a_category_has_new_prices_alone_and_feed_policies_see_them() -> None:
    bundled = DataSet.bundled()
    category = bundled.category(int(bundled.label_codes[0, 0]))
    dearer = Repriced(bundled, 1000, category.name)
    own = (bundled.label_codes == bundled.label_codes[0, 0]).any(axis=1)
    assert np.array_equal(dearer.prices[~own], bundled.prices[~own])
    assert np.allclose(dearer.prices[own], 1000 * bundled.prices[own])
    assert np.array_equal(Repriced(bundled, 1000, category.category_id).prices, dearer.prices)
    first = ShopSimEnv(dearer, feed="price_ascending").reset(seed=1)[1]["items"]
    assert [item.price for item in first] == sorted(item.price for item in first)


def test_it_is_another_set_by_its_hash_and_travels(tiny: DataSet) -> None:
    sets = [Repriced(tiny, 0.5), Repriced(tiny, 0.6), Repriced(tiny, 1.0), tiny]
    assert len({one.hash for one in sets}) == 4
    again = pickle.loads(pickle.dumps(sets[0]))
    assert again.hash == sets[0].hash
    assert np.array_equal(again.prices, sets[0].prices)
    assert np.array_equal(again.list_prices, tiny.prices)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_factor_must_be_above_nothing(tiny: DataSet, factor: float) -> None:
    with pytest.raises(InputError, match="must be a number above 0"):
        Repriced(tiny, factor)


def test_a_category_must_have_items(tiny: DataSet) -> None:
    with pytest.raises(InputError, match="no item is of category 'spaceships'"):
        Repriced(tiny, 0.5, "spaceships")
