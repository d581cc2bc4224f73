"""A thing that looks unlike the rest of its category has a picture of its own."""

import pytest

from shopsim.benchmark_usb.world import load_world, make_goods, noun_of, write_item
from shopsim.envs.screens.pictures.gallery import DRAWINGS


def test_every_picture_of_a_noun_can_be_drawn_and_is_needed() -> None:
    world = load_world()
    usual = {noun.en: leaf.picture for leaf in world.leaves for noun in leaf.nouns}
    for noun, archetype in world.pictures.items():
        assert noun in usual, f"nothing is called {noun!r}"
        assert archetype in DRAWINGS
        assert archetype != usual[noun], f"{noun!r} is drawn so anyway"


@pytest.mark.parametrize(("noun", "archetype"), [("apples", "fruit"), ("oranges", "orange"), ("pears", "pear")])
def test_oranges_are_not_apples(noun: str, archetype: str) -> None:
    world = load_world()
    goods = make_goods(world, 20_000, 0)
    fruit = next(i for i, leaf in enumerate(world.leaves) if noun in {one.en for one in leaf.nouns})
    rows = [row for row in range(len(goods.leaf)) if goods.leaf[row] == fruit and noun_of(world, goods, row).en == noun]
    assert rows
    for row in rows[:5]:
        assert {write_item(world, goods, row, locale).picture.archetype for locale in ("en", "zh")} == {archetype}
