"""Driving environments in tests: by recorded effects, at random, and keeping what they returned."""

import hashlib
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from shopsim.data.vocabulary import Action, Page
from shopsim.envs.env import ShopSimEnv

DOWN, UP, CLICK, ENTER, BACK, CART, BUY, LEAVE = ({"action": int(action)} for action in Action)


def at(action: Action, point: Any) -> dict[str, Any]:
    return {"action": int(action), "point": point}


def click(env: ShopSimEnv, card: int = 0, action: Action = Action.CLICK) -> dict[str, Any]:
    """A click (or another action) on a card of the screen."""
    return at(action, env.shop.cards()[card].center())


def human_actions(env: ShopSimEnv) -> Iterator[dict[str, Any]]:
    """What the recorded person did, as actions; each is asked for when the one before has been done."""
    for action, item in env.dataset.effects(env.session_row):
        on_card = action is Action.CLICK or (action is Action.ENTER_DETAIL and env.shop.page is Page.FEED)
        yield at(action, env.shop.point_of(item)) if on_card else {"action": int(action)}


def random_actions(env: Any, n: int, seed: int = 0) -> list[Any]:
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(n)]


def digest(value: Any) -> str:
    return hashlib.sha256(pickle.dumps(value)).hexdigest()


def fingerprint(observation: dict[str, Any], info: dict[str, Any]) -> str:
    """A hash of everything in an observation and an info, by value."""
    parts = [(k, v.tobytes() if isinstance(v, np.ndarray) else repr(v)) for k, v in sorted(observation.items())]
    parts += [(k, v.tolist() if isinstance(v, np.ndarray) else repr(v)) for k, v in sorted(info.items())]
    return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


def trace(env: Any, resets: int = 3, steps: int = 12, seed: int | None = 0, actions: int = 0) -> list[str]:
    """Fingerprints of some episodes of random actions; only the first reset is seeded."""
    found = []
    for k in range(resets):
        observation, info = env.reset(seed=seed if k == 0 else None)
        found.append(fingerprint(observation, info))
        for action in random_actions(env, steps, actions + k):
            observation, reward, terminated, truncated, info = env.step(action)
            found.append(fingerprint(observation, info) + f" {reward} {terminated} {truncated}")
            if terminated or truncated:
                break
    return found
