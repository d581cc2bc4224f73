"""How a person shows the token: a form that answers with a cookie. Ours."""

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from shopsim.server.pages import page
from shopsim.server.security import set_cookie, token_matches

router = APIRouter(include_in_schema=False)


@router.get("/login")
def form(request: Request, to: str = "/") -> Response:
    """The form."""
    return page(request, "login.html", to=_inside(to), wrong=False)


@router.post("/login")
async def log_in(request: Request, to: Annotated[str, Query()] = "/") -> Response:
    """A cookie for the right token, the form again for a wrong one."""
    token = request.app.state.settings.token
    given = parse_qs((await request.body()).decode(errors="replace")).get("token", [""])[0]
    if token is not None and not token_matches(given, token):
        return page(request, "login.html", status=401, to=_inside(to), wrong=True)
    response = RedirectResponse(_inside(to), 303)
    if token is not None:
        set_cookie(response, token, secure=request.url.scheme == "https")
    return response


def _inside(to: str) -> str:
    """A path on this server, whatever was asked for."""
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"
