"""Virtual A/B tests: nothing is found where nothing is, what is there is found, resuming, refusals, numbers."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopsim.benchmark_usb.ab import ABArm, ABScore, Variant, analyse_arms, open_ab, run_ab
from shopsim.benchmark_usb.ab_effects import OUTCOMES, ABReport, Effect, analyse
from shopsim.benchmark_usb.ab_page import ab_tables, write_ab_page
from shopsim.benchmark_usb.fidelity import Behaviour
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision
from shopsim.errors import InputError
from tests.conftest import Run

A, CHEAPEST = Variant(), Variant(feed="price_ascending")
PROBABILISTIC = [AgentSpec("probabilistic")]


class Watcher:
    """Somebody's agent that looks at the screen: opens the first card where it is dark, and leaves."""

    name = "watcher"

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        self._over = False

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        dark = observation["screenshot"].mean() < 128
        if self._over or not dark:
            return Decision(Action.TERMINATE)
        self._over = True
        left, top, right, bottom = info["items"][0].box
        return Decision(Action.CLICK, ((left + right) / 2, (top + bottom) / 2))

    def settings(self) -> dict[str, Any]:
        return {"name": self.name}


def by_name(report: ABReport) -> dict[str, Effect]:
    return {effect.outcome: effect for effect in report.effects}


def holds_zero(effect: Effect) -> bool:
    low, high = effect.noise.low, effect.noise.high
    assert low is not None
    assert high is not None
    return low <= 0 <= high


def test_a_against_itself_is_not_different_whatever_the_seed(tmp_path: Path) -> None:
    held = []
    for seed in range(3):
        report = run_ab(None, A, A, tmp_path / str(seed), agents=PROBABILISTIC, split="train", seed=seed)
        for effect in report.effects:
            assert (effect.effect.value, effect.effect.low, effect.effect.high) == (0, 0, 0)
            assert effect.verdict == "open"
            assert effect.sessions_needed is None
            assert effect.noise.value != 0, "by another chance of the agents"
            held.append(holds_zero(effect))
    assert np.mean(held) >= 0.8, "0.95 is right; there are 18, of 22 users"


def test_the_cheapest_first_lowers_the_mean_price_opened(tmp_path: Path) -> None:
    effects = by_name(run_ab(None, A, CHEAPEST, tmp_path, agents=PROBABILISTIC, split="train", repetitions=2))
    assert effects["price"].verdict == "lower"
    assert effects["price"].agents["probabilistic"].value == effects["price"].effect.value
    assert effects["price"].agreement > 0.95
    assert effects["price"].forecast > effects["price"].no_conviction
    assert [point.users for point in effects["price"].smaller] == sorted(p.users for p in effects["price"].smaller)


def test_a_price_factor_is_what_agents_see_and_pay(tmp_path: Path) -> None:
    report = run_ab(None, A, Variant(price=4.0), tmp_path, agents=PROBABILISTIC, split="train", repetitions=3)
    effects = by_name(report)
    assert effects["price"].verdict == "higher"
    assert effects["click"].effect.value is not None
    assert effects["click"].effect.value < 0, "fewer open what has become dear beside what they bought before"


def test_looks_reach_the_agents_that_look(tmp_path: Path, tiny: DataSet) -> None:
    own = [AgentSpec("tests.benchmark_usb.test_ab:Watcher")]
    effects = by_name(run_ab(tiny, A, Variant(theme="dark"), tmp_path, agents=own, split="train"))
    assert (effects["steps"].a.value, effects["steps"].b.value) == (1, 2)
    assert effects["price"].effect.value is None, "the mean price of nothing is no number"
    assert ab_tables(open_ab(tmp_path))[0].row_count == len(OUTCOMES)
    assert effects["steps"].verdict == "open", "four users conclude nothing, however they agree"
    assert "Nothing is concluded" in write_ab_page(open_ab(tmp_path), tmp_path / "ab.html").read_text()


def test_killed_and_resumed_gives_the_same_bytes(tiny: DataSet, tmp_path: Path) -> None:
    def run(name: str, progress: Any = None) -> ABReport:
        report = run_ab(tiny, A, CHEAPEST, tmp_path / name, split="train", repetitions=2, progress=progress)
        write_ab_page(report, tmp_path / name / "ab.html")
        return report

    calls: list[tuple[int, int]] = []

    def break_off(done: int, total: int) -> None:
        calls.append((done, total))
        if done in (7, 50):
            raise KeyboardInterrupt

    whole = run("whole")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run("broken", break_off)
        with pytest.raises(InputError, match="finished"):
            open_ab(tmp_path / "broken")
    resumed = run("broken", break_off)
    total = 2 * 5 * 2 * 3
    assert calls == [(n, total) for n in range(1, total + 1)], "both arms, A twice, and nothing twice"
    assert resumed == whole == open_ab(tmp_path / "broken")
    for file in ("ab.html", "a/results.json", "b/results.json"):
        assert (tmp_path / "broken" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    lines = [sorted((tmp_path / name / "a" / "sessions.jsonl").read_text().split("\n")) for name in ("whole", "broken")]
    assert lines[0] == lines[1]
    with pytest.raises(InputError, match="holds another run"):
        run_ab(tiny, A, Variant(price=2.0), tmp_path / "whole", split="train", repetitions=2)


def test_unlike_arms_are_refused(tiny: DataSet, tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 1)):
        run_ab(tiny, A, CHEAPEST, tmp_path / name, agents=PROBABILISTIC, split="train", seed=seed)
    one, two = ABArm.open(tmp_path / "one" / "a"), ABArm.open(tmp_path / "two" / "b")
    with pytest.raises(InputError, match="are unlike: seed: 0 / 1"):
        analyse_arms(one, two)
    with pytest.raises(InputError, match="A must have twice B's"):
        analyse_arms(one, one)


def test_variants_are_read() -> None:
    text = "feed=my.shop:rank, price=0.9@toys & games, theme=dark, size=480x912"
    assert Variant.parse(text) == Variant("my.shop:rank", 0.9, "toys & games", "dark", (480, 912))
    assert str(Variant.parse(text)) == "feed=my.shop:rank, price=0.9@toys & games, theme=dark, size=480x912"
    assert Variant.parse("") == A
    assert str(A) == "feed=recorded"


@pytest.mark.parametrize(
    "text", ["price", "price=", "price=cheap", "size=big", "size=1x2x3", "colour=red", "price=1,price=2", "theme"]
)
def test_what_is_no_variant_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="variant"):
        Variant.parse(text)


@pytest.mark.parametrize(
    ("b", "problem"),
    [
        (Variant(feed="best"), "feed policy 'best'"),
        (Variant(price=0), "above 0"),
        (Variant(price=2, category="spaceships"), "no item is of category"),
        (Variant(feed="random", theme="loud"), "theme 'loud' does not exist"),
        (Variant(theme="dark"), "'probabilistic' looks at no screens"),
    ],
)
def test_what_cannot_be_tried_is_refused_before_anything_is_written(
    tiny: DataSet, tmp_path: Path, b: Variant, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        run_ab(tiny, A, b, tmp_path / "ab", split="train")
    assert not (tmp_path / "ab").exists()


def test_one_user_is_refused(tiny: DataSet, tmp_path: Path) -> None:
    session = tiny.session_id(int(tiny.session_rows("train")[0]))
    with pytest.raises(InputError, match="all of one user"):
        run_ab(tiny, A, CHEAPEST, tmp_path / "ab", split="train", sessions=[session])


def test_the_numbers_of_a_known_effect(tiny: DataSet, tmp_path: Path) -> None:
    told = run_ab(tiny, A, A, tmp_path, agents=PROBABILISTIC, split="train")
    rng = np.random.default_rng(3)
    nobody = Behaviour(0, 10, 2, 1, 2, 0, 0, 2, 0, 0, True, (), ())

    def score(user: int, steps: float) -> ABScore:
        return ABScore("x", f"s{user}", f"u{user}", 0, None, replace(nobody, steps=round(steps)), 20.0, 0)

    n, effect, spread = 128, 60, 100
    triples = [
        (score(i, 500), score(i, 500 + effect + rng.normal(0, spread)), score(i, 500 + rng.normal(0, spread)))
        for i in range(n)
    ]
    found = analyse({"x": triples}, "a", "b", told.settings, told.provenance).effects[0]
    assert found.verdict == "higher"
    assert found.size == pytest.approx(effect / spread, abs=0.2)
    assert found.relative == pytest.approx(effect / 500, abs=0.04)
    assert found.sessions_needed == pytest.approx(2.8**2 * (spread / effect) ** 2, rel=0.6)
    assert found.detectable == pytest.approx(2.8 * spread / n**0.5, rel=0.3)
    assert 0.01 < found.false_alarms < 0.12
    widths = {point.users: point.width for point in found.smaller}
    assert widths[8] is not None
    assert widths[128] is not None
    assert widths[8] / widths[128] == pytest.approx(4, rel=0.35), "a quarter of the interval takes 16 times the users"
    power = {point.users: point.higher for point in found.smaller}
    assert power[8] < power[32] <= power[128] == 1


def test_the_command_prints_tables_json_and_errors(run: Run, tmp_path: Path) -> None:
    common = ("ab", "--split", "train", "--sessions", 6, "--agents", "probabilistic")
    code, out, _ = run(*common, "--b", "feed=price_ascending,price=0.9", "-o", tmp_path / "ab")
    assert code == 0
    assert all(outcome.name in out for outcome in OUTCOMES)
    assert "feed=price_ascending, price=0.9" in out
    assert (tmp_path / "ab" / "ab.html").read_text().count("<section") == 5
    code, out, _ = run(*common, "--b", "feed=price_ascending,price=0.9", "-o", tmp_path / "ab", "--json")
    assert code == 0
    assert [effect["outcome"] for effect in json.loads(out)["effects"]] == [outcome.name for outcome in OUTCOMES]
    code, _, err = run(*common, "--b", "price=free")
    assert (code, err.count("\n")) == (2, 1)
