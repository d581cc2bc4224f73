"""Step scores: golden hand-made sessions, a second implementation, and what the formulas promise."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.benchmark_usb.step_scores import EFFECTS, Answer, StepScore, StepSummary, answers_of, summarise_steps
from shopsim.benchmark_usb.summary import Cost
from shopsim.data.vocabulary import ACTION_LABELS
from tests.benchmark_usb.sessions import session

PERSON = "down click:3 cart:3 back down leave"

GOLDEN = {
    # answer script, then (matches, right types)
    "the person": (PERSON, 6, 6),
    "another card": ("down click:4 cart:3 back down leave", 5, 6),
    "always leaves": ("leave leave leave leave leave leave", 1, 1),
    "cannot be read": ("bad bad bad bad bad bad", 0, 0),
    "hits nothing": ("bad:click bad:click bad:click bad:click bad:click leave", 1, 1),
    "buys in place of carting": ("up click:3 buy:3 back bad down", 2, 2),
}


def answered(script: str, person: str = PERSON) -> tuple[Answer, ...]:
    return answers_of(session(script).events, session(person).events)


def scored(number: int, answers: Sequence[Answer], fault: str | None = None, repetition: int = 0) -> StepScore:
    return StepScore(
        "a", f"s{number:02d}", f"u{number // 2}", repetition, (0, 0), fault, tuple(answers), Cost(10, 2, 0.5)
    )


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_sessions(name: str) -> None:
    script, matches, right = GOLDEN[name]
    answers = answered(script)
    assert [answer.person for answer in answers] == [
        "scroll_down", "click", "add_to_cart", "back", "scroll_down", "terminate",
    ]  # fmt: skip
    assert sum(answer.match for answer in answers) == matches
    assert sum(answer.person == answer.effect for answer in answers) == right
    summary = summarise_steps("a", [scored(0, answers)])
    assert summary.exact_match.value == pytest.approx(matches / 6)
    assert summary.type_accuracy.value == pytest.approx(right / 6)
    assert summary.steps == 6


def test_golden_f1() -> None:
    """By hand. Person: 3 down, 1 click, 1 leave; answers: down, down, click (another card), leave, leave."""
    answers = answered("down down click:1 leave leave", "down down click:2 down leave")
    summary = summarise_steps("a", [scored(0, answers)])
    down, click, leave = (summary.types[name] for name in ("scroll_down", "click", "terminate"))
    assert (down.steps, down.precision.value, down.recall.value) == (3, 1.0, pytest.approx(2 / 3))
    assert down.f1.value == pytest.approx(4 / 5)
    assert (click.f1.value, click.exact.value) == (1.0, 0.0)
    assert (leave.precision.value, leave.recall.value) == (0.5, 1.0)
    assert leave.f1.value == pytest.approx(2 / 3)
    assert summary.macro_f1.value == pytest.approx((4 / 5 + 1 + 2 / 3) / 3)
    assert summary.weighted_f1.value == pytest.approx((3 * 4 / 5 + 1 + 2 / 3) / 5)
    assert summary.confusion["scroll_down"] == {**dict.fromkeys(EFFECTS, 0), "scroll_down": 2, "terminate": 1}
    back = summary.types["back"]
    assert (back.steps, back.recall.value, back.f1.value, back.exact.value) == (0, None, None, None)


def test_always_click_has_a_high_weighted_and_a_low_macro_f1() -> None:
    """What published headlines were at: on a mix of 85 % clicks, weighted F1 says nothing."""
    steps = [answered("click:0 click:0", "click:0 back"), (Answer("click", "click", "click", False),) * 8]
    summary = summarise_steps("always-click", [scored(i, a) for i, a in enumerate(steps)])
    assert summary.weighted_f1.value > 0.8
    assert summary.macro_f1.value < 0.5
    assert summary.exact_match.value == pytest.approx(0.1)


def test_an_answer_that_does_nothing_is_a_miss_and_no_type_of_its_own() -> None:
    summary = summarise_steps("a", [scored(0, answered("bad bad:click down", "down click:1 down"))])
    assert summary.nothing_rate.value == pytest.approx(2 / 3)
    assert summary.types["scroll_down"].precision.value == 1.0
    assert summary.macro_f1.value == pytest.approx((2 / 3 + 0) / 2)
    assert summary.confusion["click"]["nothing"] == 1


def test_asked_and_done_are_told_apart() -> None:
    tapped = answered("down bad:click bad", "down click:1 leave")
    assert [(a.asked, a.effect) for a in tapped] == [("scroll_down", "scroll_down"), ("click", None), (None, None)]


# A second implementation: plain counting, answer by answer


def plainly(scores: Sequence[StepScore]) -> dict[str, float | None]:
    answers = [answer for score in scores if score.fault is None for answer in score.answers]
    support, given_, hits = Counter[str](), Counter[str](), Counter[str]()
    for answer in answers:
        support[answer.person] += 1
        if answer.effect is not None:
            given_[answer.effect] += 1
        hits[answer.person] += answer.effect == answer.person
    f1 = {}
    for name in support:
        precision = hits[name] / given_[name] if given_[name] else 0.0
        recall = hits[name] / support[name]
        f1[name] = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    per_session = [
        sum(a.match for a in s.answers) / len(s.answers) for s in scores if s.fault is None and s.answers
    ]  # fmt: skip
    n = len(answers)
    return {
        "exact_match": sum(a.match for a in answers) / n if n else None,
        "session_exact_match": sum(per_session) / len(per_session) if per_session else None,
        "type_accuracy": sum(hits.values()) / n if n else None,
        "macro_f1": sum(f1.values()) / len(f1) if f1 else None,
        "weighted_f1": sum(f1[name] * support[name] for name in f1) / n if n else None,
        "nothing_rate": sum(a.effect is None for a in answers) / n if n else None,
    }


@st.composite
def any_answer(draw: st.DrawFn) -> Answer:
    person = draw(st.sampled_from(ACTION_LABELS[:5]))
    effect = draw(st.sampled_from([*ACTION_LABELS, None, person]))
    asked = effect if effect is not None else draw(st.sampled_from([None, "click"]))
    return Answer(person, asked, effect, effect == person and draw(st.booleans()))


runs = st.lists(st.tuples(st.lists(any_answer(), max_size=8), st.booleans()), max_size=6).map(
    lambda drawn: [scored(n, answers, "gone" if bad else None) for n, (answers, bad) in enumerate(drawn)]
)


@settings(deadline=None)
@given(runs)
def test_agrees_with_a_second_implementation(scores: list[StepScore]) -> None:
    summary = summarise_steps("a", scores, samples=5)
    for name, value in plainly(scores).items():
        assert getattr(summary, name).value == (None if value is None else pytest.approx(value)), name
    for type_ in summary.types.values():
        if type_.steps:
            assert type_.exact.value <= type_.recall.value + 1e-12


@settings(deadline=None)
@given(runs)
def test_the_person_is_perfect_and_order_is_irrelevant(scores: list[StepScore]) -> None:
    perfect = [
        scored(n, [a._replace(asked=a.person, effect=a.person, match=True) for a in s.answers])
        for n, s in enumerate(scores)
    ]
    summary = summarise_steps("human", perfect, samples=5)
    for name in ("exact_match", "session_exact_match", "type_accuracy", "macro_f1", "weighted_f1"):
        assert getattr(summary, name).value in (1.0, None)
    assert summarise_steps("a", scores[::-1], samples=5).confusion == summarise_steps("a", scores, samples=5).confusion


def test_intervals_resample_users_and_repetitions_give_a_within_session_error() -> None:
    good, bad = answered(PERSON), answered("bad bad bad bad bad bad")
    once = summarise_steps("a", [scored(n, good if n % 4 < 2 else bad) for n in range(12)])
    assert once.exact_match.value == 0.5
    assert once.exact_match.low < 0.3
    assert once.exact_match.high > 0.7
    assert once.exact_match.within is None
    twice = summarise_steps("a", [scored(n, (good, bad)[r], repetition=r) for n in range(12) for r in range(2)])
    assert twice.exact_match.within > 0
    assert twice.exact_match.low == twice.exact_match.high == 0.5, "every user is alike"


def test_faults_and_empty_runs_have_no_scores() -> None:
    summary: StepSummary = summarise_steps("a", [scored(0, answered("down", "down"), "gone")])
    assert (summary.rollouts, summary.faults, summary.steps) == (0, 1, 0)
    assert summary.exact_match.value is summary.macro_f1.value is summary.tokens.value is None
