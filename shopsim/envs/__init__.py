"""The shop as Gymnasium environments (SPEC 2), and the rewards that compare a session with a person's (SPEC 6)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shopsim.envs.decision import Decision, ParseFailure, parse, to_json
    from shopsim.envs.env import ShopSimEnv
    from shopsim.envs.history import FrameHistory
    from shopsim.envs.marks import SetOfMarks
    from shopsim.envs.replay_env import ShopSimReplayEnv
    from shopsim.envs.reward import RewardParts, TrajectoryReward
    from shopsim.envs.screens.choice import Chromium
    from shopsim.envs.step_reward import CustomerR1Reward, ShopR1Reward
    from shopsim.envs.vector_env import ShopSimVectorEnv
    from shopsim.envs.wrappers import FlatActions, SlotActions, TextActions

__all__ = [
    "Chromium",
    "CustomerR1Reward",
    "Decision",
    "FlatActions",
    "FrameHistory",
    "ParseFailure",
    "RewardParts",
    "SetOfMarks",
    "ShopR1Reward",
    "ShopSimEnv",
    "ShopSimReplayEnv",
    "ShopSimVectorEnv",
    "SlotActions",
    "TextActions",
    "TrajectoryReward",
    "parse",
    "to_json",
]

_HOMES = {
    "Chromium": "screens.choice",
    "Decision": "decision",
    "ParseFailure": "decision",
    "parse": "decision",
    "to_json": "decision",
    "ShopSimEnv": "env",
    "FrameHistory": "history",
    "SetOfMarks": "marks",
    "ShopSimReplayEnv": "replay_env",
    "ShopSimVectorEnv": "vector_env",
    "CustomerR1Reward": "step_reward",
    "RewardParts": "reward",
    "ShopR1Reward": "step_reward",
    "TrajectoryReward": "reward",
    "FlatActions": "wrappers",
    "SlotActions": "wrappers",
    "TextActions": "wrappers",
}


def __getattr__(name: str) -> Any:
    """Loads each name on first use, so that importing one module of this folder does not import all."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
