"""Pages for people: escaped Jinja2 templates in ``templates``, without inline scripts and styles (the policy)."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import Scope


@cache
def templates() -> Environment:
    """All templates of the server, and those of reports. Everything put into them is escaped."""
    loader = ChoiceLoader([PackageLoader("shopsim.server"), PackageLoader("shopsim.benchmark_usb")])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def page(request: Request, template: str, /, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A page written from a template; `request` and the settings are in its context."""
    return write_page(request.scope, template, context, status)


def write_page(
    scope: Scope, template: str, context: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """A page written from a template, where there is no `Request` yet."""
    settings = scope["app"].state.settings
    html = templates().get_template(template).render(path=scope["path"], settings=settings, **context)
    return HTMLResponse(html, status, headers=dict(headers or {}))


def wants_page(scope: Scope) -> bool:
    """Whether the client is a browser that shows pages."""
    return "text/html" in Headers(scope=scope).get("accept", "")
