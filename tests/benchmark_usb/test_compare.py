"""Comparisons: like runs only, paired, and never surer than the data."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from shopsim.benchmark_usb.compare import compare
from shopsim.benchmark_usb.results import AgentInfo, Results, as_json
from shopsim.errors import InputError
from tests.benchmark_usb.runs import SETTINGS, rollout, run


def by_name(comparison):
    return {d.score: d for d in comparison.differences}


def test_against_itself_nothing_differs(tmp_path: Path) -> None:
    results = run(tmp_path / "run")
    comparison = compare(results, results, "buyer", "buyer")
    assert comparison.pairs == 12
    for d in comparison.differences:
        assert d.a == d.b
        assert d.better is None
        assert {d.difference.low, d.difference.high} <= {0.0, None}


def test_scores_are_those_of_the_results(tmp_path: Path) -> None:
    results = run(tmp_path / "run")
    rows = by_name(compare(results, results, "clicker", "buyer"))
    buyer = results.head.scores["buyer"]
    assert rows["deviation"].b == pytest.approx(buyer.fidelity.deviation.value)
    ratio = buyer.fidelity.rates["ATL"].ratio.value
    assert rows["ATL off by"].b == pytest.approx(max(ratio, 1 / ratio))
    assert rows["CVR off by"].b is None, "people here never buy"
    assert rows["F1"].b == pytest.approx(buyer.intent.scores["F1"].value)
    assert rows["reward total"].b == pytest.approx(buyer.reward["total"].value)


def test_a_comparison_is_one_json_object(tmp_path: Path) -> None:
    results = run(tmp_path / "run")
    comparison = json.loads(as_json(compare(results, results, "clicker", "buyer")))
    assert comparison["a"] == "clicker"
    assert comparison["differences"][0]["difference"].keys() == {"value", "low", "high", "within"}


def test_the_better_side_is_named_whichever_way_the_score_runs(tmp_path: Path) -> None:
    results = run(tmp_path / "run")
    there = by_name(compare(results, results, "leaver", "human"))
    back = by_name(compare(results, results, "human", "leaver"))
    for score in ("ATL off by", "deviation", "F1", "HCO"):
        assert there[score].better == "b"
        assert back[score].better == "a"
        assert there[score].difference.value == pytest.approx(-back[score].difference.value)


def test_runs_of_two_folders_compare_when_alike(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", ("buyer",)), run(tmp_path / "b", ("leaver",))
    together = run(tmp_path / "both")
    assert compare(a, b, "buyer", "leaver") == compare(together, together, "buyer", "leaver")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 3}, "seed: 0 / 3"),
        ({"split": "train"}, "split: test / train"),
        ({"feed": "random"}, "feed: recorded / random"),
        ({"sessions_hash": "2" * 64}, "sessions_hash"),
        ({"environment": {"max_steps": 50, "reward": "trajectory"}}, "environment.max_steps: 40 / 50"),
    ],
)
def test_unlike_runs_are_refused_and_the_difference_named(tmp_path: Path, change: dict, named: str) -> None:
    a, b = run(tmp_path / "a", ("buyer",)), run(tmp_path / "b", ("buyer",), replace(SETTINGS, **change))
    with pytest.raises(InputError, match=named) as refused:
        compare(a, b, "buyer", "buyer", allow=("commit", "packages"))
    assert "are unlike" in str(refused.value)


def test_other_code_is_refused_unless_allowed_by_name(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", ("buyer",)), run(tmp_path / "b", ("buyer",))
    made = replace(b.head.provenance, commit="f" * 40, packages={**b.head.provenance.packages, "numpy": "9.9"})
    b.head = replace(b.head, provenance=made)
    with pytest.raises(InputError, match=r"commit: .* / ffff"):
        compare(a, b, "buyer", "buyer", allow=["packages"])
    with pytest.raises(InputError, match=r"packages\.numpy: .* / 9\.9"):
        compare(a, b, "buyer", "buyer", allow=["commit"])
    assert len(compare(a, b, "buyer", "buyer", allow=["commit", "packages"]).accepted) == 2
    with pytest.raises(InputError, match="'seed' cannot be allowed"):
        compare(a, b, "buyer", "buyer", allow=["seed"])


def test_unknown_agents_and_unfinished_runs_are_refused(tmp_path: Path) -> None:
    results = run(tmp_path / "run")
    with pytest.raises(InputError, match=r"has no finished agent 'nobody'; it has human, clicker"):
        compare(results, results, "buyer", "nobody")
    half = Results.start(tmp_path / "half", SETTINGS, {"buyer": AgentInfo("buyer")})
    half.append(rollout("buyer", 0))
    with pytest.raises(InputError, match="no agent has finished"):
        compare(half, results, "buyer", "buyer")


def test_a_session_faulted_on_one_side_leaves_both(tmp_path: Path) -> None:
    results = run(tmp_path / "run", ("buyer", "leaver"))
    results.append(rollout("leaver", 4, fault="server gone"))
    comparison = compare(results, results, "buyer", "leaver")
    assert comparison.pairs == 11
    assert by_name(comparison)["ATL off by"].a != pytest.approx(
        compare(results, results, "buyer", "buyer").differences[0].a
    )
