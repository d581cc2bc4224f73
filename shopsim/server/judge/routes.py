"""The pages of judge: for the study's owner, and under ``/judge/rate/`` for raters, who come by invitation. Ours."""

import csv
import io
import secrets
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from sqlalchemy import Row
from starlette.responses import RedirectResponse, Response

from shopsim.benchmark_usb.film import Frame
from shopsim.envs import layout
from shopsim.errors import InputError
from shopsim.server.forms import Form, first
from shopsim.server.judge.clips import Candidate, Clip, candidates, make_clip, sources
from shopsim.server.judge.drawing import draw_pairs
from shopsim.server.judge.scores import inattentive_raters, score
from shopsim.server.judge.store import Asked, NewClip, NewStudy, Studies
from shopsim.server.pages import page
from shopsim.server.problems import Problem
from shopsim.server.viewer.pictures import picture_response
from shopsim.server.viewer.shown import path_of

router = APIRouter(include_in_schema=False)

RATE = "/judge/rate"
"""Below it is all that raters need; the server's token is not asked for here."""
_YEAR = 365 * 24 * 3600


@router.get("/judge")
def lobby(request: Request) -> Response:
    """What a study is, those of this browser, and a form for a new one."""
    studies = request.app.state.studies
    own = [] if studies is None else [study for study in map(_try_owned(request, studies), _own(request)) if study]
    return page(request, "judge.html", ready=studies is not None, own=own, sources=sources(request.app.state.library))


@router.post("/judge")
def make(request: Request, form: Form) -> Response:
    """Makes a study: draws pairs and pictures."""
    studies, library = _studies(request), request.app.state.library
    keys = dict.fromkeys(form.get("source", []))
    known = {source.key: source for source in sources(library)}
    if unknown := [key for key in keys if key not in known]:
        raise InputError(f"there is no source {unknown[0]!r} here (any more)")
    chosen = [known[key] for key in keys]
    count, per_rater = _count(form, "pairs", 1, 200), _count(form, "per_rater", 1, 500)
    checks, longest = _count(form, "checks", 0, 20), _count(form, "longest", 1, 1000)
    seed = secrets.randbits(31)
    found = candidates(library, chosen) if len(chosen) > 1 else []
    drawn = draw_pairs(found, [s.title for s in chosen], count, longest, np.random.default_rng([seed, 0]))
    made: dict[tuple[int, str], Clip] = {}

    def new(candidate: Candidate) -> NewClip:
        key = candidate.source, candidate.name
        if key not in made:
            made[key] = make_clip(library, request.app.state.pictures, candidate)
        return NewClip(candidate.source, candidate.name, candidate.start, made[key])

    title = first(form, "title").strip() or "Which one is the person?"
    pairs = tuple((new(one), new(two)) for one, two in drawn)
    study, key = studies.make(NewStudy(title, tuple(chosen), pairs, per_rater, checks, seed))
    return _with_cookie(request, RedirectResponse(f"{path_of('judge', 'studies', study)}?new=1", 303), study, key)


@router.get("/judge/studies/{study}")
def results(request: Request, study: str, key: str = "", new: str = "") -> Response:
    """A study, for its owner: invitation, progress, results."""
    studies = _studies(request)
    if key:
        studies.owned(study, key)
        return _with_cookie(request, RedirectResponse(path_of("judge", "studies", study), 303), study, key)
    row = _owned(request, studies, study)
    judged = studies.judged(row)
    base = str(request.base_url).rstrip("/")
    return page(
        request,
        "study.html",
        study=row,
        invitation=f"{base}{RATE}/{row.invite}",
        owner=f"{base}{path_of('judge', 'studies', study)}?key={request.cookies[_cookie(study)]}" if new else None,
        scores=score(row.sources, judged),
        progress=studies.progress(row),
        n_pairs=studies.n_pairs(row),
    )


@router.get("/judge/studies/{study}/export.csv")
def export_csv(request: Request, study: str) -> Response:
    """Every answer as a table."""
    out = io.StringIO()
    rows = _export(request, study)
    writer = csv.DictWriter(out, _COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return _file(out.getvalue().encode(), "text/csv; charset=utf-8", f"study-{study}.csv")


@router.get("/judge/studies/{study}/export.parquet")
def export_parquet(request: Request, study: str) -> Response:
    """Every answer as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in _COLUMNS.items()])
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(_export(request, study), schema), out)
    return _file(out.getvalue().to_pybytes(), "application/vnd.apache.parquet", f"study-{study}.parquet")


@router.get(f"{RATE}/{{invite}}")
def rate(request: Request, invite: str) -> Response:
    """What a rater is asked next; the welcome before, thanks at the end."""
    studies = _studies(request)
    study = studies.invited(invite)
    rater = _rater(request, studies, study)
    if rater is None:
        return page(request, "welcome.html", study=study, address=f"{RATE}/{invite}")
    asked, total = studies.asked(rater)
    if asked is None:
        return page(request, "thanks.html", study=study, total=total)
    address = f"{RATE}/{invite}"
    left, right = _frames(address, asked)
    return page(request, "rate.html", study=study, asked=asked, left=left, right=right, address=address)


@router.post(f"{RATE}/{{invite}}")
def join(request: Request, invite: str) -> Response:
    """Begins, or goes on where this browser was."""
    studies = _studies(request)
    study = studies.invited(invite)
    response = RedirectResponse(f"{RATE}/{invite}", 303)
    if _rater(request, studies, study) is None:
        secure = request.url.scheme == "https"
        response.set_cookie(
            _rater_cookie(study), studies.join(study), _YEAR, path=f"{RATE}/{invite}", httponly=True,
            samesite="strict", secure=secure,
        )  # fmt: skip
    return response


@router.post(f"{RATE}/{{invite}}/answers")
def answer(request: Request, invite: str, form: Form) -> Response:
    """Keeps an answer and goes on."""
    studies = _studies(request)
    study = studies.invited(invite)
    rater = _rater(request, studies, study)
    if rater is None:
        raise Problem(403, "NO_RATER", "this browser has not begun this study; open the invitation again")
    studies.judge(rater, _count(form, "number", 0, 100_000), first(form, "choice"), _seconds(first(form, "seconds")))
    return RedirectResponse(f"{RATE}/{invite}", 303)


@router.get(f"{RATE}/{{invite}}/screens/{{name}}.webp")
def screen(request: Request, invite: str, name: str) -> Response:
    """A picture of a study."""
    studies = _studies(request)
    study = studies.invited(invite)
    if _rater(request, studies, study) is None:
        raise Problem(403, "NO_RATER", "this browser has not begun this study; open the invitation again")
    return picture_response(request, studies.screen(study, name))


# Inner workings

_COLUMNS: dict[str, type] = {
    "rater": int,
    "counts": bool,
    "task": int,
    "pair": int,
    "check": str,
    "start": str,
    "left_source": str,
    "left_session": str,
    "right_source": str,
    "right_session": str,
    "choice": str,
    "picked_source": str,
    "seconds": float,
    "made_at": str,
}
"""Columns of an export. `counts`: the rater passed the attention checks. `check`: the answer that one asked for."""


def _export(request: Request, study: str) -> list[dict[str, Any]]:
    studies = _studies(request)
    judged = studies.judged(_owned(request, studies, study))
    out = inattentive_raters(judged)
    rows = [{**row, "pair": row["twin"], "check": row["wanted"], "counts": row["rater"] not in out} for row in judged]
    return [{name: row[name] for name in _COLUMNS} for row in rows]


def _file(content: bytes, kind: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(content, media_type=kind, headers=headers)


def _studies(request: Request) -> Studies:
    studies: Studies | None = request.app.state.studies
    if studies is None:
        raise Problem(404, "NO_STUDIES", "this server holds no studies; start it with --study sqlite:///study.db")
    return studies


def _cookie(study: str) -> str:
    return f"study-{study}"


def _rater_cookie(study: Row[Any]) -> str:
    return f"rater-{study.id}"


def _own(request: Request) -> list[str]:
    return [name.removeprefix("study-") for name in request.cookies if name.startswith("study-")]


def _owned(request: Request, studies: Studies, study: str) -> Row[Any]:
    return studies.owned(study, request.cookies.get(_cookie(study), ""))


def _try_owned(request: Request, studies: Studies) -> Any:
    def find(study: str) -> Row[Any] | None:
        try:
            return _owned(request, studies, study)
        except Problem:
            return None

    return find


def _rater(request: Request, studies: Studies, study: Row[Any]) -> int | None:
    return studies.rater(study, request.cookies.get(_rater_cookie(study), ""))


def _with_cookie(request: Request, response: Response, study: str, key: str) -> Response:
    secure = request.url.scheme == "https"
    response.set_cookie(_cookie(study), key, _YEAR, path="/judge", httponly=True, samesite="strict", secure=secure)
    return response


def _frames(address: str, asked: Asked) -> tuple[list[Frame], list[Frame]]:
    def made(frames: Any) -> list[Frame]:
        return [
            Frame(
                f"{address}/screens/{frame['screen']}.webp",
                layout.WIDTH,
                layout.HEIGHT,
                frame["alt"],
                frame["caption"],
                tuple(frame["touch"]) if frame["touch"] else None,
                frame["swipe"],
                frame["leaves"],
            )
            for frame in frames
        ]

    return made(asked.left), made(asked.right)


def _count(form: dict[str, list[str]], name: str, least: int, most: int) -> int:
    text = first(form, name)
    if not text.isdecimal() or not least <= int(text) <= most:
        raise Problem(422, "VALIDATION_ERROR", f"{name} must be a whole number from {least} to {most}, not {text!r}")
    return int(text)


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86400 else None
