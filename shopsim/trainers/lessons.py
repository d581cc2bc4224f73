"""What a model whose eyes come from nothing learns before it imitates people: to read screens and to point. Ours.

Recorded clicks name the kind of a product far too seldom to teach a small vision tower what products look like. The
feeds show thousands. For each of a session's first screens two rows are made:

``read``   the screen alone; the answer names each card that shows: its middle on the grid and its finest category
``find``   the agent's own prompt, with a preference for one shown category in memory; the answer clicks on its card

Neither uses what the person did: feeds alone are read, and only those of the split.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from shopsim.agents.backend import Image, Message, Prompt
from shopsim.agents.recverse import RecVerseAgent
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import POINT_SCALE, Decision, to_json
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.layout import Box
from shopsim.trainers.config import TrainerConfig
from shopsim.trainers.policy import Policy
from shopsim.trainers.recorded import Example, SessionRows

SCREENS = 6
"""Screens of a session that are read."""


class ScreenLessons(SessionRows[Example]):
    """Rows that teach to read feeds and to point at what is asked for.

    Args:
        config: Says which agent and screens.
        dataset: The data set.
        policy: The model that learns.
        split: Whose feeds are read.
        shuffle_sessions: As for `SessionRows`.
        grid: Points are multiples of so many thousandths, as in `shopsim.agents.demonstrations`.
    """

    def __init__(
        self, config: TrainerConfig, dataset: DataSet, policy: Policy, split: str, shuffle_sessions: int, grid: int
    ) -> None:
        self._env = config.make_env(dataset, split, max_steps=None)
        self._agent = config.make_agent(policy.backend)
        self._encoder = policy.backend.encoder
        self._grid = grid
        ids = [dataset.session_id(row) for row in dataset.session_rows(split).tolist()]
        super().__init__(ids, [2 * SCREENS] * len(ids), config.seed, shuffle_sessions)

    def of_session(self, session_id: str) -> Sequence[Example]:
        """See `SessionRows.of_session`."""
        return [
            Example(prompt, *self._encoder.answer(answer))
            for prompt, answer in lessons(self._env, session_id, self._agent, self._grid, self._seed)
        ]


def lessons(
    env: ShopSimEnv, session_id: str, agent: RecVerseAgent, grid: int, seed: int
) -> Iterator[tuple[Prompt, str]]:
    """Prompts and answers from the first screens of a session's feed, reading and finding in turn."""
    dataset = env.dataset
    rng = np.random.default_rng([seed, dataset.session_row(session_id)])
    observation, info = env.reset(seed=0, options={"session_id": session_id})
    agent.reset(info)
    for _ in range(SCREENS):
        # A first screen has no memory yet, so one scroll goes before what is asked about.
        agent.prompt(observation, info)
        observation, _, _, _, info = env.step({"action": int(Action.SCROLL_DOWN)})
        cards = env.shop.cards()
        wanted = cards[int(rng.integers(len(cards)))]
        screen = Image.of(observation["screenshot"])
        read = "\n".join(f"{_text(_middle(card, grid))} {kind_of(dataset, card.item)}" for card in cards)
        yield Prompt((Message("user", ("read ", screen)),)), read
        agent.take(Decision(Action.SCROLL_DOWN, preference=kind_of(dataset, wanted.item)))
        find = Decision(Action.CLICK, _middle(wanted, grid))
        yield agent.prompt(observation, info), to_json(find)


def kind_of(dataset: DataSet, item: int) -> str:
    """The name of the finest category an item row has, in the set's language; its title where it has none."""
    codes = [code for code in dataset.labels(item) if code >= 0]
    if not codes:
        return dataset.titles([item])[0]
    category = dataset.category(codes[-1])
    return (dataset.locale == "zh" and category.name_zh) or category.name


def _middle(card: Box, grid: int) -> tuple[float, float]:
    x, y = (round(share * POINT_SCALE / grid) * grid / POINT_SCALE for share in card.center())
    return x, y


def _text(point: tuple[float, float]) -> str:
    return " ".join(str(round(share * POINT_SCALE)) for share in point)
