"""The sections of a benchmark's report: each turns scores into charts, cards or a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from shopsim.benchmark_usb import plots
from shopsim.benchmark_usb.bootstrap import Estimate
from shopsim.benchmark_usb.fidelity import EFFECTS, METRICS, MIX, Behaviour
from shopsim.benchmark_usb.intent import INTENT
from shopsim.benchmark_usb.page import Section, chart, fragment
from shopsim.benchmark_usb.results import Results, StepResults
from shopsim.benchmark_usb.summary import Summary

MEANINGS: dict[str, str] = {
    **{m.name: m.meaning for m in METRICS},
    "deviation": "how far the five rates are from people’s on average, as a factor; 1 is perfect",
    "HR": "sessions in which the agent touched at least one of the person’s items",
    "P": "share of the items the agent touched that the person touched too",
    "R": "share of the person’s items that the agent touched",
    "F1": "harmonic mean of P and R",
    "CP": "P, by category instead of item",
    "CR": "R, by category instead of item",
    "HCO": "how many of the three category levels the best matching items share",
    "false activity": "sessions in which the agent touched something and the person nothing",
    "invalid": "steps that could not be read or done",
    "actions": "Jensen-Shannon divergence of the action types asked for from people’s, 0 to 1; 0 is the same",
    "effects": "the same divergence of what the steps did",
    "length": "Wasserstein distance of session lengths from people’s, in steps",
    "revisits": "page openings that opened a page again",
    "left": "sessions that the agent ended itself; the rest ran into a limit",
}


def glance_section(summaries: Sequence[Summary], lacking: Sequence[str] = (), left_out: Sequence[str] = ()) -> Section:
    """A card for each agent; says which agents should have been run beside them, and what was left out and why."""
    agents = []
    for summary in summaries:
        facts = [
            ("deviation", _number(summary.fidelity.deviation, "×")),
            ("item F1", _number(summary.intent.scores["F1"], " %")),
            ("hit rate", _number(summary.intent.scores["HR"], " %")),
            ("category overlap", _number(summary.intent.scores["HCO"], " %")),
            ("invalid steps", _percent(summary.fidelity.invalid_rate)),
        ]
        if "total" in summary.reward:
            facts.append(("reward", _number(summary.reward["total"])))
        if summary.tokens.value:
            facts.append(("tokens a session", _number(summary.tokens)))
        facts.append(("seconds a session", _number(summary.seconds, digits=2)))
        agents.append({"name": summary.agent, "facts": facts, "flags": summary.overacting, "faults": summary.faults})
    body = fragment("glance.html", agents=agents, n_colors=plots.N_COLORS, left_out=left_out)
    lead = (
        "No single number says how human an agent shops. Behaviour: 1× is as much, as deep and as long as people. "
        "Intent: 100 % is the same things as the person in the same session."
    )
    if lacking:
        lead += (
            f" Not run beside them, so that floor or ceiling are unknown: {', '.join(lacking)} (the same run with "
            f"--agents {','.join(lacking)} adds them)."
        )
    return Section("At a glance", body, lead)


def fidelity_section(summaries: Sequence[Summary]) -> Section:
    """Ratios to people."""
    charts, notes = [], []
    for metric in METRICS:
        rates = {s.agent: s.fidelity.rates[metric.name] for s in summaries}
        people = next(iter(rates.values())).human.value
        svg = plots.ratio_chart(metric.name, metric.meaning, [(agent, rate.ratio) for agent, rate in rates.items()])
        charts.append(chart(metric.name, f"{metric.meaning}; people {people:.3g}", svg))
    for name, reason in summaries[0].fidelity.left_out.items():
        notes.append(f"{name} is not part of the deviation ({reason}).")
    body = fragment("charts.html", charts=charts, notes=notes)
    return Section(
        "Behaviour",
        body,
        "Each rate as a ratio to that of the people on the same sessions. The line in the middle is people; the shaded "
        "band reaches from half to twice their rate.",
    )


def intent_section(summaries: Sequence[Summary]) -> Section:
    """Intent scores."""
    charts = []
    for name in INTENT:
        svg = plots.percent_chart(name, MEANINGS[name], [(s.agent, s.intent.scores[name]) for s in summaries])
        charts.append(chart(name, MEANINGS[name], svg))
    intent = summaries[0].intent
    notes = [
        f"Averaged over the {intent.sessions} rollouts whose person touched at least one item; in the other "
        f"{intent.quiet_sessions}, touching anything is false activity."
    ]
    if flagged := [f"{s.agent} ({', '.join(s.overacting)})" for s in summaries if s.overacting]:
        notes.append(
            f"Beyond half or twice people’s rates: {'; '.join(flagged)}. Touching everything raises HR, R and CR, and "
            "doing nothing makes no mistakes; such intent scores say little."
        )
    body = fragment("charts.html", charts=charts, notes=notes)
    return Section("Intent", body, "Does it go for the same things as the person in the same session? 100 is perfect.")


STAGES = {"seen": "impressions", "opened": "opened", "detail": "entered", "cart": "carted", "bought": "bought"}


_WINDOWS, _FEW = 16, 20
"""Leaving is drawn over at most so many windows of steps, and not where fewer than so many chances to leave lie."""


def shape_section(results: Results) -> Section:
    """How long sessions are, how deep they go, when they end."""
    charts = []
    for index, (agent, summary) in enumerate(results.finished().items()):
        kept = [s for s in results.scores(agent) if s.fault is None]
        lengths, human = [s.behaviour.steps for s in kept], [s.human.steps for s in kept]
        mine, people = _means([s.behaviour for s in kept]), _means([s.human for s in kept])
        stages = {stage: (mine[stage], people[stage]) for stage in STAGES}
        leaving = summary.fidelity.leaving
        curves = _windows(leaving.agent, leaving.agent_reached), _windows(leaving.human, leaving.human_reached)
        lengths_svg = plots.length_chart(agent, index, lengths, human)
        charts += [
            chart(agent, "items per session: agent | people (mark)", plots.funnel_chart(agent, index, stages)),
            chart(agent, "session lengths: agent (line), people (filled)", lengths_svg),
            chart(agent, "leaving: agent, people (thick)", plots.leaving_chart(agent, index, *curves)),
        ]
    notes = _imputed_note(next(iter(results.finished().values())))
    body = fragment("charts.html", charts=charts, notes=notes)
    return Section("Shape of sessions", body, "How deep sessions go, how long they last, and when they end.")


def _windows(chances: Sequence[float | None], reached: Sequence[int]) -> list[tuple[float, float]]:
    """Chance to leave per step, over windows of steps: (middle step, chance)."""
    width = max(1, -(-len(reached) // _WINDOWS))
    points = []
    for start in range(0, len(reached), width):
        n = sum(reached[start : start + width])
        left = sum(
            r * (p or 0) for r, p in zip(reached[start : start + width], chances[start : start + width], strict=True)
        )
        if n >= _FEW:
            points.append((start + (width + 1) / 2, left / n))
    return points


def actions_section(summaries: Sequence[Summary]) -> Section:
    """Shares of action types asked for, and of what came of them."""
    first = summaries[0].fidelity
    tables = [
        _mix_table(
            "by type asked for",
            MIX,
            {"people": first.human_mix} | {s.agent: s.fidelity.agent_mix for s in summaries},
            ["Types as asked for, done or not. People’s are recorded by what they did."],
        ),
        _mix_table(
            "by effect",
            EFFECTS,
            {"people": first.human_effects} | {s.agent: s.fidelity.agent_effects for s in summaries},
            ["What the same steps did: a tap on the cart button is an add to cart.", *_imputed_note(summaries[0])],
        ),
    ]
    return Section("Actions", Markup("").join(tables), "What the steps of a session are spent on.")


def _mix_table(title: str, bins: Sequence[str], mixes: Mapping[str, Mapping[str, float]], notes: list[str]) -> Markup:
    return fragment(
        "table.html",
        label=f"Share of steps {title}",
        corner=f"% of steps {title}",
        columns=[name.replace("_", " ") for name in bins],
        groups=[],
        starts=[],
        rows=[_mix_row(name, bins, mix) for name, mix in mixes.items()],
        notes=notes,
    )


def scores_section(summaries: Sequence[Summary]) -> Section:
    """Every score with its interval."""
    parts = list(summaries[0].reward)
    groups = [
        ("ratio to people", len(METRICS) + 1),
        ("intent, %", len(INTENT) + 1),
        ("further", 6),
        *([("reward", len(parts))] if parts else []),
        ("cost a session", 2),
    ]
    starts, at = [], 0
    for _, span in groups:
        starts.append(at)
        at += span
    rows = []
    for s in summaries:
        f = s.fidelity
        cells = [cell(f.rates[m.name].ratio) for m in METRICS] + [cell(f.deviation)]
        cells += [cell(s.intent.scores[name], 1) for name in INTENT] + [cell(s.intent.false_activity, 1)]
        cells += [cell(f.invalid_rate, percent=True), cell(f.agent_revisits, percent=True)]
        cells += [cell(f.agent_left, percent=True), cell(f.action_divergence), cell(f.effect_divergence)]
        cells += [cell(f.length_distance)]
        cells += [cell(s.reward[part]) for part in parts] + [cell(s.tokens), cell(s.seconds)]
        rows.append({"name": s.agent, "cells": cells})
    columns = [
        *(m.name for m in METRICS), "deviation", *INTENT, "false activity", "invalid", "revisits", "left", "actions",
        "effects", "length", *parts, "tokens", "seconds",
    ]  # fmt: skip
    notes = ["Small print: 95 % interval over users; after ±, the standard error from the agent’s own randomness."]
    body = fragment(
        "table.html", label="All scores", corner="agent", columns=columns, groups=groups, starts=starts, rows=rows,
        notes=notes,
    )  # fmt: skip
    return Section("All scores", body)


def made_section(results: Results | StepResults, glossary: Mapping[str, str] = MEANINGS) -> Section:
    """With what the results were made, and what the scores mean."""
    s, p = results.head.settings, results.head.provenance
    facts = [
        ("data set", f"{s.data.name}, {s.data.hash}"),
        ("sessions", f"{s.sessions} of split {s.split}, {s.sessions_hash}"),
        ("environment", ", ".join(f"{k} {v}" for k, v in s.environment.items())),
        ("commit", p.commit or "not in a checkout"),
        ("versions", ", ".join([f"python {p.python}", *(f"{k} {v}" for k, v in p.packages.items())])),
    ]
    for name, agent in results.head.agents.items():
        prompt = f"; prompt {agent.prompt_hash}" if agent.prompt_hash else ""
        facts.append((name, f"{agent.settings or 'no settings'}{prompt}"))
    body = fragment("made.html", facts=facts, glossary=list(glossary.items()))
    return Section("How this was made", body)


def _imputed_note(summary: Summary) -> list[str]:
    imputed = summary.fidelity.rates["ATL"].imputed
    if not imputed:
        return []
    return [f"{' and '.join(imputed).capitalize()} are not in this log: here the importer’s filling stands for people."]


def _means(counts: Sequence[Behaviour]) -> dict[str, float]:
    """Items per session at each of `STAGES`."""
    n = max(1, len(counts))
    return {stage: sum(getattr(c, field) for c in counts) / n for stage, field in STAGES.items()}


def _mix_row(name: str, bins: Sequence[str], mix: Mapping[str, float]) -> dict[str, Any]:
    cells = [{"text": f"{100 * mix[a]:.1f}", "small": "", "heat": round(75 * mix[a], 1)} for a in bins]
    return {"name": name, "cells": cells}


def cell(e: Estimate, digits: int = 2, percent: bool = False) -> dict[str, Any]:
    """A score with its interval and error, for ``table.html``."""
    scale, unit = (100, 1) if percent else (1, digits)

    def text(value: float | None) -> str:
        if value is None:
            return "n/a"
        value *= scale
        return f"{value:.{unit}f}" if abs(value) < 1000 else f"{value:.0f}"

    small = "" if e.low is None else f"{text(e.low)} to {text(e.high)}"
    if e.within is not None:
        small += f" ± {text(e.within)}"
    return {"text": text(e.value) + (" %" if percent and e.value is not None else ""), "small": small, "heat": None}


def _number(e: Estimate, unit: str = "", digits: int = 3) -> str:
    if e.value is None:
        return "n/a"
    return f"{e.value:.{digits}g}{unit}" if abs(e.value) < 100 else f"{e.value:.0f}{unit}"


def _percent(e: Estimate) -> str:
    return "n/a" if e.value is None else f"{100 * e.value:.1f} %"
