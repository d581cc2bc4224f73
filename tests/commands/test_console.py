"""Progress of long runs where there is no terminal."""

import re
import time

import pytest

from shopsim.commands import console


def test_progress_tells_rollouts_tokens_and_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "LINE_EVERY", 0.01)

    def says(pattern: str) -> bool:
        for _ in range(1000):
            if any(re.fullmatch(pattern, line) for line in capsys.readouterr().err.splitlines()):
                return True
            time.sleep(0.01)
        return False

    with console.rollouts_bar() as (progress, spent):
        assert says(r"rollouts, \d+ s so far")
        spent(500)
        progress(11, 20)  # ten were done before
        assert says(r"rollouts: 11 of 20, \d+ s so far, [\d,]+ tokens/s")
        spent(100)
        progress(12, 20)
        assert says(r"rollouts: 12 of 20, about [\d,]+ s left, [\d,]+ tokens/s")


def test_a_quick_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with console.rollouts_bar() as (progress, spent):
        progress(1, 2)
        spent(10)
    assert capsys.readouterr().err == ""
