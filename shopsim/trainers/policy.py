"""The policy: one model in process that is sampled and trained in place, and how its log-probabilities are taken.

The trainer's log-probabilities come from the same encoder and the same formula as the sampler's, at the same
temperature and with the same tokens suppressed, so at the first update of an iteration both agree up to rounding.
That holds too where vLLM draws the answers: it is given the weights before each collection. What disagreement is left
is corrected for, since the loss's ratio is to the probabilities that the sampler told.
"""

import math
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from shopsim.agents.backend import Backend, Completion, Prompt, Sampling
from shopsim.agents.checkpoint import folder_of
from shopsim.agents.encoding import log_distribution, no_progress_bars
from shopsim.agents.transformers_backend import TransformersBackend
from shopsim.agents.vision import screens_once
from shopsim.errors import InputError
from shopsim.trainers import lora, parallel


@dataclass(frozen=True, slots=True)
class Tokens:
    """The trained tokens of some rows, flat: row after row, in the order of the answers. Padding is not among them."""

    ids: Tensor
    """(N,) int64."""
    logprobs: Tensor
    """(N,) float32, with gradient unless computed under `torch.no_grad`."""
    entropy: Tensor
    """(N,) nats, of the distribution each token was drawn from; without gradient."""
    certainty: Tensor
    """(N,) nats, KL(U ‖ p) of that distribution from the uniform one over the tokens that can be drawn; without
    gradient. Self-certainty (2502.18581) is its mean over an answer's tokens."""


class Policy:
    """A model with its encoder and sampler. Agents ask it as any other back end.

    Args:
        backend: Its model is the one that is trained, and, unless vLLM does, draws the answers.
        bf16: Compute in bfloat16 (autocast, while sampling too); weights and optimizer stay float32.
        gradient_checkpointing: Compute activations again in the backward pass: less memory, a third more time.

    Attributes:
        backend: The model with its encoder.
        model: The transformers model.
        choices: Number of tokens that can be drawn, V.
        adapted: Whether an adapter is trained in place of the weights.
        sampling_seconds: Spent on drawing answers so far, new weights for the sampler included.
    """

    def __init__(self, backend: TransformersBackend, bf16: bool = False, gradient_checkpointing: bool = False) -> None:
        self.backend = backend
        self.model: Any = backend.model
        self.adapted = False
        self.sampling_seconds = 0.0
        self._engine: Any = None
        self._bf16 = bf16
        self._suppressed = backend.encoder.suppressed.to(self.model.device)
        self.choices = int((~self._suppressed).sum())
        if gradient_checkpointing:
            self.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        # Transformers checkpoint activations in training mode only. The supported models have no dropout.
        self.model.train(gradient_checkpointing)

    @classmethod
    def load(
        cls,
        model: str | Path,
        device: str = "auto",
        bf16: bool = False,
        gradient_checkpointing: bool = False,
        batch_size: int = 64,
    ) -> "Policy":
        """Loads a model folder, a run's newest checkpoint, or a hub id, with float32 weights.

        Args:
            model: Which.
            device: ``cpu``, ``cuda``, or ``auto`` for a GPU where there is one.
            bf16: As for the class.
            gradient_checkpointing: As for the class.
            batch_size: Most prompts sampled in one forward pass.

        Raises:
            InputError: It cannot be loaded.
        """
        backend = TransformersBackend.load(folder_of(model), dtype="float32", device=device, batch_size=batch_size)
        return cls(backend, bf16, gradient_checkpointing)

    def adapt(self, rank: int, seed: int, checkpoint: Path | None = None) -> None:
        """Trains an adapter of this rank in place of the weights (`shopsim.trainers.lora`).

        Args:
            rank: Its rank.
            seed: Of its first weights.
            checkpoint: Whose adapter to go on with.

        Raises:
            InputError: The checkpoint's adapter cannot be read.
        """
        lora.add(self.model, rank, seed)
        if checkpoint is not None:
            lora.load(self.model, checkpoint)
        self.adapted = True

    def sample_by_vllm(self, gpu_memory: float = 0.3) -> None:
        """Has vLLM in this process draw the answers from now on.

        Args:
            gpu_memory: Share of the GPU's memory that vLLM takes; the rest is for training.

        Raises:
            InputError: vLLM is not installed, there are several processes, or the model ties its embeddings.
        """
        from shopsim.agents.vllm_backend import VLLMBackend, check_renewable

        if parallel.size() > 1:
            raise InputError("vLLM samples for one process only; in several, train with sampler=transformers")
        check_renewable(self.model.config, self.backend.name)
        self._handed_over = TemporaryDirectory(prefix="shopsim-weights-")
        self.save(Path(self._handed_over.name) / "model")
        self._engine = VLLMBackend.load(
            Path(self._handed_over.name) / "model",
            dtype="bfloat16" if self._bf16 else "float32",
            engine={} if self.device.type == "cpu" else {"gpu_memory_utilization": gpu_memory},
        )

    def renew_sampler(self) -> None:
        """Makes the sampler draw from the model as it is now; call it after updates, before answers are drawn."""
        if self._engine is None:  # the model itself
            return
        started = perf_counter()
        # vLLM keeps this folder open: new files, never the old ones written over.
        folder = Path(self._handed_over.name) / "model"
        shutil.rmtree(folder)
        self.save(folder)
        self._engine.load_weights(folder)
        self.sampling_seconds += perf_counter() - started

    @property
    def reads_images(self) -> bool:
        """See `Backend.reads_images`."""
        return self.backend.reads_images

    def settings(self) -> dict[str, Any]:
        """See `Backend.settings`."""
        return self._sampler.settings()

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        """See `Backend.generate`.

        Raises:
            InputError: As for the sampler.
        """
        started = perf_counter()
        with self.arithmetic():
            completions = self._sampler.generate(prompts, seeds, sampling)
        self.sampling_seconds += perf_counter() - started
        return completions

    @property
    def _sampler(self) -> Backend:
        sampler: Backend = self._engine or self.backend
        return sampler

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        device: torch.device = self.model.device
        return device

    def arithmetic(self) -> AbstractContextManager[Any]:
        """The number format of the model's forward passes, in sampling and training alike."""
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self._bf16)

    def tokens(self, rows: Sequence[tuple[Prompt, Sequence[int]]], temperature: float = 1.0) -> Tokens:
        """Log-probabilities of answers.

        Args:
            rows: Prompts, and the ids of their answers.
            temperature: The sampler's.

        Returns:
            One entry for every answer token that `trainable` keeps.
        """
        encoder = self.backend.encoder
        batch = encoder.batch([(encoder.encode(prompt), ids) for prompt, ids in rows], "left", self.device)
        # Padded on the left, answers end together: the head is needed for the longest answer's positions only.
        longest = max(len(ids) for _, ids in rows)
        with self.arithmetic(), screens_once(self.model, batch):
            logits = self.model(**batch.inputs, logits_to_keep=longest + 1, use_cache=False).logits
        # Choosing the answers' positions before anything is computed keeps whatever stands elsewhere out of the
        # gradient, NaN included.
        start = batch.input_ids.shape[1] - longest
        mask = batch.completion_mask[:, start:]
        ids = batch.input_ids[:, start:][mask]
        distribution = log_distribution(logits[:, :-1][mask], self._suppressed, temperature)
        with torch.no_grad():
            # p log p is 0 where p is 0, not 0 times minus infinity.
            finite = distribution.masked_fill(self._suppressed, 0.0)
            entropy = -(distribution.exp() * finite).sum(-1)
            certainty = -finite.sum(-1) / self.choices - math.log(self.choices)
        return Tokens(ids, distribution.gather(-1, ids[:, None])[:, 0], entropy, certainty)

    def trainable(self, ids: Sequence[int]) -> list[bool]:
        """Which of an answer's tokens are trained: all that our sampler can draw, hence all of its own answers."""
        suppressed = self.backend.encoder.suppressed
        return [not bool(suppressed[token]) for token in ids]

    def save(self, folder: Path, weights: dict[str, Tensor] | None = None) -> None:
        """Writes model, tokenizer and processor, loadable by the same path as any checkpoint; an adapter too.

        Args:
            folder: Where to.
            weights: The model's, put together, where it is sharded (`shopsim.trainers.sharding.weights`).
        """
        if self.adapted:
            weights = lora.merged(self.model)
        with no_progress_bars():
            self.model.save_pretrained(folder, state_dict=weights)
            if self.adapted:
                lora.save(self.model, folder)
            self.backend.encoder.save(folder)
