"""The report of a benchmark run, for people to look at.

Whoever has more to show (a demo with screens and training curves) builds a `Report` of these and other sections.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from shopsim.benchmark_usb.film import SessionFilm
from shopsim.benchmark_usb.page import Report, Section, curves_section, films_section
from shopsim.benchmark_usb.results import Results, StepResults
from shopsim.benchmark_usb.roster import CEILINGS, FLOOR
from shopsim.benchmark_usb.sections import (
    MEANINGS,
    actions_section,
    fidelity_section,
    glance_section,
    intent_section,
    made_section,
    scores_section,
    shape_section,
)
from shopsim.benchmark_usb.step_sections import STEP_MEANINGS, step_types_section, steps_section


def write_report(
    results: Results | StepResults,
    out: str | Path,
    films: Sequence[SessionFilm] = (),
    curves: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]] | None = None,
    steps: StepResults | None = None,
) -> Path:
    """Writes the report of a run.

    Args:
        results: A run; agents that have not finished are left out.
        out: The HTML file.
        films: Sessions to show.
        curves: Training curves to show, see `curves_section`.
        steps: A teacher-forced run to show beside a free one.

    Raises:
        InputError: No agent has finished.
    """
    report = Report("How human do they shop?", subtitle_of(results), facts_of(results))
    if isinstance(results, StepResults):
        return report.add(*step_sections(results), made_section(results, STEP_MEANINGS)).write(out)
    report.add(*score_sections(results))
    if steps is not None:
        report.add(*step_sections(steps))
    if curves:
        report.add(curves_section(curves))
    if films:
        report.add(films_section(films))
    glossary = MEANINGS if steps is None else MEANINGS | STEP_MEANINGS
    return report.add(made_section(results, glossary)).write(out)


def step_sections(steps: StepResults) -> list[Section]:
    """The sections of a teacher-forced run."""
    summaries = list(steps.finished().values())
    return [steps_section(summaries, steps.left_out()), step_types_section(summaries)]


def score_sections(results: Results) -> list[Section]:
    """The sections every benchmark report has: at a glance, behaviour, intent, sessions' shape, actions, all scores."""
    summaries = list(results.finished().values())
    return [
        glance_section(summaries, references_lacking(results), results.left_out()),
        fidelity_section(summaries),
        intent_section(summaries),
        shape_section(results),
        actions_section(summaries),
        scores_section(summaries),
    ]


def references_lacking(results: Results) -> list[str]:
    """Which of the agents that belong beside every other have not been run."""
    finished = results.finished()
    kinds = {results.head.agents[name].settings.get("name", name) for name in finished}
    wanted = [*FLOOR, *(CEILINGS if results.head.settings.data.source == "synthetic" else ())]
    return [name for name in wanted if name not in kinds and name not in finished]


def subtitle_of(results: Results | StepResults) -> str:
    """A sentence that says what was run."""
    s = results.head.settings
    agents = len(results.finished())
    if isinstance(results, StepResults):
        return (
            f"{agents} agent{'s' * (agents != 1)} asked at each screen of {s.sessions} recorded sessions of "
            f"“{s.data.name}”: what did the person do next?"
        )
    people = "simulated" if s.data.source == "synthetic" else "real"
    return (
        f"{agents} agent{'s' * (agents != 1)} in the place of {people} shoppers, in {s.sessions} recorded sessions of "
        f"“{s.data.name}”: does each do what the person did there?"
    )


def facts_of(results: Results | StepResults) -> list[tuple[str, str]]:
    """The run in a few words, for the top of a page."""
    s = results.head.settings
    return [
        ("data set", f"{s.data.name} ({s.data.source})"),
        ("split", s.split),
        ("sessions", str(s.sessions)),
        ("repetitions", str(s.repetitions)),
        ("feed", s.feed),
        ("seed", str(s.seed)),
    ]
