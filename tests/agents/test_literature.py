"""The agents of the literature: bounded prompts, memories that do what their papers say, answers of any kind."""

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shopsim.agents.ab_agent import BUDGET, PHI, ABAgent, fatigue
from shopsim.agents.agent4rec import Agent4Rec, traits_of
from shopsim.agents.align_user import AlignUserAgent
from shopsim.agents.backend import Completion, Prompt, Sampling, ScriptedBackend
from shopsim.agents.customer_r1 import CustomerR1Agent
from shopsim.agents.likeness import look, look_likeness, text_likeness
from shopsim.agents.opera import OperaAgent
from shopsim.agents.prompted import PromptedAgent
from shopsim.agents.rec_agent import RecAgent
from shopsim.agents.recverse import RecVerseAgent, RecVerseTextAgent
from shopsim.agents.rollout import Rollout, Task, collect
from shopsim.agents.shop_r1 import ShopR1Agent
from shopsim.agents.sta import STAAgent
from shopsim.data import DataSet
from shopsim.data.vocabulary import ACTION_LABELS
from shopsim.errors import EnvironmentFault, InputError

KINDS: tuple[type[PromptedAgent], ...] = (
    ABAgent,
    Agent4Rec,
    AlignUserAgent,
    CustomerR1Agent,
    OperaAgent,
    RecAgent,
    RecVerseAgent,
    RecVerseTextAgent,
    STAAgent,
    ShopR1Agent,
)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.label)


def say(action: str = "scroll_down", **more: Any) -> str:
    point = {"point": more.pop("point")} if "point" in more else {}
    return json.dumps({"mind": "hm", "action": {"type": action, **point}, **more})


def play(
    make_env: Any, kind: type[PromptedAgent], answers: Any, session: str = "s4", options: Any = None, **env: Any
) -> tuple[Rollout, list[Prompt]]:
    backend = ScriptedBackend(answers)
    (rollout,) = collect(
        [Task(session)],
        lambda: make_env(**env),
        lambda: kind.of(backend, **{"max_tokens": 4000, **(options or {})}),
        record=True,
    )
    assert rollout.fault is None
    return rollout, backend.prompts


@each_kind
@pytest.mark.parametrize("locale", ["en", "zh"])
def test_every_kind_has_templates_in_both_locales(make_env: Any, kind: type[PromptedAgent], locale: str) -> None:
    noted = {"interest": 4, "note": "tea", "importance": 9, "feeling": "fine"}
    answers = [say("click", point=[256, 330], **noted), say("swipe"), say("back")]
    rollout, prompts = play(make_env, kind, answers, options={"locale": locale}, max_steps=6)
    assert len(rollout.samples) == 6
    assert not any("{{" in p.text or "{%" in p.text for p in prompts)
    chinese = [any("\u4e00" <= sign <= "\u9fff" for sign in p.messages[0].content[0]) for p in prompts]
    assert all(chinese) if locale == "zh" else not any(chinese)
    assert all(label in prompts[0].messages[0].content[0] for label in ACTION_LABELS)


@each_kind
def test_text_agents_get_no_images_and_the_others_do(make_env: Any, kind: type[PromptedAgent]) -> None:
    _, prompts = play(make_env, kind, [say()], max_steps=3)
    for prompt in prompts:
        assert bool(prompt.images) == (kind.view != "text")
        assert ("card [" in prompt.text) == (kind.view != "pixels")


@each_kind
def test_a_session_repeats_itself_and_leaves_nothing_to_the_next(make_env: Any, kind: type[PromptedAgent]) -> None:
    def answers(prompt: Prompt, seed: int) -> str:
        return say(
            ACTION_LABELS[seed % 2], note=f"note {seed}", importance=9, feeling=f"f {seed}", episodic=f"e {seed}"
        )

    backend = ScriptedBackend(answers)
    agent = kind.of(backend, max_tokens=4000)
    first, second = (
        collect([Task("s4"), Task("s1")], lambda: make_env(max_steps=9), lambda: agent, lanes=1) for _ in range(2)
    )
    for a, b in zip(first, second, strict=True):
        assert [sample.prompt.id for sample in a.samples] == [sample.prompt.id for sample in b.samples]
        assert a.decisions == b.decisions
    alone = collect([Task("s1")], lambda: make_env(max_steps=9), lambda: kind.of(backend, max_tokens=4000))[0]
    assert alone.decisions == first[1].decisions


@each_kind
def test_prompts_stay_bounded(make_env: Any, kind: type[PromptedAgent]) -> None:
    count = 0

    def answers(prompt: Prompt, seed: int) -> str:
        nonlocal count
        count += 1
        word = f"word{count} " * 30
        action = ("scroll_down", "scroll_up")[count // 2 % 2]
        return say(action, mind=word, note=word, importance=count % 10, feeling=word, episodic=word, interest=5)

    _, prompts = play(make_env, kind, answers, max_steps=120, options={"max_tokens": 100_000})
    sizes = [len(prompt.text) for prompt in prompts]
    assert max(sizes[len(sizes) // 2 :]) <= 1.1 * max(sizes[: len(sizes) // 2]) or max(sizes) < 12_000
    assert max(len(prompt.images) for prompt in prompts) <= 3


NAMES = "mind action type point episodic preference interest note importance feeling satisfaction candidates outcome x"
KEYS = st.sampled_from(NAMES.split())
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(ACTION_LABELS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
ANSWERS = st.one_of(
    st.text(max_size=60),
    ANY.map(lambda value: json.dumps(value)),
    st.dictionaries(KEYS, ANY, max_size=6).map(lambda more: json.dumps({**json.loads(say()), **more})),
    st.tuples(st.dictionaries(KEYS, ANY), st.integers(0, 200)).map(lambda pair: json.dumps(pair[0])[: pair[1]]),
    st.sampled_from([say("click", point=[256, 330]), say("enter_detail"), say("back"), say("add_to_cart")]),
)


@each_kind
def test_no_answer_makes_an_agent_raise(make_env: Any, kind: type[PromptedAgent]) -> None:
    env = make_env(max_steps=8, pixels=kind.view != "text")

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(ANSWERS, min_size=1, max_size=6))
    def fuzz(answers: list[str]) -> None:
        agent = kind.of(ScriptedBackend(answers), max_tokens=4000)
        observation, info = env.reset(seed=0, options={"session_id": "s4"})
        agent.reset(info)
        over = False
        while not over:
            decision = agent.act(observation, info)
            observation, _, terminated, truncated, info = env.step(decision.env_action())
            agent.settle(info)
            json.dumps(agent.snapshot())
            over = terminated or truncated

    fuzz()


@each_kind
def test_teacher_forced_memory_is_of_what_the_person_did(
    make_env: Any, kind: type[PromptedAgent], tiny: DataSet
) -> None:
    row = tiny.session_row("s4")
    person = [action.label for action, _ in tiny.effects(row)]
    rollout, prompts = play(make_env, kind, [say("scroll_up", note="x")], name="ShopSimReplay-v0")
    assert len(rollout.samples) == len(person)
    if kind.view == "text" and "Step 0, feed: " in prompts[-1].text:
        assert f"Step 0, feed: {person[0]}" in prompts[-1].text
    if kind.view != "pixels" and rollout.samples[-1].memory["working"]:
        done = [record["action"] for record in rollout.samples[-1].memory["working"]]
        assert done == person[:-1][-len(done) :]


def test_shop_r1_knows_no_person_and_customer_r1_does(make_env: Any) -> None:
    _, of_shop = play(make_env, ShopR1Agent, [say()], max_steps=2)
    _, of_customer = play(make_env, CustomerR1Agent, [say()], max_steps=2)
    assert "years old" not in of_shop[0].text
    assert "Looked at before" not in of_shop[0].text
    assert "Looked at before" in of_customer[0].text


def test_customer_r1_drops_old_pages_and_keeps_the_actions(make_env: Any) -> None:
    answers = [say("scroll_down"), say("scroll_up")]
    _, prompts = play(make_env, CustomerR1Agent, answers, max_steps=9)
    text = prompts[-1].text
    assert text.count("search ") == 4 + 1
    assert all(f"Step {step}, feed: scroll_" in text for step in range(8))


def test_sta_sees_the_page_twice_and_forgets_its_reasons(make_env: Any) -> None:
    _, prompts = play(make_env, STAAgent, [say("scroll_down", mind="because")], max_steps=4)
    assert [len(prompt.images) for prompt in prompts] == [1] * 4
    assert prompts[2].text.count("search ") == 3
    assert "because" not in prompts[2].text
    assert "Action: scroll_down" in prompts[2].text


def test_align_user_asks_twice_and_shows_only_what_could_be_read(make_env: Any) -> None:
    proposed = json.dumps(
        {
            "candidates": [
                {"type": "Click", "point": [256, 330], "outcome": "it opens"},
                {"type": "swipe-left", "outcome": "never"},
                {"type": "scroll_down", "point": "?"},
                7,
            ]
        }
    )
    rollout, prompts = play(
        make_env, AlignUserAgent, [proposed, say("scroll_down", episodic="looks at tea"), "no", say("terminate")]
    )
    assert len(prompts) == 4
    assert rollout.calls == 4
    assert [len(sample.before) for sample in rollout.samples] == [1, 1]
    assert "- click at [256, 330]: it opens\n- scroll_down\n" in prompts[1].text
    assert "swipe" not in prompts[1].text
    assert "Nothing came to mind." in prompts[3].text
    assert "- looks at tea" in prompts[2].text
    assert rollout.prompt_tokens == sum(len(prompt.text) for prompt in prompts)


def test_agents_that_ask_twice_are_answered_together(make_env: Any, sessions: list[str]) -> None:
    class Counting(ScriptedBackend):
        def generate(self, prompts: Any, seeds: Any, sampling: Any) -> Any:
            batches.append(len(prompts))
            assert len(set(seeds)) == len(seeds)
            return super().generate(prompts, seeds, sampling)

    def answer(prompt: Prompt, seed: int) -> str:
        seen.append(seed)
        return say("scroll_down")

    def run(lanes: int) -> list[Rollout]:
        tasks = [Task(session, sampling_seed=3) for session in sessions[:4]]
        backend = Counting(answer)
        return collect(tasks, lambda: make_env(max_steps=3), lambda: AlignUserAgent.of(backend), lanes=lanes)

    batches: list[int] = []
    seen: list[int] = []
    together = run(4)
    assert batches == [4] * 6
    in_batch, seen, batches = sorted(seen), [], []
    alone = run(1)
    assert batches == [1] * 24
    assert sorted(seen) == in_batch
    assert [r.decisions for r in together] == [r.decisions for r in alone]


def test_a_model_that_fails_at_the_second_question_is_a_fault(make_env: Any) -> None:
    class Failing(ScriptedBackend):
        def generate(self, prompts: Any, seeds: Any, sampling: Any) -> Any:
            if len(self.prompts) % 2:
                raise EnvironmentFault("gone")
            return super().generate(prompts, seeds, sampling)

    (rollout,) = collect([Task("s4")], make_env, lambda: AlignUserAgent.of(Failing([say()])))
    assert str(rollout.fault) == "model: gone"
    assert rollout.samples == ()


def test_fatigue_is_the_papers() -> None:
    low, high = PHI
    assert fatigue(1.0, 1) == high
    assert fatigue(1.0, 5) == low
    assert fatigue(2.0, 3) == pytest.approx(low + high)
    assert all(fatigue(1.0, i) > fatigue(1.0, i + 1) for i in range(1, 5))


@pytest.mark.parametrize(("interest", "steps"), [(5, 32), (1, 11)])
def test_ab_agent_leaves_when_its_energy_is_spent(make_env: Any, interest: int, steps: int) -> None:
    answers = [say("scroll_down", interest=interest), say("scroll_up", interest=interest)]
    rollout, prompts = play(make_env, ABAgent, answers, max_steps=60)
    assert rollout.trajectory.stop_reason == "terminate"
    assert len(rollout.samples) == steps + 1
    assert "Energy left: 100 %" in prompts[0].text
    assert "Energy left: 0 %" in prompts[-1].text
    assert rollout.samples[-1].memory["budget"] <= 0 < BUDGET


def test_ab_agent_remembers_what_it_opened_by_words_and_looks(make_env: Any) -> None:
    answers = [say("click", point=[256, 330], interest=5), say("back"), *[say("scroll_down")] * 3]
    rollout, prompts = play(make_env, ABAgent, answers, max_steps=5)
    opened = rollout.samples[-1].memory["opened"]
    assert len(opened) == 1
    title = next(e for e in rollout.samples[-1].memory["recent"] if e["page"] == "preview")["view"]
    assert "opened today" not in prompts[2].text, "what is on the screen is no memory"
    assert any(title in p.text and "opened today, interest" in p.text for p in prompts[3:])


def test_rec_agent_strengthens_promotes_merges_and_forgets(make_env: Any) -> None:
    def note(text: str, importance: int) -> str:
        return say(("scroll_down", "scroll_up")[len(text) % 2], note=text, importance=importance)

    answers = [note("green tea tins", 8), note("cheap blue cups", 2), note("red shoes", 3), note("a lamp", 2)]
    answers += [note("old books", 2), note("garden chairs", 2), note("a kettle", 2), note("green tea tins", 4)]
    rollout, prompts = play(make_env, RecAgent, answers, max_steps=8)
    memory = rollout.samples[-1].memory_after
    assert [m["text"] for m in memory["long"]] == ["green tea tins"], "it mattered; the cups did not"
    assert "green tea tins" in prompts[6].text
    assert "cheap blue cups" not in prompts[6].text
    again, _ = play(make_env, RecAgent, [note("blue cups here", 2)] * 4, max_steps=4)
    promoted = again.samples[-1].memory_after
    assert [(m["text"], m["met"]) for m in promoted["long"]] == [("blue cups here", 3)]


def test_agent4rec_tires_feels_and_has_traits(make_env: Any) -> None:
    answers = [say("scroll_down", feeling=f"feeling {n}", satisfaction=str(n)) for n in range(8)]
    rollout, prompts = play(make_env, Agent4Rec, answers, max_steps=6, session="s0")
    memory = rollout.samples[-1].memory
    assert memory["satisfaction"][:4] == [1, 1, 2, 3]
    pages = [sample.memory["pages"] for sample in rollout.samples]
    assert pages[0] == 1
    assert pages == sorted(pages)
    tired = {1: "You are fresh", 2: "You are fresh", 3: "a bit tired", 4: "a bit tired", 5: "very tired"}
    for page, prompt in zip(pages, prompts, strict=True):
        assert tired[min(page, 5)] in prompt.text
    assert "- feeling 0" in prompts[1].text


def test_traits_come_from_the_history(make_env: Any) -> None:
    _, info = make_env().reset(seed=0, options={"session_id": "s4"})
    few = traits_of({**info, "clicks": info["clicks"][:1]})
    many = traits_of({**info, "clicks": tuple(info["clicks"][:1]) * 300})
    assert (few.activity, many.activity) == ("low", "high")
    assert many.diversity == "low"
    assert {traits_of(info, seed).conformity for seed in range(20)} == {"low", "medium", "high"}


def test_memory_is_recorded_before_and_after(make_env: Any) -> None:
    answers = [say(episodic="saw cups"), say("terminate", preference="blue")]
    rollout, _ = play(make_env, RecVerseAgent, answers)
    first, last = rollout.samples
    assert (first.memory["episodic"], last.memory["steps"]) == ([], 1)
    assert first.memory_after["episodic"] == [{"step": 0, "text": "saw cups"}] == last.memory["episodic"]
    assert last.memory_after["preference"] == ["blue"]


def test_options_go_where_they_belong_and_unknown_ones_are_refused(scroller: Any) -> None:
    agent = STAAgent.of(scroller, window=2, temperature=0.0, clicks=3, locale="zh", name="mine")
    settings = agent.settings()
    assert settings["memory"]["window"] == 2
    assert settings["sampling"]["temperature"] == 0.0
    assert (settings["prompt"]["clicks"], settings["prompt"]["locale"], settings["name"]) == (3, "zh", "mine")
    assert STAAgent.of(scroller).settings()["prompt_hash"] != settings["prompt_hash"]
    with pytest.raises(InputError, match=r"agent 'sta'.*windows"):
        STAAgent.of(scroller, windows=2)


@each_kind
def test_small_bounds_give_small_prompts(make_env: Any, kind: type[PromptedAgent]) -> None:
    def sizes(small: bool) -> int:
        backend = ScriptedBackend([say()])
        collect([Task("s4")], lambda: make_env(max_steps=5), lambda: kind.of(backend, small, max_tokens=4000))
        return max(len(prompt.text) for prompt in backend.prompts)

    assert sizes(True) < sizes(False)


class Noting(ScriptedBackend):
    """Keeps the schemas that answers were to be held to."""

    def __init__(self) -> None:
        super().__init__([say()])
        self.schemas: list[str | None] = []

    def generate(self, prompts: Any, seeds: Any, sampling: Sampling) -> list[Completion]:
        self.schemas += [sampling.schema] * len(prompts)
        return super().generate(prompts, seeds, sampling)


@each_kind
@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("mind", [True, False])
def test_a_schema_asks_for_the_keys_of_the_prompt_in_its_order(
    make_env: Any, kind: type[PromptedAgent], locale: str, mind: bool
) -> None:
    if not mind and kind.style != "full":
        mind = True  # other templates always ask for a thought
    backend = Noting()
    agent = kind.of(backend, max_tokens=4000, locale=locale, mind=mind, constrained=True)
    collect([Task("s4")], lambda: make_env(max_steps=2), lambda: agent)
    assert agent.settings()["constrained"]
    assert len(backend.prompts) >= 2
    for prompt, schema in zip(backend.prompts, backend.schemas, strict=True):
        line = next(line for line in prompt.messages[0].content[0].splitlines() if line.startswith("{"))
        shown = re.sub(r"\[(\{[^{}]*\}), \.\.\.\]", r"[\1]", line).replace("[x, y]", "[0, 0]")
        assert json.loads(schema or "")["required"] == list(json.loads(shown))


def test_no_schema_unless_asked_for(make_env: Any) -> None:
    backend = Noting()
    collect([Task("s4")], lambda: make_env(max_steps=2), lambda: OperaAgent.of(backend, max_tokens=4000))
    assert set(backend.schemas) == {None}


def test_likeness() -> None:
    assert text_likeness("Blue tea cup", "blue cup for tea") == pytest.approx(3 / (3 * 4) ** 0.5)
    assert text_likeness("", "blue") == text_likeness("x", "y") == 0.0
    assert text_likeness("红茶", "红茶") == 1.0
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 255, (40, 50, 3)).astype(np.uint8)
    assert look_likeness(look(picture), look(picture)) == pytest.approx(1.0)
    assert look_likeness(look(picture), look(255 - picture)) == pytest.approx(-1.0)
    assert not look(np.full((40, 40, 3), 7, np.uint8)).any()
    assert not look(picture[:2]).any()
