"""One HTML page that needs no other file and no network: sections under a heading, in one look (ours).

Everything shown on it goes through templates that escape text; a section's body is what a template made.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shopsim.benchmark_usb import plots
from shopsim.benchmark_usb.film import Picture, SessionFilm


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading and a link in the navigation."""

    title: str
    body: Markup
    lead: str = ""
    """One or two sentences under the heading."""

    @property
    def anchor(self) -> str:
        """The section's id in the page."""
        return "".join(c if c.isalnum() else "-" for c in self.title.lower()).strip("-")


class Report:
    """A page.

    Args:
        title: Heading and window title.
        subtitle: A sentence under it.
        facts: Name and value pairs at the top.
    """

    def __init__(self, title: str, subtitle: str = "", facts: Sequence[tuple[str, str]] = ()) -> None:
        self.title = title
        self.subtitle = subtitle
        self.facts = tuple(facts)
        self.sections: list[Section] = []

    def add(self, *sections: Section) -> "Report":
        """Appends sections."""
        self.sections += sections
        return self

    def html(self) -> str:
        """The whole page."""
        return _render(
            "report.html",
            title=self.title,
            subtitle=self.subtitle,
            facts=self.facts,
            sections=self.sections,
            css=_css(),
            footer="Made by ShopSim. Bars’ lines are 95 % bootstrap intervals over users.",
        )

    def write(self, path: str | Path) -> Path:
        """Writes the page to a file, whole or not at all."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        try:
            part.write_text(self.html(), encoding="utf-8")
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        return path


def curves_section(curves: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]) -> Section:
    """Training curves: for each chart's title, points (x, y) by the line's name."""
    charts = [chart(name, "", plots.curve_chart(name, lines)) for name, lines in curves.items()]
    return Section("Training", fragment("charts.html", charts=charts, notes=[]))


def films_section(films: Sequence[SessionFilm]) -> Section:
    """Sessions as film strips."""
    return Section(
        "Sessions",
        fragment("sessions.html", sessions=films),
        "Screen by screen: first what the person did, then each agent in the same place. Strips scroll sideways.",
    )


def gallery_section(title: str, shots: Sequence[Picture], lead: str = "") -> Section:
    """Screens side by side."""
    return Section(title, fragment("gallery.html", shots=shots), lead)


def fragment(template: str, **values: Any) -> Markup:
    """A piece of a page, made by one of the templates."""
    return Markup(_render(template, **values))


def chart(title: str, caption: str, svg: Markup) -> dict[str, str]:
    """A chart as ``charts.html`` wants it."""
    return {"title": title, "caption": caption, "svg": svg}


@cache
def _templates() -> Environment:
    loader = PackageLoader("shopsim.benchmark_usb")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)


def _css() -> Markup:
    return Markup((files(__package__) / "templates" / "report.css").read_text(encoding="utf-8"))


def _render(template: str, **values: Any) -> str:
    return _templates().get_template(template).render(**values)
