"""What the tests of the pages share: servers over small folders, and a strict reader of HTML."""

import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from shopsim.agents.record import recordings_in
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.data import DataSetWriter
from shopsim.server.app import create_app
from shopsim.server.settings import ServerSettings
from tests.data import factory

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'{{7*7}}&amp;</pre></title>"
AS_PERSON = {"accept": "text/html"}
CHROMIUM = Path("/usr/bin/chromium")

_VOID = {"meta", "img", "br", "input", "link"}


class Page(HTMLParser):
    """Reads a page strictly: every tag closes in order, no script but files of the server, no inline style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag == "script":
            assert (found.get("src") or "").startswith("/static/")
        assert "style" not in found
        assert not any(name.startswith("on") for name in found), f"{tag} {found}"
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str, name: str) -> list[str]:
        return [attrs[name] or "" for found, attrs in self.tags if found == tag and name in attrs]


def read(client: TestClient, path: str, status: int = 200) -> Page:
    """A page as a person's browser gets it."""
    answer = client.get(path, headers=AS_PERSON)
    assert answer.status_code == status, answer.text
    assert "Traceback" not in answer.text
    return Page(answer.text)


def make_results(data: Path, out: Path, agents: tuple[str, ...] = ("random", "heuristic", "human")) -> Path:
    """A run with recordings of both test sessions of the tiny set."""
    run_benchmark(data, [AgentSpec(agent) for agent in agents], out, split="test", record=2)
    return out


def make_hostile(data: Path, out: Path) -> Path:
    """A recording whose every text is hostile."""
    make_results(data, out / "made", ("heuristic",))
    folder = recordings_in(out / "made")[0]
    file = folder / "trace.json"
    trace = json.loads(file.read_text(encoding="utf-8"))
    trace["agent"]["label"] = EVIL
    memory = {"working": [{"step": 0, "mind": EVIL, "action": EVIL}], "episodic": [{"step": 0, "text": EVIL}]}
    for step in trace["steps"]:
        step["memory"] = step["memory_after"] = memory | {"preference": [EVIL]}
        step["decision"] |= {"mind": EVIL, "episodic": EVIL, "preference": EVIL, "raw": EVIL}
        step["completion"] = {"text": EVIL, "token_ids": [1], "prompt_tokens": 1}
        step["prompt"] = {"messages": [{"role": EVIL, "content": [EVIL, {"screen": step["screen"]}]}]}
    file.write_text(json.dumps(trace), encoding="utf-8")
    shutil.copytree(folder, out / folder.name)
    shutil.rmtree(out / "made")
    return out


def write_hostile(path: Path) -> Path:
    """The tiny set with hostile titles, personas and thoughts."""

    with DataSetWriter(path, name=EVIL) as writer:
        writer.add_categories(factory.categories())
        writer.add_items([item._replace(title=f"{EVIL} {item.item_id}") for item in factory.items()])
        writer.add_users([user._replace(persona=EVIL) for user in factory.users()])
        for session in factory.sessions():
            steps = tuple(step._replace(mind=EVIL, episodic=EVIL, preference=EVIL) for step in session.steps)
            writer.add_session(session._replace(steps=steps))
    return path


@contextmanager
def serving(settings: ServerSettings) -> Iterator[str]:
    """A real server; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app: FastAPI = create_app(settings)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
        assert thread.is_alive()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)
