"""Budgets: what is spent is counted, and a spent budget ends the run with what was finished kept."""

import pytest

from shopsim.agents import spending
from shopsim.agents.backend import Message, Prompt, Sampling, ScriptedBackend
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.agents.spending import Budget, Limited, MoneySpent, TimeSpent, TokensSpent
from shopsim.errors import InputError, ShopSimError
from tests.agents.conftest import SCROLL, MakeEnv

ASKED = Prompt((Message("user", ("x" * 90,)),))
ANSWERED = ScriptedBackend(["y" * 10])


def test_tokens_and_money_are_counted() -> None:
    model = Limited(ANSWERED, Budget(prompt_price=2.0, answer_price=10.0))
    model.generate([ASKED, ASKED], [0, 0], Sampling())
    assert (model.prompt_tokens, model.answer_tokens) == (180, 20)
    assert model.money == pytest.approx((180 * 2 + 20 * 10) / 1e6)
    assert model.settings() == ANSWERED.settings()


@pytest.mark.parametrize(
    ("budget", "error", "said"),
    [
        (Budget(tokens=150), TokensSpent, r"150 tokens is spent \(200 used\)"),
        (Budget(money=0.0001, prompt_price=1.0), MoneySpent, r"0.0001 is spent \(0.00018 used, 200 tokens\)"),
        (Budget(tokens=0), TokensSpent, r"0 tokens is spent \(0 used\)"),
    ],
)
def test_a_spent_budget_answers_no_more(budget: Budget, error: type[ShopSimError], said: str) -> None:
    model = Limited(ANSWERED, budget)
    with pytest.raises(error, match=said):  # noqa: PT012 (any of the calls may be the one too many)
        for _ in range(3):
            model.generate([ASKED], [0], Sampling())
    assert model.prompt_tokens <= 180


def test_a_budget_is_read_from_the_command_line() -> None:
    assert Budget.parse("tokens=2e6") == Budget(tokens=2_000_000)
    prices = "seconds=90, money=0.5, prompt_price=0.15, answer_price=0.6"
    assert Budget.parse(prices) == Budget(seconds=90.0, money=0.5, prompt_price=0.15, answer_price=0.6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tokens", "'tokens' cannot be read"),
        ("tokens=-1", "'tokens=-1' cannot be read"),
        ("tokens=nan", "cannot be read"),
        ("token=5", "'token=5' cannot be read; write some of tokens=2e6"),
        ("", "cannot be read"),
        ("money=5", "nothing costs any"),
    ],
)
def test_a_budget_that_says_nothing_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Budget.parse(text)


def test_time_runs_from_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([5.0, 5.0, 14.0, 16.0])
    monkeypatch.setattr(spending, "monotonic", lambda: next(clock))
    model = Limited(ANSWERED, Budget(seconds=10))
    model.generate([ASKED], [0], Sampling())
    model.generate([ASKED], [0], Sampling())
    with pytest.raises(TimeSpent, match="10 seconds is spent"):
        model.generate([ASKED], [0], Sampling())


def test_sessions_finished_before_the_end_are_handed_in(make_env: MakeEnv, sessions: list[str]) -> None:
    done: list[Rollout] = []
    model = Limited(ScriptedBackend([SCROLL]), Budget(tokens=3000))
    with pytest.raises(TokensSpent):
        collect(
            [Task(session) for session in sessions] * 20,
            lambda: make_env(max_steps=3),
            lambda: RecVerseAgent.of(model, small=True),
            lanes=2,
            on_done=done.append,
        )
    assert 0 < len(done) < 20 * len(sessions)
    assert all(rollout.fault is None for rollout in done)
