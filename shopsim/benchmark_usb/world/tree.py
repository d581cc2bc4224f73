"""The synthetic shop's category tree with what each category sells, read from the TOML files beside this module.

One file in `tree/` is one first-level category. A setting given on a level holds for everything below it
until a lower level says otherwise, so a third-level category is usually one line: its name, its nouns, its
price law. All names, brands and texts are invented; price medians are round figures near those of the public
price quantiles described in ``docs/shopper-model.md``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.world.words import Text, read_toml, text, texts
from shopsim.data.records import ASPECTS, Category

TIERS: tuple[str, ...] = ("budget", "middle", "premium")
"""Kinds of brand, from cheap to dear; the position is the tier."""


class Color(NamedTuple):
    """A colour by name and by value."""

    hex: str
    name: Text


class Pattern(NamedTuple):
    """A pattern: the key a renderer knows and its words."""

    key: str
    name: Text


class Brand(NamedTuple):
    """An invented brand and its tier (index of `TIERS`)."""

    name: Text
    tier: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """One property that items of some categories have."""

    key: str
    name: Text
    values: tuple[Text, ...]
    price: float
    """Log price moves from -price at the first value to +price at the last."""
    title: float
    """Share of titles that name the value."""
    before: bool
    """Whether a title names it before the noun."""
    material: bool
    """Whether the value is what the picture is made of."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who buys: factors by gender, and the age (years) around which interest peaks with its spread."""

    female: float = 1.0
    male: float = 1.0
    age: tuple[float, float] = (35.0, 30.0)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A third-level category and how its items are made."""

    category_id: str
    name: Text
    l1: int
    l2: int
    share: float
    """Part of the shop's traffic, before normalising."""
    audience: Audience
    nouns: tuple[Text, ...]
    median: float
    """Median price, USD."""
    sigma: float
    """Standard deviation of the log price."""
    brands: tuple[Brand, ...]
    attributes: tuple[Attribute, ...]
    palette: tuple[int, ...]
    """Colours, most common first (indices of `World.colors`)."""
    patterns: tuple[int, ...]
    """Patterns, most common first (indices of `World.patterns`)."""
    picture: str
    aspect: int
    titles: tuple[Text, ...]
    qualifiers: tuple[Text, ...]
    points: tuple[Text, ...]
    praise: tuple[Text, ...]
    complaints: tuple[Text, ...]

    @property
    def colored(self) -> bool:
        """Whether colour is something a buyer chooses here."""
        return any(a.key == "color" for a in self.attributes)


class Node(NamedTuple):
    """A category of level 1 or 2; `parent` is the index of its level-1 category, -1 at level 1."""

    category_id: str
    name: Text
    parent: int


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """The whole tree and its vocabulary."""

    departments: tuple[Node, ...]
    """Level 1."""
    groups: tuple[Node, ...]
    """Level 2."""
    leaves: tuple[Leaf, ...]
    """Level 3."""
    colors: tuple[Color, ...]
    patterns: tuple[Pattern, ...]
    phrases: Mapping[str, tuple[Text, ...]]
    """Text shared by all categories, by kind."""
    pictures: Mapping[str, str]
    """Archetypes of things that look unlike the rest of their category, by English noun."""
    l1: NDArray[np.int32]
    """Level-1 index of each leaf."""
    l2: NDArray[np.int32]
    """Level-2 index of each leaf."""
    share: NDArray[np.float64]
    """Share of the shop's traffic of each leaf; sums to 1."""

    def categories(self, leaves: set[int]) -> Iterator[Category]:
        """Records of these leaves and of their ancestors, parents first."""
        groups = {self.leaves[i].l2 for i in leaves}
        departments = {self.leaves[i].l1 for i in leaves}
        for i, node in enumerate(self.departments):
            if i in departments:
                yield Category(node.category_id, 1, None, node.name.en, node.name.zh)
        for i, node in enumerate(self.groups):
            if i in groups:
                parent = self.departments[node.parent].category_id
                yield Category(node.category_id, 2, parent, node.name.en, node.name.zh)
        for i, leaf in enumerate(self.leaves):
            if i in leaves:
                yield Category(leaf.category_id, 3, self.groups[leaf.l2].category_id, leaf.name.en, leaf.name.zh)


@cache
def load_world() -> World:
    """Reads the tree once; the same object every time."""
    return _Reader().world()


class _Reader:
    def __init__(self) -> None:
        self.root = files(__package__)
        looks = self.toml("looks.toml")
        self.color_keys = list(looks["colors"])
        self.colors = tuple(Color(c["hex"], text(c["name"])) for c in looks["colors"].values())
        self.palettes: dict[str, list[str]] = looks["palettes"]
        self.pattern_keys = list(looks["patterns"])
        self.patterns = tuple(Pattern(key, text(name)) for key, name in looks["patterns"].items())
        self.pattern_sets: dict[str, list[str]] = looks["pattern_sets"]
        self.attributes = {key: self.attribute(key, raw) for key, raw in self.toml("attributes.toml").items()}
        self.phrases = {key: texts(raw) for key, raw in self.toml("phrases.toml").items()}
        self.pictures = {noun: key for key, nouns in self.toml("pictures.toml").items() for noun in nouns}

    def toml(self, name: str) -> dict[str, Any]:
        return read_toml(self.root.joinpath(name))

    def world(self) -> World:
        departments: list[Node] = []
        groups: list[Node] = []
        leaves: list[Leaf] = []
        for name in sorted(f.name for f in self.root.joinpath("tree").iterdir() if f.name.endswith(".toml")):
            first = self.toml(f"tree/{name}")
            departments.append(Node(name.removesuffix(".toml"), text(first["name"]), -1))
            attributes = self.attributes | {k: self.attribute(k, raw) for k, raw in first.get("attribute", {}).items()}
            for second in first["l2"]:
                group_id = f"{departments[-1].category_id}/{_slug(second['name'])}"
                groups.append(Node(group_id, text(second["name"]), len(departments) - 1))
                for third in second["l3"]:
                    levels = (first, second, third)
                    leaves.append(self.leaf(levels, attributes, len(departments) - 1, len(groups) - 1, group_id))
        share = np.array([leaf.share for leaf in leaves])
        return World(
            tuple(departments),
            tuple(groups),
            tuple(leaves),
            self.colors,
            self.patterns,
            self.phrases,
            self.pictures,
            np.array([leaf.l1 for leaf in leaves], dtype=np.int32),
            np.array([leaf.l2 for leaf in leaves], dtype=np.int32),
            share / share.sum(),
        )

    def leaf(
        self, levels: tuple[dict[str, Any], ...], attributes: Mapping[str, Attribute], l1: int, l2: int, group_id: str
    ) -> Leaf:
        first, second, third = levels
        own = {"patterns": "none", "titles": None} | first | second | third
        audience: dict[str, Any] = {}
        share = 1.0
        for level in levels:
            audience |= level.get("audience", {})
            share *= level.get("share", 1.0)
        palette = own["palette"] if isinstance(own["palette"], list) else self.palettes[own["palette"]]
        patterns = self.pattern_sets.get(own["patterns"], ["plain"])
        if "age" in audience:
            audience["age"] = tuple(map(float, audience["age"]))
        return Leaf(
            category_id=f"{group_id}/{_slug(third['name'])}",
            name=text(third["name"]),
            l1=l1,
            l2=l2,
            share=share,
            audience=Audience(**audience),
            nouns=texts(third["nouns"]),
            median=float(third["price"][0]),
            sigma=float(third["price"][1]),
            brands=tuple(Brand(text(b), tier) for tier, kind in enumerate(TIERS) for b in first["brands"][kind]),
            attributes=tuple(attributes[key] for key in own["attributes"]),
            palette=tuple(self.color_keys.index(key) for key in palette),
            patterns=tuple(self.pattern_keys.index(key) for key in patterns),
            picture=own["picture"],
            aspect=ASPECTS.index(own["aspect"]),
            titles=texts(own["titles"]) if own["titles"] else self.phrases["titles"],
            qualifiers=texts(own["qualifiers"]),
            points=texts(own["points"]),
            praise=texts(own["praise"]),
            complaints=texts(own["complaints"]),
        )

    def attribute(self, key: str, raw: dict[str, Any]) -> Attribute:
        looks = {"color": [c.name for c in self.colors], "pattern": [p.name for p in self.patterns]}
        values = tuple(looks[key]) if key in looks else texts(raw["values"])
        return Attribute(
            key,
            text(raw["name"]),
            values,
            raw.get("price", 0.0),
            raw["title"],
            raw["place"] == "before",
            raw.get("material", False),
        )


def _slug(name: str) -> str:
    """A category's id part from its English name."""
    return re.sub(r"[^a-z0-9]+", "-", text(name).en.lower()).strip("-")
