"""The command line as people use it: exit codes, one line on stderr, JSON for machines (SPEC 8)."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shopsim.commands import console
from tests.conftest import Run
from tests.data.tamper import copied, edit_rows


def test_help_is_quick_and_names_every_command() -> None:
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from shopsim.cli import main; main()", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    for command in ("demo", "run", "replay", "data", "benchmark", "train"):
        assert f" {command} " in result.stdout
    for heavy in ("torch", "pyarrow", "matplotlib", "PIL"):
        assert f" {heavy}\n" not in result.stderr, f"--help imports {heavy}"


def test_make_validate_stats_show(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    code, out, _ = run("data", "make", "usb", "-o", folder, "--sessions", 20)
    assert (code, "20 sessions" in out) == (0, True)
    assert run("data", "validate", folder)[:2] == (0, f"{folder}: good\n")
    code, out, _ = run("data", "stats", folder, "--json")
    assert (code, json.loads(out)["counts"]["sessions"]) == (0, 20)
    code, out, _ = run("data", "show", folder, "--json")
    sessions = json.loads(out)
    assert (code, len(sessions)) == (0, 20)
    code, out, _ = run("data", "show", folder, sessions[0]["session"], "--json")
    steps = json.loads(out)
    assert (code, steps[-1]["action"]) == (0, "terminate")
    assert all((step["item"] is None) == (step["title"] is None) for step in steps)


def test_a_set_that_breaks_a_rule_is_exit_1_and_named(run: Run, tiny_path: Path, tmp_path: Path) -> None:
    tiny_copy = copied(tiny_path, tmp_path)
    edit_rows(tiny_copy, "steps.parquet", lambda rows: rows[3].update(item_id="nobody", action="click"))
    code, out, err = run("data", "validate", tiny_copy)
    assert code == 1
    assert "steps.parquet row 3" in out
    assert "nobody" in out
    assert err.count("\n") == 1
    code, _, err = run("benchmark", "run", "--data", tiny_copy, "--agents", "random")
    assert (code, err.count("\n")) == (2, 1), "the environment refuses what validation refused"


def test_screens_go_into_the_set(run: Run, tiny_path: Path, tmp_path: Path) -> None:
    path = copied(tiny_path, tmp_path)
    code, out, _ = run("data", "screens", path, "--size", "80x152", "--json")
    made = json.loads(out)
    assert (code, made["steps"]) == (0, 48)
    assert run("data", "validate", path)[0] == 0
    assert run("data", "screens", path, "--size", "80x152")[1].endswith("0 screens (0.0 MB) for 0 steps\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("data", "validate", "{}/nothing"),
        ("data", "stats", "{}/nothing"),
        ("data", "screens", "{}/nothing"),
        ("data", "screens", "{}", "--size", "large"),
        ("data", "make", "moon", "-o", "{}/x"),
        ("data", "import", "moon", "{}/log.csv", "-o", "{}/x"),
        ("data", "import", "rees46", "{}/nothing.csv", "-o", "{}/x"),
        ("data", "make", "usb", "-o", "{}/" + "x" * 300),
        ("data", "make", "usb", "-o", "/proc/none/x"),
        ("data", "make", "usb", "-o", "{}/../"),
        ("benchmark", "run", "--agents", "human", "--sessions", "1", "-o", "/proc/none/x"),
        ("benchmark", "run", "--agents", "human", "--sessions", "1", "-o", "{}/" + "x" * 300),
        ("benchmark", "run", "--agents", "human", "--sessions", "1", "-o", "/dev/null/x"),
        ("benchmark", "run", "--agents", "nobody"),
        ("benchmark", "run", "--agents", "recverse"),
        ("benchmark", "run", "--agents", "recverse@{}/nothing"),
        ("benchmark", "run", "--agents", "human", "--budget", "moons=1"),
        ("run", "human", "-o", "{}/x", "--budget", "money=1"),
        ("benchmark", "report", "{}"),
        ("benchmark", "compare", "{}", "--agents", "a,b"),
        ("replay", "{}"),
        ("run", "random", "-o", "{}/x", "--split", "moon"),
        ("run", "random", "-o", "{}/x", "--feed", "moon"),
        ("train", "grpo", "--init", "{}/nothing", "-o", "{}/x"),
        ("train", "il", "-o", "{}/x", "--data", "{}/nothing"),
        ("train", "shop-r1", "--init", "{}/nothing", "-o", "{}/x"),
        ("train", "il", "-o", "{}/x", "--set", "moon=1"),
        ("train", "il", "-o", "{}/x", "--steps", "-1"),
    ],
)
def test_wrong_use_is_exit_2_with_one_line(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, _, err = run(*(argument.format(tmp_path) for argument in arguments))
    assert code == 2
    assert err.startswith("shopsim: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "x").exists(), "nothing half-written"


def test_an_unknown_command_or_option_is_exit_2(run: Run) -> None:
    assert run("fly")[0] == 2
    assert run("data", "stats")[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("data", "make", "usb", "-o", "{}/x", "--seed", -1),
        ("data", "import", "rees46", "{}/log.csv", "-o", "{}/x", "--seed", -1),
        ("data", "show", "{}", "--limit", -5),
        ("benchmark", "run", "--sessions", 0),
        ("benchmark", "run", "--record", -1),
        ("benchmark", "run", "--seed", -1),
        ("benchmark", "run", "--lanes", 0),
        ("run", "human", "-o", "{}/x", "--sessions", 0),
    ],
)
def test_a_number_that_cannot_be_is_exit_2_and_named(run: Run, tmp_path: Path, arguments: tuple[object, ...]) -> None:
    code, _, err = run(*(str(argument).format(tmp_path) for argument in arguments))
    assert code == 2
    assert str(arguments[-2]) in err
    assert not (tmp_path / "x").exists()


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version")[:2] == (0, "shopsim 0.1.0\n")


def shopsim(*arguments: object, **options: object) -> "subprocess.CompletedProcess[bytes]":
    """A command in a process of its own."""
    code = "from shopsim.cli import main; main()"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_a_full_disk_is_exit_2_with_one_line(tiny_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = shopsim("data", "stats", tiny_path, stdout=full)
    assert (done.returncode, done.stderr) == (2, b"shopsim: No space left on device\n")


def test_a_terminal_without_unicode_gets_codes(run: Run, tmp_path: Path) -> None:
    assert run("data", "make", "usb", "-o", tmp_path / "zh", "--sessions", 2, "--locale", "zh")[0] == 0
    ascii_only = os.environ | {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    done = shopsim("data", "show", tmp_path / "zh", "s000000", "--json", stdout=subprocess.PIPE, env=ascii_only)
    shown = run("data", "show", tmp_path / "zh", "s000000", "--json")[1]
    assert not shown.isascii()
    assert json.loads(done.stdout.decode("ascii")) == json.loads(shown)
    assert shopsim("data", "show", tmp_path / "zh", "s000000", stdout=subprocess.PIPE, env=ascii_only).returncode == 0


def test_told_to_stop_a_command_ends_as_at_ctrl_c(tmp_path: Path) -> None:
    code = "from shopsim.cli import main; main()"
    command = [sys.executable, "-c", code, "data", "make", "usb", "-o", str(tmp_path / "set")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while not any(file.stat().st_size > 1000 for file in tmp_path.glob(".set.*/*")) and process.poll() is None:
            time.sleep(0.1)
        process.terminate()
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_benchmark_run_prints_a_table_or_json(run: Run, tiny_path: Path) -> None:
    arguments = ("benchmark", "run", "--data", tiny_path, "--agents", "human,twice=human", "--split", "train")
    code, out, _ = run(*arguments)
    assert code == 0
    assert "deviation" in out
    code, out, _ = run(*arguments, "--json")
    scores = json.loads(out)
    assert (code, list(scores)) == (0, ["human", "twice", "random", "heuristic"]), "floors stand beside the agents"
    assert list(json.loads(run(*arguments, "--alone", "--json")[1])) == ["human", "twice"]
    assert scores["human"]["fidelity"]["deviation"]["value"] == 1
    assert scores["human"]["intent"]["scores"]["HR"]["value"] == 100


def test_run_records_and_replay_verifies(run: Run, tiny_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "rollouts"
    code, printed, _ = run(
        "run", "random", "--data", tiny_path, "--split", "train", "--sessions", 2, "-o", out, "--gif"
    )
    assert code == 0
    assert (out / "report.html").exists()
    assert len(list(out.rglob("session.gif"))) == 2
    assert run("replay", out)[0] == 0
    code, printed, _ = run("replay", out, "--verify")
    assert (code, printed.count("same")) == (0, 2)
    file = next(out.rglob("trace.json"))
    trace = json.loads(file.read_text())
    trace["steps"][0]["reward"] += 0.5
    file.write_text(json.dumps(trace))
    code, printed, err = run("replay", out, "--verify")
    assert (code, printed.count("same"), err.count("\n")) == (1, 1, 1)


@pytest.mark.slow
def test_training_from_the_command_line(run: Run, tmp_path: Path) -> None:
    data, il, grpo = tmp_path / "data", tmp_path / "il", tmp_path / "grpo"
    assert run("data", "make", "usb", "-o", data, "--sessions", 20)[0] == 0
    small = ("--set", "batch=4", "--set", "eval_sessions=0", "--set", "size=64x128")
    memory = ("--set", 'agent_options={"use_preference": false}')
    code, out, _ = run("train", "il", "--data", data, "--steps", 2, "-o", il, *small, *memory)
    assert (code, "2 steps" in out) == (0, True)
    assert '"use_preference": false' in (il / "checkpoint-000002" / "agent.json").read_text()
    few = ("--set", "groups=1", "--set", "num_generations=2", "--set", "max_steps=2")
    code, out, _ = run("train", "grpo", "--data", data, "--init", il, "--steps", 1, "-o", grpo, *few)
    assert (code, "1 steps" in out) == (0, True)
    assert (grpo / "checkpoint-000001" / "agent.json").read_text() == (
        il / "checkpoint-000002" / "agent.json"
    ).read_text()
    told = ("--set", "groups=2", "--set", "num_generations=2", "--set", "use_dars=false")
    code, out, _ = run("train", "shop-r1", "--data", data, "--init", il, "--steps", 1, "-o", tmp_path / "step", *told)
    assert (code, "exact_match" in out) == (0, True)
    code, _, err = run("train", "grpo", "--data", data, "--init", il, "-o", grpo, "--set", "moon=1")
    assert code == 2
    assert "num_generations" in err, "the options there are"
    for wrong in ("groups=many", "agent_options=window", "size=5xx"):
        code, _, err = run("train", "grpo", "--data", data, "--init", il, "-o", grpo, "--set", wrong)
        assert (code, wrong.partition("=")[0] in err, err.count("\n")) == (2, True, 1)


def test_without_a_terminal_progress_is_lines_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def next_line() -> str:
        while not (lines := capsys.readouterr().err.splitlines()):
            time.sleep(0.01)
        return lines[-1]

    monkeypatch.setattr(console, "LINE_EVERY", 0.01)
    with console.progress_bar("sessions") as bar:
        assert next_line().startswith("sessions, "), "before anything is done, too"
        bar(1, 100)
        bar(50, 100)
        while not (line := next_line()).startswith("sessions: 50 of 100, about "):
            assert line.startswith("sessions")
    with console.stages() as stage:
        stage("making", 51, 100)
        while not next_line().startswith("making: 51 of 100, "):
            pass
