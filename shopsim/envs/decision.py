"""An agent's answer at one step: the decision, its wire format, and the parser that never raises (SPEC 5). Ours.

The wire format is one JSON object::

    {"mind": "...", "action": {"type": "click", "point": [500, 250]}, "episodic": null, "preference": null}

Points are whole thousandths of the screen, 0 to 1000, from the top left corner.

The rule of the parser: what can be read in one way only is tolerated, anything else is a named failure.

Tolerated
    white space or a code fence around the object; a closed ``<think>...</think>`` before it (also without the
    opening tag, which some chat templates write themselves); further keys; a missing or null `mind`,
    `episodic` or `preference`; another case of the action's name (``Click``); numbers as strings (``"500"``);
    fractions, rounded to the grid; raw line breaks inside strings; a point where the action takes none
    (dropped); `enter_detail` without a point (only the environment knows the page).
Refused
    everything else, one `ParseFailure` each. A refused answer carries nothing: no action, no mind, no memory
    write.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NoReturn

import numpy as np

from shopsim.data.vocabulary import ACTION_BY_LABEL, ACTION_LABELS, Action

POINT_SCALE = 1000
"""Points in answers run from 0 to this number on both axes."""


class ParseFailure(StrEnum):
    """Why an answer could not be read. The whole vocabulary."""

    TRUNCATED = "truncated"
    """The token limit cut the answer off: not a wrong answer, whatever its beginning says."""
    NO_JSON = "no_json"
    """There is no JSON in it (an empty answer too)."""
    UNCLOSED_THOUGHT = "unclosed_thought"
    """It opens a ``<think>`` that never closes."""
    BAD_JSON = "bad_json"
    """An object begins but is no valid JSON: a bracket missing, NaN or Infinity, thousands of digits or levels."""
    DUPLICATE_KEY = "duplicate_key"
    """A key appears twice in one object, so it could be read in two ways."""
    NOT_AN_OBJECT = "not_an_object"
    """Valid JSON, but a list, a string, a number or a constant."""
    TWO_OBJECTS = "two_objects"
    """A second JSON object follows the first."""
    EXTRA_TEXT = "extra_text"
    """Text stands before or after the object."""
    NO_ACTION = "no_action"
    """`action` is missing, is no object, or has no `type`."""
    UNKNOWN_ACTION = "unknown_action"
    """`type` is none of the eight actions."""
    MISSING_POINT = "missing_point"
    """`click` without a point."""
    BAD_POINT = "bad_point"
    """`point` is not two numbers."""
    OUT_OF_RANGE = "out_of_range"
    """`point` is not inside 0 to 1000."""
    BAD_TEXT = "bad_text"
    """`mind`, `episodic` or `preference` is neither text nor null."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent decided at one step."""

    action: Action | None
    """None where the answer could not be read; the environment then spends a step on nothing."""
    point: tuple[float, float] | None = None
    """Shares of the screen, 0-1. Only of `click` and `enter_detail`."""
    mind: str = ""
    """The short thought before acting."""
    episodic: str | None = None
    """Event to write into episodic memory; None writes nothing."""
    preference: str | None = None
    """The whole new preference memory, one statement a line; None keeps the old, "" clears it."""
    raw: str = field(default="", compare=False)
    """The answer as the model gave it; not part of equality."""
    failure: ParseFailure | None = None

    def __post_init__(self) -> None:
        if self.action is not None and type(self.action) is not Action:
            object.__setattr__(self, "action", Action(self.action))  # a plain number is an action too

    def env_action(self) -> dict[str, Any] | None:
        """The action for `ShopSimEnv.step`: a dict, without "point" where there is none; None where unread."""
        if self.action is None:
            return None
        if self.point is None:
            return {"action": int(self.action)}
        return {"action": int(self.action), "point": np.array(self.point, dtype=np.float32)}


class _Refused(Exception):
    """Carries a failure out of the parser's steps."""

    def __init__(self, failure: ParseFailure) -> None:
        self.failure = failure


def parse(text: str, truncated: bool = False) -> Decision:
    """Reads an answer. Never raises.

    Args:
        text: The model's answer.
        truncated: Whether the token limit cut it off; it is then `ParseFailure.TRUNCATED` whatever it says.

    Returns:
        The decision; on failure one with `action` None and `failure` set. Lone surrogates become U+FFFD.
    """
    raw = _encodable(text)
    try:
        if truncated:
            raise _Refused(ParseFailure.TRUNCATED)
        answer = _the_object(_without_thought(_without_fence(raw.strip())))
        action, point = _action(answer.get("action"))
        mind, episodic, preference = (_text(answer.get(key)) for key in ("mind", "episodic", "preference"))
    except _Refused as refused:
        return Decision(None, raw=raw, failure=refused.failure)
    return Decision(action, point, mind or "", episodic, preference, raw)


def answer_fields(text: str) -> dict[str, Any]:
    """All keys of the one JSON object an answer consists of, also those a `Decision` has no place for. Never raises.

    Empty where there is no such object.
    """
    try:
        return _the_object(_without_thought(_without_fence(_encodable(text).strip())))
    except _Refused:
        return {}


def to_json(decision: Decision) -> str:
    """The canonical answer text: compact, keys in the order of the wire format, points on the 0-1000 grid.

    ``parse(to_json(d)) == d`` for every decision whose point lies on the grid; other points are rounded to it.

    Raises:
        ValueError: The decision has no action, so there is nothing to say.
    """
    if decision.action is None:
        raise ValueError("a decision without an action has no canonical answer")
    action: dict[str, Any] = {"type": decision.action.label}
    if decision.point is not None:
        action["point"] = [round(share * POINT_SCALE) for share in decision.point]
    answer = {
        "mind": decision.mind,
        "action": action,
        "episodic": decision.episodic,
        "preference": decision.preference,
    }
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


_WRONG = {
    ParseFailure.TRUNCATED: "Your answer was cut off at the length limit. Answer more briefly.",
    ParseFailure.NO_JSON: "Your answer holds no JSON object.",
    ParseFailure.UNCLOSED_THOUGHT: "Your answer never closes its <think> tag.",
    ParseFailure.BAD_JSON: "Your answer is not valid JSON.",
    ParseFailure.DUPLICATE_KEY: "Your answer has a key twice.",
    ParseFailure.NOT_AN_OBJECT: "Your answer is JSON but not an object.",
    ParseFailure.TWO_OBJECTS: "Your answer holds more than one JSON object; give one action a step.",
    ParseFailure.EXTRA_TEXT: "Your answer has text outside the JSON object.",
    ParseFailure.NO_ACTION: 'Your answer has no "action" object with a "type".',
    ParseFailure.UNKNOWN_ACTION: "Your action does not exist.",
    ParseFailure.MISSING_POINT: 'click needs "point": [x, y].',
    ParseFailure.BAD_POINT: '"point" must be two numbers, [x, y].',
    ParseFailure.OUT_OF_RANGE: '"point" must lie between 0 and 1000.',
    ParseFailure.BAD_TEXT: '"mind", "episodic" and "preference" must be text or null.',
}


def feedback(failure: ParseFailure) -> str:
    """What to tell the model about an answer that could not be read; names the eight actions.

    Never contains any of the model's own text, which it would take up again.
    """
    return (
        f"{_WRONG[failure]} Nothing was done. Answer with one JSON object as you were told to. "
        f'"type" is one of: {", ".join(ACTION_LABELS)}. "point" is 0 to {POINT_SCALE}, for click and enter_detail.'
    )


# The parser's steps, in the order they run


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced, so that it can always be stored and tokenised."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _without_fence(text: str) -> str:
    match = re.fullmatch(r"```[A-Za-z0-9]*\s(.*)```", text, re.DOTALL)
    return match[1].strip() if match else text


def _without_thought(text: str) -> str:
    if text.startswith("{"):  # a tag inside the object belongs to its strings
        return text
    _, closed, answer = text.partition("</think>")
    if closed:
        return _without_fence(answer.strip())
    if text.startswith("<think>"):
        raise _Refused(ParseFailure.UNCLOSED_THOUGHT)
    return text


def _the_object(text: str) -> dict[str, Any]:
    """The one JSON object the text consists of."""
    start = text.find("{")
    if start != 0 and _is_json(text):
        raise _Refused(ParseFailure.NOT_AN_OBJECT)
    if start < 0:
        raise _Refused(ParseFailure.NO_JSON)
    answer, end = _decode(text, start)
    rest = text[end:]
    if _begins_json(rest, rest.find("{")):
        raise _Refused(ParseFailure.TWO_OBJECTS)
    if start > 0 or rest.strip():
        raise _Refused(ParseFailure.EXTRA_TEXT)
    assert isinstance(answer, dict)
    return answer


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Refused(ParseFailure.DUPLICATE_KEY)
    return found


def _no_constant(name: str) -> NoReturn:
    raise _Refused(ParseFailure.BAD_JSON)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, strict=False)


def _decode(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at `start`, and where it ends."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):  # ValueError also where an integer has too many digits for Python
        raise _Refused(ParseFailure.BAD_JSON) from None


def _begins_json(text: str, start: int) -> bool:
    try:
        return start >= 0 and _decode(text, start)[1] > start
    except _Refused:
        return False


def _is_json(text: str) -> bool:
    return _begins_json(text, 0) and _decode(text, 0)[1] == len(text)


def _action(value: object) -> tuple[Action, tuple[float, float] | None]:
    if not isinstance(value, dict) or "type" not in value:
        raise _Refused(ParseFailure.NO_ACTION)
    label = value["type"]
    action = ACTION_BY_LABEL.get(label.strip().lower()) if isinstance(label, str) else None
    if action is None:
        raise _Refused(ParseFailure.UNKNOWN_ACTION)
    if action not in (Action.CLICK, Action.ENTER_DETAIL):
        return action, None
    point = value.get("point")
    if point is None:
        if action is Action.CLICK:
            raise _Refused(ParseFailure.MISSING_POINT)
        return action, None
    if not isinstance(point, Sequence) or isinstance(point, str) or len(point) != 2:
        raise _Refused(ParseFailure.BAD_POINT)
    return action, (_share(point[0]), _share(point[1]))


def _share(value: object) -> float:
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]+(\.[0-9]*)?\s*", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Refused(ParseFailure.BAD_POINT)
    if not 0 <= value <= POINT_SCALE:
        raise _Refused(ParseFailure.OUT_OF_RANGE)
    return round(value) / POINT_SCALE


def _text(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _Refused(ParseFailure.BAD_TEXT)
    return _encodable(value)
