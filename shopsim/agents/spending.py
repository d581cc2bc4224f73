"""What a model may spend: tokens, seconds, money (SPEC 5). Ours.

A spent budget ends a run with an error; whatever was finished before is kept, and the same command with a larger
budget goes on from there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from time import monotonic
from typing import Any

from shopsim.agents.backend import Backend, Completion, Prompt, Sampling
from shopsim.errors import BudgetSpent, InputError


class TokensSpent(BudgetSpent):
    """The tokens are spent."""


class TimeSpent(BudgetSpent):
    """The time is spent."""


class MoneySpent(BudgetSpent):
    """The money is spent."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; None is no limit. Checked before each batch, so the last batch may go beyond them."""

    tokens: int | None = None
    """Of prompts and answers together."""
    seconds: float | None = None
    """From the first question on."""
    money: float | None = None
    """In the prices' currency."""
    prompt_price: float = 0.0
    """Of a million prompt tokens."""
    answer_price: float = 0.0
    """Of a million answer tokens."""

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Reads ``tokens=2e6,seconds=3600,money=5,prompt_price=0.15,answer_price=0.6``, or some of these.

        Raises:
            InputError: It cannot be read so, or limits money where nothing has a price.
        """
        names = [field.name for field in fields(cls)]
        given: dict[str, float] = {}
        for part in text.split(","):
            name, _, value = (piece.strip() for piece in part.partition("="))
            try:
                given[name] = float(value)
            except ValueError:
                given[name] = -1.0
            if name not in names or not 0 <= given[name] < float("inf"):
                example = "tokens=2e6,seconds=3600,money=5,prompt_price=0.15,answer_price=0.6"
                raise InputError(f"budget {text!r}: {part.strip()!r} cannot be read; write some of {example}")
        tokens = given.pop("tokens", None)
        budget = cls(tokens=None if tokens is None else int(tokens), **given)
        if budget.money is not None and not budget.prompt_price and not budget.answer_price:
            raise InputError(f"budget {text!r} limits money, but nothing costs any: give prompt_price and answer_price")
        return budget


class Limited:
    """A model with a budget.

    Args:
        backend: The model.
        budget: What it may spend.

    Attributes:
        prompt_tokens: Spent so far.
        answer_tokens: Spent so far.
    """

    def __init__(self, backend: Backend, budget: Budget) -> None:
        self.backend = backend
        self.budget = budget
        self.prompt_tokens = 0
        self.answer_tokens = 0
        self._began: float | None = None

    @property
    def reads_images(self) -> bool:
        """See `Backend.reads_images`."""
        return self.backend.reads_images

    @property
    def money(self) -> float:
        """Spent so far, in the prices' currency."""
        prices = self.budget.prompt_price, self.budget.answer_price
        return (self.prompt_tokens * prices[0] + self.answer_tokens * prices[1]) / 1e6

    def generate(self, prompts: Sequence[Prompt], seeds: Sequence[int], sampling: Sampling) -> list[Completion]:
        """See `Backend.generate`.

        Raises:
            BudgetSpent: Nothing is left of the tokens (`TokensSpent`), the time (`TimeSpent`) or the money
                (`MoneySpent`).
        """
        self._check()
        completions = self.backend.generate(prompts, seeds, sampling)
        self.prompt_tokens += sum(completion.prompt_tokens for completion in completions)
        self.answer_tokens += sum(completion.answer_tokens for completion in completions)
        return completions

    def settings(self) -> dict[str, Any]:
        """See `Backend.settings`; those of the model, since a budget changes no answer."""
        return self.backend.settings()

    def _check(self) -> None:
        if self._began is None:
            self._began = monotonic()
        tokens, seconds = self.prompt_tokens + self.answer_tokens, monotonic() - self._began
        limits = self.budget
        if limits.tokens is not None and tokens >= limits.tokens:
            raise TokensSpent(f"the budget of {limits.tokens:,} tokens is spent ({tokens:,} used)")
        if limits.seconds is not None and seconds >= limits.seconds:
            raise TimeSpent(f"the budget of {limits.seconds:g} seconds is spent")
        if limits.money is not None and self.money >= limits.money:
            raise MoneySpent(f"the budget of {limits.money:g} is spent ({self.money:.4g} used, {tokens:,} tokens)")
