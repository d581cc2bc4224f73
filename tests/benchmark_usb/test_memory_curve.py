"""Tokens and scores against the number of past screens, by one call and by one command."""

import json
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from shopsim.agents.checkpoint import AgentSetup
from shopsim.benchmark_usb.memory_curve import SCORES, curve_table, draw_curve, run_memory_curve
from shopsim.cli import app
from shopsim.data import DataSet
from shopsim.errors import InputError


@pytest.fixture(scope="module")
def model(tiny: DataSet, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Folder of an untrained tiny model for very small screens."""
    pytest.importorskip("torch", reason="a model in process needs the extra train")
    from shopsim.trainers.tiny import make_start_model

    folder = make_start_model(tmp_path_factory.mktemp("model") / "tiny", tiny, size="test", sessions=2)
    AgentSetup("tiny", (96, 160)).write(folder)
    return str(folder)


def test_each_past_screen_costs_its_tokens_and_the_command_shows_it(
    tiny_path: Path, model: str, tmp_path: Path
) -> None:
    out = tmp_path / "curve"
    where = ["--model", model, "--data", str(tiny_path), "--split", "train", "-o", str(out)]
    arguments = [*where, "--windows", "0,2", "--max-tokens", "3", "--json"]
    said = CliRunner().invoke(app, ["benchmark", "memory", *arguments])
    assert said.exit_code == 0, said.output
    none, two = json.loads(said.stdout)
    assert (none["window"], two["window"]) == (0, 2)
    # An answer of three tokens is cut off and does nothing: five steps a session, which see 0, 1, 2, 2, 2 past screens
    # of 3 x 5 / 4 patches.
    difference = two["prompt_tokens"]["value"] - none["prompt_tokens"]["value"]
    assert difference > 7 / 5 * 15
    assert 2 < none["answer_tokens"]["value"] <= 3
    assert set(none["scores"]) == set(SCORES)
    assert Image.open(out / "memory.png").size[0] > 600

    again = run_memory_curve(
        tiny_path, model, out, windows=(0, 2), settings={"temperature": 1.0, "max_tokens": 3}, split="train", lanes=2
    )  # all of it is there already
    assert [point.window for point in again] == [0, 2]
    assert again[0].prompt_tokens.value == none["prompt_tokens"]["value"]
    assert curve_table(again).row_count == 2
    assert draw_curve(again, tmp_path / "same.png").read_bytes() == (out / "memory.png").read_bytes()


@pytest.mark.parametrize("windows", [(), (1, 1), (-1,)])
def test_windows_that_make_no_curve_are_refused(tiny: DataSet, tmp_path: Path, windows: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="K must be distinct whole numbers from 0"):
        run_memory_curve(tiny, "nothing", tmp_path / "out", windows=windows)
