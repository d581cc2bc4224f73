"""A server killed in the middle of a study: every answer it thanked for is there, and raters go on where they were."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")
pytest.importorskip("sqlalchemy", reason="the extra 'server' is not installed")
pytest.importorskip("httpx2", reason="the extra 'client' is not installed")

import httpx2 as httpx

from shopsim.server.judge.store import Studies
from tests.server.pages import AS_PERSON, make_results

pytestmark = pytest.mark.slow


def start(tiny_path: Path, folder: Path) -> tuple[subprocess.Popen[str], str]:
    """A server of its own process; it and its address."""
    command = [sys.executable, "-c", "from shopsim.cli import main; main()", "serve", "--data", str(tiny_path),
               "--results", str(folder / "run"), "--study", f"sqlite:///{folder}/study.db", "--port", "0"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return process, found[0]
    raise AssertionError("the server did not start")


def test_no_answer_is_lost_when_the_server_is_killed(tiny_path: Path, tmp_path: Path) -> None:
    make_results(tiny_path, tmp_path / "run", ("random", "heuristic"))
    form = {"source": ["people/tiny", "agent/run/random", "agent/run/heuristic"], "pairs": "2", "per_rater": "6",
            "checks": "1", "longest": "150"}  # fmt: skip
    answered = 0
    invitation, cookies = "", httpx.Cookies()
    for _ in range(3):
        process, address = start(tiny_path, tmp_path)
        try:
            with httpx.Client(base_url=address, headers=AS_PERSON, follow_redirects=True, timeout=60) as client:
                if not invitation:
                    page = client.post("/judge", data=form)
                    found = re.search(r"(/judge/rate/[\w-]+)", page.text)
                    assert found, page.text
                    invitation = found[1]
                    client.post(invitation)
                    cookies = client.cookies
                client.cookies = httpx.Cookies({cookie.name: cookie.value or "" for cookie in cookies.jar})
                page = client.get(invitation)
                assert f"{answered + 1} of 7" in page.text, "the rater goes on where they were"
                for _ in range(2):
                    answer = client.post(f"{invitation}/answers", data={"number": str(answered), "choice": "same"})
                    assert answer.status_code == 200
                    answered += 1
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            time.sleep(0.1)
    studies = Studies(f"sqlite:///{tmp_path}/study.db")
    study = studies.invited(invitation.rsplit("/", 1)[1])
    assert [row["choice"] for row in studies.judged(study)] == ["same"] * 6
    studies.close()
