from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from shopsim.agents.backend import Sampling
from shopsim.agents.rollout import Rollout
from shopsim.data import DataSet
from shopsim.envs.human import replay
from shopsim.envs.reward import TrajectoryReward
from shopsim.errors import EnvironmentFault, InputError
from shopsim.trainers import checkpoint, evaluate, grpo
from shopsim.trainers.advantages import advantages
from shopsim.trainers.config import TrainerConfig
from shopsim.trainers.evaluate import fixed_tasks, play
from shopsim.trainers.grpo import GRPOConfig, group_tasks, train_grpo, update
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy
from shopsim.trainers.rows import Row, expand
from tests.trainers.conftest import unexplained


@pytest.fixture
def config(options: dict[str, Any]) -> GRPOConfig:
    return GRPOConfig(**options, iterations=2, groups=2, num_generations=3, max_steps=4, max_tokens=6)


@pytest.fixture
def rollouts(config: GRPOConfig, tiny: DataSet, policy: Policy) -> list[Rollout]:
    tasks = group_tasks(config, tiny, 0)
    return play(policy, config, tiny, "train", tasks, Sampling(max_tokens=6), TrajectoryReward(), 4, 6)


@pytest.fixture
def rows(rollouts: list[Rollout]) -> list[Row]:
    made_up = np.random.default_rng(0).normal(size=len(rollouts))
    return expand(rollouts, made_up.tolist())


@pytest.fixture
def moved(config: GRPOConfig, tiny_model: Path, rows: list[Row]) -> Callable[..., dict[str, torch.Tensor]]:
    """How far one plain gradient step of rate 1 moves each parameter."""

    def move(rows: list[Row] = rows, change: Callable[[Policy], None] | None = None, **options: Any):
        policy = Policy.load(tiny_model, device="cpu")
        if change is not None:
            change(policy)
        before = {name: p.detach().clone() for name, p in policy.model.named_parameters()}
        sgd = torch.optim.SGD(policy.model.parameters())
        update(policy, sgd, None, rows, replace(config, lr=1.0, max_grad_norm=0.0, **options), 0)
        return {name: p.detach() - before[name] for name, p in policy.model.named_parameters()}

    return move


def close(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.allclose(value, b[name], atol=1e-6, rtol=1e-3) for name, value in a.items())


# The update


@pytest.mark.parametrize("weighting", ["token", "step", "trajectory"])
def test_micro_batches_do_not_change_the_update(moved, weighting: str) -> None:
    whole = moved(micro_batch=100, loss_weighting=weighting)
    assert any(value.abs().max() > 1e-3 for value in whole.values())
    assert close(whole, moved(micro_batch=1, loss_weighting=weighting))
    assert close(whole, moved(micro_batch=5, loss_weighting=weighting))


def test_order_of_rows_does_not_change_the_update(moved, rows: list[Row]) -> None:
    assert close(moved(rows), moved(rows[::-1]))


def test_pad_equal_to_end_does_not_change_the_update(moved) -> None:
    def pad_is_end(policy: Policy) -> None:
        policy.backend.encoder.pad_id = policy.backend.encoder.end_ids[0]

    assert close(moved(), moved(change=pad_is_end))


def test_padding_side_does_not_change_the_update(moved) -> None:
    def pad_right(policy: Policy) -> None:
        encoder, head = policy.backend.encoder, policy.model.forward
        left = encoder.batch

        # What the policy reads from a batch padded on the left, computed on one padded on the right.
        def batch(rows, side, device):
            self_made = left(rows, "left", device)
            right = left(rows, "right", device)
            pairs.append((self_made, right))
            return self_made

        def forward(**inputs):
            made, right = pairs.pop()
            logits = head(**right.inputs, use_cache=False).logits
            kept = torch.zeros(*made.input_ids.shape, logits.shape[-1])
            kept[made.inputs["attention_mask"].bool()] = logits[right.inputs["attention_mask"].bool()]
            return SimpleNamespace(logits=kept[:, -inputs["logits_to_keep"] :])

        pairs: list[Any] = []
        encoder.batch, policy.model.forward = batch, forward

    assert close(moved(), moved(change=pad_right))


def test_weightings_are_what_they_say(moved, rows: list[Row]) -> None:
    """One trajectory of many rows against one of a single row, each alone and together."""
    long = [row for row in rows if row.trajectory == 0]
    short = [row for row in rows if row.trajectory == 1][:1]
    n_long, n_short = (sum(len(row.token_ids) for row in part) for part in (long, short))
    alone_long, alone_short = moved(long), moved(short)
    for weighting, share in (("token", n_short / (n_long + n_short)), ("trajectory", 1 / 2)):
        together = moved(long + short, loss_weighting=weighting)
        expected = {name: (1 - share) * alone_long[name] + share * alone_short[name] for name in together}
        assert close(together, expected), weighting
    alone_long = moved(long, loss_weighting="step")
    together = moved(long + short, loss_weighting="step")
    share = 1 / (len(long) + 1)
    assert close(together, {name: (1 - share) * alone_long[name] + share * alone_short[name] for name in together})


def test_zero_advantages_move_nothing(moved, rows: list[Row]) -> None:
    still = moved([replace(row, advantage=0.0) for row in rows])
    assert all((value == 0).all() for value in still.values())


def test_an_image_placeholder_in_an_answer_is_left_out(moved, rows: list[Row], policy: Policy) -> None:
    placeholder = policy.model.config.image_token_id
    row = replace(
        rows[0], token_ids=(*rows[0].token_ids, placeholder), old_logprobs=(*rows[0].old_logprobs, float("nan"))
    )
    assert close(moved(rows), moved([row, *rows[1:]]))


def test_each_token_once_an_epoch_and_steps_independent_of_episode_length(
    config: GRPOConfig, policy: Policy, rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[int] = []
    real = policy.tokens
    monkeypatch.setattr(
        policy, "tokens", lambda pairs, t: (trained.extend(len(ids) for _, ids in pairs), real(pairs, t))[1]
    )
    config = replace(config, epochs=2, mini_batches=3, micro_batch=3)
    optimizer = torch.optim.SGD(policy.model.parameters())
    scalars = update(policy, optimizer, None, rows, config, 0)
    total = sum(len(row.token_ids) for row in rows)
    assert sum(trained) == 2 * total == scalars["tokens"]
    assert scalars["updates"] == 6
    short = [row for i, row in enumerate(rows) if i == 0 or rows[i - 1].trajectory != row.trajectory]
    assert update(policy, optimizer, None, short, config, 0)["updates"] == 6


def test_first_update_agrees_with_the_sampler(config: GRPOConfig, policy: Policy, rows: list[Row]) -> None:
    scalars = update(policy, torch.optim.SGD(policy.model.parameters()), None, rows, config, 0)
    assert scalars["policy/logprob_gap"] < 1e-5
    assert scalars["policy/clip_fraction"] == 0
    assert scalars["policy/entropy"] > 0
    off = [replace(row, old_logprobs=tuple(x - 0.5 for x in row.old_logprobs)) for row in rows]
    scalars = update(policy, torch.optim.SGD(policy.model.parameters()), None, off, config, 0)
    assert scalars["policy/logprob_gap"] == pytest.approx(0.5, abs=1e-2)
    assert scalars["policy/clip_fraction"] > 0


def test_kl_pulls_towards_the_reference(config: GRPOConfig, policy: Policy, tiny_model: Path, rows: list[Row]) -> None:
    reference = Policy.load(tiny_model, device="cpu")
    with torch.no_grad():
        for p in policy.model.parameters():
            p.add_(torch.randn(p.shape, generator=torch.Generator().manual_seed(0)), alpha=0.01)
    still = [replace(row, advantage=0.0) for row in rows]
    sgd = torch.optim.SGD(policy.model.parameters())
    config = replace(config, beta=1.0, lr=0.005, max_grad_norm=0.0)
    distances = [update(policy, sgd, reference, still, config, i)["policy/reference_kl"] for i in range(4)]
    assert distances[0] > distances[1] > distances[2] > distances[3] > 0


# Groups


def test_a_group_starts_from_one_state_and_differs_in_sampling(config: GRPOConfig, tiny: DataSet, rollouts) -> None:
    first_prompts = {}
    for rollout in rollouts:
        first_prompts.setdefault(rollout.task.group, set()).add(rollout.samples[0].prompt)
    assert [len(prompts) for prompts in first_prompts.values()] == [1, 1]
    assert first_prompts[0] != first_prompts[1]
    answers = {rollout.samples[0].completion.token_ids for rollout in rollouts if rollout.task.group == 0}
    assert len(answers) > 1
    again = group_tasks(config, tiny, 0)
    assert again == [rollout.task for rollout in rollouts]
    assert {t.sampling_seed for t in again}.isdisjoint(t.sampling_seed for t in group_tasks(config, tiny, 1))


def test_every_session_comes_once_an_epoch(config: GRPOConfig, tiny: DataSet) -> None:
    n = len(tiny.session_rows("train"))
    config = replace(config, groups=1)
    drawn = [group_tasks(config, tiny, i)[0].session_id for i in range(2 * n)]
    assert sorted(drawn[:n]) == sorted(drawn[n:]) == sorted(set(drawn))


def test_every_token_has_the_advantage_of_its_trajectory(rollouts: list[Rollout]) -> None:
    values = [float(i) if i != 2 else None for i in range(len(rollouts))]
    rows = expand(rollouts, values)
    assert len(rows) == sum(len(rollout.samples) for i, rollout in enumerate(rollouts) if i != 2)
    assert all(row.advantage == row.trajectory for row in rows)
    sampled = {sample.completion.token_ids for rollout in rollouts for sample in rollout.samples}
    assert {row.token_ids for row in rows} <= sampled


def test_duplicating_steps_changes_no_advantage(rollouts: list[Rollout]) -> None:
    groups = [rollout.task.group for rollout in rollouts]
    rewards = [rollout.reward.total for rollout in rollouts]
    longer = [replace(rollout, samples=rollout.samples * (1 + i)) for i, rollout in enumerate(rollouts)]
    before = expand(rollouts, advantages(rewards, groups).values)
    after = expand(longer, advantages([r.reward.total for r in longer], groups).values)
    assert {row.trajectory: row.advantage for row in before} == {row.trajectory: row.advantage for row in after}


# Whole runs


def test_it_moves_every_parameter_and_logs(
    config: GRPOConfig, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An untrained model's answers are all unreadable, so all rewards are equal: make some up.
    real = grpo.play

    def unequal(*args):
        return [replace(r, reward=r.reward._replace(total=float(i % 2))) for i, r in enumerate(real(*args))]

    monkeypatch.setattr(grpo, "play", unequal)
    seen: list[int] = []
    result = train_grpo(replace(config, eval_every=2, eval_sessions=2), lambda done, total, scalars: seen.append(done))
    assert (result.steps, seen) == (2, [1, 2])
    before = dict(Policy.load(tiny_model, device="cpu").model.named_parameters())
    for name, value in Policy.load(result.checkpoint, device="cpu").model.named_parameters():
        assert not torch.equal(value, before[name]), name
    first, last = read(Path(config.out))
    assert first["policy/logprob_gap"] < 1e-5
    assert not unexplained(last)
    assert first["rows"] == first["rollouts/turns"] * 6
    assert first["tokens"] == pytest.approx(first["rows"] * first["rollouts/tokens_per_turn"])
    assert first["updates"] == 1
    for part in ("macro", "micro", "format", "length", "total"):
        assert f"reward/{part}" in first
        assert f"reward/{part}_std" in first
    assert "validation/reward/total" in last
    assert "validation/reward/total" not in first


def test_faults_leave_their_group(config: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    made = TrainerConfig.make_env

    def make_env(*args, **kwargs):
        env = made(*args, **kwargs)
        reset, calls = env.reset, []

        def sometimes(**options):
            # The first group fails but for one member; the second loses one.
            calls.append(1)
            if len(resets) in (0, 1, 3):
                resets.append(1)
                raise EnvironmentFault("the browser is gone")
            resets.append(1)
            return reset(**options)

        env.reset = sometimes
        return env

    resets: list[int] = []
    monkeypatch.setattr(TrainerConfig, "make_env", make_env)
    train_grpo(replace(config, iterations=1))
    line = read(Path(config.out))[0]
    assert line["rollouts/faults"] == 3
    assert line["groups/dropped"] == 1
    assert line["rows"] <= 2 * 4


def test_an_iteration_of_faults_only_trains_nothing(config: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args, **kwargs):
        raise EnvironmentFault("no browser")

    monkeypatch.setattr(TrainerConfig, "make_env", fail)
    result = train_grpo(config)
    first = read(Path(config.out))[0]
    assert first["rollouts/faults"] == 6
    assert first["groups/dropped"] == 2
    assert "policy/loss" not in first
    assert result.steps == 2


def test_parts_that_cancel_are_warned_of(config: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    real = grpo.play

    def cancelling(*args):
        made = real(*args)
        return [
            replace(r, reward=r.reward._replace(macro=float(i), micro=-float(i), total=0.0)) for i, r in enumerate(made)
        ]

    monkeypatch.setattr(grpo, "play", cancelling)
    with pytest.warns(UserWarning, match="in 2 groups parts of the reward vary"):
        train_grpo(replace(config, iterations=1))
    line = read(Path(config.out))[0]
    assert (line["groups/zero_spread"], line["groups/cancelling"]) == (1.0, 2.0)
    assert line["policy/grad_norm"] == 0


@pytest.mark.slow
def test_workers_change_nothing(config: GRPOConfig) -> None:
    here = train_grpo(config)
    away = train_grpo(replace(config, workers=2, out=config.out + "-workers"))
    lines = [
        [{name: value for name, value in line.items() if not name.startswith("time/")} for line in read(out)]
        for out in (here.checkpoint.parent, away.checkpoint.parent)
    ]
    assert lines[0] == lines[1]
    assert (here.checkpoint / checkpoint.OPTIMIZER).read_bytes() == (
        away.checkpoint / checkpoint.OPTIMIZER
    ).read_bytes()


# Refills


@pytest.fixture
def every_third_teaches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards are made up: those of a group differ where its number is 2, 5, 8 and so on."""
    monkeypatch.setattr(grpo, "contrasted", lambda rewards, _, groups, *__: spread(groups))


def spread(groups: list[int]) -> list[float | None]:
    return [float(i) if group % 3 == 2 else 0.5 for i, group in enumerate(groups)]


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[list[Row]]:
    """The rows of each iteration's update."""
    seen: list[list[Row]] = []
    real = grpo.update
    monkeypatch.setattr(grpo, "update", lambda *args: (seen.append(args[3]), real(*args))[1])
    return seen


@pytest.mark.usefixtures("every_third_teaches")
def test_refills_stop_when_the_batch_is_full(config: GRPOConfig, trained: list[list[Row]]) -> None:
    # Of two groups a draw: 0, 1; 2, 3; then one is missing: 4; 6; 8.
    train_grpo(replace(config, iterations=1, refills=9))
    line = read(Path(config.out))[0]
    assert line["groups/drawn"] == 7
    assert line["groups/zero_spread"] == 5 / 7
    assert {row.trajectory // 3 for row in trained[0]} == {2, 6}  # positions of groups 2 and 8
    assert line["rows"] == len(trained[0])
    assert any(row.advantage for row in trained[0])


@pytest.mark.usefixtures("every_third_teaches")
@pytest.mark.parametrize(("refills", "drawn", "informative"), [(0, 2, None), (1, 4, 1), (2, 5, 1), (4, 7, 2)])
def test_refills_end(
    config: GRPOConfig, trained: list[list[Row]], refills: int, drawn: int, informative: int | None
) -> None:
    train_grpo(replace(config, iterations=1, refills=refills))
    assert read(Path(config.out))[0]["groups/drawn"] == drawn
    # Without refills all groups are trained, as ever.
    assert len({row.trajectory for row in trained[0]}) == (6 if informative is None else 3 * informative)


def test_nothing_to_learn_anywhere_trains_nothing(config: GRPOConfig, trained: list[list[Row]]) -> None:
    result = train_grpo(replace(config, refills=1))  # an untrained model's rewards are all equal
    first, _ = read(Path(config.out))
    assert (first["groups/drawn"], first["groups/zero_spread"], first["rows"]) == (4, 1, 0)
    assert not trained
    assert result.steps == 2


@pytest.mark.usefixtures("every_third_teaches")
def test_refills_are_drawn_alike_when_a_run_goes_on(config: GRPOConfig) -> None:
    config = replace(config, refills=3, iterations=4)
    straight = train_grpo(config)
    stopped = replace(config, out=config.out + "-stopped", iterations=1)
    train_grpo(stopped)
    resumed = train_grpo(replace(stopped, iterations=4))
    for name in ("model.safetensors", checkpoint.OPTIMIZER):
        assert (resumed.checkpoint / name).read_bytes() == (straight.checkpoint / name).read_bytes()


def test_refills_are_sessions_of_their_own(config: GRPOConfig, tiny: DataSet) -> None:
    config = replace(config, refills=2)
    draws = [group_tasks(config, tiny, i, draw) for i in range(2) for draw in range(3)]
    assert group_tasks(config, tiny, 0) == group_tasks(replace(config, refills=0), tiny, 0)
    n = len(tiny.session_rows("train"))
    sessions = [tasks[i].session_id for tasks in draws for i in (0, 3)][:n]
    assert len(set(sessions)) == len(sessions)
    seeds = [task.sampling_seed for tasks in draws for task in tasks]
    assert len(set(seeds)) == len(seeds)
    assert [sorted({task.group for task in tasks}) for tasks in draws[:3]] == [[0, 1], [2, 3], [4, 5]]


def test_one_reward_for_a_whole_group_is_refused(config: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grpo, "contrasted", lambda rewards, *_: rewards[:: config.num_generations])
    with pytest.raises(InputError, match="2 rewards for 6 trajectories"):
        train_grpo(config)


def test_a_finished_run_says_so(config: GRPOConfig) -> None:
    assert not train_grpo(config).finished_before
    assert train_grpo(config).finished_before


def test_groups_of_one_are_refused(config: GRPOConfig) -> None:
    for n in (0, 1):
        with pytest.raises(InputError, match="at least 2"):
            replace(config, num_generations=n)


@pytest.mark.parametrize(
    "name", ["groups", "max_steps", "max_tokens", "lanes", "epochs", "mini_batches", "temperature", "eval_sessions"]
)
def test_zero_is_never_unlimited(config: GRPOConfig, name: str) -> None:
    with pytest.raises(InputError, match=name):
        replace(config, **{name: 0})


def test_fixed_tasks_are_the_same_for_every_policy(tiny: DataSet) -> None:
    tasks = fixed_tasks(tiny, "train", 2, 3, seed=5)
    assert tasks == fixed_tasks(tiny, "train", 2, 3, seed=5)
    assert [(t.group, t.member) for t in tasks] == [(g, m) for g in range(2) for m in range(3)]
    assert len({t.sampling_seed for t in tasks}) == 6
    assert len({(t.session_id, t.env_seed) for t in tasks}) == 2


def test_summary_of_nothing_but_faults(rollouts: list[Rollout]) -> None:
    assert evaluate.summary([replace(r, reward=None) for r in rollouts]) == {"rollouts/faults": 6.0}


def test_the_spread_is_that_of_the_train_people(options: dict[str, Any], tiny: DataSet) -> None:
    assert GRPOConfig(**options).reward(tiny) == TrajectoryReward()
    spread = GRPOConfig(**options, gaps="spread").reward(tiny).spread
    assert spread is not None
    lengths = [len(tiny.session(row).steps) for row in tiny.session_rows("train").tolist()]
    assert spread.steps == pytest.approx(np.std(lengths))


def test_active_sessions_are_those_with_a_touched_item(options: dict[str, Any], tiny: DataSet) -> None:
    wanted = {tiny.session_id(row) for row in tiny.session_rows("train").tolist() if replay(tiny, row).interacted}
    every = {tiny.session_id(row) for row in tiny.session_rows("train").tolist()}
    for sessions, expected in (("all", every), ("active", wanted)):
        config = GRPOConfig(**options, sessions=sessions, groups=1)
        assert {group_tasks(config, tiny, i)[0].session_id for i in range(len(expected))} == expected
