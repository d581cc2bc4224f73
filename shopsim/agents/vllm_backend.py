"""A model in process, by vLLM: the same prompts, ids and log-probabilities as transformers, faster on a GPU (SPEC 5).

Prompts are encoded by `shopsim.agents.encoding`, as for transformers; vLLM expands the image placeholders itself and
keeps what it computed of a screen under the screen's id.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shopsim.agents.backend import Completion, Image, Prompt, Sampling
from shopsim.agents.encoding import Encoder, no_progress_bars
from shopsim.errors import InputError

_ON_CPU: Mapping[str, Any] = {"enforce_eager": True, "kv_cache_memory_bytes": 2**30, "enable_chunked_prefill": False}
"""Nothing compiled; a small cache instead of nine tenths of the memory; no prompt taken in by pieces, which ends vLLM's
engine on a CPU where answers are drawn with seeds ("CPU Generator does not use offset")."""


class VLLMBackend:
    """Batched generation by vLLM's engine; a row's answer depends on its own seed.

    Args:
        engine: A ``vllm.LLM`` with ``logprobs_mode="processed_logprobs"``.
        encoder: Of the same model.
        name: What results call the model.

    Attributes:
        engine: The engine.
        encoder: Shared with trainers.
    """

    def __init__(self, engine: Any, encoder: Encoder, name: str = "") -> None:
        self.engine = engine
        self.encoder = encoder
        self.name = name
        self._never = {token: float("-inf") for token in encoder.suppressed.nonzero()[:, 0].tolist()}

    @classmethod
    def load(
        cls,
        path: str | Path,
        device: str = "auto",
        dtype: str | None = None,
        max_images: int = 9,
        template_arguments: dict[str, Any] | None = None,
        engine: Mapping[str, Any] | None = None,
    ) -> "VLLMBackend":
        """Loads a checkpoint.

        Args:
            path: Folder or hub id.
            device: ``cpu`` or ``auto``; vLLM takes what it was built for.
            dtype: Number format. By default float32 on a CPU, else the checkpoint's own.
            max_images: Most images in one prompt.
            template_arguments: Passed to the chat template.
            engine: Further arguments of ``vllm.LLM``, for example ``{"tensor_parallel_size": 2}``.

        Raises:
            InputError: vLLM is not installed, or the checkpoint cannot be read.
        """
        # In this process, so that no child process outlives it and weights can be handed over.
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
        try:
            import vllm
            from vllm.platforms import current_platform
        except ImportError as error:
            raise InputError(
                f"sampling by vLLM needs vLLM, in an environment of its own ({error}); docs/models.md says how"
            ) from None
        on_cpu = bool(current_platform.is_cpu())
        if device.partition(":")[0] not in ("auto", "cpu" if on_cpu else "cuda"):
            raise InputError(f"this vLLM was built for {'CPUs' if on_cpu else 'GPUs'}, not for device {device!r}")
        try:
            encoder = Encoder.load(path, template_arguments=template_arguments)
            limits = {"image": max_images, "video": 0} if encoder.reads_images else {}
            with no_progress_bars():
                llm = vllm.LLM(
                    model=str(path),
                    dtype=dtype or ("float32" if on_cpu else "auto"),
                    logprobs_mode="processed_logprobs",
                    # Only xgrammar and guidance can be told to leave out white space, which a weak model goes on in.
                    structured_outputs_config={"backend": "xgrammar", "disable_any_whitespace": True},
                    generation_config="vllm",  # the checkpoint's sampling defaults must not mix into ours
                    **{"limit_mm_per_prompt": limits, **(_ON_CPU if on_cpu else {}), **(engine or {})},
                )
        except (OSError, ValueError) as error:
            raise InputError(f"cannot load a model from '{path}': {str(error).splitlines()[0]}") from error
        encoder.max_length = llm.llm_engine.model_config.max_model_len
        return cls(llm, encoder, str(path))

    @property
    def reads_images(self) -> bool:
        """See `Backend.reads_images`."""
        return self.encoder.reads_images

    def settings(self) -> dict[str, Any]:
        """See `Backend.settings`."""
        dtype = self.engine.llm_engine.model_config.dtype
        return {"kind": "vllm", "model": self.name, "dtype": str(dtype).removeprefix("torch.")}

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        """See `Backend.generate`.

        Raises:
            InputError: A prompt is longer than the model can take.
        """
        # Counting here, screens and all, keeps a prompt that is too long from ending in the engine's own words.
        encoded = [self.encoder.encode(prompt) for prompt in prompts]
        self.encoder.check_length(max(len(prompt.ids) for prompt in encoded), sampling.max_tokens)
        outputs = self.engine.generate(
            [self._request(prompt) for prompt in prompts],
            [self._sampling(seed, sampling) for seed in seeds],
            use_tqdm=False,
        )
        return [self._completion(output, sampling) for output in outputs]

    def load_weights(self, folder: str | Path) -> None:
        """Takes the weights of another checkpoint of the same model, in place; nothing remembered of the old ones.

        Args:
            folder: The whole checkpoint, weights as safetensors; it must stay there, since vLLM goes on reading the
                image processor from it.

        Raises:
            InputError: The model ties its output to its input embeddings, which vLLM does not renew.
        """
        check_renewable(self.engine.llm_engine.model_config.hf_config, self.name)
        self.engine.collective_rpc("reload_weights", kwargs={"weights_path": str(folder)})
        self.engine.reset_prefix_cache()
        self.engine.reset_mm_cache()
        self.engine.llm_engine.reset_encoder_cache()

    # Inner workings

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        request: dict[str, Any] = {"prompt_token_ids": self.encoder.tokens(prompt)}
        if prompt.images:
            request["multi_modal_data"] = {"image": [_picture(image) for image in prompt.images]}
            request["multi_modal_uuids"] = {"image": [image.id for image in prompt.images]}
        return request

    def _sampling(self, seed: int, sampling: Sampling) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        schema = sampling.schema
        return SamplingParams(
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            seed=seed,
            logprobs=0,
            logit_bias=self._never,
            stop_token_ids=list(self.encoder.end_ids),
            detokenize=False,
            structured_outputs=None if schema is None else StructuredOutputsParams(json=schema),
        )

    def _completion(self, output: Any, sampling: Sampling) -> Completion:
        answer = output.outputs[0]
        ids = tuple(answer.token_ids)
        # With top-p or a schema the engine's are those of the distribution after the cut, which is another.
        told = sampling.top_p == 1.0 and sampling.schema is None
        return Completion(
            text=self.encoder.decode(ids),
            token_ids=ids,
            logprobs=tuple(entry[token].logprob for token, entry in zip(ids, answer.logprobs, strict=True))
            if told
            else None,
            truncated=answer.finish_reason == "length",
            prompt_tokens=len(output.prompt_token_ids),
            answer_tokens=len(ids),
        )


def check_renewable(config: Any, name: str) -> None:
    """Refuses a model whose weights vLLM cannot take in place.

    Args:
        config: The model's transformers configuration.
        name: What to call it.

    Raises:
        InputError: It ties its output to its input embeddings; vLLM would go on with the old output.
    """
    if config.tie_word_embeddings or config.get_text_config().tie_word_embeddings:
        raise InputError(f"{name} has tied embeddings, which vLLM does not renew in place; sample it by transformers")


def _picture(image: Image) -> Any:
    from PIL import Image as Pillow

    return Pillow.fromarray(image.array)
