"""The last screens in one observation, for policies without a memory of their own. Ours."""

from collections import deque
from typing import Any, Literal

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from shopsim.envs.wrappers import Info, Observation, Transition
from shopsim.errors import InputError


class FrameHistory(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Replaces the screenshot by the last K screens of the session, oldest first, the current one last.

    ``screenshot`` becomes a Box of shape (K, height, width, 3), and ``frames`` (Discrete(K + 1)) says how many of them
    are real: after t steps min(K, t + 1). The padding stands in front. A step without effect gives a screen like any
    other. `gymnasium.wrappers.FrameStackObservation` would stack page, cart and step too.

    Args:
        env: One with pixels.
        k: How many screens, 1 or more.
        padding: What stands before the first screen: ``"blank"`` (black) or ``"first"`` (that screen again).

    Raises:
        InputError: An argument cannot be used, or the environment has no pixels.
    """

    def __init__(
        self, env: gym.Env[Observation, Any], k: int = 4, padding: Literal["blank", "first"] = "blank"
    ) -> None:
        RecordConstructorArgs.__init__(self, k=k, padding=padding)
        super().__init__(env)
        if k < 1:
            raise InputError(f"k is {k!r}; it must be a whole number from 1 on")
        if padding not in ("blank", "first"):
            raise InputError(f"padding is {padding!r}; it must be one of blank, first")
        inner = env.observation_space
        if not isinstance(inner, spaces.Dict) or "screenshot" not in inner.spaces:
            raise InputError("FrameHistory needs screens: make the environment with pixels=True")
        shape = inner["screenshot"].shape
        assert shape is not None
        self.k, self._padding = k, padding
        self.observation_space = spaces.Dict(
            inner.spaces | {"screenshot": spaces.Box(0, 255, (k, *shape), np.uint8), "frames": spaces.Discrete(k + 1)}
        )
        self._frames: deque[NDArray[np.uint8]] = deque(maxlen=k)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Starts a session; nothing of the one before remains."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._frames.clear()
        return self._stacked(observation), info

    def step(self, action: Any) -> Transition:
        """Does one action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._stacked(observation), float(reward), terminated, truncated, info

    def _stacked(self, observation: Observation) -> Observation:
        # A copy, since whoever got the observation may write on it.
        self._frames.append(observation["screenshot"].copy())
        first = self._frames[0] if self._padding == "first" else np.zeros_like(self._frames[0])
        missing = self.k - len(self._frames)
        stack = np.stack([*[first] * missing, *self._frames])
        return observation | {"screenshot": stack, "frames": np.int64(len(self._frames))}
