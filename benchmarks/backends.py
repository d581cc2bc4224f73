"""What a model costs in the loop of sessions: ``python benchmarks/backends.py``.

Recorded sessions are gone through teacher forced, so that every run asks the same prompts, by the agent for tiny
models. A model made here has learned nothing and ends no answer, so answers are cut at the length of a trained one's.

- *together*: all lanes' prompts answered in one batch, against one by one: seconds a step each, and their ratio.
- *without the model*: building prompts, reading answers and memory, in milliseconds a step (median of the sessions).
- *screens*: processed, and distinct ones seen.

Seconds are wall time; CPU seconds of this process are printed beside them, since other programs disturb those less.
"""

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import gymnasium as gym
import torch

import shopsim  # noqa: F401  (registers the environments)
from shopsim.agents.backend import Backend, Completion, Prompt, Sampling, ScriptedBackend
from shopsim.agents.checkpoint import AgentSetup
from shopsim.agents.models import load_backend, setup_of
from shopsim.agents.prompt import PromptBuilder
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Task, collect
from shopsim.data import DataSet
from shopsim.trainers.tiny import make_start_model

WRITES = (
    '{"mind":"too dear for what it is, going on","action":{"type":"click","point":[420,310]},'
    '"episodic":"looked at a grey wool coat for 89","preference":"a warm coat\\nunder 60\\nnot black"}'
)
"""An answer with everything in it."""


class Counting:
    """A model that counts the distinct screens it is shown."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.reads_images = backend.reads_images
        self.screens: set[str] = set()

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        self.screens |= {image.id for prompt in prompts for image in prompt.images}
        return self._backend.generate(prompts, seeds, sampling)

    def settings(self) -> dict[str, Any]:
        return self._backend.settings()


def play(dataset: DataSet, backend: Backend, setup: AgentSetup, sessions: int, lanes: int, tokens: int) -> list[float]:
    """Wall and CPU seconds a step, and sessions a minute."""
    rows = dataset.session_rows().tolist()
    tasks = [Task(dataset.session_id(rows[i % len(rows)])) for i in range(sessions)]
    make_env = partial(
        gym.make,
        "ShopSimReplay-v0",
        data=str(dataset.path),
        split=None,
        size=setup.size,
        reward=None,
        disable_env_checker=True,
    )
    sampling = Sampling(0.0, tokens)
    wall, cpu = perf_counter(), process_time()
    rollouts = collect(tasks, make_env, lambda: setup.make_agent(backend, sampling), lanes=lanes)
    wall, cpu = perf_counter() - wall, process_time() - cpu
    steps = sum(rollout.calls for rollout in rollouts)
    return [wall / steps, cpu / steps, 60 * len(tasks) / wall]


def overhead(dataset: DataSet, make: Any) -> tuple[float, int]:
    """Milliseconds a step that an agent itself takes, and the longest prompt in characters."""
    backend = ScriptedBackend([WRITES])
    agent = make(backend, Sampling(max_tokens=2000))
    env = gym.make("ShopSimReplay-v0", data=str(dataset.path), split=None, reward=None, disable_env_checker=True)
    each: list[float] = []
    for row in dataset.session_rows()[:40].tolist():
        observation, info = env.reset(seed=0, options={"session_id": dataset.session_id(row)})
        agent.reset(info, 0)
        over, spent, steps = False, 0.0, 0
        while not over:
            start = process_time()
            prompt = agent.prompt(observation, info)
            (completion,) = backend.generate([prompt], [0], agent.sampling)
            decision = agent.receive(completion)
            spent, steps = spent + process_time() - start, steps + 1
            observation, _, terminated, truncated, info = env.step(decision.env_action())
            over = terminated or truncated
        each.append(1000 * spent / steps)
    return statistics.median(each), max(len(prompt.text) for prompt in backend.prompts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="as for `load_backend`; a tiny one without weights of worth if not given")
    parser.add_argument("--data", type=Path, help="data set; the bundled one if not given")
    parser.add_argument("--lanes", type=int, default=32)
    parser.add_argument("--sessions", type=int, default=64, help="gone through together")
    parser.add_argument("--alone", type=int, default=8, help="of these, gone through one by one")
    parser.add_argument("--tokens", type=int, default=8, help="longest answer")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    dataset = DataSet.bundled() if given.data is None else DataSet.open(given.data)
    print(f"{torch.get_num_threads()} threads, data set {dataset.name}")

    makers = {
        "full prompts": RecVerseAgent,
        "full, Chinese": partial(RecVerseAgent, builder=PromptBuilder(locale="zh")),
        "text view": partial(RecVerseAgent, builder=PromptBuilder(view="text")),
        "tiny prompts": partial(RecVerseAgent.of, small=True, mind=True, use_episodic=True),
    }
    for name, make in makers.items():
        milliseconds, longest = overhead(dataset, make)
        print(f"without the model, {name}: {milliseconds:.2f} ms a step (longest prompt {longest} characters)")

    with tempfile.TemporaryDirectory() as scratch:
        model = given.model or make_start_model(Path(scratch) / "model", dataset)
        setup = setup_of(model) if given.model else AgentSetup("tiny", (160, 320))
        backend = load_backend(model)
        counting = Counting(backend)
        play(dataset, counting, setup, 2, 2, given.tokens)  # warm
        ratios = []
        for _ in range(given.rounds):
            alone = play(dataset, counting, setup, given.alone, 1, given.tokens)
            together = play(dataset, counting, setup, given.sessions, given.lanes, given.tokens)
            ratios.append([alone[0] / together[0], alone[1] / together[1]])
            for name, (wall, cpu, rate) in (("one by one", alone), (f"{given.lanes} together", together)):
                print(f"{name}: {wall * 1e3:.1f} ms a step ({cpu * 1e3:.1f} CPU), {rate:.0f} sessions a minute")
        wall, cpu = (statistics.median(column) for column in zip(*ratios, strict=True))
        print(f"together against one by one: {wall:.1f} x (CPU {cpu:.1f} x)")
        encoder = getattr(backend, "encoder", None)
        if encoder is not None:
            print(f"screens: {encoder.screens.made} processed, {len(counting.screens)} distinct ones shown")


if __name__ == "__main__":
    main()
