"""Writes the labels of a session: what the shopper thought, noted and preferred at each step.

A diary sees moves one after the other, so what it writes rests on what had been seen so far and never on what
the shopper had in mind from the start. It has its own source of chance: behaviour does not depend on words.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from shopsim.benchmark_usb import world as worlds
from shopsim.benchmark_usb.moves import Move, Reason
from shopsim.benchmark_usb.world import Goods, Locale, Text, World, noun_of, read_toml, text, texts
from shopsim.data.vocabulary import Action, Page

MAX_STATEMENTS = 5

_NOTED = {Reason.DEAR, Reason.STARS, Reason.REVIEWS, Reason.UNSURE, Reason.WORSE, Reason.KEEP}
"""Reasons to leave an item that are worth noting."""

_thoughts = read_toml(files(worlds).joinpath("thoughts.toml"))
_MIND = {reason: texts(raw) for reason, raw in _thoughts["mind"].items()}
_EPISODIC = {kind: text(raw) for kind, raw in _thoughts["episodic"].items()}
_PREFERENCE = {kind: text(raw) for kind, raw in _thoughts["preference"].items()}


class Entry(NamedTuple):
    """The labels of one step (SPEC 3): `preference` is the whole new set, one statement a line."""

    mind: str
    episodic: str | None
    preference: str | None


class Diary:
    """One session's diary.

    Args:
        world: The tree.
        goods: The items.
        locale: Language to write in.
        rng: Chooses among ways to say the same.
    """

    def __init__(self, world: World, goods: Goods, locale: Locale, rng: np.random.Generator) -> None:
        self._world, self._goods, self._locale, self._rng = world, goods, locale, rng
        self._clicked: list[int] = []
        self._noted: set[tuple[str, int]] = set()
        self._limits: dict[int, float] = {}
        """Lowest price found too high, by leaf."""
        self._poor = 0.0
        """Most stars found too few."""
        self._best = -1
        self._bought = -1
        self._statements: list[str] = []

    def write(self, moves: Sequence[Move]) -> list[Entry]:
        """The labels of a whole session."""
        return [self._entry(move) for move in moves]

    def _entry(self, move: Move) -> Entry:
        mind = self._mind(move)
        episodic = self._episode(move)
        self._learn(move)
        statements = self._preferences()
        changed = statements != self._statements
        self._statements = statements
        return Entry(mind, episodic, "\n".join(statements) if changed else None)

    def _mind(self, move: Move) -> str:
        key: str = move.reason
        if move.action is Action.ADD_TO_CART:
            key += "_cart"
        elif move.action is Action.PURCHASE:
            key += "_buy"
        ways = _MIND[key]
        return self._say(ways[int(self._rng.integers(len(ways)))], move.about)

    def _episode(self, move: Move) -> str | None:
        key: str | None = None
        if move.action in (Action.ADD_TO_CART, Action.PURCHASE):
            key = move.action.label
        elif move.reason is Reason.RETURN or (move.action is Action.BACK and move.reason in _NOTED):
            key = move.reason
        if key is None or (key, move.about) in self._noted:
            return None
        self._noted.add((key, move.about))
        if move.action is Action.BACK:
            # Going back from the detail page and then from the preview is one event.
            self._noted.update((reason.value, move.about) for reason in _NOTED)
        return self._say(_EPISODIC[key], move.about)

    def _learn(self, move: Move) -> None:
        """Takes in what a move shows of the shopper's preferences."""
        item, goods = move.about, self._goods
        if move.page is Page.FEED and move.action in (Action.CLICK, Action.ENTER_DETAIL):
            if item not in self._clicked:
                self._clicked.append(item)
        elif move.reason is Reason.DEAR:
            leaf, price = int(goods.leaf[item]), float(goods.price[item])
            self._limits[leaf] = min(price, self._limits.get(leaf, price))
        elif move.reason is Reason.STARS:
            self._poor = max(self._poor, float(goods.rating[item]))
        elif move.action is Action.PURCHASE:
            self._bought, self._best = item, -1
        elif move.action is Action.ADD_TO_CART or move.reason is Reason.KEEP:
            self._best = item

    def _preferences(self) -> list[str]:
        """The statements now, the most telling first."""
        goods, said = self._goods, []
        leaves = list(dict.fromkeys(int(goods.leaf[item]) for item in reversed(self._clicked)))[:2]
        for leaf in leaves:
            of_leaf = [item for item in self._clicked if goods.leaf[item] == leaf]
            prices = sorted({float(goods.price[item]) for item in of_leaf if not self._too_dear(item)})
            if len(prices) > 1:
                money = {"low": _money(prices[0]), "high": _money(prices[-1])}
                said.append(self._say(_PREFERENCE["range"], of_leaf[0], **money))
            else:
                said.append(self._say(_PREFERENCE["kind"], of_leaf[0]))
            if leaf in self._limits and len(prices) < 2:
                said.append(self._say(_PREFERENCE["limit"], of_leaf[0], price=_money(self._limits[leaf])))
        colors = [int(goods.color[item]) for item in self._clicked if goods.colored[item]]
        liked = max(colors, key=colors.count, default=-1)
        if colors.count(liked) > 1:
            said.append(self._say(_PREFERENCE["color"], -1, color=self._world.colors[liked].name.to(self._locale)))
        if self._best >= 0:
            said.append(self._say(_PREFERENCE["best"], self._best))
        if self._bought >= 0:
            said.append(self._say(_PREFERENCE["bought"], self._bought))
        if self._poor:
            said.append(self._say(_PREFERENCE["stars"], -1, stars=f"{self._poor:.1f}"))
        return said[:MAX_STATEMENTS]

    def _too_dear(self, item: int) -> bool:
        limit = self._limits.get(int(self._goods.leaf[item]))
        return limit is not None and float(self._goods.price[item]) >= limit

    def _say(self, words: Text, item: int, **more: str) -> str:
        """Fills in what is said of an item."""
        template = words.to(self._locale)
        facts = (self._facts(item) if item >= 0 else {}) | more
        said = re.sub(r" +", " ", template.format(**facts)).strip()
        return said[:1].upper() + said[1:]

    def _facts(self, item: int) -> dict[str, str]:
        world, goods, locale = self._world, self._goods, self._locale
        leaf = world.leaves[goods.leaf[item]]
        look = [world.colors[goods.color[item]].name.to(locale)] if goods.colored[item] else []
        if goods.pattern[item]:
            look.append(world.patterns[goods.pattern[item]].name.to(locale))
        kind = leaf.name.to(locale)
        return {
            # Of "A Life in Bridges, biography" a thought keeps the name.
            "noun": noun_of(world, goods, item).to(locale).split(", ")[0],
            "look": ("" if locale == "zh" else " ").join(look),
            "kind": kind[:1].lower() + kind[1:] if kind[1:2].islower() else kind,
            "brand": leaf.brands[goods.brand[item]].name.to(locale),
            "price": _money(float(goods.price[item])),
            "stars": f"{goods.rating[item]:.1f}",
        }


def _money(price: float) -> str:
    return f"${price:,.2f}" if price < 20 else f"${price:,.0f}"
