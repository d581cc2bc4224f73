"""The schema of an answer says what the parser reads."""

import json

from shopsim.agents.schema import answer_schema
from shopsim.data.vocabulary import ACTION_LABELS


def test_all_actions_are_there_and_a_click_needs_a_point() -> None:
    schema = json.loads(answer_schema())
    assert schema["required"] == ["mind", "action", "episodic", "preference"]
    plain, pointed = schema["properties"]["action"]["anyOf"]
    assert set(plain["properties"]["type"]["enum"]) == set(ACTION_LABELS) - {"click"}
    assert pointed["properties"]["type"]["enum"] == ["click", "enter_detail"]
    assert pointed["required"] == ["type", "point"]
    assert pointed["properties"]["point"]["items"] == {"type": "integer", "minimum": 0, "maximum": 1000}


def test_what_is_switched_off_is_not_asked_for() -> None:
    schema = json.loads(answer_schema("action", actions=("scroll_down", "terminate")))
    assert schema["required"] == ["action"]
    assert [kind["required"] for kind in schema["properties"]["action"]["anyOf"]] == [["type"]]
