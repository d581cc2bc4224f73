"""make_synthetic: whole data sets."""

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from shopsim.benchmark_usb.synthetic import LICENCE, make_bundled, make_synthetic
from shopsim.data import DataSet, check
from shopsim.data.manifest import FILES
from shopsim.data.vocabulary import ITEM_ACTIONS, Action, Page
from shopsim.envs.human import open_shop, replay
from shopsim.errors import DataError, InputError

SESSIONS, ITEMS = 30, 300


def make(path: Path, **options: object) -> DataSet:
    make_synthetic(path, SESSIONS, items=ITEMS, **options)  # type: ignore[arg-type]
    return DataSet.open(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("synthetic")


@pytest.fixture(scope="module")
def data(folder: Path) -> DataSet:
    return make(folder / "en")


def test_it_is_a_legal_data_set(data: DataSet) -> None:
    assert list(check(data.path)) == []
    assert (data.n_sessions, data.n_items, data.source, data.locale) == (SESSIONS, ITEMS, "synthetic", "en")
    assert not data.imputed


def test_every_session_replays(data: DataSet) -> None:
    for row in range(data.n_sessions):
        assert len(replay(data, row)) == len(data.session(row).steps)


def test_recorded_points_pages_and_offsets_are_the_shops(data: DataSet) -> None:
    for row in range(data.n_sessions):
        shop = open_shop(data, row)
        for step in data.session(row).steps:
            item = data.item_row(step.item_id) if step.item_id else -1
            opens = step.page is Page.FEED and step.action in (Action.CLICK, Action.ENTER_DETAIL)
            assert (step.page, step.scroll) == (shop.page, shop.scroll)
            assert (step.item_id is not None) == (step.action in ITEM_ACTIONS)
            point = (step.x, step.y)
            assert point == (pytest.approx(shop.point_of(item)) if opens else (None, None))
            shop.follow(step.action, item)


def test_splits_are_by_user_and_none_is_empty(tmp_path: Path) -> None:
    for sessions in (20, 60):
        make_synthetic(tmp_path / str(sessions), sessions, items=200)
        data = DataSet.open(tmp_path / str(sessions))
        split_of: dict[str, set[str]] = {}
        for row in range(sessions):
            session = data.session(row)
            split_of.setdefault(session.user_id, set()).add(session.split)
        assert all(len(splits) == 1 for splits in split_of.values())
        users = Counter(split for splits in split_of.values() for split in splits)
        assert users["validation"] >= 1
        assert users["test"] >= 1
        assert users["train"] > 0.6 * len(split_of)


def test_users_have_one_to_three_sessions_in_the_order_of_time(data: DataSet) -> None:
    started: dict[str, list[object]] = {}
    pauses: list[float] = []
    for row in range(data.n_sessions):
        session = data.session(row)
        started.setdefault(session.user_id, []).append(session.started_at)
        times = [session.started_at, *(step.timestamp for step in session.steps)]
        gaps = [(b - a).total_seconds() for a, b in pairwise(times)]
        assert min(gaps) > 0.3
        pauses += gaps
    assert 2 < np.mean(pauses) < 60
    assert all(times == sorted(times) for times in started.values())  # type: ignore[type-var]
    assert {len(times) for times in started.values()} <= {1, 2, 3}


@pytest.mark.parametrize("history", [(356.48, 10.36), (20.0, 1.5), (0.5, 0.1)])
def test_history_has_exactly_the_mean_asked_for(tmp_path: Path, history: tuple[float, float]) -> None:
    data = make(tmp_path / "set", history=history)
    for lengths, mean in zip(data.history_lengths(), history, strict=True):
        assert lengths.sum() == round(mean * data.n_users)
    if history[0] > 1:
        assert min(data.history_lengths()[0]) > 0


@pytest.mark.parametrize(("sessions", "seed"), [(1, 0), (20, 1), (97, 2)])
def test_sessions_have_exactly_the_mean_of_usb(tmp_path: Path, sessions: int, seed: int) -> None:
    make_synthetic(tmp_path / "set", sessions, seed, items=300, history=(20.0, 1.5))
    data = DataSet.open(tmp_path / "set")
    assert data.n_sessions == sessions
    assert data.step_starts[-1] == round(sessions * 69_842 / 5_274)
    assert data.label_codes.max() < 300, "more categories than items"


def test_no_two_steps_of_the_set_fall_together(data: DataSet) -> None:
    sessions = [data.session(row) for row in range(data.n_sessions)]
    times = [time for s in sessions for time in (s.started_at, *(step.timestamp for step in s.steps))]
    assert len(set(times)) == len(times)


def test_every_step_has_a_thought(data: DataSet) -> None:
    steps = [step for row in range(data.n_sessions) for step in data.session(row).steps]
    assert all(step.mind for step in steps)
    assert 0.03 < np.mean([step.episodic is not None for step in steps]) < 0.4
    assert 0.03 < np.mean([step.preference is not None for step in steps]) < 0.4


def test_other_locale_same_behaviour(folder: Path, data: DataSet) -> None:
    chinese = make(folder / "zh", locale="zh")
    assert chinese.locale == "zh"
    for row in range(data.n_sessions):
        en, zh = data.session(row), chinese.session(row)
        assert (en.feed, en.started_at, en.split) == (zh.feed, zh.started_at, zh.split)
        assert [(s.action, s.item_id, s.scroll, s.timestamp) for s in en.steps] == [
            (s.action, s.item_id, s.scroll, s.timestamp) for s in zh.steps
        ]
        assert [s.mind for s in en.steps] != [s.mind for s in zh.steps]
    assert np.array_equal(data.prices, chinese.prices)
    assert all(data.item(row).title != chinese.item(row).title for row in range(ITEMS))


def test_same_seed_same_bytes_in_another_process(folder: Path, data: DataSet) -> None:
    code = (
        "import sys; from shopsim.benchmark_usb.synthetic import make_synthetic;"
        f"make_synthetic(sys.argv[1], {SESSIONS}, items={ITEMS})"
    )
    again = folder / "again"
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    subprocess.run([sys.executable, "-c", code, str(again)], check=True, env=environment)
    # The name of a set does not depend on its folder, so that every file is the same.
    files = sorted(file.relative_to(again) for file in again.rglob("*") if file.is_file())
    assert files == sorted(file.relative_to(data.path) for file in data.path.rglob("*") if file.is_file())
    assert all((again / file).read_bytes() == (data.path / file).read_bytes() for file in files)


def test_other_seed_other_set(folder: Path, data: DataSet) -> None:
    assert make(folder / "other", seed=1).hash != data.hash


def test_progress_counts_up_to_all(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    make_synthetic(tmp_path / "set", 12, items=100, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(done, 12) for done in range(1, 13)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"locale": "de"}, "locale"),
        ({"sessions": 0}, "sessions"),
        ({"items": 10}, "items"),
        ({"history": (5.0, 10.0)}, "history"),
        ({"history": (1.0, -1.0)}, "history"),
    ],
)
def test_arguments_that_make_no_sense_are_named(tmp_path: Path, options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make_synthetic(tmp_path / "set", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "set").exists()


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("keep")
    with pytest.raises(DataError, match="not an empty folder"):
        make_synthetic(tmp_path, 3, items=100)
    assert (tmp_path / "mine").read_text() == "keep"


# The set shipped with the package


def test_bundled_set_is_the_one_that_make_bundled_makes(tmp_path: Path) -> None:
    shipped = DataSet.bundled().path
    make_bundled(tmp_path / "bundled")
    for name in FILES:
        ours, fresh = pq.ParquetFile(shipped / name), pq.ParquetFile(tmp_path / "bundled" / name)
        assert ours.read().equals(fresh.read()), name
        # Another release of the Parquet library may pack the same rows differently.
        if ours.metadata.created_by == fresh.metadata.created_by:
            assert (shipped / name).read_bytes() == (tmp_path / "bundled" / name).read_bytes(), name


def test_bundled_set_is_small_and_has_something_of_everything() -> None:
    data = DataSet.bundled()
    assert list(check(data.path)) == []
    assert sum(file.stat().st_size for file in data.path.rglob("*") if file.is_file()) < 1_500_000
    assert f"{LICENCE}" in (data.path / "README.md").read_text()
    for split in ("train", "validation", "test"):
        effects = {action for row in data.session_rows(split) for action, _ in data.effects(int(row))}
        assert effects >= {Action.CLICK, Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE}, split
