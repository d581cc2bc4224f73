"""Makes `shopsim-nano`, a small trained model, from nothing.

A synthetic set of USB's size, a model of random weights, sight from its feeds, imitation of its train users, GRPO on
their sessions. Then the checkpoints play held-out sessions, and the last one is written with its model card, in half
precision.

    python benchmarks/nano.py --out runs/nano              # about an hour on one core; every stage resumes
    python benchmarks/nano.py --out runs/try --quick       # a hundredth of everything: does it run?
"""

import argparse
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import torch

from shopsim.agents.checkpoint import NANO, folder_of
from shopsim.agents.tiny_vlm import Size
from shopsim.agents.transformers_backend import TransformersBackend
from shopsim.benchmark_usb.provenance import provenance
from shopsim.benchmark_usb.results import Results
from shopsim.benchmark_usb.roster import CEILINGS, FLOOR, AgentSpec
from shopsim.benchmark_usb.run import run_benchmark
from shopsim.benchmark_usb.synthetic import make_synthetic
from shopsim.data import DataSet
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import ImitationConfig, train_imitation
from shopsim.trainers.presets import GRPO, IMITATION, SIGHT, TINY
from shopsim.trainers.sight import SightConfig, train_sight
from shopsim.trainers.tiny import make_start_model

SEED = 0
BATCH = 32
INTENTS = ("HR", "F1", "HCO")
SHUFFLED = 128
"""Sessions whose steps are shuffled in imitation: few of them have few intents, and a small model follows those."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", choices=get_args(Size), default="nano", help="of the model")
    parser.add_argument("--seeing", type=int, default=1500, help="optimizer steps of sight")
    parser.add_argument("--people", type=int, default=900, help="optimizer steps of imitation")
    parser.add_argument("--iterations", type=int, default=4, help="of GRPO")
    parser.add_argument("--sessions", type=int, default=300, help="test sessions that are played")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a hundredth of everything")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    share = 100 if args.quick else 1

    data, start, sight, imitation, grpo = (args.out / n for n in ("data", "start", "sight", "imitation", "grpo"))
    if not data.exists():
        make_synthetic(data, 200 if args.quick else 5274, seed=SEED)
    dataset = DataSet.open(data)
    if not start.exists():
        make_start_model(start, dataset, SEED, args.size, sessions=200, vocabulary=4096)

    common: dict[str, Any] = {"data": str(data), "seed": SEED, "agent": TINY.style, "size": TINY.size, "device": "cpu"}
    first = SightConfig(
        **common | SIGHT["tiny"], model=str(start), out=str(sight), steps=args.seeing // share, batch=BATCH
    )
    train_sight(first, shown("sight", 20))
    imitating = common | IMITATION["tiny"] | {"batch": BATCH, "micro_batch": BATCH}
    second = ImitationConfig(
        **imitating, model=str(sight), out=str(imitation), steps=args.people // share, shuffle_sessions=SHUFFLED
    )
    train_imitation(second, shown("imitation", 20))
    third = GRPOConfig(
        **common | GRPO["tiny"],
        model=str(imitation),
        out=str(grpo),
        iterations=max(1, args.iterations // share),
        save_every=4,
    )
    train_grpo(third, shown("GRPO", 1))

    agents = [
        AgentSpec("human"),
        *(AgentSpec(kind) for kind in (*CEILINGS, *FLOOR, "always-terminate")),
        AgentSpec("recverse", str(imitation), "imitation"),
        AgentSpec("recverse", str(grpo), NANO),
    ]
    results = run_benchmark(
        dataset, agents, args.out / "results", sessions=args.sessions, lanes=32, progress=counted("test sessions")
    )
    table = scores(results)
    print(table)
    ship(folder_of(grpo), args.out / NANO, card(table, results, first, second, third))


def scores(results: Results) -> str:
    """The main scores as a table in Markdown, 95 % intervals over users in brackets."""
    rates = ["ATL", "CTR", "IPVR", "ACR", "CVR"]
    head = ["agent", *rates, "deviation", *INTENTS, "reward", "invalid %"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for summary in results.finished().values():
        cells = [summary.fidelity.rates[name].ratio for name in rates] + [summary.fidelity.deviation]
        cells += [summary.intent.scores[name] for name in INTENTS] + [summary.reward["total"]]
        shown = [_cell(e.value, e.low, e.high) for e in cells]
        invalid = summary.fidelity.invalid_rate
        shown.append(_cell(*(None if v is None else 100 * v for v in (invalid.value, invalid.low, invalid.high))))
        lines.append(f"| {summary.agent} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _cell(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" + (f" [{low:.3g}, {high:.3g}]" if low is not None and high is not None else "")


def ship(checkpoint: Path, folder: Path, text: str) -> None:
    """Writes a checkpoint's model in half precision, with its card."""
    backend = TransformersBackend.load(checkpoint)
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    backend.model.half().save_pretrained(unfinished)
    backend.encoder.save(unfinished)
    TINY.write(unfinished)
    (unfinished / "README.md").write_text(text, encoding="utf-8")
    for file in unfinished.iterdir():
        file.chmod(0o644)  # safetensors writes for its owner alone
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    print(f"{folder}: {sum(file.stat().st_size for file in folder.iterdir()) / 1e6:.1f} MB")


def card(table: str, results: Results, sight: SightConfig, imitation: ImitationConfig, grpo: GRPOConfig) -> str:
    data, code = results.head.settings.data, provenance()
    weights = sum(p.numel() for p in TransformersBackend.load(folder_of(grpo.out)).model.parameters())
    versions = ", ".join(f"{name} {version}" for name, version in code.packages.items())
    return CARD.format(
        weights=weights / 1e6,
        data=data.name,
        hash=data.hash[:16],
        screens=sight.steps * sight.batch,
        rows=imitation.steps * imitation.batch,
        iterations=grpo.iterations,
        trajectories=grpo.groups * grpo.num_generations,
        options=json.dumps(GRPO["tiny"]),
        lr=imitation.lr,
        table=table,
        rollouts=len(results.scores(NANO)),
        commit=(code.commit or "")[:12],
        python=code.python,
        versions=versions,
    )


CARD = """\
---
license: apache-2.0
library_name: transformers
pipeline_tag: image-text-to-text
tags: [shopsim, gymnasium, user-simulation]
---
# shopsim-nano

A vision-language model of {weights:.2f} million weights that shops in ShopSim's screens: Qwen3-VL's architecture with a
tokenizer of its own, made from a configuration and trained from nothing by ShopSim's trainers:

    shopsim benchmark run --agents recverse --model shopsim-nano

## Training

Everything from `{data}` (hash {hash}), ShopSim's synthetic set of USB's size, its train users only; on two CPU cores.

1. Sight: what shows on the cards of {screens} screens is to resemble its category's name and the numbers of its place
   (`shopsim.trainers.sight`).
2. Imitation: {rows} recorded steps, learning rate {lr}.
3. GRPO: {iterations} iterations of {trajectories} trajectories, {options}.

`python benchmarks/nano.py` does all of it and wrote this card. Code {commit}, Python {python}, {versions}.

## How human it is

{rollouts} test sessions of people it never saw, ratios to them (1 is perfect), intent in percent, 95 % intervals over
users. `human` is the person, `second-draw` the same shopper once more, `own-rule` its rule without errors.

{table}

## Limits

It has seen nothing but ShopSim's own drawn screens of 160 x 320 pixels in English, with the short prompts of
`RecVerseAgent.of(small=True)`. It is no model of real people: its teachers are synthetic shoppers. It is no
language model for any other use.
"""


def shown(what: str, every: int) -> Callable[[int, int, Mapping[str, float]], None]:
    def show(done: int, total: int, scalars: Mapping[str, float]) -> None:
        if done % every == 0 or done == total:
            print(f"{what} {done}/{total} {scalars.get('reward/total', scalars.get('loss', 0.0)):.3f}", flush=True)

    return show


def counted(what: str) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            print(f"{what} {done}/{total}", flush=True)

    return show


if __name__ == "__main__":
    main()
