"""Prompts: their exact words, what switches and bounds change, and what cannot get into them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.agents.backend import Image, Prompt
from shopsim.agents.prompt import PromptBuilder, TextScreen, settings_hash
from shopsim.data.vocabulary import Action
from shopsim.envs.decision import Decision, ParseFailure, parse
from shopsim.envs.infos import PastItem
from shopsim.errors import InputError
from shopsim.memory import ThreeTierMemory, count_words

GOLDEN = Path(__file__).parent / "golden"

PERSON: dict[str, Any] = {
    "user": {"age": 34, "gender": "female"},
    "clicks": (
        PastItem("i1", "Blue cotton dress with pockets and long sleeves", 38.5),
        PastItem("i2", "Glass teapot", 21.0),
        PastItem("i1", "Blue cotton dress with pockets and long sleeves", 38.5),
    ),
    "purchases": (PastItem("i3", "Linen shirt", 29.9),),
    "locale": "en",
    "currency": "USD",
}


def screen(value: int) -> Image:
    return Image.of(np.full((32, 32, 3), value, np.uint8))


SCREENS = [screen(i) for i in range(12)]


def memory_after(steps: int, **settings: Any) -> ThreeTierMemory:
    memory = ThreeTierMemory(**settings)
    for t in range(steps):
        action, point = (Action.CLICK, (0.256, 0.4402)) if t % 2 else (Action.SCROLL_DOWN, None)
        episodic = "saw a teapot" if t == 1 else None
        preference = "under 40\nblue" if t == 2 else None
        memory.remember(SCREENS[t], Decision(action, point, f"thought {t}", episodic, preference))
    return memory


def build(builder: PromptBuilder, steps: int = 4, person: dict[str, Any] = PERSON, **settings: Any) -> Prompt:
    memory = memory_after(steps, **settings)
    return builder.build(person, memory.recall(), SCREENS[steps], memory.steps)


@pytest.mark.parametrize("style", ["full", "compact"])
@pytest.mark.parametrize("locale", ["en", "zh"])
def test_golden(style: str, locale: str) -> None:
    """After a wanted change: delete the file and run the test twice; the new words show in the diff."""
    builder = PromptBuilder.compact(locale=locale) if style == "compact" else PromptBuilder(locale=locale)
    file = GOLDEN / f"{style}.{locale}.txt"
    text = build(builder).text + "\n"
    if not file.exists():
        file.write_text(text, encoding="utf-8")
        pytest.fail(f"{file} was missing and has been written; look at it")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("window", [0, 1, 3])
@pytest.mark.parametrize("builder", [PromptBuilder(), PromptBuilder.compact()])
def test_exactly_the_last_k_screens_and_the_current_one_in_order(builder: PromptBuilder, window: int) -> None:
    for t in range(6):
        prompt = build(builder, t, window=window)
        assert list(prompt.images) == SCREENS[max(0, t - window) : t + 1]


def test_the_compact_style_is_short() -> None:
    assert 15 <= count_words(build(PromptBuilder.compact()).text) <= 60


def lines(prompt: Prompt) -> list[str]:
    return prompt.text.split("\n")


@pytest.mark.parametrize(
    ("tier", "section", "format_line"),
    [
        ("working", "# The last screens and what the person did", None),
        ("episodic", "# What happened so far", '- "episodic"'),
        ("preference", "# What the person wants", '- "preference"'),
    ],
)
@pytest.mark.parametrize("steps", [0, 4])
def test_a_tier_switched_off_takes_out_its_block_and_nothing_else(
    tier: str, section: str, format_line: str | None, steps: int
) -> None:
    on = lines(build(PromptBuilder(), steps))
    off = lines(build(PromptBuilder(), steps, **{f"use_{tier}": False}))
    start = on.index(section)
    end = next(i for i in range(start + 1, len(on)) if on[i].startswith("# "))
    expected = on[:start] + on[end:]
    if format_line is not None:
        expected = [line.replace(f', "{tier}": null', "") for line in expected if not line.startswith(format_line)]
    assert off == expected
    assert off != on


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_no_thought_is_asked_for_where_none_is_wanted(locale: str) -> None:
    on, off = (lines(build(PromptBuilder(mind=mind, locale=locale), 0)) for mind in (True, False))
    assert [line for line in off if line not in on] == [
        '{"action": {"type": "...", "point": [x, y]}, "episodic": null, "preference": null}'
    ]
    assert len(on) == len(off) + 1


@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("off", [(), ("episodic",), ("preference",), ("episodic", "preference")])
def test_the_answer_format_asked_for_is_one_the_parser_reads(locale: str, off: tuple[str, ...]) -> None:
    settings = {f"use_{tier}": False for tier in off}
    shown = next(line for line in lines(build(PromptBuilder(locale=locale), 0, **settings)) if line.startswith("{"))
    decision = parse(shown.replace('"type": "..."', '"type": "click"').replace("[x, y]", "[500, 250]"))
    assert decision == Decision(Action.CLICK, (0.5, 0.25), "...")


@pytest.mark.parametrize(("tier", "word"), [("working", "did"), ("episodic", "noted"), ("preference", "want")])
def test_a_tier_switched_off_shows_in_the_compact_style_too(tier: str, word: str) -> None:
    on = lines(build(PromptBuilder.compact(), 0))
    off = lines(build(PromptBuilder.compact(), 0, **{f"use_{tier}": False}))
    assert [line for line in on if line not in off] == [word]


def test_the_beginning_stays_the_same_while_memory_does() -> None:
    """What changes every step comes last, so that caches of beginnings work."""
    a, b = build(PromptBuilder(), 3).text, build(PromptBuilder(), 4).text
    common = next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    assert a.index("# The last screens") < common


def test_feedback_names_the_eight_actions_and_never_the_models_words() -> None:
    memory = memory_after(1)
    prompt = PromptBuilder().build(PERSON, memory.recall(), SCREENS[1], 1, ParseFailure.UNKNOWN_ACTION, "unparsed")
    text = prompt.text.split("# Now")[1]
    assert all(action.label in text for action in Action)


@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("invalid", ["scroll_end", "no_target", "off_screen", "not_here", "already_done", "unparsed"])
def test_every_invalid_action_is_explained(locale: str, invalid: str) -> None:
    memory = memory_after(1)
    builder = PromptBuilder(locale=locale)
    with_feedback = builder.build(PERSON, memory.recall(), SCREENS[1], 1, invalid=invalid).text
    without = builder.build(PERSON, memory.recall(), SCREENS[1], 1).text
    extra = [line for line in with_feedback.split("\n") if line not in without.split("\n")]
    assert len(extra) == 1


def test_what_is_unknown_of_a_person_is_left_out() -> None:
    stranger = PERSON | {"user": {}, "clicks": (), "purchases": ()}
    text = build(PromptBuilder(), person=stranger).text
    assert "years old" not in text
    assert "None" not in text
    assert "none" not in text.split("# The person")[1].split("# What")[0]
    assert text.count("nothing known") == 2


def test_a_persona_is_told() -> None:
    text = build(PromptBuilder(), person=PERSON | {"user": {"persona": "Buys only what is on sale."}}).text
    assert "Buys only what is on sale." in text


def test_history_is_the_newest_distinct_items_in_order_and_cut_titles_are_flagged() -> None:
    clicks = tuple(PastItem(f"i{i}", f"item number {i}", 1.0) for i in range(9))
    prompt = build(PromptBuilder(clicks=2, max_title=16), person=PERSON | {"clicks": (*clicks, clicks[3])})
    assert "Looked at before: item number 8 (USD 1.00); item number 3 (USD 1.00)\n" in prompt.text
    assert prompt.trimmed == ()
    assert build(PromptBuilder(max_title=2)).trimmed == ("history",)


def test_marks_and_braces_in_titles_stay_text() -> None:
    title = "a \x000\x00 {{ screen }} {% raw %} <b>"
    prompt = build(PromptBuilder(), person=PERSON | {"clicks": (PastItem("i", title, 1.0),)})
    assert len(prompt.images) == 3
    assert "a 0 {{ screen }} {% raw %} <b>" in prompt.text


def test_text_views_stand_where_images_would_and_are_cut_to_their_limit() -> None:
    memory = ThreeTierMemory(window=1)
    memory.remember(TextScreen("old view"), Decision(Action.BACK))
    prompt = PromptBuilder(view="text", max_view=3).build(PERSON, memory.recall(), TextScreen("a b c d"), 1)
    assert prompt.images == ()
    assert "Step 0\nold view\n" in prompt.text
    assert "a b c…" in prompt.text
    assert prompt.trimmed == ("screen",)


def test_own_templates_replace_ours(tmp_path: Path) -> None:
    own = "{% block system %}{% endblock %}{% block user %}{{ screen }} {{ step }}!{% endblock %}"
    (tmp_path / "full.en.jinja").write_text(own)
    builder = PromptBuilder(templates=tmp_path)
    assert build(builder).text == "[screen] 4!"
    assert builder.settings() != PromptBuilder().settings()
    assert settings_hash(builder.settings()) == settings_hash(PromptBuilder(templates=tmp_path).settings())


def test_wrong_templates_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no prompt template full\.fr\.jinja"):
        build(PromptBuilder(locale="fr"))
    (tmp_path / "full.en.jinja").write_text("{% block user %}{% endblock %}")
    with pytest.raises(InputError, match="no block system"):
        build(PromptBuilder(templates=tmp_path))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=400), st.text(max_size=400), st.text(max_size=900)), min_size=1, max_size=12),
    st.lists(st.text(max_size=300), max_size=30),
)
def test_prompts_are_bounded_whatever_the_session(steps: list[tuple[str, str, str]], titles: list[str]) -> None:
    memory = ThreeTierMemory(
        window=1, max_mind=10, max_event=10, episodic_budget=30, max_statements=3, max_tokens=10, count_tokens=len
    )
    builder = PromptBuilder.compact(count_tokens=len)
    clicks = tuple(PastItem(f"i{i}", title, 1.0) for i, title in enumerate(titles))
    for t, (mind, episodic, preference) in enumerate(steps):
        memory.remember(SCREENS[t % 2], Decision(Action.CLICK, (1.0, 1.0), mind, episodic, preference))
    prompt = builder.build(PERSON | {"clicks": clicks}, memory.recall(), SCREENS[2], memory.steps)
    assert len(prompt.text) < 400
    assert prompt.images == (SCREENS[(len(steps) - 1) % 2], SCREENS[2])
