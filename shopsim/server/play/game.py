"""One session shopped by a person at a page or a terminal: the environment, and what a data set keeps of it. Ours."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shopsim.data import DataSet
from shopsim.data.records import Step
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.feed import Feed, recorded
from shopsim.envs.layout import Box
from shopsim.envs.reward import RewardParts
from shopsim.envs.spaces import read_action
from shopsim.envs.trajectory import Event, Invalid
from shopsim.errors import InputError

FAILED: dict[Invalid, str] = {
    Invalid.SCROLL_END: "The page ends here.",
    Invalid.NO_TARGET: "Nothing reacts there.",
    Invalid.OFF_SCREEN: "That is off the screen.",
    Invalid.NOT_HERE: "That is not possible here.",
    Invalid.ALREADY_DONE: "That is done already.",
    Invalid.UNPARSED: "That is no action.",
}


@dataclass(frozen=True, slots=True)
class Target:
    """Something on the screen that reacts."""

    kind: str
    """``card``, ``back``, ``details``, ``add_to_cart`` or ``purchase``."""
    label: str
    box: tuple[float, float, float, float]
    """Left, top, width, height as shares of the screen."""
    item: int = -1

    @property
    def point(self) -> tuple[float, float]:
        """Its middle."""
        left, top, width, height = self.box
        return left + width / 2, top + height / 2


@dataclass(frozen=True, slots=True)
class Played:
    """What is kept of a finished session: what it did, never what it tried in vain."""

    session_id: str
    """The recorded session that it was played in."""
    started_at: datetime
    feed: tuple[str, ...]
    steps: tuple[Step, ...]


class Game:
    """A session under a person's hands, in the same environment that agents get, without limits.

    Args:
        dataset: The data set.
        seed: Draws the session.
        session_id: The session, where it is not to be drawn.
        now: The time it starts.
        split: Where it is drawn from; None for all sessions.

    Raises:
        InputError: There is no such session.
    """

    def __init__(
        self, dataset: DataSet, seed: int, now: datetime, session_id: str | None = None, split: str | None = None
    ) -> None:
        self.dataset = dataset
        self._env = ShopSimEnv(dataset, split=split, max_steps=None, stuck_after=None, pixels=False)
        _, info = self._env.reset(seed=seed, options={"session_id": session_id} if session_id else None)
        self.session_id: str = info["session_id"]
        self.text: str = info["text"]
        self.event: Event | None = None
        self.over = False
        self.reward: RewardParts | None = None
        self._seed = seed
        self._started = self._last = now
        self._steps: list[Step] = []

    @property
    def shop(self) -> Any:
        """The shop's state, for who draws it."""
        return self._env.shop

    @property
    def moves(self) -> int:
        """Actions so far, those in vain too."""
        return len(self._env.trajectory)

    def act(self, action: int, point: tuple[float, float] | None, now: datetime) -> Event:
        """Does one action.

        Args:
            action: One of the eight.
            point: Shares of the screen, where the action needs one.
            now: The time of it; a clock that went back does not count.

        Raises:
            InputError: This is no action, or the session is over.
        """
        if self.over:
            raise InputError("this session is over; start another")
        asked: dict[str, Any] = {"action": action} if point is None else {"action": action, "point": point}
        try:
            read_action(asked)
        except ValueError as error:
            raise InputError(str(error)) from None
        _, _, self.over, _, info = self._env.step(asked)
        self.text, self.reward = info["text"], info.get("reward_parts", self.reward)
        self.event = event = self._env.trajectory.events[-1]
        self._last = max(self._last, now)
        if event.effect is not None:
            item = self.dataset.item_id(event.item) if event.item >= 0 else None
            x, y = event.point or (None, None)
            self._steps.append(Step(event.effect, event.page, event.scroll, self._last, item, x, y))
        return event

    def targets(self) -> list[Target]:
        """What reacts on the screen, in reading order; what is done already is left out."""
        shop = self.shop
        if shop.page is Page.FEED:
            cards = shop.cards()
            titles = self.dataset.titles([card.item for card in cards])
            prices = self.dataset.prices
            return [
                Target("card", f"{title}, {prices[card.item]:.2f} {self.dataset.currency}", _shares(card), card.item)
                for card, title in zip(cards, titles, strict=True)
            ]
        names = {"back": "Back", "details": "See full details", "add_to_cart": "Add to cart", "purchase": "Buy now"}
        done = {"add_to_cart": shop.item in shop.carted, "purchase": shop.item in shop.bought}
        buttons = layout.BUTTONS[shop.page.label]
        return [Target(box.kind, names[box.kind], _shares(box)) for box in buttons if not done.get(box.kind)]

    def said(self) -> str:
        """What the last action did and what shows now, in a sentence or two."""
        shop, event = self.shop, self.event
        if event is not None and event.invalid is not None:
            return FAILED[event.invalid]
        if self.over:
            return "You have left the shop."
        here = {
            Page.FEED: f"The feed, {len(shop.cards())} items.",
            Page.PREVIEW: f"Preview of {self._open_title()}.",
            Page.DETAIL: f"Details of {self._open_title()}.",
        }[shop.page]
        did = {Action.ADD_TO_CART: "In the cart. ", Action.PURCHASE: "Bought. "}
        return (did.get(event.effect, "") if event is not None and event.effect is not None else "") + here

    def played(self) -> Played:
        """What is to be kept.

        Raises:
            InputError: The session is not over.
        """
        if not self.over:
            raise InputError("only a finished session can be saved; leave the shop first")
        feed = self._long_feed()
        return Played(
            self.session_id, self._started, tuple(self.dataset.item_id(row) for row in feed), tuple(self._steps)
        )

    def _open_title(self) -> str:
        return self.dataset.titles([self.shop.item])[0] if self.shop.item >= 0 else "an item"

    def _long_feed(self) -> list[int]:
        """The feed as it was seen and what would have followed, as long as the data layout asks."""
        from shopsim.data.session_rules import FEED_PER_VISIT, MIN_FEED

        feed = list(self.shop.feed)
        named = {step.item_id for step in self._steps if step.item_id is not None}
        wanted = max(MIN_FEED, FEED_PER_VISIT * len(named))
        env = self._env
        rest = Feed("recorded", recorded, self.dataset, env.session_row, env.user, self._seed)
        seen = set(feed)
        while len(feed) < wanted and (more := rest.extend(feed)):
            feed += [row for row in more if row not in seen]
        return feed


def _shares(box: Box) -> tuple[float, float, float, float]:
    return box.x / layout.WIDTH, box.y / layout.HEIGHT, box.w / layout.WIDTH, box.h / layout.HEIGHT
