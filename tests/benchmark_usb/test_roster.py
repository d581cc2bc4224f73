"""Who can be named on the command line, and how."""

from typing import Any

import pytest

from shopsim.agents import models
from shopsim.agents.backend import Backend, ScriptedBackend
from shopsim.agents.checkpoint import AgentSetup
from shopsim.agents.personas import load_personas
from shopsim.agents.prompted import PromptedAgent
from shopsim.benchmark_usb import roster
from shopsim.benchmark_usb.roster import ALL, BUILT_IN, AgentSpec, Models
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.data import DataSet
from shopsim.errors import InputError

LEAVE = '{"mind":"","action":{"type":"terminate"}}'


class TextOnly(ScriptedBackend):
    """A model without eyes."""

    def __init__(self, answers: Any) -> None:
        super().__init__(answers)
        self.reads_images = False


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every model is a scripted one; those called "blind" read no images."""
    names: list[str] = []

    def load(spec: str, **_: Any) -> Backend:
        names.append(spec)
        return TextOnly([LEAVE]) if "blind" in spec else ScriptedBackend([LEAVE])

    monkeypatch.setattr(roster, "load_backend", load)
    monkeypatch.setattr(roster, "setup_of", lambda spec: AgentSetup(size=(160, 320)))
    return names


@pytest.mark.parametrize(
    ("text", "kind", "model", "label", "settings"),
    [
        ("random", "random", None, None, {}),
        ("mine=my.module:MyAgent", "my.module:MyAgent", None, "mine", {}),
        ("my.module:MyAgent(x=1, y='a,b')", "my.module:MyAgent", None, None, {"x": 1, "y": "a,b"}),
        ("a=recverse(window=4)@runs/grpo", "recverse", "runs/grpo", "a", {"window": 4}),
        ("sta@vllm:/m", "sta", "vllm:/m", None, {}),
        ("sta@http://127.0.0.1:80/v1#m", "sta", "http://127.0.0.1:80/v1#m", None, {}),
        ("recverse@a=b", "recverse", "a=b", None, {}),
        ("heuristic()", "heuristic", None, None, {}),
    ],
)
def test_an_agent_is_read(text: str, kind: str, model: str | None, label: str | None, settings: Any) -> None:
    assert AgentSpec.parse(text) == AgentSpec(kind, model, label, settings)


@pytest.mark.parametrize(
    "text", ["", "a b", "=random", "..=random", "x(1)", "x(y=z)", "x(y=1", "x(**{})", "my:x(y=open('f'))", "x()y"]
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="agent"):
        AgentSpec.parse(text)


@pytest.mark.parametrize("text", ["", ",", "random,", "random, ,human"])
def test_between_commas_there_must_be_an_agent(text: str) -> None:
    with pytest.raises(InputError, match="between commas there must be an agent"):
        AgentSpec.parse_all(text)


def test_commas_inside_parentheses_part_no_agents() -> None:
    specs = AgentSpec.parse_all("random, m:A(x=1, y=2),b=sta", model="M")
    assert [(spec.kind, spec.checkpoint) for spec in specs] == [("random", None), ("m:A", None), ("sta", "M")]
    assert specs[1].name == "m:A(x=1,y=2)"
    assert AgentSpec.parse_all("sta@N", model="M")[0].checkpoint == "N"


def test_held_answers_are_an_option_of_those_that_ask() -> None:
    specs = AgentSpec.parse_all("random,opera,sta(constrained=False)", "M", constrained=True)
    assert [dict(spec.settings) for spec in specs] == [{}, {"constrained": True}, {"constrained": False}]
    assert specs[1].name == "opera(constrained=True)"


def test_all_that_can_run_run_on_one_model(tiny: DataSet, loaded: list[str], tmp_path: Any) -> None:
    results = run_benchmark(tiny, AgentSpec.parse_all(ALL, "eyes"), tmp_path / "run", sessions=1)
    assert loaded == ["eyes"]
    # The tiny set is not synthetic: nobody knows what its people had in mind.
    assert set(results.head.skipped) == {"second-draw", "own-rule"}
    assert all("synthetic" in reason for reason in results.head.skipped.values())
    assert set(results.finished()) == set(BUILT_IN) - set(results.head.skipped)
    again = run_benchmark(tiny, AgentSpec.parse_all(ALL, "eyes"), tmp_path / "run", sessions=1)
    assert again.head.skipped == results.head.skipped


def test_without_a_model_or_without_eyes_agents_are_skipped_by_name(
    tiny: DataSet, loaded: list[str], tmp_path: Any
) -> None:
    none = run_benchmark(tiny, AgentSpec.parse_all(ALL), tmp_path / "none", sessions=1)
    assert none.head.skipped["sta"] == "agent 'sta' needs a model: sta@MODEL"
    blind = run_benchmark(tiny, AgentSpec.parse_all(ALL, "blind"), tmp_path / "blind", sessions=1)
    skipped = {name for name, reason in blind.head.skipped.items() if "reads no images" in reason}
    assert skipped == {"recverse", "sta", "ab-agent"}
    assert {"shop-r1", "rec-agent", "recverse-text"} <= set(blind.finished())
    with pytest.raises(InputError, match="reads no images"):
        run_benchmark(tiny, AgentSpec.parse_all("sta", "blind"), tmp_path / "named", sessions=1)


def test_an_agent_that_fails_on_the_way_is_skipped_only_where_it_may(
    tiny: DataSet, loaded: list[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any, *_: Any) -> Any:
        raise InputError("a prompt of 5000 tokens")

    monkeypatch.setattr(ScriptedBackend, "generate", refuse)
    results = run_benchmark(tiny, AgentSpec.parse_all(ALL, "eyes"), tmp_path / "run", sessions=1)
    assert results.head.skipped["opera"] == "a prompt of 5000 tokens"
    assert "random" in results.finished()
    with pytest.raises(InputError, match="5000"):
        run_benchmark(tiny, AgentSpec.parse_all("opera", "eyes"), tmp_path / "one", sessions=1)


def test_settings_and_personas_reach_the_agents(tiny: DataSet, loaded: list[str]) -> None:
    def settings(text: str, persona: str | None = None) -> dict[str, Any]:
        (spec,) = AgentSpec.parse_all(text, "eyes")
        named = AgentSpec(
            spec.kind, spec.checkpoint, None, spec.settings, load_personas()[persona] if persona else None
        )
        return named.maker(tiny, Models())().settings()

    assert settings("recverse(window=4, temperature=0)")["memory"]["window"] == 4
    assert settings("heuristic(read=0.9)")["habits"]["read"] == 0.9
    assert settings("heuristic", "spec-reader")["habits"]["read"] == load_personas()["spec-reader"].habits.read
    assert settings("probabilistic", "bargain-hunter")["taste"]["price"] > settings("probabilistic")["taste"]["price"]
    for wrong in ("heuristic(speed=1)", "probabilistic(speed=1)", "random(speed=1)", "sta(speed=1)"):
        with pytest.raises(InputError, match=r"speed|no arguments"):
            settings(wrong)
    with pytest.raises(InputError, match="plays no personas"):
        settings("random", "spec-reader")


def test_a_trained_agents_options_are_of_its_own_kind_alone(
    tiny: DataSet, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = AgentSetup("tiny", options={"window": 3, "use_episodic": True})
    monkeypatch.setattr(roster, "setup_of", lambda spec: trained)

    def memory(kind: str, **settings: Any) -> tuple[int, bool]:
        agent = AgentSpec(kind, "m", settings=settings).maker(tiny)()
        assert isinstance(agent, PromptedAgent)
        return agent.memory.window, agent.memory.use_episodic

    assert memory("recverse") == (3, True)
    assert memory("recverse", window=0) == (0, True), "what is asked for holds"
    assert memory("shop-r1") == (1, False)


def test_models_are_loaded_once_and_by_the_one_loader(loaded: list[str]) -> None:
    cache = Models()
    assert cache.load("a") is cache.load("a")
    assert cache.load("b") is not cache.load("a")
    assert loaded == ["a", "b"]
    assert models.load_backend.__module__ == "shopsim.agents.models"


class NoSettings:
    name = "half"

    def reset(self, info: Any, seed: int = 0) -> None: ...

    def act(self, observation: Any, info: Any) -> None: ...


class OddSettings(NoSettings):
    def settings(self) -> Any:
        return {"rng": object()}


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (NoSettings, "has no settings; see shopsim"),
        (OddSettings, "what settings.. returns is not JSON"),
        (7, "'int' object is not callable"),
    ],
)
def test_what_is_no_agent_is_named(tiny: DataSet, monkeypatch: pytest.MonkeyPatch, made: Any, message: str) -> None:
    monkeypatch.setattr(roster, "_load", lambda path: made)
    with pytest.raises(InputError, match=f"agent 'mine:Made'.*{message}"):
        AgentSpec("mine:Made").maker(tiny)()
