"""Grounding: what is asked and what is right, that it can be learned and measured, and resumed."""

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs import human
from shopsim.errors import InputError
from shopsim.trainers.grounding import GroundingConfig, Questions, measure, train_grounding
from shopsim.trainers.imitation import accumulate
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy
from shopsim.trainers.sight import SCREENS, as_written
from tests.trainers.conftest import unexplained


@pytest.fixture
def config(options: dict[str, Any]) -> GroundingConfig:
    options |= {"lr": 3e-3, "size": (160, 320)}
    return GroundingConfig(**options, steps=3, batch=2, questions=3, warmup=1, eval_every=2, eval_sessions=1)


def test_right_is_a_click_on_a_card_of_the_category_in_memory(config: GroundingConfig, tiny: DataSet) -> None:
    policy = Policy.load(config.model)
    row = int(tiny.session_rows("train")[0])
    shop = human.open_shop(tiny, row)
    screens = Questions(config, tiny, policy, "train").of_session(tiny.session_id(row))
    assert len(screens) == SCREENS
    several = False
    for screen in screens:
        assert len(screen) == config.questions
        for question in screen:
            asked = question.clicks[0].prompt
            assert all(click.prompt is asked for click in question.clicks)
            assert len(asked.images) == 1
            wanted = asked.text[asked.text.index("want ") + len("want ") :].split(";")[0]
            items = [shop.target_at(point_of(click.ids, policy)).item for click in question.clicks]  # type: ignore[union-attr]
            assert len(set(items)) == len(items)
            names = [{as_written(tiny, code).strip() for code in tiny.labels(item) if code >= 0} for item in items]
            assert question.right == tuple(wanted in of_item for of_item in names)
            assert question.right[question.chosen]
            several |= not all(question.right)
        shop.step(Action.SCROLL_DOWN)
    assert several, "some cards must be wrong, or there is nothing to find"


def point_of(ids: list[int], policy: Policy) -> tuple[float, float]:
    answer = json.loads(policy.backend.encoder.tokenizer.decode(ids[:-1]))
    x, y = answer["action"]["point"]
    return x / 1000, y / 1000


def test_only_the_point_is_learned(config: GroundingConfig, tiny: DataSet) -> None:
    policy = Policy.load(config.model)
    tokenizer = policy.backend.encoder.tokenizer
    for question in next(Questions(config, tiny, policy, "train").first(1)):
        for click in question.clicks:
            learned = tokenizer.decode([id for id, flag in zip(click.ids, click.supervised, strict=True) if flag])
            x, y = point_of(click.ids, policy)
            assert f"[{x * 1000:.0f},{y * 1000:.0f}]" in learned.replace(" ", "")
            assert "click" not in learned, "whether to tap is for imitation to teach"


def test_it_learns_where_what_is_wanted_shows(config: GroundingConfig, tiny: DataSet) -> None:
    policy = Policy.load(config.model)
    screens = list(Questions(replace(config, questions=8), tiny, policy, "train").first(1))[:2]
    questions = list(chain.from_iterable(screens))
    before = measure(policy, questions, config)
    optimizer = torch.optim.AdamW(policy.model.parameters(), 3e-3)
    for _ in range(80):
        accumulate(policy, [question.clicks[question.chosen] for question in questions], 16)
        optimizer.step()
        optimizer.zero_grad()
    after = measure(policy, questions, config)
    assert after["validation/accuracy"] > 0.9
    assert after["validation/chance"] == before["validation/chance"] < 0.8


def test_what_it_logs_is_explained(config: GroundingConfig) -> None:
    train_grounding(config)
    assert not set().union(*(unexplained(line) for line in read(Path(config.out))))


def test_a_run_goes_on_where_it_was(config: GroundingConfig, tmp_path: Path) -> None:
    train_grounding(config)
    train_grounding(replace(config, steps=5))
    straight = replace(config, steps=5, out=str(tmp_path / "straight"))
    train_grounding(straight)
    broken, whole = (
        [(line["loss"], line["grad_norm"]) for line in read(Path(out))] for out in (config.out, straight.out)
    )
    assert broken == whole


def test_nonsense_is_refused(config: GroundingConfig, tiny: DataSet) -> None:
    with pytest.raises(InputError, match="questions is 0"):
        replace(config, questions=0)
    with pytest.raises(InputError, match="preference memory"):
        train_grounding(replace(config, agent_options={"use_preference": False}))
