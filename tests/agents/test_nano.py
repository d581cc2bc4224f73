"""The trained model that comes with the package."""

from pathlib import Path

import pytest

from shopsim.agents.checkpoint import NANO, AgentSetup, folder_of
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.data import DataSet

pytest.importorskip("torch", reason="models need the extra 'train'")


def test_it_is_small_and_says_what_it_is() -> None:
    folder = folder_of(NANO)
    assert sum(file.stat().st_size for file in folder.iterdir()) < 15e6
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "## Training" in card
    assert "## Limits" in card
    assert "95 % intervals" in card


def test_its_name_does_not_depend_on_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / NANO).mkdir()
    monkeypatch.chdir(tmp_path)
    assert (folder_of(NANO) / "config.json").exists()
    assert AgentSetup.of(folder_of(NANO)) == AgentSetup("tiny", (160, 320))


def test_it_shops_with_answers_that_can_be_done(tmp_path: Path) -> None:
    """Far from random text: nearly all its answers are actions that the page allows, and it opens cards and leaves."""
    results = run_benchmark(DataSet.bundled(), [AgentSpec("recverse", NANO, NANO)], tmp_path / "r", lanes=5)
    scores = results.scores(NANO)
    assert len(scores) == 5
    assert not any(score.fault for score in scores)
    steps = sum(score.behaviour.steps for score in scores)
    assert sum(score.behaviour.invalid for score in scores) < 0.15 * steps
    assert sum(score.behaviour.opened for score in scores) > 0
    assert sum(score.behaviour.left for score in scores) > 2, "it leaves by itself"
