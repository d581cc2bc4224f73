"""The policy: one model in process that is sampled and trained in place, and how its log-probabilities are taken.

The trainer's log-probabilities come from the same encoder and the same formula as the sampler's, at the same
temperature and with the same tokens suppressed, so at the first update of an iteration both agree up to rounding.
"""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from shopsim.agents.backend import Prompt
from shopsim.agents.checkpoint import folder_of
from shopsim.agents.encoding import log_distribution, no_progress_bars
from shopsim.agents.transformers_backend import TransformersBackend
from shopsim.trainers import lora


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
    """A model with its encoder and sampler.

    Args:
        backend: The sampler; its model is the one that is trained.
        bf16: Compute in bfloat16 (autocast, while sampling too); weights and optimizer stay float32.
        gradient_checkpointing: Compute activations again in the backward pass: less memory, a third more time.

    Attributes:
        backend: For `shopsim.agents.rollout.collect`.
        model: The transformers model.
        choices: Number of tokens that can be drawn, V.
        adapted: Whether an adapter is trained in place of the weights.
    """

    def __init__(self, backend: TransformersBackend, bf16: bool = False, gradient_checkpointing: bool = False) -> None:
        self.backend = backend
        self.model: Any = backend.model
        self.adapted = False
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

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        device: torch.device = self.model.device
        return device

    def arithmetic(self) -> AbstractContextManager[Any]:
        """The number format of forward passes; use it around sampling and training alike."""
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
        with self.arithmetic():
            logits = self.model(**batch.inputs, logits_to_keep=longest + 1, use_cache=False).logits
        # Choosing the answers' positions before anything is computed keeps whatever stands elsewhere out of the
        # gradient, NaN included.
        mask = batch.completion_mask[:, -longest:]
        ids = batch.input_ids[:, -longest:][mask]
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

    def save(self, folder: Path) -> None:
        """Writes model, tokenizer and processor, loadable by the same path as any checkpoint; an adapter too."""
        with no_progress_bars():
            self.model.save_pretrained(folder, state_dict=lora.merged(self.model) if self.adapted else None)
            if self.adapted:
                lora.save(self.model, folder)
            self.backend.encoder.save(folder)
