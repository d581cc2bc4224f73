"""The sections of a report on teacher-forced runs: what did the person do next (SPEC 4.3)."""

from collections.abc import Sequence

from shopsim.benchmark_usb import plots
from shopsim.benchmark_usb.bootstrap import Estimate
from shopsim.benchmark_usb.page import Section, chart, fragment
from shopsim.benchmark_usb.roster import TRIVIAL
from shopsim.benchmark_usb.sections import cell
from shopsim.benchmark_usb.step_scores import StepSummary
from shopsim.data.vocabulary import ACTION_LABELS

STEP_MEANINGS: dict[str, str] = {
    "exact match": "steps answered with the person’s action and on the person’s item",
    "session-macro": "exact match of each session, averaged over sessions",
    "type accuracy": "steps answered with the person’s action, on whatever item",
    "macro F1": "F1 of the action types, each type counting the same",
    "weighted F1": "F1 of the action types, each weighted by how often people use it",
    "nothing": "answers that could not be read, or that would have done nothing",
}


def scores_of(summary: StepSummary) -> dict[str, Estimate]:
    """The step scores by the names of `STEP_MEANINGS`, 0-1."""
    return {
        "exact match": summary.exact_match,
        "session-macro": summary.session_exact_match,
        "type accuracy": summary.type_accuracy,
        "macro F1": summary.macro_f1,
        "weighted F1": summary.weighted_f1,
        "nothing": summary.nothing_rate,
    }


def steps_section(summaries: Sequence[StepSummary], left_out: Sequence[str] = ()) -> Section:
    """Every step score of every agent, and what was left out."""
    scores = [scores_of(summary) for summary in summaries]
    charts = [
        chart(
            name,
            STEP_MEANINGS[name],
            plots.percent_chart(
                name, STEP_MEANINGS[name],
                [(s.agent, _percent(of[name])) for s, of in zip(summaries, scores, strict=True)],
            ),
        )
        for name in ("exact match", "macro F1")
    ]  # fmt: skip
    rows = [
        {
            "name": summary.agent,
            "cells": [cell(e, percent=True) for e in of.values()] + [cell(summary.tokens), cell(summary.seconds)],
        }
        for summary, of in zip(summaries, scores, strict=True)
    ]
    notes = [
        f"{', '.join(TRIVIAL)} know nothing of the screen: a score at their level says nothing, and weighted F1 and "
        "type accuracy of a one-sided mix of actions are high for anybody.",
        "Small print: 95 % interval over users; after ±, the standard error from the agent’s own randomness.",
        *(f"Left out: {line}" for line in left_out),
    ]
    table = fragment(
        "table.html",
        label="Step scores",
        corner="agent",
        columns=[*STEP_MEANINGS, "tokens", "seconds"],
        groups=[],
        starts=[],
        rows=rows,
        notes=notes,
    )
    body = fragment("charts.html", charts=charts, notes=[]) + table
    lead = (
        f"At each of {summaries[0].steps} recorded screens: what did the person do next? Whatever is answered, the "
        "recorded session goes on."
    )
    return Section("Next step", body, lead)


def step_types_section(summaries: Sequence[StepSummary]) -> Section:
    """F1 and exact match of each action type."""
    first = summaries[0]
    people = {
        "name": "people: % of steps",
        "cells": [_plain(100 * first.types[a].steps / max(1, first.steps)) for a in ACTION_LABELS],
    }
    rows = [
        people,
        *({"name": s.agent, "cells": [_type_cell(s, action) for action in ACTION_LABELS]} for s in summaries),
    ]
    body = fragment(
        "table.html",
        label="F1 by action type",
        corner="F1, %",
        columns=[action.replace("_", " ") for action in ACTION_LABELS],
        groups=[],
        starts=[],
        rows=rows,
        notes=["Below each F1: precision, recall, and exact match (recall with the person’s item), all in percent."],
    )
    return Section("Next step by action", body, "Which of the person’s actions an agent foresees.")


def _type_cell(summary: StepSummary, action: str) -> dict[str, object]:
    of = summary.types[action]
    parts = [("P", of.precision), ("R", of.recall), ("exact", of.exact)]
    small = " · ".join(f"{name} {100 * e.value:.0f}" for name, e in parts if e.value is not None)
    if of.f1.value is None:
        return {"text": "n/a", "small": "", "heat": None}
    return {"text": f"{100 * of.f1.value:.1f}", "small": small, "heat": round(45 * of.f1.value, 1)}


def _plain(value: float) -> dict[str, object]:
    return {"text": f"{value:.1f}", "small": "", "heat": None}


def _percent(e: Estimate) -> Estimate:
    def scaled(value: float | None) -> float | None:
        return None if value is None else 100 * value

    return Estimate(scaled(e.value), scaled(e.low), scaled(e.high), scaled(e.within))
