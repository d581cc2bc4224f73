"""A model behind an OpenAI-compatible server: vLLM's, llama.cpp's, a hosted one (SPEC 5). Ours.

Images travel as PNG data URLs, each distinct screen encoded once. What such a server tells differs: vLLM's says which
token ids it sampled, others do not, and a `Completion` then has none.
"""

import asyncio
import base64
import io
import json
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

from shopsim.agents.backend import Completion, Image, Processed, Prompt, Sampling
from shopsim.errors import EnvironmentFault, InputError

try:
    import httpx2 as httpx
except ImportError:
    raise InputError("a model behind a server needs the package httpx2: pip install 'shopsim[client]'") from None

T = TypeVar("T")

KEY = "OPENAI_API_KEY"
"""Environment variable with the server's key."""


class ServerBackend:
    """Asks a server, many prompts at once, and waits for one that is away.

    A request that fails for a reason that may pass (no connection, no answer in time, 408, 429, 5xx, an answer that
    is no completion) is sent again after 0.5, 1, 2, ... up to 10 seconds, or when the server says (``Retry-After``),
    until `patience` is over. After that later calls wait for nothing until the server answers again, so that a
    server gone for good does not cost the patience for each session.

    Args:
        url: Up to and including ``/v1``.
        model: As the server calls it; empty for the only one it serves.
        request: Further fields of every request's body, as they are; None takes a field out, for example
            ``{"max_tokens": None, "max_completion_tokens": 256}``.
        concurrency: Most requests under way at once.
        timeout: Seconds for one request.
        patience: Seconds from a request's first failure to its last try.
        reads_images: Whether prompts may hold images; no server tells.

    Attributes:
        model: As the server calls it.
        images: PNG data URLs of the screens.
        retries: Requests sent again so far.

    Raises:
        InputError: No server answers there, or it has no such model.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        *,
        request: Mapping[str, Any] | None = None,
        concurrency: int = 32,
        timeout: float = 120.0,
        patience: float = 120.0,
        reads_images: bool = True,
    ) -> None:
        self.reads_images = reads_images
        self.images = Processed(_data_url, len, 256 * 2**20)
        self.retries = 0
        self._request = dict(request or {})
        self._patience = patience
        self._away = False
        self._loop = _BackgroundLoop()
        key = os.environ.get(KEY)
        self._client = httpx.AsyncClient(
            base_url=url.rstrip("/") + "/",
            timeout=timeout,
            headers={} if not key else {"Authorization": f"Bearer {key}"},
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        )
        self._room = asyncio.Semaphore(concurrency)
        self.model, self._owner = self._find(url, model)

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        """See `Backend.generate`.

        Raises:
            EnvironmentFault: The server stayed away.
            InputError: It refuses the request.
        """
        bodies = [self._body(prompt, seed, sampling) for prompt, seed in zip(prompts, seeds, strict=True)]
        return self._loop.run(self._answer_all(bodies, sampling))

    def settings(self) -> dict[str, Any]:
        """See `Backend.settings`. Where the server runs is not part of it."""
        return {"kind": "server", "model": self.model, "served_by": self._owner, "request": self._request}

    # Inner workings

    def _find(self, url: str, model: str) -> tuple[str, str | None]:
        """The model's name, and who serves it as far as the server tells."""
        try:
            response = self._loop.run(self._client.get("models"))
            listed = {entry["id"]: entry.get("owned_by") for entry in response.raise_for_status().json()["data"]}
        except httpx.HTTPStatusError as error:
            # Some servers list no models; they can still be asked.
            if model and error.response.status_code in (403, 404, 405):
                return model, None
            raise InputError(f"{url}: {_refusal(error.response)}") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
            raise InputError(f"no OpenAI-compatible server answers at {url} ({_named(error)})") from None
        if not model and len(listed) == 1:
            model = next(iter(listed))
        if model not in listed:
            served = ", ".join(sorted(listed)[:8]) or "none"
            raise InputError(f"{url} serves no model {model!r}; it has: {served} (say which: {url}#MODEL)")
        return model, listed[model]

    def _body(self, prompt: Prompt, seed: int, sampling: Sampling) -> dict[str, Any]:
        if prompt.images and not self.reads_images:
            raise InputError("this model reads no images; use the agent's text view (view='text')")
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": self._content(m.content)} for m in prompt.messages],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": seed % 2**31,  # the widest that all servers take
            "logprobs": True,
        }
        if self._owner == "vllm":
            body["return_token_ids"] = True
        if sampling.schema is not None:
            schema = {"name": "answer", "schema": json.loads(sampling.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {name: value for name, value in (body | self._request).items() if value is not None}

    def _content(self, content: Sequence[str | Image]) -> str | list[dict[str, Any]]:
        if all(isinstance(part, str) for part in content):
            return "".join(map(str, content))
        return [
            {"type": "text", "text": part}
            if isinstance(part, str)
            else {"type": "image_url", "image_url": {"url": self.images(part)}}
            for part in content
        ]

    async def _answer_all(self, bodies: Sequence[dict[str, Any]], sampling: Sampling) -> list[Completion]:
        try:
            async with asyncio.TaskGroup() as group:  # one failure ends the others
                tasks = [group.create_task(self._answer(body, sampling)) for body in bodies]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _answer(self, body: dict[str, Any], sampling: Sampling) -> Completion:
        wait, first_failure = 0.5, None
        while True:
            pause = None
            try:
                async with self._room:
                    response = await self._client.post("chat/completions", json=body)
                if response.is_success:
                    completion = _completion(response.json(), sampling)
                    self._away = False
                    return completion
                reason = _refusal(response)
                if response.status_code not in (408, 429) and response.status_code < 500:
                    raise InputError(f"the server of {self.model} refuses: {reason}")
                pause = _seconds(response.headers.get("retry-after"))
            except httpx.TransportError as error:
                reason = _named(error)
            except (ValueError, KeyError, IndexError, TypeError) as error:
                reason = f"its answer is no chat completion, {_named(error)}"
            now = monotonic()
            first_failure = now if first_failure is None else first_failure
            if self._away or now - first_failure >= self._patience:
                self._away = True
                raise EnvironmentFault(f"the server of {self.model} stays away: {reason}")
            self.retries += 1
            await asyncio.sleep(min(pause if pause is not None else wait, self._patience))
            wait = min(2 * wait, 10.0)


class _BackgroundLoop:
    """An event loop in a thread of its own, so that callers need none and may have one (a notebook)."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="server back end", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Does the work; an interrupted caller ends it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()


def _data_url(image: Image) -> str:
    from PIL import Image as Pillow

    file = io.BytesIO()
    Pillow.fromarray(image.array).save(file, "png", compress_level=1)  # a third of the time of the default
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def _completion(answer: Mapping[str, Any], sampling: Sampling) -> Completion:
    """A completion from a server's answer.

    Log-probabilities are those of the model's own distribution at temperature 1. They are kept where that is the one
    drawn from, and left out where a temperature, top-p or a schema made it another.
    """
    choice, usage = answer["choices"][0], answer.get("usage") or {}
    ids = choice.get("token_ids")
    own = sampling.temperature in (0.0, 1.0) and sampling.top_p == 1.0 and sampling.schema is None
    told = (choice.get("logprobs") or {}).get("content") if own else None
    return Completion(
        text=choice["message"].get("content") or "",
        token_ids=None if ids is None else tuple(map(int, ids)),
        logprobs=None if told is None else tuple(float(token["logprob"]) for token in told),
        truncated=choice.get("finish_reason") == "length",
        prompt_tokens=int(usage.get("prompt_tokens") or 0),
        answer_tokens=int(usage.get("completion_tokens") or len(ids or ())),
    )


def _refusal(response: Any) -> str:
    """One line about an answer that is none."""
    if response.status_code == 401:
        return f"401, the key is missing or wrong (environment variable {KEY})"
    try:
        error = response.json().get("error", response.json())
        text = str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        text = response.text
    return f"{response.status_code}, {' '.join(text.split())[:300] or response.reason_phrase}"


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0]}" if str(error) else type(error).__name__


def _seconds(text: str | None) -> float | None:
    """The wait a server asks for; None where it names a date, or nothing."""
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
