"""Agents, the models behind them, and the one collector of rollouts (SPEC 5).

Not imported here: `shopsim.agents.record` and `shopsim.agents.demonstrations`, which are imported by module, and what
needs torch (`shopsim.agents.transformers_backend`, `shopsim.agents.encoding`, `shopsim.agents.tiny_vlm`).
"""

from shopsim.agents.backend import Backend, Completion, Image, Message, Prompt, Sampling, ScriptedBackend
from shopsim.agents.base import Agent, ModelAgent
from shopsim.agents.heuristic import Habits, HeuristicShopper
from shopsim.agents.human import HumanReplay
from shopsim.agents.prompt import PromptBuilder
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Fault, Rollout, StepSample, Task, collect
from shopsim.agents.trivial import AlwaysAgent, CopyLastAgent, RandomAgent, most_frequent

__all__ = [
    "Agent",
    "AlwaysAgent",
    "Backend",
    "Completion",
    "CopyLastAgent",
    "Fault",
    "Habits",
    "HeuristicShopper",
    "HumanReplay",
    "Image",
    "Message",
    "ModelAgent",
    "Prompt",
    "PromptBuilder",
    "RandomAgent",
    "RecVerseAgent",
    "Rollout",
    "Sampling",
    "ScriptedBackend",
    "StepSample",
    "Task",
    "collect",
    "most_frequent",
]
