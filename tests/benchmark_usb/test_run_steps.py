"""Teacher-forced runs on the tiny set: ceiling and floor, resuming, comparing, and what people see of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shopsim.benchmark_usb.compare import compare
from shopsim.benchmark_usb.report import write_report
from shopsim.benchmark_usb.results import Results, StepResults, open_results
from shopsim.benchmark_usb.roster import TRIVIAL, AgentSpec
from shopsim.benchmark_usb.run import run_benchmark, run_steps
from shopsim.benchmark_usb.step_scores import StepScore
from shopsim.benchmark_usb.summary import Cost
from shopsim.benchmark_usb.terminal import comparison_table, steps_table
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.human import replay
from shopsim.envs.replay_env import ShopSimReplayEnv
from shopsim.errors import EnvironmentFault, InputError
from tests.benchmark_usb.test_report import Page


def untimed(results: StepResults, agent: str) -> list[StepScore]:
    return [replace(s, cost=Cost()) for s in results.scores(agent)]


@pytest.fixture(scope="module")
def results(tiny: DataSet, tmp_path_factory: pytest.TempPathFactory) -> StepResults:
    agents = [AgentSpec("human"), AgentSpec("random"), AgentSpec("heuristic")]
    return run_steps(tiny, agents, tmp_path_factory.mktemp("steps") / "run", split="train")


def test_the_trivial_policies_are_always_there(tiny: DataSet, tmp_path: Path, results: StepResults) -> None:
    assert list(results.finished()) == ["human", "random", "heuristic", *TRIVIAL]
    alone = run_steps(tiny, [], tmp_path / "alone", split="train", sessions=2)
    assert list(alone.finished()) == list(TRIVIAL)
    own = run_steps(tiny, [AgentSpec("copy-last")], tmp_path / "own", split="train", sessions=2)
    assert sorted(own.finished()) == sorted(TRIVIAL)


def test_the_person_is_exactly_right_and_the_trivial_are_what_they_are(tiny: DataSet, results: StepResults) -> None:
    scores = results.finished()
    human = scores["human"]
    for name in ("exact_match", "session_exact_match", "type_accuracy", "macro_f1", "weighted_f1"):
        assert getattr(human, name).value == 1.0
    assert human.nothing_rate.value == 0.0
    people = [replay(tiny, row) for row in tiny.session_rows("train").tolist()]
    steps = [event for person in people for event in person.events]
    leaves = scores["always-terminate"]
    assert leaves.steps == len(steps)
    assert leaves.exact_match.value == pytest.approx(len(people) / len(steps))
    assert leaves.types["terminate"].recall.value == 1.0
    clicks = scores["always-click"]
    assert clicks.types["click"].recall.value == 1.0
    assert clicks.types["click"].exact.value < 1.0
    copied = sum(
        a.effect is b.effect and a.effect in (Action.SCROLL_DOWN, Action.SCROLL_UP)
        for person in people
        for a, b in zip(person.events, person.events[1:], strict=False)
    )
    assert scores["copy-last"].confusion["scroll_down"]["scroll_down"] >= copied
    assert all(0 < scores[agent].exact_match.value < 1 for agent in ("random", "heuristic"))


def test_scores_are_stored_answer_by_answer_and_read_back(results: StepResults) -> None:
    again = StepResults.open(results.path)
    assert again.head == results.head
    assert again.finished() == results.finished()
    assert isinstance(open_results(results.path), StepResults)
    line = json.loads((results.path / "sessions.jsonl").read_text().splitlines()[0])
    assert line["agent"] == "human"
    assert all(asked == effect == person and match for person, asked, effect, match in line["answers"])
    head = json.loads((results.path / "results.json").read_text())
    assert head["format"] == "shopsim-step-results"
    assert set(head["scores"]["human"]["confusion"]["click"]) >= {"click", "nothing"}
    assert head["settings"]["environment"] == {"layout": head["settings"]["environment"]["layout"]}


def test_a_broken_off_run_goes_on_and_ends_the_same_on_any_number_of_lanes(
    tiny: DataSet, tmp_path: Path, results: StepResults
) -> None:
    agents = [AgentSpec("human"), AgentSpec("random"), AgentSpec("heuristic")]

    def break_off(done: int, total: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_steps(tiny, agents, tmp_path / "run", split="train", lanes=3, progress=break_off)
    calls: list[int] = []
    resumed = run_steps(
        tiny, agents, tmp_path / "run", split="train", lanes=2, progress=lambda done, _: calls.append(done)
    )
    assert calls == list(range(13, 36))
    for agent in results.head.agents:
        assert untimed(resumed, agent) == untimed(results, agent)


def test_a_fault_leaves_and_is_made_up_for(tiny: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = ShopSimReplayEnv.step

    def failing(self: ShopSimReplayEnv, action: Any) -> Any:
        if self.dataset.session_id(self.session_row) == "s2":
            raise EnvironmentFault("the browser is gone")
        return step(self, action)

    with monkeypatch.context() as broken:
        broken.setattr(ShopSimReplayEnv, "step", failing)
        faulted = run_steps(tiny, [AgentSpec("human")], tmp_path / "run", split="train").finished()["human"]
    assert (faulted.rollouts, faulted.faults, faulted.exact_match.value) == (4, 1, 1.0)
    mended = run_steps(tiny, [AgentSpec("human")], tmp_path / "run", split="train").finished()["human"]
    assert (mended.rollouts, mended.faults) == (5, 0)


def test_two_agents_compare_and_unlike_runs_do_not(tiny: DataSet, tmp_path: Path, results: StepResults) -> None:
    comparison = compare(results, results, "always-click", "human")
    assert [d.score for d in comparison.differences] == [
        "exact match", "session-macro exact match", "type accuracy", "macro F1", "weighted F1",
    ]  # fmt: skip
    assert {d.better for d in comparison.differences} == {"b"}
    assert comparison.differences[0].b == 1.0
    assert {d.difference.value for d in compare(results, results, "random", "random").differences} == {0.0}
    free = run_benchmark(tiny, [AgentSpec("human")], tmp_path / "free", split="train")
    with pytest.raises(InputError, match="unlike: shopsim-step-results / shopsim-results"):
        compare(results, free, "human", "human")
    with pytest.raises(InputError, match="is shopsim-step-results 1; shopsim-results 1 is read here"):
        Results.open(results.path)
    with pytest.raises(InputError, match="is shopsim-step-results"):
        run_benchmark(tiny, [AgentSpec("human")], results.path, split="train")
    assert isinstance(open_results(free.path), Results)


def test_the_report_says_the_same_numbers(tiny: DataSet, tmp_path: Path, results: StepResults) -> None:
    page = write_report(results, tmp_path / "steps.html").read_text(encoding="utf-8")
    Page(page)
    for summary in results.finished().values():
        assert f"{100 * summary.macro_f1.value:.1f} %" in page
        assert f"{100 * summary.exact_match.value:.1f} %" in page
    for policy in TRIVIAL:
        assert page.count(policy) >= 4, "in every table"
    free = run_benchmark(tiny, [AgentSpec("human")], tmp_path / "free", split="train")
    both = write_report(free, tmp_path / "both.html", steps=results).read_text(encoding="utf-8")
    Page(both)
    for anchor in ("behaviour", "intent", "next-step", "next-step-by-action"):
        assert f'<section id="{anchor}"' in both


def test_the_table_for_the_terminal_says_the_same(results: StepResults) -> None:
    from rich.console import Console

    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(steps_table(list(results.finished().values())))
    console.print(comparison_table(compare(results, results, "always-click", "human")))
    text = console.export_text()
    assert f"{100 * results.finished()['random'].weighted_f1.value:.1f}" in text
    for word in ("macro F1", "weighted F1", "session-macro", "F1 scroll_down", "exact click", *TRIVIAL):
        assert word in text


def test_repetitions_change_the_agents_chance_only(tiny: DataSet, tmp_path: Path) -> None:
    run = run_steps(tiny, [AgentSpec("random")], tmp_path / "run", split="train", repetitions=2)
    assert run.finished()["random"].exact_match.within > 0
    assert run.finished()["always-click"].exact_match.within == 0.0
    first, second = ([s.answers for s in run.scores("random") if s.repetition == repetition] for repetition in (0, 1))
    assert first != second
    assert [[a.person for a in s] for s in first] == [[a.person for a in s] for s in second]


@pytest.mark.parametrize(
    ("agents", "options", "message"),
    [
        (["nobody"], {}, "there is no agent 'nobody'"),
        (["random", "random"], {}, "distinct names"),
        (["random"], {"split": "spring"}, "spring"),
        (["random"], {"environment": {"feed": "random"}}, "feed"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_written(
    tiny: DataSet, tmp_path: Path, agents: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((InputError, TypeError), match=message):
        run_steps(tiny, [AgentSpec(agent) for agent in agents], tmp_path / "run", **{"split": "train"} | options)
    assert not (tmp_path / "run").exists()
