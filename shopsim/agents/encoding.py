"""From prompts and answers to a model's inputs: the one place that turns text and screens into tensors.

The sampler and the trainers both encode here, so that what is trained is what was sampled: prompt ids are
made once from the chat template, sampled ids are appended as they are, and the same tokens are suppressed.

Covers the model families whose image processor cuts a screen into patches and reports a grid (Qwen2-VL,
Qwen2.5-VL, Qwen3-VL, Qwen3.5), and text models. The processor is put together from its parts, tokenizer,
image processor (its Pillow variant) and chat template, because transformers' own joint processor needs
torchvision for videos, which ShopSim has no use for.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor
from transformers import AutoConfig, AutoImageProcessor, AutoTokenizer, GenerationConfig
from transformers.utils import logging
from transformers.utils.hub import cached_file

from shopsim.agents.backend import Image, Processed, Prompt
from shopsim.errors import InputError


@dataclass(frozen=True, slots=True)
class EncodedPrompt:
    """A prompt as token ids, every image's placeholders included, and the images they stand for."""

    ids: tuple[int, ...]
    images: tuple[Image, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Model inputs of several rows, each a prompt and its answer."""

    inputs: dict[str, Tensor]
    """Keyword arguments of the model: input_ids and attention_mask (rows, length), and where there are images
    pixel_values (patches, values), image_grid_thw (images, 3) and mm_token_type_ids (rows, length)."""
    completion_mask: Tensor
    """True at the answer's tokens, bool of shape (rows, length). False at prompt, padding and any token that
    no sampler of ours could have drawn (`Encoder.suppressed`)."""
    screens: tuple[int, ...] = ()
    """For each image of the batch, which of its distinct screens it is; they are numbered as they come."""

    @property
    def input_ids(self) -> Tensor:
        """Token ids, int64 of shape (rows, length)."""
        return self.inputs["input_ids"]


class Encoder:
    """Tokenizer, image processor and chat template of one model.

    Args:
        tokenizer: A transformers tokenizer with a chat template.
        image_processor: A transformers image processor that reports ``image_grid_thw``; None for a text model.
        config: The model's configuration.
        end_ids: Tokens that end an answer.
        template_arguments: Passed to the chat template, for example ``{"enable_thinking": False}``.
        cache_bytes: Memory for processed screens; the ones used longest ago go first.

    Attributes:
        pad_id: Token used for padding; may be one of the end tokens.
        screens: Patches and grid of each distinct screen.
        max_length: Most tokens of a prompt and its answer; None where the configuration does not say.
        suppressed: Bool tensor over the vocabulary: tokens an answer may never contain (image and video
            placeholders, padding, other control tokens, ids beyond the tokenizer).
    """

    def __init__(
        self,
        tokenizer: Any,
        image_processor: Any,
        config: Any,
        end_ids: Sequence[int],
        template_arguments: dict[str, Any] | None = None,
        cache_bytes: int = 512 * 2**20,
    ) -> None:
        self.tokenizer = tokenizer
        self.image_processor = image_processor
        self.end_ids = tuple(end_ids)
        self.pad_id: int = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else self.end_ids[0]
        self._template_arguments = template_arguments or {}
        self._image_id: int | None = getattr(config, "image_token_id", None) if image_processor is not None else None
        self.vocabulary_size: int = config.get_text_config().vocab_size
        self.suppressed = self._suppress(config)
        control = sorted(map(re.escape, {str(t) for t in tokenizer.added_tokens_decoder.values() if t.special}))
        self._control = re.compile("|".join(control) or "(?!)")
        self.max_length: int | None = getattr(config.get_text_config(), "max_position_embeddings", None)
        self.screens = Processed(self._process, lambda found: int(found[0].nbytes), cache_bytes)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> "Encoder":
        """Loads the parts of a checkpoint by folder or hub id.

        Answers end at the tokenizer's end token and at those of the checkpoint's generation settings.

        Args:
            path: Folder or hub id.
            **options: Further arguments of the class.

        Raises:
            InputError: A part is missing or of an unknown kind.
        """
        config = AutoConfig.from_pretrained(path)
        tokenizer = AutoTokenizer.from_pretrained(path)
        if len(tokenizer) - len(tokenizer.added_tokens_decoder) < 2:  # what transformers makes where there is none
            raise InputError(f"{path}: there is no tokenizer (tokenizer.json)")
        if tokenizer.chat_template is None:
            tokenizer.chat_template = _chat_template(path)
        processor = None
        if hasattr(config, "vision_config"):
            processor = AutoImageProcessor.from_pretrained(path, backend="pil")
            if not hasattr(processor, "merge_size") or getattr(config, "image_token_id", None) is None:
                raise InputError(
                    f"{path}: models of type '{config.model_type}' are not supported; "
                    "use one whose image processor reports a patch grid, such as Qwen3-VL"
                )
        named = [*_end_ids(path, config), tokenizer.eos_token_id]
        ends = [token for token in dict.fromkeys(named) if token is not None and token < len(tokenizer)]
        if not ends:
            raise InputError(f"{path}: the tokenizer names no end token (eos_token)")
        return cls(tokenizer, processor, config, ends, **options)

    @property
    def reads_images(self) -> bool:
        """Whether prompts may hold images."""
        return self._image_id is not None

    def save(self, folder: str | Path) -> None:
        """Writes tokenizer, chat template and image processor beside a model's weights."""
        self.tokenizer.save_pretrained(folder)
        if self.image_processor is not None:
            self.image_processor.save_pretrained(folder)

    def count(self, text: str) -> int:
        """Number of tokens of a text."""
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def decode(self, ids: Sequence[int]) -> str:
        """The text of an answer's ids, without the end token."""
        ids = list(ids)
        if ids and ids[-1] in self.end_ids:
            ids.pop()
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def tokens(self, prompt: Prompt) -> list[int]:
        """The ids of a prompt, up to and including what the template puts before an answer; one for each image.

        Control tokens written out in a text (a title could contain one) are taken out of it.

        Raises:
            InputError: Images for a text model, or a template that drops or adds images.
        """
        if prompt.images and not self.reads_images:
            raise InputError("this model reads no images; use the agent's text view (view='text')")
        text = self.tokenizer.apply_chat_template(
            [{"role": m.role, "content": self._content(m.content)} for m in prompt.messages],
            add_generation_prompt=True,
            tokenize=False,
            **self._template_arguments,
        )
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        if self._image_id is not None and (written := ids.count(self._image_id)) != len(prompt.images):
            raise InputError(f"the chat template writes {written} images; the prompt has {len(prompt.images)}")
        return ids

    def encode(self, prompt: Prompt) -> EncodedPrompt:
        """The ids of a prompt as the model reads them: as many for each image as it has tokens.

        Raises:
            InputError: As for `tokens`.
        """
        ids: list[int] = []
        left = iter(prompt.images)
        for token in self.tokens(prompt):
            ids += [token] * (self._placeholders(next(left)) if token == self._image_id else 1)
        return EncodedPrompt(tuple(ids), prompt.images)

    def check_length(self, prompt: int, answer: int) -> None:
        """Refuses a prompt of so many tokens with an answer of up to so many, where the model cannot take them.

        Raises:
            InputError: It cannot.
        """
        if self.max_length is not None and prompt + answer > self.max_length:
            raise InputError(
                f"a prompt of {prompt} tokens and an answer of up to {answer} exceed the model's {self.max_length}; "
                "use fewer past screens (window), smaller screens (size) or shorter answers (max_tokens)"
            )

    def answer(self, text: str, spans: Sequence[tuple[int, int]] | None = None) -> tuple[list[int], list[bool]]:
        """The ids of an answer given as text, the end token included, and which of them are supervised.

        Args:
            text: The answer.
            spans: Character ranges [start, end) that are supervised; a token counts when it overlaps one. A
                range that reaches the end of the text includes the end token. None supervises everything.

        Raises:
            InputError: The text contains a control token.
        """
        if self._control.search(text):
            raise InputError(f"the answer contains a control token: {text!r}")
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        offsets = [*encoded["offset_mapping"], (len(text), len(text) + 1)]
        if spans is None:
            supervised = [True] * len(offsets)
        else:
            ranges = [(start, end + (end == len(text))) for start, end in spans]
            supervised = [any(start < e and s < end for start, end in ranges) for s, e in offsets]
        return [*encoded["input_ids"], self.end_ids[0]], supervised

    def batch(
        self,
        rows: Sequence[tuple[EncodedPrompt, Sequence[int]]],
        side: Literal["left", "right"] = "left",
        device: str | torch.device = "cpu",
    ) -> Batch:
        """Puts rows of (prompt, answer ids) together, padded to the longest.

        Args:
            rows: Prompts and their answers; an empty answer is what generation starts from.
            side: Where the padding goes.
            device: Where the tensors go.
        """
        length = max(len(prompt.ids) + len(ids) for prompt, ids in rows)
        input_ids = torch.full((len(rows), length), self.pad_id)
        attention = torch.zeros((len(rows), length), dtype=torch.long)
        completion = torch.zeros((len(rows), length), dtype=torch.bool)
        for i, (prompt, ids) in enumerate(rows):
            n = len(prompt.ids) + len(ids)
            start = length - n if side == "left" else 0
            answer = torch.tensor(ids, dtype=torch.long)
            possible = ~self.suppressed[answer]
            input_ids[i, start : start + len(prompt.ids)] = torch.tensor(prompt.ids)
            input_ids[i, start + len(prompt.ids) : start + n] = torch.where(possible, answer, self.pad_id)
            attention[i, start : start + n] = 1
            completion[i, start + len(prompt.ids) : start + n] = possible
        inputs = {"input_ids": input_ids, "attention_mask": attention}
        images = [image for prompt, _ in rows for image in prompt.images]
        numbers: dict[str, int] = {}
        screens = tuple(numbers.setdefault(image.id, len(numbers)) for image in images)
        processed = [self.screens(image) for image in images]
        if processed:
            inputs["pixel_values"] = torch.cat([pixels for pixels, _ in processed])
            inputs["image_grid_thw"] = torch.cat([grid for _, grid in processed])
        if self._image_id is not None:
            inputs["mm_token_type_ids"] = (input_ids == self._image_id).int() * attention.int()
        return Batch({name: tensor.to(device) for name, tensor in inputs.items()}, completion.to(device), screens)

    # Inner workings

    def _suppress(self, config: Any) -> Tensor:
        banned = set(self.tokenizer.all_special_ids) | {self.pad_id}
        names = ("image_token_id", "video_token_id", "audio_token_id", "vision_start_token_id", "vision_end_token_id")
        banned |= {token for name in names if (token := getattr(config, name, None)) is not None}
        mask = torch.zeros(self.vocabulary_size, dtype=torch.bool)
        mask[len(self.tokenizer) :] = True
        mask[sorted(token for token in banned if token < self.vocabulary_size)] = True
        mask[list(self.end_ids)] = False
        return mask

    def _content(self, content: Sequence[str | Image]) -> str | list[dict[str, str]]:
        parts = [self._control.sub("", part) if isinstance(part, str) else part for part in content]
        if self._image_id is None:
            return "".join(part for part in parts if isinstance(part, str))
        return [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in parts]

    def _placeholders(self, image: Image) -> int:
        _, grid = self.screens(image)
        return int(grid.prod()) // int(self.image_processor.merge_size) ** 2

    def _process(self, image: Image) -> tuple[Tensor, Tensor]:
        """Patches and grid of a screen."""
        output = self.image_processor(images=[image.array], return_tensors="pt")
        return output["pixel_values"], output["image_grid_thw"]


@contextmanager
def no_progress_bars() -> Iterator[None]:
    """Keeps transformers from drawing bars of its own while it loads or saves."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def log_distribution(logits: Tensor, suppressed: Tensor, temperature: float = 1.0) -> Tensor:
    """Log-probabilities of the distribution answers are drawn from: the one formula sampler and trainers share.

    Args:
        logits: Of shape (..., vocabulary).
        suppressed: `Encoder.suppressed` on the same device.
        temperature: As in `Sampling`; 0 counts as 1.

    Returns:
        float32 of the same shape, -inf at suppressed tokens.
    """
    return torch.log_softmax((logits.float() / (temperature or 1.0)).masked_fill(suppressed, -torch.inf), dim=-1)


def _end_ids(path: str | Path, config: Any) -> list[int]:
    try:
        ends = GenerationConfig.from_pretrained(path).eos_token_id
    except OSError:  # there is none
        ends = getattr(config.get_text_config(), "eos_token_id", None)
    return ends if isinstance(ends, list) else [ends]


def _chat_template(path: str | Path) -> str:
    """The template of checkpoints that keep it in a file of its own."""
    file = cached_file(path, "chat_template.json", _raise_exceptions_for_missing_entries=False)
    if file is None:
        raise InputError(
            f"{path}: no chat template in tokenizer_config.json, chat_template.jinja or chat_template.json"
        )
    template: str = json.loads(Path(file).read_text(encoding="utf-8"))["chat_template"]
    return template
