"""The wire format of answers: every malformed answer has a name, none an exception (lessons E46-E50)."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shopsim.data.vocabulary import ACTION_LABELS, Action
from shopsim.envs.decision import Decision, ParseFailure, feedback, parse, to_json

GOOD = '{"mind":"cheap","action":{"type":"click","point":[500,250]},"episodic":null,"preference":null}'
CLICK = Decision(Action.CLICK, (0.5, 0.25), "cheap")
BACK = '{"action":{"type":"back"}}'


def click(point: str) -> str:
    return '{"action":{"type":"click","point":' + point + "}}"


TOLERATED = {
    "canonical": (GOOD, CLICK),
    "spread out": (json.dumps(json.loads(GOOD), indent=2), CLICK),
    "surrounding space": (f"\n  {GOOD}\t\n", CLICK),
    "code fence": (f"```json\n{GOOD}\n```", CLICK),
    "bare code fence": (f"```\n{GOOD}```", CLICK),
    "closed thought": (f"<think>it is {{cheap}}</think>\n{GOOD}", CLICK),
    "thought opened by the template": (f"it is cheap</think>{GOOD}", CLICK),
    "thought, then fence": (f"<think>hm</think>\n```json\n{GOOD}\n```", CLICK),
    "thought tag inside a string": (
        '{"mind":"</think>","action":{"type":"back"}}',
        Decision(Action.BACK, None, "</think>"),
    ),
    "thought tag inside a string after a thought": (
        '<think>a</think>{"mind":"<think>","action":{"type":"back"}}',
        Decision(Action.BACK, None, "<think>"),
    ),
    "nested braces in a string": ('{"mind":"{{}","action":{"type":"back"}}', Decision(Action.BACK, None, "{{}")),
    "wrong case": ('{"action":{"type":" Scroll_Down "}}', Decision(Action.SCROLL_DOWN)),
    "extra keys": ('{"action":{"type":"back","why":1},"plan":{"a":[1]}}', Decision(Action.BACK)),
    "numbers as strings": (click('["500", " 250.0"]'), Decision(Action.CLICK, (0.5, 0.25))),
    "fractions": (click("[499.6,250.2]"), Decision(Action.CLICK, (0.5, 0.25))),
    "corners": (click("[0,1000]"), Decision(Action.CLICK, (0.0, 1.0))),
    "unneeded point": ('{"action":{"type":"back","point":"junk"}}', Decision(Action.BACK)),
    "enter_detail without point": ('{"action":{"type":"enter_detail"}}', Decision(Action.ENTER_DETAIL)),
    "enter_detail with point": (
        '{"action":{"type":"enter_detail","point":[1,2]}}',
        Decision(Action.ENTER_DETAIL, (0.001, 0.002)),
    ),
    "null mind": ('{"mind":null,"action":{"type":"back"}}', Decision(Action.BACK)),
    "memory writes": (
        '{"mind":"m","action":{"type":"terminate"},"episodic":"saw x","preference":""}',
        Decision(Action.TERMINATE, None, "m", "saw x", ""),
    ),
    "raw line break in a string": ('{"mind":"a\nb","action":{"type":"back"}}', Decision(Action.BACK, None, "a\nb")),
    "lone surrogate": ('{"mind":"\\ud800","action":{"type":"back"}}', Decision(Action.BACK, None, "\ufffd")),
}

REFUSED = {
    "empty": ("", ParseFailure.NO_JSON),
    "space": (" \n", ParseFailure.NO_JSON),
    "prose": ("I would click the red dress.", ParseFailure.NO_JSON),
    "bare name": ("scroll_down", ParseFailure.NO_JSON),
    "NaN alone": ("NaN", ParseFailure.NO_JSON),
    "unclosed thought": (f"<think>it is cheap {GOOD}", ParseFailure.UNCLOSED_THOUGHT),
    "cut object": (GOOD[:-10], ParseFailure.BAD_JSON),
    "single quotes": ("{'action': {'type': 'back'}}", ParseFailure.BAD_JSON),
    "trailing comma": ('{"action":{"type":"back"},}', ParseFailure.BAD_JSON),
    "NaN": (click("[NaN,1]"), ParseFailure.BAD_JSON),
    "Infinity": (click("[1,-Infinity]"), ParseFailure.BAD_JSON),
    "prose with braces": ("set {x} to {y}", ParseFailure.BAD_JSON),
    "too many digits": (click("[" + "9" * 5000 + ",1]"), ParseFailure.BAD_JSON),
    "deep nesting": ('{"a":' * 100_000, ParseFailure.BAD_JSON),
    "deep list": ("[" * 100_000 + "{", ParseFailure.BAD_JSON),
    "duplicate action": ('{"action":{"type":"back"},"action":{"type":"purchase"}}', ParseFailure.DUPLICATE_KEY),
    "duplicate type": ('{"action":{"type":"back","type":"click"}}', ParseFailure.DUPLICATE_KEY),
    "list": (f"[{GOOD}]", ParseFailure.NOT_AN_OBJECT),
    "string": ('"scroll_down"', ParseFailure.NOT_AN_OBJECT),
    "number": ("3", ParseFailure.NOT_AN_OBJECT),
    "null": ("null", ParseFailure.NOT_AN_OBJECT),
    "two objects": (f"{GOOD}\n{BACK}", ParseFailure.TWO_OBJECTS),
    "two objects and prose": (f"First {GOOD} then {BACK}", ParseFailure.TWO_OBJECTS),
    "trailing prose": (f"{GOOD} This is the best item.", ParseFailure.EXTRA_TEXT),
    "trailing brace": (GOOD + "}", ParseFailure.EXTRA_TEXT),
    "leading prose": (f"Sure! {GOOD}", ParseFailure.EXTRA_TEXT),
    "leading number": (f"3 {GOOD}", ParseFailure.EXTRA_TEXT),
    "fence in prose": (f"Here:\n```json\n{GOOD}\n```", ParseFailure.EXTRA_TEXT),
    "unclosed fence": (f"```json\n{GOOD}", ParseFailure.EXTRA_TEXT),
    "no action": ('{"mind":"x"}', ParseFailure.NO_ACTION),
    "action as a string": ('{"action":"back"}', ParseFailure.NO_ACTION),
    "action without type": ('{"action":{"point":[1,2]}}', ParseFailure.NO_ACTION),
    "flat action": ('{"type":"back"}', ParseFailure.NO_ACTION),
    "invented action": ('{"action":{"type":"long_press","point":[1,2]}}', ParseFailure.UNKNOWN_ACTION),
    "spaced name": ('{"action":{"type":"scroll down"}}', ParseFailure.UNKNOWN_ACTION),
    "type as a number": ('{"action":{"type":2}}', ParseFailure.UNKNOWN_ACTION),
    "type null": ('{"action":{"type":null}}', ParseFailure.UNKNOWN_ACTION),
    "no point": ('{"action":{"type":"click"}}', ParseFailure.MISSING_POINT),
    "null point": (click("null"), ParseFailure.MISSING_POINT),
    "one number": (click("[5]"), ParseFailure.BAD_POINT),
    "a box": (click("[1,2,3,4]"), ParseFailure.BAD_POINT),
    "xy object": (click('{"x":1,"y":2}'), ParseFailure.BAD_POINT),
    "point as text": (click('"12"'), ParseFailure.BAD_POINT),
    "booleans": (click("[true,false]"), ParseFailure.BAD_POINT),
    "words": (click('["left","top"]'), ParseFailure.BAD_POINT),
    "nan as a string": (click('["nan","1"]'), ParseFailure.BAD_POINT),
    "negative": (click("[-1,5]"), ParseFailure.OUT_OF_RANGE),
    "pixels": (click("[5,1200]"), ParseFailure.OUT_OF_RANGE),
    "huge float": (click("[1e999,5]"), ParseFailure.OUT_OF_RANGE),
    "huge integer": (click("[" + "9" * 400 + ",1]"), ParseFailure.OUT_OF_RANGE),
    "huge string": (click('["' + "9" * 5000 + '",1]'), ParseFailure.OUT_OF_RANGE),
    "mind as a list": ('{"mind":["a"],"action":{"type":"back"}}', ParseFailure.BAD_TEXT),
    "preference as a list": ('{"action":{"type":"back"},"preference":["red"]}', ParseFailure.BAD_TEXT),
    "episodic as a number": ('{"action":{"type":"back"},"episodic":1}', ParseFailure.BAD_TEXT),
}


@pytest.mark.parametrize(("text", "decision"), TOLERATED.values(), ids=TOLERATED.keys())
def test_what_reads_in_one_way_is_tolerated(text: str, decision: Decision) -> None:
    assert parse(text) == decision


@pytest.mark.parametrize(("text", "failure"), REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_a_named_failure_that_carries_nothing(text: str, failure: ParseFailure) -> None:
    assert parse(text) == Decision(None, failure=failure)


def test_a_truncated_answer_is_truncated_whatever_its_beginning_says() -> None:
    for text in (GOOD, GOOD[:30], ""):
        assert parse(text, truncated=True).failure is ParseFailure.TRUNCATED


def test_every_category_has_an_example_and_a_message() -> None:
    reached = {failure for _, failure in REFUSED.values()} | {ParseFailure.TRUNCATED}
    assert reached == set(ParseFailure)
    assert len({feedback(failure) for failure in ParseFailure}) == len(ParseFailure)


def test_raw_is_kept_and_is_not_part_of_equality() -> None:
    assert parse(GOOD).raw == GOOD
    assert parse("nonsense").raw == "nonsense"
    assert parse("\ud800").raw == "\ufffd"
    assert parse(GOOD) == parse(f" {GOOD}")


def test_feedback_names_the_eight_actions_and_no_text_of_the_model() -> None:
    for failure in ParseFailure:
        message = feedback(failure)
        assert ", ".join(ACTION_LABELS) in message
        assert "\n" not in message


def test_env_action() -> None:
    action = CLICK.env_action()
    assert action is not None
    assert action["action"] == 2
    assert action["point"].dtype == np.float32
    assert action["point"].tolist() == [0.5, 0.25]
    assert Decision(Action.BACK).env_action() == {"action": 4}
    assert parse("junk").env_action() is None


def test_canonical_text() -> None:
    assert to_json(CLICK) == GOOD
    assert to_json(Decision(Action.BACK, mind="红色")) == (
        '{"mind":"红色","action":{"type":"back"},"episodic":null,"preference":null}'
    )
    with pytest.raises(ValueError, match="no canonical answer"):
        to_json(parse("junk"))


text = st.text(st.characters(exclude_categories=["Cs"]))
share = st.integers(0, 1000).map(lambda v: v / 1000)
points = st.tuples(share, share)


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    action = draw(st.sampled_from(Action))
    point = None
    if action is Action.CLICK:
        point = draw(points)
    elif action is Action.ENTER_DETAIL:
        point = draw(st.none() | points)
    return Decision(action, point, draw(text), draw(st.none() | text), draw(st.none() | text))


@given(decisions())
def test_canonical_text_reads_back_equal(decision: Decision) -> None:
    said = to_json(decision)
    assert parse(said) == decision
    assert to_json(parse(said)) == said
    assert parse(f"```json\n{said}\n```") == decision
    assert parse(f"<think>so</think>{said}") == decision


pieces = st.sampled_from(
    [*'{}[]",: \n`1.-', "<think>", "</think>", "```json", "NaN", "\ud800", '"action"', '"type"', "click"]
)


@settings(max_examples=400)
@given(st.one_of(st.text(), st.lists(pieces).map("".join), st.tuples(st.text(), st.just(GOOD), st.text()).map("".join)))
@example("\ud83d" + GOOD)
def test_any_text_is_read_without_an_exception(text: str) -> None:
    decision = parse(text)
    assert (decision.action is None) == (decision.failure is not None)
    decision.raw.encode()
    if decision.action is not None:
        assert parse(to_json(decision)) == decision


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(ACTION_LABELS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "point", "action", "mind"]) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=400)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "mind": json_values,
            "action": json_values
            | st.fixed_dictionaries(
                {"type": json_values | st.sampled_from(ACTION_LABELS)}, optional={"point": json_values}
            ),
            "episodic": json_values,
            "preference": json_values,
        },
    )
)
def test_any_object_is_read_without_an_exception(answer: dict[str, object]) -> None:
    decision = parse(json.dumps(answer))
    assert (decision.action is None) == (decision.failure is not None)
    if decision.action is Action.CLICK:
        assert decision.point is not None
    if decision.point is not None:
        assert all(0 <= v <= 1 for v in decision.point)


def test_a_plain_number_is_an_action_too() -> None:
    assert Decision(7).action is Action.TERMINATE  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="8 is not a valid Action"):
        Decision(8)  # type: ignore[arg-type]
