"""`ShopSimEnv`: the shop as a Gymnasium environment, free running (SPEC 2)."""

import math
from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from shopsim.data import DataSet
from shopsim.data.records import User
from shopsim.data.vocabulary import Action
from shopsim.envs import layout
from shopsim.envs.feed import Feed, FeedPolicy, load_policy
from shopsim.envs.infos import hidden_info, start_info, step_info
from shopsim.envs.reward import Reward, RewardParts, StepRewardParts, TrajectoryReward
from shopsim.envs.shop import Shop
from shopsim.envs.spaces import RawAction, action_space, observation_space, read_action
from shopsim.envs.start import Start, open_dataset
from shopsim.envs.trajectory import Event, StopReason, Trajectory
from shopsim.envs.view import View
from shopsim.errors import InputError

if TYPE_CHECKING:
    from shopsim.envs.screens.choice import RendererChoice

_LEAVE = Action.TERMINATE
_NO_EPISODE = "before a reset()"
_PARTS = RewardParts, StepRewardParts
_TERMINATED = StopReason.TERMINATE, StopReason.RECORD_END
_TRUNCATED = StopReason.MAX_STEPS, StopReason.STUCK
_count = lru_cache(maxsize=4096)(np.int64)
"""Numbers of the observation; being immutable, they can be handed out again."""


class ShopSimEnv(gym.Env[dict[str, Any], RawAction]):
    """A mobile shop, as one recorded shopper found it; the agent shops in that shopper's place.

    ## Description
    An episode is a session: a user with a history enters the shop, scrolls a two-column feed, opens items, may put
    them into the cart or buy them, and leaves. The state follows the agent: any item that shows can be opened, whether
    or not the recorded person opened it. The feed is the recorded one; behind its end come similar items.

    ## Action space
    ``Dict(action=Discrete(8), point=Box(0, 1, (2,), float32))``. The point is relative to the screen, (0, 0) its top
    left corner; actions that need none ignore it, and it may be left out.

    | # | action | possible on | what it does |
    |---|---|---|---|
    | 0 | scroll_down | all pages | moves the page on by 0.8 of the viewport |
    | 1 | scroll_up | all pages | moves it back |
    | 2 | click | all pages | does what is under the point: a card opens its preview, a button does its action |
    | 3 | enter_detail | feed (on a card), preview | opens the detail page |
    | 4 | back | preview, detail | returns to where it was opened from, scroll position kept |
    | 5 | add_to_cart | preview, detail | puts the open item into the cart, once |
    | 6 | purchase | preview, detail | buys the open item, once; the session goes on |
    | 7 | terminate | all pages | leaves the shop |

    None stands for an answer that could not be read. An action that cannot be done changes nothing, costs a step and
    is named in ``info["invalid"]``: ``scroll_end``, ``no_target``, ``off_screen``, ``not_here``, ``already_done``,
    ``unparsed``. Something that is no action at all is a ValueError.

    ## Observation space
    ``Dict`` of ``screenshot`` Box(0, 255, (608, 320, 3), uint8), ``page`` Discrete(3) (feed, preview, detail), ``cart``
    Discrete (items in it) and ``step`` Discrete (steps taken). The observation after an action shows its effect.

    ## Info
    At each step:

    * ``items``: a tuple of `VisibleItem`, the cards on the screen with their boxes; ``text``: the screen as a tree
    * ``page``, ``cart`` (item ids), ``open_item`` (an item id or None)
    * ``effect``: what the action did, None where ``invalid`` says why it did nothing
    * ``stop_reason``: ``terminate``, ``max_steps`` or ``stuck``, None before the end
    * ``action_mask``: bool (8,), True where some point makes the action effective now
    * ``screen_source``: ``recorded`` where the data set has a screenshot of this very state, else ``renderer``

    After `reset` also ``session_id``, ``seed``, ``split``, ``user`` (a dict of ``age``, ``gender``, ``persona``; what
    is unknown is left out), ``clicks`` and ``purchases`` (tuples of `PastItem`, oldest first), ``locale`` and
    ``currency``. With `privileged` always ``privileged``: a dict of ``categories`` (ids of the three levels, for each
    of ``items``), ``open_item_categories``, and ``human`` (the person's (effect, item id) pairs, in order).

    ## Rewards
    0 until the last step, which pays how close the whole session came to the recorded person's
    (`shopsim.envs.reward.TrajectoryReward`; 1 for doing exactly the same); its parts are in ``info["reward_parts"]``.

    ## Start state
    `reset` draws a session of the split, uniformly; the page is its feed, unscrolled, the cart empty.
    ``reset(seed=info["seed"])`` starts the same episode again, also where that seed was drawn and not given. Options:
    ``session_id`` (a session of the split), ``persona`` (text in place of the user's own, for this episode).

    ## Episode end
    Terminated: the agent did ``terminate``. Truncated: `max_steps` steps, or `stuck_after` steps in a row without
    effect. A `step` after the end raises `gymnasium.error.ResetNeeded`.

    ## Arguments
    See below. Render modes: ``rgb_array`` (the phone, the last touch marked), ``ansi`` (the text view), ``human`` (a
    window; without a display, the text view on standard output); by `gym.make` also ``rgb_array_list``, ``ansi_list``.

    ## Version history
    * v0: first version.

    Args:
        data: A data set, its folder or hub id; None for the small one that ships with ShopSim.
        split: ``train``, ``validation`` or ``test``; None for all sessions.
        reward: ``"trajectory"``; None for no reward; or a function of the agent's trajectory, the person's, and the
            category labels by item row, called on the last step, that returns a number or `RewardParts`.
        max_steps: Steps after which the episode is cut off; ``"longest"`` for those of the data set's longest session;
            None for no limit.
        stuck_after: Steps without effect in a row that cut the episode off; None for no such rule.
        size: Width and height of the screenshot in pixels.
        scroll_fraction: Share of the viewport that one scroll moves; None for what the data set was recorded with.
        feed: Feed policy: ``recorded``, ``random``, ``popularity``, ``price_ascending``, ``similar``, an import path
            ``my.module:rank``, or the function.
        privileged: Whether infos carry the hidden truth.
        pixels: False leaves the screenshot out of the observation.
        render_mode: How `render` shows the episode.
        theme: ``light`` or ``dark``.
        renderer: ``fast``, ``browser`` (Chromium, by Playwright), or a `shopsim.envs.Chromium` that
            says which browser and how long it may take. A browser that fails raises `shopsim.errors.EnvironmentFault`
            from `step` on, until the next `reset`.
        pictures: Folder of images that replace drawn pictures; see `shopsim.envs.screens.pictures.pack.PicturePack`.

    Raises:
        InputError: An argument cannot be used.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 2}  # type: ignore[misc]

    dataset: DataSet
    shop: Shop
    """The state of the current episode."""
    session_row: int
    """Its session's row in the data set."""
    user: User
    """Its user, with the persona asked for."""

    def __init__(
        self,
        data: DataSet | str | PathLike[str] | None = None,
        *,
        split: str | None = "train",
        reward: Reward | Literal["trajectory"] | None = "trajectory",
        max_steps: int | Literal["longest"] | None = "longest",
        stuck_after: int | None = 5,
        size: tuple[int, int] = (layout.WIDTH, layout.HEIGHT),
        scroll_fraction: float | None = None,
        feed: str | FeedPolicy = "recorded",
        privileged: bool = False,
        pixels: bool = True,
        render_mode: str | None = None,
        theme: str = "light",
        renderer: "RendererChoice" = "fast",
        pictures: str | PathLike[str] | None = None,
    ) -> None:
        self.dataset = open_dataset(data)
        self.split = split
        self._start = Start(self.dataset, split)
        if reward != "trajectory":
            require_function("reward", reward, "'trajectory'")
        self._reward: Reward | None = TrajectoryReward() if isinstance(reward, str) else reward
        self.max_steps = self.dataset.longest_session if max_steps == "longest" else _limit("max_steps", max_steps)
        self.stuck_after = _limit("stuck_after", stuck_after)
        if scroll_fraction is not None and not (isinstance(scroll_fraction, Real) and 0 < scroll_fraction <= 1):
            raise InputError(f"scroll_fraction is {scroll_fraction!r}; it must be above 0 and at most 1")
        self._scroll_step = self.dataset.scroll_step if scroll_fraction is None else layout.scroll_step(scroll_fraction)
        self.feed, self._policy = load_policy(feed)
        self._privileged, self._pixels = privileged, pixels
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise InputError(f"render_mode is {render_mode!r}; it must be None or one of {modes}")
        self.render_mode = render_mode
        size = _whole_size(size)
        self._view = View(self.dataset, size, theme, renderer, pictures)
        if pixels or render_mode == "rgb_array":
            _ = self._view.renderer  # now, so that a size or theme that cannot be drawn is named here
        self.action_space = action_space()
        self.observation_space = observation_space(size, self.max_steps, self.dataset.n_items, pixels)
        self._stopped: str | None = _NO_EPISODE
        self._human: Trajectory | None = None

    @property
    def trajectory(self) -> Trajectory:
        """What the agent did in the current episode."""
        return self.shop.trajectory

    @property
    def human(self) -> Trajectory:
        """What the recorded person did in this session."""
        if self._human is None:
            self._human = self._view.person(self.session_row)
        return self._human

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a session; see "Start state" on the class.

        Raises:
            InputError: An option does not exist or cannot be used.
        """
        self._begin(seed, options)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info() | self._start_info()

    def step(self, action: RawAction) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Does one action; see the class.

        Raises:
            ValueError: This is no action.
            ResetNeeded: The episode is over, or none has begun.
        """
        return self._result(self._act(*read_action(action)))

    def render(self) -> NDArray[np.uint8] | str | None:
        """Shows the current screen in the render mode."""
        if self.render_mode is None:
            gym.logger.warn('render() shows nothing without a render mode: gym.make(..., render_mode="rgb_array")')
            return None
        if self._stopped == _NO_EPISODE:
            raise ResetNeeded(f"render() was called {_NO_EPISODE}")
        if self.render_mode == "ansi":
            return self._view.page_of_text(self.shop, self._event)
        if self.render_mode == "rgb_array":
            return self._view.frame(self.shop, self._event)
        self._view.show(self.shop, self._event)
        return None

    def close(self) -> None:
        """Closes the window and the browser, where there is one."""
        self._view.close()

    # Inner workings; the teacher-forced and the batched environment share them

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        super().reset(seed=seed)
        self._seed = int(self.np_random.integers(2**31)) if seed is None else seed
        self._stopped = _NO_EPISODE
        self.session_row, self.user = self._start.draw(self._seed, options)
        self.shop = self._open_shop()
        self._human = None
        self._view.begin(self.session_row)
        self._event: Event | None = None
        self._idle = 0
        self._stopped = None

    def _open_shop(self) -> Shop:
        feed = Feed(self.feed, self._policy, self.dataset, self.session_row, self.user, self._seed)
        session_id = self.dataset.session_id(self.session_row)
        first = self._view.aisle(self.session_row, self._scroll_step) if feed.as_recorded else feed.first()
        return Shop(self.dataset, session_id, first, feed.extend, self._scroll_step)

    def _act(self, action: Action | None, point: tuple[float, float] | None) -> RewardParts | float:
        """Does one action; what it earns."""
        if self._stopped:
            self._refuse()
        shop = self.shop
        event = self._event = shop.step(action, point)
        self._idle = 0 if event.invalid is None else self._idle + 1
        if event.effect is _LEAVE:
            self._stop(StopReason.TERMINATE)
        elif self._idle == self.stuck_after:
            self._stop(StopReason.STUCK)
        elif event.step + 1 == self.max_steps:
            self._stop(StopReason.MAX_STEPS)
        else:
            return 0.0
        return self._reward(self.trajectory, self.human, self.dataset.labels) if self._reward else 0.0

    def _refuse(self) -> NoReturn:
        raise ResetNeeded(f"step() was called {self._stopped}; call reset() to begin another")

    def _stop(self, reason: StopReason) -> None:
        self.trajectory.stop_reason = reason
        self._stopped = f"after the end of the episode ({reason})"

    def _result(
        self, paid: RewardParts | StepRewardParts | float
    ) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        reward, terminated, truncated, parts = self._verdict(paid)
        if self.render_mode == "human":
            self.render()
        info = self._info()
        info.update(parts)
        return self._observation(), reward, terminated, truncated, info

    def _verdict(self, paid: RewardParts | StepRewardParts | float) -> tuple[float, bool, bool, dict[str, Any]]:
        """Reward, terminated, truncated, and what the info says of the reward."""
        parts = {}
        if isinstance(paid, _PARTS):
            parts["reward_parts"] = paid
            paid = paid.total
        reason = self.trajectory.stop_reason
        try:
            number = float(paid)
        except (TypeError, ValueError):
            number = math.nan
        if math.isnan(number):
            raise InputError(f"the reward function returned {paid!r}; it must return a number or reward parts")
        return number, reason in _TERMINATED, reason in _TRUNCATED, parts

    def _observation(self) -> dict[str, Any]:
        shop = self.shop
        seen: dict[str, Any] = {
            "page": _count(shop.page),
            "cart": _count(len(shop.cart)),
            "step": _count(len(shop.trajectory.events)),
        }
        if self._pixels:
            seen["screenshot"] = self._view.pixels(shop)
        return seen

    def _info(self) -> dict[str, Any]:
        look = self._view.look(self.shop)
        info = step_info(look.info, look.mask, self._event, self.trajectory.stop_reason)
        if not self._pixels:
            info["screen_source"] = None
        if self._privileged:
            info["privileged"] = hidden_info(self.dataset, self._view.names, self.shop, self.human)
        return info

    def _start_info(self) -> dict[str, Any]:
        return start_info(self.dataset, self._view.names, self.session_row, self.user, self._seed)


def require_function(name: str, value: object, word: str) -> None:
    """Refuses an argument that is neither None nor a function.

    Raises:
        InputError: And it is not `word`, the caller says.
    """
    if value is not None and (isinstance(value, str) or not callable(value)):
        raise InputError(f"{name} is {value!r}; it must be {word}, None or a function")


def _whole_size(size: object) -> tuple[int, int]:
    sides = tuple(size) if isinstance(size, Sequence) and not isinstance(size, str) else ()
    if len(sides) != 2 or not all(isinstance(side, Integral) and not isinstance(side, bool) for side in sides):
        raise InputError(f"size is {size!r}; it must be two whole numbers of pixels (width, height)")
    return int(sides[0]), int(sides[1])


def _limit(name: str, value: int | None) -> int | None:
    if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value < 1):
        raise InputError(f"{name} is {value!r}; it must be a whole number from 1 on, or None for no limit")
    return value
