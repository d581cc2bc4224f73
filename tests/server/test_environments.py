"""The environment by requests and by messages, and what is answered to nonsense."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from shopsim.data import DataSet
from shopsim.server.environments.wire import read_png
from tests.server.serving import heard, open_socket, running, say

LIGHT = {"pixels": False}


def ask(url: str, path: str, data: Any = None, method: str | None = None, **headers: str) -> tuple[int, Any]:
    """Status and JSON of an answer."""
    body = data if isinstance(data, bytes) or data is None else json.dumps(data).encode()
    request = urllib.request.Request(url + path, body, {"content-type": "application/json", **headers}, method=method)
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as refused:
        answer = refused
    with answer:
        text = answer.read()
    told = json.loads(text) if text else None
    if answer.status >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert told["status"] == answer.status
        assert "Traceback" not in told["detail"]
    return answer.status, told


# By requests


def test_an_episode_by_requests(url: str) -> None:
    status, begun = ask(url, "/reset", {"seed": 4, "episode_id": "mine", **LIGHT})
    assert status == 200
    assert begun["reward"] is None
    handle = begun["metadata"]["handle"]
    again = ask(url, "/reset", {"seed": 4, "handle": handle})[1]
    assert again == begun
    status, stepped = ask(url, "/step", {"handle": handle, "action": {"action": 0, "metadata": {}}})
    assert (status, stepped["observation"]["step"], stepped["done"]) == (200, 1, False)
    state = ask(url, f"/state?handle={handle}")[1]
    assert state["step_count"] == 1
    assert state["seed"] == 4
    assert state["session_id"] == begun["metadata"]["info"]["session_id"]
    assert ask(url, "/step", {"handle": handle, "action": {"action": 7}})[1]["done"] is True
    assert ask(url, "/step", {"handle": handle, "action": {"action": 0}})[1]["code"] == "RESET_NEEDED"
    assert ask(url, f"/sessions/{handle}", method="DELETE")[0] == 204
    assert ask(url, "/step", {"handle": handle, "action": {"action": 0}})[1]["code"] == "UNKNOWN_SESSION"


def test_screens_are_png(url: str) -> None:
    _, begun = ask(url, "/reset", {"seed": 0, "size": [96, 128]})
    assert read_png(begun["observation"]["screenshot"]).shape == (128, 96, 3)
    ask(url, f"/sessions/{begun['metadata']['handle']}", method="DELETE")


def test_what_describes_the_server(url: str, tiny: DataSet) -> None:
    assert ask(url, "/health") == (200, {"status": "healthy"})
    about = ask(url, "/metadata")[1]
    assert about["data"] == [tiny.path.name]
    assert about["capacity"] == 64
    schemas = ask(url, "/schema")[1]
    assert schemas["action"]["properties"].keys() >= {"action", "point"}
    assert schemas["observation"]["properties"]["screenshot"]["contentMediaType"] == "image/png"
    paths = ask(url, "/openapi.json")[1]["paths"]
    assert paths.keys() >= {"/reset", "/step", "/state", "/schema", "/health", "/metadata"}
    with urllib.request.urlopen(f"{url}/docs") as page:
        assert "<code>POST /reset</code>" in page.read().decode()


def test_there_are_no_tools(url: str) -> None:
    assert ask(url, "/mcp", {})[1]["error"]["code"] == -32600
    assert ask(url, "/mcp", b"[" * 100_000)[1]["error"]["code"] == -32600
    assert ask(url, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})[1]["result"] == {"tools": []}
    assert ask(url, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "rm"})[1]["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("path", "data", "status", "code"),
    [
        ("/reset", b"{", 422, "VALIDATION_ERROR"),
        ("/reset", b'{"seed": ' + b"[" * 50_000, 400, "BAD_REQUEST"),
        ("/reset", {"seed": -1}, 422, "VALIDATION_ERROR"),
        ("/reset", {"seed": 0, "colour": "red"}, 422, "VALIDATION_ERROR"),
        ("/reset", {"split": "holiday"}, 422, "INPUT_ERROR"),
        ("/reset", {"data": "/etc"}, 404, "UNKNOWN_DATA"),
        ("/reset", {"handle": "none"}, 404, "UNKNOWN_SESSION"),
        ("/reset", {"feed": "os:system"}, 422, "VALIDATION_ERROR"),
        ("/reset", {"options": {"colour": "red"}}, 422, "INPUT_ERROR"),
        ("/step", {"handle": "none", "action": {"action": 0}}, 404, "UNKNOWN_SESSION"),
        ("/step", {"action": {"action": 0}}, 422, "VALIDATION_ERROR"),
        ("/step", b"\x80\x04K\x01.", 400, "BAD_REQUEST"),
        ("/nowhere", {}, 404, "NOT_FOUND"),
    ],
)
def test_requests_that_cannot_be_answered(url: str, path: str, data: Any, status: int, code: str) -> None:
    before = ask(url, "/metadata")[1]["sessions"]
    answer = ask(url, path, data)
    assert (answer[0], answer[1]["code"]) == (status, code)
    assert ask(url, "/metadata")[1]["sessions"] == before
    assert ask(url, "/health")[0] == 200


def test_a_body_may_be_so_long(url: str) -> None:
    for data in (b"x" * (2 << 20), json.dumps({"seed": 0, "episode_id": "x" * (2 << 20)}).encode()):
        assert ask(url, "/reset", data)[1]["code"] == "BODY_TOO_LARGE"


# By messages


def test_an_episode_by_messages(url: str) -> None:
    with open_socket(url) as socket:
        assert say(socket, "state")[1]["session_id"] is None
        kind, begun = say(socket, "reset", {"seed": 4, "episode_id": "mine", **LIGHT})
        assert (kind, begun["done"], "handle" in begun["metadata"]) == ("observation", False, False)
        assert say(socket, "step", {"action": 0, "point": [0.5, 0.5], "metadata": {}})[1]["observation"]["step"] == 1
        assert say(socket, "step", {"action": None})[1]["metadata"]["info"]["invalid"] == "unparsed"
        assert say(socket, "state")[1] == {
            "episode_id": "mine", "step_count": 2, "env": "ShopSim-v0", "data": "tiny", "seed": 4,
            "session_id": begun["metadata"]["info"]["session_id"],
        }  # fmt: skip
        assert say(socket, "reset", {"env": "ShopSimReplay-v0"})[1]["observation"]["step"] == 0
        assert say(socket, "state")[1]["env"] == "ShopSimReplay-v0"
        assert "human_action" in say(socket, "step", {"action": 0})[1]["metadata"]["info"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "INVALID_JSON"),
        ("[1]", "INVALID_JSON"),
        ("[" * 200_000, "INVALID_JSON"),
        (b"\x80\x04K\x01.", "INVALID_JSON"),
        ("{}", "UNKNOWN_TYPE"),
        ('{"type": ["step"]}', "UNKNOWN_TYPE"),
        ('{"type": "mcp", "data": {}}', "UNKNOWN_TYPE"),
        ('{"type": "reset", "data": 3}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": "x"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"split": "holiday"}}', "INPUT_ERROR"),
        ('{"type": "make", "data": {"data": "/"}}', "UNKNOWN_DATA"),
        ('{"type": "step"}', "INVALID_ACTION"),
        ('{"type": "step", "data": []}', "INVALID_ACTION"),
        ('{"type": "step", "data": {"action": 9}}', "INVALID_ACTION"),
        ('{"type": "step", "data": {"action": ' + "9" * 5000 + "}}", "INVALID_JSON"),
        ('{"type": "step", "data": {"action": 2, "point": "here"}}', "INVALID_ACTION"),
        ('{"type": "step", "data": {"action": 2, "eval": "1"}}', "INVALID_ACTION"),
    ],
)
def test_messages_that_cannot_be_answered(url: str, message: str | bytes, code: str) -> None:
    with open_socket(url) as socket:
        say(socket, "reset", {"seed": 0, **LIGHT})
        socket.send(message)
        kind, told = heard(socket)
        assert (kind, told["code"]) == ("error", code)
        assert "Traceback" not in told["message"]
        assert say(socket, "step", {"action": 0})[1]["observation"]["step"] == 1


def test_steps_before_and_after_an_episode(url: str) -> None:
    with open_socket(url) as socket:
        assert say(socket, "step", {"action": 0})[1]["code"] == "RESET_NEEDED"
        assert say(socket, "render")[1]["code"] == "RESET_NEEDED"
        say(socket, "reset", LIGHT)
        assert say(socket, "step", {"action": 7})[1]["done"] is True
        assert say(socket, "step", {"action": 0})[1]["code"] == "RESET_NEEDED"
        assert say(socket, "reset", {})[0] == "observation"


def test_a_failure_of_ours_tells_nothing_and_ends_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from shopsim.envs.env import ShopSimEnv

    def fail(*_: Any) -> Any:
        raise KeyError("/home/secret")

    with open_socket(url) as socket:
        say(socket, "reset", {"seed": 0, **LIGHT})
        handle = ask(url, "/reset", {"seed": 0, **LIGHT})[1]["metadata"]["handle"]
        with monkeypatch.context() as patch:
            patch.setattr(ShopSimEnv, "step", fail)
            told = say(socket, "step", {"action": 0})[1]
            status, problem = ask(url, "/step", {"handle": handle, "action": {"action": 0}})
        assert (told["code"], status, problem["code"]) == ("INTERNAL_ERROR", 500, "INTERNAL_ERROR")
        assert "secret" not in json.dumps([told, problem])
        assert say(socket, "step", {"action": 0})[0] == "observation"
        ask(url, f"/sessions/{handle}", method="DELETE")


def test_at_capacity_by_message_and_request() -> None:
    with running(capacity=1) as url, open_socket(url) as held:
        say(held, "reset", LIGHT)
        with open_socket(url) as socket:
            assert heard(socket)[1]["code"] == "CAPACITY_REACHED"
        assert ask(url, "/reset", LIGHT)[1]["code"] == "CAPACITY_REACHED"
        assert say(held, "step", {"action": 0})[0] == "observation"


def test_stopping_the_server_ends_open_sessions() -> None:
    with running() as url:
        socket = open_socket(url).__enter__()
        say(socket, "reset", LIGHT)
    with pytest.raises(Exception, match="1012"):
        socket.recv(timeout=20)
