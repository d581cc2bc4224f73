"""Agents, the models behind them, and the one collector of rollouts (SPEC 5).

Not imported here: `shopsim.agents.record` and `shopsim.agents.demonstrations`, which are imported by module, and what
needs torch (`shopsim.agents.transformers_backend`, `shopsim.agents.encoding`, `shopsim.agents.tiny_vlm`).
"""

from shopsim.agents.ab_agent import ABAgent
from shopsim.agents.agent4rec import Agent4Rec
from shopsim.agents.align_user import AlignUserAgent
from shopsim.agents.backend import Backend, Completion, Image, Message, Prompt, Sampling, ScriptedBackend
from shopsim.agents.base import Agent, ModelAgent
from shopsim.agents.customer_r1 import CustomerR1Agent
from shopsim.agents.heuristic import Habits, HeuristicShopper
from shopsim.agents.human import HumanReplay
from shopsim.agents.opera import OperaAgent
from shopsim.agents.personas import Persona, load_personas
from shopsim.agents.probabilistic import ProbabilisticUser, Taste
from shopsim.agents.prompt import PromptBuilder
from shopsim.agents.prompted import PromptedAgent
from shopsim.agents.rec_agent import RecAgent
from shopsim.agents.recverse import RecVerseAgent, RecVerseTextAgent
from shopsim.agents.rollout import Exchange, Fault, Rollout, StepSample, Task, collect
from shopsim.agents.shop_r1 import ShopR1Agent
from shopsim.agents.sta import STAAgent
from shopsim.agents.trivial import AlwaysAgent, CopyLastAgent, RandomAgent, most_frequent

__all__ = [
    "ABAgent",
    "Agent",
    "Agent4Rec",
    "AlignUserAgent",
    "AlwaysAgent",
    "Backend",
    "Completion",
    "CopyLastAgent",
    "CustomerR1Agent",
    "Exchange",
    "Fault",
    "Habits",
    "HeuristicShopper",
    "HumanReplay",
    "Image",
    "Message",
    "ModelAgent",
    "OperaAgent",
    "Persona",
    "ProbabilisticUser",
    "Prompt",
    "PromptBuilder",
    "PromptedAgent",
    "RandomAgent",
    "RecAgent",
    "RecVerseAgent",
    "RecVerseTextAgent",
    "Rollout",
    "STAAgent",
    "Sampling",
    "ScriptedBackend",
    "ShopR1Agent",
    "StepSample",
    "Task",
    "Taste",
    "collect",
    "load_personas",
    "most_frequent",
]
