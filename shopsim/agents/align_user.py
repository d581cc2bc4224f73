"""AlignUSER [paper 2601.00930; ACL 2026] (SPEC 5).

Faithful: before it acts the agent thinks of several actions and of what the app would show after each, compares them
with what the user wants, and keeps the lessons; persona and text pages.
Not faithful: the paper trains for this, on the pages that follow actions and on counterfactual demonstrations: other
actions around each step of the person, compared with the person's and reflected on. No such rows are made or trained on
here. Both halves are asked of an untrained model at each step instead, which doubles the cost, and what would come of
an action is imagined, never tried. No knowledge graph, no satisfaction after the session. The words of the prompts, the
eight actions and all bounds are ours.
"""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from shopsim.agents.backend import Completion, Prompt
from shopsim.agents.prompted import PromptedAgent, plain
from shopsim.data.vocabulary import ACTION_BY_LABEL
from shopsim.envs.decision import POINT_SCALE, Decision, answer_fields, parse

OUTCOME = 16
"""Most tokens kept of what would come of an action."""


class AlignUserAgent(PromptedAgent):
    """Candidate actions first, then one of them: two questions a step. Lessons are its episodic memory.

    Templates may use ``did``, ``asked`` (how many candidates) and, in the second question, ``candidates``: a list of
    ``action``, ``point``, ``outcome``.
    """

    label = "align-user"
    style = "align-user"
    view = "text"
    tiers: ClassVar[Mapping[str, Any]] = {"use_working": False, "use_preference": False}
    candidates: ClassVar[int] = 3

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        return {"did": tuple(self.did), "asked": self.candidates}

    def keys(self, style: str) -> tuple[str, ...]:
        """See `PromptedAgent.keys`."""
        return ("candidates", "action") if style == self.style else super().keys(style)

    def weigh(self, completion: Completion) -> Decision | Prompt:
        """See `ModelAgent.weigh`: an answer to the first question, readable or not, leads to the second."""
        if self._call == 0:
            proposed = answer_fields(completion.text).get("candidates")
            return self.ask("align-user-choose", candidates=self._legible(proposed))
        return super().weigh(completion)

    def _legible(self, proposed: object) -> list[dict[str, Any]]:
        """The candidates that can be read; whatever else an answer holds is dropped."""
        found = []
        for one in proposed if isinstance(proposed, list) else ():
            if isinstance(one, dict) and plain(one.get("type")).strip().lower() in ACTION_BY_LABEL:
                point = parse(json.dumps({"action": {"type": "click", "point": one.get("point")}})).point
                found.append(
                    {
                        "action": plain(one["type"]).strip().lower(),
                        "point": None if point is None else [round(share * POINT_SCALE) for share in point],
                        "outcome": self.shorten(plain(one.get("outcome")), OUTCOME),
                    }
                )
        return found[: self.candidates]
