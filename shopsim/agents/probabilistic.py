"""A RecSim-style user: a choice model and a budget, without a language model [papers 1909.04847, 2103.08057] (SPEC 5).

Faithful: documents have features, the user a taste over them; among what shows the user chooses by a multinomial logit,
with "none of these" as one alternative; a latent state, the time budget, is spent by looking and partly given
back by what pleased, and the session ends when it is used up.
Not faithful: RecSim's documents are vectors, here they are cards: likeness of the title to the history, price against
what the person is used to, colours against those of the history's pictures, and rating; it has no pages beyond the
slate, so that reading details, the cart and buying are further logits. Weights were set by hand, not fitted. Prices,
titles and pictures are what a card shows; the agent reads them from the data set, not from pixels.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from statistics import median
from typing import Any

import numpy as np

from shopsim.agents.base import session_rng
from shopsim.agents.likeness import words
from shopsim.agents.trivial import middle
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.decision import Decision
from shopsim.envs.infos import VisibleItem
from shopsim.errors import InputError

COLOUR_REACH = 60.0
"""Distance (of 442 from black to white) at which a colour hardly recalls another."""


@dataclass(frozen=True, slots=True)
class Taste:
    """Weights of the logits."""

    title: float = 3.0
    """Of the share of the title's words that the history knows."""
    price: float = 0.6
    """Of ln(usual price / price): above 0 the cheap is liked."""
    look: float = 1.0
    """Of the likeness of a picture's colours to those of the history, 0-1."""
    rating: float = 0.3
    """Of stars above four."""
    none: float = 5.0
    """Utility of opening none of the cards."""
    read: float = -0.3
    """Logit of going on to the details, and of each further screen of them."""
    cart: float = -4.0
    """Logit of putting an open item of utility 0 into the cart."""
    buy: float = -6.0
    """Logit of buying it."""
    patience: float = 5.0
    """Mean of the time budget, in screens of the feed."""


class ProbabilisticUser:
    """Opens by multinomial logit, tires by a budget.

    Args:
        dataset: The data set the environment plays.
        taste: Weights.
        name: What results call it.
        **weights: Of `Taste`, by name, in place of those in `taste`.

    Raises:
        InputError: There is no such weight.
    """

    def __init__(
        self, dataset: DataSet, taste: Taste | None = None, name: str = "probabilistic", **weights: float
    ) -> None:
        try:
            self.taste = replace(taste or Taste(), **weights)
        except TypeError as error:
            raise InputError(f"agent 'probabilistic': {error}") from None
        self.name = name
        self._dataset = dataset
        self._features = lru_cache(maxsize=8192)(self._read)

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        """See `Agent.reset`."""
        self._rng = session_rng(info, seed)
        past = [*info["clicks"], *info["purchases"]][-60:]
        self._known = {word for item in past for word in words(item.title)}
        self._usual = median([item.price for item in past if item.price > 0] or [0.0]) or None
        self._colours = np.array([self._features(item.item_id)[0] for item in past]).reshape(-1, 3)
        self._budget = float(self._rng.gamma(2.0, self.taste.patience / 2))
        self._seen: set[str] = set()
        self._utility = 0.0
        self._read_on = True

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        """See `Agent.act`."""
        return self._browse(info) if info["page"] == Page.FEED.label else self._consider(info)

    def settings(self) -> dict[str, Any]:
        """See `Agent.settings`."""
        return {"name": self.name, "taste": asdict(self.taste)}

    def utility(self, item: VisibleItem) -> float:
        """What a card promises this person; 0 is a stranger's."""
        taste = self.taste
        colour, rating = self._features(item.item_id)
        title = words(item.title)
        known = sum(word in self._known for word in title) / max(1, len(title))
        cheap = math.log(self._usual / item.price) if self._usual and item.price > 0 else 0.0
        stars = 0.0 if rating is None else rating - 4.0
        like = taste.title * known + taste.price * cheap + taste.look * self.look(colour) + taste.rating * stars
        return like

    def look(self, colour: tuple[int, int, int]) -> float:
        """How much a picture's colour recalls those of the history's pictures, 0-1."""
        return recalled(colour, self._colours)

    def _browse(self, info: Mapping[str, Any]) -> Decision:
        new = [item for item in info["items"] if item.item_id not in self._seen and item.box[3] - item.box[1] > 0.15]
        promised = np.array([self.utility(item) for item in new] + [self.taste.none])
        chances = np.exp(promised - promised.max())
        chosen = int(self._rng.choice(len(promised), p=chances / chances.sum()))
        if self._budget <= 0 or (chosen == len(new) and not info["action_mask"][Action.SCROLL_DOWN]):
            return Decision(Action.TERMINATE, mind="enough for today")
        if chosen == len(new):
            self._seen.update(item.item_id for item in new)
            self._budget -= 1.0
            return Decision(Action.SCROLL_DOWN, mind="none of these")
        card = new[chosen]
        self._seen.add(card.item_id)
        self._utility = self.utility(card)
        self._read_on = True
        self._budget += min(0.5, 0.25 * self._utility) - 0.5
        return Decision(Action.CLICK, middle(card.box), f"{card.title}: let me see")

    def _consider(self, info: Mapping[str, Any]) -> Decision:
        mask, taste, utility = info["action_mask"], self.taste, self._utility
        if mask[Action.PURCHASE] and self._tends(taste.buy + utility):
            return Decision(Action.PURCHASE, mind="I take it")
        if mask[Action.ADD_TO_CART] and self._tends(taste.cart + utility):
            return Decision(Action.ADD_TO_CART, mind="into the cart")
        on = Action.ENTER_DETAIL if info["page"] == Page.PREVIEW.label else Action.SCROLL_DOWN
        if self._read_on and mask[on] and self._tends(taste.read):
            return Decision(on, mind="more about it")
        self._read_on = False
        return Decision(Action.BACK, mind="back to the others")

    def _tends(self, logit: float) -> bool:
        return bool(self._rng.random() < 1 / (1 + math.exp(-logit)))

    def _read(self, item_id: str) -> tuple[tuple[int, int, int], float | None]:
        """Main colour and stars of an item."""
        item = self._dataset.item(self._dataset.item_row(item_id))
        return rgb(item.picture.color), item.rating


def rgb(colour: str) -> tuple[int, int, int]:
    """The numbers of ``#rrggbb``."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def recalled(colour: tuple[int, int, int], past: np.ndarray[Any, Any]) -> float:
    """How much a colour recalls the colours of shape (n, 3) that came before it, 0-1; 0 where there are none."""
    if not len(past):
        return 0.0
    distance = np.linalg.norm(past - np.array(colour), axis=1)
    return float(np.exp(-((distance / COLOUR_REACH) ** 2)).mean())
