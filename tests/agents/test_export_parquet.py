"""Recordings as Parquet: everything comes back, bit for bit, and every screen is there once."""

import hashlib
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image as PillowImage

from shopsim.agents.backend import ScriptedBackend, pixel_hash
from shopsim.agents.export_parquet import EPISODES, SCREENS, STEPS, export_parquet
from shopsim.agents.human import HumanReplay
from shopsim.agents.record import load, record, recordings_in
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.trivial import AlwaysAgent, RandomAgent
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_LABELS, Action
from shopsim.envs.decision import Decision
from shopsim.errors import DataError, InputError
from tests.agents.test_record import ANSWERS, play


@pytest.fixture
def recordings(make_env: Any, tiny: DataSet, sessions: list[str], tmp_path: Path) -> list[Path]:
    agents = [HumanReplay(tiny), RandomAgent(), AlwaysAgent(Action.TERMINATE), RecVerseAgent(ScriptedBackend(ANSWERS))]
    for agent in agents:
        for rollout in play(make_env, agent, *sessions[:2]):
            record(rollout, tmp_path / "recordings", agent.settings())
    return recordings_in(tmp_path)


def traces_back(folder: Path) -> dict[str, dict[str, Any]]:
    """The traces that the tables were made of, put together again."""
    steps = pq.read_table(folder / STEPS).to_pylist()
    traces = {}
    for row in pq.read_table(folder / EPISODES).to_pylist():
        mine = [step for step in steps if step["recording"] == row["recording"]]
        assert [step["step"] for step in mine] == list(range(row["steps"]))
        traces[row["recording"]] = {
            "format": "shopsim-trace",
            "version": 1,
            "id": row["recording"],
            "shopsim": row["shopsim"],
            **{name: json.loads(row[name]) for name in ("environment", "data")},
            "session_id": row["session_id"],
            "seed": row["seed"],
            **{name: json.loads(row[name]) for name in ("task", "agent")},
            "steps": [step_back(step) for step in mine],
            "end": json.loads(row["end"]),
            "stop_reason": row["stop_reason"],
            "reward": None if row["reward"] is None else json.loads(row["reward"]),
            "total": row["total"],
        }
    return traces


def step_back(row: dict[str, Any]) -> dict[str, Any]:
    completion = {
        "text": row["answer"],
        "token_ids": row["token_ids"],
        "logprobs": row["logprobs"],
        "truncated": row["cut_off"],
        "prompt_tokens": row["prompt_tokens"],
        "answer_tokens": row["answer_tokens"],
    }
    return {
        **{name: row[name] for name in ("step", "screen", "observation")},
        "counts": {"page": row["page"], "cart": row["cart"], "step": row["step"]},
        "seconds": row["seconds"],
        **{
            name: None if row[name] is None else json.loads(row[name])
            for name in ("prompt", "memory", "memory_after", "before")
        },
        "completion": None if row["answer_tokens"] is None else completion,
        "decision": {
            "action": None if row["action"] is None else ACTION_LABELS[row["action"]],
            "point": None if row["x"] is None else [row["x"], row["y"]],
            **{name: row[name] for name in ("mind", "episodic", "preference", "failure")},
            "raw": row["answer"],
        },
        **{name: row[name] for name in ("effect", "item", "invalid", "reward", "terminated", "truncated")},
    }


def test_the_round_trip_loses_nothing(recordings: list[Path], tmp_path: Path) -> None:
    out = export_parquet(recordings, tmp_path / "out")
    expected = {path.name: load(path) for path in recordings}
    for trace in expected.values():
        for step in trace["steps"]:
            if step["completion"]:  # a lone half of a surrogate pair is no text
                step["completion"]["text"] = step["decision"]["raw"]
    assert traces_back(out) == expected
    assert any(step["decision"]["failure"] for trace in expected.values() for step in trace["steps"])
    assert sorted(file.name for file in out.iterdir()) == sorted([STEPS, EPISODES, SCREENS])


def test_every_screen_is_there_once_with_the_very_bytes(recordings: list[Path], tmp_path: Path) -> None:
    out = export_parquet(recordings, tmp_path / "out")
    screens = pq.read_table(out / SCREENS).to_pylist()
    names = [row["screen"] for row in screens]
    files = {file.stem: file for path in recordings for file in (path / "screens").iterdir()}
    assert sorted(names) == sorted(files), "several recordings have the same first screen"
    for row in screens:
        assert hashlib.sha256(row["png"]).digest() == hashlib.sha256(files[row["screen"]].read_bytes()).digest()
        pixels = np.array(PillowImage.open(io.BytesIO(row["png"])))
        assert pixel_hash(pixels) == row["screen"]
        assert pixels.shape == (row["height"], row["width"], 3)
    steps = pq.read_table(out / STEPS).to_pylist()
    assert {step[name] for step in steps for name in ("screen", "next_screen")} == set(names)


def test_transitions_join_up(recordings: list[Path], tmp_path: Path) -> None:
    steps = pq.read_table(export_parquet(recordings, tmp_path / "out") / STEPS).to_pylist()
    for one, two in pairwise(steps):
        ended = one["terminated"] or one["truncated"]
        assert ended == (one["recording"] != two["recording"])
        if not ended:
            assert one["next_screen"] == two["screen"]
    totals = {row["recording"]: row["total"] for row in pq.read_table(tmp_path / "out" / EPISODES).to_pylist()}
    for recording, total in totals.items():
        assert sum(s["reward"] for s in steps if s["recording"] == recording) == pytest.approx(total)


def test_a_thought_of_five_megabytes_and_a_session_of_one_step(make_env: Any, tmp_path: Path) -> None:
    class Thinker(AlwaysAgent):
        def act(self, observation: Any, info: Any) -> Decision:
            return Decision(self.action, mind="é" * 2_500_000, raw="é" * 2_500_000)

    path = record(play(make_env, Thinker(Action.TERMINATE), "s4")[0], tmp_path / "recordings", {"name": "thinker"})
    rows = pq.read_table(export_parquet([path], tmp_path / "out") / STEPS).to_pylist()
    assert len(rows) == 1
    assert rows[0]["mind"] == rows[0]["answer"] == "é" * 2_500_000
    assert rows[0]["terminated"]


def test_recordings_without_screens(make_env: Any, tmp_path: Path) -> None:
    path = record(play(make_env, RandomAgent(), "s4", pixels=False)[0], tmp_path / "recordings", {"name": "random"})
    out = export_parquet([path], tmp_path / "out")
    assert pq.read_table(out / SCREENS).num_rows == 0
    assert set(pq.read_table(out / STEPS)["screen"].to_pylist()) == {None}
    assert traces_back(out) == {path.name: load(path)}


def test_pandas_reads_it_too(recordings: list[Path], tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is no dependency of ShopSim")
    steps = pandas.read_parquet(export_parquet(recordings, tmp_path / "out") / STEPS)
    assert steps.groupby("recording").reward.sum().notna().all()


def test_what_cannot_be_written_leaves_nothing(recordings: list[Path], tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="is there already"):
        export_parquet(recordings, tmp_path / "there")
    (tmp_path / "out.unfinished" / "of a killed export").mkdir(parents=True)
    next((recordings[0] / "screens").iterdir()).unlink()
    with pytest.raises(DataError, match="cannot be read"):
        export_parquet(recordings, tmp_path / "out")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["recordings", "there"]
    with pytest.raises(DataError, match="there is no recording"):
        recordings_in(tmp_path / "there")
