"""A shopper written by hand: what can be had without a model and without pixels. Ours."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from shopsim.agents.base import session_rng
from shopsim.agents.likeness import words
from shopsim.agents.trivial import middle
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.decision import Decision
from shopsim.envs.infos import VisibleItem
from shopsim.errors import InputError


@dataclass(frozen=True)
class Habits:
    """How the heuristic shopper behaves; probabilities are per opportunity."""

    pickiness: float = 0.35
    """Least appeal (0-1) of a card that is opened."""
    read: float = 0.4
    """Chance to go on from a preview to the details."""
    cart: float = 0.12
    """Chance to put an open item of full appeal into the cart."""
    buy: float = 0.03
    """Chance to buy it."""
    patience: float = 12.0
    """Mean number of feed screens before leaving."""
    thrift: float = 0.0
    """Power by which what is dearer than usual draws less."""


class HeuristicShopper:
    """Opens cards whose titles share words with the person's history at the prices the person looks at.

    The appeal of an item is the share of its title's words that the history knows (bought items count three times),
    times how near its price is to the history's median on a log scale; without a history every item has the same
    middling appeal.

    Args:
        habits: See `Habits`.
        name: What results call it.
        **changed: Of `Habits`, by name, in place of those in `habits`.

    Raises:
        InputError: There is no such habit.
    """

    def __init__(self, habits: Habits | None = None, name: str = "heuristic", **changed: float) -> None:
        try:
            self.habits = replace(habits or Habits(), **changed)
        except TypeError as error:
            raise InputError(f"agent 'heuristic': {error}") from None
        self.name = name

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        self._rng = session_rng(info, seed)
        self._known: dict[str, float] = {}
        past = [(item, 1.0) for item in info["clicks"]] + [(item, 3.0) for item in info["purchases"]]
        for item, weight in past:
            for word in set(words(item.title)):
                self._known[word] = self._known.get(word, 0.0) + weight
        prices = [item.price for item, _ in past if item.price > 0]
        self._usual_price = median(prices) if prices else None
        self._seen: set[str] = set()
        self._appeal = 0.0
        self._read = 0

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        if info["page"] == Page.FEED.label:
            return self._browse(info)
        return self._consider(info)

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name, "habits": asdict(self.habits)}

    def appeal(self, item: VisibleItem) -> float:
        """How much an item draws this person, 0-1."""
        if self._usual_price is None:
            return 0.5
        title = words(item.title)
        known = sum(min(1.0, self._known.get(word, 0.0) / 3) for word in title) / max(1, len(title))
        above = math.log(max(item.price, 0.01) / self._usual_price)
        return known * math.exp(-abs(above) / 2) * math.exp(-self.habits.thrift * max(0.0, above))

    def _browse(self, info: Mapping[str, Any]) -> Decision:
        new = [item for item in info["items"] if item.item_id not in self._seen and _tall(item.box)]
        best = max(new, key=self.appeal, default=None)
        if best is not None and self.appeal(best) >= self.habits.pickiness:
            self._seen.add(best.item_id)
            self._appeal, self._read = self.appeal(best), 0
            return Decision(Action.CLICK, middle(best.box), f"{best.title}: this looks like me")
        if not info["action_mask"][Action.SCROLL_DOWN] or self._chance(1 / self.habits.patience):
            return Decision(Action.TERMINATE, mind="nothing more for me")
        return Decision(Action.SCROLL_DOWN, mind="let me see more")

    def _consider(self, info: Mapping[str, Any]) -> Decision:
        mask = info["action_mask"]
        if mask[Action.PURCHASE] and self._chance(self.habits.buy * self._appeal):
            return Decision(Action.PURCHASE, mind="I want it now")
        if mask[Action.ADD_TO_CART] and self._chance(self.habits.cart * self._appeal):
            return Decision(Action.ADD_TO_CART, mind="I keep it in the cart")
        if mask[Action.ENTER_DETAIL] and self._read == 0 and self._chance(self.habits.read):
            self._read = 1
            return Decision(Action.ENTER_DETAIL, mind="I want to know more")
        if info["page"] == Page.DETAIL.label and mask[Action.SCROLL_DOWN] and self._read < 3:
            self._read += 1
            return Decision(Action.SCROLL_DOWN, mind="what do others say?")
        self._read = 3
        return Decision(Action.BACK, mind="back to the others")

    def _chance(self, probability: float) -> bool:
        return bool(self._rng.random() < probability)


def _tall(box: tuple[float, float, float, float]) -> bool:
    """Whether enough of the card shows to tell what it is."""
    return box[3] - box[1] > 0.15
