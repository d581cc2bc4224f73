"""Shop-R1 [paper 2507.17842; ICLR 2026] (SPEC 5).

Faithful: the model reads all pages of the session so far as text with the actions and reasons of the past, and answers
with one JSON object that holds the next reason and action; no profile of the person; leaving means that nothing
suitable was found; temperature 0.6.
Not faithful: the words of the prompt; eight actions in place of `click`, `type_and_submit` and `terminate`; a page is
the text view with places in thousandths, not simplified HTML with named elements; pages before the last eight are
dropped, where the paper has 32,000 tokens of context; the model is whichever is given, not one trained on the paper's
sessions (its reward: `shopsim.envs.step_reward`, its recipe: the trainers).
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from shopsim.agents.prompted import PromptedAgent


class ShopR1Agent(PromptedAgent):
    """The next action and its reason, from the session so far as text."""

    label = "shop-r1"
    style = "shop-r1"
    view = "text"
    tiers: ClassVar[Mapping[str, Any]] = {**PromptedAgent.tiers, "window": 8}
    drawn: ClassVar[Mapping[str, Any]] = {"temperature": 0.6}

    def names(self) -> dict[str, Any]:
        """See `PromptedAgent.names`."""
        return {"thoughts": True}
