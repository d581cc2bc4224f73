from pathlib import Path

import pytest

from shopsim.errors import InputError
from shopsim.trainers.logs import RunLog, read


def test_written_lines_are_read_back_exactly(tmp_path: Path) -> None:
    assert read(tmp_path) == []
    log = RunLog(tmp_path, 0)
    log.write(0, {"loss": 0.1 + 0.2, "lr": 1e-17})
    log.write(1, {"loss": 1 / 3})
    log.close()
    assert read(tmp_path) == [{"step": 0, "loss": 0.1 + 0.2, "lr": 1e-17}, {"step": 1, "loss": 1 / 3}]
    assert list((tmp_path / "tensorboard").iterdir())


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"junk\n", b"[]\n", b"{}\n"])
def test_what_is_no_log_is_an_input_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "metrics.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=r"metrics\.jsonl is no log of a run"):
        read(tmp_path)


def test_resuming_cuts_what_will_be_done_again(tmp_path: Path) -> None:
    log = RunLog(tmp_path, 0)
    for step in range(4):
        log.write(step, {"loss": float(step)})
    log.close()
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')  # killed in the middle of a line
    log = RunLog(tmp_path, 2)
    log.write(2, {"loss": -2.0})
    log.close()
    assert [line["loss"] for line in read(tmp_path)] == [0.0, 1.0, -2.0]
