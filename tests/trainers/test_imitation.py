from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from shopsim.agents.demonstrations import demonstrations
from shopsim.data import DataSet
from shopsim.errors import InputError
from shopsim.trainers import imitation, run
from shopsim.trainers.imitation import Examples, ImitationConfig, accumulate, train_imitation
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy
from tests.trainers.conftest import unexplained


@pytest.fixture
def config(options: dict[str, Any]) -> ImitationConfig:
    return ImitationConfig(**options, steps=3, batch=6, warmup=1, supervise="answer", grid=20, eval_every=2)


def gradient(
    config: ImitationConfig, tiny: DataSet, tiny_model: Path, order: slice = slice(None), pad_is_end: bool = False
) -> dict[str, torch.Tensor]:
    policy = Policy.load(tiny_model, device="cpu")
    if pad_is_end:
        policy.backend.encoder.pad_id = policy.backend.encoder.end_ids[0]
    accumulate(policy, Examples(config, tiny, policy, "train").take(range(config.batch))[order], config)
    return {name: p.grad for name, p in policy.model.named_parameters()}


def close(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.allclose(value, b[name], atol=1e-6, rtol=1e-3) for name, value in a.items())


def test_it_learns_and_moves_every_parameter(config: ImitationConfig, tiny_model) -> None:
    seen: list[tuple[int, int]] = []
    result = train_imitation(replace(config, steps=30), lambda done, total, scalars: seen.append((done, total)))
    assert seen == [(i + 1, 30) for i in range(30)]
    assert (result.steps, result.finished_before) == (30, False)
    curve = read(result.checkpoint.parent)
    assert curve[-1]["loss"] < 0.6 * curve[0]["loss"]
    assert curve[-1]["validation/loss"] < curve[1]["validation/loss"]
    assert "validation/loss" not in curve[0]
    assert not unexplained(curve[-1])
    before = dict(Policy.load(tiny_model, device="cpu").model.named_parameters())
    for name, value in Policy.load(result.checkpoint, device="cpu").model.named_parameters():
        assert not torch.equal(value, before[name]), name


@pytest.mark.parametrize("weighting", ["token", "step"])
def test_micro_batches_do_not_change_the_update(config: ImitationConfig, tiny, tiny_model, weighting: str) -> None:
    whole, single, uneven = (
        gradient(replace(config, loss_weighting=weighting, micro_batch=size), tiny, tiny_model) for size in (6, 1, 4)
    )
    assert close(whole, single)
    assert close(whole, uneven)


def test_order_of_rows_and_pad_equal_to_end_do_not_change_the_update(config: ImitationConfig, tiny, tiny_model) -> None:
    config = replace(config, micro_batch=4)
    as_it_is = gradient(config, tiny, tiny_model)
    assert close(as_it_is, gradient(config, tiny, tiny_model, order=slice(None, None, -1)))
    assert close(as_it_is, gradient(config, tiny, tiny_model, pad_is_end=True))
    assert not close(as_it_is, gradient(config, tiny, tiny_model, order=slice(1, None)))


def test_weightings_differ(config: ImitationConfig, tiny, tiny_model) -> None:
    by_token, by_step = (
        gradient(replace(config, loss_weighting=weighting), tiny, tiny_model) for weighting in ("token", "step")
    )
    assert not close(by_token, by_step)


def test_each_row_once_an_epoch_and_none_dropped(config: ImitationConfig, tiny: DataSet, policy: Policy) -> None:
    config = replace(config, batch=5, shuffle_sessions=2)
    stream = Examples(config, tiny, policy, "train")
    assert stream.rows % 5  # so that batches cross the end of the epoch
    taken = [id(row) for first in range(0, 2 * stream.rows, 5) for row in stream.take(range(first, first + 5))]
    assert set(Counter(taken[: stream.rows]).values()) == {1}
    assert taken[: stream.rows] != taken[stream.rows : 2 * stream.rows]


def test_rows_are_the_demonstrations(config: ImitationConfig, tiny: DataSet, policy: Policy) -> None:
    row = int(tiny.session_rows("train")[0])
    rows = list(Examples(config, tiny, policy, "train").first(1))
    env, agent = config.make_env(tiny, "train", max_steps=None), config.make_agent(policy.backend)
    shown = list(demonstrations(env, tiny.session_id(row), agent, supervise="answer", grid=20))
    assert [e.prompt for e in rows] == [d.prompt for d in shown]
    assert [policy.backend.encoder.decode(e.ids) for e in rows] == [d.answer for d in shown]
    assert len(rows) == tiny.n_steps(row)


def test_only_supervised_tokens_are_counted(config: ImitationConfig, tmp_path) -> None:
    for supervise in ("answer", "action"):
        train_imitation(replace(config, supervise=supervise, out=str(tmp_path / supervise)))
    answer, action = (read(tmp_path / supervise)[0]["tokens"] for supervise in ("answer", "action"))
    assert 0 < action < answer


def test_a_finished_run_says_so_and_a_longer_one_goes_on(config: ImitationConfig, tmp_path) -> None:
    assert not train_imitation(config).finished_before
    again = train_imitation(config)
    assert (again.finished_before, again.steps) == (True, 3)
    longer = train_imitation(replace(config, steps=5))
    assert (longer.finished_before, longer.steps) == (False, 5)
    straight = train_imitation(replace(config, steps=5, out=str(tmp_path / "b")))
    assert (longer.checkpoint / "model.safetensors").read_bytes() == (
        straight.checkpoint / "model.safetensors"
    ).read_bytes()


def test_a_run_that_is_stopped_again_and_again_gets_on(config: ImitationConfig, tmp_path: Path) -> None:
    """Interrupted between steps, in the middle of one, and while its weights change."""

    def stop(done: int, total: int, scalars: Mapping[str, float]) -> None:
        if scalars:
            raise KeyboardInterrupt

    def interrupted(patched: str = "") -> int:
        with pytest.MonkeyPatch.context() as patch:
            if patched:
                real = getattr(imitation, patched)

                def then_stop(*arguments: Any) -> None:
                    real(*arguments)
                    raise KeyboardInterrupt

                patch.setattr(imitation, patched, then_stop)
            with pytest.raises(KeyboardInterrupt):
                train_imitation(config, stop)
        (last,) = Path(config.out).glob("checkpoint-*")
        return int(last.name[-6:])

    assert [interrupted(), interrupted("accumulate"), interrupted("apply_step"), interrupted()] == [1, 1, 1, 2]
    told: list[tuple[int, bool]] = []
    result = train_imitation(config, lambda done, total, scalars: told.append((done, bool(scalars))))
    assert told == [(2, False), (3, True)]
    straight = train_imitation(replace(config, out=str(tmp_path / "straight")))
    assert (result.checkpoint / "model.safetensors").read_bytes() == (
        straight.checkpoint / "model.safetensors"
    ).read_bytes()


def test_a_slow_run_is_saved_by_the_clock(config: ImitationConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SAVE_SECONDS", 0.0)
    found: list[str] = []
    train_imitation(config, lambda *_: found.extend(path.name[-1] for path in Path(config.out).glob("checkpoint-*")))
    assert found == ["1", "2", "3"]


@pytest.mark.parametrize("change", [{"lr": 1e-4}, {"batch": 7}, {"seed": 1}, {"size": (64, 96)}])
def test_a_run_with_other_settings_is_refused(config: ImitationConfig, change: dict[str, Any]) -> None:
    train_imitation(replace(config, steps=1))
    with pytest.raises(InputError, match=f"{next(iter(change))}="):
        train_imitation(replace(config, **change))


def test_a_falling_rate_fixes_the_length(config: ImitationConfig) -> None:
    config = replace(config, schedule="cosine")
    train_imitation(replace(config, steps=1))
    with pytest.raises(InputError, match="steps=1, now 2"):
        train_imitation(replace(config, steps=2))


def test_a_checkpoint_of_another_model_is_refused(config: ImitationConfig) -> None:
    result = train_imitation(replace(config, steps=1))
    with pytest.raises(InputError, match="another model"):
        train_imitation(replace(config, model=str(result.checkpoint)))


@pytest.mark.parametrize(
    "change",
    [{"batch": 0}, {"steps": -1}, {"grid": 0}, {"save_every": 0}, {"micro_batch": 0}, {"shuffle_sessions": 0}],
)
def test_senseless_numbers_are_refused(config: ImitationConfig, change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(change))):
        replace(config, **change)


def test_zero_steps_save_the_model_as_it_is(config: ImitationConfig) -> None:
    result = train_imitation(replace(config, steps=0))
    assert result.finished_before
    assert result.checkpoint.name == "checkpoint-000000"
