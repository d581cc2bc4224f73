"""The results folder: round trip, resuming after a kill at any byte, refusals in one clear line."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shopsim.benchmark_usb import provenance as provenance_module
from shopsim.benchmark_usb.provenance import differences, provenance
from shopsim.benchmark_usb.results import HEAD, LINES, AgentInfo, Results
from shopsim.errors import InputError
from tests.benchmark_usb.runs import SETTINGS, rollout, run


def test_round_trip(tmp_path: Path) -> None:
    written = run(tmp_path / "run")
    read = Results.open(tmp_path / "run")
    assert read.head == written.head
    assert list(read.finished()) == list(read.head.agents)
    for agent in read.head.agents:
        assert read.scores(agent) == written.scores(agent)
        assert read.summary(agent) == read.head.scores[agent]


def test_a_result_says_what_it_was_made_with(tmp_path: Path) -> None:
    run(tmp_path / "run", ("leaver",))
    head = json.loads((tmp_path / "run" / HEAD).read_text(encoding="utf-8"))
    assert head["settings"]["data"]["hash"] == "0" * 64
    assert head["settings"]["seed"] == 0
    assert head["settings"]["feed"] == "recorded"
    assert {"shopsim", "numpy", "gymnasium"} <= set(head["provenance"]["packages"])
    assert head["agents"]["leaver"]["prompt_hash"] is None
    assert set(head["scores"]["leaver"]["intent"]["scores"]) == {"HR", "P", "R", "F1", "CP", "CR", "HCO"}


def test_human_is_exactly_perfect_and_others_are_not(tmp_path: Path) -> None:
    scores = run(tmp_path / "run").head.scores
    human = scores["human"]
    assert human.fidelity.deviation.value == 1.0
    assert {e.value for e in human.intent.scores.values()} == {100.0}
    assert human.overacting == ()
    assert scores["buyer"].overacting == ()
    assert "ACR" in scores["clicker"].overacting
    assert scores["leaver"].intent.scores["F1"].value == 0.0


def test_rollouts_that_are_gone_are_named(tmp_path: Path) -> None:
    run(tmp_path / "run", ("buyer", "leaver"))
    lines = tmp_path / "run" / LINES
    lines.write_bytes(b"".join(line for line in lines.read_bytes().splitlines(keepends=True) if b'"buyer"' in line))
    with pytest.raises(InputError, match=f"{LINES} holds no rollout of leaver; run the same command again"):
        Results.open(tmp_path / "run").finished()


def test_order_of_finishing_is_irrelevant(tmp_path: Path) -> None:
    forwards = run(tmp_path / "a", ("buyer",))
    backwards = Results.start(tmp_path / "b", SETTINGS, {"buyer": AgentInfo("buyer")})
    for number in reversed(range(12)):
        backwards.append(rollout("buyer", number))
    backwards.finish("buyer")
    assert backwards.head.scores == forwards.head.scores


def test_resuming_runs_only_what_is_missing_or_faulted(tmp_path: Path) -> None:
    agents = {"buyer": AgentInfo("buyer")}
    results = Results.start(tmp_path / "run", SETTINGS, agents)
    results.append(rollout("buyer", 0))
    results.append(rollout("buyer", 1, fault="server gone"))
    resumed = Results.start(tmp_path / "run", SETTINGS, agents)
    assert [resumed.is_done("buyer", f"s{n:02d}", 0) for n in range(3)] == [True, False, False]
    assert (resumed.summary("buyer").rollouts, resumed.summary("buyer").faults) == (1, 1)
    resumed.append(rollout("buyer", 1))
    assert (resumed.summary("buyer").rollouts, resumed.summary("buyer").faults) == (2, 0)
    assert Results.open(tmp_path / "run").summary("buyer") == resumed.summary("buyer")


def test_a_torn_last_line_is_dropped_wherever_it_was_torn(tmp_path: Path) -> None:
    results = Results.start(tmp_path / "run", SETTINGS, {"buyer": AgentInfo("buyer")})
    results.append(rollout("buyer", 0))
    first = (tmp_path / "run" / LINES).read_bytes()
    results.append(rollout("buyer", 1))
    both = (tmp_path / "run" / LINES).read_bytes()
    for end in range(len(first), len(both)):
        (tmp_path / "run" / LINES).write_bytes(both[:end])
        resumed = Results.start(tmp_path / "run", SETTINGS, {"buyer": AgentInfo("buyer")})
        assert len(resumed.scores("buyer")) == 1
        assert (tmp_path / "run" / LINES).read_bytes() == first
    assert len(Results.open(tmp_path / "run").scores("buyer")) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from shopsim.benchmark_usb.results import AgentInfo, Results
from tests.benchmark_usb.runs import SETTINGS, rollout
results = Results.start(Path(sys.argv[1]), SETTINGS, {"buyer": AgentInfo("buyer")})
for number in range(5):
    results.append(rollout("buyer", number))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_9_loses_nothing_that_finished(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "run")], env={**os.environ, "PYTHONPATH": str(root)}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    results = Results.open(tmp_path / "run")
    assert len(results.scores("buyer")) == 5
    with pytest.raises(InputError, match="no agent has finished; run the same command again"):
        results.finished()


def test_unicode_line_separators_survive(tmp_path: Path) -> None:
    strange = replace(rollout("buyer", 0), session_id="a\u2028b\u0085c\rd\n商品", user_id="\u2029")
    results = Results.start(tmp_path / "run", SETTINGS, {"buyer": AgentInfo("buyer")})
    results.append(strange)
    assert Results.open(tmp_path / "run").scores("buyer") == [strange]


def test_another_run_in_the_folder_is_refused_and_named(tmp_path: Path) -> None:
    run(tmp_path / "run", ("buyer",))
    data = replace(SETTINGS.data, hash="9" * 64)
    with pytest.raises(InputError, match=r"seed: 0 / 1.*give a new folder"):
        Results.start(tmp_path / "run", replace(SETTINGS, seed=1), {"buyer": AgentInfo("buyer")})
    with pytest.raises(InputError, match=r"data\.hash: 000000000000… / 999999999999…"):
        Results.start(tmp_path / "run", replace(SETTINGS, data=data), {})
    with pytest.raises(InputError, match=r"buyer\.settings\.temperature: none / 0\.7"):
        Results.start(tmp_path / "run", SETTINGS, {"buyer": AgentInfo("buyer", {"temperature": 0.7})})


def test_an_agent_may_join_a_run_later(tmp_path: Path) -> None:
    run(tmp_path / "run", ("buyer",))
    joined = Results.start(tmp_path / "run", SETTINGS, {"leaver": AgentInfo("leaver")})
    assert set(joined.head.agents) == {"buyer", "leaver"}
    assert set(joined.finished()) == {"buyer"}, "and who has finished stays so"
    assert len(joined.scores("buyer")) == 12
    assert Results.start(tmp_path / "run", SETTINGS, {"buyer": AgentInfo("buyer")}).head.scores == {}


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match=r"\(or another run is starting there\); give a new folder"):
        Results.start(tmp_path, SETTINGS, {})
    with pytest.raises(InputError, match="give a new folder"):
        Results.start(tmp_path / "letter.txt", SETTINGS, {})
    assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("not json", "no results file"),
        ("{}", "no results file of ShopSim: format"),
        ('{"format": "shopsim-results", "version": 2}', "is shopsim-results 2; shopsim-results 1 is read here"),
        ('{"format": "shopsim-results", "version": 1}', "no results file of ShopSim: settings"),
    ],
)
def test_bad_heads_are_refused_in_one_line(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / HEAD).write_text(content)
    with pytest.raises(InputError, match=message) as refused:
        Results.open(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    run(tmp_path / "run", ("buyer",))
    lines = (tmp_path / "run" / LINES).read_text().split("\n")
    lines[2] = lines[2].replace('"repetition":0', '"repetition":"x"')
    (tmp_path / "run" / LINES).write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"line 3: .*repetition"):
        Results.open(tmp_path / "run")


def test_repetitions_give_a_within_session_error_and_one_run_gives_none(tmp_path: Path) -> None:
    settings = replace(SETTINGS, repetitions=2)
    results = Results.start(tmp_path / "run", settings, {"buyer": AgentInfo("buyer")})
    for number in range(12):
        for repetition in range(2):
            score = rollout("buyer" if repetition else "clicker", number, repetition)
            results.append(replace(score, agent="buyer"))
    assert results.summary("buyer").intent.scores["P"].within > 0
    assert run(tmp_path / "once", ("buyer",)).summary("buyer").intent.scores["P"].within is None


def test_differences_are_named_one_each() -> None:
    assert differences({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "c": 2, "d": 4}) == ["a.b: 1 / 3", "d: none / 4"]
    assert differences(SETTINGS, SETTINGS) == []


def test_commit_of_a_foreign_checkout_is_not_ours(tmp_path: Path) -> None:
    """shopsim installed inside somebody's own repository must not report that repository's commit."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    (tmp_path / "theirs.py").write_text("1")
    for command in (["init", "-q"], ["add", "theirs.py"], ["commit", "-qm", "theirs"]):
        subprocess.run([*git, *command], check=True)
    package = tmp_path / "venv" / "shopsim"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    assert provenance_module._commit(package) is None
    (tmp_path / "__init__.py").write_text("")
    subprocess.run([*git, "add", "__init__.py"], check=True)
    subprocess.run([*git, "commit", "-qm", "ours"], check=True)
    commit = provenance_module._commit(tmp_path)
    assert commit is not None
    assert commit.endswith("+changes"), "the untracked folder is a change"
    assert len(commit.split("+")[0]) == 40


def test_provenance_is_the_same_twice() -> None:
    assert provenance() == provenance()
