"""A model in process, by transformers: real checkpoints and the tiny one load by the same path (SPEC 5)."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MethodType
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    GenerationConfig,
    LogitsProcessor,
)
from transformers.utils import logging as reports

from shopsim.agents.backend import Completion, Prompt, Sampling
from shopsim.agents.encoding import EncodedPrompt, Encoder, log_distribution, no_progress_bars
from shopsim.agents.vision import screens_once
from shopsim.errors import InputError


class TransformersBackend:
    """Batched generation with a key-value cache and one private random stream per prompt.

    Args:
        model: A transformers model for images and text, or for text.
        encoder: Its encoder.
        batch_size: Most prompts in one forward pass.
        name: What results call the model.

    Attributes:
        model: The model; trainers update it in place.
        encoder: Shared with the trainers.
    """

    def __init__(self, model: Any, encoder: Encoder, batch_size: int = 64, name: str = "") -> None:
        self.model = model
        self.encoder = encoder
        self.batch_size = batch_size
        self.name = name
        # The checkpoint's own sampling defaults (top-k, penalties) must not mix into ours.
        model.generation_config = GenerationConfig(eos_token_id=list(encoder.end_ids), pad_token_id=encoder.pad_id)

    @classmethod
    def load(
        cls,
        path: str | Path,
        dtype: str | None = None,
        device: str = "auto",
        batch_size: int = 64,
        template_arguments: dict[str, Any] | None = None,
    ) -> "TransformersBackend":
        """Loads a checkpoint.

        Args:
            path: Folder or hub id.
            dtype: Number format, for example "bfloat16". By default float32 on a CPU, else the checkpoint's own.
            device: "cpu", "cuda", "cuda:1"; "auto" takes a GPU where there is one.
            batch_size: Most prompts in one forward pass.
            template_arguments: Passed to the chat template.

        Raises:
            InputError: The checkpoint cannot be read.
        """
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            encoder = Encoder.load(path, template_arguments=template_arguments)
            loader: Any = AutoModelForImageTextToText if encoder.reads_images else AutoModelForCausalLM
            with no_progress_bars(), _no_reports():
                model, found = loader.from_pretrained(
                    path,
                    dtype=dtype or ("float32" if device == "cpu" else "auto"),
                    output_loading_info=True,
                    ignore_mismatched_sizes=True,  # they are named below
                )
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise InputError(f"cannot load a model from '{path}': {str(error).splitlines()[0]}") from error
        for what, names in (
            ("are not there", sorted(found["missing_keys"])),
            ("have another shape than config.json says", sorted(name for name, *_ in found["mismatched_keys"])),
        ):
            if names:
                raise InputError(
                    f"cannot load a model from '{path}': {len(names)} of its weights {what}, {names[0]} for one"
                )
        patch_by_matrix(model)
        model = torch.nn.Module.to(model, device)
        return cls(model.eval(), encoder, batch_size, str(path))

    @property
    def reads_images(self) -> bool:
        """See `Backend.reads_images`."""
        return self.encoder.reads_images

    def settings(self) -> dict[str, Any]:
        """See `Backend.settings`."""
        return {"kind": "transformers", "model": self.name, "dtype": str(self.model.dtype).removeprefix("torch.")}

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        """See `Backend.generate`.

        Raises:
            InputError: A prompt is longer than the model can take, or answers shall follow a schema.
        """
        if sampling.schema is not None:
            raise InputError("transformers cannot hold answers to a JSON schema; use vllm:MODEL or a server")
        encoded = [self.encoder.encode(prompt) for prompt in prompts]
        completions: list[Completion] = []
        for start in range(0, len(prompts), self.batch_size):
            part = slice(start, start + self.batch_size)
            completions += self._generate(encoded[part], seeds[part], sampling)
        return completions

    def _generate(self, prompts: Sequence[EncodedPrompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        self.encoder.check_length(max(len(prompt.ids) for prompt in prompts), sampling.max_tokens)
        training = self.model.training
        self.model.eval()
        device = self.model.device
        batch = self.encoder.batch([(prompt, ()) for prompt in prompts], "left", device)
        sampler = _Sampler(seeds, sampling, self.encoder.suppressed.to(device))
        with torch.no_grad(), screens_once(self.model, batch):
            self.model.generate(
                **batch.inputs,
                logits_processor=[sampler],
                do_sample=False,
                max_new_tokens=sampling.max_tokens,
                use_cache=True,
            )
        self.model.train(training)
        ids = torch.stack(sampler.ids, dim=1).tolist()
        logprobs = torch.stack(sampler.logprobs, dim=1).tolist()
        return [self._completion(*row, sampling) for row in zip(prompts, ids, logprobs, strict=True)]

    def _completion(
        self, prompt: EncodedPrompt, ids: list[int], logprobs: list[float], sampling: Sampling
    ) -> Completion:
        """Cuts one row of the batch off behind its end token."""
        end = next((i + 1 for i, token in enumerate(ids) if token in self.encoder.end_ids), None)
        sampled = tuple(ids[: end or sampling.max_tokens])
        return Completion(
            text=self.encoder.decode(sampled),
            token_ids=sampled,
            logprobs=tuple(logprobs[: len(sampled)]),
            truncated=end is None,
            prompt_tokens=len(prompt.ids),
            answer_tokens=len(sampled),
        )


def patch_by_matrix(model: torch.nn.Module) -> None:
    """Lets a vision tower embed its patches by a matrix product in place of a convolution whose steps are as long as
    its kernel: the same weights and, up to rounding, the same values, in a fraction of the time on a CPU."""
    for module in model.modules():
        kernel = getattr(module, "proj", None)
        if isinstance(kernel, torch.nn.Conv3d) and kernel.kernel_size == kernel.stride:
            module.forward = MethodType(_embed_patches, module)


def _embed_patches(module: Any, patches: Tensor) -> Tensor:
    """In place of the forward of transformers' ``...VisionPatchEmbed``: (patches, values) to (patches, hidden)."""
    weight = module.proj.weight.flatten(1)
    return torch.nn.functional.linear(patches.reshape(-1, weight.shape[1]).to(weight.dtype), weight, module.proj.bias)


@contextmanager
def _no_reports() -> Iterator[None]:
    """Keeps transformers from printing tables about a checkpoint that is not whole; one line is said instead."""
    verbosity = reports.get_verbosity()
    reports.set_verbosity(logging.CRITICAL)
    try:
        yield
    finally:
        reports.set_verbosity(verbosity)


class _Sampler(LogitsProcessor):
    """Draws the next token of each row and leaves generation nothing to choose.

    Each row has its own random stream and spends one number a token: the drawn token is the first whose
    cumulative probability exceeds it. So a row's answer does not depend on its neighbours or their number.
    """

    def __init__(self, seeds: Sequence[int], sampling: Sampling, suppressed: Tensor) -> None:
        self._random = [np.random.default_rng(seed) for seed in seeds]
        self._sampling = sampling
        self._suppressed = suppressed
        self.ids: list[Tensor] = []
        self.logprobs: list[Tensor] = []

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        logprobs = log_distribution(scores, self._suppressed, self._sampling.temperature)
        chosen = logprobs.argmax(-1) if self._sampling.temperature == 0 else self._draw(logprobs)
        self.ids.append(chosen)
        self.logprobs.append(logprobs.gather(-1, chosen[:, None])[:, 0])
        return torch.full_like(scores, -torch.inf).scatter_(-1, chosen[:, None], 0.0)

    def _draw(self, logprobs: Tensor) -> Tensor:
        probabilities = logprobs.double().exp()
        if self._sampling.top_p < 1:
            ranked, order = probabilities.sort(dim=-1, descending=True, stable=True)
            ranked[ranked.cumsum(-1) - ranked >= self._sampling.top_p] = 0.0
            probabilities = torch.zeros_like(probabilities).scatter_(-1, order, ranked)
        cumulative = probabilities.cumsum(-1)
        numbers = torch.tensor([random.random() for random in self._random], dtype=torch.double)
        # The factor keeps the number below the last cumulative value, where rounding could lift it to.
        numbers = numbers.to(cumulative.device) * cumulative[:, -1] * (1 - 1e-12)
        return torch.searchsorted(cumulative, numbers[:, None], right=True)[:, 0]
