"""What a model is to ShopSim: prompts with images in, token ids with log-probabilities and text out (SPEC 5).

Every kind of model (in process, behind a server, scripted) is one class with the method `generate` of
`Backend`; agents and trainers know nothing else about it.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Image:
    """A screen: read-only pixels, uint8 of shape (height, width, 3), and the hash of their content.

    Make one with `Image.of`: the same pixels then give the same object for as long as somebody holds it, so a
    screen that stays in a window of K, or starts every member of a group, is stored once.
    """

    array: NDArray[np.uint8] = field(repr=False)
    id: str

    @staticmethod
    def of(array: NDArray[np.uint8]) -> "Image":
        """The image of these pixels; they are copied, so the caller may go on using the array."""
        digest = pixel_hash(array)
        image = _images.get(digest)
        if image is None:
            pixels = np.array(array, dtype=np.uint8, order="C")
            pixels.setflags(write=False)
            image = _images[digest] = Image(pixels, digest)
        return image

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Image) and other.id == self.id

    def __hash__(self) -> int:
        return int(self.id[:15], 16)


_images: WeakValueDictionary[str, Image] = WeakValueDictionary()


def pixel_hash(array: NDArray[np.uint8]) -> str:
    """Hash of an image's shape and pixels, 32 hexadecimal digits."""
    digest = hashlib.blake2b(repr(array.shape).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


T = TypeVar("T")


class Processed(Generic[T]):
    """What a back end makes of each screen (patches, a PNG file): made once, and gone with the screen.

    Args:
        make: Makes it.
        nbytes: Its size in memory.
        limit: Bytes kept; the ones used longest ago go first.

    Attributes:
        made: Screens processed so far.
    """

    def __init__(self, make: Callable[[Image], T], nbytes: Callable[[T], int], limit: int = 512 * 2**20) -> None:
        self._make, self._nbytes, self._limit = make, nbytes, limit
        self._kept: WeakKeyDictionary[Image, T] = WeakKeyDictionary()
        """The one used last comes last."""
        self.made = 0

    def __call__(self, image: Image) -> T:
        """That of a screen."""
        found = self._kept.pop(image, None)
        if found is not None:
            self._kept[image] = found
            return found
        self._kept[image] = found = self._make(image)
        self.made += 1
        kept = sum(map(self._nbytes, self._kept.values()))
        for other in list(self._kept)[:-1]:
            if kept <= self._limit:
                break
            kept -= self._nbytes(self._kept.pop(other))
        return found


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat: texts and images in reading order."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    content: tuple[str | Image, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked at one step."""

    messages: tuple[Message, ...]
    trimmed: tuple[str, ...] = ()
    """Names of the blocks whose text was cut to its limit; empty where everything fitted."""

    @property
    def images(self) -> tuple[Image, ...]:
        """The images in reading order."""
        return tuple(part for message in self.messages for part in message.content if isinstance(part, Image))

    @property
    def id(self) -> str:
        """Hash of roles, texts and images, 32 hexadecimal digits: the same where a model is asked the same."""
        content = [
            (message.role, [part if isinstance(part, str) else (part.id,) for part in message.content])
            for message in self.messages
        ]
        return hashlib.blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    @property
    def text(self) -> str:
        """The whole prompt as one text, ``[screen]`` standing for an image."""
        return "\n".join(
            "".join(part if isinstance(part, str) else "[screen]" for part in message.content)
            for message in self.messages
        )


@dataclass(frozen=True, slots=True)
class Sampling:
    """How answers are drawn."""

    temperature: float = 1.0
    """0 takes the most likely token."""
    max_tokens: int = 256
    """Longest answer; one that reaches it without ending is truncated."""
    top_p: float = 1.0
    """Draw only from the most likely tokens that together have this probability. Keep 1 for training."""
    schema: str | None = None
    """A JSON schema, as JSON text, that answers are held to while they are drawn (vLLM and servers only;
    `shopsim.agents.schema.answer_schema` writes that of a decision)."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer."""

    text: str
    """The answer without the end token."""
    token_ids: tuple[int, ...] | None
    """Exactly the sampled ids, the end token included. None where a server does not tell them."""
    logprobs: tuple[float, ...] | None
    """Of each sampled id, under the distribution at this temperature without the suppressed tokens (before
    `Sampling.top_p` cuts; at temperature 0 those of temperature 1). None where the back end cannot tell them so."""
    truncated: bool
    """Whether the limit cut the answer off."""
    prompt_tokens: int
    """Length of the prompt in tokens, images included."""
    answer_tokens: int
    """Length of the answer in tokens, the end token included."""


class Backend(Protocol):
    """A model."""

    @property
    def reads_images(self) -> bool:
        """Whether prompts may hold images; an agent asks a model that reads none with the text view."""

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        """Answers each prompt.

        An answer depends on its own prompt and seed alone, never on what else is in the batch (up to rounding
        in the last digits of the model's arithmetic).

        Raises:
            EnvironmentFault: A server failed.
            InputError: The prompt or the sampling is beyond what this back end or model can do.
        """

    def settings(self) -> dict[str, Any]:
        """What a result must name, as plain JSON values: kind, model, number format."""


class ScriptedBackend:
    """Answers from a function or a list: for tests and for demonstrations of a prompt.

    Args:
        answers: Called with the prompt and its seed; or texts, given out in order and repeated from the start.

    A scripted answer has one token per character, so that limits on length work as with a model.
    """

    def __init__(self, answers: Callable[[Prompt, int], str] | Sequence[str]) -> None:
        self._answers = answers
        self.prompts: list[Prompt] = []
        """Every prompt seen, in order."""
        self.reads_images = True

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        """See `Backend.generate`."""
        return [self._answer(prompt, seed, sampling) for prompt, seed in zip(prompts, seeds, strict=True)]

    def settings(self) -> dict[str, Any]:
        """See `Backend.settings`."""
        return {"kind": "scripted"}

    def _answer(self, prompt: Prompt, seed: int, sampling: Sampling) -> Completion:
        if callable(self._answers):
            text = self._answers(prompt, seed)
        else:
            text = self._answers[len(self.prompts) % len(self._answers)]
        self.prompts.append(prompt)
        ids = tuple(map(ord, text[: sampling.max_tokens]))
        return Completion(
            text=text[: sampling.max_tokens],
            token_ids=ids,
            logprobs=(0.0,) * len(ids),
            truncated=len(text) > sampling.max_tokens,
            prompt_tokens=len(prompt.text),
            answer_tokens=len(ids),
        )
