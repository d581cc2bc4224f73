"""OpenEnv's own client and validator against a server: run by a Python that has ``openenv``; prints what it saw."""

import asyncio
import json
import sys
from typing import Any

from openenv.cli._validation import validate_running_environment
from openenv.core import GenericEnvClient


def play(url: str) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    with GenericEnvClient(base_url=url).sync() as env:
        begun = env.reset(seed=3, size=[96, 128], episode_id="theirs")
        again = env.reset(seed=3)
        seen["same start"] = begun.observation == again.observation
        seen["observation"] = sorted(begun.observation)
        seen["start"] = [begun.reward, begun.done]
        seen["rewards"], done = [], False
        for action in (0, 2, 4, 7):
            result = env.step({"action": action, "point": [0.3, 0.5]})
            seen["rewards"].append(result.reward)
            done = result.done
        seen["done"] = done
        seen["state"] = env.state()
        try:
            env.step({"action": 0})
        except RuntimeError as error:
            seen["after the end"] = str(error)
        seen["large"] = len(env.reset(seed=1, size=[1600, 3040]).observation["screenshot"])
    return seen


async def play_many(url: str) -> int:
    """Sixteen sessions at once, through the asynchronous client."""

    async def one(seed: int) -> int:
        async with GenericEnvClient(base_url=url) as env:
            await env.reset(seed=seed, pixels=False)
            return (await env.step({"action": 0})).observation["step"]

    return sum(await asyncio.gather(*(one(seed) for seed in range(16))))


if __name__ == "__main__":
    address = sys.argv[1]
    report = validate_running_environment(address)
    print(json.dumps({"validation": report, "steps": asyncio.run(play_many(address)), **play(address)}))
