"""Render modes, and recorded screenshots in the place of drawn ones (SPEC 2.1, 2.2)."""

import io
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

from shopsim.data import DataSet, DataSetWriter
from shopsim.envs.env import ShopSimEnv
from tests.data import factory
from tests.envs.driving import (
    DOWN,
    LEAVE,
    UP,
    click,
    human_actions,
)


@pytest.fixture
def env(tiny: DataSet) -> ShopSimEnv:
    made = ShopSimEnv(tiny, pixels=False)
    made.reset(seed=0)
    return made


# Rendering


def test_rgb_array_shows_phone_touch_and_last_action(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    env.step(click(env))
    second = env.render()
    assert isinstance(first, np.ndarray)
    assert isinstance(second, np.ndarray)
    assert first.shape == second.shape
    assert first.shape[0] > 608
    assert first.dtype == np.uint8
    assert (first != second).any()


def test_ansi_is_the_text_view_under_the_last_action(tiny: DataSet) -> None:
    env = ShopSimEnv(tiny, pixels=False, render_mode="ansi")
    _, info = env.reset(seed=0)
    assert env.render() == f"start\n{info['text']}"
    for action, caption in (
        (UP, "1. scroll_up (scroll_end)"),
        (DOWN, "2. scroll_down"),
        (None, "3. no action (unparsed)"),
    ):
        info = env.step(action)[-1]
        assert env.render() == f"{caption}\n{info['text']}"


def test_lists_of_frames_come_from_make(tiny: DataSet) -> None:
    env = gym.make("ShopSim-v0", data=tiny, render_mode="rgb_array_list")
    env.reset(seed=0)
    for action in (DOWN, UP, LEAVE):
        env.step(action)
    frames = env.render()
    assert isinstance(frames, list)
    assert len(frames) == 4
    text = gym.make("ShopSim-v0", data=tiny, pixels=False, render_mode="ansi_list")
    text.reset(seed=0)
    text.step(DOWN)
    assert len(text.render()) == 2  # type: ignore[arg-type]


def test_without_a_display_human_mode_prints_the_text_view(
    tiny: DataSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    env = ShopSimEnv(tiny, pixels=False, render_mode="human")
    _, info = env.reset(seed=0)
    assert capsys.readouterr().out == f"start\n{info['text']}\n"
    _, _, _, _, info = env.step(DOWN)
    assert capsys.readouterr().out == f"1. scroll_down\n{info['text']}\n"
    assert env.render() is None
    env.close()
    env.close()


def test_human_mode_works_without_tk(
    tiny: DataSet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tkinter", None)
    monkeypatch.delitem(sys.modules, "shopsim.envs.window", raising=False)
    env = ShopSimEnv(tiny, pixels=False, render_mode="human")
    _, info = env.reset(seed=0)
    assert capsys.readouterr().out == f"start\n{info['text']}\n"


def test_with_a_display_human_mode_shows_each_frame_in_a_window(tiny: DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    class Window:
        def __init__(self) -> None:
            self.frames: list[Any] = []
            self.closed = 0

        def show(self, frame: Any) -> None:
            self.frames.append(frame)

        def close(self) -> None:
            self.closed += 1

    window = Window()
    monkeypatch.setattr("shopsim.envs.window.open_window", lambda: window)
    env = ShopSimEnv(tiny, render_mode="human")
    env.reset(seed=0)
    env.step(DOWN)
    env.close()
    assert [frame.dtype for frame in window.frames] == [np.uint8] * 2
    assert window.closed == 1


def test_render_without_a_mode_warns(env: ShopSimEnv) -> None:
    with pytest.warns(UserWarning, match="shows nothing without a render mode"):
        assert env.render() is None


# Recorded screenshots


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """The tiny set with a screenshot for each recorded step of session s2 but the last: one plain colour each."""
    path = tmp_path_factory.mktemp("data") / "filmed"
    with DataSetWriter(path, name="filmed", generator={"settings": {}, "seed": 0}) as writer:
        writer.add_categories(factory.categories())
        writer.add_items(factory.items())
        writer.add_users(factory.users())
        for session in factory.sessions():
            steps = list(session.steps)
            if session.session_id == "s2":
                for k, step in enumerate(steps[:-1]):
                    image = io.BytesIO()
                    Image.new("RGB", (64, 128), (10 * k, 100, 200)).save(image, "PNG")
                    steps[k] = step._replace(screen_id=writer.add_screen(image.getvalue(), 64, 128))
            writer.add_session(session._replace(steps=tuple(steps)))
    return DataSet.open(path)


def test_recorded_screenshots_show_where_the_agent_is_in_the_recorded_state(filmed: DataSet) -> None:
    env = ShopSimEnv(filmed, size=(64, 128))
    observation, info = env.reset(options={"session_id": "s2"})
    seen = [(info["screen_source"], observation["screenshot"])]
    for action in human_actions(env):
        observation, _, _, _, info = env.step(action)
        seen.append((info["screen_source"], observation["screenshot"]))
    # down, up: back in the first state, which is shown as it was first recorded.
    reds = [int(pixels[0, 0, 0]) for _, pixels in seen[:7]]
    assert reds == [0, 10, 0, 30, 40, 50, 60]
    assert all((pixels == pixels[0, 0]).all() for _, pixels in seen[:7])
    assert [source for source, _ in seen] == ["recorded"] * 7 + ["renderer"] * 2
    assert seen[-1][1].std() > 0


def test_elsewhere_the_renderer_draws(filmed: DataSet) -> None:
    env = ShopSimEnv(filmed, size=(64, 128))
    _, info = env.reset(options={"session_id": "s2"})
    assert info["screen_source"] == "recorded"
    observation, _, _, _, info = env.step(click(env, 3))
    assert info["screen_source"] == "renderer"
    assert observation["screenshot"].std() > 0
    assert env.reset(options={"session_id": "s1"})[1]["screen_source"] == "renderer"
    other = ShopSimEnv(filmed, size=(64, 128), feed="random")
    assert other.reset(options={"session_id": "s2"})[1]["screen_source"] == "renderer"


def test_recorded_screenshots_of_another_size_are_resampled_and_fresh(filmed: DataSet) -> None:
    env = ShopSimEnv(filmed)
    one, _ = env.reset(options={"session_id": "s2"})
    two, _ = env.reset(options={"session_id": "s2"})
    assert one in env.observation_space
    assert not np.shares_memory(one["screenshot"], two["screenshot"])
    one["screenshot"][:] = 7
    assert two["screenshot"][0, 0].tolist() == [0, 100, 200]
