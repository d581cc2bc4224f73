"""The batched environment does what single ones do and says it as Gymnasium's own vector does (lessons A3, C25-C28)."""

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.pool import Pool
from shopsim.envs.vector_env import ShopSimVectorEnv
from shopsim.errors import InputError
from tests.envs.driving import fingerprint

N = 4


def batched(data: Any, **options: Any) -> ShopSimVectorEnv:
    made = gym.make_vec("ShopSim-v0", num_envs=N, data=data, **options)
    assert isinstance(made, ShopSimVectorEnv)
    return made


def one_by_one(data: Any, mode: AutoresetMode = AutoresetMode.NEXT_STEP, **options: Any) -> Any:
    kind = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": mode}}
    return gym.make_vec("ShopSim-v0", num_envs=N, data=data, **kind, **options)


def assert_same(a: Any, b: Any, path: str = "") -> None:
    assert type(a) is type(b), path
    if isinstance(a, dict):
        assert a.keys() == b.keys(), path
        for key in a:
            assert_same(a[key], b[key], f"{path}/{key}")
    elif type(a) is tuple:
        assert len(a) == len(b), path
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{path}[{i}]")
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), path
        if a.dtype == object:
            assert_same(tuple(a), tuple(b), path)
        else:
            assert np.array_equal(a, b), path
    else:
        assert a == b, path


# The same as single environments


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(
    "options",
    [{"size": (64, 128)}, {"pixels": False, "privileged": True, "feed": "random"}, {"size": (64, 128), "copy": False}],
    ids=["pixels", "privileged", "shared"],
)
def test_everything_is_what_gymnasium_makes_of_single_environments(
    tiny: DataSet, mode: AutoresetMode, options: dict[str, Any]
) -> None:
    options = {"max_steps": 7, "split": None, **options}
    ours = batched(tiny, autoreset_mode=mode, **options)
    theirs = one_by_one(tiny, mode, **{name: value for name, value in options.items() if name != "copy"})
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata == theirs.metadata
    ours.action_space.seed(3)
    assert_same(ours.reset(seed=5), theirs.reset(seed=5))
    ended = np.zeros(N, np.bool_)
    ends = 0
    for _ in range(40):
        if mode is AutoresetMode.DISABLED and ended.any():
            again = [env.reset(options={"reset_mask": ended.copy()}) for env in (ours, theirs)]
            assert_same(*again)
        actions = ours.action_space.sample()
        a, b = ours.step(actions), theirs.step(actions)
        assert_same(a, b)
        assert a[0] in ours.observation_space
        ended = a[2] | a[3]
        ends += int(ended.sum())
    assert ends > N
    ours.close()
    theirs.close()


def test_trajectories_are_those_of_single_environments(tiny: DataSet) -> None:
    vector = batched(tiny, pixels=False, autoreset_mode="Disabled", split=None)
    vector.reset(seed=9)
    vector.action_space.seed(1)
    actions = [vector.action_space.sample() for _ in range(30)]
    running = np.ones(N, np.bool_)
    taken = [0] * N
    for batch in actions:
        if not running.all():
            break
        _, _, terminated, truncated, _ = vector.step(batch)
        taken = [n + 1 for n in taken]
        running &= ~(terminated | truncated)
    for i, core in enumerate(vector.envs):
        single = ShopSimEnv(tiny, pixels=False, split=None)
        single.reset(seed=9 + i)
        for batch in actions[: taken[i]]:
            single.step({"action": batch["action"][i], "point": batch["point"][i]})
        assert single.trajectory == core.trajectory


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.lists(st.integers(0, 2**31), min_size=1, max_size=8))
def test_any_walk_of_any_seed(tiny: DataSet, seed: int, walk: list[int]) -> None:
    vector = batched(tiny, pixels=False, max_steps=3)
    single = ShopSimEnv(tiny, pixels=False, max_steps=3)
    vector.reset(seed=seed)
    single.reset(seed=seed + 2)
    over = False
    for number in walk:
        vector.action_space.seed(number)
        batch = vector.action_space.sample()
        observation, reward, terminated, truncated, info = vector.step(batch)
        if over:
            expected: Any = single.reset()
            over = False
        else:
            expected = single.step({"action": batch["action"][2], "point": batch["point"][2]})
            over = expected[2] or expected[3]
            assert expected[1:4] == (reward[2], terminated[2], truncated[2])
        expected[-1].pop("user", None)  # a dict of arrays of its own
        named = {name: values for name, values in info.items() if name[0] != "_" and name != "user"}
        mine = {name: values[2] for name, values in named.items() if info[f"_{name}"][2]}
        if "seed" in mine:
            mine["seed"] = int(mine["seed"])
        assert fingerprint({k: v[2] for k, v in observation.items()}, mine) == fingerprint(expected[0], expected[-1])


# Arrays of one's own, and shared ones


def test_observations_and_infos_are_ones_own(tiny: DataSet) -> None:
    env = batched(tiny, size=(64, 128), max_steps=5)
    env.action_space.seed(0)
    kept = [env.reset(seed=0)]
    kept += [env.step(env.action_space.sample())[::4] for _ in range(12)]
    before = pickle.dumps(kept)
    for _ in range(6):
        env.step(env.action_space.sample())
    assert pickle.dumps(kept) == before
    screens = [observation["screenshot"] for observation, _ in kept]
    for i, screen in enumerate(screens):
        assert not any(np.shares_memory(screen, other) for other in screens[:i])


def test_without_copy_there_is_one_array_of_screens(tiny: DataSet) -> None:
    env, own = batched(tiny, size=(64, 128), copy=False), batched(tiny, size=(64, 128))
    env.action_space.seed(0)
    first = env.reset(seed=0)[0]["screenshot"]
    own.reset(seed=0)
    for _ in range(10):
        actions = env.action_space.sample()
        screens = env.step(actions)[0]["screenshot"]
        assert np.shares_memory(screens, first)
        assert np.array_equal(screens, own.step(actions)[0]["screenshot"])


def test_memory_is_given_again_only_when_nobody_refers_to_it() -> None:
    pool = Pool((3, 4))
    held = [pool.take() for _ in range(3)]
    part, memory = held[0][1:, ::2], memoryview(held[1])
    del held
    for _ in range(20):
        taken = pool.take()
        assert not np.shares_memory(taken, part)
        assert not np.shares_memory(taken, np.asarray(memory))
    free = pool.take().ctypes.data
    assert pool.take().ctypes.data == free


# Infos of arrays only


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_array_infos_say_in_numbers_what_full_ones_say(tiny: DataSet, mode: AutoresetMode) -> None:
    options: dict[str, Any] = {"pixels": False, "autoreset_mode": mode, "max_steps": 6, "stuck_after": None}
    lean, full = batched(tiny, infos="arrays", **options), batched(tiny, **options)
    lean.action_space.seed(2)
    told, known = lean.reset(seed=0), full.reset(seed=0)
    for _ in range(30):
        assert_same(told[:-1], known[:-1])
        numbers, words = told[-1], known[-1]
        assert all(isinstance(value, np.ndarray) for name, value in numbers.items() if "final" not in name)
        assert np.array_equal(numbers["action_mask"], words["action_mask"])
        assert numbers["_boxes"].all()
        for i, items in enumerate(words["items"]):
            rows = numbers["item_rows"][i]
            assert [tiny.item_id(row) for row in rows[rows >= 0].tolist()] == [item.item_id for item in items]
            assert np.array_equal(
                numbers["boxes"][i, : len(items)],
                np.array([item.box for item in items]).reshape(-1, 4).astype(np.float32),
            )
            assert not numbers["boxes"][i, len(items) :].any()
        if mode is AutoresetMode.DISABLED and len(told) == 5 and (told[2] | told[3]).any():
            mask = {"reset_mask": told[2] | told[3]}
            lean.reset(options=dict(mask))
            full.reset(options=dict(mask))
        actions = lean.action_space.sample()
        told, known = lean.step(actions), full.step(actions)
        if "final_info" in known[-1]:
            assert np.array_equal(told[-1]["final_info"]["action_mask"], known[-1]["final_info"]["action_mask"])
            assert told[-1]["final_obs"].tolist() == known[-1]["final_obs"].tolist()


# Actions


def test_actions_one_by_one_may_be_none(tiny: DataSet) -> None:
    env = batched(tiny, pixels=False)
    env.reset(seed=0)
    _, _, _, _, info = env.step([{"action": 0}, None, {"action": 2, "point": (np.nan, 0.5)}, {"action": 1}])
    assert info["effect"].tolist() == ["scroll_down", None, None, None]
    assert info["invalid"].tolist() == [None, "unparsed", "off_screen", "scroll_end"]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"action": np.array([0, 1, 2, 8]), "point": np.zeros((4, 2))}, "action is 8; it must be one of"),
        ({"action": np.array([0, 1, 2, -1]), "point": np.zeros((4, 2))}, "action is -1"),
        ({"action": np.zeros(4), "point": np.zeros((4, 2))}, "action is .*a float64; it must be a whole number"),
        ({"action": np.zeros(4, int), "point": np.zeros((4, 3))}, "it must be two numbers"),
        ({"action": np.zeros(4, int), "point": np.zeros((4, 2)), "speed": np.zeros(4)}, "an action has no speed"),
        ({"action": np.zeros(4, int), "point": np.zeros(2)}, r"point has shape \(2,\); its first axis must be the 4"),
        ([None], "1 actions for 4 environments"),
        (None, "None are no actions; they must be a dict of arrays, or a sequence of 4 actions"),
        (3, "3 are no actions"),
    ],
)
def test_what_is_no_action_is_named(tiny: DataSet, actions: Any, message: str) -> None:
    env = batched(tiny, pixels=False)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(actions)


def test_points_outside_the_screen_are_off_it(tiny: DataSet) -> None:
    env = batched(tiny, pixels=False)
    env.reset(seed=0)
    points = np.array([[1.5, 0.5], [np.nan, 0.5], [np.inf, 0.2], [0.5, -0.1]], np.float32)
    _, _, _, _, info = env.step({"action": np.full(4, 2), "point": points})
    assert info["invalid"].tolist() == ["off_screen"] * 4


# Resets


def test_disabled_refuses_to_step_what_is_over(tiny: DataSet) -> None:
    env = batched(tiny, pixels=False, autoreset_mode="Disabled")
    env.reset(seed=0)
    env.step([{"action": 7}, {"action": 0}, {"action": 7}, {"action": 0}])
    with pytest.raises(ResetNeeded, match=r"\[0, 2\]"):
        env.step([{"action": 0}] * N)
    assert [len(core.trajectory) for core in env.envs] == [1] * N
    mask = {"reset_mask": np.array([True, False, True, False])}
    _, info = env.reset(options=mask)
    assert info["_session_id"].tolist() == [True, False, True, False]
    assert list(mask) == ["reset_mask"]
    env.step([{"action": 0}] * N)


def test_options_reach_every_environment(tiny: DataSet) -> None:
    env = batched(tiny, pixels=False)
    _, info = env.reset(options={"session_id": "s1", "persona": "in a hurry"})
    assert info["session_id"].tolist() == ["s1"] * N
    assert info["user"]["persona"].tolist() == ["in a hurry"] * N


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": [1, 2]}, "2 seeds for 4 environments"),
        ({"options": {"reset_mask": [True] * 4}}, "it must be a bool array of shape"),
        ({"options": {"reset_mask": np.zeros(4, np.bool_)}}, "marks no environment"),
    ],
)
def test_wrong_resets_say_what_is_right(tiny: DataSet, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        batched(tiny, pixels=False).reset(**arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"infos": "none"}, "infos is 'none'"), ({"split": "dev"}, "no split 'dev'"), ({"size": (8, 8)}, "too small")],
)
def test_wrong_arguments_say_what_is_right(tiny: DataSet, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        batched(tiny, **options)
    for n in (0, 1.5, "2"):
        with pytest.raises(InputError, match=f"num_envs is {n!r}; it must be a whole number"):
            ShopSimVectorEnv(n, tiny)  # type: ignore[arg-type]


# What is shared


def test_all_share_data_and_renderer_also_with_single_environments(tiny: DataSet) -> None:
    env = batched(tiny, size=(64, 128))
    assert {id(core.dataset) for core in env.envs} == {id(tiny)}
    assert len({id(core._view.renderer) for core in env.envs}) == 1
    singles = [ShopSimEnv(data, size=(64, 128)) for data in (tiny, tiny.path)]
    assert singles[0]._view.renderer is singles[1]._view.renderer
    ahead = copy.deepcopy(singles[0])
    assert ahead._view.renderer is singles[0]._view.renderer


def test_frames_and_attributes_of_each_can_be_asked_for(tiny: DataSet) -> None:
    env = batched(tiny, pixels=False, render_mode="ansi")
    _, info = env.reset(seed=0)
    assert env.render() == tuple(f"start\n{text}" for text in info["text"])
    assert env.get_attr("session_row") == tuple(core.session_row for core in env.envs)
