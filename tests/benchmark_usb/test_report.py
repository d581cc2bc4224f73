"""The report page: self-contained, well-formed, accessible, safe with any text, the same bytes every time."""

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from markupsafe import Markup

from shopsim.benchmark_usb import plots
from shopsim.benchmark_usb.bootstrap import Estimate
from shopsim.benchmark_usb.compare import compare
from shopsim.benchmark_usb.film import Frame, Picture, SessionFilm, Strip
from shopsim.benchmark_usb.page import Report, Section, curves_section, gallery_section
from shopsim.benchmark_usb.report import references_lacking, write_report
from shopsim.benchmark_usb.results import AgentInfo, Results
from shopsim.benchmark_usb.sections import glance_section
from shopsim.benchmark_usb.terminal import comparison_table, overview_table, scores_table
from shopsim.errors import InputError
from tests.benchmark_usb.runs import SETTINGS, rollout, run

EVIL = "<script>alert(1)</script> & \"quoted\" 'x' $m$ \u2028"
VOID = {"meta", "img", "br", "input", "link"}


class Page(HTMLParser):
    """Reads a page strictly: every tag closes in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def picture(caption: str = "") -> Picture:
    return Picture.of(np.full((38, 20, 3), 200, np.uint8), caption)


def film() -> SessionFilm:
    p = picture()
    frames = [
        Frame(p.source, p.width, p.height, "The feed", "opens “x”", touch=(0.25, 0.5), mind=EVIL, preference="blue"),
        Frame(p.source, p.width, p.height, "The feed", "scrolls down", swipe="down", failed="the page ends here"),
        Frame(p.source, p.width, p.height, "The feed", "leaves", leaves=True, episodic=EVIL),
    ]
    return SessionFilm(
        f"Session {EVIL}", EVIL, (Strip("the person", tuple(frames)), Strip(EVIL, tuple(frames), color=1))
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(tmp_path_factory.mktemp("report") / "run")


@pytest.fixture(scope="module")
def html(results: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("page") / "deep" / "report.html"
    write_report(results, out, [film()], {"reward": {"grpo": [(0, -1.0), (1, 0.5)]}})
    assert [p.name for p in out.parent.iterdir()] == ["report.html"], "nothing else stays behind"
    return out.read_text(encoding="utf-8")


def test_the_page_needs_no_other_file(html: str) -> None:
    page = Page(html)
    for tag, attrs in page.tags:
        assert tag not in ("script", "link", "iframe")
        for name in ("src", "href", "xlink:href"):
            target = attrs.get(name) or "#"
            assert target.startswith(("#", "data:image/")), f"{tag} {name}={target[:60]}"
    assert not re.search(r"url\((?!#)", html)
    assert "@import" not in html


def test_it_reads_on_a_phone_in_the_dark_and_without_a_mouse(html: str) -> None:
    page = Page(html)
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.tags
    assert "prefers-color-scheme: dark" in html
    assert dict(page.tags)["html"] == {"lang": "en"}
    for tag, attrs in page.tags:
        if tag == "img":
            assert attrs["alt"]
        if tag == "svg" and attrs.get("aria-hidden") != "true":
            assert attrs["role"] == "img"
            assert attrs["aria-label"]
        if attrs.get("class") in ("strip", "scroll"):
            assert attrs["tabindex"] == "0"
            assert attrs["aria-label"]


def test_links_lead_somewhere_and_ids_are_unique(html: str) -> None:
    page = Page(html)
    ids = Counter(attrs["id"] for _, attrs in page.tags if "id" in attrs)
    assert max(ids.values()) == 1
    targets = {attrs["href"][1:] for tag, attrs in page.tags if tag == "a"}
    assert targets <= set(ids)
    used = set(re.findall(r"url\(#([^)]+)\)", html))
    assert used <= set(ids)


def test_charts_follow_the_theme(html: str) -> None:
    colors = set(re.findall(r"#[0-9a-f]{6}\b", html[html.index("<body>") :]))
    assert not colors, "every colour of a chart is a variable of the page"
    variables = set(re.findall(r"var\((--[\w-]+)\)", html))
    defined = set(re.findall(r"(--[\w-]+):", html))
    assert variables <= defined


def test_any_text_is_safe(html: str) -> None:
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_agents_with_strange_names(tmp_path: Path) -> None:
    strange = Results.start(tmp_path / "run", SETTINGS, {EVIL: AgentInfo(EVIL, {"x": EVIL}, EVIL)})
    for number in range(12):
        strange.append(replace(rollout("buyer", number), agent=EVIL))
    strange.finish(EVIL)
    page = write_report(strange, tmp_path / "r.html").read_text(encoding="utf-8")
    Page(page)
    assert "<script" not in page


def test_the_same_run_gives_the_same_bytes(results: Results, html: str, tmp_path: Path) -> None:
    again = write_report(results, tmp_path / "r.html", [film()], {"reward": {"grpo": [(0, -1.0), (1, 0.5)]}})
    assert again.read_text(encoding="utf-8") == html


def test_numbers_on_the_page_are_the_results_numbers(results: Results, html: str) -> None:
    for agent, summary in results.head.scores.items():
        ratio = summary.fidelity.rates["CTR"].ratio
        assert f"{agent} {ratio.value:.3g}" in html
        assert f"{summary.intent.scores['HCO'].value:.1f}" in html
    assert "CVR is not part of the deviation (n/a: the people&#39;s rate is 0)." in html


def test_overacting_agents_are_marked(html: str) -> None:
    marked = re.findall(r'<p class="flag">([^<]*)</p>', html)
    assert len(marked) == 2
    assert all(text.startswith("ACR, IPVR beyond half or twice") for text in marked)


def test_intent_never_stands_without_fidelity(html: str) -> None:
    assert html.index('<section id="behaviour"') < html.index('<section id="intent"')


def test_touches_and_reasons_are_shown(html: str) -> None:
    assert 'cx="25.0%" cy="50.0%"' in html
    assert "the page ends here" in html
    assert html.count('class="leave"') == 2


def test_others_add_sections_of_their_own(tmp_path: Path, results: Results) -> None:
    report = Report("Demo", facts=[("seed", "0")])
    report.add(
        glance_section(list(results.head.scores.values())), curves_section({"loss": {"il": [(0, 2.0), (10, 0.1)]}})
    )
    report.add(gallery_section("Screens", [picture("the feed")]), Section("More & more", Markup("<p>own</p>")))
    html = report.write(tmp_path / "demo.html").read_text(encoding="utf-8")
    page = Page(html)
    assert {"screens", "more---more", "training"} <= {attrs.get("id") for _, attrs in page.tags}


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    (tmp_path / ".page.html.part").write_text("half")
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        Report("Demo").write(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_an_unfinished_run_is_refused(tmp_path: Path) -> None:
    half = Results.start(tmp_path / "half", SETTINGS, {"buyer": AgentInfo("buyer")})
    with pytest.raises(InputError, match="no agent has finished"):
        write_report(half, tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_a_run_in_which_everything_faulted_can_still_be_looked_at(tmp_path: Path) -> None:
    lost = Results.start(tmp_path / "run", SETTINGS, {"buyer": AgentInfo("buyer")})
    for number in range(12):
        lost.append(rollout("buyer", number, fault="server gone"))
    lost.finish("buyer")
    page = write_report(lost, tmp_path / "r.html").read_text(encoding="utf-8")
    Page(page)
    assert "12 of its rollouts were lost" in page
    assert "Left out: buyer: 12 rollouts lost: server gone" in page


def test_who_did_not_run_is_named_with_the_reason(tmp_path: Path) -> None:
    some = run(tmp_path / "some")
    some.skip("seer", "agent 'seer' shows screenshots, and M reads no images")
    said = "seer did not run: agent 'seer' shows screenshots, and M reads no images"
    assert some.left_out() == [said]
    assert f"Left out: {said}" in unescape(write_report(some, tmp_path / "a.html").read_text(encoding="utf-8"))
    summaries = list(some.head.scores.values())
    for table in (scores_table(summaries, some.left_out()), overview_table(summaries, some.left_out())):
        assert f"Left out: {said}" in str(table.caption)


def test_what_an_importer_filled_in_is_said_where_it_matters(tmp_path: Path) -> None:
    data = replace(SETTINGS.data, source="imported", imputed=("leaving", "scrolls", "titles"))
    imported = run(tmp_path / "run", ("buyer",), replace(SETTINGS, data=data))
    page = write_report(imported, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "ATL is not part of the deviation (imputed: leaving, scrolls)." in page
    assert page.count("Leaving and scrolls are not in this log") == 2


def test_charts_of_extremes() -> None:
    rows = [("a", Estimate(0.0, 0.0, 0.0)), ("b", Estimate(1e6, 1.0, 1e7)), ("c", Estimate(None)), ("d", Estimate(1.0))]
    ratio = plots.ratio_chart("CTR", "items opened / items seen", rows)
    assert "a 0, b 1000000, c n/a, d 1" in ratio
    assert "nan" not in ratio
    for svg in (ratio, plots.leaving_chart("a", 0, [], [(1.0, 0.5)]), plots.curve_chart("x", {"l": [(0, 1.0)]})):
        Page(svg)


def test_tables_for_the_terminal_say_the_same(results: Results) -> None:
    from rich.console import Console

    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(scores_table(list(results.head.scores.values())))
    console.print(comparison_table(compare(results, results, "clicker", "buyer")))
    text = console.export_text()
    ratio = results.head.scores["clicker"].fidelity.rates["CTR"].ratio.value
    assert f"{ratio:.2f}" in text
    assert "ACR, IPVR" in text
    assert "left out of the deviation, or imputed (CVR: n/a" in text
    assert "12 paired rollouts" in text


def test_a_report_says_which_floors_and_ceilings_were_not_run(tmp_path: Path) -> None:
    some = run(tmp_path / "some")
    assert references_lacking(some) == ["random", "heuristic", "second-draw", "own-rule"]
    assert "--agents random,heuristic,second-draw,own-rule" in write_report(some, tmp_path / "a.html").read_text()
    names = {"random": "random", "rules": "heuristic", "second-draw": "second-draw", "own-rule": "own-rule"}
    infos = {name: AgentInfo(name, {"name": kind}) for name, kind in names.items()}
    every = Results.start(tmp_path / "every", SETTINGS, infos)
    for name in names:
        every.append(replace(rollout("leaver", 0), agent=name))
        every.finish(name)
    assert references_lacking(every) == []
    logged = replace(SETTINGS, data=replace(SETTINGS.data, source="imported"))
    assert references_lacking(run(tmp_path / "logged", settings=logged)) == ["random", "heuristic"]
