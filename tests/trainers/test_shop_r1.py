import math
import warnings
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from shopsim.agents.backend import Completion, Sampling
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision, parse, to_json
from shopsim.envs.replay_env import ShopSimReplayEnv
from shopsim.envs.reward import StepRewardParts
from shopsim.envs.step_reward import ShopR1Reward
from shopsim.errors import InputError
from shopsim.trainers import shop_r1
from shopsim.trainers.advantages import swamped_parts
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy
from shopsim.trainers.shop_r1 import (
    PARTS,
    Answer,
    Questions,
    ShopR1Config,
    ask,
    certainties,
    judge,
    rows_of,
    score,
    thought_tokens,
    train_shop_r1,
)
from shopsim.trainers.update import update
from tests.trainers.conftest import ANSWERS, unexplained

TEXTS = [
    *ANSWERS,
    to_json(Decision(Action.CLICK, (0.7, 0.4))),
    to_json(Decision(Action.CLICK, (0.3, 0.7))),
    to_json(Decision(Action.ENTER_DETAIL, (0.2, 0.4))),
    "no idea",
]


@pytest.fixture
def config(options: dict[str, Any]) -> ShopR1Config:
    return ShopR1Config(**options, iterations=2, groups=3, num_generations=4, max_tokens=6, temperature=1.0)


@pytest.fixture
def questions(config: ShopR1Config, tiny: DataSet, policy: Policy) -> Questions:
    return Questions(config, tiny, policy, "train", config.shuffle_sessions)


def said(policy: Policy, text: str) -> Completion:
    ids = policy.backend.encoder.answer(text)[0]
    return Completion(text, tuple(ids), (-1.0,) * len(ids), False, 10, len(ids))


def answered(policy: Policy, tiny: DataSet, questions: Questions, texts: list[str] = TEXTS) -> list[Answer]:
    """Every text as an answer to every question of the first two sessions."""
    made = []
    for group, question in enumerate(questions.first(2)):
        completions = [said(policy, text) for text in texts]
        events, recorded = judge(tiny, question, completions)
        made += [Answer(group, question, c, e, recorded) for c, e in zip(completions, events, strict=True)]
    return made


# The reward


@pytest.mark.parametrize("reward", ["shop-r1", "customer-r1"])
def test_answers_are_paid_as_the_teacher_forced_environment_pays(
    config: ShopR1Config, tiny: DataSet, policy: Policy, questions: Questions, reward: Any
) -> None:
    config = replace(config, reward=reward, alpha=0.0)
    answers = answered(policy, tiny, questions)
    parts = score(policy, tiny, answers, config)
    env = ShopSimReplayEnv(tiny, reward=config.step_reward(), pixels=False)
    sessions = dict.fromkeys(answer.question.session_row for answer in answers)
    for text, row in product(TEXTS, sessions):
        env.reset(options={"session_id": tiny.session_id(row)})
        mine = [
            (answer, part)
            for answer, part in zip(answers, parts, strict=True)
            if answer.question.session_row == row and answer.completion.text == text
        ]
        assert len(mine) == tiny.n_steps(row)
        for answer, part in mine:
            _, paid, _, _, info = env.step(parse(text).env_action())
            assert part["total"] == pytest.approx(paid)
            assert {name: part[name] for name in PARTS} == {name: getattr(info["reward_parts"], name) for name in PARTS}
            assert answer.event == env.answers[-1]
            assert answer.recorded == env.trajectory.events[-1]
    assert len({part["total"] for part in parts}) > 3


def test_the_persons_own_answers_are_paid_in_full(config, tiny: DataSet, policy: Policy, questions: Questions) -> None:
    from shopsim.agents.demonstrations import demonstrations

    config = replace(config, reward="binary", alpha=0.0)
    env, agent = config.make_env(tiny, "train", max_steps=None), config.make_agent(policy.backend)
    row = next(questions.first(1)).session_row
    shown = list(demonstrations(env, tiny.session_id(row), agent))
    answers = []
    for question, demo in zip(questions.first(1), shown, strict=True):
        assert question.prompt == demo.prompt
        (event,), recorded = judge(tiny, question, [said(policy, demo.answer)])
        answers.append(Answer(question.step, question, said(policy, demo.answer), event, recorded))
    assert [part["total"] for part in score(policy, tiny, answers, config)] == [1.5] * len(shown)


def test_each_part_has_its_switch(config: ShopR1Config, tiny: DataSet, policy: Policy, questions: Questions) -> None:
    answers = answered(policy, tiny, questions)
    full = score(policy, tiny, answers, config)
    assert all(any(part[name] for part in full) for name in PARTS)
    for name in PARTS:
        less = score(policy, tiny, answers, replace(config, **{f"use_{name}": False}))
        for a, b in zip(full, less, strict=True):
            assert b == a | {name: 0.0, "total": pytest.approx(a["total"] - a[name])}
    plain = score(policy, tiny, answers, replace(config, use_dars=False))
    assert [part["value"] for part in plain] == pytest.approx([part["value"] / 1000 for part in full])
    sure = score(policy, tiny, answers, replace(config, alpha=1.0, certainty_over="answer"))
    assert all(part["certainty"] > 0 for part in sure)
    assert {part["certainty"] for part in score(policy, tiny, answers, replace(config, alpha=0.0))} == {0.0}
    wide = replace(config, threshold=0.25)
    assert sum(part["value"] > 0 for part in score(policy, tiny, answers, wide)) >= sum(p["value"] > 0 for p in full)
    assert replace(config, similarity="rouge_l").step_reward() == ShopR1Reward("rouge_l")


def test_self_certainty(config: ShopR1Config, tiny: DataSet, policy: Policy, questions: Questions) -> None:
    answer = answered(policy, tiny, questions, TEXTS[2:3])[:2]
    config = replace(config, certainty_over="answer", alpha=1.0)
    ids = torch.tensor(answer[0].completion.token_ids)
    encoder = policy.backend.encoder
    batch = encoder.batch([(encoder.encode(answer[0].question.prompt), ids.tolist())])
    with torch.no_grad():
        logits = policy.model(**batch.inputs).logits[0, -len(ids) - 1 : -1].double()
    p = logits[:, ~encoder.suppressed].softmax(-1)
    v = p.shape[-1]
    by_hand = (1 / v * ((1 / v) / p).log()).sum(-1).mean()
    printed = (p * (p * v).log()).sum(-1).mean() / v
    assert certainties(policy, answer, config)[0] == pytest.approx(float(by_hand), rel=1e-4)
    assert certainties(policy, answer, replace(config, certainty="printed"))[0] == pytest.approx(
        float(printed), rel=1e-3
    )
    one_by_one = certainties(policy, answer, replace(config, micro_batch=1))
    assert one_by_one == pytest.approx(certainties(policy, answer, config), rel=1e-4)


def test_the_thought_is_what_stands_before_the_action(policy: Policy) -> None:
    encoder = policy.backend.encoder
    thinking = said(policy, to_json(Decision(Action.BACK, mind='red "action" shoe')))
    n = thought_tokens(encoder, thinking)
    before = encoder.decode(thinking.token_ids[:n])
    assert before.startswith('{"mind":"red')
    assert "type" not in before
    assert '"action":' in encoder.decode(thinking.token_ids[: n + 1])
    for text in ("red shoe", ""):
        assert thought_tokens(encoder, said(policy, text)) == 0
    assert thought_tokens(encoder, said(policy, '{"action":{"type":"back"},"mind":"red"}')) <= 1


def test_a_part_that_drowns_others() -> None:
    parts = [
        {"value": 1000.0, "type": 0.3, "total": 1000.3},
        {"value": 0.0, "type": 0.3, "total": 0.3},
        {"value": 0.0, "type": 0.0, "total": 0.0},
    ]
    assert swamped_parts(parts, [0, 0, 0]) == ("value", 1)
    assert swamped_parts([*parts, *parts[1:]], [0, 0, 0, 1, 1]) == ("value", 1)
    assert swamped_parts(parts[:2], [0, 0]) is None  # nothing else varies
    assert swamped_parts([{"value": 1.0, "type": 0.3, "total": 1.3}, *parts[1:]], [0, 0, 0]) is None
    assert swamped_parts([None, *parts[1:]], [0, 0, 0]) is None


# Groups


def test_a_group_is_one_question(config, tiny: DataSet, policy: Policy, questions: Questions) -> None:
    asked = questions.take(range(3))
    answers = ask(policy, tiny, asked, config, 4, (1, 0))
    assert [answer.group for answer in answers] == [0] * 4 + [1] * 4 + [2] * 4
    assert [answer.question for answer in answers[::4]] == asked
    assert len({answer.completion.token_ids for answer in answers[:4]}) > 1
    again = ask(policy, tiny, asked, config, 4, (1, 0))
    assert [a.completion for a in again] == [a.completion for a in answers]
    other = ask(policy, tiny, asked, config, 4, (1, 1))
    assert [a.completion for a in other] != [a.completion for a in answers]
    rows = rows_of(answers, [float(i) for i in range(12)])
    assert [row.advantage for row in rows] == [row.trajectory for row in rows] == list(range(12))
    assert [row.token_ids for row in rows] == [a.completion.token_ids for a in answers]
    drawn = policy.backend.generate([asked[0].prompt], [0], Sampling(1.0, 6))[0]
    assert len(drawn.token_ids) <= 6


def test_every_step_comes_once_an_epoch(questions: Questions) -> None:
    drawn = [(q.session_row, q.step) for q in questions.take(range(2 * questions.rows))]
    half = questions.rows
    assert sorted(drawn[:half]) == sorted(drawn[half:]) == sorted(set(drawn))
    assert drawn[:half] != drawn[half:]


# Whole runs


def test_it_moves_every_parameter_and_logs(config: ShopR1Config, tiny_model: Path, monkeypatch) -> None:
    # An untrained model's answers are all unreadable, so all rewards are equal: make some up.
    monkeypatch.setattr(
        ShopR1Config,
        "step_reward",
        lambda self: lambda answer, recorded, items: StepRewardParts(0, 0, 0, next(values), 0),
    )
    values = iter(range(10**6))
    seen: list[int] = []
    config = replace(config, eval_every=2, eval_sessions=1, beta=0.1)
    result = train_shop_r1(config, lambda done, total, scalars: seen.append(done))
    assert (result.steps, seen) == (2, [1, 2])
    before = dict(Policy.load(tiny_model, device="cpu").model.named_parameters())
    for name, value in Policy.load(result.checkpoint, device="cpu").model.named_parameters():
        assert not torch.equal(value, before[name]), name
    first, last = read(Path(config.out))
    assert first["policy/logprob_gap"] < 1e-5
    assert first["policy/reference_kl"] == pytest.approx(0, abs=1e-6)
    assert last["policy/reference_kl"] > 0
    assert first["tokens"] == pytest.approx(12 * first["answers/tokens"])
    assert first["groups/zero_spread"] == 0
    assert {f"reward/{name}" for name in (*PARTS, "certainty", "total")} <= first.keys()
    assert not unexplained(last)
    assert "validation/answers/exact_match" in last
    assert "validation/answers/exact_match" not in first
    assert train_shop_r1(config).finished_before


def test_the_value_is_warned_of_when_it_drowns_the_rest(config: ShopR1Config, policy: Policy, monkeypatch) -> None:
    paid = [StepRewardParts(0.5, 0.3, 0, 1000, 1000.8), StepRewardParts(0.5, 0, 0, 0, 0.5), StepRewardParts(*[0] * 5)]

    def run(name: str, **changes: Any) -> dict[str, Any]:
        turns = iter(range(10**6))
        monkeypatch.setattr(
            ShopR1Config, "step_reward", lambda self: lambda answer, recorded, items: paid[next(turns) % 3]
        )
        out = str(Path(config.out).with_name(name))
        train_shop_r1(replace(config, out=out, iterations=1, num_generations=3, beta=0.0, alpha=0.0, **changes))
        return read(Path(out))[0]

    with pytest.warns(UserWarning, match="'value' has 99 %"):
        assert run("with")["groups/swamped"] == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run("without", use_value=False)["groups/swamped"] == 0


def test_a_run_that_goes_on_is_the_same_run(config: ShopR1Config, tmp_path: Path) -> None:
    config = replace(config, beta=1.0, reward="customer-r1")
    train_shop_r1(replace(config, iterations=1))
    resumed = train_shop_r1(config)
    straight = train_shop_r1(replace(config, out=str(tmp_path / "straight")))
    for name in ("model.safetensors", "optimizer.state"):
        assert (resumed.checkpoint / name).read_bytes() == (straight.checkpoint / name).read_bytes()


@pytest.mark.parametrize("micro_batch", [1, 5])
def test_micro_batches_change_nothing(config, tiny, policy, questions, tiny_model, micro_batch: int) -> None:
    answers = answered(policy, tiny, questions)[:14]
    rows = rows_of(answers, [float(i % 5) - 2 for i in range(14)])
    config = replace(config, max_grad_norm=0.0, lr=1.0)
    moved = []
    for size in (100, micro_batch):
        trained = Policy.load(tiny_model, device="cpu")
        update(trained, torch.optim.SGD(trained.model.parameters()), None, rows, replace(config, micro_batch=size), 0)
        moved.append(torch.cat([p.detach().flatten() for p in trained.model.parameters()]))
    assert torch.allclose(*moved, atol=1e-5)
    assert not torch.allclose(moved[0], torch.cat([p.flatten() for p in policy.model.parameters()]), atol=1e-3)


@pytest.mark.parametrize(
    "change",
    [{"groups": 0}, {"num_generations": 1}, {"alpha": -1.0}, {"temperature": 0.0}, {"eval_sessions": 0}],
)
def test_senseless_numbers_are_refused(config: ShopR1Config, change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(change))):
        replace(config, **change)


def test_published_defaults() -> None:
    config = ShopR1Config(model="m", out="o")
    assert (config.alpha, config.beta, config.lr, config.temperature) == (0.005, 0.001, 1e-7, 0.6)
    assert config.step_reward() == ShopR1Reward(dars=1000.0)
    assert math.isclose(ShopR1Reward().threshold, 0.75)
    assert StepRewardParts._fields[:4] == shop_r1.PARTS
