"""The remote environment is the local one, and its failures have types."""

import json
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from websockets.exceptions import ConnectionClosedError

import shopsim  # noqa: F401  (registers the environments)
from shopsim.envs.wrappers import TextActions
from shopsim.errors import AtCapacity, EnvironmentFault, InputError
from shopsim.server.environments import wire
from shopsim.server.remote import RemoteShopSimEnv
from tests.envs.driving import BACK, LEAVE, fingerprint, random_actions, trace
from tests.server.serving import open_socket, running, say

BOTH = ("ShopSim-v0", "ShopSimReplay-v0")


def sessions_in_use(url: str) -> int:
    with urllib.request.urlopen(f"{url}/metadata") as answer:
        return json.load(answer)["sessions"]


def eventually(true: Any, seconds: float = 20.0) -> bool:
    for _ in range(int(seconds / 0.05)):
        if true():
            return True
        time.sleep(0.05)
    return bool(true())


# The same environment


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTH)
def test_fifty_episodes_are_equal(url: str, tiny_path: Path, name: str) -> None:
    size = {"size": (160, 304)}  # a quarter of the pixels; the full size is compared below
    local = gym.make(name, data=tiny_path, **size)
    remote = gym.make("ShopSimRemote-v0", url=url, env=name, **size)
    assert local.observation_space == remote.observation_space
    assert local.action_space == remote.action_space
    for seed in range(50):
        assert trace(local, resets=1, seed=seed, actions=seed) == trace(remote, resets=1, seed=seed, actions=seed)
    remote.close()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ShopSim-v0", {}),
        ("ShopSim-v0", {"split": "test", "privileged": True, "pixels": False}),
        ("ShopSim-v0", {"size": (320, 640), "theme": "dark", "reward": None, "max_steps": 7}),
        ("ShopSim-v0", {"split": None, "feed": "price_ascending", "stuck_after": None, "scroll_fraction": 0.5}),
        ("ShopSimReplay-v0", {"split": None, "privileged": True, "reward": None}),
    ],
)
def test_arguments_reach_the_server(url: str, tiny_path: Path, name: str, options: dict[str, Any]) -> None:
    local = gym.make(name, data=tiny_path, **options)
    remote = gym.make("ShopSimRemote-v0", url=url, env=name, **options)
    assert local.observation_space == remote.observation_space
    assert trace(local) == trace(remote)
    remote.close()


def test_types_inside_the_info_are_equal(url: str, tiny_path: Path) -> None:
    def types(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: types(inner) for name, inner in value.items()}
        if isinstance(value, tuple):
            return type(value), [types(inner) for inner in value]
        return (type(value), value.dtype) if isinstance(value, np.ndarray | np.generic) else type(value)

    for name in BOTH:
        local = gym.make(name, data=tiny_path, privileged=True)
        remote = gym.make("ShopSimRemote-v0", url=url, env=name, privileged=True)
        for mine, other in ((local.reset(seed=3), remote.reset(seed=3)), (local.step(BACK), remote.step(BACK))):
            assert list(map(types, mine)) == list(map(types, other))
            assert list(mine[-1]) == list(other[-1])
        assert types(local.step(LEAVE)[-1]) == types(remote.step(LEAVE)[-1])
        remote.close()


def test_options_of_reset(url: str, tiny_path: Path) -> None:
    local = gym.make("ShopSim-v0", data=tiny_path, split=None)
    remote = gym.make("ShopSimRemote-v0", url=url, split=None)
    session = local.reset(seed=5)[1]["session_id"]
    asked = {"session_id": session, "persona": "buys nothing, \ud800 says 买"}
    assert fingerprint(*local.reset(seed=1, options=asked)) == fingerprint(*remote.reset(seed=1, options=asked))
    for wrong in ({"colour": "red"}, {"session_id": "none such"}, {"persona": 3}):
        with pytest.raises(InputError) as here:
            local.reset(options=wrong)
        with pytest.raises(InputError) as there:
            remote.reset(options=wrong)
        assert str(here.value) == str(there.value)
    remote.close()


def test_passes_gymnasiums_check(url: str, recwarn: pytest.WarningsRecorder) -> None:
    for name in BOTH:
        env = gym.make("ShopSimRemote-v0", url=url, env=name)
        check_env(env.unwrapped)
        env.close()
    assert not [warning for warning in recwarn if "websockets" not in str(warning.message)]


@pytest.mark.parametrize("mode", ["rgb_array", "ansi"])
def test_rendering(url: str, tiny_path: Path, mode: str) -> None:
    local = gym.make("ShopSim-v0", data=tiny_path, render_mode=mode)
    remote = gym.make("ShopSimRemote-v0", url=url, render_mode=mode)
    for env in (local, remote):
        env.reset(seed=0)
        env.step({"action": 2, "point": (0.3, 0.4)})
    assert np.array_equal(local.render(), remote.render())
    remote.close()


def test_wrappers_fit(url: str) -> None:
    env = TextActions(gym.make("ShopSimRemote-v0", url=url))
    env.reset(seed=0)
    assert env.step('{"action": {"type": "scroll_down"}}')[-1]["effect"] == "scroll_down"
    assert env.step("no answer")[-1]["invalid"] == "unparsed"
    env.close()


# Its failures


def test_what_is_no_action_and_what_comes_too_late(url: str) -> None:
    env = gym.make("ShopSimRemote-v0", url=url).unwrapped
    with pytest.raises(ResetNeeded):
        env.step(BACK)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="0 to 7"):
        env.step({"action": "buy"})
    assert env.step({"action": 2, "point": (float("nan"), 0.5)})[-1]["invalid"] == "off_screen"
    env.step(LEAVE)
    with pytest.raises(ResetNeeded, match="after the end"):
        env.step(BACK)
    env.reset(seed=0)
    env.close()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"split": "holiday"}, "holiday"),
        ({"size": (10, 10)}, "too small"),
        ({"size": (10_000, 10_000)}, "too large"),
        ({"feed": "os:getcwd"}, "feed"),
        ({"pictures": "/etc"}, "pictures"),
        ({"renderer": "browser"}, "renderer"),
        ({"data": "../tiny"}, "no data set"),
        ({"reward": print}, "sent"),
        ({"env": "CartPole-v1"}, "env"),
        ({"env": "ShopSimReplay-v0", "max_steps": 3}, "max_steps"),
    ],
)
def test_arguments_that_cannot_be_used(url: str, options: dict[str, Any], says: str) -> None:
    before = sessions_in_use(url)
    with pytest.raises(InputError, match=says):
        RemoteShopSimEnv(url, **options)
    assert eventually(lambda: sessions_in_use(url) <= before)


def test_no_server_and_no_address() -> None:
    with pytest.raises(EnvironmentFault, match="shopsim serve"):
        RemoteShopSimEnv("http://127.0.0.1:1")
    with pytest.raises(InputError, match="address"):
        RemoteShopSimEnv("127.0.0.1:8000")


def test_at_capacity_is_a_type_of_its_own(tiny_path: Path) -> None:
    with running(data=(tiny_path,), capacity=2) as url:
        held = [RemoteShopSimEnv(url, pixels=False) for _ in range(2)]
        with pytest.raises(AtCapacity, match="2 sessions"):
            RemoteShopSimEnv(url)
        held[0].close()
        assert eventually(lambda: sessions_in_use(url) == 1)
        RemoteShopSimEnv(url, pixels=False).close()
        assert held[1].reset(seed=0)[1]["seed"] == 0
        held[1].close()


def test_idle_sessions_are_freed_and_a_reset_connects_again(tiny_path: Path) -> None:
    with running(data=(tiny_path,), idle_seconds=2.0) as url:
        env = RemoteShopSimEnv(url, pixels=False)
        env.reset(seed=7)
        assert eventually(lambda: sessions_in_use(url) == 0)
        with pytest.raises(EnvironmentFault, match="idle"):
            env.step(BACK)
        with pytest.raises(EnvironmentFault):
            env.step(BACK)
        first = fingerprint(*env.reset(seed=7))
        assert eventually(lambda: sessions_in_use(url) == 0)
        time.sleep(0.2)  # for the farewell to arrive
        assert first == fingerprint(*env.reset(seed=7)), "a reset after a pause"
        env.close()


def test_seeds_go_on_over_a_lost_connection(url: str, tiny_path: Path) -> None:
    local, remote = gym.make("ShopSim-v0", data=tiny_path), gym.make("ShopSimRemote-v0", url=url)
    for env in (local, remote):
        env.reset(seed=2)
    remote.unwrapped.close()
    for _ in range(3):
        assert fingerprint(*local.reset()) == fingerprint(*remote.reset())
    remote.close()


def test_a_killed_client_leaves_no_session(url: str) -> None:
    before = sessions_in_use(url)
    code = (
        "import sys, time; from shopsim.server.remote import RemoteShopSimEnv\n"
        f"env = RemoteShopSimEnv({url!r}, pixels=False); env.reset(seed=0); print('on', flush=True); time.sleep(60)"
    )
    client = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    assert client.stdout.readline() == "on\n"
    assert sessions_in_use(url) > before
    client.kill()
    client.wait()
    assert eventually(lambda: sessions_in_use(url) <= before)


def test_large_frames_pass(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compress = wire.zlib.compress
    monkeypatch.setattr(wire.zlib, "compress", lambda data, level: compress(data, 0))
    env = RemoteShopSimEnv(url, size=(2048, 3072))
    observation, _ = env.reset(seed=0)
    assert observation["screenshot"].nbytes > 16 << 20
    env.close()


def test_many_sessions_do_not_mix(url: str, tiny_path: Path) -> None:
    local = gym.make("ShopSim-v0", data=tiny_path, pixels=False)
    remotes = [gym.make("ShopSimRemote-v0", url=url, pixels=False) for _ in range(8)]
    expected = [trace(local, resets=1, seed=n, actions=n) for n in range(8)]
    found = [[fingerprint(*env.reset(seed=n))] for n, env in enumerate(remotes)]
    actions = [random_actions(env, 12, n) for n, env in enumerate(remotes)]
    for step in range(12):
        for n, env in enumerate(remotes):
            if len(found[n]) < len(expected[n]):
                observation, reward, terminated, truncated, info = env.step(actions[n][step])
                found[n].append(fingerprint(observation, info) + f" {reward} {terminated} {truncated}")
    assert found == expected
    for env in remotes:
        env.close()


def test_a_frame_from_a_client_may_be_large_but_not_larger(tiny_path: Path) -> None:
    with running(data=(tiny_path,)) as url:
        with open_socket(url) as socket:
            kind, told = say(socket, "reset", {"pixels": False, "options": {"persona": "x" * 15_000_000}})
            assert (kind, len(told["metadata"]["info"]["user"]["persona"])) == ("observation", 15_000_000)
            with suppress(ConnectionClosedError):
                socket.send("x" * (17 << 20))
            with pytest.raises(ConnectionClosedError):
                socket.recv(timeout=60)
        assert eventually(lambda: sessions_in_use(url) == 0)
