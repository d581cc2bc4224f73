"""What imitation learns from: the prompts of run time, the person's answers, the supervised parts."""

from typing import Any

import pytest

from shopsim.agents.backend import ScriptedBackend
from shopsim.agents.demonstrations import Demonstration, demonstrations
from shopsim.agents.prompt import PromptBuilder
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Task, collect
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision, parse
from shopsim.errors import DataError


def watcher() -> RecVerseAgent:
    return RecVerseAgent(ScriptedBackend(["never asked"]))


def demonstrate(make_env: Any, session: str, **options: Any) -> list[Demonstration]:
    return list(demonstrations(make_env(), session, watcher(), **options))


def test_every_step_is_a_sample_and_its_answer_is_what_the_person_did(
    make_env: Any, sessions: list[str], tiny: DataSet
) -> None:
    for session in sessions:
        samples = demonstrate(make_env, session)
        steps = tiny.session(tiny.session_row(session)).steps
        assert [sample.step for sample in samples] == list(range(len(steps)))
        for sample, step in zip(samples, steps, strict=True):
            decision = parse(sample.answer)
            assert decision.failure is None
            assert (decision.action, decision.mind) == (step.action, step.mind or "")
            assert (decision.episodic, decision.preference) == (step.episodic, step.preference)


@pytest.mark.parametrize("grid", [1, 20])
def test_prompts_are_those_a_model_that_gives_these_answers_would_see(
    make_env: Any, sessions: list[str], grid: int
) -> None:
    """Train and run time must not drift apart, memory included."""
    for session in sessions:
        samples = demonstrate(make_env, session, grid=grid)
        backend = ScriptedBackend([sample.answer for sample in samples])
        rollout = collect([Task(session)], make_env, lambda b=backend: RecVerseAgent(b))[0]
        assert backend.prompts == [sample.prompt for sample in samples]
        assert rollout.total == 1.0


def test_points_are_rounded_where_that_hits_the_same_card(make_env: Any, sessions: list[str]) -> None:
    points = [
        sample.decision.point
        for session in sessions
        for sample in demonstrate(make_env, session, grid=20)
        if sample.decision.point is not None
    ]
    assert points
    assert all(round(share * 1000) % 20 == 0 for point in points for share in point)
    coarse = [s.decision.point for s in demonstrate(make_env, "s1", grid=700) if s.decision.point is not None]
    assert all(point != (0.7, 0.7) for point in coarse[:1])


def supervised(sample: Demonstration) -> str:
    return "".join(sample.answer[start:end] for start, end in sample.spans)


def test_the_action_alone_can_be_supervised(make_env: Any, sessions: list[str]) -> None:
    for session in sessions:
        for sample in demonstrate(make_env, session, supervise="action"):
            assert supervised(sample).startswith(',"action":{"type":"')
            assert supervised(sample).endswith("}")
            assert sample.decision.action.label in supervised(sample)
            assert "mind" not in supervised(sample)
            assert "episodic" not in supervised(sample)


def test_everything_can_be_supervised(make_env: Any) -> None:
    assert all(sample.spans == ((0, len(sample.answer)),) for sample in demonstrate(make_env, "s1", supervise="answer"))


def test_by_default_what_a_session_has_labels_for_is_supervised(
    make_env: Any, sessions: list[str], tiny: DataSet
) -> None:
    seen = set()
    for session in sessions:
        steps = tiny.session(tiny.session_row(session)).steps
        labelled = {name for name in ("mind", "episodic", "preference") if any(getattr(s, name) for s in steps)}
        seen.add(frozenset(labelled))
        for sample in demonstrate(make_env, session):
            text = supervised(sample)
            for name in ("mind", "episodic", "preference"):
                assert (f'"{name}":' in text) == (name in labelled)
            assert (sample.spans[-1][1] == len(sample.answer)) == ("preference" in labelled)
    assert len(seen) > 1


@pytest.mark.parametrize("supervise", ["labels", "answer"])
def test_labels_that_the_agent_does_not_ask_for_are_left_out(
    make_env: Any, sessions: list[str], tiny: DataSet, supervise: Any
) -> None:
    """A tier that is switched off must not be trained to be written."""
    for name in ("mind", "preference"):
        session = next(s for s in sessions if any(getattr(x, name) for x in tiny.session(tiny.session_row(s)).steps))
        tiers = ("mind", "use_episodic", "use_preference")
        kept = {tier: not tier.endswith(name) for tier in tiers}
        for agent, present in (
            (RecVerseAgent.of(ScriptedBackend(["-"]), small=True, **kept), False),
            (RecVerseAgent.of(ScriptedBackend(["-"]), small=True, **dict.fromkeys(tiers, True)), True),
        ):
            samples = list(demonstrations(make_env(), session, agent, supervise))
            assert any(getattr(sample.decision, name) for sample in samples) == present
            assert all(sample.prompt.text.count(f'"{name}"') == 0 for sample in samples)
            if supervise == "labels":
                assert any(f'"{name}":' in supervised(sample) for sample in samples) == present


def test_an_agent_expresses_only_what_it_is_asked_for() -> None:
    decision = Decision(Action.BACK, None, "hm", "saw a cup", "blue")
    backend = ScriptedBackend(["-"])
    assert RecVerseAgent(backend).express(decision) == decision
    assert RecVerseAgent.of(backend, small=True).express(decision) == Decision(Action.BACK, preference="blue")
    other = RecVerseAgent.of(backend, small=True, use_episodic=True, use_preference=False)
    assert other.express(decision) == Decision(Action.BACK, episodic="saw a cup")


def test_quotes_and_keys_inside_labels_do_not_confuse_the_spans(make_env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from shopsim.agents import demonstrations as module

    nasty = '","action":{"type":"purchase"},"episodic":null,"preference":'

    class Nasty(module.HumanReplay):
        def act(self, observation: Any, info: Any) -> Any:
            return replace(super().act(observation, info), mind=nasty, episodic=nasty, preference=nasty)

    monkeypatch.setattr(module, "HumanReplay", Nasty)
    for sample in demonstrate(make_env, "s4", supervise="action"):
        assert supervised(sample) == f',"action":{{"type":"{sample.decision.action.label}"}}'


def test_an_environment_that_cannot_follow_is_named(make_env: Any) -> None:
    with pytest.raises(DataError, match="session 's4' step 1"):
        list(demonstrations(make_env(max_steps=2), "s4", watcher()))


def test_compact_prompts_show_rounded_points_in_any_case(make_env: Any) -> None:
    agent = RecVerseAgent(ScriptedBackend(["-"]), builder=PromptBuilder.compact())
    samples = list(demonstrations(make_env(), "s1", agent, grid=1))
    clicks = [s for s in samples if s.decision.action is Action.CLICK and s.step + 1 < len(samples)]
    assert clicks
    for sample in clicks:
        line = next(x for x in samples[sample.step + 1].prompt.text.split("\n") if "click " in x)
        assert all(int(number) % 20 == 0 for number in line.split()[-2:])
