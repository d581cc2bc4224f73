"""The viewer's pages: what they show, their links, filters, pictures; hostile texts and damaged folders do no harm."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from starlette.testclient import TestClient

from shopsim.agents.record import load, recordings_in
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.run import run_steps
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.server.app import create_app
from shopsim.server.settings import ServerSettings
from shopsim.server.viewer import lists
from tests.server.pages import AS_PERSON, EVIL, make_hostile, make_results, read, write_hostile


@pytest.fixture(scope="module")
def results(tiny_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_results(tiny_path, tmp_path_factory.mktemp("viewer") / "run")


@pytest.fixture(scope="module")
def client(tiny_path: Path, results: Path) -> Iterator[TestClient]:
    with TestClient(create_app(ServerSettings(data=(tiny_path,), results=(results,)))) as client:
        yield client


def recording_of(client: TestClient, agent: str) -> str:
    page = read(client, f"/recordings?agent={agent}&find=s7")
    return next(link for link in page.all("a", "href") if link.startswith("/recordings/"))


def test_the_start_leads_everywhere(client: TestClient) -> None:
    links = read(client, "/").all("a", "href")
    assert {"/data/tiny", "/results/run", "/recordings", "/play", "/judge"} <= set(links)
    for link in set(links):
        if link.startswith("/"):
            assert client.get(link, headers=AS_PERSON).status_code == 200, link


def test_sessions_are_filtered_and_paged(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(query: str) -> list[str]:
        links = read(client, f"/data/tiny?{query}").all("a", "href")
        return [link.rsplit("/", 1)[1] for link in links if "/sessions/" in link]

    assert shown("") == [f"s{n}" for n in range(8)]
    assert shown("split=test") == ["s6", "s7"]
    assert shown("outcome=bought") == ["s2", "s3", "s5", "s7"]
    assert shown("outcome=looked") == ["s0", "s4"]
    assert shown("find=3") == ["s3"]
    assert shown("find=nothing") == []
    monkeypatch.setattr(lists, "LENGTH", 3)
    assert shown("page=2") == ["s3", "s4", "s5"]
    assert shown("page=99") == ["s6", "s7"], "the last page there is"
    page = read(client, "/data/tiny?page=2&split=train")
    assert "?split=train&page=1" in page.all("a", "href"), "links keep the filter"


def test_a_session_is_a_strip_with_touches_and_a_link_to_each_step(client: TestClient, tiny: DataSet) -> None:
    page = read(client, "/data/tiny/sessions/s7")
    steps = [f"/data/tiny/sessions/s7/steps/{n}" for n in range(8)]
    assert [link for link in page.all("a", "href") if "/steps/" in link] == steps
    pictures = page.all("img", "src")
    assert pictures == [f"/data/tiny/sessions/s7/screens/{n}.webp?v={tiny.hash[:12]}" for n in range(8)]
    assert all(loading == "lazy" for loading in page.all("img", "loading"))
    assert len(page.all("circle", "cx")) == 7, "all but leaving touch something"
    assert "heuristic" in page.text, "who shopped in this person's place"


def test_pictures_are_kept_by_browsers(client: TestClient, tiny: DataSet) -> None:
    address = f"/data/tiny/sessions/s1/screens/0.webp?v={tiny.hash[:12]}"
    answer = client.get(address)
    assert answer.headers["content-type"] == "image/webp"
    assert "immutable" in answer.headers["cache-control"]
    tag = answer.headers["etag"]
    assert client.get(address, headers={"if-none-match": tag}).status_code == 304
    assert client.get("/data/tiny/sessions/s1/screens/2.webp").headers["etag"] == tag, "back on the same screen"
    assert "no-cache" in client.get("/data/tiny/sessions/s1/screens/0.webp").headers["cache-control"]
    assert client.get("/data/tiny/sessions/s1/screens/99.webp").status_code == 404


def test_a_step_shows_all_that_is_known(client: TestClient) -> None:
    page = read(client, "/data/tiny/sessions/s1/steps/1")
    assert "I look at 1" in page.text
    assert "likes blue" in page.text
    assert "/data/tiny/sessions/s1/steps/0" in page.all("a", "href")
    assert "/data/tiny/sessions/s1/steps/2" in page.all("a", "href")
    read(client, "/data/tiny/sessions/s1/steps/99", 404)


def test_an_agents_step_stands_beside_the_persons(client: TestClient, results: Path) -> None:
    link = recording_of(client, "heuristic")
    page = read(client, f"{link}/steps/0")
    trace = load(next(path for path in recordings_in(results) if path.name == link.rsplit("/", 1)[1]))
    assert trace["steps"][0]["decision"]["action"] in page.text
    assert [src.split("?")[0] for src in page.all("img", "src")] == [
        f"{link}/screens/{trace['steps'][0]['screen']}.png",
        "/data/tiny/sessions/s7/screens/0.webp",
    ]
    shown = client.get(page.all("img", "src")[0])
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    last = read(client, f"{link}/steps/{len(trace['steps']) - 1}")
    assert f"{trace['reward']['total']:.3f}" in last.text, "the reward's parts on the last step"


def test_two_agents_are_compared_on_one_session(client: TestClient) -> None:
    names = [recording_of(client, agent).rsplit("/", 1)[1] for agent in ("human", "heuristic")]
    page = read(client, "/compare?r=" + "&r=".join(names))
    assert page.text.count("Side by side") == 1
    assert "the person and human: the same first 8 steps" in page.text
    links = [link for link in page.all("a", "href") if "/steps/1" in link]
    assert links[1:] == [f"/recordings/{one}/steps/1?with={two}" for one, two in (names, names[::-1])]
    step = read(client, links[1])
    assert step.text.count("at the same step") == 2, "the person and the other agent"
    assert f"/recordings/{names[0]}/steps/2?with={names[1]}" in step.all("a", "href"), "and so at the next step"
    other = read(client, "/recordings?agent=random&find=s6").all("a", "href")
    unlike = next(link for link in other if link.startswith("/recordings/")).rsplit("/", 1)[1]
    assert "one session" in read(client, f"/compare?r={names[0]}&r={unlike}", 422).text
    read(client, "/compare", 422)


def test_recordings_and_scores_are_filtered(client: TestClient) -> None:
    def count(path: str) -> int:
        return len([link for link in read(client, path).all("a", "href") if link.startswith("/recordings/")])

    assert count("/recordings") == 6
    assert count("/recordings?agent=random") == 2
    assert count("/recordings?agent=human&outcome=bought") == 1
    assert count("/recordings?least=0.999") == 2, "only the person's own replay scores 1"
    assert count("/results/run?agent=human&least=0.999") == 2
    assert count("/results/run?agent=human&most=0.5") == 0
    read(client, "/recordings?least=much", 422)
    read(client, "/recordings?outcome=famous", 422)


def test_the_whole_report_needs_nothing_else(client: TestClient) -> None:
    answer = client.get("/results/run/report")
    assert "How human do they shop?" in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_teacher_forced_run_has_its_report(tiny_path: Path, tmp_path: Path) -> None:
    run_steps(tiny_path, [AgentSpec("random")], tmp_path / "steps", split="test")
    with TestClient(create_app(ServerSettings(data=(tiny_path,), results=(tmp_path,)))) as client:
        page = read(client, f"/results/{tmp_path.name}~steps")
        assert "what did the person do next" in page.text
        assert "<h1>" in client.get(f"/results/{tmp_path.name}~steps/report").text


def test_a_run_that_goes_on_is_shown_as_far_as_it_is(tiny_path: Path, results: Path, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "half")
    head = json.loads((tmp_path / "half" / "results.json").read_text())
    head["scores"] = {}
    (tmp_path / "half" / "results.json").write_text(json.dumps(head))
    with TestClient(create_app(ServerSettings(data=(tiny_path,), results=(tmp_path / "half",)))) as client:
        page = read(client, "/results/half")
        assert "No agent has finished yet" in page.text
        assert page.text.count("random") >= 3
        assert "no agent has finished" in read(client, "/results/half/report", 422).text


@pytest.mark.parametrize(
    "path",
    [
        "/data/nothing",
        "/data/tiny/sessions/nobody",
        "/data/tiny/sessions/nobody/steps/0",
        "/results/nothing",
        "/results/nothing/report",
        "/recordings/nothing",
        "/recordings/nothing/steps/0",
        "/compare?r=nothing",
        "/data/..%2F..%2Fetc",
        "/recordings/..%2F..%2Fetc/screens/passwd.png",
    ],
)
def test_what_does_not_exist_is_a_readable_page(client: TestClient, path: str) -> None:
    page = read(client, path, 404)
    assert "To the start" in page.text


def test_no_picture_leads_out_of_its_folder(client: TestClient, results: Path) -> None:
    link = recording_of(client, "random")
    folder = results / "rollouts" / link.rsplit("/", 1)[1]
    outside = results.parent / "secret.png"
    outside.write_bytes(b"secret")
    (folder / "screens" / "out.png").symlink_to(outside)
    assert client.get(f"{link}/screens/out.png").status_code == 404
    assert client.get(f"{link}/screens/..%2Ftrace.json%00.png").status_code == 404
    assert client.get(f"{link}/screens/..%2F..%2F..%2F..%2Fsecret.png").status_code == 404


def test_damaged_folders_are_named_and_the_rest_is_shown(tiny_path: Path, results: Path, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "good")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "results.json").write_text('{"format": "shopsim-results", "version": 1')
    traces = sorted((tmp_path / "good" / "rollouts").glob("*/trace.json"))
    traces[0].write_text("{")
    traces[1].write_text('{"format": "shopsim-trace", "version": 1, "steps": [{}]}')
    with TestClient(create_app(ServerSettings(data=(tiny_path,), results=(tmp_path,)))) as client:
        page = read(client, "/results")
        assert "Cannot be read" in page.text
        name = f"{tmp_path.name}~torn"
        assert "results.json" in read(client, f"/results/{name}", 422).text
        page = read(client, "/recordings")
        assert page.text.count("trace.json") == 2
        assert len([link for link in page.all("a", "href") if link.startswith("/recordings/")]) == 4
        read(client, f"/results/{tmp_path.name}~good")


def test_a_recording_without_its_data_set_is_shown_alone(results: Path) -> None:
    with TestClient(create_app(ServerSettings(results=(results,)))) as client:
        page = read(client, recording_of(client, "human"))
        assert "not served here" in page.text
        assert "buys an item" in page.text
        read(client, f"{recording_of(client, 'human')}/steps/0")


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    data = write_hostile(tmp_path / "set")
    results = make_hostile(data, tmp_path / "recorded")
    with TestClient(create_app(ServerSettings(data=(data,), results=(results,)))) as client:
        pages = ["/", "/data/set", "/data/set/sessions/s7", "/data/set/sessions/s7/steps/0", "/recordings", "/judge"]
        recording = next(link for link in read(client, "/recordings").all("a", "href") if "/recordings/" in link)
        for path in [*pages, recording, f"{recording}/steps/0", f"/compare?r={recording.rsplit('/', 1)[1]}"]:
            page = read(client, path)  # reads strictly: no script, no handler, every tag closed
            assert "49" not in page.text.replace("{{7*7}}", ""), "no template runs twice"
        assert read(client, f"{recording}/steps/0").text.count(EVIL) >= 8
        assert EVIL in read(client, "/data/set/sessions/s7").text


def test_signs_cover_every_action() -> None:
    from shopsim.server.viewer.shown import SIGNS

    assert set(SIGNS) == set(Action)
    assert len(set(SIGNS.values())) == len(Action)
