"""Recordings: nothing is lost, everything can be done again, and what differs is found."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopsim.agents.backend import ScriptedBackend
from shopsim.agents.human import HumanReplay
from shopsim.agents.record import decision_of, load, load_screen, record, recordings_in, to_gif, verify
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.agents.trivial import AlwaysAgent, RandomAgent
from shopsim.data.vocabulary import Action
from shopsim.errors import DataError, InputError

ODD = 'say \u2028 \u0085 \x00 \ud800 红色 🥛 "quoted"'

ANSWERS = [
    json.dumps({"mind": ODD, "action": {"type": "scroll_down"}, "episodic": ODD, "preference": "blue\ncheap"}),
    "no json " + ODD,
    '{"mind":"m","action":{"type":"click","point":[256,333]}}',
    '{"mind":"m","action":{"type":"back"}}',
    '{"mind":"m","action":{"type":"terminate"}}',
]


def play(make_env: Any, agent: Any, *sessions: str, **arguments: Any) -> list[Rollout]:
    tasks = [Task(session, env_seed=3, sampling_seed=5) for session in sessions]
    return collect(tasks, lambda: make_env(**arguments), lambda: agent, lanes=1, record=True)


@pytest.fixture
def recording(make_env: Any, tmp_path: Path) -> Path:
    agent = RecVerseAgent(ScriptedBackend(ANSWERS))
    return record(play(make_env, agent, "s4")[0], tmp_path, agent.settings())


def test_a_recording_is_exactly_what_happened(make_env: Any, tmp_path: Path) -> None:
    agent = RecVerseAgent(ScriptedBackend(ANSWERS))
    rollout = play(make_env, agent, "s4")[0]
    path = record(rollout, tmp_path, agent.settings())
    trace = load(path)
    assert trace["agent"] == json.loads(json.dumps(agent.settings()))
    assert Task(**trace["task"]) == rollout.task
    for step, sample in zip(trace["steps"], rollout.samples, strict=True):
        assert decision_of(step) == sample.decision
        assert step["decision"]["raw"] == sample.decision.raw
        assert step["completion"]["text"] == sample.completion.text
        assert step["completion"]["token_ids"] == list(sample.completion.token_ids)
        assert step["memory"] == json.loads(json.dumps(sample.memory))
        content = [part for message in step["prompt"]["messages"] for part in message["content"]]
        assert [part["screen"] for part in content if isinstance(part, dict)] == [i.id for i in sample.prompt.images]
        assert np.array_equal(load_screen(path, step["screen"]), sample.screen.array)
    assert trace["stop_reason"] == rollout.trajectory.stop_reason
    assert trace["total"] == rollout.total
    assert trace["steps"][1]["memory"]["preference"] == ["blue", "cheap"]
    assert trace["steps"][1]["invalid"] == "unparsed"


def test_each_distinct_screen_is_stored_once(make_env: Any, tmp_path: Path) -> None:
    moves = [f'{{"action":{{"type":"{move}"}}}}' for move in ("scroll_down", "scroll_up")]
    agent = RecVerseAgent(ScriptedBackend(moves))
    path = record(play(make_env, agent, "s4", max_steps=20)[0], tmp_path, agent.settings())
    assert len(list((path / "screens").iterdir())) == 2
    assert verify(path) == []


def test_recordings_repeat_exactly(make_env: Any, tmp_path: Path, sessions: list[str], tiny: Any) -> None:
    for agent in (HumanReplay(tiny), RandomAgent(), AlwaysAgent(Action.CLICK), RecVerseAgent(ScriptedBackend(ANSWERS))):
        for arguments in ({}, {"name": "ShopSimReplay-v0"}, {"pixels": False, "max_steps": 3, "feed": "random"}):
            if arguments.get("pixels") is False and isinstance(agent, RecVerseAgent):
                continue
            for rollout in play(make_env, agent, *sessions[:3], **(arguments | {"split": "train"})):
                assert verify(record(rollout, tmp_path, agent.settings())) == []


def test_a_single_step_session_is_recorded(make_env: Any, tmp_path: Path) -> None:
    path = record(play(make_env, AlwaysAgent(Action.TERMINATE), "s4")[0], tmp_path, {})
    assert len(load(path)["steps"]) == 1
    assert verify(path) == []


def test_two_recordings_of_the_same_task_have_different_names(make_env: Any, tmp_path: Path) -> None:
    rollout = play(make_env, AlwaysAgent(Action.TERMINATE), "s4")[0]
    a, b = record(rollout, tmp_path, {}), record(rollout, tmp_path, {})
    assert a != b
    assert load(a)["id"] == a.name != load(b)["id"]
    assert not list(tmp_path.glob("*.unfinished"))


def change(path: Path, edit: Any) -> None:
    trace = load(path)
    edit(trace)
    (path / "trace.json").write_bytes(json.dumps(trace, ensure_ascii=False).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("edit", "found"),
    [
        (lambda t: t["steps"][2].update(observation="0" * 32), "step 2: observation is"),
        (lambda t: t["steps"][0].update(reward=0.5), "step 0: reward is 0.0, recorded 0.5"),
        (lambda t: t["steps"][2].update(invalid="no_target"), "step 2: invalid is None, recorded 'no_target'"),
        (lambda t: t["steps"][0]["decision"].update(action="terminate"), "step 0: effect is 'terminate'"),
        (lambda t: t["end"].update(observation="0" * 32), "end: observation is"),
        (lambda t: t.update(stop_reason="stuck"), "end: stop_reason is 'terminate', recorded 'stuck'"),
        (lambda t: t["data"].update(hash="x"), "data set: hash"),
        (lambda t: t["reward"].update(micro=9.0), "end: reward is"),
        (lambda t: t["steps"].pop(), "end: "),
    ],
)
def test_what_differs_is_named(recording: Path, edit: Any, found: str) -> None:
    assert verify(recording) == []
    change(recording, edit)
    assert any(line.startswith(found) for line in verify(recording))


def test_a_changed_screen_file_is_named(recording: Path) -> None:
    from PIL import Image as PillowImage

    file = next((recording / "screens").iterdir())
    PillowImage.new("RGB", (160, 320)).save(file)
    assert verify(recording) == [f"screens/{file.name}: its pixels have another hash"]


def test_a_screen_that_is_missing_is_named_and_the_rest_compared(recording: Path) -> None:
    first = load(recording)["steps"][0]["screen"]
    (recording / "screens" / f"{first}.png").unlink()
    (difference,) = verify(recording)
    assert f"{first}.png cannot be read" in difference


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda trace: trace.pop("steps"), "trace.json lacks steps"),
        (lambda trace: trace["steps"][1]["decision"].update(action="dance"), "step 1 holds no decision .*dance"),
        (lambda trace: trace["steps"].insert(0, 7), "step 0 holds no decision"),
        (lambda trace: trace["environment"].update(id="os:Env-v0"), "environment is 'os:Env-v0'; it must be one of"),
        (lambda trace: trace["environment"]["arguments"].update(feed="os:getcwd"), "'os:getcwd' is code; say --trust"),
    ],
)
def test_a_trace_that_cannot_be_done_again_is_refused(recording: Path, edit: Any, message: str) -> None:
    trace = load(recording)
    edit(trace)
    (recording / "trace.json").write_bytes(json.dumps(trace).encode("utf-8", "surrogatepass"))
    with pytest.raises(DataError, match=message):
        verify(recording)


def test_a_data_set_that_moved_can_be_named(recording: Path, tiny_path: Path) -> None:
    change(recording, lambda t: t["data"].update(path="/nowhere"))
    with pytest.raises(DataError):
        verify(recording)
    assert verify(recording, tiny_path) == []


def test_what_is_no_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no trace\.json"):
        load(tmp_path)
    for text in ("{", "[]", '{"format": "shopsim-trace", "version": 99}'):
        (tmp_path / "trace.json").write_text(text)
        with pytest.raises(DataError, match=r"trace\.json"):
            load(tmp_path)


def test_only_what_was_kept_and_can_be_made_again_is_recorded(make_env: Any, tiny: Any, tmp_path: Path) -> None:
    from shopsim.envs.env import ShopSimEnv

    agent = AlwaysAgent(Action.TERMINATE)
    unkept = collect([Task("s4")], make_env, lambda: agent)[0]
    unmade = collect([Task("s4")], lambda: ShopSimEnv(tiny, split=None), lambda: agent, record=True)[0]
    function = play(make_env, agent, "s4", reward=lambda agent, human, labels: 0.5)[0]
    for rollout, words in ((unkept, "record=True"), (unmade, r"gymnasium\.make"), (function, "plain arguments")):
        with pytest.raises(InputError, match=words):
            record(rollout, tmp_path, {})
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_nothing(make_env: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shopsim.agents import record as module

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(module, "_write_png", fail)
    with pytest.raises(OSError, match="disk full"):
        record(play(make_env, AlwaysAgent(Action.TERMINATE), "s4")[0], tmp_path, {})
    assert not list(tmp_path.iterdir())


_KILLED = """
import builtins, os, signal, sys
from pathlib import Path
import shopsim, gymnasium
from shopsim.agents.record import record
from shopsim.agents.rollout import Task, collect
from shopsim.agents.trivial import RandomAgent

settings = dict(data=sys.argv[1], split=None, size=(64, 128), disable_env_checker=True)
rollout, = collect([Task("s4", 3)], lambda: gymnasium.make("ShopSim-v0", **settings), RandomAgent, record=True)
record(rollout, sys.argv[2], {})
left = int(sys.argv[3])

def counted(act):
    def acting(*arguments, **more):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return act(*arguments, **more)
    return acting

for owner, name in ((Path, "mkdir"), (Path, "rename"), (Path, "write_bytes"), (builtins, "open")):
    setattr(owner, name, counted(getattr(owner, name)))
record(rollout, sys.argv[2], {})
print("not killed")
"""


@pytest.mark.slow
def test_a_killed_recorder_leaves_only_whole_recordings(tiny_path: Path, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    for moment in range(40):
        folder = tmp_path / str(moment)
        done = subprocess.run(
            [sys.executable, "-c", _KILLED, str(tiny_path), str(folder), str(moment)],
            cwd=root, capture_output=True, text=True,
        )  # fmt: skip
        found = recordings_in(folder)
        assert 1 <= len(found) <= 2
        assert [line for path in found for line in verify(path)] == []
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert "not killed" in done.stdout
    assert moment > 6


def test_the_film_has_a_frame_for_each_screen(recording: Path) -> None:
    from PIL import Image as PillowImage

    with PillowImage.open(to_gif(recording)) as film:
        assert film.n_frames == len(load(recording)["steps"]) + 1


def test_a_film_needs_screens(make_env: Any, tmp_path: Path) -> None:
    path = record(play(make_env, AlwaysAgent(Action.TERMINATE), "s4", pixels=False)[0], tmp_path, {})
    with pytest.raises(DataError, match="without pixels"):
        to_gif(path)
