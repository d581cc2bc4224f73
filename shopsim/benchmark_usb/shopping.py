"""How a shopper shops: from what is on the screen to the next move, until leaving.

Decisions follow what has been on the screens: an item pleases at a glance, more or less so once opened, and its
reviews tell of its quality. Where the screens come from is not known here: `trip` takes them from a shop of its
own, `shopper_agents` from an environment. Equations: ``docs/shopper-model.md``.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shopsim.benchmark_usb.appeal import appeal
from shopsim.benchmark_usb.moves import Reason
from shopsim.benchmark_usb.shopper import Intent, Shopper
from shopsim.benchmark_usb.world import Goods
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout

# Patience follows a Weibull law, P(energy > k) = exp(-(k / SCALE) ** SHAPE), before finds and dull stretches bend it.
SHAPE, SCALE = 0.75, 10.5
LONGEST = 150

DULL, FIND = 1.2, 0.75
"""Patience that scrolling on through a dull stretch takes, and opening or carting something; other moves take 1."""
SPENT = (0.3, 1.0)
"""Share of the patience that is left after a purchase, from and to."""

# Thresholds on the appeal scale.
OPEN = 2.1
"""A card is opened, by a shopper of usual curiosity."""
CURIOSITY = 0.6
"""How much lower a shopper of one standard deviation more curiosity has that bar."""
STAY = 2.1
"""An opened item is worth its detail page."""
CART = 3.2
BUY = 3.95
AT_ONCE = 1.6
"""So much above `BUY` an item is bought without comparing."""

# Noise of judgements, standard deviations.
GLANCE, PREVIEW = 0.45, 0.3
LAPSE = 0.01
"""Chance that a card is opened whatever it is."""
QUALITY = 0.55
"""How much an item's quality, seen in the reviews, moves its appeal."""
MOMENTUM = 1.45
"""How much an item gains from being of the same kind as one clicked shortly before."""

COMPARED = 4.0
"""Items of the same group that the most careful shopper opens before deciding."""
RETURN = 0.9
"""Chance to walk back up for the best item found."""
REACH = 8
"""How many scrolls up that may be."""


class Sight(NamedTuple):
    """What a shopper sees of the shop."""

    page: Page
    items: Sequence[int]
    """On the feed, rows of the items of whose card at least half shows."""
    item: int
    """The open item, -1 on the feed."""
    mask: Sequence[bool]
    """For each action, whether it is possible."""


class Choice(NamedTuple):
    """What a shopper does next."""

    action: Action
    item: int
    """The item acted on, -1 for none."""
    reason: Reason
    about: int
    """The item on the mind, -1 for none."""


class Shopping:
    """One session of one shopper, from the shopper's side.

    Args:
        goods: The items.
        shopper: Who.
        intent: What they want.
        rng: Source of chance.
        noise: Factor on the noise of judgements and of patience; 0 for a shopper who sees at once what an item is
            worth and leaves when they typically would.
    """

    def __init__(
        self, goods: Goods, shopper: Shopper, intent: Intent, rng: np.random.Generator, noise: float = 1.0
    ) -> None:
        self._goods, self._shopper, self._intent, self._rng, self._noise = goods, shopper, intent, rng, noise
        self._energy = patient_for(shopper, intent, rng, noise)
        self._open_at = opens_at(shopper)
        self._bar = BUY - 0.5 * shopper.ease
        self._needed = round(COMPARED * shopper.care)
        # What the shopper knows.
        self._appeal: dict[int, float] = {}
        self._glance: dict[int, float] = {}
        self._place: dict[int, int] = {}
        """How far down the feed an item was first seen, in scrolls."""
        self._value: dict[int, float] = {}
        self._judged: set[int] = set()
        """Items whose detail page was read."""
        self._weighed: set[int] = set()
        """Items that were thought of going back for."""
        self._carted: set[int] = set()
        self._bought: set[int] = set()
        self.clicks: list[int] = []
        # What the shopper is doing.
        self._last: Action | None = None
        self._steps = 0
        self._depth = 0
        """Scrolls from the top of the feed."""
        self._read = 0
        """Scrolls from the top of the detail page."""
        self._to_read = 0
        self._goal = -1
        self._dull = 0

    def decide(self, sight: Sight) -> Choice:
        """The next move; it is taken as done."""
        choice = self._choose(sight)
        self._do(choice, sight.page)
        return choice

    # Deciding

    def _choose(self, sight: Sight) -> Choice:
        if self._energy < 1.0 or self._steps >= LONGEST - 1:
            return self._leave()
        if sight.page is Page.FEED:
            return self._on_feed(sight)
        if sight.page is Page.PREVIEW:
            return self._on_preview(sight.item)
        return self._on_detail(sight)

    def _leave(self) -> Choice:
        reason = Reason.BORED
        if self._bought:
            reason = Reason.DONE
        elif self._carted:
            reason = Reason.LATER
        elif self._value:
            reason = Reason.TIRED
        return Choice(Action.TERMINATE, -1, reason, -1)

    def _on_feed(self, sight: Sight) -> Choice:
        self._look_at([item for item in sight.items if item not in self._glance])
        if self._goal >= 0 or self._set_goal():
            return self._towards_goal(sight)
        fresh = {item: self._now(item) for item in sight.items if item not in self._value}
        best = max(fresh, key=fresh.__getitem__, default=-1)
        if best >= 0 and fresh[best] >= self._open_at:
            return self._open(best)
        self._dull += 1
        if self._regret():
            return self._towards_goal(sight)
        if not sight.mask[Action.SCROLL_DOWN]:
            return self._leave()
        reason = Reason.MORE if self.clicks and self._dull <= 2 else Reason.NOTHING if self._steps else Reason.START
        return Choice(Action.SCROLL_DOWN, -1, reason, self.clicks[-1] if reason is Reason.MORE else -1)

    def _open(self, item: int) -> Choice:
        action = Action.ENTER_DETAIL if self._rng.random() < self._shopper.directness else Action.CLICK
        reason = Reason.LOOK
        if item in self._value:
            reason = Reason.AGAIN
        elif any(self._goods.leaf[seen] == self._goods.leaf[item] for seen in self.clicks):
            reason = Reason.SIMILAR
        elif self._goods.level[item] < min(-0.4, self._intent.budget - 0.3):
            reason = Reason.CHEAP
        return Choice(action, item, reason, item)

    def _on_preview(self, item: int) -> Choice:
        if item in self._judged and self._last is Action.BACK:
            return Choice(Action.BACK, -1, Reason.LIST, item)
        if item in self._judged or item in self._carted:
            return self._conclude(item)
        value = self._value[item]
        if value >= CART + 0.5 and self._rng.random() < 0.35 * (1.0 - self._shopper.care):
            return Choice(Action.ADD_TO_CART, item, Reason.WANT, item)
        if value >= STAY:
            return Choice(Action.ENTER_DETAIL, item, Reason.DETAILS, item)
        return Choice(Action.BACK, -1, self._doubt(item), item)

    def _on_detail(self, sight: Sight) -> Choice:
        item = sight.item
        if self._to_read > 0 and sight.mask[Action.SCROLL_DOWN]:
            self._to_read -= 1
            return Choice(Action.SCROLL_DOWN, -1, Reason.READ, item)
        if item not in self._judged:
            self._judged.add(item)
            # Reviews lie below the first screen; who has not scrolled has seen the stars alone.
            read = min(1.0, layout.SCROLL_FRACTION * self._read)
            self._value[item] += QUALITY * read * float(self._goods.quality[item]) + self._error(0.1)
            if self._read and self._value[item] >= CART and self._rng.random() < 0.25:
                return Choice(Action.SCROLL_UP, -1, Reason.PICTURE, item)
        return self._conclude(item)

    def _conclude(self, item: int) -> Choice:
        """Buys, carts or leaves the open item, all of which is known."""
        if item in self._bought:
            return Choice(Action.BACK, -1, Reason.TAKEN, item)
        value = self._value[item]
        rivals = self._rivals(item)
        best = value >= max(rivals, default=value)
        praise = Reason.BEST if rivals else Reason.WANT
        if best and value >= self._bar and (self._compared(item) or value >= self._bar + AT_ONCE):
            if item not in self._carted and self._rng.random() < 0.4:
                return Choice(Action.ADD_TO_CART, item, praise, item)
            return Choice(Action.PURCHASE, item, praise, item)
        if item in self._carted:
            return Choice(Action.BACK, -1, Reason.TAKEN, item)
        if value >= CART - 0.3 * self._shopper.ease and best and self._rng.random() < 0.6:
            return Choice(Action.ADD_TO_CART, item, praise, item)
        if value < CART - 0.4:
            return Choice(Action.BACK, -1, self._doubt(item), item)
        return Choice(Action.BACK, -1, Reason.KEEP if best else Reason.WORSE, item)

    def _doubt(self, item: int) -> Reason:
        """What speaks most against an item, of what has been seen of it."""
        read = item in self._judged and self._read > 0
        against = {
            Reason.UNSURE: 0.5,
            Reason.DEAR: float(self._goods.level[item]) - self._intent.budget,
            Reason.STARS: (4.2 - float(self._goods.rating[item])) / 0.4,
            Reason.REVIEWS: -float(self._goods.quality[item]) - 0.3 if read else -1.0,
        }
        return max(against, key=against.__getitem__)

    # Going back

    def _set_goal(self) -> bool:
        """Decides to go back up to the best item found: to buy it once others were compared, or before leaving."""
        tired = self._energy <= 4
        best = max((item for item in self._value if item not in self._bought), key=self._value.__getitem__, default=-1)
        if best < 0 or best in self._weighed or self._depth - self._place[best] > REACH:
            return False
        if self._value[best] < (CART - 0.2 if tired else self._bar) or not (tired or self._compared(best)):
            return False
        self._weighed.add(best)
        if self._rng.random() < RETURN:
            self._goal = best
            self._energy = max(self._energy, self._depth - self._place[best] + 5.0)
        return self._goal >= 0

    def _regret(self) -> bool:
        """Decides to go back up to a card passed by too quickly."""
        if self._dull < 2 or self._rng.random() >= 0.4:
            return False
        near = [item for item, place in self._place.items() if 0 < self._depth - place <= REACH / 2]
        passed = [item for item in near if item not in self._value and item not in self._weighed]
        self._goal = max(
            (item for item in passed if self._now(item) >= self._open_at - 0.45), key=self._now, default=-1
        )
        if self._goal >= 0:
            self._weighed.add(self._goal)
        return self._goal >= 0

    def _towards_goal(self, sight: Sight) -> Choice:
        goal = self._goal
        if goal not in sight.items and sight.mask[Action.SCROLL_UP]:
            return Choice(Action.SCROLL_UP, -1, Reason.RETURN, goal)
        self._goal = -1
        # Another feed may have no such card.
        return self._open(goal) if goal in sight.items else self._on_feed(sight)

    # Judging

    def _look_at(self, items: list[int]) -> None:
        if not items:
            return
        pulls = appeal(self._shopper, self._intent, self._goods, np.array(items)).tolist()
        for item, pull in zip(items, pulls, strict=True):
            self._appeal[item] = pull
            lapse = self._rng.random() < LAPSE * self._noise
            self._glance[item] = self._open_at if lapse else pull + self._error(GLANCE)
            self._place[item] = self._depth

    def _error(self, spread: float) -> float:
        return self._noise * spread * float(self._rng.normal())

    def _now(self, item: int) -> float:
        """A card's pull at this moment of the session."""
        return self._glance[item] + MOMENTUM * kinship(self._goods, item, self.clicks)

    def _alike(self, a: int, b: int) -> bool:
        return bool(self._goods.l2[a] == self._goods.l2[b])

    def _rivals(self, item: int) -> list[float]:
        """Values of the other items opened of the same group."""
        return [value for other, value in self._value.items() if other != item and self._alike(other, item)]

    def _compared(self, item: int) -> bool:
        return len(self._rivals(item)) >= self._needed or self._energy < 4

    # Doing

    def _do(self, choice: Choice, page: Page) -> None:
        action, item = choice.action, choice.item
        self._last = action
        self._steps += 1
        self._energy -= self._cost(action, page)
        if action in (Action.SCROLL_DOWN, Action.SCROLL_UP):
            way = 1 if action is Action.SCROLL_DOWN else -1
            self._depth += way * (page is Page.FEED)
            self._read += way * (page is Page.DETAIL)
        elif action in (Action.CLICK, Action.ENTER_DETAIL) and page is Page.FEED:
            self.clicks.append(item)
            self._dull = 0
            if item not in self._value:
                self._value[item] = self._appeal[item] + self._error(PREVIEW)
        if action is Action.ENTER_DETAIL:
            self._read = 0
            self._to_read = 0 if item in self._judged else int(self._rng.binomial(3, 0.15 + 0.6 * self._shopper.care))
        elif action is Action.ADD_TO_CART:
            self._carted.add(item)
        elif action is Action.PURCHASE:
            self._bought.add(item)
            self._energy *= float(self._rng.uniform(*SPENT))

    def _cost(self, action: Action, page: Page) -> float:
        """Energy a move takes: dull stretches tire, finds refresh."""
        if action is Action.SCROLL_DOWN and page is Page.FEED and self._dull > 3:
            return DULL
        return FIND if action in (Action.CLICK, Action.ENTER_DETAIL, Action.ADD_TO_CART) else 1.0


def kinship(goods: Goods, item: int, clicks: Sequence[int]) -> float:
    """0-1: how much an item is of the kind of the last three clicked."""
    last = clicks[-3:]
    kin = [1.0 if goods.leaf[one] == goods.leaf[item] else 0.4 * (goods.l2[one] == goods.l2[item]) for one in last]
    return float(max(kin, default=0.0))


def opens_at(shopper: Shopper) -> float:
    """Appeal from which a shopper opens a card."""
    return OPEN - CURIOSITY * shopper.curiosity


def patient_for(shopper: Shopper, intent: Intent, rng: np.random.Generator, noise: float = 1.0) -> float:
    """Steps the shopper has the patience for: the latent patience with a fresh exponential draw.

    With Gamma(1/2) patience G and E ~ Exp(1), ``(4 G E) ** (1 / (2 SHAPE))`` is Weibull of this shape. Without noise
    E is its median.
    """
    patience = shopper.patience + intent.patience
    chance = rng.exponential() ** noise * np.log(2.0) ** (1.0 - noise)
    drawn = SCALE * float((4.0 * patience * chance) ** (1.0 / (2.0 * SHAPE)))
    return min(drawn, float(LONGEST))
