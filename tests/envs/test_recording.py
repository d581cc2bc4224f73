"""Screens drawn for a whole data set, stored in it, and shown again (SPEC 2.1, 3)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopsim.data import DataSet, DataSetWriter
from shopsim.data.records import Step
from shopsim.envs import Chromium, ShopSimEnv, human
from shopsim.envs.screens import recording
from shopsim.envs.screens.recording import encoded, record_screens
from shopsim.envs.screens.renderer import Renderer
from shopsim.errors import DataError, InputError
from tests.data import factory
from tests.envs.driving import click, human_actions

_ROOT = Path(__file__).parents[2]
_SMALL = (80, 152)
"""A small screen, which is drawn quickly."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return factory.write_tiny(tmp_path / "tiny")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "SESSIONS_PER_PART", 2)


def content(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def beside(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir() if entry != path)


def steps(path: Path) -> list[Step]:
    dataset = DataSet.open(path)
    return [step for row in range(dataset.n_sessions) for step in dataset.session(row).steps]


def screens(dataset: DataSet) -> Iterator[tuple[Any, str | None]]:
    """The shop before each recorded step, and the step's screen."""
    for row in range(dataset.n_sessions):
        shop = human.open_shop(dataset, row)
        for (effect, item), screen_id in zip(dataset.effects(row), dataset.screen_ids(row), strict=True):
            yield shop, screen_id
            shop.follow(effect, item)


def test_every_step_gets_its_screen_and_nothing_else_changes(path: Path) -> None:
    (path / "notes.txt").write_text("mine")
    before, old = content(path), steps(path)
    told: list[tuple[int, int]] = []
    made = record_screens(path, size=_SMALL, progress=lambda *done: told.append(done))
    dataset = DataSet.open(path)
    assert made.steps == len(old)
    assert made.screens == dataset.n_screens <= made.steps
    assert [step._replace(screen_id=None) for step in steps(path)] == old
    paint = Renderer(dataset, *_SMALL)
    images = set()
    for shop, screen_id in screens(dataset):
        assert screen_id is not None
        images.add(dataset.screen(screen_id))
        assert dataset.screen(screen_id) == encoded(paint.screen(shop))
    assert made.bytes == sum(map(len, images))
    same = {name for name, text in content(path).items() if before.get(name) == text}
    assert {"items.parquet", "users.parquet", "sessions.parquet", "categories.parquet", "notes.txt"} <= same
    assert beside(path) == []
    assert told == sorted(told)
    assert told[-1] == (len(old), len(old))


def test_the_set_stays_valid_and_says_how_its_screens_were_made(path: Path) -> None:
    from shopsim.benchmark_usb import validate
    from shopsim.data.manifest import read_manifest

    record_screens(path, size=_SMALL, theme="dark")
    assert validate(path) == []
    manifest: Any = read_manifest(path)
    assert manifest.generator.seed == 0
    assert manifest.generator.settings == {
        "items": factory.N_ITEMS,
        "screens": {"renderer": "fast", "size": [80, 152], "theme": "dark", "pictures": None},
    }
    assert '"theme": "dark"' in (path / "README.md").read_text()


def test_an_environment_shows_them_bit_for_bit(path: Path) -> None:
    drawn = ShopSimEnv(DataSet.open(path), split=None)
    record_screens(path)
    shown = ShopSimEnv(path, split=None)
    for session in ("s2", "s4"):
        options = {"session_id": session}
        pairs = [(env.reset(seed=1, options=options)) for env in (drawn, shown)]
        for action in human_actions(drawn):
            (a, _), (b, info) = pairs
            assert info["screen_source"] == "recorded"
            assert np.array_equal(a["screenshot"], b["screenshot"])
            pairs = [(o, i) for o, *_, i in (env.step(action) for env in (drawn, shown))]
    _, info = shown.reset(seed=1, options={"session_id": "s2"})
    assert shown.step(click(shown, 3))[-1]["screen_source"] == "renderer"


def test_steps_with_a_screen_keep_it(tmp_path: Path) -> None:
    path, mine = tmp_path / "set", encoded(np.zeros((4, 4, 3), np.uint8))
    with DataSetWriter(path, name="half") as writer:
        writer.add_categories(factory.categories())
        writer.add_items(factory.items())
        writer.add_users(factory.users())
        for session in factory.sessions():
            first = session.steps[0]._replace(screen_id=writer.add_screen(mine, 4, 4))
            writer.add_session(session._replace(steps=(first, *session.steps[1:])))
    made = record_screens(path, size=_SMALL)
    dataset = DataSet.open(path)
    ids = [dataset.screen_ids(row) for row in range(dataset.n_sessions)]
    assert made.steps == sum(map(len, ids)) - len(ids)
    assert {dataset.screen(str(session[0])) for session in ids} == {mine}
    assert all(dataset.screen(str(i)) != mine for session in ids for i in session[1:])
    again = content(path)
    assert record_screens(path, size=_SMALL).steps == 0
    assert content(path) == again
    assert beside(path) == []


def test_a_stopped_run_changes_nothing_and_is_taken_up_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = factory.write_tiny(path.parent / "whole" / "tiny")
    record_screens(whole, size=_SMALL)
    before, drawn = content(path), []

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    draw = Renderer.screen
    monkeypatch.setattr(Renderer, "screen", lambda self, shop: drawn.append(shop) or draw(self, shop))
    with pytest.raises(KeyboardInterrupt):
        record_screens(path, size=_SMALL, progress=stop)
    assert content(path) == before
    first = len(drawn)
    record_screens(path, size=_SMALL)
    assert len(drawn) - first < DataSet.open(path).n_screens, "what was drawn before the stop is drawn again"
    assert content(path) == content(whole)
    assert beside(path) == ["whole"]


def test_other_settings_start_anew(path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record_screens(path, size=_SMALL, theme="dark", progress=stop)
    record_screens(path, size=_SMALL)
    dataset = DataSet.open(path)
    paint = Renderer(dataset, *_SMALL)
    assert all(dataset.screen(str(i)) == encoded(paint.screen(shop)) for shop, i in screens(dataset))


_RUN = """
import sys
from shopsim.envs.screens import recording
recording.SESSIONS_PER_PART = 1
recording.record_screens(sys.argv[1], size=(80, 152), progress=lambda *done: print(*done, flush=True))
"""


@pytest.mark.parametrize("done", [0, 3, 7])
def test_a_killed_run_leaves_the_old_set_or_the_new_one(path: Path, done: int) -> None:
    command = [sys.executable, "-c", _RUN, str(path)]
    process = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(done + 1):
        process.stdout.readline()
    time.sleep(0.01 * done)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert len(steps(path)) > 0
    subprocess.run(command, cwd=_ROOT, check=True, capture_output=True)
    assert all(step.screen_id for step in steps(path))
    assert beside(path) == []


def test_a_stop_while_the_sets_change_places_is_mended(path: Path) -> None:
    before = content(path)
    path.rename(path.with_name(".tiny.before"))
    record_screens(path, size=_SMALL)
    assert before.keys() <= content(path).keys()
    assert beside(path) == []


def test_where_files_cannot_be_linked_they_are_copied(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    record_screens(path, size=_SMALL)
    assert all(step.screen_id for step in steps(path))


def test_what_cannot_be_done_is_named_and_leaves_nothing(path: Path) -> None:
    before = content(path)
    for arguments, word in (({"renderer": "pink"}, "'fast', 'browser'"), ({"theme": "pink"}, "light, dark")):
        with pytest.raises(InputError, match=word):
            record_screens(path, **arguments)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="nowhere: there is no such folder"):
        record_screens(path.parent / "nowhere")
    assert (content(path), beside(path)) == (before, [])


def test_screens_by_a_browser(path: Path) -> None:
    try:
        Chromium().find()
    except InputError as error:
        pytest.skip(str(error))
    made = record_screens(path, renderer="browser", size=_SMALL)
    drawn = factory.write_tiny(path.parent / "drawn" / "tiny")
    record_screens(drawn, size=_SMALL)
    assert made.screens == DataSet.open(drawn).n_screens
    assert not {step.screen_id for step in steps(path)} & {step.screen_id for step in steps(drawn)}
