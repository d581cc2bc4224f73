"""Who may ask, from where, how often and how much; and that nothing leads out of the served folders."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from shopsim.errors import EnvironmentFault, InputError
from shopsim.server.app import create_app
from shopsim.server.problems import Problem
from shopsim.server.remote import RemoteShopSimEnv
from shopsim.server.served import safe_child
from shopsim.server.settings import ServerSettings
from tests.server.serving import running

TOKEN = "correct horse"
PAGE = {"accept": "text/html"}


def client(**options: Any) -> TestClient:
    return TestClient(create_app(ServerSettings(**options)), follow_redirects=False, base_url="http://127.0.0.1:8000")


# The token


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "shop.example"])
def test_beyond_this_machine_a_token_is_needed(host: str) -> None:
    with pytest.raises(InputError, match="token"):
        ServerSettings(host=host)
    with pytest.raises(InputError, match="too short"):
        ServerSettings(host=host, token="short")
    assert not ServerSettings(host=host, token=TOKEN).loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.1.2.3"])
def test_on_this_machine_none_is(host: str) -> None:
    assert ServerSettings(host=host).loopback


def test_without_the_token_nothing_is_told() -> None:
    asking = client(token=TOKEN)
    assert asking.get("/health").status_code == 200
    for path in ("/metadata", "/openapi.json", "/docs", "/nowhere", "/health/../metadata", "//metadata"):
        refused = asking.get(path)
        assert refused.status_code == 401
        assert refused.json()["code"] == "WRONG_TOKEN"
        assert refused.headers["www-authenticate"] == "Bearer"
    assert asking.post("/reset", json={}).status_code == 401
    for wrong in (f"Bearer {TOKEN}x", "Bearer ", "Bearer \xe9", f"Basic {TOKEN}", TOKEN):
        assert asking.get("/metadata", headers={"authorization": wrong.encode("latin-1")}).status_code == 401
    assert asking.get("/metadata?token=wrong").status_code == 401
    assert asking.get("/metadata", headers={"cookie": f"shopsim={TOKEN}"}).status_code == 401
    assert asking.get("/metadata", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200


def test_sockets_need_the_token_too(tiny_path: Path) -> None:
    with running(data=(tiny_path,), token=TOKEN) as url:
        for wrong in (None, "another one"):
            with pytest.raises(InputError, match="token"):
                RemoteShopSimEnv(url, token=wrong)
        env = RemoteShopSimEnv(url, token=TOKEN, pixels=False)
        env.reset(seed=0)
        env.close()


def test_a_person_shows_the_token_once() -> None:
    asking = client(token=TOKEN)
    sent = asking.get("/docs", headers=PAGE)
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?to=/docs")
    assert asking.get("/login?to=/docs", headers=PAGE).status_code == 200
    wrong = asking.post("/login?to=/docs", data={"token": "guess"}, headers=PAGE)
    assert wrong.status_code == 401
    assert "This is not the token" in wrong.text
    assert "set-cookie" not in wrong.headers
    right = asking.post("/login?to=/docs", data={"token": TOKEN}, headers=PAGE)
    assert (right.status_code, right.headers["location"]) == (303, "/docs")
    cookie = right.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert asking.get("/docs", headers=PAGE).status_code == 200


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_the_form_leads_nowhere_else(to: str) -> None:
    asking = client(token=TOKEN)
    right = asking.post("/login", params={"to": to}, data={"token": TOKEN}, headers=PAGE)
    assert right.headers["location"] == "/"


def test_a_link_with_the_token_leaves_it_out_afterwards() -> None:
    asking = client(token=TOKEN)
    sent = asking.get("/docs", params={"token": TOKEN, "a": "b c"}, headers=PAGE)
    assert (sent.status_code, sent.headers["location"]) == (303, "/docs?a=b+c")
    assert asking.get(sent.headers["location"], headers=PAGE).status_code == 200


# Other sites


def test_pages_of_other_sites_change_and_read_nothing() -> None:
    asking = client()
    foreign = {"origin": "https://evil.example"}
    assert asking.post("/reset", json={}, headers=foreign).json()["code"] == "FOREIGN_ORIGIN"
    assert asking.delete("/sessions/x", headers={"origin": "null"}).status_code == 403
    assert asking.post("/reset", json={"pixels": False}, headers={"origin": "http://127.0.0.1:8000"}).status_code == 200
    read = asking.get("/metadata", headers=foreign)
    assert not [name for name in read.headers if name.startswith("access-control")]
    with pytest.raises(WebSocketDisconnect), asking.websocket_connect("/ws", headers=foreign):
        pass


def test_a_name_that_was_led_here_is_refused() -> None:
    asking = client()
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[::1"):
        assert asking.get("/metadata", headers={"host": host}).status_code in (400, 403)
    assert asking.get("/metadata", headers={"host": "localhost:8000"}).status_code == 200
    assert client(host="0.0.0.0", token=TOKEN).get("/health", headers={"host": "shop.example"}).status_code == 200


def test_browsers_are_bound() -> None:
    asking = client()
    for answer in (asking.get("/docs"), asking.get("/nowhere", headers=PAGE), asking.get("/metadata")):
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_page_of_an_error_shows_what_was_asked_as_text() -> None:
    answer = client().get("/login", params={"to": '/"><script>alert(1)</script>'}, headers=PAGE)
    assert "<script>alert" not in answer.text
    missing = client().get("/nowhere/<script>", headers=PAGE)
    assert (missing.status_code, "<script>" in missing.text) == (404, False)
    assert "text/html" in missing.headers["content-type"]


# Too much


def test_a_body_that_does_not_say_how_long_it_is() -> None:
    def chunks() -> Any:
        for _ in range(40):
            yield b'{"seed": 1, ' + b" " * 100_000

    answer = client(body_limit=1 << 20).post("/reset", content=chunks())
    assert (answer.status_code, answer.json()["code"]) == (413, "BODY_TOO_LARGE")
    assert client().post("/reset", content=b"{}", headers={"content-length": "-1"}).status_code == 413


def test_an_address_asks_so_often() -> None:
    asking = client(rate=1.0, burst=5)
    answers = [asking.get("/health") for _ in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3
    assert answers[-1].json()["code"] == "RATE_LIMIT"
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_a_remote_environment_says_why_it_is_refused() -> None:
    with running(rate=0.001, burst=1) as url:
        RemoteShopSimEnv(url, pixels=False).close()
        with pytest.raises(EnvironmentFault, match="too many requests"):
            RemoteShopSimEnv(url)


# Paths


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("top")
    (top / "secret.txt").write_text("secret")
    (top / "served-too").mkdir()
    (top / "served-too" / "file.txt").write_text("beside")
    root = top / "served"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "file.txt").write_text("inside")
    (root / "link.txt").symlink_to(top / "secret.txt")
    (root / "up").symlink_to(top)
    (root / "loop").symlink_to(root / "loop")
    return root


def test_what_is_inside_is_found(served: Path) -> None:
    assert safe_child(served, "inner", "file.txt").read_text() == "inside"
    assert safe_child(served, "inner/file.txt").read_text() == "inside"
    assert safe_child(served, "inner", "..", "inner/file.txt").read_text() == "inside"


@pytest.mark.parametrize(
    "parts",
    [
        ("..", "secret.txt"), ("../secret.txt",), ("/etc/passwd",), ("inner", "/etc/passwd"), ("link.txt",),
        ("up", "secret.txt"), ("..", "served-too", "file.txt"), ("loop",), ("none",), ("inner\x00",), ("x" * 5000,),
        ("inner/../../secret.txt",),
    ],
)  # fmt: skip
def test_what_is_outside_is_not(served: Path, parts: tuple[str, ...]) -> None:
    with pytest.raises(Problem) as refused:
        safe_child(served, *parts)
    assert refused.value.status == 404


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["..", ".", "", "/", "inner", "up", "link.txt", "secret.txt", "~", "..\\", "%2e%2e"])))
def test_no_path_leads_out(served: Path, parts: list[str]) -> None:
    for given_parts in (parts, ["/".join(parts)]):
        try:
            found = safe_child(served, *given_parts)
        except Problem:
            continue
        assert os.path.commonpath([os.path.realpath(found), os.path.realpath(served)]) == os.path.realpath(served)
