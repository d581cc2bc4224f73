"""Results and comparisons as tables for a terminal."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from shopsim.benchmark_usb.bootstrap import Estimate
from shopsim.benchmark_usb.compare import Comparison
from shopsim.benchmark_usb.fidelity import METRICS
from shopsim.benchmark_usb.intent import INTENT
from shopsim.benchmark_usb.persona_run import MEASURES, PersonaResults
from shopsim.benchmark_usb.roster import TRIVIAL
from shopsim.benchmark_usb.step_scores import StepSummary
from shopsim.benchmark_usb.step_sections import STEP_MEANINGS, scores_of
from shopsim.benchmark_usb.summary import Summary
from shopsim.data.vocabulary import ACTION_LABELS


def scores_table(summaries: Sequence[Summary], left_out: Sequence[str] = ()) -> Table:
    """All scores of a run: a column for each agent, intervals beside the values; under it what was left out.

    Agents are columns, since there are more scores than fit on a line.
    """
    table = Table(
        title="Ratios to people: 1 is perfect. Intent in percent. Brackets: 95 % over users.", title_justify="left"
    )
    table.add_column("")
    table.add_column("people", justify="right")
    for s in summaries:
        table.add_column(s.agent, justify="right", overflow="fold")
    first = summaries[0]

    def row(
        name: str, estimates: Sequence[Estimate], scale: float = 1, people: Estimate | None = None, last: bool = False
    ) -> None:
        # What people do is a fact of the sessions; its value will do.
        known = Text("") if people is None else _text(Estimate(people.value), scale)
        table.add_row(name, known, *(_text(e, scale) for e in estimates), end_section=last)

    for metric in METRICS:
        mark = " *" if metric.name in first.fidelity.left_out else ""
        rates = [s.fidelity.rates[metric.name] for s in summaries]
        row(metric.name + mark, [rate.ratio for rate in rates], people=rates[0].human)
    row("deviation", [s.fidelity.deviation for s in summaries], last=True)
    for name in INTENT:
        row(name, [s.intent.scores[name] for s in summaries])
    row("false activity %", [s.intent.false_activity for s in summaries])
    flags = [Text(", ".join(s.overacting), style="red") for s in summaries]
    table.add_row("beyond half or twice", "", *flags, end_section=True)
    for part in first.reward:
        row(f"reward {part}", [s.reward[part] for s in summaries])
    row("invalid %", [s.fidelity.invalid_rate for s in summaries], 100)
    row("revisits %", [s.fidelity.agent_revisits for s in summaries], 100, first.fidelity.human_revisits)
    # These rest on the same steps as ATL.
    mark = " *" if first.fidelity.rates["ATL"].imputed else ""
    row(f"left by itself %{mark}", [s.fidelity.agent_left for s in summaries], 100)
    row(f"actions asked for (JS){mark}", [s.fidelity.action_divergence for s in summaries])
    row(f"effects (JS){mark}", [s.fidelity.effect_divergence for s in summaries])
    row(f"length (W1, steps){mark}", [s.fidelity.length_distance for s in summaries], last=True)
    row("tokens a session", [s.tokens for s in summaries])
    row("seconds a session", [s.seconds for s in summaries])
    table.add_row("rollouts", "", *(f"{s.rollouts}" + (f" + {s.faults} faults" if s.faults else "") for s in summaries))
    notes: list[str] = []
    if first.fidelity.left_out:
        reasons = "; ".join(f"{name}: {why}" for name, why in first.fidelity.left_out.items())
        notes = [f"* left out of the deviation, or imputed ({reasons})"]
    return _noted(table, notes, left_out)


def overview_table(summaries: Sequence[Summary], left_out: Sequence[str] = ()) -> Table:
    """The main scores of many agents: a row for each, without intervals (`scores_table` has them)."""
    table = Table(title="Ratios to people: 1 is perfect. Intent in percent.", title_justify="left")
    intents = ("HR", "F1", "HCO")
    table.add_column("")
    for name in (
        *(m.name for m in METRICS),
        "deviation",
        *intents,
        "reward",
        "invalid %",
        "tokens",
        "seconds",
        "faults",
    ):
        table.add_column(name, justify="right")
    for s in summaries:
        cells = [s.fidelity.rates[metric.name].ratio for metric in METRICS]
        cells += [s.fidelity.deviation, *(s.intent.scores[name] for name in intents)]
        shown = [_text(Estimate(cell.value)) for cell in cells]
        shown += [_text(Estimate(s.reward["total"].value)) if "total" in s.reward else Text("n/a", style="dim")]
        shown += [_text(Estimate(s.fidelity.invalid_rate.value), 100)]
        shown += [_text(Estimate(cost.value)) for cost in (s.tokens, s.seconds)]
        flag = "red" if s.overacting else ""
        table.add_row(Text(s.agent, style=flag), *shown, str(s.faults) if s.faults else "")
    return _noted(table, ["Red: a rate beyond half or twice people's, so that intent is not to be trusted."], left_out)


def personas_table(results: PersonaResults) -> Table:
    """What each persona does to each measure: its value, and the shift from playing without a persona."""
    title = "With the persona (shift from none; of prices the ratio). Brackets: 95 % over users. Bold: beyond chance."
    table = Table(title=title, title_justify="left")
    for name in ("agent", "persona", "opened", *MEASURES):
        table.add_column(name, justify="left" if name in ("agent", "persona") else "right")
    shifts = {(shift.agent, shift.persona, shift.measure): shift for shift in results.shifts()}
    for name in results.head.agents:
        agent, _, persona = name.rpartition("+")
        summary = results.summary(name)
        cells = [_text(Estimate(summary.opened))]
        for measure in MEASURES:
            cell = _text(Estimate(summary.measures[measure].value))
            if shift := shifts.get((agent, persona, measure)):
                even = 1.0 if measure == "price" else 0.0
                low, high = shift.shift.low, shift.shift.high
                beyond = low is not None and high is not None and not low <= even <= high
                moved = _text(shift.shift, sign=measure != "price")
                cell = Text.assemble(cell, " (", (moved.plain, "bold" if beyond else "dim"), ")")
            cells.append(cell)
        table.add_row(agent, persona, *cells)
    return table


def steps_table(summaries: Sequence[StepSummary], left_out: Sequence[str] = ()) -> Table:
    """All step scores of a run, in percent: a column for each agent, intervals beside the values."""
    table = Table(title="Step scores, percent. Brackets: 95 % over users.", title_justify="left")
    table.add_column("")
    table.add_column("steps", justify="right")
    for s in summaries:
        table.add_column(s.agent, justify="right", overflow="fold")
    for name in STEP_MEANINGS:
        last = name == list(STEP_MEANINGS)[-1]
        table.add_row(name, "", *(_text(scores_of(s)[name], 100) for s in summaries), end_section=last)
    for action in ACTION_LABELS:
        steps = summaries[0].types[action].steps
        table.add_row(f"F1 {action}", str(steps), *(_text(s.types[action].f1, 100) for s in summaries))
    table.add_section()
    for action in ACTION_LABELS:
        table.add_row(f"exact {action}", "", *(_text(s.types[action].exact, 100) for s in summaries))
    table.add_section()
    table.add_row("tokens a session", "", *(_text(s.tokens) for s in summaries))
    table.add_row("seconds a session", "", *(_text(s.seconds) for s in summaries))
    counts = (f"{s.rollouts}" + (f" + {s.faults} faults" if s.faults else "") for s in summaries)
    table.add_row("sessions", str(summaries[0].steps), *counts)
    trivial = f"{', '.join(TRIVIAL)} know nothing of the screen: scores at their level say nothing."
    return _noted(table, [trivial], left_out)


def comparison_table(comparison: Comparison) -> Table:
    """Two agents side by side; what is beyond chance is marked."""
    table = Table(title=f"{comparison.pairs} paired rollouts; 95 % over users", title_justify="left")
    for name in ("", f"a: {comparison.a}", f"b: {comparison.b}", "b - a", "better"):
        table.add_column(name, justify="left" if not name else "right")
    for d in comparison.differences:
        better = Text(d.better, style="bold") if d.better else Text("")
        table.add_row(d.score, _text(Estimate(d.a)), _text(Estimate(d.b)), _text(d.difference), better)
    if comparison.accepted:
        table.caption, table.caption_justify = f"although {'; '.join(comparison.accepted)}", "left"
    return table


def _noted(table: Table, notes: Sequence[str], left_out: Sequence[str]) -> Table:
    """The table with lines under it."""
    lines = [*notes, *(f"Left out: {line}" for line in left_out)]
    table.caption, table.caption_justify = Text("\n".join(lines)) if lines else None, "left"
    return table


def _text(e: Estimate, scale: float = 1, sign: bool = False) -> Text:
    if e.value is None:
        return Text("n/a", style="dim")
    text = Text(("+" if sign and e.value > 0 else "") + _number(e.value * scale))
    if e.within is not None:
        text.append(f" ± {_number(e.within * scale)}", style="dim")
    if e.low is not None and e.high is not None:
        text.append(f" [{_number(e.low * scale)}, {_number(e.high * scale)}]", style="dim")
    return text


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
