"""Personas on the same sessions: the measures, the direction they move in, resuming."""

import json
from pathlib import Path

import numpy as np
import pytest

from shopsim.agents.human import HumanReplay
from shopsim.agents.personas import load_personas
from shopsim.agents.rollout import Task, collect
from shopsim.benchmark_usb.persona_run import MEASURES, Measuring, PersonaResults, Shift, run_personas
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.terminal import personas_table
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.env import ShopSimEnv
from shopsim.errors import InputError


def test_the_measures_are_what_they_say(tiny: DataSet) -> None:
    sessions = [tiny.session_id(row) for row in tiny.session_rows().tolist()]
    measuring = Measuring(tiny)
    opened = 0
    for rollout in collect(
        [Task(session) for session in sessions],
        lambda: ShopSimEnv(tiny, split=None, pixels=False, max_steps=None),
        lambda: HumanReplay(tiny),
    ):
        score = measuring.score("human", rollout, 1.0)
        trajectory = rollout.trajectory
        assert trajectory is not None
        items = {e.item for e in trajectory.events if e.effect in (Action.CLICK, Action.ENTER_DETAIL)}
        usual = np.median([tiny.prices[item] for item in trajectory.impressions])
        assert score.opened == len(items)
        assert score.log_price == pytest.approx(sum(np.log(tiny.prices[item] / usual) for item in items))
        assert score.read == len(trajectory.items(Action.ENTER_DETAIL))
        assert 0 <= score.matched <= score.from_feed <= score.opened
        opened += score.opened
    assert opened > 0


@pytest.mark.slow
def test_scripted_agents_move_in_the_direction_a_persona_names(tmp_path: Path) -> None:
    specs = AgentSpec.parse_all("heuristic,probabilistic")
    run = run_personas(None, specs, load_personas(), tmp_path / "run", split="train", repetitions=4)
    shifts = {(s.agent, s.persona, s.measure): s.shift for s in run.shifts()}

    def beyond(agent: str, persona: str, measure: str, even: float) -> int:
        shift = shifts[agent, persona, measure]
        assert shift.low is not None
        assert shift.high is not None
        return (shift.low > even) - (shift.high < even)

    assert beyond("probabilistic", "bargain-hunter", "price", 1.0) == -1
    assert beyond("heuristic", "bargain-hunter", "price", 1.0) == -1
    assert beyond("probabilistic", "spec-reader", "details read", 0.0) == 1
    assert beyond("heuristic", "spec-reader", "details read", 0.0) == 1
    assert beyond("probabilistic", "looks-first", "picture-matched", 0.0) == 1
    assert beyond("heuristic", "looks-first", "picture-matched", 0.0) == 0, "it has no eyes"


def test_a_run_resumes_and_shows_a_table(tiny: DataSet, tmp_path: Path) -> None:
    personas = {name: persona for name, persona in load_personas().items() if name != "looks-first"}
    specs = [AgentSpec("probabilistic", settings={"none": 1.0})]
    calls: list[tuple[int, int]] = []

    def break_off(done: int, total: int) -> None:
        calls.append((done, total))
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_personas(tiny, specs, personas, tmp_path / "run", split="train", progress=break_off)
    run = run_personas(
        tiny, specs, personas, tmp_path / "run", split="train", progress=lambda *done: calls.append(done)
    )
    assert calls == [(n, 15) for n in range(1, 16)]
    names = [f"probabilistic(none=1.0)+{persona}" for persona in ("none", "bargain-hunter", "spec-reader")]
    assert list(run.finished()) == names
    shifts = run.shifts()
    assert [(s.persona, s.measure) for s in shifts] == [(p, m) for p in personas for m in MEASURES]
    assert all(isinstance(shift, Shift) and shift.shift.value is not None for shift in shifts)
    assert PersonaResults.open(tmp_path / "run").shifts() == shifts
    assert personas_table(run).row_count == 3
    assert json.loads((tmp_path / "run" / "results.json").read_text())["settings"]["environment"]["personas"]


def test_what_plays_no_persona_is_refused(tiny: DataSet, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="plays no personas"):
        run_personas(tiny, [AgentSpec("random")], load_personas(), tmp_path / "run")
    with pytest.raises(InputError, match="cannot be called 'none'"):
        run_personas(tiny, [AgentSpec("heuristic")], {"none": load_personas()["spec-reader"]}, tmp_path / "run")
