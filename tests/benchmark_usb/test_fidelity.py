"""Fidelity against golden hand-counted sessions, a second implementation in plain Python, and invariances."""

import math
from collections import Counter
from dataclasses import astuple
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.bootstrap import Bootstrap, Estimate, mean_of, quotient
from shopsim.benchmark_usb.fidelity import EFFECTS, METRICS, MIX, Behaviour, Fidelity, behaviour, fidelity
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.trajectory import Trajectory
from tests.benchmark_usb.sessions import session, sessions

PERSON = "down click:3 cart:3 back down enter:5 back click:3 enter:3 buy:3 back back leave"


def score(agent: list[Trajectory], human: list[Trajectory], **options: object) -> Fidelity:
    names = [str(i) for i in range(len(agent))]
    return fidelity(
        [behaviour(t) for t in agent], [behaviour(t) for t in human], Bootstrap(names, names, samples=50), **options
    )


def test_golden_counts() -> None:
    counted = behaviour(session(PERSON, seen=range(8)))
    assert counted == Behaviour(
        steps=13,
        impressions=8,
        opened=2,
        entered=2,
        visited=2,
        carted=1,
        bought=1,
        openings=4,
        revisits=1,  # the preview of 3; its detail page was new
        invalid=0,
        left=True,
        mix=(2, 0, 2, 2, 4, 1, 1, 1, 0),
        effects=(2, 0, 2, 2, 4, 1, 1, 1, 0),
    )


def test_golden_counts_of_a_clumsy_agent() -> None:
    counted = behaviour(session("bad click:1 bad:click cart:1 bad:click", seen=[1, 2]))
    assert (counted.steps, counted.invalid, counted.left, counted.carted) == (5, 3, False, 1)
    assert dict(zip(MIX, counted.mix, strict=True))["unparsed"] == 1
    assert counted.mix[Action.CLICK] == 3, "the distribution counts types asked for, done or not"
    assert dict(zip(EFFECTS, counted.effects, strict=True))["nothing"] == 3
    assert counted.effects[Action.CLICK] == 1


def test_who_taps_buttons_is_far_from_people_by_type_and_the_same_by_effect() -> None:
    human = [session("click:1 cart:1 buy:1 back leave", [1])]
    tapper = [session("click:1 tap-cart:1 tap-buy:1 tap-back leave", [1])]
    scores = score(tapper, human)
    assert scores.agent_mix["click"] == 0.8
    assert scores.action_divergence.value > 0.4
    assert scores.agent_effects == scores.human_effects
    assert scores.effect_divergence.value == 0.0


def test_golden_rates() -> None:
    human = [session(PERSON, range(8)), session("down leave", range(4))]
    agent = [session("click:1 cart:1 leave", range(4)), session("down down down down leave", range(8))]
    scores = score(agent, human)
    assert {n: (r.agent.value, r.human.value) for n, r in scores.rates.items()} == {
        "ATL": (4.0, 7.5),
        "CTR": (1 / 12, 2 / 12),
        "IPVR": (0.0, 2 / 12),
        "ACR": (1.0, 0.5),
        "CVR": (0.0, 0.5),
    }
    assert scores.rates["CTR"].agent_mean.value == pytest.approx((1 / 4 + 0) / 2)
    assert scores.rates["CTR"].human_mean.value == pytest.approx((2 / 8 + 0) / 2)
    # IPVR and CVR are 0: their |ln 0| is capped at ln 100.
    logs = [math.log(7.5 / 4), math.log(2), math.log(100), math.log(2), math.log(100)]
    assert scores.deviation.value == pytest.approx(math.exp(sum(logs) / 5))
    assert scores.length_distance.value == pytest.approx((abs(3 - 2) + abs(5 - 13)) / 2)
    assert scores.leaving.human[:3] == (0.0, 0.5, 0.0)
    assert scores.leaving.human[12] == 1.0
    assert scores.leaving.agent[5] is None
    assert scores.leaving.agent_reached[:6] == (2, 2, 2, 1, 1, 0)


def test_a_rate_people_do_not_have_is_named_and_left_out() -> None:
    human = [session("down click:1 back leave", range(4))]
    agent = [session("down click:1 cart:1 buy:1 leave", range(4))]
    scores = score(agent, human)
    assert set(scores.left_out) == {"IPVR", "ACR", "CVR"}
    assert scores.rates["CVR"].ratio.value is None
    assert scores.deviation.value == pytest.approx(math.exp(abs(math.log(5 / 4)) / 2))


def test_imputed_inputs_are_left_out_of_the_deviation() -> None:
    human = [session(PERSON, range(8))]
    agent = [session("click:1 enter:1 cart:1 buy:1 leave", range(2))]
    scores = score(agent, human, imputed=frozenset({"impressions", "leaving", "pictures"}))
    assert scores.left_out == {
        "ATL": "imputed: leaving",
        "CTR": "imputed: impressions",
        "IPVR": "imputed: impressions",
    }
    assert scores.rates["CTR"].ratio.value == pytest.approx(2.0), "printed apart, not hidden"
    assert scores.deviation.value == pytest.approx(2.0)


def test_everything_left_out_gives_no_deviation() -> None:
    assert score([session("leave")], [session("leave")], imputed=frozenset({"leaving"})).deviation.value is None


def plain(trajectories: list[Trajectory]) -> dict[str, float]:
    """The five pooled rates again, in plain Python, by walking pages rather than by filtering effects."""
    total: Counter[str] = Counter()
    for t in trajectories:
        opened, entered, shown, carted, bought = set(), set(), set(), set(), set()
        for e in t.events:
            if e.effect is Action.CLICK or (e.effect is Action.ENTER_DETAIL and e.page is Page.FEED):
                opened.add(e.item)
            if e.effect is Action.ENTER_DETAIL:
                entered.add(e.item)
            if e.effect in (Action.CLICK, Action.ENTER_DETAIL):
                shown.add(e.item)
            if e.effect is Action.ADD_TO_CART:
                carted.add(e.item)
            if e.effect is Action.PURCHASE:
                bought.add(e.item)
        total.update(
            n=1, t=len(t.events), i=len(t.impressions), c=len(opened), d=len(entered), v=len(shown), a=len(carted)
        )
        total.update(b=len(bought))

    def over(x: str, y: str) -> float:
        return total[x] / total[y] if total[y] else 0.0

    return {
        "ATL": over("t", "n"),
        "CTR": over("c", "i"),
        "IPVR": over("d", "i"),
        "ACR": over("a", "v"),
        "CVR": over("b", "v"),
    }


def plain_deviation(agent: dict[str, float], human: dict[str, float]) -> float | None:
    logs = [
        math.log(100) if agent[n] == 0 else min(math.log(100), abs(math.log(agent[n] / human[n])))
        for n in human
        if human[n]
    ]
    return math.exp(sum(logs) / len(logs)) if logs else None


def plain_divergence(agent: list[Trajectory], human: list[Trajectory], of: str) -> float:
    """Jensen-Shannon as entropy of the mixture less the mean entropy: another formula than the package's."""

    def distribution(trajectories: list[Trajectory]) -> dict[object, float]:
        n = Counter(getattr(e, of) for t in trajectories for e in t.events)
        return {a: k / n.total() for a, k in n.items()}

    def entropy(p: dict[object, float]) -> float:
        return -sum(v * math.log2(v) for v in p.values() if v)

    p, q = distribution(agent), distribution(human)
    middle = {a: (p.get(a, 0) + q.get(a, 0)) / 2 for a in p | q}
    return entropy(middle) - (entropy(p) + entropy(q)) / 2


def plain_wasserstein(a: list[int], b: list[int]) -> float:
    """W1 of equally many samples is the mean distance of the sorted ones."""
    return sum(abs(x - y) for x, y in zip(sorted(a), sorted(b), strict=True)) / len(a)


pairs = st.lists(st.tuples(sessions(), sessions()), min_size=1, max_size=6)


@given(pairs)
def test_agrees_with_a_second_implementation(drawn: list[tuple[Trajectory, Trajectory]]) -> None:
    agent, human = [a for a, _ in drawn], [h for _, h in drawn]
    scores = score(agent, human)
    expected_agent, expected_human = plain(agent), plain(human)
    for name, rate in scores.rates.items():
        assert rate.agent.value == pytest.approx(expected_agent[name])
        assert rate.human.value == pytest.approx(expected_human[name])
        if expected_human[name]:
            assert rate.ratio.value == pytest.approx(expected_agent[name] / expected_human[name])
        assert (name in scores.left_out) == (expected_human[name] == 0)
    deviation = plain_deviation(expected_agent, expected_human)
    assert scores.deviation.value == (None if deviation is None else pytest.approx(deviation))
    assert scores.action_divergence.value == pytest.approx(plain_divergence(agent, human, "action"), abs=1e-12)
    assert scores.effect_divergence.value == pytest.approx(plain_divergence(agent, human, "effect"), abs=1e-12)
    lengths = plain_wasserstein([len(t) for t in agent], [len(t) for t in human])
    assert scores.length_distance.value == pytest.approx(lengths)


@given(st.lists(sessions(), min_size=1, max_size=6))
def test_people_against_themselves_are_exactly_perfect(human: list[Trajectory]) -> None:
    scores = score(human, human)
    assert all(r.ratio.value in (1.0, None) for r in scores.rates.values())
    assert all(r.ratio_of_means.value in (1.0, None) for r in scores.rates.values())
    assert {scores.deviation.value, scores.deviation.low, scores.deviation.high} <= {1.0, None}
    assert scores.action_divergence.value == scores.effect_divergence.value == 0.0
    assert scores.length_distance.value == 0.0
    assert scores.leaving.agent == scores.leaving.human


@given(pairs)
def test_order_of_sessions_is_irrelevant(drawn: list[tuple[Trajectory, Trajectory]]) -> None:
    def of(order: list[int]) -> Fidelity:
        names = [f"u{i}" for i in order]
        chosen = [drawn[i] for i in order]
        agent, human = [behaviour(a) for a, _ in chosen], [behaviour(h) for _, h in chosen]
        return fidelity(agent, human, Bootstrap(names, names, samples=20))

    there, back = of(list(range(len(drawn)))), of(list(range(len(drawn)))[::-1])
    assert astuple(there.deviation) == pytest.approx(astuple(back.deviation))
    assert there.leaving == back.leaving


@given(sessions(), sessions())
def test_scrolling_more_never_raises_a_rate_per_item_seen(agent: Trajectory, human: Trajectory) -> None:
    before = score([agent], [human])
    longer = Trajectory("s", agent.events, agent.impressions | dict.fromkeys(range(100, 105)))
    after = score([longer], [human])
    for name in ("CTR", "IPVR"):
        assert (after.rates[name].agent.value or 0) <= (before.rates[name].agent.value or 0)
    for name in ("ATL", "ACR", "CVR"):
        assert after.rates[name].agent == before.rates[name].agent


def test_no_rollouts_at_all() -> None:
    scores = score([], [])
    assert scores.sessions == 0
    assert scores.deviation.value is None


# Intervals


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(200):
        x = rng.exponential(size=(60, 1))
        names = [str(i) for i in range(60)]
        e = Bootstrap(names, names, samples=300).estimate(np.hstack([x, np.ones_like(x)]), mean_of)
        assert e.low is not None
        assert e.high is not None
        inside += e.low <= 1 <= e.high
    assert 175 <= inside <= 199


def test_users_are_resampled_whole() -> None:
    """Copies of a user's session tell nothing new: the interval must not shrink as it would for new users."""
    x = np.arange(20.0)
    users = [str(i) for i in range(20)]
    once = Bootstrap(users, users).estimate(np.column_stack([x, np.ones(20)]), mean_of)
    many = [f"{u}/{i}" for i in range(9) for u in users]
    copied = Bootstrap(users * 9, many).estimate(np.column_stack([np.tile(x, 9), np.ones(180)]), mean_of)
    assert copied.value == pytest.approx(once.value)
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high))


def test_one_user_gives_no_interval() -> None:
    e = Bootstrap(["u", "u"], ["a", "b"]).estimate(np.array([[1.0, 1.0], [3.0, 1.0]]), mean_of)
    assert e == Estimate(2.0)


def test_intervals_repeat_and_follow_the_seed() -> None:
    columns = np.column_stack([np.arange(30.0), np.ones(30)])
    names = [str(i) for i in range(30)]

    def run(seed: int) -> tuple[object, ...]:
        return astuple(Bootstrap(names, names, seed=seed).estimate(columns, mean_of))

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_within_session_error_needs_repetitions_and_is_right() -> None:
    rng = np.random.default_rng(0)
    names = [f"s{i}" for i in range(40)]
    base = rng.normal(10, 5, size=40)

    def estimate(repetitions: int) -> tuple[float | None, float]:
        noise = rng.normal(0, 2, size=(repetitions, 40))
        columns = np.column_stack([(base + noise).ravel(), np.ones(40 * repetitions)])
        e = Bootstrap(names * repetitions, names * repetitions, samples=10).estimate(columns, mean_of)
        return e.within, 2 / math.sqrt(40 * repetitions)

    assert estimate(1)[0] is None
    errors = [(within, true) for _ in range(50) for within, true in [estimate(4)]]
    assert np.mean([w for w, _ in errors if w is not None]) == pytest.approx(errors[0][1], rel=0.05)


def test_within_session_error_of_a_ratio() -> None:
    """The delta method against brute force: the spread of the pooled ratio over many runs of the same sessions."""
    rng = np.random.default_rng(1)
    p, n = rng.uniform(0.1, 0.6, 30), rng.integers(5, 40, 30)
    names = [str(i) for i in range(30)]

    def rate(sums: np.ndarray) -> np.ndarray:
        return quotient(sums[..., 0], sums[..., 1])

    brute = [rng.binomial(n, p).sum() / n.sum() for _ in range(3000)]
    within = []
    for _ in range(60):
        hits = np.concatenate([rng.binomial(n, p) for _ in range(2)])
        columns = np.column_stack([hits, np.tile(n, 2)]).astype(float)
        within.append(Bootstrap(names * 2, names * 2, samples=2).estimate(columns, rate).within)
    assert np.mean(within) == pytest.approx(np.std(brute) / math.sqrt(2), rel=0.06)


def test_metrics_are_named_in_the_published_order() -> None:
    assert [m.name for m in METRICS] == ["ATL", "CTR", "IPVR", "ACR", "CVR"]
    assert all(a.meaning != b.meaning for a, b in pairwise(METRICS))
