"""Any model by one text: a folder, a hub id, an engine, a server (SPEC 5). Ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shopsim.agents.backend import Backend
from shopsim.agents.checkpoint import AgentSetup, folder_of
from shopsim.agents.spending import Budget, Limited

_VLLM = "vllm:"


def load_backend(
    spec: str | Path,
    *,
    device: str = "auto",
    dtype: str | None = None,
    batch_size: int = 64,
    max_images: int = 9,
    template_arguments: Mapping[str, Any] | None = None,
    engine: Mapping[str, Any] | None = None,
    request: Mapping[str, Any] | None = None,
    concurrency: int = 32,
    budget: Budget | None = None,
) -> Backend:
    """Loads a model, or says where it is served.

    ======================================  ==========================================================================
    ``shopsim-nano``                        The small trained model that comes with the package.
    ``FOLDER`` or ``OWNER/NAME``            A checkpoint, a training run's folder (its newest checkpoint) or a hub id,
                                            by transformers in this process.
    ``vllm:FOLDER``, ``vllm:OWNER/NAME``    The same by vLLM in this process.
    ``http://HOST:PORT/v1#MODEL``           A model behind an OpenAI-compatible server (``https`` too). Without
                                            ``#MODEL`` the only one it serves. The key, where one is needed, is the
                                            environment variable ``OPENAI_API_KEY``.
    ======================================  ==========================================================================

    Args:
        spec: The model, as in the table.
        device: In process: ``cpu``, ``cuda``, ``cuda:1``; ``auto`` takes a GPU where there is one.
        dtype: In process: number format, for example ``bfloat16``. By default float32 on a CPU, else the checkpoint's.
        batch_size: transformers: most prompts in one forward pass.
        max_images: vLLM: most images in one prompt (K past screens and the current one).
        template_arguments: Passed to the chat template, for example ``{"enable_thinking": False}``.
        engine: vLLM: further arguments of ``vllm.LLM``.
        request: Server: further fields of every request's body, as they are; None takes one out.
        concurrency: Server: most requests under way at once.
        budget: What the model may spend in all.

    Returns:
        The back end. `AgentSetup` (`setup_of`) is not part of it.

    Raises:
        InputError: There is no such model or server, it cannot be used, or a package it needs is not installed.
    """
    backend = _load(
        str(spec),
        device=device,
        dtype=dtype,
        batch_size=batch_size,
        max_images=max_images,
        template_arguments=dict(template_arguments or {}),
        engine=engine,
        request=request,
        concurrency=concurrency,
    )
    return backend if budget is None else Limited(backend, budget)


def setup_of(spec: str | Path) -> AgentSetup:
    """How a model's agent is set up: what its folder says (``agent.json``); the default where nothing says.

    Raises:
        InputError: There is no such folder or hub model, or its ``agent.json`` cannot be used.
    """
    text = str(spec)
    return AgentSetup() if is_server(text) else AgentSetup.of(folder_of(text.removeprefix(_VLLM)))


def is_server(spec: str) -> bool:
    """Whether a model is behind a server."""
    return spec.startswith(("http://", "https://"))


def _load(spec: str, **options: Any) -> Backend:
    # Imported here, since most of what ShopSim does needs no model, and none of these needs the others.
    if is_server(spec):
        from shopsim.agents.server_backend import ServerBackend

        url, _, model = spec.partition("#")
        return ServerBackend(url, model, **_only(options, "request", "concurrency"))
    if spec.startswith(_VLLM):
        folder = folder_of(spec.removeprefix(_VLLM))
        from shopsim.agents.vllm_backend import VLLMBackend

        return VLLMBackend.load(
            folder, **_only(options, "device", "dtype", "max_images", "template_arguments", "engine")
        )
    folder = folder_of(spec)
    from shopsim.agents.transformers_backend import TransformersBackend

    return TransformersBackend.load(folder, **_only(options, "device", "dtype", "batch_size", "template_arguments"))


def _only(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: options[name] for name in names}
