"""One session: a shopper in the shop, step by step, from the first screen to leaving.

Drives `shopsim.envs.shop.Shop`, so every step is possible there. Decisions follow what has been on the screen:
an item pleases at a glance, more or less so once opened, and its reviews tell of its quality. Each move carries
the reason for it, from which `diary` writes thoughts. Equations: ``docs/shopper-model.md``.
"""

import numpy as np

from shopsim.benchmark_usb.moves import Move, Reason
from shopsim.benchmark_usb.recommender import Recommender
from shopsim.benchmark_usb.shopper import Intent, Shopper, appeal
from shopsim.benchmark_usb.world import Goods
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.shop import Shop

# Session lengths: a discrete Weibull law, P(steps > k) = Q ** (k ** SHAPE), before interest and purchases bend it.
SHAPE, Q = 0.69, 0.832
LONGEST = 80
_TIRED_FROM, _TIRED = 44.0, 68.0
"""Patience beyond the first is drawn towards the second, so that few sessions meet `LONGEST`."""

# Thresholds on the appeal scale.
OPEN = 2.15
"""A card is opened."""
STAY = 2.1
"""An opened item is worth its detail page."""
CART = 3.2
BUY = 3.95

# Noise of judgements, standard deviations.
GLANCE, PREVIEW = 0.45, 0.3
QUALITY = 0.55
"""How much an item's quality, seen in the reviews, moves its appeal."""
MOMENTUM = 0.6
"""How much an item gains from being of the same kind as one clicked shortly before."""

FEED_STRETCH = 20
FEED_LENGTH = 240
"""Items of a feed; doubled for the rare session that needs more."""
FEED_PER_SEEN = 3


class ShoppingTrip:
    """One session of one shopper.

    Args:
        session_id: Its id.
        goods: The items.
        shopper: Who.
        intent: What they want.
        recommender: Fills the feed.
        rng: Source of chance.
    """

    def __init__(
        self,
        session_id: str,
        goods: Goods,
        shopper: Shopper,
        intent: Intent,
        recommender: Recommender,
        rng: np.random.Generator,
    ) -> None:
        self._goods, self._shopper, self._intent, self._rng = goods, shopper, intent, rng
        self._recommender = recommender
        self._clicks: list[int] = []
        self._appeal: dict[int, float] = {}
        self.shop = Shop(goods, session_id, self._stretch(), lambda _: self._stretch())
        self._energy = _energy(shopper, rng)
        self._strength = self._energy
        self.moves: list[Move] = []
        # What the shopper knows.
        self._glance: dict[int, float] = {}
        self._place: dict[int, int] = {}
        self._value: dict[int, float] = {}
        self._judged: set[int] = set()
        """Items whose detail page was read."""
        self._regretted: set[int] = set()
        self._went_back = False
        """Whether the last walk back, to the best item before leaving, was made."""
        # What the shopper is doing.
        self._goal = -1
        self._to_read = 0
        self._dull = 0

    def run(self) -> list[Move]:
        """Shops until the end."""
        while not self.moves or self.moves[-1].action is not Action.TERMINATE:
            self._do(*self._decide())
        return self.moves

    def feed(self) -> list[int]:
        """The whole feed, long beyond what was seen, so that its end tells nothing of where the shopper stopped."""
        seen = self.shop.trajectory.impressions
        wanted = FEED_LENGTH
        while wanted < FEED_PER_SEEN * len(seen):
            wanted *= 2
        return self.shop.feed + self._recommender.more(max(0, wanted - len(self.shop.feed)), self._clicks)

    # Deciding

    def _decide(self) -> tuple[Action, int, Reason, int]:
        """The next move: action, item for the record, reason, item on the mind."""
        if self._energy < 1.0 or len(self.moves) >= LONGEST - 1:
            return self._leave()
        if self.shop.page is Page.FEED:
            return self._on_feed()
        if self.shop.page is Page.PREVIEW:
            return self._on_preview()
        return self._on_detail()

    def _leave(self) -> tuple[Action, int, Reason, int]:
        reason = Reason.BORED
        if self.shop.bought:
            reason = Reason.DONE
        elif self.shop.cart:
            reason = Reason.LATER
        elif self._value:
            reason = Reason.TIRED
        return Action.TERMINATE, -1, reason, -1

    def _on_feed(self) -> tuple[Action, int, Reason, int]:
        visible = [card.item for card in self.shop.cards() if 2 * card.h >= _full_height(self._goods, card.item)]
        self._look_at(visible)
        if self._goal >= 0:
            return self._towards_goal(visible)
        fresh = {item: self._now(item) for item in visible if item not in self._value}
        best = max(fresh, key=fresh.__getitem__, default=-1)
        if best >= 0 and fresh[best] >= OPEN:
            return self._open(best)
        self._dull += 1
        if self._set_goal():
            return self._towards_goal(visible)
        if not self.shop.action_mask()[Action.SCROLL_DOWN]:
            return self._leave()
        reason = Reason.MORE if self._clicks and self._dull <= 2 else Reason.NOTHING if self.moves else Reason.START
        return Action.SCROLL_DOWN, -1, reason, self._clicks[-1] if reason is Reason.MORE else -1

    def _open(self, item: int) -> tuple[Action, int, Reason, int]:
        action = Action.ENTER_DETAIL if self._rng.random() < self._shopper.directness else Action.CLICK
        reason = Reason.LOOK
        if item in self._value:
            reason = Reason.AGAIN
        elif any(self._goods.leaf[seen] == self._goods.leaf[item] for seen in self._clicks):
            reason = Reason.SIMILAR
        elif self._goods.level[item] < min(-0.4, self._intent.budget - 0.3):
            reason = Reason.CHEAP
        return action, item, reason, item

    def _on_preview(self) -> tuple[Action, int, Reason, int]:
        item = self.shop.item
        if item in self._judged and self.moves[-1].action is Action.BACK:
            return Action.BACK, -1, Reason.LIST, item
        if item in self._judged or item in self.shop.carted:
            return self._conclude(item)
        value = self._value[item]
        if value >= CART + 0.5 and self._rng.random() < 0.35 * (1.0 - self._shopper.care):
            return Action.ADD_TO_CART, item, Reason.WANT, item
        if value >= STAY:
            return Action.ENTER_DETAIL, item, Reason.DETAILS, item
        return Action.BACK, -1, self._doubt(item), item

    def _on_detail(self) -> tuple[Action, int, Reason, int]:
        item = self.shop.item
        if self._to_read > 0 and self.shop.action_mask()[Action.SCROLL_DOWN]:
            self._to_read -= 1
            return Action.SCROLL_DOWN, -1, Reason.READ, item
        if item not in self._judged:
            self._judged.add(item)
            # Reviews lie below the first screen; who has not scrolled has seen the stars alone.
            read = min(1.0, self.shop.scroll / layout.VIEWPORT)
            self._value[item] += QUALITY * read * float(self._goods.quality[item]) + 0.1 * float(self._rng.normal())
            if self.shop.scroll and self._value[item] >= CART and self._rng.random() < 0.25:
                return Action.SCROLL_UP, -1, Reason.PICTURE, item
        return self._conclude(item)

    def _conclude(self, item: int) -> tuple[Action, int, Reason, int]:
        """Buys, carts or leaves the open item, all of which is known."""
        if item == self._goal:
            self._goal = -1
        if item in self.shop.bought:
            return Action.BACK, -1, Reason.TAKEN, item
        value = self._value[item]
        rivals = [v for other, v in self._value.items() if other != item and self._alike(other, item)]
        compared = len(rivals) >= round(2.2 * self._shopper.care) or self._energy < 4
        best = value >= max(rivals, default=value)
        bar = BUY - 0.5 * self._shopper.ease
        if best and (value >= bar + 0.9 or (value >= bar and compared)):
            if item not in self.shop.carted and self._rng.random() < 0.4:
                return Action.ADD_TO_CART, item, Reason.BEST if rivals else Reason.WANT, item
            return Action.PURCHASE, item, Reason.BEST if rivals else Reason.WANT, item
        if item in self.shop.carted:
            return Action.BACK, -1, Reason.TAKEN, item
        if value >= CART - 0.3 * self._shopper.ease and best and self._rng.random() < 0.6:
            return Action.ADD_TO_CART, item, Reason.BEST if rivals else Reason.WANT, item
        if value < CART - 0.4:
            return Action.BACK, -1, self._doubt(item), item
        return Action.BACK, -1, Reason.KEEP if best else Reason.WORSE, item

    def _doubt(self, item: int) -> Reason:
        """What speaks most against an item, of what has been seen of it."""
        read = item in self._judged and self.shop.scroll > 0
        against = {
            Reason.UNSURE: 0.5,
            Reason.DEAR: float(self._goods.level[item]) - self._intent.budget,
            Reason.STARS: (4.2 - float(self._goods.rating[item])) / 0.4,
            Reason.REVIEWS: -float(self._goods.quality[item]) - 0.3 if read else -1.0,
        }
        return max(against, key=against.__getitem__)

    # Going back

    def _set_goal(self) -> bool:
        """Decides to go back to an item seen before: one passed by too quickly, or the best, before leaving."""
        far = 4 * layout.scroll_step()
        within = [item for item, place in self._place.items() if 0 < self.shop.scroll - place <= far]
        if self._energy <= 4 and not self._went_back:
            known = [item for item in within if self._value.get(item, 0.0) >= CART - 0.2]
            known = [item for item in known if item not in self.shop.bought]
            self._went_back = True
            if known and self._rng.random() < 0.6:
                self._goal = max(known, key=self._value.__getitem__)
        elif self._dull >= 2 and self._rng.random() < 0.4:
            passed = [item for item in within if item not in self._value and item not in self._regretted]
            passed = [item for item in passed if self._now(item) >= OPEN - 0.45]
            if passed:
                self._goal = max(passed, key=self._now)
                self._regretted.add(self._goal)
        if self._goal >= 0:
            self._energy = max(self._energy, (self.shop.scroll - self._place[self._goal]) / layout.scroll_step() + 5)
        return self._goal >= 0

    def _towards_goal(self, visible: list[int]) -> tuple[Action, int, Reason, int]:
        if self._goal in visible:
            goal, self._goal = self._goal, -1
            return self._open(goal)
        return Action.SCROLL_UP, -1, Reason.RETURN, self._goal

    # Judging

    def _look_at(self, items: list[int]) -> None:
        for item in items:
            if item not in self._glance:
                self._glance[item] = self._appeal[item] + GLANCE * float(self._rng.normal())
                self._place[item] = self.shop.scroll

    def _now(self, item: int) -> float:
        """A card's pull at this moment of the session."""
        kin = 0.0
        for last in self._clicks[-3:]:
            same = 1.0 if self._goods.leaf[last] == self._goods.leaf[item] else 0.4 if self._alike(last, item) else 0.0
            kin = max(kin, same)
        return self._glance[item] + MOMENTUM * kin

    def _alike(self, a: int, b: int) -> bool:
        return bool(self._goods.l2[a] == self._goods.l2[b])

    # Doing

    def _do(self, action: Action, item: int, reason: Reason, about: int) -> None:
        page, scroll = self.shop.page, self.shop.scroll
        opens = page is Page.FEED and action in (Action.CLICK, Action.ENTER_DETAIL)
        point = self.shop.point_of(item) if opens else None
        event = self.shop.follow(action, item)
        if event.effect is not action:
            raise AssertionError(f"the shopper tried the impossible: {event}")
        self.moves.append(Move(action, page, scroll, item, point, reason, about))
        self._energy -= self._cost(action)
        if opens:
            self._clicks.append(item)
            self._dull = 0
            if item not in self._value:
                self._value[item] = self._appeal[item] + PREVIEW * float(self._rng.normal())
        if action is Action.ENTER_DETAIL:
            self._to_read = 0 if item in self._judged else int(self._rng.binomial(3, 0.15 + 0.6 * self._shopper.care))
        if action is Action.PURCHASE:
            self._energy *= float(self._rng.uniform(0.0, 0.6))

    def _cost(self, action: Action) -> float:
        """Energy a move takes: dull stretches tire, finds refresh."""
        if action is Action.SCROLL_DOWN and self.shop.page is Page.FEED and self._dull > 3:
            return 1.3
        return 0.8 if action in (Action.CLICK, Action.ENTER_DETAIL, Action.ADD_TO_CART) else 1.0

    def _stretch(self) -> list[int]:
        """More of the feed, as the recommender would have it now."""
        rows = self._recommender.more(FEED_STRETCH, self._clicks)
        pulls = appeal(self._shopper, self._intent, self._goods, np.array(rows, dtype=np.int64))
        self._appeal.update(zip(rows, pulls.tolist(), strict=True))
        return rows


def _energy(shopper: Shopper, rng: np.random.Generator) -> float:
    """Steps the shopper has the patience for."""
    drawn = float((np.log(1.0 - rng.random()) / np.log(Q)) ** (1.0 / SHAPE)) * shopper.patience
    room = _TIRED - _TIRED_FROM
    return drawn if drawn <= _TIRED_FROM else _TIRED_FROM + room * (1.0 - float(np.exp((_TIRED_FROM - drawn) / room)))


def _full_height(goods: Goods, item: int) -> int:
    return layout.PICTURE_HEIGHTS[goods.aspect(item)] + layout.CARD_TEXT
