"""Benchmark runs on the tiny set: the ceiling, resuming, sameness whatever the circumstances, clear refusals."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shopsim import benchmark_usb
from shopsim.agents.checkpoint import AgentSetup
from shopsim.agents.record import load, verify
from shopsim.benchmark_usb.film import films_of
from shopsim.benchmark_usb.people import choose_sessions
from shopsim.benchmark_usb.results import Results
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.benchmark_usb.summary import Cost, SessionScore
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision
from shopsim.envs.env import ShopSimEnv
from shopsim.errors import EnvironmentFault, InputError


class Leaver:
    """Somebody's own agent: opens the first card, then leaves."""

    def __init__(self, name: str = "leaver") -> None:
        self.name = name

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        self._step = 0

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        assert observation["screenshot"].shape == (608, 320, 3), "an agent of one's own gets screens"
        self._step += 1
        left, top, right, bottom = info["items"][0].box if info["items"] else (0, 0, 1, 1)
        middle = ((left + right) / 2, (top + bottom) / 2)
        return Decision(Action.CLICK, middle) if self._step == 1 else Decision(Action.TERMINATE)

    def settings(self) -> dict[str, Any]:
        return {"name": self.name}


ALL = [AgentSpec(kind) for kind in ("human", "random", "heuristic", "always-click", "always-terminate")]


def untimed(results: Results, agent: str) -> list[SessionScore]:
    """Scores less wall time."""
    return [replace(s, cost=Cost()) for s in results.scores(agent)]


def test_human_replay_is_exactly_perfect(tiny: DataSet, tmp_path: Path) -> None:
    for split in ("train", "validation", "test"):
        scores = run_benchmark(tiny, ALL, tmp_path / split, split=split).head.scores
        human = scores["human"]
        assert {rate.ratio.value for rate in human.fidelity.rates.values()} <= {1.0, None}
        assert human.fidelity.deviation.value == 1.0
        assert human.fidelity.length_distance.value == 0.0
        assert human.fidelity.action_divergence.value == 0.0
        assert human.fidelity.invalid_rate.value == 0.0
        assert {e.value for e in human.intent.scores.values()} == {100.0}
        assert human.intent.false_activity.value in (0.0, None)
        assert human.reward["total"].value == 1.0
        for other in ("random", "always-click", "always-terminate"):
            assert scores[other].intent.scores["F1"].value < 100
            assert scores[other].fidelity.deviation.value > 1


def test_a_broken_off_run_goes_on_and_ends_the_same(tiny: DataSet, tmp_path: Path) -> None:
    def run(out: Path, progress: Any = None) -> Results:
        agents = [AgentSpec("random"), AgentSpec("heuristic")]
        return run_benchmark(tiny, agents, out, split="train", repetitions=2, progress=progress)

    whole = run(tmp_path / "whole")
    calls: list[tuple[int, int]] = []

    def break_off(done: int, total: int) -> None:
        calls.append((done, total))
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "broken", break_off)
    assert calls == [(n, 20) for n in range(1, 8)]
    resumed = run(tmp_path / "broken", lambda done, total: calls.append((done, total)))
    assert calls[7:] == [(n, 20) for n in range(8, 21)], "what was done is not done again"
    for agent in ("random", "heuristic"):
        assert untimed(resumed, agent) == untimed(whole, agent)
        assert resumed.head.scores[agent].fidelity == whole.head.scores[agent].fidelity
    again = run(tmp_path / "broken", lambda done, total: calls.append((done, total)))
    assert len(calls) == 20, "a finished run has nothing left to do"
    assert again.head == resumed.head


def test_an_agent_that_was_broken_off_is_not_taken_for_finished(tiny: DataSet, tmp_path: Path) -> None:
    def break_off(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_benchmark(tiny, [AgentSpec("random")], tmp_path / "run", split="train", progress=break_off)
    results = run_benchmark(tiny, [AgentSpec("human")], tmp_path / "run", split="train")
    assert set(results.head.agents) == {"random", "human"}
    assert set(results.finished()) == {"human"}


def test_the_folder_gives_its_names_and_only_those() -> None:
    for name in benchmark_usb.__all__:
        assert callable(getattr(benchmark_usb, name))
    with pytest.raises(AttributeError, match="has no attribute 'leaderboard'"):
        _ = benchmark_usb.leaderboard


def test_lanes_company_and_earlier_runs_change_nothing(tiny: DataSet, tmp_path: Path) -> None:
    alone = run_benchmark(tiny, [AgentSpec("random")], tmp_path / "alone", split="train", lanes=1)
    crowd = run_benchmark(tiny, ALL, tmp_path / "crowd", split="train", lanes=5, record=1)
    assert untimed(alone, "random") == untimed(crowd, "random")


def test_seed_and_repetition_change_the_agents_chance_only(tiny: DataSet, tmp_path: Path) -> None:
    results = run_benchmark(tiny, [AgentSpec("random")], tmp_path / "run", split="train", repetitions=3)
    by_session: dict[str, list[SessionScore]] = {}
    for score in results.scores("random"):
        by_session.setdefault(score.session_id, []).append(score)
    for scores in by_session.values():
        assert len({s.seeds[0] for s in scores}) == 1
        assert len({s.seeds[1] for s in scores}) == 3
    assert any(len({s.behaviour for s in scores}) > 1 for scores in by_session.values())
    assert results.head.scores["random"].fidelity.rates["ATL"].ratio.within > 0
    other = run_benchmark(tiny, [AgentSpec("random")], tmp_path / "other", split="train", seed=1)
    assert untimed(other, "random") != [s for s in untimed(results, "random") if s.repetition == 0]


def test_an_agent_of_ones_own_by_import_path(tiny: DataSet, tmp_path: Path) -> None:
    spec = AgentSpec("tests.benchmark_usb.test_run:Leaver", label="mine", settings={"name": "mine"})
    results = run_benchmark(tiny, [spec], tmp_path / "run", split="train")
    assert [s.behaviour.steps for s in results.scores("mine")] == [2] * 5
    assert results.head.agents["mine"].settings == {"name": "mine"}


def test_a_fault_leaves_both_sides_and_is_made_up_for(
    tiny: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = ShopSimEnv.step

    def failing(self: ShopSimEnv, action: Any) -> Any:
        if self.dataset.session_id(self.session_row) == "s2":
            raise EnvironmentFault("the browser is gone")
        return step(self, action)

    with monkeypatch.context() as broken:
        broken.setattr(ShopSimEnv, "step", failing)
        faulted = run_benchmark(tiny, [AgentSpec("human")], tmp_path / "run", split="train", record=3)
    summary = faulted.head.scores["human"]
    assert (summary.rollouts, summary.faults) == (4, 1)
    assert summary.fidelity.deviation.value == 1.0, "the person's session left too"
    assert next(s.fault for s in faulted.scores("human") if s.session_id == "s2") == "step: the browser is gone"
    mended = run_benchmark(tiny, [AgentSpec("human")], tmp_path / "run", split="train", record=3)
    assert (mended.head.scores["human"].rollouts, mended.head.scores["human"].faults) == (5, 0)


def test_with_another_feed_there_are_no_intent_scores(tiny: DataSet, tmp_path: Path) -> None:
    results = run_benchmark(tiny, [AgentSpec("heuristic")], tmp_path / "run", split="train", feed="popularity")
    assert results.head.settings.feed == "popularity"
    summary = results.head.scores["heuristic"]
    assert {e.value for e in summary.intent.scores.values()} == {None}
    assert summary.intent.false_activity.value is None
    assert summary.fidelity.rates["ATL"].ratio.value is not None


def test_sessions_are_chosen_by_number_by_id_or_all(tiny: DataSet) -> None:
    assert choose_sessions(tiny, "train", None, 0) == ["s0", "s1", "s2", "s3", "s4"]
    assert choose_sessions(tiny, "train", ["s3", "s1"], 0) == ["s1", "s3"]
    drawn = {tuple(choose_sessions(tiny, "train", 2, seed)) for seed in range(20)}
    assert len(drawn) > 3
    assert all(a < b for a, b in drawn)
    assert choose_sessions(tiny, "train", 2, 5) == choose_sessions(tiny, "train", 2, 5)


def test_recordings_verify_and_become_films(tiny: DataSet, tmp_path: Path) -> None:
    results = run_benchmark(tiny, ALL[:2], tmp_path / "run", split="train", record=2)
    folders = list((tmp_path / "run" / "rollouts").iterdir())
    recorded = {(load(f)["agent"]["label"], load(f)["session_id"]) for f in folders}
    assert recorded == {(agent, s) for agent in ("human", "random") for s in ("s1", "s2")}, (
        "s0's person touched nothing"
    )
    assert [verify(f) for f in folders] == [[]] * 4
    films = films_of(results, tiny)
    assert [film.title for film in films] == ["Session s1", "Session s2"]
    person, random = films[0].strips
    assert (person.who, person.color, random.who, random.color) == ("the person", None, "random", 1)
    assert [len(film.strips[0].frames) for film in films] == [8, 8]
    captions = [frame.caption for frame in person.frames]
    assert captions[0].startswith("opens “")
    assert captions[-1] == "leaves"
    assert person.frames[0].touch is not None
    assert person.frames[2].swipe == "down"
    assert person.frames[1].mind == "I look at 1"
    assert ("item F1", f"{100 * results.scores('random')[1].intent.f1:.0f} %") in random.facts
    head = results.head
    other = replace(head.settings, data=replace(head.settings.data, hash="0"))
    results.head = replace(head, settings=other)
    with pytest.raises(InputError, match="is not the data set"):
        films_of(results, tiny)


def test_settings_that_json_knows_otherwise_do_not_hinder_resuming(tiny: DataSet, tmp_path: Path) -> None:
    for _ in range(2):
        environment = {"size": (160, 304), "max_steps": 4}
        run_benchmark(tiny, [AgentSpec("random")], tmp_path / "run", split="train", environment=environment)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("random", AgentSpec("random")),
        ("recverse@some/folder", AgentSpec("recverse", "some/folder")),
        ("trained=recverse@a=b/c", AgentSpec("recverse", "a=b/c", "trained")),
        ("mine=my.module:MyAgent", AgentSpec("my.module:MyAgent", None, "mine")),
    ],
)
def test_specs_in_words(text: str, spec: AgentSpec) -> None:
    assert AgentSpec.parse(text) == spec


@pytest.mark.parametrize(
    ("agent", "options", "message"),
    [
        ("nobody", {}, "there is no agent 'nobody'; it must be one of human, second-draw"),
        ("no.such.module:Agent", {}, r"cannot be imported \(No module named"),
        ("tests.benchmark_usb.test_run:Nobody", {}, r"cannot be imported \(module .* has no attribute 'Nobody'\)"),
        ("recverse", {}, "needs a model: recverse@MODEL"),
        ("random@folder", {}, "takes no model"),
        ("random", {"split": "spring"}, "spring"),
        ("random", {"sessions": 100}, "100 sessions were asked for; split 'train' has 5"),
        ("random", {"sessions": ["s9"]}, "session 's9' is not in split 'train'"),
        ("random", {"repetitions": 0}, "at least one agent, one repetition"),
        ("random", {"feed": "tarot"}, "tarot"),
    ],
)
def test_wrong_use_is_refused_in_one_line_before_anything_is_written(
    tiny: DataSet, tmp_path: Path, agent: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        run_benchmark(tiny, [AgentSpec.parse(agent)], tmp_path / "run", **{"split": "train"} | options)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_two_agents_of_one_name_need_labels(tiny: DataSet, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="distinct names"):
        run_benchmark(tiny, [AgentSpec("random"), AgentSpec("random")], tmp_path / "run", split="train")
    agents = [AgentSpec("random"), AgentSpec("random", label="again")]
    scores = run_benchmark(tiny, agents, tmp_path / "run", split="train").head.scores
    assert scores["random"].fidelity == scores["again"].fidelity


@pytest.mark.slow
def test_a_model_is_run_and_its_cost_counted(tiny: DataSet, tmp_path: Path) -> None:
    from shopsim.agents.tiny_vlm import make_tiny_vlm

    model = make_tiny_vlm(tmp_path / "model", ["{}", "scroll_down click"], size="test")
    AgentSetup("tiny", (96, 160)).write(model)
    spec = AgentSpec("recverse", str(model), "tiny", {"max_tokens": 8})
    results = run_benchmark(
        tiny, [spec], tmp_path / "run", split="train", sessions=2, environment={"max_steps": 2}, record=1
    )
    trace = load(next((tmp_path / "run" / "rollouts").iterdir()))
    assert trace["environment"]["arguments"]["size"] == [96, 160], "screens are those the agent was trained on"
    scores = results.scores("tiny")
    assert all(s.cost.prompt_tokens > 100 * s.behaviour.steps for s in scores)
    assert all(0 < s.cost.completion_tokens <= 8 * s.behaviour.steps for s in scores)
    assert results.head.scores["tiny"].fidelity.invalid_rate.value == 1.0, "an untrained model says nothing readable"
    assert results.head.agents["tiny"].prompt_hash
