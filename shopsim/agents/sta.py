"""See, Think, Act [paper 2510.19245] (SPEC 5).

Faithful: ``f(pages 1..t as text, actions 1..t-1, screenshot t) -> (reason, action)``; a page's text holds what the
viewport shows; past reasons are no input.
Not faithful: the words of the prompt; eight actions in place of `input`, `click` and `scroll`, and runs of scrolls are
not merged; the text view in place of pruned HTML; pages before the last four are dropped; the model is whichever is
given, not the paper's, which was tuned on reasons written by another model and then by reinforcement.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from shopsim.agents.prompted import PromptedAgent


class STAAgent(PromptedAgent):
    """The next action and its reason, from the current screenshot and the session's pages as text."""

    label = "sta"
    style = "sta"
    view = "both"
    tiers: ClassVar[Mapping[str, Any]] = {**PromptedAgent.tiers, "window": 4}

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        return {"thoughts": False}
