"""`ShopSimReplayEnv`: what would the agent have done where the person was, step by step (SPEC 2.1)."""

from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from shopsim.data import DataSet
from shopsim.envs import human, layout
from shopsim.envs.env import ShopSimEnv, require_function
from shopsim.envs.shop import Shop
from shopsim.envs.spaces import RawAction, read_action
from shopsim.envs.step_reward import ShopR1Reward, StepReward, exact_match
from shopsim.envs.trajectory import Event, StopReason

if TYPE_CHECKING:
    from shopsim.envs.screens.choice import RendererChoice


class HumanAction(NamedTuple):
    """What the recorded person did on the screen the agent was asked about."""

    label: str
    item_id: str | None
    point: tuple[float, float] | None
    """Middle of the card's visible part where a card was touched, shares of the screen."""


class ShopSimReplayEnv(ShopSimEnv):
    """A recorded session, screen by screen; the agent says at each what it would do, the person's step follows.

    ## Description
    Teacher forced: whatever the agent answers, the recorded state comes next. This is how Shop-R1, Customer-R1, STA
    and OPeRA score. An answer is judged by what it would have done on the recorded screen; it changes nothing.

    ## Action space, observation space
    As of `ShopSimEnv`. ``step`` in the observation counts recorded steps.

    ## Info
    As of `ShopSimEnv`, where ``effect`` and ``invalid`` are those of the recorded step (so ``invalid`` is always None).
    After each step also: ``human_action`` (`HumanAction`), ``agent_effect`` and ``agent_item`` (what the answer would
    have done, and on which item id; None where nothing), ``agent_invalid`` (why it could not be done, or None), and
    ``match`` (whether effect and item are the person's).

    ## Rewards
    One for each answer: Shop-R1's (`shopsim.envs.step_reward.ShopR1Reward`), its parts in ``info["reward_parts"]``.

    ## Start state
    As of `ShopSimEnv`.

    ## Episode end
    Terminated after the recorded ``terminate``, with the stop reason ``record_end``. Nothing cuts it off earlier.

    ## Arguments
    See below; what decides the course of a free session (feed, step limit, scroll distance) is the recording's.

    ## Version history
    * v0: first version.

    Args:
        data: A data set, its folder or hub id; None for the small one that ships with ShopSim.
        split: ``train``, ``validation`` or ``test``; None for all sessions.
        reward: ``"shop-r1"``; None for no reward; or a function of the judged answer, the recorded step, and the data
            set, that returns a number or `StepRewardParts`.
        size: Width and height of the screenshot in pixels.
        privileged: Whether infos carry the hidden truth.
        pixels: False leaves the screenshot out of the observation.
        render_mode: How `render` shows the episode.
        theme: ``light`` or ``dark``.
        renderer: ``fast``, ``browser``, or a `Chromium`; as of `ShopSimEnv`.
        pictures: Folder of images that replace drawn pictures.

    Raises:
        InputError: An argument cannot be used.
    """

    def __init__(
        self,
        data: DataSet | str | PathLike[str] | None = None,
        *,
        split: str | None = "train",
        reward: StepReward | Literal["shop-r1"] | None = "shop-r1",
        size: tuple[int, int] = (layout.WIDTH, layout.HEIGHT),
        privileged: bool = False,
        pixels: bool = True,
        render_mode: str | None = None,
        theme: str = "light",
        renderer: "RendererChoice" = "fast",
        pictures: str | PathLike[str] | None = None,
    ) -> None:
        super().__init__(
            data,
            split=split,
            reward=None,
            size=size,
            privileged=privileged,
            pixels=pixels,
            render_mode=render_mode,
            theme=theme,
            renderer=renderer,
            pictures=pictures,
        )
        if reward != "shop-r1":
            require_function("reward", reward, "'shop-r1'")
        self._step_reward: StepReward | None = ShopR1Reward() if isinstance(reward, str) else reward
        self.answers: list[Event] = []
        """The agent's answers of this episode, judged; as many as `trajectory` has steps."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a session; see "Start state" on the class."""
        started = super().reset(seed=seed, options=options)
        self.answers = []
        return started

    def step(self, action: RawAction) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Judges an answer, then does the recorded step; see the class.

        Raises:
            ValueError: This is no action.
            ResetNeeded: The episode is over, or none has begun.
        """
        if self._stopped:
            self._refuse()
        shop = self.shop
        asked, point = read_action(action)
        recorded = self.human.events[len(self.answers)]
        effect, item, invalid = shop.judge(asked, point)
        answer = Event(recorded.step, shop.page, shop.scroll, asked, effect, item, invalid, point)
        self.answers.append(answer)
        assert recorded.effect is not None
        self._event = shop.follow(recorded.effect, recorded.item)
        if len(self.answers) == len(self.human):
            self._stop(StopReason.RECORD_END)
        paid = self._step_reward(answer, recorded, self.dataset) if self._step_reward else 0.0
        observation, reward, terminated, truncated, info = self._result(paid)
        item_id = self.dataset.item_id
        info |= {
            "human_action": HumanAction(
                recorded.effect.label, item_id(recorded.item) if recorded.item >= 0 else None, recorded.point
            ),
            "agent_effect": effect.label if effect is not None else None,
            "agent_item": item_id(item) if item >= 0 and effect is not None else None,
            "agent_invalid": str(invalid) if invalid else None,
            "match": exact_match(answer, recorded),
        }
        return observation, reward, terminated, truncated, info

    def _open_shop(self) -> Shop:
        return human.open_shop(self.dataset, self.session_row)
