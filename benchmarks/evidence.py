"""What the trainers do to a small model, on held-out people.

Everything starts from the imitation checkpoint that `benchmarks/nano.py` leaves. GRPO is run with its reward whole and
without its parts, by several seeds where the main rows are; Shop-R1's step-level training with its ablations; imitation
goes on with other memories. The checkpoints then play the same test sessions.

    python benchmarks/nano.py --out runs/nano
    python benchmarks/evidence.py --nano runs/nano --out runs/evidence            # everything; every stage resumes
    python benchmarks/evidence.py --nano runs/nano --out runs/evidence --train contrast:0 contrast:1
    python benchmarks/evidence.py --nano runs/nano --out runs/evidence --only policies memory steps

Arms can be trained by several processes at once; scores are of the arms whose training has ended.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from nano import BATCH, SHUFFLED, counted, scores, shown
from PIL import Image

from shopsim.agents.tiny_vlm import Size
from shopsim.benchmark_usb.bootstrap import Estimate
from shopsim.benchmark_usb.compare import compare
from shopsim.benchmark_usb.results import StepResults
from shopsim.benchmark_usb.roster import CEILINGS, FLOOR, AgentSpec
from shopsim.benchmark_usb.run import run_benchmark, run_steps
from shopsim.data import DataSet
from shopsim.trainers import logs
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import ImitationConfig, train_imitation
from shopsim.trainers.presets import GRPO, IMITATION, SHOP_R1, TINY
from shopsim.trainers.shop_r1 import ShopR1Config, train_shop_r1
from shopsim.trainers.tiny import make_start_model

GRPO_ARMS: dict[str, dict[str, Any]] = {
    "contrast": {},
    "plain": {"contrast": 0.0},
    "published": {"contrast": 0.0, "length_weight": 0.0},
    "spread gaps": {"gaps": "spread", "macro": "unclipped", "length_weight": 0.5},
    "all sessions": {"sessions": "all"},
    "no macro": {"macro_weight": 0.0},
    "no micro": {"lam": 0.0},
    "no length": {"length_weight": 0.0},
    "lambda 0.5": {"lam": 0.5},
    "lambda 2": {"lam": 2.0},
}
"""How each departs from `shopsim.trainers.presets.GRPO`."""

STEP_ARMS: dict[str, dict[str, Any]] = {
    "shop-r1": {},
    "shop-r1 binary": {"reward": "binary"},
    "shop-r1 no DARS": {"use_dars": False},
    "shop-r1 no format": {"use_format": False},
    "customer-r1": {"reward": "customer-r1"},
}

MEMORY_ARMS: dict[str, dict[str, Any]] = {
    "all memory": {"use_episodic": True},
    "no episodic": {},
    "no preference": {"use_episodic": True, "use_preference": False},
    "working only": {"use_preference": False},
    "no memory": {"use_preference": False, "use_working": False},
    "2 past screens": {"window": 2},
    "3 past screens": {"window": 3},
}
"""Options of the agent; the tiny one has working and preference memory, and one past screen."""

START_ARMS: dict[str, Size | None] = {"small": "default", "nano": "nano", "nano after sight": None}
"""Sizes of models from nothing that are imitated with; None for the one that was taught sight."""

MAIN = [f"{arm}:{seed}" for arm in ("contrast", "plain", "spread gaps") for seed in (0, 1, 2)]
OTHERS = [f"{arm}:0" for arm in [*GRPO_ARMS, *STEP_ARMS, *MEMORY_ARMS, *START_ARMS]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nano", type=Path, required=True, help="the folder of benchmarks/nano.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--train", nargs="*", default=list(dict.fromkeys(MAIN + OTHERS)), metavar="ARM:SEED")
    parser.add_argument("--only", nargs="*", choices=list(STAGES))
    parser.add_argument("--iterations", type=int, default=4, help="of GRPO")
    parser.add_argument("--step-iterations", type=int, default=20, help="of Shop-R1's training")
    parser.add_argument("--memory-steps", type=int, default=100, help="of imitation with another memory")
    parser.add_argument("--start-steps", type=int, default=150, help="of imitation by models of two sizes")
    parser.add_argument("--sessions", type=int, default=150, help="test sessions that are played")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)

    for arm in [] if args.only else args.train:
        train(args, *arm.rsplit(":", 1))
    dataset = DataSet.open(args.nano / "data")
    for stage in args.only or (STAGES if args.train else []):
        STAGES[stage](args, dataset)


def train(args: argparse.Namespace, arm: str, seed: str) -> None:
    common: dict[str, Any] = {
        "data": str(args.nano / "data"),
        "model": str(args.nano / "imitation"),
        "out": str(folder(args, arm, seed)),
        "agent": TINY.style,
        "size": TINY.size,
        "device": "cpu",
        "seed": int(seed),
        "save_every": 5,
    }
    own: dict[str, Any]
    name, length = f"{arm}:{seed}", steps_of(args, arm)
    if arm in STEP_ARMS:
        own = SHOP_R1["tiny"] | STEP_ARMS[arm]
        train_shop_r1(ShopR1Config(**common | own, iterations=length), shown(name, 5))
    elif arm in MEMORY_ARMS or arm in START_ARMS:
        own = IMITATION["tiny"] | {"batch": BATCH, "micro_batch": BATCH, "shuffle_sessions": SHUFFLED, "save_every": 50}
        if arm in MEMORY_ARMS:
            own |= {"agent_options": MEMORY_ARMS[arm], "lr": 1e-3}
        else:
            own |= {"model": str(start(args, START_ARMS[arm], int(seed)))}
        train_imitation(ImitationConfig(**common | own, steps=length), shown(name, 20))
    else:
        train_grpo(GRPOConfig(**common | GRPO["tiny"] | GRPO_ARMS[arm], iterations=length), shown(name, 1))


def start(args: argparse.Namespace, size: Size | None, seed: int) -> Path:
    """An untrained model of a size, or the one after sight."""
    if size is None:
        path: Path = args.nano / "sight"
        return path
    made: Path = args.out / f"start-{size}-{seed}"
    if not made.exists():
        make_start_model(made, DataSet.open(args.nano / "data"), seed, size, sessions=200, vocabulary=4096)
    return made


def steps_of(args: argparse.Namespace, arm: str) -> int:
    lengths = (
        (STEP_ARMS, args.step_iterations),
        (MEMORY_ARMS, args.memory_steps),
        (START_ARMS, args.start_steps),
        (GRPO_ARMS, args.iterations),
    )
    return next(int(length) for arms, length in lengths if arm in arms)


def folder(args: argparse.Namespace, arm: str, seed: str) -> Path:
    path: Path = args.out / f"{arm.replace(' ', '-')}-{seed}"
    return path


def trained(args: argparse.Namespace, arms: Mapping[str, Any]) -> list[AgentSpec]:
    """Those of some arms that have been trained to the end."""
    return [
        AgentSpec("recverse", str(path), f"{arm}, seed {seed}")
        for arm in arms
        for seed in range(3)
        if (path := folder(args, arm, str(seed))).exists() and len(logs.read(path)) >= steps_of(args, arm)
    ]


def policies(args: argparse.Namespace, dataset: DataSet) -> None:
    """Imitation against GRPO, with ceilings and floors, and the difference to imitation session by session."""
    learned = trained(args, GRPO_ARMS)
    agents = [
        AgentSpec("human"),
        *(AgentSpec(kind) for kind in (*CEILINGS, *FLOOR, "always-terminate")),
        AgentSpec("recverse", str(args.nano / "imitation"), "imitation"),
        *learned,
    ]
    out = args.out / f"policies-{len(learned)}"
    results = run_benchmark(dataset, agents, out, sessions=args.sessions, lanes=32, progress=counted("policies"))
    print(scores(results))
    names = ("deviation", "HR", "F1", "HCO", "reward total", "reward micro", "reward format")
    print("\n| minus imitation | " + " | ".join(names) + " |\n" + "|---" * (1 + len(names)) + "|")
    for spec in learned:
        found = {d.score: d for d in compare(results, results, "imitation", spec.name).differences}
        cells = [change(found[name].difference, found[name].better == "b") for name in names]
        print(f"| {spec.name} | " + " | ".join(cells) + " |")


def memory(args: argparse.Namespace, dataset: DataSet) -> None:
    """Models that were imitated on with other memories, and the price of each in tokens."""
    imitated(args, dataset, "memory", MEMORY_ARMS)


def sizes(args: argparse.Namespace, dataset: DataSet) -> None:
    """Models of two sizes after the same short imitation, and what sight before it is worth."""
    imitated(args, dataset, "sizes", START_ARMS)


def imitated(args: argparse.Namespace, dataset: DataSet, stage: str, arms: Mapping[str, Any]) -> None:
    agents = trained(args, arms)
    out = args.out / f"{stage}-{len(agents)}"
    results = run_benchmark(dataset, agents, out, sessions=args.sessions, lanes=32, progress=counted(stage))
    print(scores(results))
    print("\n| agent | validation loss | tokens a session |\n|---|---|---|")
    for spec in agents:
        loss = logs.read(Path(str(spec.checkpoint)))[-1]["validation/loss"]
        print(f"| {spec.name} | {loss:.3f} | {results.finished()[spec.name].tokens.value:.0f} |")


def pictures(args: argparse.Namespace, dataset: DataSet) -> None:
    """The imitated model and the one after GRPO where every product's picture is the same grey."""
    grey = args.out / "grey"
    paint_grey(dataset, grey)
    agents = [
        AgentSpec("recverse", str(args.nano / "imitation"), "imitation"),
        *(spec for spec in trained(args, GRPO_ARMS) if spec.name == "contrast, seed 0"),
    ]
    for name, environment in (("seen", {}), ("grey", {"pictures": str(grey)})):
        results = run_benchmark(
            dataset,
            agents,
            args.out / f"pictures-{name}",
            sessions=args.sessions,
            environment=environment,
            lanes=32,
            progress=counted(f"pictures, {name}"),
        )
        print(f"pictures {name}\n{scores(results)}")


def paint_grey(dataset: DataSet, folder: Path) -> None:
    """Makes a folder of pictures, for `ShopSimEnv(pictures=...)`, in which every product looks the same."""
    folder.mkdir(parents=True, exist_ok=True)
    for code in np.unique(dataset.label_codes[:, 0]).tolist():
        Image.new("RGB", (8, 8), (127, 127, 127)).save(folder / f"{dataset.category(code).category_id}.png")


def steps(args: argparse.Namespace, dataset: DataSet) -> None:
    """What people did next, told on their own screens: imitation, Shop-R1's line, GRPO, trivial policies."""
    agents = [
        AgentSpec("recverse", str(args.nano / "imitation"), "imitation"),
        *trained(args, STEP_ARMS),
        *(spec for spec in trained(args, GRPO_ARMS) if spec.name in ("contrast, seed 0", "plain, seed 0")),
    ]
    out = args.out / f"steps-{len(agents)}"
    results = run_steps(dataset, agents, out, sessions=args.sessions, lanes=32, progress=counted("steps"))
    assert isinstance(results, StepResults)
    print("| agent | exact match % | type accuracy % | macro F1 % | weighted F1 % | nothing % |\n" + "|---" * 6 + "|")
    for s in results.finished().values():
        cells = (s.exact_match, s.type_accuracy, s.macro_f1, s.weighted_f1, s.nothing_rate)
        print(f"| {s.agent} | " + " | ".join(percent(e) for e in cells) + " |")


def percent(e: Estimate) -> str:
    if e.value is None or e.low is None or e.high is None:
        return ""
    return f"{100 * e.value:.1f} [{100 * e.low:.1f}, {100 * e.high:.1f}]"


def change(e: Estimate, better: bool) -> str:
    """A difference with its interval; bold where it is to the better beyond chance."""
    if e.value is None or e.low is None or e.high is None:
        return ""
    text = f"{e.value:+.2f} [{e.low:+.2f}, {e.high:+.2f}]"
    return f"**{text}**" if better else text


def curves(args: argparse.Namespace, dataset: DataSet) -> None:
    """Reward, failed answers and length of the sessions trained on, by iteration."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3), layout="constrained")
    panels = (("reward/total", "reward"), ("rollouts/invalid", "answers not possible"), ("rollouts/turns", "steps"))
    for axes, (name, title) in zip(figure.subplots(1, 3), panels, strict=True):
        for arm, style in (("contrast", "-"), ("plain", "--")):
            for seed in range(3):
                lines = logs.read(folder(args, arm, str(seed)))
                axes.plot([line[name] for line in lines], style, color=f"C{seed}", label=f"{arm}, seed {seed}")
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("iteration", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=7)
    figure.savefig(args.out / "curves.png", dpi=90)


STAGES = {
    "policies": policies,
    "memory": memory,
    "sizes": sizes,
    "pictures": pictures,
    "steps": steps,
    "curves": curves,
}


if __name__ == "__main__":
    main()
