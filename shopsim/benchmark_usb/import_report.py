"""What an importer read, dropped, split, merged and filled in. Nothing is left out of a set without a count here."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from shopsim.benchmark_usb.tells import Tells

MOST_EXAMPLES = 5
"""Bad rows shown one by one; the rest is only counted."""
MOST_TELLING = 0.6
"""The most that max(auc, 1 - auc) of any feature may be (`shopsim.benchmark_usb.tells`)."""


@dataclass(slots=True)
class ImportReport:
    """Counts of one import, top to bottom in the order things happen."""

    log: str
    """Name of the file read."""
    rows: int = 0
    """Lines of the log after its header."""
    bad_rows: Counter[str] = field(default_factory=Counter)
    """Rows that could not be understood, by cause; dropped."""
    bad_row_examples: list[tuple[int, str]] = field(default_factory=list)
    """The first few of them: line in the file (from 1), cause."""
    without_counterpart: Counter[str] = field(default_factory=Counter)
    """Rows of a kind the eight actions do not have, by kind; dropped."""
    duplicates: int = 0
    """Rows equal to an earlier one in every column; dropped."""
    price_zero_rows: int = 0
    """Rows kept whose price is 0 or missing."""
    events: Counter[str] = field(default_factory=Counter)
    """Events kept, by kind."""
    history_events: int = 0
    """Of them, those that went into users' histories rather than sessions."""

    items: int = 0
    items_filled_price: int = 0
    """Items without any price above 0; they got the median of their category."""
    items_several_prices: int = 0
    """Items whose price changes in the log; they got their median."""
    items_without_category: int = 0
    """Items the log names no category path for; their labels are empty."""
    items_without_brand: int = 0
    items_ambiguous: int = 0
    """Items under more than one category or brand; the last one counts."""
    categories: int = 0
    users: int = 0
    users_left_out: int = 0
    """Users with events before the first session kept and none after."""

    log_sessions: int = 0
    """Sessions as the log names them."""
    split_by_user: int = 0
    """Sessions more because the log put several users into one."""
    split_by_gap: int = 0
    """Sessions more because of long gaps."""
    sessions: int = 0
    one_event_sessions: int = 0
    """Kept: they are real."""
    splits: Counter[str] = field(default_factory=Counter)
    """Sessions by split."""
    purchases_without_cart: int = 0
    """Purchases of items that were not put into the cart before; kept."""
    visits_imputed: int = 0
    """Visits filled in before carts and purchases of items that were not open."""
    no_effect: Counter[str] = field(default_factory=Counter)
    """Events that change nothing in the shop, by reason; they have no step."""

    steps_recorded: Counter[str] = field(default_factory=Counter)
    """Steps the log holds, by action."""
    steps_imputed: Counter[str] = field(default_factory=Counter)
    """Steps filled in, by action."""
    longest_session: int = 0
    """In steps."""
    seen: int = 0
    """Impressions."""
    feed_items: int = 0
    feeds_short: int = 0
    """Feeds of all items there are, because the log has fewer than a feed needs."""
    imputed: list[str] = field(default_factory=list)
    """What was filled in, as the manifest names it."""
    tells: Tells | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    def bad_row(self, line: int, cause: str) -> None:
        """Counts a row that cannot be understood."""
        self.bad_rows[cause] += 1
        self.bad_row_examples.append((line, cause))
        self.bad_row_examples.sort()
        del self.bad_row_examples[MOST_EXAMPLES:]

    @property
    def steps(self) -> int:
        """All steps."""
        return self.steps_recorded.total() + self.steps_imputed.total()

    @property
    def balanced(self) -> bool:
        """Whether nothing tells the opened items apart by more than `MOST_TELLING`."""
        return self.tells is None or max(*self.tells.pooled.values(), *self.tells.within.values()) <= MOST_TELLING

    def to_json(self) -> str:
        """All counts as JSON; the same import gives the same bytes."""
        content = {f.name: getattr(self, f.name) for f in fields(self)}
        content |= {"tells": self.tells and asdict(self.tells), "steps": self.steps, "balanced": self.balanced}
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"

    def __str__(self) -> str:
        lines = [
            f"{self.log}: {self.rows:,} rows",
            f"  dropped     {self.bad_rows.total():,} bad rows{_listed(self.bad_rows)}, "
            f"{self.duplicates:,} exact duplicates, "
            f"{self.without_counterpart.total():,} rows without a counterpart{_listed(self.without_counterpart)}",
            *(f"              line {line}: {cause}" for line, cause in self.bad_row_examples),
            f"  events      {self.events.total():,}{_listed(self.events)}; {self.history_events:,} into histories",
            f"  items       {self.items:,} in {self.categories:,} categories; "
            f"{self.items_without_category:,} without a category path, {self.items_without_brand:,} without a brand, "
            f"{self.items_ambiguous:,} under several",
            f"  prices      {self.price_zero_rows:,} rows at 0; {self.items_filled_price:,} items filled in from their "
            f"category, {self.items_several_prices:,} with several (median)",
            f"  users       {self.users:,}; {self.users_left_out:,} left out (history only)",
            f"  sessions    {self.sessions:,} from {self.log_sessions:,} in the log; {self.split_by_user:,} more by "
            f"users sharing one, {self.split_by_gap:,} more by gaps; {self.one_event_sessions:,} of one event"
            f"{_listed(self.splits)}",
            f"  purchases   {self.purchases_without_cart:,} without a cart event; "
            f"{self.visits_imputed:,} visits filled in before carts and purchases of items not open",
            f"  no effect   {self.no_effect.total():,} events without a step{_listed(self.no_effect)}",
            f"  steps       {self.steps:,}, {self.steps / max(1, self.sessions):.2f} a session, "
            f"longest {self.longest_session:,}",
            f"    recorded  {self.steps_recorded.total():,}{_listed(self.steps_recorded)}",
            f"    imputed   {self.steps_imputed.total():,} ({self.steps_imputed.total() / max(1, self.steps):.0%})"
            f"{_listed(self.steps_imputed)}",
            f"  feeds       {self.feed_items / max(1, self.sessions):.0f} items, "
            f"{self.seen / max(1, self.sessions):.1f} seen a session; "
            f"{self.feeds_short:,} hold all items there are",
            f"  filled in   {', '.join(self.imputed)}",
        ]
        if self.tells is not None:
            verdict = "within" if self.balanced else "BEYOND"
            lines += [
                f"  tells       max(auc, 1-auc) of opened among the {self.tells.cards:,} cards seen, "
                f"{verdict} the limit of {MOST_TELLING}",
                f"    pooled    {_figures(self.tells.pooled)}",
                f"    within    {_figures(self.tells.within)}",
            ]
        return "\n".join(lines)


def _listed(counts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{name} {n:,}' for name, n in sorted(counts.items()))})" if counts else ""


def _figures(values: Mapping[str, float]) -> str:
    return " · ".join(f"{name} {value:.3f}" for name, value in values.items())
