"""Two hundred steps of an agent that writes as much as it can: the prompt stays the size it had early on (SPEC 5)."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import shopsim  # noqa: F401  (registers the environments)
from shopsim.agents.backend import Completion, Prompt, ScriptedBackend
from shopsim.agents.prompt import PromptBuilder
from shopsim.agents.recverse import RecVerseAgent
from shopsim.memory import ThreeTierMemory

pytest.importorskip("transformers", reason="counts with a model's tokenizer")

STEPS = 200
WORDS = ["coat", "blue", "cotton", "cheap", "羊毛", "外套", "pockets", "38.99"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Tokenizer and image processor of a model."""
    from shopsim.agents.encoding import Encoder
    from shopsim.agents.tiny_vlm import make_tiny_vlm

    folder = make_tiny_vlm(tmp_path_factory.mktemp("model") / "tiny", ["a blue cotton coat"] * 3, size="test")
    return Encoder.load(folder)


def prompts(tiny_path: Path, agent: RecVerseAgent, writes: bool = True) -> list[Prompt]:
    """What the agent is asked at each step of a session in which it writes long notes, or none."""
    rng = np.random.default_rng(5)
    env = gym.make(
        "ShopSim-v0", data=str(tiny_path), split=None, size=(160, 320), max_steps=STEPS, stuck_after=None, reward=None,
        disable_env_checker=True,
    )  # fmt: skip
    observation, info = env.reset(seed=0)
    agent.reset(info)
    asked = []
    for t in range(STEPS):
        asked.append(agent.prompt(observation, info))
        note, wish = (" ".join(rng.choice(WORDS, 90)) for _ in range(2))
        wish = wish.replace(" ", "\\n", 20)
        kept = f'"episodic": "{note}", "preference": "{wish}"' if writes else '"episodic": null, "preference": null'
        action = '{"type": "click", "point": [300, 300]}' if t % 2 == 0 else '{"type": "back"}'
        decision = agent.receive(
            Completion(f'{{"mind": "{note}", "action": {action}, {kept}}}', None, None, False, 0, 0)
        )
        observation, *_, info = env.step(decision.env_action())
    return asked


@pytest.mark.parametrize(("locale", "view"), [("en", "pixels"), ("zh", "text")])
def test_prompt_tokens_stay_flat(encoder: Any, tiny_path: Path, locale: str, view: Any) -> None:
    agent = RecVerseAgent(
        ScriptedBackend([""]),
        builder=PromptBuilder(view=view, locale=locale, count_tokens=encoder.count),
        memory=ThreeTierMemory(window=3, count_tokens=encoder.count),
    )
    asked = prompts(tiny_path, agent)
    lengths = np.array([len(encoder.encode(prompt).ids) for prompt in asked])
    early, late = lengths[20:60], lengths[-40:]
    assert lengths.argmax() > 3, "it grows while memory fills"
    # Step numbers get a third digit, and a note ends where a word ends.
    assert abs(late.mean() / early.mean() - 1) < 0.02
    assert lengths.max() < 1.05 * early.max()
    assert all(len(prompt.images) == (min(3, t) + 1 if view == "pixels" else 0) for t, prompt in enumerate(asked))
    assert len(agent.memory.episodic) == STEPS - 1, "all events are kept"


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_successive_prompts_share_their_beginning_up_to_what_memory_changed(
    encoder: Any, tiny_path: Path, locale: str
) -> None:
    """What caches of prompt beginnings live on: all but the last screens stays token for token."""
    agent = RecVerseAgent(ScriptedBackend([""]), builder=PromptBuilder(locale=locale))
    asked = [encoder.encode(prompt).ids for prompt in prompts(tiny_path, agent, writes=False)]
    for before, after in pairwise(asked[3:]):
        shared = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
        # The records move up by one at each step: they are new, what stands before them is not.
        first_record = after.index(encoder.tokenizer.convert_tokens_to_ids("<|vision_start|>"))
        assert first_record - 12 < shared <= first_record
        assert shared > 0.6 * len(after)


def test_the_person_comes_before_what_changes(tiny_path: Path) -> None:
    agent = RecVerseAgent(ScriptedBackend([""]))
    for prompt in prompts(tiny_path, agent)[5:8]:
        text = prompt.text
        order = [
            "Answer with one JSON",
            "# The person",
            "# What the person wants",
            "# What happened",
            "# The last",
            "# Now",
        ]
        assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
