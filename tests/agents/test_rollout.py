"""The collector: results do not depend on lanes, faults are no scores, memory does not grow."""

import weakref
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import pytest

from shopsim.agents.backend import Completion, Image, Prompt, Sampling, ScriptedBackend
from shopsim.agents.recverse import RecVerseAgent
from shopsim.agents.rollout import Fault, Rollout, Task, collect
from shopsim.agents.trivial import AlwaysAgent, RandomAgent
from shopsim.data.vocabulary import Action
from shopsim.errors import EnvironmentFault, InputError


def tasks_of(sessions: list[str], members: int = 2) -> list[Task]:
    return [
        Task(session, env_seed=10 + group, sampling_seed=100 * group + member, group=group, member=member)
        for group, session in enumerate(sessions)
        for member in range(members)
    ]


@pytest.mark.parametrize("lanes", [1, 3, 50])
def test_rollouts_do_not_depend_on_the_number_of_lanes(make_env: Any, sessions: list[str], lanes: int) -> None:
    tasks = tasks_of(sessions)
    assert collect(tasks, make_env, RandomAgent, lanes=lanes) == collect(tasks, make_env, RandomAgent, lanes=2)


def test_a_model_gives_the_same_answers_whatever_the_number_of_lanes(
    make_env: Any, sessions: list[str], vlm: Any
) -> None:
    tasks = tasks_of(sessions[:4])

    def play(lanes: int) -> list[Rollout]:
        return collect(
            tasks,
            lambda: make_env(max_steps=3),
            lambda: RecVerseAgent.of(vlm, small=True, max_tokens=12),
            lanes=lanes,
        )

    ids = [[[s.completion.token_ids for s in r.samples] for r in play(lanes)] for lanes in (1, 3, 8)]
    assert ids[0] == ids[1] == ids[2]
    assert len({str(rollout) for rollout in ids[0]}) > 1


class Counting(ScriptedBackend):
    """Remembers how many prompts came together, and their seeds."""

    def __init__(self, answers: Any) -> None:
        super().__init__(answers)
        self.batches: list[int] = []
        self.seeds: list[int] = []

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        self.batches.append(len(prompts))
        self.seeds += seeds
        return super().generate(prompts, seeds, sampling)


LEAVE = '{"mind":"","action":{"type":"terminate"},"episodic":null,"preference":null}'


def test_prompts_of_all_lanes_are_answered_together(make_env: Any, sessions: list[str]) -> None:
    backend = Counting([LEAVE])
    rollouts = collect(tasks_of(sessions, 1), make_env, lambda: RecVerseAgent(backend), lanes=3)
    assert backend.batches == [3, 3, 2]
    assert len(set(backend.seeds)) == len(sessions)
    assert [rollout.calls for rollout in rollouts] == [1] * len(sessions)


def test_members_of_a_group_start_from_the_same_prompt_and_other_groups_do_not(
    make_env: Any, sessions: list[str]
) -> None:
    first: dict[int, set[str]] = {}
    for rollout in collect(tasks_of(sessions[:4], 3), make_env, lambda: RecVerseAgent(ScriptedBackend([LEAVE]))):
        prompt = rollout.samples[0].prompt
        key = prompt.text + "".join(image.id for image in prompt.images)
        first.setdefault(rollout.task.group, set()).add(key)
    assert [len(keys) for keys in first.values()] == [1] * 4
    assert len(set.union(*first.values())) > 1


def test_environments_are_made_once_for_each_lane_and_closed(make_env: Any, sessions: list[str]) -> None:
    closed: list[int] = []

    class Closing(gym.Wrapper):
        def close(self) -> None:
            closed.append(1)
            super().close()

    made: list[Any] = []

    def make() -> Any:
        made.append(Closing(make_env()))
        return made[-1]

    collect(tasks_of(sessions), make, lambda: AlwaysAgent(Action.TERMINATE), lanes=3)
    assert (len(made), len(closed)) == (3, 3)


class Breaking(gym.Wrapper):
    """Fails as told: in reset or at a step of certain sessions."""

    def __init__(self, env: Any, where: dict[str, int | str]) -> None:
        super().__init__(env)
        self.where = where

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.now = self.where.get(options["session_id"])
        if self.now == "reset":
            raise EnvironmentFault("the browser is gone")
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        if self.now == len(self.unwrapped.trajectory):
            raise EnvironmentFault("no answer within 10 s")
        return super().step(action)

    def close(self) -> None:
        raise EnvironmentFault("cannot even close")


def test_faults_are_typed_have_no_score_and_leave_the_others_alone(make_env: Any, sessions: list[str]) -> None:
    where: dict[str, int | str] = {sessions[1]: "reset", sessions[3]: 2, sessions[4]: 0}
    tasks = tasks_of(sessions, 1)
    broken = collect(tasks, lambda: Breaking(make_env(), where), RandomAgent, lanes=2)
    whole = collect(tasks, make_env, RandomAgent, lanes=2)
    assert broken[1].fault == Fault("reset", "the browser is gone")
    assert broken[1].trajectory is None
    for i, rollout in enumerate(broken):
        if rollout.fault is None:
            assert rollout == whole[i]
        else:
            assert rollout.reward is None
            assert sessions[i] in where
    assert broken[4].fault == Fault("step", "no answer within 10 s")
    assert len(broken[4].trajectory) == 0
    assert str(broken[4].fault) == "step: no answer within 10 s"


def test_an_environment_that_cannot_be_made_is_a_fault_too() -> None:
    def make() -> Any:
        raise EnvironmentFault("no display")

    rollouts = collect([Task("a"), Task("b")], make, RandomAgent, lanes=1)
    assert [rollout.fault.kind for rollout in rollouts] == ["make", "make"]


def test_a_failing_server_is_a_fault_of_the_model(make_env: Any, sessions: list[str]) -> None:
    class Down(ScriptedBackend):
        def generate(self, prompts: Any, seeds: Any, sampling: Any) -> Any:
            raise EnvironmentFault("503")

    rollouts = collect(tasks_of(sessions, 1), make_env, lambda: RecVerseAgent(Down([LEAVE])))
    assert {rollout.fault.kind for rollout in rollouts} == {"model"}


def test_errors_that_are_no_faults_are_passed_on(make_env: Any, sessions: list[str]) -> None:
    def answer(prompt: Prompt, seed: int) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        collect(tasks_of(sessions), make_env, lambda: RecVerseAgent(ScriptedBackend(answer)))


@pytest.mark.parametrize("answer", [None, "click", {"action": 2}, 7, (2, None)])
def test_an_agent_of_ones_own_that_answers_no_decision_is_named(make_env: Any, answer: Any) -> None:
    agent: Any = AlwaysAgent(Action.TERMINATE)
    agent.act = lambda observation, info: answer
    with pytest.raises(InputError, match=r"agent 'always-terminate' answered .*must return a shopsim\.envs\.decision"):
        collect([Task()], make_env, lambda: agent)


def test_corrupt_answers_never_stop_a_run(make_env: Any, sessions: list[str]) -> None:
    bad = ["", "{", '{"action":{"type":"swipe"}}', "null", LEAVE + LEAVE, '{"action":{"type":"click","point":[NaN,1]}}']
    rollouts = collect(tasks_of(sessions), make_env, lambda: RecVerseAgent(ScriptedBackend(bad)))
    for rollout in rollouts:
        assert rollout.fault is None
        assert rollout.trajectory.stop_reason == "stuck"
        assert all(decision.failure for decision in rollout.decisions)
        assert rollout.reward.format == -1


def test_each_rollout_is_reported_once_and_dropped_where_not_kept(make_env: Any, sessions: list[str]) -> None:
    seen: list[tuple[Task, int]] = []
    tasks = tasks_of(sessions)
    rollouts = collect(
        tasks,
        make_env,
        lambda: RecVerseAgent(ScriptedBackend([LEAVE])),
        lanes=3,
        on_done=lambda rollout: seen.append((rollout.task, len(rollout.samples))),
        keep=False,
    )
    assert sorted(seen, key=lambda pair: tasks.index(pair[0])) == [(task, 1) for task in tasks]
    assert all(rollout.samples == () for rollout in rollouts)
    assert all(rollout.answer_tokens == len(LEAVE) for rollout in rollouts)
    assert [rollout.task for rollout in rollouts] == tasks


def test_each_distinct_screen_of_a_long_session_is_held_once(make_env: Any) -> None:
    """Scrolling down and up again for 30 steps shows two screens."""
    moves = [LEAVE.replace("terminate", move) for move in ("scroll_down", "scroll_up")]
    rollout = collect(
        [Task("s4")],
        lambda: make_env(max_steps=30),
        lambda: RecVerseAgent(ScriptedBackend(moves)),
        record=True,
    )[0]
    assert len(rollout.samples) == 30
    held = [image for sample in rollout.samples for image in (*sample.prompt.images, sample.screen)]
    assert len({id(image) for image in held}) == 2
    alive = weakref.ref(held[0])
    del rollout, held
    assert alive() is None


def test_no_tasks_is_no_work(make_env: Any) -> None:
    assert collect([], make_env, RandomAgent) == []


def test_the_persona_of_a_task_reaches_the_prompt(make_env: Any) -> None:
    backend = ScriptedBackend([LEAVE])
    collect([Task("s4", persona="Reads every specification.")], make_env, lambda: RecVerseAgent(backend))
    assert "Reads every specification." in backend.prompts[0].text


def test_teacher_forced_answers_are_kept_beside_the_persons_steps(make_env: Any, sessions: list[str]) -> None:
    rollouts = collect(
        tasks_of(sessions, 1), lambda: make_env("ShopSimReplay-v0"), lambda: AlwaysAgent(Action.TERMINATE)
    )
    for rollout in rollouts:
        assert {answer.effect for answer in rollout.answers} == {Action.TERMINATE}
        assert len(rollout.answers) == len(rollout.trajectory) == len(rollout.samples)
        assert rollout.trajectory.stop_reason == "record_end"
        assert rollout.reward is None


def test_recording_keeps_the_screens_between_actions(make_env: Any) -> None:
    rollout = collect([Task("s4")], make_env, lambda: AlwaysAgent(Action.SCROLL_DOWN), record=True)[0]
    screens = [sample.screen for sample in rollout.samples] + [rollout.end.screen]
    assert all(isinstance(screen, Image) for screen in screens)
    assert len(screens) == len(rollout.trajectory) + 1
    assert screens[0] != screens[1]
