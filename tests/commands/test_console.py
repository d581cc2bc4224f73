"""Progress of long runs where there is no terminal."""

import re

import pytest

from shopsim.commands import console


def test_progress_tells_rollouts_tokens_and_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "LINE_EVERY", 0.0)
    with console.rollouts_bar() as (progress, spent):
        spent(500)
        progress(11, 20)  # ten were done before
        spent(100)
        progress(12, 20)
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"rollouts: 0 of \?, [\d,]+ tokens/s", lines[0])
    assert re.fullmatch(r"rollouts: 11 of 20, [\d,]+ tokens/s", lines[1])
    assert re.fullmatch(r"rollouts: 12 of 20, about [\d,]+ s left, [\d,]+ tokens/s", lines[-1])


def test_a_quick_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with console.rollouts_bar() as (progress, spent):
        progress(1, 2)
        spent(10)
    assert capsys.readouterr().err == ""
