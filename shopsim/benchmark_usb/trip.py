"""One session of a synthetic shopper in the shop, step by step, from the first screen to leaving.

Drives `shopsim.envs.shop.Shop`, so every step is possible there.
"""

import numpy as np

from shopsim.benchmark_usb.moves import Move
from shopsim.benchmark_usb.recommender import Recommender
from shopsim.benchmark_usb.shopper import Intent, Shopper
from shopsim.benchmark_usb.shopping import Shopping, Sight
from shopsim.benchmark_usb.world import Goods
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.shop import Shop

FEED_STRETCH = 4
"""Items the recommender adds at once, knowing the clicks until then."""
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
        self._goods = goods
        self._recommender = recommender
        self._shopping = Shopping(goods, shopper, intent, rng)
        self.shop = Shop(goods, session_id, self._stretch(), lambda _: self._stretch())
        self.moves: list[Move] = []

    def run(self) -> list[Move]:
        """Shops until the end."""
        while not self.moves or self.moves[-1].action is not Action.TERMINATE:
            self._step()
        return self.moves

    def feed(self) -> list[int]:
        """The whole feed, long beyond what was seen, so that its end tells nothing of where the shopper stopped."""
        seen = self.shop.trajectory.impressions
        wanted = FEED_LENGTH
        while wanted < FEED_PER_SEEN * len(seen):
            wanted *= 2
        rest = max(0, wanted - len(self.shop.feed))
        return self.shop.feed + self._recommender.more(rest, self._shopping.clicks)

    def _step(self) -> None:
        shop = self.shop
        page, scroll = shop.page, shop.scroll
        items = [card.item for card in shop.cards() if 2 * card.h >= full_height(self._goods, card.item)]
        choice = self._shopping.decide(Sight(page, items, shop.item, shop.action_mask()))
        opens = page is Page.FEED and choice.action in (Action.CLICK, Action.ENTER_DETAIL)
        point = shop.point_of(choice.item) if opens else None
        event = shop.follow(choice.action, choice.item)
        if event.effect is not choice.action:
            raise AssertionError(f"the shopper tried the impossible: {event}")
        self.moves.append(Move(choice.action, page, scroll, choice.item, point, choice.reason, choice.about))

    def _stretch(self) -> list[int]:
        """More of the feed, as the recommender would have it now."""
        return self._recommender.more(FEED_STRETCH, self._shopping.clicks)


def full_height(goods: Goods, item: int) -> int:
    """Height of the item's whole card, logical units."""
    return layout.PICTURE_HEIGHTS[goods.aspect(item)] + layout.CARD_TEXT
