"""The pages of the viewer. Ours."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse, HTMLResponse, Response

from shopsim.benchmark_usb.plots import N_COLORS
from shopsim.benchmark_usb.results import Results, StepResults
from shopsim.data import DataSet
from shopsim.errors import DataError
from shopsim.server.pages import page
from shopsim.server.problems import Problem
from shopsim.server.served import safe_child
from shopsim.server.viewer.library import OUTCOMES, Library, Recording
from shopsim.server.viewer.lists import outcome_ranks, recordings_part, scores_part, sessions_part
from shopsim.server.viewer.pictures import Pictures, picture_response
from shopsim.server.viewer.shown import SIGNS, Shown, shown_agent, shown_person

router = APIRouter(include_in_schema=False)

Outcome = Literal["", "looked", "opened", "carted", "bought"]
Split = Literal["", "train", "validation", "test"]
Page = Annotated[int, Query(ge=1)]
Bound = Annotated[str, Query(max_length=20)]
Find = Annotated[str, Query(max_length=200)]


@router.get("/")
def start(request: Request) -> Response:
    """What there is."""
    library = _library(request)
    return page(
        request,
        "start.html",
        datasets=library.datasets(),
        runs=library.runs(),
        n_recordings=len(library.recordings()),
    )


@router.get("/data/{name}")
def sessions(
    request: Request, name: str, page_number: Annotated[int, Query(alias="page", ge=1)] = 1, split: Split = "",
    outcome: Outcome = "", find: Find = "",
) -> Response:  # fmt: skip
    """The sessions of a data set."""
    dataset = _library(request).dataset(name)
    part = sessions_part(name, dataset, page_number, split, outcome, find)
    counts = {word: int((outcome_ranks(dataset) == rank).sum()) for rank, word in enumerate(OUTCOMES)}
    asked = {"split": split, "outcome": outcome, "find": find}
    return page(request, "people.html", name=name, dataset=dataset, part=part, counts=counts, asked=asked, signs=SIGNS)


@router.get("/data/{name}/sessions/{session_id:path}/steps/{number:int}")
def person_step(request: Request, name: str, session_id: str, number: int) -> Response:
    """One step of a person."""
    dataset, row = _session(request, name, session_id)
    return _step_page(request, shown_person(name, dataset, row), number)


@router.get("/data/{name}/sessions/{session_id:path}/screens/{number:int}.webp")
def person_screen(request: Request, name: str, session_id: str, number: int, v: str = "") -> Response:
    """A screen as the person saw it; the address holds the data set's hash."""
    dataset, row = _session(request, name, session_id)
    pictures: Pictures = request.app.state.pictures
    return picture_response(request, pictures.of_person(dataset, row, number), forever=dataset.hash[:12] == v)


@router.get("/data/{name}/sessions/{session_id:path}")
def person(request: Request, name: str, session_id: str) -> Response:
    """A person's session as a strip, and who shopped in their place."""
    library = _library(request)
    dataset, row = _session(request, name, session_id)
    user = dataset.user(dataset.user_row(row))
    facts = [("split", dataset.split(row)), ("user", user.user_id)]
    facts += [(what, str(v)) for what, v in (("age", user.age), ("gender", user.gender)) if v is not None]
    return page(
        request,
        "session.html",
        shown=[shown_person(name, dataset, row)],
        title=f"Session {session_id}",
        about=user.persona or "",
        facts=facts,
        others=_others(library, dataset.hash, session_id),
        data=(name, dataset),
        chosen=[],
        parting=[],
    )


@router.get("/results")
def results(request: Request) -> Response:
    """Runs and recordings."""
    library = _library(request)
    return page(request, "results.html", runs=library.runs(), n_recordings=len(library.recordings()))


@router.get("/results/{name}")
def run(
    request: Request, name: str, page_number: Annotated[int, Query(alias="page", ge=1)] = 1, agent: Find = "",
    outcome: Outcome = "", find: Find = "", least: Bound = "", most: Bound = "",
) -> Response:  # fmt: skip
    """A run: its agents at a glance and its rollouts."""
    from shopsim.benchmark_usb.report import facts_of, subtitle_of
    from shopsim.benchmark_usb.sections import glance_section

    library = _library(request)
    read = library.run(name)
    if isinstance(read, StepResults):
        return page(request, "run.html", name=name, subtitle=subtitle_of(read), facts=facts_of(read), part=None)
    recorded = {(r.agent, r.session_id): r.name for r in library.recordings().values() if r.run == name}
    scores = [score for known in read.head.agents for score in read.scores(known)]
    part = scores_part(scores, recorded, page_number, agent, outcome, find, _number(least), _number(most))
    finished = list(read.head.scores.values())
    return page(
        request,
        "run.html",
        name=name,
        subtitle=subtitle_of(read) if finished else "No agent has finished yet.",
        facts=facts_of(read) if finished else [],
        glance=glance_section(finished) if finished else None,
        agents=list(read.head.agents),
        part=part,
        asked={"agent": agent, "outcome": outcome, "find": find, "least": least, "most": most},
    )


@router.get("/results/{name}/report")
def report(request: Request, name: str) -> Response:
    """The whole report of a run, as ``shopsim benchmark report`` writes it."""
    read = _library(request).run(name)
    # The report brings its own style and has no script; its texts are escaped.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
    html = _report(read, len(read.head.scores))
    return HTMLResponse(html, headers={"content-security-policy": policy})


@router.get("/recordings")
def recordings(
    request: Request, page_number: Annotated[int, Query(alias="page", ge=1)] = 1, agent: Find = "",
    outcome: Outcome = "", find: Find = "", least: Bound = "", most: Bound = "",
) -> Response:  # fmt: skip
    """Every recorded session."""
    library = _library(request)
    known = list(library.recordings().values())
    part = recordings_part(known, page_number, agent, outcome, find, _number(least), _number(most))
    return page(
        request,
        "recordings.html",
        part=part,
        agents=sorted({r.agent for r in known}),
        damaged=library.damaged(),
        asked={"agent": agent, "outcome": outcome, "find": find, "least": least, "most": most},
    )


@router.get("/recordings/{name}/steps/{number:int}")
def agent_step(
    request: Request,
    name: str,
    number: int,
    others: Annotated[list[str], Query(alias="with", max_length=5, default_factory=list)],
) -> Response:
    """One step of an agent, the person's and other agents' beside it."""
    library = _library(request)
    recording, *beside = _alike(library, [name, *others])
    people = _person_of(library, recording)
    shown = [_shown(library, other, place) for place, other in enumerate(beside, start=1)]
    names = [other.name for other in beside]
    return _step_page(request, _shown(library, recording, 0, names), number, [*people, *shown])


@router.get("/recordings/{name}/screens/{screen}.png")
def agent_screen(request: Request, name: str, screen: str) -> Response:
    """A screen as the agent saw it; the address is the hash of its pixels."""
    recording = _library(request).recording(name)
    file = safe_child(recording.path, "screens", f"{screen}.png")
    return picture_response(request, file.read_bytes(), "image/png")


@router.get("/recordings/{name}")
def recording(request: Request, name: str) -> Response:
    """An agent's session under the person's."""
    return compare(request, [name])


@router.get("/compare")
def compare(request: Request, r: Annotated[list[str], Query(max_length=6, default_factory=list)]) -> Response:
    """Agents in one session, under the person they stand for."""
    library = _library(request)
    chosen = _alike(library, r)
    first = chosen[0]
    found = library.dataset_of(first.data)
    people = _person_of(library, first)
    names = [recording.name for recording in chosen]
    agents = [
        _shown(library, recording, place, [name for name in names if name != recording.name])
        for place, recording in enumerate(chosen)
    ]
    return page(
        request,
        "session.html",
        shown=[*people, *agents],
        title=f"Session {first.session_id}",
        about=""
        if found
        else "Its data set is not served here, so the person’s session and the items’ names are missing.",
        facts=[],
        others=_others(library, first.data, first.session_id),
        data=found,
        chosen=names,
        parting=_parting([*people, *agents]),
    )


@router.get("/static/report.css")
def style() -> Response:
    """The style that the pages share with reports."""
    from importlib.resources import files

    file = files("shopsim.benchmark_usb") / "templates" / "report.css"
    return FileResponse(str(file), media_type="text/css", headers={"cache-control": "no-cache"})


# Inner workings


def _library(request: Request) -> Library:
    library: Library = request.app.state.library
    return library


def _session(request: Request, name: str, session_id: str) -> tuple[DataSet, int]:
    dataset = _library(request).dataset(name)
    try:
        return dataset, dataset.session_row(session_id)
    except DataError as error:
        raise Problem(404, "UNKNOWN_SESSION", str(error)) from None


def _shown(library: Library, recording: Recording, color: int = 0, beside: Sequence[str] = ()) -> Shown:
    found = library.dataset_of(recording.data)
    return shown_agent(recording, library.trace(recording), found[1] if found else None, color % N_COLORS, beside)


def _person_of(library: Library, recording: Recording) -> list[Shown]:
    """The session of the person in whose place an agent shopped; none where its data set is not served."""
    found = library.dataset_of(recording.data)
    return [] if found is None else [shown_person(*found, found[1].session_row(recording.session_id))]


def _alike(library: Library, names: Sequence[str]) -> list[Recording]:
    """Recordings of one session."""
    chosen = [library.recording(name) for name in dict.fromkeys(names)]
    if not chosen:
        raise Problem(422, "NOTHING_CHOSEN", "choose one or more recordings of one session to compare")
    first = chosen[0]
    if any((other.session_id, other.data) != (first.session_id, first.data) for other in chosen):
        raise Problem(422, "UNLIKE_SESSIONS", "only recordings of one session of one data set can be compared")
    return chosen


def _others(library: Library, data: str, session_id: str) -> list[Recording]:
    return [r for r in library.recordings().values() if (r.data, r.session_id) == (data, session_id)]


def _step_page(request: Request, shown: Shown, number: int, beside: Sequence[Shown] = ()) -> Response:
    if not 0 <= number < len(shown.steps):
        raise Problem(404, "UNKNOWN_STEP", f"this session has steps 0 to {len(shown.steps) - 1}")
    return page(request, "step.html", shown=shown, step=shown.steps[number], beside=beside)


def _parting(shown: Sequence[Shown]) -> list[tuple[str, int]]:
    """For each pair of shoppers in words, how many first steps they have in common."""
    found = []
    for i, one in enumerate(shown):
        for two in shown[i + 1 :]:
            pairs = zip(one.steps, two.steps, strict=False)
            same = 0
            for a, b in pairs:
                if a.frame.caption != b.frame.caption:
                    break
                same += 1
            found.append((f"{one.who} and {two.who}", same))
    return found


def _number(text: str) -> float | None:
    try:
        return float(text) if text.strip() else None
    except ValueError:
        raise Problem(422, "VALIDATION_ERROR", f"{text!r} is no number") from None


@lru_cache(maxsize=8)
def _report(read: Results | StepResults, finished: int) -> str:
    """A report, made once for a run as it stands."""
    from shopsim.benchmark_usb.page import Report
    from shopsim.benchmark_usb.report import facts_of, score_sections, step_sections, subtitle_of
    from shopsim.benchmark_usb.sections import MEANINGS, made_section
    from shopsim.benchmark_usb.step_sections import STEP_MEANINGS

    made = Report("How human do they shop?", subtitle_of(read), facts_of(read))
    parts: Any = step_sections(read) if isinstance(read, StepResults) else score_sections(read)
    meanings = STEP_MEANINGS if isinstance(read, StepResults) else MEANINGS
    return made.add(*parts, made_section(read, meanings)).html()
