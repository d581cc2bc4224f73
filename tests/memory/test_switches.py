"""Each tier has a switch that visibly changes the prompt, in every style and locale, and changes nothing else."""

from difflib import SequenceMatcher

import numpy as np
import pytest

from shopsim.agents.backend import Image, Prompt
from shopsim.agents.prompt import PromptBuilder
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision
from shopsim.memory import ThreeTierMemory

PERSON = {
    "user": {"age": 34, "gender": "female"},
    "clicks": (),
    "purchases": (),
    "locale": "en",
    "currency": "USD",
}
SCREENS = [Image.of(np.full((32, 32, 3), i, np.uint8)) for i in range(3)]
TOLD = {"working": "KEPT-THOUGHT", "episodic": "KEPT-EVENT", "preference": "KEPT-WISH"}
"""What stands in a prompt because of each tier."""


def prompt(builder: PromptBuilder, **switches: bool) -> Prompt:
    memory = ThreeTierMemory(**switches)
    for screen in SCREENS[:2]:
        memory.remember(screen, Decision(Action.BACK, None, *TOLD.values()))
    return builder.build(PERSON, memory.recall(), SCREENS[2], memory.steps)


@pytest.mark.parametrize("tier", TOLD)
@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("make", [PromptBuilder, PromptBuilder.compact], ids=["full", "compact"])
def test_a_switch_takes_out_what_the_tier_told_and_adds_nothing(tier: str, locale: str, make: type) -> None:
    builder = make(locale=locale)
    on, off = prompt(builder).text, prompt(builder, **{f"use_{tier}": False}).text
    for name, told in TOLD.items():
        assert told in on
        assert (told in off) == (name != tier)
    changes = SequenceMatcher(None, on, off, autojunk=False).get_opcodes()
    assert {kind for kind, *_ in changes} <= {"equal", "delete"}
    shown = prompt(builder, **{f"use_{tier}": False}).images
    assert shown == (tuple(SCREENS[2:]) if tier == "working" else tuple(SCREENS))


def test_a_switch_is_part_of_what_a_result_names() -> None:
    settings = [ThreeTierMemory(use_episodic=on).settings() for on in (True, False)]
    assert settings[0] != settings[1]
