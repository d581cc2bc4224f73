"""The JSON schema of a decision's wire format (SPEC 5), for back ends that can hold a model to it. Ours."""

import json
from functools import cache
from typing import Any

from shopsim.data.vocabulary import ACTION_LABELS, Action
from shopsim.envs.decision import POINT_SCALE

_WITH_POINT = (Action.CLICK.label, Action.ENTER_DETAIL.label)


@cache
def answer_schema(
    mind: bool = True, episodic: bool = True, preference: bool = True, actions: tuple[str, ...] = ACTION_LABELS
) -> str:
    """For `Sampling.schema`: answers that `shopsim.envs.decision.parse` reads, and no others.

    A click must have a point; an ``enter_detail`` may.

    Args:
        mind: Whether a thought is asked for.
        episodic: Whether there is episodic memory to write to.
        preference: Whether there is preference memory to write to.
        actions: Names of the actions to choose from.

    Returns:
        JSON text.
    """
    coordinate = {"type": "integer", "minimum": 0, "maximum": POINT_SCALE}
    point = {"type": "array", "items": coordinate, "minItems": 2, "maxItems": 2}
    pointed = [name for name in actions if name in _WITH_POINT]
    plain = [name for name in actions if name != Action.CLICK.label]
    kinds = [_object(type={"enum": plain})] if plain else []
    if pointed:
        kinds.append(_object(type={"enum": pointed}, point=point))
    text = {"type": "string"}
    fields: dict[str, Any] = {"mind": text} if mind else {}
    fields["action"] = {"anyOf": kinds}
    write = {"anyOf": [text, {"type": "null"}]}
    fields |= {name: write for name, on in (("episodic", episodic), ("preference", preference)) if on}
    return json.dumps(_object(**fields))


def _object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
