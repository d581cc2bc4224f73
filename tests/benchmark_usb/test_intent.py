"""Intent consistency against golden sessions, a second implementation in exact fractions, and invariances."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.bootstrap import Bootstrap
from shopsim.benchmark_usb.fidelity import behaviour, fidelity
from shopsim.benchmark_usb.intent import INTENT, IntentScore, intent, intent_score, overacting
from tests.benchmark_usb.sessions import session

LABELS = {
    0: (0, 10, 100),  # dress
    1: (0, 10, 100),  # dress
    2: (0, 10, 101),  # skirt
    3: (0, 11, 110),  # shoe
    4: (1, 12, 120),  # phone
    5: (0, 10, -1),  # clothing, no L3
    6: (-1, -1, -1),  # no labels
    7: (-1, 10, 100),  # a leaf without its root
    8: (2, 10, 100),  # the same leaf under another root
}


def labels(item: int) -> tuple[int, int, int]:
    return LABELS[item]


def as_dict(score: IntentScore) -> dict[str, float]:
    return {name: getattr(score, field) for name, field in INTENT.items()}


@pytest.mark.parametrize(
    ("agent", "human", "expected"),
    [
        ({0}, {0}, {"HR": 1, "P": 1, "R": 1, "F1": 1, "CP": 1, "CR": 1, "HCO": 1}),
        ({0, 4}, {0, 3}, {"HR": 1, "P": 0.5, "R": 0.5, "F1": 0.5, "CP": 0.5, "CR": 0.5, "HCO": (1 / 2 + 2 / 3) / 2}),
        # Another dress: the item is missed, its category is not.
        ({1}, {0}, {"HR": 0, "P": 0, "R": 0, "F1": 0, "CP": 1, "CR": 1, "HCO": 1}),
        # Two dresses are one label.
        ({0, 1, 4}, {0}, {"HR": 1, "P": 1 / 3, "R": 1, "F1": 1 / 2, "CP": 1 / 2, "CR": 1, "HCO": (2 / 3 + 1) / 2}),
        ({2}, {0}, {"HR": 0, "P": 0, "R": 0, "F1": 0, "CP": 0, "CR": 0, "HCO": 2 / 3}),
        ({3}, {0, 4}, {"HR": 0, "P": 0, "R": 0, "F1": 0, "CP": 0, "CR": 0, "HCO": (1 / 3 + 1 / 6) / 2}),
        (set(), {0}, {"HR": 0, "P": 0, "R": 0, "F1": 0, "CP": 0, "CR": 0, "HCO": 0}),
        # Without an L3 an item is its own label, and shares what levels it has.
        ({5}, {0}, {"HR": 0, "P": 0, "R": 0, "F1": 0, "CP": 0, "CR": 0, "HCO": 2 / 3}),
        ({5}, {5}, {"HR": 1, "P": 1, "R": 1, "F1": 1, "CP": 1, "CR": 1, "HCO": 1}),
        # s(x, x) = 1 even without labels, but a missing label matches nothing.
        ({6}, {6}, {"HR": 1, "P": 1, "R": 1, "F1": 1, "CP": 1, "CR": 1, "HCO": 1}),
        ({6}, {7}, {"HR": 0, "P": 0, "R": 0, "F1": 0, "CP": 0, "CR": 0, "HCO": 0}),
        # A level counts only if its parent matched; CP looks at L3 alone.
        ({8}, {0}, {"HR": 0, "P": 0, "R": 0, "F1": 0, "CP": 1, "CR": 1, "HCO": 0}),
    ],
)  # fmt: skip
def test_golden(agent: set[int], human: set[int], expected: dict[str, float]) -> None:
    assert as_dict(intent_score(agent, human, labels)) == pytest.approx(expected)


def plain(agent: Sequence[int], human: Sequence[int], tree: Mapping[int, tuple[int, ...]]) -> dict[str, Fraction]:
    """SPEC 4.2 again: exact fractions, category paths as sets of prefixes."""

    def half(x: list[object], y: list[object]) -> Fraction:
        return Fraction(sum(1 for v in x if v in y), len(x)) if x else Fraction(0)

    def path(item: int) -> set[tuple[int, ...]]:
        known = tree[item].index(-1) if -1 in tree[item] else 3
        return {tree[item][: n + 1] for n in range(known)}

    def s(x: int, y: int) -> Fraction:
        return Fraction(1) if x == y else Fraction(len(path(x) & path(y)), 3)

    def unique(values: list[object]) -> list[object]:
        return list(dict.fromkeys(values))

    x, y = unique(list(agent)), unique(list(human))
    cx = unique([f"item {i}" if tree[i][2] == -1 else tree[i][2] for i in x])
    cy = unique([f"item {i}" if tree[i][2] == -1 else tree[i][2] for i in y])
    p, r = half(x, y), half(y, x)
    there = sum(max(s(a, b) for b in y) for a in x) / Fraction(len(x)) if x else Fraction(0)
    back = sum(max(s(a, b) for a in x) for b in y) / Fraction(len(y)) if x else Fraction(0)
    return {
        "HR": Fraction(int(p > 0)),
        "P": p,
        "R": r,
        "F1": 2 / (1 / p + 1 / r) if p else Fraction(0),
        "CP": half(cx, cy),
        "CR": half(cy, cx),
        "HCO": (there + back) / 2,
    }


@st.composite
def trees(draw: st.DrawFn) -> dict[int, tuple[int, int, int]]:
    """Labels of eight items as a tree: an L3 code determines its L2, an L2 its L1; some levels are missing."""
    tree = {}
    for item in range(8):
        l1, l2, l3 = draw(st.tuples(*[st.integers(0, 1)] * 3))
        depth = draw(st.sampled_from([0, 1, 2, 3, 3, 3]))
        path = (l1, 10 + 2 * l1 + l2, 100 + 4 * l1 + 2 * l2 + l3)
        tree[item] = tuple(code if level < depth else -1 for level, code in enumerate(path))
    return tree


items = st.lists(st.integers(0, 7), max_size=8)
some_items = st.lists(st.integers(0, 7), min_size=1, max_size=8)


@given(items, some_items, trees())
def test_agrees_with_a_second_implementation(
    agent: list[int], human: list[int], tree: dict[int, tuple[int, ...]]
) -> None:
    expected = {name: float(value) for name, value in plain(agent, human, tree).items()}
    assert as_dict(intent_score(agent, human, tree.__getitem__)) == pytest.approx(expected, abs=1e-12)


@given(some_items, trees())
def test_a_person_against_herself_is_exactly_perfect(human: list[int], tree: dict[int, tuple[int, ...]]) -> None:
    assert set(as_dict(intent_score(human, human, tree.__getitem__)).values()) == {1.0}


@given(items, some_items, trees(), st.randoms(use_true_random=False))
def test_order_and_repeats_are_irrelevant(agent: list[int], human: list[int], tree: dict, random) -> None:
    shuffled = agent + agent[:2]
    random.shuffle(shuffled)
    once, again = (intent_score(a, human, tree.__getitem__) for a in (agent, shuffled))
    assert once == again


@given(items, some_items, trees(), st.integers(0, 7))
def test_a_useless_click_never_raises_precision_nor_lowers_recall(agent, human, tree, extra: int) -> None:
    before = intent_score(agent, human, tree.__getitem__)
    after = intent_score([*agent, extra], human, tree.__getitem__)
    if extra not in human:
        assert after.precision <= before.precision
        assert after.f1 <= before.f1
    assert after.recall >= before.recall
    assert after.category_recall >= before.category_recall
    assert after.hit >= before.hit


@given(some_items, some_items, trees())
def test_swapping_sides_swaps_precision_and_recall(agent: list[int], human: list[int], tree: dict) -> None:
    a, b = (intent_score(x, y, tree.__getitem__) for x, y in ((agent, human), (human, agent)))
    assert (a.precision, a.category_precision) == (b.recall, b.category_recall)
    assert a.overlap == pytest.approx(b.overlap)


def names(n: int) -> list[str]:
    return [str(i) for i in range(n)]


def test_average_is_over_sessions_where_the_person_touched_something() -> None:
    scores = [intent_score({0}, {0}, labels), intent_score(set(), {0, 3}, labels), None, None, None]
    active = [True, False, True, False, False]
    averaged = intent(scores, active, Bootstrap(names(5), names(5)))
    assert averaged.sessions == 2
    assert {name: e.value for name, e in averaged.scores.items()} == dict.fromkeys(INTENT, 50.0)
    assert averaged.quiet_sessions == 3
    assert averaged.false_activity.value == pytest.approx(100 / 3)


def test_nothing_to_average_is_not_zero() -> None:
    averaged = intent([None], [False], Bootstrap(["u"], ["s"]))
    assert {e.value for e in averaged.scores.values()} == {None}
    assert intent([intent_score({0}, {0}, labels)], [True], Bootstrap(["u"], ["s"])).false_activity.value is None


def test_human_replay_is_exactly_100() -> None:
    scores = [intent_score({i, i + 1}, {i, i + 1}, labels) for i in range(7)]
    averaged = intent(scores, [True] * 7, Bootstrap(names(7), names(7)))
    assert {(e.value, e.low, e.high) for e in averaged.scores.values()} == {(100.0, 100.0, 100.0)}


def test_overacting_rows_are_flagged() -> None:
    def flags(agent: str, **options: object) -> tuple[str, ...]:
        human = "click:1 cart:1 buy:1 enter:1 back back click:2 back leave"
        pair = [behaviour(session(text, range(10))) for text in (agent, human)]
        return overacting(fidelity(pair[:1], pair[1:], Bootstrap(["u"], ["s"]), **options))

    assert flags("click:1 cart:1 buy:1 enter:1 back back click:2 back leave") == ()
    assert flags("click:1 cart:1 back click:2 cart:2 back leave") == ("CVR", "IPVR")
    everything = " ".join(f"enter:{i} cart:{i} back" for i in range(5))
    assert flags(everything) == ("CVR", "IPVR")
    assert flags(everything, imputed=frozenset({"impressions"})) == ("CVR",)


def test_a_benchmark_of_the_published_size() -> None:
    """USB's 5,274 sessions with 1,000 resamples; how long it takes is in benchmarks/usb.py."""
    rng = np.random.default_rng(0)
    trees = {i: (int(i % 41), int(i % 517), int(i % 2256)) for i in range(9000)}
    humans = [behaviour(session("down click:1 cart:1 enter:1 back back leave", range(8))) for _ in range(5274)]
    drawn = [(rng.integers(0, 9000, 8), rng.integers(0, 9000, 5)) for _ in range(5274)]
    scores = [intent_score(a.tolist(), h.tolist(), trees.__getitem__) for a, h in drawn]
    bootstrap = Bootstrap(names(5274), names(5274), samples=1000)
    averaged = intent(scores, [True] * 5274, bootstrap)
    fidelity(humans, humans, bootstrap)
    assert averaged.scores["P"].value is not None
