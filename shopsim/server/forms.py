"""Forms of pages, read without a library: names and values, urlencoded. Ours."""

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request


async def _read(request: Request) -> dict[str, list[str]]:
    return parse_qs((await request.body()).decode(errors="replace"), keep_blank_values=True, max_num_fields=1000)


Form = Annotated[dict[str, list[str]], Depends(_read)]
"""Parameter of a route that takes a form: the values of each field."""


def first(form: dict[str, list[str]], name: str, default: str = "") -> str:
    """The first value of a field."""
    return form.get(name, [default])[0]
