"""The prompting of OPeRA's baselines [paper 2506.05606; ACL 2026] (SPEC 5).

Faithful: a model that was not trained for it is given the persona, the actions so far with their reasons, and the
current page as text, and says what this user does next.
Not faithful: the words of the prompt; eight actions in place of `click`, `input` and `terminate`; the text view in
place of HTML; the reasons are the agent's own, where OPeRA has some of the person's; the persona is what the set knows.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from shopsim.agents.prompted import PromptedAgent


class OperaAgent(PromptedAgent):
    """Persona, history of actions and reasons, current page."""

    label = "opera"
    style = "opera"
    view = "text"
    tiers: ClassVar[Mapping[str, Any]] = {**PromptedAgent.tiers, "use_working": False}

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        return {"did": tuple(self.did)}
