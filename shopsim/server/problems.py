"""Errors as clients see them: problem+json (RFC 9457) for programs, a page for people. Never a traceback."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from gymnasium.error import ResetNeeded
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from shopsim.errors import EnvironmentFault, InputError, ShopSimError
from shopsim.server.pages import wants_page, write_page


class Problem(ShopSimError):
    """A request cannot be answered.

    Args:
        status: HTTP status.
        code: What is wrong, for programs: ``UNKNOWN_SESSION``, ``CAPACITY_REACHED`` ...
        detail: What is wrong, where, and what would be right, for people.
        headers: Further headers of the answer.
    """

    def __init__(self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.headers = status, code, detail, dict(headers or {})


def as_problem(error: Exception) -> Problem:
    """What a client is told of an error; nothing of one that is not meant for it."""
    match error:
        case Problem():
            return error
        case HTTPException():
            code = HTTPStatus(error.status_code).name
            return Problem(error.status_code, code, str(error.detail), error.headers)
        case RequestValidationError() | ValidationError():
            return Problem(422, "VALIDATION_ERROR", what_is_wrong(error.errors()))
        case ResetNeeded():
            return Problem(409, "RESET_NEEDED", str(error))
        case InputError():
            return Problem(422, "INPUT_ERROR", str(error))
        case EnvironmentFault():
            return Problem(503, "ENVIRONMENT_FAULT", str(error))
    return Problem(500, "INTERNAL_ERROR", "the server failed at this; its log says more")


def what_is_wrong(errors: Any) -> str:
    """Pydantic's findings in one line."""
    return "; ".join(f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}" for error in errors)


def problem_response(scope: Scope, problem: Problem) -> Response:
    """The answer to a request that cannot be served: a page where the client wants one, else problem+json."""
    title = HTTPStatus(problem.status).phrase
    if wants_page(scope):
        return write_page(
            scope, "problem.html", {"title": title, "problem": problem}, problem.status, headers=problem.headers
        )
    told = {"type": "about:blank", "title": title, "status": problem.status}
    told |= {"detail": problem.detail, "code": problem.code}
    return JSONResponse(told, problem.status, headers=problem.headers, media_type="application/problem+json")


def install(app: FastAPI) -> None:
    """Makes every error of an application a problem."""

    def answer(request: Request, error: Exception) -> Response:
        return problem_response(request.scope, as_problem(error))

    for kind in (ShopSimError, HTTPException, RequestValidationError, ResetNeeded, Exception):
        app.add_exception_handler(kind, answer)
