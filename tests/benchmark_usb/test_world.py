"""The synthetic shop's world: the tree, the items, their words."""

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.world import LOCALES, Goods, Stock, World, load_world, make_goods, pick, write_item
from shopsim.benchmark_usb.world.goods import LOOKS
from shopsim.data.records import Item
from shopsim.envs.layout import MAX_ATTRIBUTES

PRICES = Path(__file__).parents[2].parent / "shared/data/price_ranges/rees46_by_category_code_usd.csv"
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def world() -> World:
    return load_world()


@pytest.fixture(scope="module")
def goods(world: World) -> Goods:
    return make_goods(world, 3000, seed=1)


@pytest.fixture(scope="module")
def english(world: World, goods: Goods) -> list[Item]:
    return [write_item(world, goods, row, "en") for row in range(len(goods))]


@pytest.fixture(scope="module")
def chinese(world: World, goods: Goods) -> list[Item]:
    return [write_item(world, goods, row, "zh") for row in range(len(goods))]


def test_tree_is_a_big_shop(world: World) -> None:
    assert (len(world.departments), len(world.groups), len(world.leaves)) == (41, 517, 2256)
    ids = [node.category_id for node in (*world.departments, *world.groups)] + [
        leaf.category_id for leaf in world.leaves
    ]
    assert len(set(ids)) == len(ids)
    assert math.isclose(world.share.sum(), 1.0)


def test_every_name_is_there_in_both_languages(world: World) -> None:
    names = [node.name for node in (*world.departments, *world.groups)]
    for leaf in world.leaves:
        names += [leaf.name, *leaf.nouns, *leaf.points, *leaf.praise, *leaf.complaints]
        names += [brand.name for brand in leaf.brands]
    for name in names:
        assert CHINESE.search(name.zh), name
        assert not CHINESE.search(name.en), name


def test_each_leaf_can_be_stocked(world: World) -> None:
    for leaf in world.leaves:
        assert {brand.tier for brand in leaf.brands} == {0, 1, 2}, leaf.category_id
        shown = [attribute.name.en for attribute in leaf.attributes]
        assert len(set(shown)) == len(shown) <= MAX_ATTRIBUTES, f"{leaf.category_id} shows one attribute name twice"
        assert leaf.median > 1
        assert 0 < leaf.sigma < 1
        if any(attribute.key == "pattern" for attribute in leaf.attributes):
            assert len(leaf.patterns) > 1, f"{leaf.category_id} has patterns and no set of them"


def test_brands_belong_to_one_department(world: World) -> None:
    home: dict[str, int] = {}
    for leaf in world.leaves:
        for brand in leaf.brands:
            assert home.setdefault(brand.name.en, leaf.l1) == leaf.l1


def test_categories_stand_after_their_parents(world: World) -> None:
    seen: set[str] = set()
    for category in world.categories({3, 77, 200}):
        assert category.parent_id is None or category.parent_id in seen
        seen.add(category.category_id)
    assert sum("/" not in one for one in seen) <= 3


def test_same_seed_same_goods(world: World, goods: Goods) -> None:
    again = make_goods(world, 3000, seed=1)
    assert np.array_equal(again.price, goods.price)
    assert again.values == goods.values
    assert again.stars == goods.stars
    assert not np.array_equal(make_goods(world, 3000, seed=2).price, goods.price)


def test_locales_differ_in_words_alone(english: list[Item], chinese: list[Item]) -> None:
    for en, zh in zip(english, chinese, strict=True):
        assert (en.item_id, en.price, en.l1, en.l2, en.l3, en.picture) == (
            zh.item_id,
            zh.price,
            zh.l1,
            zh.l2,
            zh.l3,
            zh.picture,
        )
        assert (en.rating, en.sales) == (zh.rating, zh.sales)
        assert [r.rating for r in en.reviews] == [r.rating for r in zh.reviews]
        assert len(en.attributes) == len(zh.attributes)
        assert en.title != zh.title
        assert CHINESE.search(zh.title)


@pytest.mark.parametrize("locale", LOCALES)
def test_texts_are_clean(world: World, goods: Goods, locale: str, request: pytest.FixtureRequest) -> None:
    items: list[Item] = request.getfixturevalue("chinese" if locale == "zh" else "english")
    for row, item in enumerate(items):
        assert item.brand is not None
        assert item.brand in item.title
        assert 4 < len(item.title) < 110
        for words in (item.title, item.description, *(review.text for review in item.reviews)):
            assert words == words.strip()
            assert not re.search(r"[{}|]|  | ,|\(\)|None", words), words
        assert len(item.attributes) == goods.detail_counts(row)[0], "two attributes share one name"
        assert 2 <= len(item.reviews) <= 5


def test_titles_often_leave_out_what_the_picture_shows(world: World, goods: Goods, english: list[Item]) -> None:
    colored = [row for row in range(len(goods)) if goods.colored[row]]
    named = [world.colors[goods.color[row]].name.en in english[row].title.lower() for row in colored]
    assert 0.15 < np.mean(named) < 0.5


@pytest.mark.parametrize("locale", LOCALES)
def test_what_is_untold_only_the_picture_shows(
    world: World, goods: Goods, locale: str, request: pytest.FixtureRequest
) -> None:
    items: list[Item] = request.getfixturevalue("chinese" if locale == "zh" else "english")
    names = {a.name.to(locale) for leaf in world.leaves for a in leaf.attributes if a.key in LOOKS}  # type: ignore[arg-type]
    for row, item in enumerate(items):
        assert item.picture.color == world.colors[goods.color[row]].hex
        assert bool(names & set(item.attributes)) == (goods.colored[row] and not goods.untold[row])
    assert 0.35 < goods.untold[goods.colored].mean() < 0.55
    assert not goods.untold[~goods.colored].any()


def test_no_category_carried_is_empty(world: World) -> None:
    for n in (100, len(world.leaves) + 5, 8 * len(world.leaves)):
        leaves = np.unique(make_goods(world, n, seed=4).leaf)
        groups = {world.leaves[i].l2 for i in leaves}
        assert len(leaves) == sum(leaf.l2 in groups for leaf in world.leaves)
    assert len(leaves) == len(world.leaves)


def test_sales_are_skewed_and_ratings_high(goods: Goods) -> None:
    assert np.mean(goods.sales) > 3 * np.median(goods.sales)
    assert 4.2 < np.median(goods.rating) < 4.7
    assert np.corrcoef(goods.rating, goods.quality)[0, 1] > 0.7


def test_prices_follow_the_law_of_their_category(world: World) -> None:
    many = make_goods(world, 20 * len(world.leaves), seed=3)
    ratios = []
    for index, leaf in enumerate(world.leaves):
        prices = many.price[many.leaf == index]
        ratios.append(math.log(np.median(prices) / leaf.median))
    assert abs(np.mean(ratios)) < 0.1
    assert np.quantile(np.abs(ratios), 0.95) < math.log(1.6)


def test_dear_brands_cost_more(world: World, goods: Goods) -> None:
    tier = [world.leaves[leaf].brands[brand].tier for leaf, brand in zip(goods.leaf, goods.brand, strict=True)]
    means = [goods.level[np.array(tier) == t].mean() for t in range(3)]
    assert means == sorted(means)


def test_a_small_shop_carries_fewer_categories(world: World) -> None:
    small = make_goods(world, 480, seed=0)
    leaves, counts = np.unique(small.leaf, return_counts=True)
    assert len(leaves) < 90
    assert np.median(counts) >= 4
    assert len({world.leaves[leaf].l1 for leaf in leaves}) >= 7


def test_stock_draws_items_of_the_leaf_and_popular_ones_more(world: World, goods: Goods) -> None:
    stock = Stock(world, goods)
    rng = np.random.default_rng(0)
    leaves = rng.choice(stock.leaves, 5000)
    rows = stock.draw(leaves, rng)
    assert np.array_equal(goods.leaf[rows], leaves)
    assert np.median(goods.sales[rows]) > np.median(goods.sales)


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=20), st.floats(0, 1, exclude_max=True))
def test_pick_is_an_index(weights: list[float], u: float) -> None:
    assert 0 <= pick(weights, u) < len(weights)


@pytest.mark.skipif(not PRICES.exists(), reason=f"no real price ranges at {PRICES}")
def test_price_medians_are_near_real_ones(world: World) -> None:
    with PRICES.open() as file:
        real = {row["category_code"]: float(row["median"]) for row in csv.DictReader(file)}
    median = {leaf.category_id: leaf.median for leaf in world.leaves}
    pairs = {
        "electronics.smartphone": "phones/mobile-phones/smartphones",
        "computers.notebook": "computers/laptops/everyday-laptops",
        "appliances.kitchen.washer": "appliances/large-appliances/washing-machines",
        "appliances.kitchen.kettle": "appliances/kitchen-appliances/kettles",
        "electronics.video.tv": "audio_video/tv-projection/tvs",
        "furniture.living_room.sofa": "furniture/living-room/sofas",
        "furniture.kitchen.chair": "furniture/dining-study/dining-chairs",
        "sport.bicycle": "sports/cycling/bicycles",
        "accessories.bag": "bags/handbags/tote-bags",
        "construction.tools.drill": "tools/power-tools/drills",
        "apparel.shoes.sandals": "shoes/sandals-slides/women-s-sandals",
        "kids.dolls": "toys/dolls-soft-toys/dolls",
        "computers.components.videocards": "computers/pc-core-components/graphics-cards",
        "computers.desktop": "computers/desktops/desktop-pcs",
        "computers.peripherals.mouse": "computers/mice-mouse-pads/mice",
        "electronics.audio.subwoofer": "audio_video/home-speakers/subwoofers",
        "electronics.camera.photo": "audio_video/cameras/mirrorless-cameras",
        "auto.accessories.videoregister": "automotive/car-electronics/dash-cams",
        "medicine.tools.tonometer": "health/health-monitors/blood-pressure-monitors",
        "kids.carriage": "baby/baby-gear/strollers",
    }
    off = [abs(math.log(median[ours] / real[theirs])) for theirs, ours in pairs.items()]
    assert math.exp(np.mean(off)) < 1.4
    assert math.exp(max(off)) < 2.2
