"""What a person did as prompts and answers: the samples imitation learns from (SPEC 6.1). Ours.

The recorded session is played in the environment by the person's replay while the agent looks on: it builds the same
prompt from the same screen and memory as at run time, and then remembers the person's decision as if it were its own.
"""

import json
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import gymnasium as gym

from shopsim.agents.backend import Prompt
from shopsim.agents.base import ModelAgent
from shopsim.agents.human import HumanReplay
from shopsim.data import DataSet
from shopsim.envs.decision import POINT_SCALE, Decision, to_json
from shopsim.envs.shop import Shop
from shopsim.errors import DataError

Supervise = Literal["labels", "answer", "action"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One step of a recorded session as a training sample."""

    session_id: str
    step: int
    prompt: Prompt
    answer: str
    """The canonical JSON of what the person did, with those labels of the data set that the agent asks for."""
    spans: tuple[Span, ...]
    """Character ranges [start, end) of the answer that are supervised; one that reaches the answer's end includes the
    end token. `shopsim.agents.encoding.Encoder.answer` takes them."""
    decision: Decision


def demonstrations(
    env: gym.Env[Any, Any],
    session_id: str,
    agent: ModelAgent,
    supervise: Supervise = "labels",
    grid: int = 1,
) -> Iterator[Demonstration]:
    """The steps of one recorded session.

    Args:
        env: A `ShopSim-v0` with the recorded feed, over a split that has the session.
        session_id: The session.
        agent: The agent to be trained; its model is not asked. Its memory is rebuilt along the session.
        supervise: ``labels``: the action, and those of mind, episodic and preference for which the session has
            labels (a step without one then teaches not to write). ``answer``: everything, so that a model which
            knows nothing learns the form too; a missing thought is taught as an empty one. ``action``: the action.
        grid: Points are rounded to multiples of this number of thousandths where that stays on the same card.

    Raises:
        DataError: A recorded step cannot be done in this environment.
    """
    core: Any = env.unwrapped
    dataset: DataSet = core.dataset
    human = HumanReplay(dataset)
    labelled = {
        name
        for step in dataset.session(dataset.session_row(session_id)).steps
        for name in ("mind", "episodic", "preference")
        if getattr(agent.express(Decision(step.action, None, step.mind or "", step.episodic, step.preference)), name)
    }
    observation, info = env.reset(seed=0, options={"session_id": session_id})
    agent.reset(info)
    human.reset(info)
    over = False
    while not over:
        step = len(core.shop.trajectory)
        decision = _on_grid(agent.express(human.act(observation, info)), grid, core.shop)
        prompt = agent.prompt(observation, info)
        answer = to_json(decision)
        spans = tuple(_spans(decision, answer, supervise, labelled))
        yield Demonstration(session_id, step, prompt, answer, spans, decision)
        agent.take(decision)
        observation, _, terminated, truncated, info = env.step(decision.env_action())
        if info["invalid"] is not None or truncated:
            raise DataError(
                f"session {session_id!r} step {step}: {decision.action} cannot be done "
                f"({info['invalid'] or info['stop_reason']}); demonstrations need the recorded feed and no step limit "
                "below the session's length"
            )
        over = terminated


def _on_grid(decision: Decision, grid: int, shop: Shop) -> Decision:
    """The decision with its point rounded, if a click there means the same."""
    if decision.point is None:
        return decision
    for size in (grid, 1):
        x, y = (round(share * POINT_SCALE / size) * size / POINT_SCALE for share in decision.point)
        if shop.target_at((x, y)) == shop.target_at(decision.point):
            return replace(decision, point=(x, y))
    return decision


def _spans(decision: Decision, answer: str, supervise: Supervise, labelled: Container[str]) -> Iterator[Span]:
    """The supervised character ranges of a canonical answer, in order."""
    if supervise == "answer":
        yield 0, len(answer)
        return
    # A field runs from the sign before its name, "{" or ",", to the end of its value.
    action = len('{"mind":' + _json(decision.mind))
    preference = len(answer) - len(',"preference":' + _json(decision.preference) + "}")
    episodic = preference - len(',"episodic":' + _json(decision.episodic))
    ranges = {
        "mind": (0, action),
        "action": (action, episodic),
        "episodic": (episodic, preference),
        "preference": (preference, len(answer)),
    }
    yield from (
        span for name, span in ranges.items() if name == "action" or (supervise == "labels" and name in labelled)
    )


def _json(value: str | None) -> str:
    return json.dumps(value, ensure_ascii=False)
