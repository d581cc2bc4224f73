from pathlib import Path

import pytest

from shopsim.agents.backend import ScriptedBackend
from shopsim.agents.checkpoint import SETUP, AgentSetup, folder_of, latest
from shopsim.errors import InputError


def test_a_setup_survives_beside_the_model(tmp_path: Path) -> None:
    assert AgentSetup.of(tmp_path) == AgentSetup(), "a pretrained model has none and gets the default"
    setup = AgentSetup("tiny", (160, 320), {"use_episodic": True, "window": 2})
    setup.write(tmp_path)
    assert AgentSetup.of(tmp_path) == setup


def test_the_setup_decides_the_prompts() -> None:
    agents = [AgentSetup(style).make_agent(ScriptedBackend([""]), name="x") for style in ("recverse", "tiny")]
    assert agents[0].settings()["prompt_hash"] != agents[1].settings()["prompt_hash"]
    assert {agent.name for agent in agents} == {"x"}


def test_options_depart_from_the_style() -> None:
    setup = AgentSetup("tiny", options={"use_episodic": True, "window": 2})
    memory = setup.make_agent(ScriptedBackend([""]), window=3).memory
    assert (memory.use_episodic, memory.window) == (True, 3), "what is said last holds"
    with pytest.raises(InputError, match="moon"):
        AgentSetup(options={"moon": 1}).make_agent(ScriptedBackend([""]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"style": "tiny", "size": 3}',
        '{"style": "huge", "size": [1, 2]}',
        '{"style": "tiny", "size": [1, 2], "options": 3}',
    ],
)
def test_a_broken_setup_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / SETUP).write_text(text)
    with pytest.raises(InputError, match=SETUP.replace(".", r"\.")) as refused:
        AgentSetup.of(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_runs_newest_checkpoint_is_its_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a model"):
        folder_of(tmp_path)
    for step in (9, 100):
        (tmp_path / f"checkpoint-{step:06d}").mkdir()
        (tmp_path / f"checkpoint-{step:06d}" / "config.json").write_text("{}")
    (tmp_path / "checkpoint-999999.part").mkdir()
    assert latest(tmp_path) == folder_of(tmp_path) == tmp_path / "checkpoint-000100"
    assert folder_of(tmp_path / "checkpoint-000009") == tmp_path / "checkpoint-000009"
