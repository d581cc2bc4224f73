"""What each style of agent is trained with unless told otherwise; the command line and the demo start from here.

A pretrained model takes the trainers' own defaults. The tiny model comes from nothing: it must learn the answers' JSON
too, has few coordinates, and wants a far higher learning rate. Measured: docs/results.md.
"""

from collections.abc import Mapping
from typing import Any

from shopsim.agents.checkpoint import AgentSetup, Style
from shopsim.agents.tiny_vlm import GRID

TINY = AgentSetup("tiny", (160, 320))
"""How the tiny model sees: 50 image tokens a screen."""

IMITATION: Mapping[Style, Mapping[str, Any]] = {
    "recverse": {},
    "tiny": {
        "lr": 3e-3,
        "schedule": "linear",
        "batch": 16,
        "micro_batch": 16,
        "supervise": "answer",
        "grid": GRID,
    },
}

SIGHT: Mapping[Style, Mapping[str, Any]] = {
    "recverse": {"lr": 1e-5},
    "tiny": {"lr": 2e-3, "schedule": "linear", "micro_batch": 32, "grid": GRID},
}

GRPO: Mapping[Style, Mapping[str, Any]] = {
    "recverse": {},
    "tiny": {
        "lr": 5e-4,
        "groups": 6,
        "num_generations": 12,
        "max_steps": 32,
        "max_tokens": 48,
        "micro_batch": 32,
        "sessions": "active",
        "contrast": 1.0,
    },
}

SHOP_R1: Mapping[Style, Mapping[str, Any]] = {
    "recverse": {},
    "tiny": {"lr": 3e-4, "groups": 12, "temperature": 1.0, "max_tokens": 48, "micro_batch": 32},
}
