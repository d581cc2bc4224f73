"""Plays one episode with no network, no extras and no data set on disk: what `pip install shopsim` must give."""

import importlib.util
import socket


def refuse(*args: object, **kwargs: object) -> None:
    """Stands in for connecting."""
    raise AssertionError("the environment tried to use the network")


socket.socket.connect = refuse  # type: ignore[method-assign,assignment]
assert importlib.util.find_spec("torch") is None, "the base install must not bring torch"

import gymnasium as gym  # noqa: E402  (the network is shut first)

env = gym.make("shopsim:ShopSim-v0")
observation, info = env.reset(seed=0)
env.action_space.seed(0)
steps, done = 0, False
while not done:
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    steps, done = steps + 1, terminated or truncated
print(f"offline episode: {steps} steps, stopped by {info['stop_reason']}, screen {observation['screenshot'].shape}")
