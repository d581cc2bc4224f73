"""The page of the API, written from the OpenAPI document; no script of anybody's. Ours."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from shopsim.server.pages import page

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def api_page(request: Request) -> Response:
    """Every route with what it takes and gives."""
    return page(request, "manual.html", api=request.app.openapi())
