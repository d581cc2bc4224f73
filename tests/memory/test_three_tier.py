"""The three memory tiers: what they keep, what they drop, what they count."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision, ParseFailure
from shopsim.memory import Recall, ThreeTierMemory, count_words, shorten


@dataclass(frozen=True)
class Screen:
    id: str


def decide(step: int = 0, episodic: str | None = None, preference: str | None = None) -> Decision:
    return Decision(Action.CLICK, (0.5, 0.25), f"thought {step}", episodic, preference)


@pytest.mark.parametrize("window", [0, 1, 3])
def test_working_memory_holds_exactly_the_last_k_records(window: int) -> None:
    memory = ThreeTierMemory(window=window)
    for t in range(7):
        records = memory.recall().working
        assert records is not None
        assert [record.step for record in records] == list(range(max(0, t - window), t))
        assert [record.screen.id for record in records] == [f"s{i}" for i in range(max(0, t - window), t)]
        assert [record.mind for record in records] == [f"thought {i}" for i in range(max(0, t - window), t)]
        memory.remember(Screen(f"s{t}"), decide(t))
    assert memory.counters["working"].injected == sum(min(window, t) for t in range(7))


def test_an_answer_that_could_not_be_read_is_a_record_without_action_and_writes_nothing() -> None:
    memory = ThreeTierMemory()
    memory.remember(Screen("s"), Decision(None, raw="oops", failure=ParseFailure.NO_JSON))
    assert memory.working[0].action is None
    assert (memory.episodic, memory.preference, memory.steps) == ((), (), 1)


def test_episodic_events_carry_their_step_and_blank_ones_are_not_written() -> None:
    memory = ThreeTierMemory()
    for t, text in enumerate(["saw a red coat", None, "", " \n ", "too\ndear"]):
        memory.remember(Screen(f"s{t}"), decide(t, episodic=text))
    assert [tuple(event) for event in memory.episodic] == [(0, "saw a red coat"), (4, "too dear")]
    assert memory.counters["episodic"].written == 2


def test_events_beyond_the_budget_stay_stored_and_the_newest_are_told() -> None:
    memory = ThreeTierMemory(episodic_budget=5)
    for t in range(4):
        memory.remember(Screen("s"), decide(t, episodic=f"event {t}"))
    recalled = memory.recall().episodic
    assert recalled is not None
    assert [event.step for event in recalled] == [2, 3]
    assert len(memory.episodic) == 4
    assert memory.counters["episodic"].trimmed == 1


def test_ten_thousand_events_cost_no_more_than_the_budget() -> None:
    calls = 0

    def count(text: str) -> int:
        nonlocal calls
        calls += 1
        return count_words(text)

    memory = ThreeTierMemory(episodic_budget=20, count_tokens=count)
    for t in range(10_000):
        memory.remember(Screen("s"), decide(t, episodic=f"event {t}"))
    calls = 0
    memory.recall()
    assert calls == 11


def test_an_event_written_again_is_one_event_with_the_newest_step() -> None:
    memory = ThreeTierMemory()
    for t, text in enumerate(["saw a coat", "left it", "saw  a coat"]):
        memory.remember(Screen("s"), decide(t, episodic=text))
    assert [tuple(event) for event in memory.episodic] == [(1, "left it"), (2, "saw a coat")]
    assert memory.recall().episodic == memory.episodic
    assert memory.counters["episodic"].written == 3


def test_a_limit_of_one_event_never_exceeds_the_budget_of_all() -> None:
    memory = ThreeTierMemory(max_event=9, episodic_budget=2)
    memory.remember(Screen("s"), decide(episodic="one two three"))
    assert memory.recall().episodic == ((0, "one two…"),)


def test_an_event_of_which_nothing_is_left_is_none() -> None:
    memory = ThreeTierMemory(max_event=0)
    memory.remember(Screen("s"), decide(episodic="one"))
    assert memory.episodic == ()
    assert memory.trimmed == ("episodic",)


def test_preference_is_replaced_kept_or_cleared() -> None:
    memory = ThreeTierMemory()
    memory.remember(Screen("a"), decide(preference="under 200\n- light colour\n\nunder 200"))
    assert memory.preference == ("under 200", "light colour")
    memory.remember(Screen("b"), decide(preference=None))
    assert memory.preference == ("under 200", "light colour")
    memory.remember(Screen("c"), decide(preference="cotton"))
    assert memory.preference == ("cotton",)
    memory.remember(Screen("d"), decide(preference=""))
    assert memory.preference == ()
    assert memory.counters["preference"].written == 3


def test_over_long_preference_keeps_the_first_lines_shortened_and_says_so() -> None:
    memory = ThreeTierMemory(max_statements=2, max_tokens=3)
    memory.remember(Screen("a"), decide(preference="a b c d e\nf\ng"))
    assert memory.preference == ("a b c…", "f")
    assert memory.trimmed == ("preference",)
    assert memory.counters["preference"].trimmed == 1
    memory.remember(Screen("b"), decide(preference="f\ng"))
    assert memory.trimmed == ()


@pytest.mark.parametrize("tier", ["working", "episodic", "preference"])
def test_a_tier_switched_off_holds_nothing_and_counts_what_it_dropped(tier: str) -> None:
    memory = ThreeTierMemory(**{f"use_{tier}": False})
    memory.remember(Screen("a"), decide(episodic="event", preference="cheap"))
    recall = memory.recall()
    for name in Recall._fields:
        assert (getattr(recall, name) is None) == (name == tier)
        assert memory.counters[name].dropped == (name == tier)
        assert memory.counters[name].reads == (name != tier)
    assert not getattr(memory, tier)


def test_fitting_says_what_remembering_would_keep() -> None:
    memory = ThreeTierMemory(max_mind=2, max_event=2, max_statements=1, max_tokens=2)
    assert memory.fitting(Decision(Action.BACK, preference="")).preference is None
    decision = Decision(Action.BACK, None, "a b c", "d e f", "g h i\nj")
    fitting = memory.fitting(decision)
    assert fitting == Decision(Action.BACK, None, "a b…", "d e…", "g h…")
    memory.remember(Screen("a"), decision)
    assert (memory.working[0].mind, memory.episodic[0].text) == (fitting.mind, fitting.episodic)
    assert memory.preference == (fitting.preference,)
    assert memory.fitting(decision).preference is None
    assert memory.fitting(Decision(Action.BACK)) == Decision(Action.BACK)
    assert memory.fitting(Decision(Action.BACK, preference="")) == Decision(Action.BACK, preference="")
    off = ThreeTierMemory(use_episodic=False, use_preference=False)
    assert off.fitting(decision) == Decision(Action.BACK, None, "a b c")


def test_clear_forgets_everything() -> None:
    memory = ThreeTierMemory()
    fresh = memory.snapshot()
    memory.remember(Screen("a"), decide(episodic="event", preference="cheap"))
    memory.recall()
    assert memory.snapshot() != fresh
    memory.clear()
    assert memory.snapshot() == fresh


def test_snapshot_is_plain_json_and_no_later_step_changes_it() -> None:
    memory = ThreeTierMemory(window=1)
    memory.remember(Screen("a"), decide(episodic="event", preference="cheap"))
    snapshot = memory.snapshot()
    text = json.dumps(snapshot)
    memory.remember(Screen("b"), decide(episodic="more", preference=""))
    assert json.dumps(snapshot) == text
    assert json.loads(text)["working"][0] == {
        "step": 0,
        "screen": "a",
        "mind": "thought 0",
        "action": "click",
        "point": [0.5, 0.25],
    }


def test_words_are_runs_without_space_and_single_chinese_characters() -> None:
    assert count_words("red shoe, 38.99") == 3
    assert count_words("红色的 shoe") == 4
    assert shorten("红色的鞋子", 3) == ("红色…", True)


@given(st.text(alphabet="ab 红色\n\u2028,"), st.integers(0, 8))
def test_shortened_text_fits_and_is_a_beginning_of_the_text(text: str, limit: int) -> None:
    short, cut = shorten(text, limit)
    assert count_words(short) <= limit
    assert cut == (count_words(text) > limit)
    assert text.startswith(short.removesuffix("…"))
    if not cut:
        assert short == text


@given(
    st.lists(
        st.tuples(st.text(max_size=200), st.none() | st.text(max_size=300), st.none() | st.text(max_size=600)),
        max_size=30,
    ),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 5),
)
def test_what_a_prompt_is_given_is_bounded_for_any_session(
    steps: list[tuple[str, str | None, str | None]], window: int, statements: int, tokens: int
) -> None:
    memory = ThreeTierMemory(
        window=window,
        max_mind=4,
        max_event=5,
        episodic_budget=12,
        max_statements=statements,
        max_tokens=tokens,
        count_tokens=len,
    )
    for mind, episodic, preference in steps:
        memory.remember(Screen("s"), Decision(Action.BACK, None, mind, episodic, preference))
        recall = memory.recall()
        assert recall.working is not None
        assert recall.episodic is not None
        assert recall.preference is not None
        assert len(recall.working) <= window
        assert all(len(record.mind) <= 4 for record in recall.working)
        assert sum(len(event.text) for event in recall.episodic) <= 12
        assert len(recall.preference) <= statements
        assert all(0 < len(line) <= tokens for line in recall.preference)
        assert not any("\n" in line for line in recall.preference)
