"""What a user names by import path, an agent or a feed policy, is found where the command is given."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shopsim.agents.record import load, recordings_in
from shopsim.benchmark_usb.results import Results

ROOT = Path(__file__).parents[1]

AGENT = """
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision

class Leaver:
    name = "leaver"
    def reset(self, info, seed=0): pass
    def act(self, observation, info): return Decision(Action.TERMINATE)
    def settings(self): return {"name": self.name}
"""


def policy_of_the_docs() -> str:
    found = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "feeds.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def agent_of_the_readme() -> str:
    found = re.search(
        r"```python\n([^`]*class Thrifty.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    assert found[1].count("\n") <= 32
    return found[1]


def shopsim(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as it is installed: Python does not add the current folder to the path by itself (-P)."""
    command = [sys.executable, "-P", "-c", "from shopsim.cli import main; main()", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_shop.py").write_text(policy_of_the_docs() + AGENT, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_policy_of_the_docs_runs_is_recorded_and_verifies(folder: Path) -> None:
    done = shopsim(
        folder, "run", "random", "--feed", "my_shop:rank", "--sessions", "1", "--split", "train", "-o", "out"
    )
    assert done.returncode == 0, done.stderr
    assert Results.open(folder / "out").head.settings.feed == "my_shop:rank"
    traces = [load(path) for path in recordings_in(folder / "out")]
    assert {trace["environment"]["arguments"]["feed"] for trace in traces} == {"my_shop:rank"}
    for command in (["replay", "out", "--verify"], ["benchmark", "report", "out"]):
        refused = shopsim(folder, *command)
        assert refused.returncode == 2
        assert "'my_shop:rank' is code; say --trust" in refused.stderr
        assert shopsim(folder, *command, "--trust").returncode == 0
    assert (folder / "out" / "report.html").read_text(encoding="utf-8").count("my_shop:rank") >= 1


def test_an_agent_of_ones_own_under_a_built_in_policy(folder: Path) -> None:
    told = ["--agents", "my_shop:Leaver", "--feed", "popularity", "--sessions", "1", "-o", "out"]
    done = shopsim(folder, "benchmark", "run", "--alone", *told)
    assert done.returncode == 0, done.stderr
    results = Results.open(folder / "out")
    assert (results.head.settings.feed, [*results.finished()]) == ("popularity", ["my_shop:Leaver"])


def test_the_agent_of_the_readme_runs_from_outside_with_arguments(tmp_path: Path) -> None:
    (tmp_path / "my_agents.py").write_text(agent_of_the_readme(), encoding="utf-8")
    agents = "my_agents:Thrifty(below=20, screens=3),mine=my_agents:Thrifty,random"
    done = shopsim(tmp_path, "benchmark", "run", "--alone", "--agents", agents, "--sessions", "3", "-o", "out")
    assert done.returncode == 0, done.stderr
    results = Results.open(tmp_path / "out")
    names = ["my_agents:Thrifty(below=20,screens=3)", "mine", "random"]
    assert list(results.finished()) == names
    assert results.head.agents[names[0]].settings == {"name": "thrifty", "below": 20, "screens": 3}
    behaviour = [score.behaviour for score in results.scores(names[0])]
    assert sum(counts.carted for counts in behaviour) == sum(counts.opened for counts in behaviour) > 0
    assert not any(counts.invalid for counts in behaviour)
    assert (tmp_path / "out" / "report.html").is_file()
    wrong = shopsim(tmp_path, "benchmark", "run", "--agents", "my_agents:Thrifty(above=1)", "--sessions", "3")
    assert wrong.returncode == 2
    assert "above" in wrong.stderr


def test_what_is_not_there_is_one_line(folder: Path) -> None:
    for arguments in (["run", "random", "--feed", "my_shop:sort"], ["run", "my_shop:Nobody"]):
        done = shopsim(folder, *arguments, "-o", "out")
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1
        assert "my_shop" in done.stderr
