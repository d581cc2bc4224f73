"""The JSON schema of an answer, for back ends that can hold a model to it (SPEC 5). Ours."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from shopsim.data.vocabulary import ACTION_LABELS, Action
from shopsim.envs.decision import POINT_SCALE

_WITH_POINT = (Action.CLICK.label, Action.ENTER_DETAIL.label)


def _object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _action(actions: tuple[str, ...], **more: Any) -> dict[str, Any]:
    coordinate = {"type": "integer", "minimum": 0, "maximum": POINT_SCALE}
    point = {"type": "array", "items": coordinate, "minItems": 2, "maxItems": 2}
    pointed = [name for name in actions if name in _WITH_POINT]
    plain = [name for name in actions if name != Action.CLICK.label]
    kinds = [_object(type={"enum": plain}, **more)] if plain else []
    if pointed:
        kinds.append(_object(type={"enum": pointed}, point=point, **more))
    return {"anyOf": kinds}


def _whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


_TEXT = {"type": "string"}
_WRITE = {"anyOf": [_TEXT, {"type": "null"}]}

_FIELDS: Mapping[str, Any] = {
    "mind": _TEXT,
    "episodic": _WRITE,
    "preference": _WRITE,
    # Keys of single agents; `shopsim.agents.prompted.PromptedAgent.keys` says whose.
    "note": _TEXT,
    "feeling": _TEXT,
    "fits": _whole(0, 99),
    "interest": _whole(1, 5),
    "importance": _whole(1, 10),
    "satisfaction": _whole(1, 10),
    "candidates": {"type": "array", "items": _action(ACTION_LABELS, outcome=_TEXT), "minItems": 1, "maxItems": 3},
}


@cache
def answer_schema(*keys: str, actions: tuple[str, ...] = ACTION_LABELS) -> str:
    """For `Sampling.schema`: answers that `shopsim.envs.decision.parse` reads, and no others.

    A click must have a point; an ``enter_detail`` may.

    Args:
        keys: Of the answer, in this order; ``action`` must be one. Those of the wire format if none are given.
        actions: Names of the actions to choose from.

    Returns:
        JSON text.
    """
    fields = {**_FIELDS, "action": _action(actions)}
    return json.dumps(_object(**{key: fields[key] for key in keys or ("mind", "action", "episodic", "preference")}))
