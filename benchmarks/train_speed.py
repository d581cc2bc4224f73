"""What training costs, beside others on the same rows: ``python benchmarks/train_speed.py``.

- *grpo*: a single-turn GRPO step (sample, score, update) against TRL's ``GRPOTrainer`` on the same tiny model, prompts
  with screens, group size, answer tokens and micro-batch, each step on prompts that neither has seen. Steps of the two
  take turns. Needs TRL (``pip install trl``); left out, with a line that says so, where it is not installed.
- *imitation*: tokens a second of ``train il``'s step, its rows made in the loop, against a plain loop with transformers
  on the same rows: once with the processor in the loop, as is usual, once on inputs made before.
- *iteration*: how the wall time of GRPO's iterations is split, as logged.
- *memory*: largest resident memory of ``train il`` and ``train grpo``, each in a process of its own.

Seconds are wall time and, since other programs disturb those less, CPU time of this process; ratios are those of a
round, their median over rounds is told.
"""

import argparse
import importlib.util
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import torch
from memory import peak_mb
from PIL import Image as Pillow
from transformers import Qwen3VLProcessor

from shopsim.agents.backend import Prompt, Sampling
from shopsim.agents.tiny_vlm import GRID
from shopsim.data import DataSet
from shopsim.trainers.advantages import advantages
from shopsim.trainers.grpo import GRPOConfig, train_grpo
from shopsim.trainers.imitation import Examples, ImitationConfig, accumulate
from shopsim.trainers.logs import read
from shopsim.trainers.optimizer import apply_step, make_optimizer
from shopsim.trainers.policy import Policy
from shopsim.trainers.presets import GRPO, IMITATION, TINY
from shopsim.trainers.rows import Row
from shopsim.trainers.tiny import make_start_model
from shopsim.trainers.update import update

Times = tuple[float, float]
"""Wall and CPU seconds."""


class Clock:
    """Times what is done between `start` and `stop`."""

    def start(self) -> None:
        self._wall, self._cpu = perf_counter(), process_time()

    def stop(self) -> Times:
        return perf_counter() - self._wall, process_time() - self._cpu


class Processor(Qwen3VLProcessor):  # type: ignore[misc]
    """Transformers' own processor without its video part, which needs torchvision."""

    attributes = ("image_processor", "tokenizer")

    def __init__(self, image_processor: Any = None, tokenizer: Any = None, chat_template: str | None = None) -> None:
        super(Qwen3VLProcessor, self).__init__(image_processor, tokenizer, chat_template=chat_template)
        self.image_token, self.image_token_id = "<|image_pad|>", tokenizer.convert_tokens_to_ids("<|image_pad|>")
        self.video_token, self.video_token_id = "<|video_pad|>", tokenizer.convert_tokens_to_ids("<|video_pad|>")
        names = {"vision_start_token": "<|vision_start|>", "vision_end_token": "<|vision_end|>"}
        for name, token in names.items():
            setattr(self, name, token)
            setattr(self, f"{name}_id", tokenizer.convert_tokens_to_ids(token))


def messages(prompt: Prompt) -> list[dict[str, Any]]:
    """A prompt as transformers and TRL take it."""
    return [
        {
            "role": message.role,
            "content": [
                {"type": "text", "text": part}
                if isinstance(part, str)
                else {"type": "image", "image": Pillow.fromarray(part.array)}
                for part in message.content
            ],
        }
        for message in prompt.messages
    ]


def tell(name: str, unit: str, rounds: Sequence[tuple[Times, Times]], wish: str) -> None:
    """Prints the medians of two and of their ratio, ours first."""
    for what, i in (("wall", 0), ("CPU", 1)):
        ours, theirs = ([pair[who][i] for pair in rounds] for who in (0, 1))
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        least, most = min(map(float.__truediv__, ours, theirs)), max(map(float.__truediv__, ours, theirs))
        print(
            f"{name}, {what}: ours {statistics.median(ours):.3g} {unit}, theirs {statistics.median(theirs):.3g}, "
            f"ratio {ratio:.2f} ({least:.2f} to {most:.2f}; wish {wish})",
            flush=True,
        )


# GRPO beside TRL


def grpo_beside_trl(dataset: DataSet, model: Path, given: argparse.Namespace) -> None:
    """One step of each in turns, on the same prompts."""
    import trl
    from datasets import Dataset
    from transformers import Qwen3VLForConditionalGeneration, TrainerCallback, logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    steps, answers = given.rounds + 1, given.prompts * given.generations  # the first warms both up
    demonstrations = distinct_prompts(dataset, model, steps * given.prompts)
    policy = Policy.load(model, device="cpu")
    optimizer = make_optimizer(policy.model, 0.0)
    config = GRPOConfig(
        model=str(model), out="", lr=1e-3, num_generations=given.generations, max_tokens=given.tokens,
        micro_batch=given.micro_batch, **TINY_OPTIONS,
    )  # fmt: skip
    ours: list[Times] = []
    theirs: list[Times] = []
    lengths: list[list[int]] = [[], []]
    clock = Clock()

    def worth(text: str) -> float:
        """A reward that varies within a group and costs nothing."""
        return float(sum(map(ord, text)) % 7)

    def our_step(step: int) -> None:
        clock.start()
        asked = demonstrations[step * given.prompts : (step + 1) * given.prompts]
        prompts = [prompt for prompt in asked for _ in range(given.generations)]
        completions = policy.generate(prompts, range(answers), Sampling(1.0, given.tokens))
        groups = [i // given.generations for i in range(answers)]
        values = advantages([worth(completion.text) for completion in completions], groups, True).values
        rows = [
            Row(i, prompt, completion.token_ids or (), completion.logprobs or (), value or 0.0)
            for i, (prompt, completion, value) in enumerate(zip(prompts, completions, values, strict=True))
        ]
        update(policy, optimizer, None, rows, config, step)
        ours.append(clock.stop())
        lengths[0].append(sum(completion.answer_tokens for completion in completions))

    class InTurns(TrainerCallback):  # type: ignore[misc]
        def on_step_begin(self, arguments: Any, state: Any, control: Any, **_: Any) -> None:
            our_step(state.global_step)
            clock.start()

        def on_step_end(self, arguments: Any, state: Any, control: Any, **_: Any) -> None:
            theirs.append(clock.stop())
            print(f"step {len(theirs)}: CPU ours {ours[-1][1]:.2f} s, TRL's {theirs[-1][1]:.2f} s", flush=True)

    def reward(completions: Sequence[Any], completion_ids: Sequence[Any], **_: Any) -> list[float]:
        lengths[1].append(sum(map(len, completion_ids)))
        return [worth(completion[0]["content"]) for completion in completions]

    parts = policy.backend.encoder
    parts.tokenizer.padding_side = "left"  # TRL wants it so; ours does not ask it
    processor = Processor(parts.image_processor, parts.tokenizer, chat_template=parts.tokenizer.chat_template)
    with tempfile.TemporaryDirectory() as out:
        arguments = trl.GRPOConfig(
            output_dir=out, use_cpu=True, bf16=False, learning_rate=1e-3, lr_scheduler_type="constant",
            per_device_train_batch_size=given.micro_batch, gradient_accumulation_steps=answers // given.micro_batch,
            num_generations=given.generations, max_completion_length=given.tokens, max_steps=steps,
            temperature=1.0, top_k=0, beta=0.0, loss_type="dapo", epsilon=0.2, epsilon_high=0.28,
            shuffle_dataset=False, gradient_checkpointing=False, report_to=[], save_strategy="no", logging_steps=10**6,
            disable_tqdm=True, dataloader_pin_memory=False, remove_unused_columns=False, max_grad_norm=1.0,
        )  # fmt: skip
        trainer = trl.GRPOTrainer(
            model=Qwen3VLForConditionalGeneration.from_pretrained(model, dtype="float32"),
            reward_funcs=reward,
            args=arguments,
            # As cheap for TRL as it can be: nothing is read or decoded.
            train_dataset=Dataset.from_dict({"row": range(len(demonstrations))}).with_transform(
                lambda batch: {"prompt": [messages(demonstrations[row]) for row in batch["row"]]}
            ),
            processing_class=processor,
            callbacks=[InTurns()],
        )
        trainer.train()
    print(
        f"grpo: {given.prompts} prompts x {given.generations} answers of up to {given.tokens} tokens "
        f"(drawn: ours {statistics.mean(lengths[0][1:]):.0f} a step, TRL's {statistics.mean(lengths[1][1:]):.0f}), "
        f"micro-batches of {given.micro_batch}, TRL {trl.__version__}"
    )
    tell("grpo step", "s", list(zip(ours[1:], theirs[1:], strict=True)), "at most 0.9")


TINY_OPTIONS: dict[str, Any] = {"agent": TINY.style, "size": TINY.size, "device": "cpu"}


def distinct_prompts(dataset: DataSet, model: Path, count: int) -> list[Prompt]:
    """Prompts of recorded steps, each of another screen."""
    config = ImitationConfig(model=str(model), out="", grid=GRID, supervise="answer", **TINY_OPTIONS)
    found: dict[tuple[str, ...], Prompt] = {}
    for example in Examples(config, dataset, Policy.load(model, device="cpu"), "train").first(10**6):
        found.setdefault(tuple(image.id for image in example.prompt.images), example.prompt)
        if len(found) == count:
            return list(found.values())
    raise SystemExit(f"the data set has only {len(found)} distinct prompts; {count} are needed")


# Imitation beside a plain loop


def imitation_beside_plain(dataset: DataSet, model: Path, given: argparse.Namespace) -> None:
    """One step of each in turns on the same rows."""
    from transformers import Qwen3VLForConditionalGeneration

    data = str(dataset.path)
    config = ImitationConfig(model=str(model), data=data, out="", **{**IMITATION["tiny"], **TINY_OPTIONS})
    policy = Policy.load(model, device="cpu")
    optimizer = make_optimizer(policy.model, config.weight_decay)
    own = Examples(config, dataset, policy, "train")
    # The same rows for the plain loops; made by a second walk, so that ours makes its own within its time.
    made = Examples(config, dataset, policy, "train")

    def rows(walk: Any, step: int) -> Any:
        return walk.take(range(step * config.batch, (step + 1) * config.batch))

    encoder = policy.backend.encoder
    processor = Processor(encoder.image_processor, encoder.tokenizer, chat_template=encoder.tokenizer.chat_template)
    plain = Qwen3VLForConditionalGeneration.from_pretrained(model, dtype="float32").train()
    plain_optimizer = torch.optim.AdamW(plain.parameters(), lr=1e-3, weight_decay=config.weight_decay)

    def collate(step: int) -> dict[str, Any]:
        batch = rows(made, step)
        texts = [
            encoder.tokenizer.apply_chat_template(messages(row.prompt), tokenize=False, add_generation_prompt=True)
            + encoder.decode(row.ids) + encoder.tokenizer.eos_token
            for row in batch
        ]  # fmt: skip
        images = [[part.array for part in row.prompt.images] for row in batch]
        inputs = processor(text=texts, images=images, padding=True, padding_side="right", return_tensors="pt")
        labels = inputs["input_ids"].masked_fill(inputs["attention_mask"] == 0, -100)
        ends = inputs["attention_mask"].sum(1)
        for i, row in enumerate(batch):
            labels[i, : ends[i] - len(row.ids)] = -100
        return {**inputs, "labels": labels}

    def plain_step(inputs: dict[str, Any]) -> None:
        plain(**inputs, use_cache=False).loss.backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        plain_optimizer.step()
        plain_optimizer.zero_grad(set_to_none=True)

    def our_step(step: int) -> None:
        accumulate(policy, rows(own, step), config)
        apply_step(policy.model, optimizer, 1e-3, 1.0)

    def timed(work: Callable[[], None]) -> Times:
        clock.start()
        work()
        return clock.stop()

    clock = Clock()
    beside: dict[str, list[tuple[Times, Times]]] = {"": [], " on inputs made before": []}
    for number in range(given.rounds + 1):
        steps = range(number * given.steps, (number + 1) * given.steps)
        tokens = sum(len(row.ids) for step in steps for row in rows(made, step))
        inputs = [collate(step) for step in steps]
        ours = timed(lambda steps=steps: [our_step(step) for step in steps])  # type: ignore[misc]
        usual = timed(lambda steps=steps: [plain_step(collate(step)) for step in steps])  # type: ignore[misc]
        bare = timed(lambda inputs=inputs: [plain_step(one) for one in inputs])  # type: ignore[misc]
        if number:  # the first warms up
            rate = [(tokens / wall, tokens / cpu) for wall, cpu in (ours, usual, bare)]
            for pairs, other in zip(beside.values(), rate[1:], strict=True):
                pairs.append((rate[0], other))
    print(f"imitation: batches of {config.batch} rows, {given.steps} steps a round; answer tokens a second")
    for which, pairs in beside.items():
        tell(f"imitation against a plain loop{which}", "tokens/s", pairs, "none" if which else "at least 0.9")


# GRPO's iterations, and memory


def split(dataset: DataSet, model: Path, out: Path, iterations: int) -> None:
    """Prints the shares of an iteration's wall time."""
    train(dataset, model, out, "grpo", iterations)
    lines = read(out)[1:]
    parts = ("environment", "sampling", "scoring", "update")
    times = {part: np.array([line[f"time/{part}"] for line in lines]) for part in parts}
    whole = sum(times.values())
    shares = ", ".join(f"{part} {np.median(seconds / whole):.1%}" for part, seconds in times.items())
    print(
        f"iteration of {np.median(whole):.1f} s (wall), {np.mean([line['rows'] for line in lines]):.0f} rows: {shares}"
    )


def train(dataset: DataSet, model: Path, out: Path, trainer: str, steps: int) -> None:
    """Trains with the presets of the tiny model."""
    common = {"model": str(model), "data": str(dataset.path), "out": str(out), **TINY_OPTIONS}
    if trainer == "il":
        from shopsim.trainers.imitation import train_imitation

        train_imitation(ImitationConfig(**{**IMITATION["tiny"], **common, "steps": steps, "eval_every": 0}))
    else:
        train_grpo(GRPOConfig(**{**GRPO["tiny"], **common, "iterations": steps}))


def memory(dataset: DataSet, model: Path, scratch: Path, trainer: str, steps: int) -> None:
    """Prints the largest resident memory of a training process."""
    command = [
        sys.executable, __file__, "--data", str(dataset.path), "--model", str(model), "--train", trainer,
        "--out", str(scratch / f"memory-{trainer}"), "--iterations", str(steps),
    ]  # fmt: skip
    print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="data set; the bundled one if not given")
    parser.add_argument("--model", type=Path, help="a tiny model; an imitation run of --warm steps if not given")
    parser.add_argument("--only", choices=("grpo", "imitation", "iteration", "memory"), action="append")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--prompts", type=int, default=4, help="grpo: a step")
    parser.add_argument("--generations", type=int, default=8, help="grpo: answers to each prompt")
    parser.add_argument("--tokens", type=int, default=32, help="grpo: longest answer")
    parser.add_argument("--micro-batch", type=int, default=32, help="grpo: answers in one forward pass")
    parser.add_argument("--steps", type=int, default=5, help="imitation: steps a round")
    parser.add_argument("--iterations", type=int, default=4, help="iteration, memory: so many")
    parser.add_argument("--warm", type=int, default=150, help="imitation steps before iterations are timed")
    parser.add_argument("--train", choices=("il", "grpo"), help="only train, and tell the memory (used by itself)")
    parser.add_argument("--out", type=Path, help="with --train: where to")
    given = parser.parse_args()
    dataset = DataSet.bundled() if given.data is None else DataSet.open(given.data)
    if given.train:
        train(dataset, given.model, given.out, given.train, given.iterations)
        return print(f"{given.train}: {peak_mb():.0f} MB at most in {given.iterations} steps")
    wanted = given.only or ["grpo", "imitation", "iteration", "memory"]
    print(f"{torch.get_num_threads()} threads, torch {torch.__version__}, data set {dataset.name}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        start = given.model or make_start_model(scratch / "model", dataset)
        if "grpo" in wanted and importlib.util.find_spec("trl") is None:
            print("grpo: left out, TRL is not installed")
        elif "grpo" in wanted:
            grpo_beside_trl(dataset, start, given)
        if "imitation" in wanted:
            imitation_beside_plain(dataset, start, given)
        if {"iteration", "memory"} & set(wanted) and given.model is None:
            train(dataset, start, scratch / "il", "il", given.warm)
            start = scratch / "il"
        if "iteration" in wanted:
            split(dataset, start, scratch / "grpo", given.iterations + 1)
        if "memory" in wanted:
            memory(dataset, start, scratch, "il", 30)
            memory(dataset, start, scratch, "grpo", given.iterations)


if __name__ == "__main__":
    main()
