"""Does GRPO raise the reward on sessions of people it has never seen?

For each seed: a tiny model from nothing, imitation, then GRPO from the imitation checkpoint. Both checkpoints play
every session of the test split several times, with the same environment and sampling seeds and at the temperature of
training, and the rewards are compared session by session; intervals are bootstrapped over users, the trained seeds
held fixed. Trivial agents and the people themselves are scored beside, since a gain means little below the level of a
policy that does nothing.

    python benchmarks/grpo_heldout.py --out runs/heldout

Every stage resumes; running the command again prints the tables. ``--reuse FOLDER`` takes data and imitation
checkpoints of another run, for another setting of GRPO alone.
"""

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from shopsim.agents.backend import Sampling
from shopsim.agents.base import Agent
from shopsim.agents.human import HumanReplay
from shopsim.agents.rollout import Rollout, collect
from shopsim.agents.trivial import AlwaysAgent, RandomAgent
from shopsim.benchmark_usb.bootstrap import Bootstrap, mean_of
from shopsim.benchmark_usb.provenance import provenance
from shopsim.benchmark_usb.synthetic import make_synthetic
from shopsim.data import DataSet
from shopsim.data.vocabulary import ITEM_ACTIONS, Action
from shopsim.envs.decision import Decision
from shopsim.envs.reward import RewardParts
from shopsim.trainers.evaluate import fixed_tasks, play
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import ImitationConfig, train_imitation
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy
from shopsim.trainers.tiny import make_start_model

Row = dict[str, Any]
"""One evaluated trajectory: session, user, reward parts, steps, invalid steps, counts of item actions."""


class ScrollAndLeave:
    """Scrolls six times and leaves: what can be had without looking at anything."""

    name = "scroll 6, leave"

    def reset(self, info: Mapping[str, Any], seed: int = 0) -> None:
        self._step = 0

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> Decision:
        self._step += 1
        return Decision(Action.SCROLL_DOWN if self._step <= 6 else Action.TERMINATE)

    def settings(self) -> dict[str, Any]:
        return {"name": self.name}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reuse", type=Path, help="folder of a run whose data and imitation checkpoints are taken")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--sessions", type=int, default=1000, help="of the synthetic set")
    parser.add_argument("--repetitions", type=int, default=3, help="times each test session is played")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--il-steps", type=int, default=400)
    parser.add_argument("--il-lr", type=float, default=3e-3)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--groups", type=int, default=6)
    parser.add_argument("--num-generations", type=int, default=6)
    parser.add_argument("--max-steps", type=int, default=24)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--train-sessions", default="all", choices=["all", "active"])
    parser.add_argument("--beta", type=float, default=0.0)
    parser.add_argument("--contrast", type=float, default=0.0)
    parser.add_argument("--micro", default="balanced", choices=["balanced", "mean", "sum"])
    return parser.parse_args()


def main() -> None:
    args = options()
    torch.set_num_threads(args.threads)
    base: Path = args.reuse or args.out
    data = base / "data"
    if not data.exists():
        make_synthetic(data, args.sessions, seed=0)
    dataset = DataSet.open(data)

    evaluated: dict[str, list[Row]] = {}
    for seed in args.seeds:
        il, grpo = configs(args, base, seed)
        if not Path(il.model).exists():
            make_start_model(il.model, dataset, seed)
        imitated = train_imitation(il, progress(f"seed {seed} imitation", every=50)).checkpoint
        trained = train_grpo(grpo, progress(f"seed {seed} GRPO", every=1)).checkpoint
        for stage, checkpoint in (("imitation", imitated), ("grpo", trained)):
            name = f"{stage}-{seed}"
            evaluated[name] = kept(
                args.out / "evaluated" / f"{name}.json", partial(judge, args, dataset, grpo, checkpoint)
            )
    for agent in (HumanReplay(dataset), ScrollAndLeave(), AlwaysAgent(Action.TERMINATE), RandomAgent()):
        evaluated[agent.name] = kept(
            args.out / "evaluated" / f"{agent.name}.json", partial(judge_agent, args, dataset, grpo, agent)
        )

    results = {
        "settings": {k: str(v) if isinstance(v, Path) else v for k, v in vars(args).items()},
        "data": {"name": dataset.name, "hash": dataset.hash},
        "code": asdict(provenance()),
        "differences": differences(args.seeds, evaluated),
        "agents": {name: means(rows) for name, rows in evaluated.items()},
    }
    (args.out / "results.json").write_text(json.dumps(results, indent=1))
    print_tables(results)
    draw({seed: read(Path(configs(args, base, seed)[1].out)) for seed in args.seeds}, args.out / "curves.png")


def configs(args: argparse.Namespace, base: Path, seed: int) -> tuple[ImitationConfig, GRPOConfig]:
    shared: dict[str, Any] = {
        "data": str(base / "data"),
        "seed": seed,
        "agent": "tiny",
        "size": (160, 320),
        "device": "cpu",
        "micro_batch": 32,
    }
    il = ImitationConfig(
        **shared,
        model=str(base / f"seed-{seed}" / "start"),
        out=str(base / f"seed-{seed}" / "imitation"),
        steps=args.il_steps,
        batch=16,
        lr=args.il_lr,
        schedule="linear",
        supervise="answer",
        grid=20,
        eval_every=100,
        eval_sessions=20,
        save_every=50,
    )
    grpo = GRPOConfig(
        **shared,
        model=il.out,
        out=str(args.out / f"seed-{seed}" / "grpo"),
        iterations=args.iterations,
        groups=args.groups,
        num_generations=args.num_generations,
        max_steps=args.max_steps,
        max_tokens=48,
        lr=args.lr,
        beta=args.beta,
        sessions=args.train_sessions,
        micro=args.micro,
        contrast=args.contrast,
        save_every=5,
    )
    return il, grpo


def judge(args: argparse.Namespace, dataset: DataSet, config: GRPOConfig, checkpoint: Path) -> list[Row]:
    """Plays the test sessions with a checkpoint; seeds do not depend on the checkpoint or its seed."""
    policy = Policy.load(checkpoint, device="cpu")
    tasks = fixed_tasks(dataset, "test", None, args.repetitions, seed=0)
    sampling = Sampling(config.temperature, config.max_tokens)
    rollouts = play(policy, config, dataset, "test", tasks, sampling, config.reward(), config.max_steps, 64)
    return [row_of(dataset, rollout) for rollout in rollouts]


def judge_agent(args: argparse.Namespace, dataset: DataSet, config: GRPOConfig, agent: Agent) -> list[Row]:
    limit = None if agent.name == "human" else config.max_steps
    env = config.make_env(dataset, "test", config.reward(), limit)
    rollouts = collect(fixed_tasks(dataset, "test", None, 1, seed=0), lambda: env, lambda: agent, lanes=1)
    return [row_of(dataset, rollout) for rollout in rollouts]


def row_of(dataset: DataSet, rollout: Rollout) -> Row:
    assert rollout.reward is not None
    assert rollout.trajectory is not None
    trajectory = rollout.trajectory
    user = dataset.user(dataset.user_row(dataset.session_row(trajectory.session_id)))
    counts = {a.label: sum(effect is a for effect, _ in trajectory.pairs()) for a in ITEM_ACTIONS}
    return {
        "session": trajectory.session_id,
        "user": user.user_id,
        **rollout.reward._asdict(),
        "steps": len(trajectory),
        "invalid": trajectory.invalid_steps,
        **counts,
    }


def differences(seeds: Sequence[int], evaluated: Mapping[str, list[Row]]) -> dict[str, Row]:
    """GRPO minus imitation on the same sessions and seeds: per seed, and all seeds together."""
    found = {}
    stacks = {stage: [evaluated[f"{stage}-{seed}"] for seed in seeds] for stage in ("imitation", "grpo")}
    for name, chosen in [*((str(i), [n]) for n, i in enumerate(seeds)), ("all", list(range(len(seeds))))]:
        before, after = ([row for n in chosen for row in stacks[stage][n]] for stage in ("imitation", "grpo"))
        assert [row["session"] for row in before] == [row["session"] for row in after]
        bootstrap = Bootstrap([row["user"] for row in before], [row["session"] for row in before], samples=5000)
        found[name] = {
            part: asdict(bootstrap.estimate(columns(before, after, part), mean_of)) for part in RewardParts._fields
        }
    return found


def columns(before: Sequence[Row], after: Sequence[Row], part: str) -> NDArray[np.float64]:
    return np.array([[b[part] - a[part], 1.0] for a, b in zip(before, after, strict=True)])


def means(rows: Sequence[Row]) -> Row:
    """Means over trajectories; `invalid` as a share of steps."""
    names = [*RewardParts._fields, "steps", *(a.label for a in ITEM_ACTIONS)]
    found = {name: float(np.mean([row[name] for row in rows])) for name in names}
    return found | {"invalid": sum(row["invalid"] for row in rows) / sum(row["steps"] for row in rows)}


def kept(path: Path, make: Callable[[], list[Row]]) -> list[Row]:
    """What a file holds; made and written whole where there is none yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(make()))
        os.replace(part, path)
    found: list[Row] = json.loads(path.read_text())
    return found


def progress(what: str, every: int) -> Callable[[int, int, Mapping[str, float]], None]:
    def show(done: int, total: int, scalars: Mapping[str, float]) -> None:
        if done % every == 0 or done == total:
            value = scalars.get("reward/total", scalars.get("loss"))
            print(f"{what} {done}/{total} {value:.3f}", flush=True)

    return show


def print_tables(results: Row) -> None:
    print("\nGRPO minus imitation on test sessions, 95 % interval over users")
    for name, parts in results["differences"].items():
        line = "  ".join(f"{p} {e['value']:+.3f} [{e['low']:+.3f}, {e['high']:+.3f}]" for p, e in parts.items())
        print(f"seed {name:4} {line}")
    names = list(next(iter(results["agents"].values())))
    print("\n" + f"{'':18}" + "".join(f"{name:>13}" for name in names))
    for agent, row in results["agents"].items():
        print(f"{agent:18}" + "".join(f"{row[name]:13.3f}" for name in names))


def draw(curves: Mapping[int, list[Row]], path: Path) -> None:
    """Reward parts on the trained sessions, by iteration; the mean over three iterations, since sessions differ."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    panels = (("reward/total", "reward"), ("rollouts/invalid", "invalid share"), ("rollouts/turns", "steps a session"))
    for axes, (name, title) in zip(figure.subplots(1, 3), panels, strict=True):
        for seed, lines in curves.items():
            values = np.convolve([line[name] for line in lines], np.ones(3) / 3, mode="valid")
            axes.plot(np.arange(len(values)) + 2, values, label=f"seed {seed}")
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("iteration", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    main()
