"""Customer-R1 [paper 2510.07230] (SPEC 5).

Faithful: persona, pages, actions and reasons so far give the next reason and action; on conflict the page outranks
the persona; where room is short the oldest pages go first and the actions stay.
Not faithful: the words of the prompt; eight actions in place of `click`, `input` and `terminate`; the text view in
place of HTML, four past pages in place of 65,000 tokens; the persona is age, gender, the set's persona text and the
history, since the interviews and questionnaires behind the paper's are not in any log; the model is whichever is given.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from shopsim.agents.prompted import PromptedAgent


class CustomerR1Agent(PromptedAgent):
    """The next action and its reason of one particular customer, from text."""

    label = "customer-r1"
    style = "customer-r1"
    view = "text"
    tiers: ClassVar[Mapping[str, Any]] = {**PromptedAgent.tiers, "window": 4}

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        # All reasons stand with the actions, so the pages need not repeat theirs.
        return {"did": tuple(self.did), "thoughts": False}
