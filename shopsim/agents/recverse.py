"""RecVerse: a vision-language model with three tiers of memory [paper 2608.20707] (SPEC 5).

Faithful: one answer a step holds the thought, the action and the memory writes; the working memory's records are
(screen, thought, action); what is written into episodic and preference memory is the policy's choice.
Ours: the prompt's words, the wire format, K and all bounds, the feedback after an answer that could not be done.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from shopsim.agents.prompted import PromptedAgent


class RecVerseAgent(PromptedAgent):
    """The agent of this project, on screenshots."""

    label = "recverse"
    style = "full"
    tiers: ClassVar[Mapping[str, Any]] = {}
    small: ClassVar[Mapping[str, Any]] = {
        **PromptedAgent.small,
        "style": "compact",
        "mind": False,
        "episodic_budget": 24,
        "max_statements": 2,
        "max_statement": 8,
        "use_episodic": False,
    }


class RecVerseTextAgent(RecVerseAgent):
    """The text variant of the paper's tables: the same agent with text views in place of screenshots."""

    label = "recverse-text"
    view = "text"
