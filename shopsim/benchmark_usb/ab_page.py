"""An A/B test for people to read: tables for a terminal, and a page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from shopsim.benchmark_usb import plots
from shopsim.benchmark_usb.ab_effects import DRAWS, FEWEST, OUTCOMES, ABReport, Effect, Smaller
from shopsim.benchmark_usb.bootstrap import Estimate
from shopsim.benchmark_usb.page import Report, Section, chart, fragment

LIMITS = (
    "The shoppers are agents. Nothing here says what real shoppers would do; it says what to try on them first, and "
    "how large that test must be if they were like these."
)
_READING = {
    "B − A": "the effect, with its 95 % interval: paired over users, stretched where the A/A run found it too narrow",
    "B is": "higher or lower where the interval leaves 0 out, else open: not shown, which is not the same as equal",
    "A/A": "arm A against itself by another chance of the agents; its true value is 0",
    "false alarms": "of A/A runs with their halves swapped at random for each user, those whose interval leaves 0 out "
    "before it is stretched; 5 % is right",
    "stretch": "the factor that brings false alarms to 5 %; 1 where they are fewer",
    "size": "the effect in standard deviations of a user’s part in it",
    "slope": "what the mean effect gains with each doubling of the sessions; near 0 where size does not matter",
    "sign": "pairs of halves of the users that agree on the direction; a coin has 50 %",
    "forecast": "how well one half’s confidence in a direction foretells the other half’s: mean of 1 − (p − sign)². "
    "Below the forecast without conviction (one half each, 0.75) the direction is not to be trusted",
    "found from": "the smallest effect that a test of this size finds 8 times of 10",
    "sessions for 80 %": "with which an effect like this one is found 8 times of 10: the size of the next test",
}


def ab_tables(report: ABReport) -> list[Table]:
    """The effects, how far to trust them, and what smaller tests would have said."""
    title = f"A: {report.a}   B: {report.b}   {_size(report)}"
    effects = Table(title=title, title_justify="left")
    for name in ("", "A", "B", "B − A", "%", "B is", "A/A", "agents", "sign", "forecast", "for 80 %"):
        effects.add_column(name, justify="right" if name else "left")
    for e in report.effects:
        effects.add_row(
            e.outcome, _figure(e.a.value), _figure(e.b.value), _text(e.effect), _share(e.relative, sign=True),
            Text(e.verdict, style="dim" if e.verdict == "open" else "bold"), _text(e.noise), _agents(e),
            _share(e.agreement), f"{e.forecast:.2f} / {e.no_conviction:.2f}", _sessions(e),
        )  # fmt: skip
    effects.caption = (
        "Brackets: 95 %, paired over users. Agents: those whose own effect has this sign. Sign: halves of the users "
        "that agree; a coin has 50 %. Forecast: of one half by the other / without conviction. For 80 %: sessions that "
        f"find such an effect 8 times of 10. Of six outcomes one may well look different by chance. {LIMITS}"
    )
    effects.caption_justify = "left"
    smaller = Table(
        title=f"With fewer sessions: width of the interval, and what {DRAWS} tests of that size, drawn from this, say",
        title_justify="left",
    )
    smaller.add_column("")
    for point in report.effects[0].smaller:
        smaller.add_column(f"{point.sessions:.0f}", justify="right")
    for e in report.effects:
        smaller.add_row(e.outcome, *(f"{_figure(p.width)}  {_said(p)}" for p in e.smaller))
    return [effects, smaller]


def write_ab_page(report: ABReport, out: str | Path) -> Path:
    """Writes the page of a test."""
    s = report.settings
    facts = [
        ("data set", f"{s.data.name} ({s.data.source})"), ("split", s.split), ("sessions", str(report.sessions)),
        ("users", str(report.users)), ("agents", ", ".join(report.agents)), ("pairs", str(report.pairs)),
        ("lost to faults", str(report.lost)), ("seed", str(s.seed)),
    ]  # fmt: skip
    page = Report("What would B change?", f"A: {report.a}. B: {report.b}. {LIMITS}", facts)
    page.add(_effects_section(report), _trust_section(report), _smaller_section(report), _agents_section(report))
    return page.add(_reading_section(report)).write(out)


def _effects_section(report: ABReport) -> Section:
    rows = [
        (e.outcome, [_cell(e.a), _cell(e.b), _cell(e.effect), _said_cell(_share(e.relative, sign=True)),
                     _said_cell(e.verdict), _cell(e.noise)])
        for e in report.effects
    ]  # fmt: skip
    noisy = [e.outcome for e in report.effects if not _holds_zero(e.noise)]
    notes = ["Of six outcomes one may well look different by chance alone; decide beforehand which one counts."]
    if report.users < FEWEST:
        notes.append(f"Nothing is concluded of fewer than {FEWEST} users; there are {report.users}.")
    if noisy:
        notes.append(f"The A/A run itself looks different in {', '.join(noisy)}: doubt the verdict there.")
    return Section(
        "Effects",
        _table("effects", ["A", "B", "B − A", "% of A", "B is", "A/A"], rows, notes),
        f"The same {report.sessions} sessions, agents and seeds in both arms. Small print: 95 % intervals over users.",
    )


def _trust_section(report: ABReport) -> Section:
    rows = [
        (e.outcome, [_said_cell(text) for text in (
            _share(e.false_alarms), f"{e.stretch:.2f}", _figure(e.size), _figure(e.slope), _share(e.agreement),
            f"{e.forecast:.2f}", f"{e.no_conviction:.2f}", _figure(e.detectable), _sessions(e))])
        for e in report.effects
    ]  # fmt: skip
    columns = [
        "false alarms", "stretch", "size", "slope", "sign", "forecast", "no conviction", "found from",
        "sessions for 80 %",
    ]  # fmt: skip
    return Section("How far to trust them", _table("trust", columns, rows, []))


def _smaller_section(report: ABReport) -> Section:
    charts = []
    for e in report.effects:
        widths = [(p.sessions, p.width) for p in e.smaller if p.width is not None]
        if not widths:
            continue
        lines = {"width of the interval": widths}
        if e.effect.value is not None:
            lines["size of the effect"] = [(p.sessions, abs(e.effect.value)) for p in e.smaller]
        charts.append(chart(e.outcome, "", plots.curve_chart(f"{e.outcome}, width", lines, "sessions")))
        shares = {
            name: [(p.sessions, 100 * getattr(p, field)) for p in e.smaller]
            for name, field in (("% say higher", "higher"), ("% say lower", "lower"), ("% same sign", "same_sign"))
        }
        charts.append(chart(e.outcome, "what they say", plots.curve_chart(f"{e.outcome}, said", shares, "sessions")))
    lead = (
        f"{DRAWS} tests of each size, drawn from the users of this one. Near the whole size they are much the same "
        "tests, so that the curves say more on their left."
    )
    return Section("With fewer sessions", fragment("charts.html", charts=charts, notes=[]), lead)


def _agents_section(report: ABReport) -> Section:
    rows = [
        (e.outcome, [_cell(e.effect), *(_cell(e.agents[agent]) for agent in report.agents)]) for e in report.effects
    ]
    table = _table("effects by agent", ["all", *report.agents], rows, ["Single agents’ intervals are not stretched."])
    return Section("Agent by agent", table, "Where agents disagree, the effect is one of the population’s make-up.")


def _reading_section(report: ABReport) -> Section:
    s, p = report.settings, report.provenance
    facts = [
        *_READING.items(),
        ("data set", f"{s.data.name}, {s.environment['data']}"),
        ("sessions", f"{s.sessions} of split {s.split}, {s.sessions_hash}"),
        ("commit", p.commit or "not in a checkout"),
        ("versions", ", ".join([f"python {p.python}", *(f"{k} {v}" for k, v in p.packages.items())])),
    ]
    meanings = [(outcome.name, outcome.meaning) for outcome in OUTCOMES]
    return Section("How to read it, how it was made", fragment("made.html", facts=facts, glossary=meanings))


def _table(label: str, columns: Sequence[str], rows: Sequence[tuple[str, list[Any]]], notes: Sequence[str]) -> Any:
    named = [{"name": name, "cells": cells} for name, cells in rows]
    return fragment(
        "table.html", label=label, corner="outcome", columns=columns, groups=[], starts=[], rows=named, notes=notes
    )


def _cell(e: Estimate) -> dict[str, Any]:
    small = "" if e.low is None else f"{_figure(e.low)} to {_figure(e.high)}"
    return {"text": _figure(e.value), "small": small, "heat": None}


def _said_cell(text: str) -> dict[str, Any]:
    return {"text": text, "small": "", "heat": None}


def _text(e: Estimate) -> Text:
    text = Text(_figure(e.value))
    return text if e.low is None else text.append(f" [{_figure(e.low)}, {_figure(e.high)}]", style="dim")


def _said(point: Smaller) -> str:
    said = [f"{100 * share:.0f} % {name}" for name in ("higher", "lower") if (share := getattr(point, name)) >= 0.005]
    return ", ".join(said) or "none"


def _size(report: ABReport) -> str:
    lost = f", {report.lost} lost to faults" if report.lost else ""
    lost += f"; fewer than {FEWEST} users: nothing is concluded" if report.users < FEWEST else ""
    return (
        f"{report.pairs} pairs: {report.sessions} sessions of {report.users} users, {len(report.agents)} agents{lost}"
    )


def _sessions(e: Effect) -> str:
    return "n/a" if e.sessions_needed is None else f"{e.sessions_needed:,}"


def _agents(e: Effect) -> str:
    if not e.effect.value:
        return "n/a"
    same = sum((own.value or 0.0) * e.effect.value > 0 for own in e.agents.values())
    return f"{same} of {len(e.agents)}"


def _holds_zero(e: Estimate) -> bool:
    return e.low is None or e.high is None or e.low <= 0 <= e.high


def _share(value: float | None, sign: bool = False) -> str:
    return "n/a" if value is None else f"{100 * value:+.0f} %" if sign else f"{100 * value:.0f} %"


def _figure(value: float | None) -> str:
    return (
        "n/a"
        if value is None
        else "0"
        if abs(value) < 1e-9
        else f"{value:.3g}"
        if abs(value) < 1000
        else f"{value:,.0f}"
    )
