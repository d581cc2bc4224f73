"""What a step of each agent costs besides the model: prompt building, parsing and memory, in CPU milliseconds.

The model is a script that scrolls, opens and goes back, so that memories fill up. Run::

    python benchmarks/agents.py [--steps 200]

Prints a line for each agent: calls a step, images and words of a prompt (mean and largest), CPU milliseconds a step in
the agent's own code. The environment's time is not counted.
"""

import argparse
import json
from time import process_time
from typing import Any

import numpy as np

from shopsim.agents.backend import Prompt, ScriptedBackend
from shopsim.agents.models import load_backend
from shopsim.benchmark_usb import roster
from shopsim.envs.env import ShopSimEnv
from shopsim.memory import count_words

MOVES: list[dict[str, Any]] = [
    {"type": "scroll_down"},
    {"type": "click", "point": [256, 330]},
    {"type": "enter_detail"},
    {"type": "scroll_down"},
    {"type": "back"},
    {"type": "back"},
    {"type": "scroll_up"},
]

WARM = 7
"""Steps before the count begins."""


class Walker:
    """Answers with the moves in turn and everything an agent may note."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, prompt: Prompt, seed: int) -> str:
        self.asked += 1
        noted = {
            "note": f"things of kind {self.asked}",
            "feeling": f"mood {self.asked}",
            "episodic": f"saw {self.asked}",
        }
        graded = {"interest": 5, "importance": self.asked % 10, "satisfaction": 7}
        candidates = [{**move, "outcome": "another page"} for move in MOVES[:3]]
        move = MOVES[self.asked % len(MOVES)]
        return json.dumps({"mind": "let me see", "action": move, **noted, **graded, "candidates": candidates})


def measure(kind: str, steps: int) -> str:
    """The line of one agent."""
    backend = ScriptedBackend(Walker())
    roster.load_backend = lambda spec, **_: backend
    spec = roster.AgentSpec(kind, "http://nowhere", settings={"max_tokens": 10_000})
    env = ShopSimEnv(max_steps=None, pixels=spec.sees, stuck_after=None, reward=None)
    agent: Any = spec.maker(env.dataset)()
    observation, info = env.reset(seed=0)
    agent.reset(info)
    spent = 0.0
    for step in range(WARM + steps):
        if step == WARM:
            # Templates are compiled at first use.
            spent = 0.0
            backend.prompts.clear()
        began = process_time()
        decision = agent.act(observation, info)
        spent += process_time() - began
        observation, _, terminated, truncated, info = env.step(decision.env_action())
        began = process_time()
        agent.settle(info)
        spent += process_time() - began
        if terminated or truncated:
            observation, info = env.reset()
            agent.reset(info)
    words = np.array([count_words(prompt.text) for prompt in backend.prompts])
    images = np.mean([len(prompt.images) for prompt in backend.prompts])
    calls = len(backend.prompts) / steps
    return (
        f"{kind:<16} {calls:5.2f} calls {images:5.2f} images {words.mean():6.0f} words (at most {words.max():5d}) "
        f"{1000 * spent / steps:6.2f} ms"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()
    assert roster.load_backend is load_backend
    for name in roster.ASKING:
        print(measure(name, arguments.steps), flush=True)
