"""Screen lessons: right answers about what shows, the same at every call, and a model can learn them."""

from pathlib import Path
from typing import Any

from shopsim.agents.backend import ScriptedBackend
from shopsim.agents.recverse import RecVerseAgent
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import POINT_SCALE, parse
from shopsim.envs.env import ShopSimEnv
from shopsim.trainers.imitation import ImitationConfig, examples, train_imitation
from shopsim.trainers.lessons import SCREENS, kind_of, lessons
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy


def agent() -> RecVerseAgent:
    return RecVerseAgent.tiny(ScriptedBackend([""]))


def test_read_names_what_shows_and_find_points_at_it(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, split="train", size=(160, 320), reward=None, max_steps=None)
    session = tiny.session_id(tiny.session_rows("train").tolist()[0])
    rows = lessons(env, session, agent(), 20, seed=0)
    for _ in range(SCREENS):
        prompt, answer = next(rows)
        assert len(prompt.images) == 1
        lines = [line.split(" ", 2) for line in answer.split("\n")]
        assert len(lines) == len(env.shop.cards())
        for x, y, kind in lines:
            card = env.shop.target_at((int(x) / POINT_SCALE, int(y) / POINT_SCALE))
            assert card is not None
            assert kind == kind_of(tiny, card.item)
        prompt, answer = next(rows)
        decision = parse(answer)
        assert decision.action is Action.CLICK
        assert decision.point is not None
        card = env.shop.target_at(decision.point)
        assert card is not None
        wanted = prompt.text.split("want ", 1)[1].split(";", 1)[0]
        assert kind_of(tiny, card.item).lower().startswith(wanted.rstrip("… ").lower())


def test_they_do_not_depend_on_what_was_asked_before(options: dict[str, Any]) -> None:
    config = ImitationConfig(**options, lessons="screens", steps=1)
    policy = Policy.load(config.model)
    stream = examples(config, config.dataset(), policy, "train")
    forwards = [(row.prompt.id, row.ids) for row in stream.take(range(8))]
    backwards = [(row.prompt.id, row.ids) for row in stream.take(range(7, -1, -1))]
    again = examples(config, config.dataset(), policy, "train")
    assert forwards == backwards[::-1]
    assert forwards[5] == next((row.prompt.id, row.ids) for row in again.take([5]))


def test_a_model_learns_from_them(options: dict[str, Any], tmp_path: Path) -> None:
    options |= {"lr": 1e-2, "eval_every": 0}
    config = ImitationConfig(**options, lessons="screens", steps=16, warmup=2, batch=8, grid=20)
    train_imitation(config)
    losses = [line["loss"] for line in read(Path(config.out))]
    assert losses[-1] < 0.7 * losses[0]
