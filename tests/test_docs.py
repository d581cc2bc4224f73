"""The pages say what there is: every score, column, variable and file by its name, and links lead somewhere."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from shopsim.agents.prompt import PromptBuilder
from shopsim.benchmark_usb.bootstrap import Estimate
from shopsim.benchmark_usb.fidelity import METRICS, Fidelity
from shopsim.benchmark_usb.intent import INTENT, Intent
from shopsim.benchmark_usb.roster import TRIVIAL
from shopsim.benchmark_usb.step_scores import StepSummary
from shopsim.benchmark_usb.summary import Summary
from shopsim.data.schema import TABLES
from shopsim.data.screens import SCHEMA as SCREENS
from shopsim.envs.feed import POLICIES
from shopsim.envs.reward import RewardParts
from shopsim.memory.three_tier import Counters, ThreeTierMemory

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def named(text: str) -> set[str]:
    """Everything in code marks."""
    return {word for span in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", span)}


def test_every_score_of_the_results_is_explained() -> None:
    text = page("metrics.md")
    wanted = {field.name for kind in (Summary, Fidelity, Intent, StepSummary, Estimate) for field in fields(kind)}
    assert not wanted - {"agent", "sessions"} - named(text)
    assert not set(RewardParts._fields) - named(text)
    for name in [*(metric.name for metric in METRICS), *INTENT, *TRIVIAL]:
        assert name in text


def test_every_column_of_the_data_layout_is_there() -> None:
    text = page("data-layout.md")
    columns = {name for schema in (*TABLES.values(), SCREENS) for name in schema.names}
    assert not columns - named(text)
    assert all(name in text for name in TABLES)


def test_every_variable_bound_and_counter_of_prompts_is_there() -> None:
    text = page("prompts.md")
    variables = set[str]()
    for template in (ROOT / "shopsim" / "agents" / "templates").rglob("*.jinja"):
        source = template.read_text(encoding="utf-8")
        variables |= set(re.findall(r"{%-? (?:el)?if (\w+)", source)) | set(re.findall(r"{{ (\w+)", source))
        variables |= set(re.findall(r"in (\w+) %}", source))
    variables -= {"item", "event", "record", "line", "past", "memory", "candidate", "feeling", "not"}
    assert {"statements", "screen", "persona", "feedback"} <= variables
    assert not variables - named(text)
    bounds = {field.name for field in fields(ThreeTierMemory) if field.init and "use_" not in field.name}
    assert not bounds - named(text)
    assert not {field.name for field in fields(Counters)} - named(text)
    memory, builder = ThreeTierMemory(), PromptBuilder()
    for names, default in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([\d, ]+) \|", text, re.MULTILINE):
        values: list[Any] = [getattr(memory, n, getattr(builder, n, None)) for n in re.findall(r"\w+", names)]
        assert ", ".join(map(str, values)) == default, names


def test_every_feed_policy_is_there() -> None:
    assert set(POLICIES) <= named(page("feeds.md"))


@pytest.mark.parametrize("path", sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md")]), ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    headings = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in headings, target
        elif not target.startswith("http"):
            assert (path.parent / target.split("#")[0]).exists(), target
    for mention in re.findall(r"\bdocs/[\w-]+\.md\b", text):
        assert (ROOT / mention).exists(), mention
