"""The agents, each in the environment it is made for."""

from collections import Counter
from typing import Any

import pytest

from shopsim.agents.backend import Backend, Image, ScriptedBackend
from shopsim.agents.base import Agent
from shopsim.agents.heuristic import Habits, HeuristicShopper
from shopsim.agents.human import HumanReplay
from shopsim.agents.prompt import PromptBuilder
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.agents.trivial import AlwaysAgent, CopyLastAgent, RandomAgent, most_frequent
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.trajectory import StopReason
from shopsim.memory import ThreeTierMemory


def play(make_env: Any, sessions: list[str], agent: Agent, seed: int = 0, **arguments: Any) -> list[Rollout]:
    tasks = [Task(session, sampling_seed=seed) for session in sessions]
    return collect(tasks, lambda: make_env(**arguments), lambda: agent, lanes=1)


def test_the_human_replay_is_the_person_exactly(make_env: Any, sessions: list[str], tiny: DataSet) -> None:
    for rollout in play(make_env, sessions, HumanReplay(tiny)):
        assert rollout.total == 1.0
        row = tiny.session_row(rollout.task.session_id)
        assert [(e.effect, e.item) for e in rollout.trajectory.events] == tiny.effects(row)
        assert rollout.trajectory.stop_reason is StopReason.TERMINATE
        labels = [(s.mind or "", s.episodic, s.preference) for s in tiny.session(row).steps]
        assert [(d.mind, d.episodic, d.preference) for d in rollout.decisions] == labels


def test_the_random_agent_does_only_what_has_an_effect(make_env: Any, sessions: list[str]) -> None:
    env = make_env(max_steps=None)
    agent = RandomAgent()
    did: Counter[tuple[Page, Action]] = Counter()
    for seed in range(12):
        for session in sessions:
            observation, info = env.reset(seed=0, options={"session_id": session})
            agent.reset(info, seed)
            over = False
            while not over and len(env.unwrapped.trajectory) < 40:
                decision = agent.act(observation, info)
                observation, _, over, _, info = env.step(decision.env_action())
                assert info["invalid"] is None
            did.update((e.page, e.action) for e in env.unwrapped.trajectory.events)
    assert {action for page, action in did if page is Page.FEED} == {
        Action.SCROLL_DOWN,
        Action.SCROLL_UP,
        Action.CLICK,
        Action.ENTER_DETAIL,
        Action.TERMINATE,
    }
    assert {action for page, action in did if page is Page.PREVIEW} >= {Action.CLICK, Action.PURCHASE, Action.BACK}


def test_the_random_agent_repeats_itself_by_seed_alone(make_env: Any, sessions: list[str]) -> None:
    a, b = (play(make_env, sessions, RandomAgent(), seed=3) for _ in range(2))
    c = play(make_env, sessions, RandomAgent(), seed=4)
    assert [r.trajectory for r in a] == [r.trajectory for r in b]
    assert [r.trajectory for r in a] != [r.trajectory for r in c]


@pytest.mark.parametrize("action", list(Action))
def test_always_the_same_action(make_env: Any, sessions: list[str], action: Action) -> None:
    for rollout in play(make_env, sessions, AlwaysAgent(action)):
        assert {event.action for event in rollout.trajectory.events} == {action}
        first = rollout.trajectory.events[0]
        if action in (Action.CLICK, Action.ENTER_DETAIL, Action.SCROLL_DOWN, Action.TERMINATE):
            assert first.effect is action


def test_the_most_frequent_action_is_counted_on_the_training_split(tiny: DataSet) -> None:
    did = Counter(action for row in tiny.session_rows("train").tolist() for action, _ in tiny.effects(row))
    agent = most_frequent(tiny)
    assert did[agent.action] == max(did.values())
    assert agent.name == "most-frequent"


def test_copy_last_copies_the_person_where_teacher_forced(make_env: Any, sessions: list[str]) -> None:
    for rollout in play(make_env, sessions, CopyLastAgent(), name="ShopSimReplay-v0"):
        did = [event.effect for event in rollout.trajectory.events]
        assert [answer.action for answer in rollout.answers] == [Action.SCROLL_DOWN, *did[:-1]]


def test_the_heuristic_shopper_opens_what_its_history_likes(make_env: Any, sessions: list[str], tiny: DataSet) -> None:
    agent = HeuristicShopper(Habits(pickiness=0.2, patience=100))
    by_session = dict(zip(sessions, play(make_env, sessions, agent, max_steps=40), strict=True))
    dress_lover = next(s for s in sessions if tiny.session(tiny.session_row(s)).user_id == "u1")
    trajectory = by_session[dress_lover].trajectory
    clicked = trajectory.items(Action.CLICK)
    assert clicked
    assert all("dress" in title for title in tiny.titles(clicked))
    assert not any(event.invalid for r in by_session.values() for event in r.trajectory.events)
    assert len(clicked) == sum(event.effect is Action.CLICK for event in trajectory.events)


def test_recverse_shows_exactly_the_last_screens_of_a_real_session(
    make_env: Any, tiny: DataSet, scroller: Backend
) -> None:
    agent = RecVerseAgent(scroller, memory=ThreeTierMemory(window=2))
    rollout = play(make_env, ["s4"], agent, max_steps=6)[0]
    env = make_env(max_steps=6)
    observation, _ = env.reset(seed=0, options={"session_id": "s4"})
    screens = [Image.of(observation["screenshot"])]
    for sample in rollout.samples:
        assert list(sample.prompt.images) == screens[-3:]
        screens.append(Image.of(env.step(sample.decision.env_action())[0]["screenshot"]))


def test_recverse_carries_memory_through_a_session(make_env: Any) -> None:
    answers = ScriptedBackend(
        [
            '{"mind":"hm","action":{"type":"scroll_down"},"episodic":"saw cups","preference":"blue"}',
            '{"mind":"","action":{"type":"scroll_up"},"episodic":null,"preference":null}',
            '{"mind":"","action":{"type":"terminate"},"episodic":null,"preference":""}',
        ]
    )
    play(make_env, ["s4"], RecVerseAgent(answers))
    first, second, third = (prompt.text for prompt in answers.prompts)
    assert "saw cups" not in first
    assert "Step 0: saw cups" in second
    assert "- blue\n" in third
    assert "Thought: hm\nAction: scroll_down" in second


def test_what_went_wrong_is_told_once_without_the_models_words(make_env: Any) -> None:
    answers = ScriptedBackend(
        [
            "I would rather swipe-left now",
            '{"mind":"m","action":{"type":"back"},"episodic":null,"preference":null}',
            '{"mind":"m","action":{"type":"terminate"},"episodic":null,"preference":null}',
        ]
    )
    rollout = play(make_env, ["s4"], RecVerseAgent(answers))[0]
    texts = [prompt.text for prompt in answers.prompts]
    assert "Your answer holds no JSON object" in texts[1]
    assert not any("swipe" in text for text in texts)
    assert "that action does not exist on this page" in texts[2]
    assert "Your answer" not in texts[2]
    assert [event.invalid for event in rollout.trajectory.events] == ["unparsed", "not_here", None]


def test_a_truncated_answer_is_flagged_as_such(make_env: Any) -> None:
    from shopsim.agents.backend import Sampling
    from shopsim.envs.decision import ParseFailure

    agent = RecVerseAgent(ScriptedBackend(['{"mind":"' + "x" * 100]), Sampling(max_tokens=20))
    rollout = play(make_env, ["s4"], agent)[0]
    assert {decision.failure for decision in rollout.decisions} == {ParseFailure.TRUNCATED}


def test_in_a_teacher_forced_session_memory_follows_the_person(make_env: Any, tiny: DataSet, scroller: Backend) -> None:
    agent = RecVerseAgent(scroller)
    rollout = play(make_env, ["s1"], agent, name="ShopSimReplay-v0")[0]
    did = [action.label for action, _ in tiny.effects(tiny.session_row("s1"))]
    for t, sample in enumerate(rollout.samples):
        told = [line.split()[1] for line in sample.prompt.text.split("\n") if line.startswith("Action: ")]
        assert told == did[max(0, t - 2) : t]
        assert "changed nothing" not in sample.prompt.text


def test_two_evaluations_in_one_process_give_the_same_prompts(make_env: Any, sessions: list[str]) -> None:
    writer = '{"mind":"m","action":{"type":"scroll_down"},"episodic":"e","preference":"p"}'
    backend = ScriptedBackend([writer])
    agent = RecVerseAgent(backend)
    play(make_env, sessions, agent)
    first, backend.prompts = backend.prompts, []
    play(make_env, sessions, agent)
    assert first == backend.prompts


def test_a_text_agent_needs_no_pixels(make_env: Any, scroller: Any) -> None:
    agent = RecVerseAgent(scroller, builder=PromptBuilder(view="text"))
    rollout = play(make_env, ["s1"], agent, pixels=False)[0]
    assert all(sample.prompt.images == () for sample in rollout.samples)
    assert "Blue cotton dress" in scroller.prompts[-1].text


def test_settings_tell_what_decides_the_prompts(scroller: Backend) -> None:
    base = RecVerseAgent(scroller).settings()
    for other in (
        RecVerseAgent(scroller, memory=ThreeTierMemory(window=3)),
        RecVerseAgent(scroller, memory=ThreeTierMemory(use_episodic=False)),
        RecVerseAgent(scroller, builder=PromptBuilder(clicks=3)),
    ):
        assert other.settings()["prompt_hash"] != base["prompt_hash"]
    assert RecVerseAgent(scroller, name="x").settings()["prompt_hash"] == base["prompt_hash"]
