"""Puts items into words: titles, attribute tables, descriptions, reviews, shops, in one locale.

Each item's choices come from its own generator and are the same number in both locales.
"""

import re
from collections.abc import Sequence

import numpy as np

from shopsim.benchmark_usb.world.goods import LOOKS, Goods
from shopsim.benchmark_usb.world.tree import Attribute, Leaf, World
from shopsim.benchmark_usb.world.words import Locale, Text
from shopsim.data.records import ASPECTS, Item, Picture, Review

_BACKGROUNDS = ("#f6f5f2", "#ffffff", "#eef2f5", "#f7efe8", "#eef4ee", "#f3eef5")
_LIGHTING = ("soft", "studio", "warm", "cool")
_SMALL_WORDS = frozenset({"and", "of", "for", "with", "by", "the", "a", "in", "to"})


def item_id(row: int) -> str:
    """Id of the item in this row."""
    return f"i{row:06d}"


def write_item(world: World, goods: Goods, row: int, locale: Locale) -> Item:
    """The record of one item."""
    rng = np.random.default_rng([goods.seed, 2, row])
    leaf = world.leaves[int(goods.leaf[row])]
    told = [
        (attribute, value)
        for attribute, value in zip(leaf.attributes, goods.values[row], strict=True)
        if not (goods.untold[row] and attribute.key in LOOKS)
    ]
    brand = leaf.brands[goods.brand[row]].name.to(locale)
    noun = noun_of(world, goods, row)
    qualifier = _one(tuple(q for q in leaf.qualifiers if not _repeats(q, noun)) or leaf.qualifiers, rng)
    point = _one(leaf.points, rng).to(locale)
    description = _one(world.phrases["descriptions"], rng).to(locale)
    description = description.format(qualifier=qualifier.to(locale), noun=noun.to(locale), brand=brand, point=point)
    material = [a.values[v].en for a, v in told if a.material]
    return Item(
        item_id=item_id(row),
        title=_title(leaf, told, brand, noun, qualifier, locale, rng),
        price=float(goods.price[row]),
        l1=world.departments[leaf.l1].category_id,
        l2=world.groups[leaf.l2].category_id,
        l3=leaf.category_id,
        picture=Picture(
            archetype=world.pictures.get(noun.en, leaf.picture),
            aspect=ASPECTS[leaf.aspect],
            color=world.colors[goods.color[row]].hex,
            accent=world.colors[goods.accent[row]].hex,
            pattern=world.patterns[goods.pattern[row]].key,
            material=material[0] if material else "",
            background=_BACKGROUNDS[int(rng.integers(len(_BACKGROUNDS)))],
            lighting=_LIGHTING[int(rng.integers(len(_LIGHTING)))],
            seed=int(rng.integers(1 << 31)),
        ),
        brand=brand,
        shop=_shop(world, leaf.brands[goods.brand[row]].tier, brand, locale, rng),
        rating=float(goods.rating[row]),
        sales=int(goods.sales[row]),
        attributes={a.name.to(locale): _sentence(a.values[v].to(locale)) for a, v in told},
        reviews=tuple(_review(world, goods, row, stars, locale, rng) for stars in goods.stars[row]),
        description=_sentence(description),
    )


def noun_of(world: World, goods: Goods, row: int) -> Text:
    """What a title calls the item, for example ``midi dress``."""
    nouns = world.leaves[int(goods.leaf[row])].nouns
    # A multiplier far from small numbers spreads neighbouring rows over the nouns.
    return nouns[(row * 2654435761 >> 7) % len(nouns)]


def _title(
    leaf: Leaf,
    told: Sequence[tuple[Attribute, int]],
    brand: str,
    noun: Text,
    qualifier: Text,
    locale: Locale,
    rng: np.random.Generator,
) -> str:
    before: list[str] = []
    after: list[str] = []
    for attribute, value in told:
        words = attribute.values[value]
        named = rng.random() < attribute.title and (attribute.key, value) != ("pattern", 0)
        if named and words.en not in _UNSAID and not _repeats(words, noun) and not _repeats(words, qualifier):
            (before if attribute.before else after).append(words.to(locale))
    gap = "" if locale == "zh" else " "
    frame = _one(leaf.titles, rng).to(locale)
    title = frame.format(
        brand=brand,
        noun=noun.to(locale),
        qualifier=qualifier.to(locale),
        before=gap.join(before),
        after=" ".join(after),
    )
    title = re.sub(r"\s+", " ", title).replace(" ,", ",").replace(", )", ")").replace("()", "").strip(" ,")
    return title if locale == "zh" else _capitals(title)


_UNSAID = frozenset(
    {
        "single",
        "1 piece",
        "all skin",
        "all hair",
        "all year",
        "unscented",
        "original",
        "regular",
        "standard",
        "conventional",
        "no engraving",
    }
)
"""Values that nobody writes into a title."""


def _repeats(words: Text, said: Text) -> bool:
    """Whether `words` would say again, in either language, what is said already."""
    again = set(re.split(r"[ -]", words.en.lower())) & set(re.split(r"[ -]", said.en.lower()))
    return bool(again - _SMALL_WORDS) or words.zh in said.zh


def _shop(world: World, tier: int, brand: str, locale: Locale, rng: np.random.Generator) -> str:
    official = rng.random() < (0.15, 0.4, 0.8)[tier]
    names = _one(world.phrases["official"], rng), _one(world.phrases["shops"], rng)
    return names[0].to(locale).format(brand=brand) if official else names[1].to(locale)


def _review(world: World, goods: Goods, row: int, stars: int, locale: Locale, rng: np.random.Generator) -> Review:
    leaf = world.leaves[goods.leaf[row]]
    general, own, color = rng.random(3)
    kind = "complaints" if stars <= 2 else "mixed" if stars == 3 else "praise"
    pool = world.phrases[kind]
    if kind == "praise" and leaf.colored and color < 0.15 and not goods.untold[row]:
        pool = world.phrases["color_praise"]
    elif kind != "mixed" and own < 0.6:
        pool = leaf.praise if kind == "praise" else leaf.complaints
    words = pool[int(general * len(pool))].to(locale)
    return Review(stars, _sentence(words.format(color=world.colors[goods.color[row]].name.to(locale))))


def _one(pool: tuple[Text, ...], rng: np.random.Generator) -> Text:
    return pool[int(rng.integers(len(pool)))]


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


_UNITS = frozenset(
    {"cm", "mm", "ml", "in", "kg", "g", "l", "m", "h", "t", "pcs", "kW", "kWh", "hp", "rpm", "dB", "mmHg"}
    | {"m²", "mm²", "m³/h", "m/s", "mm/s", "kg/h", "l/min", "g/m²"}
)


def _capitals(title: str) -> str:
    """Title case that leaves units, codes and small words alone."""
    words = title.split(" ")
    return " ".join(
        w if (i and w in _SMALL_WORDS) or w.strip(",()") in _UNITS or not w.islower() else w[:1].upper() + w[1:]
        for i, w in enumerate(words)
    )
