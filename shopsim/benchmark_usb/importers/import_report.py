"""What an importer read, dropped, split, merged and filled in. Nothing is left out of a set without a count here."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.tells import Tells

MOST_EXAMPLES = 5
"""Bad rows shown one by one; the rest is only counted."""
MOST_TELLING = 0.6
"""The most that max(auc, 1 - auc) of any feature may be (`shopsim.benchmark_usb.importers.tells`)."""


@dataclass(slots=True)
class ImportReport:
    """Counts of one import, top to bottom in the order things happen."""

    log: str
    """Kind of log."""
    files: list[str] = field(default_factory=list)
    """Names of the files read."""
    files_left_out: list[str] = field(default_factory=list)
    """Files given that are no table of such a log."""
    encodings: list[str] = field(default_factory=list)
    """Encodings of text files other than plain UTF-8; ``+bom`` marks a byte order mark."""
    file_rows: Counter[str] = field(default_factory=Counter)
    """Rows of each file."""
    rows: int = 0
    """Rows of the table of events."""
    line_breaks: int = 0
    """Line breaks inside fields, all of them kept; many tell of a quote that was never closed."""
    bad_rows: Counter[str] = field(default_factory=Counter)
    """Rows that could not be understood, by cause; dropped. Those of other tables than the events' say so."""
    bad_row_examples: list[tuple[str, int, str]] = field(default_factory=list)
    """The first few of them: file, row (from 1, with the names of the columns), cause."""
    without_counterpart: Counter[str] = field(default_factory=Counter)
    """Rows of a kind the eight actions do not have, by kind; dropped."""
    duplicates: int = 0
    """Rows equal to an earlier one in every column; dropped unless the rules keep them."""
    float_ids: Counter[str] = field(default_factory=Counter)
    """Rows kept whose id was written as a float, by column; mended."""
    ruined_ids: Counter[str] = field(default_factory=Counter)
    """Rows kept whose id a spreadsheet has rounded, by column."""
    missing: Counter[str] = field(default_factory=Counter)
    """Rows kept that tell nothing in a column, by column."""
    mended_texts: Counter[str] = field(default_factory=Counter)
    """Rows kept whose text had line breaks, control characters or double spaces, by column."""
    time_zones: Counter[str] = field(default_factory=Counter)
    """Rows by what their time says of its zone: ``unix``, ``utc``, ``offset`` or ``none``."""
    price_zero_rows: int = 0
    """Rows kept whose price is 0 or missing."""
    price_negative_rows: int = 0
    """Rows kept whose price is below 0, and so unknown."""
    price_odd_rows: int = 0
    """Rows kept whose price is not a number, and so unknown."""
    price_micros_rows: int = 0
    """Rows whose price was in millionths."""
    currency: str = ""
    """Of the prices; empty where nothing tells it."""
    currencies: Counter[str] = field(default_factory=Counter)
    """Rows with a price by its currency, where the log tells it."""
    converted: Counter[str] = field(default_factory=Counter)
    """Of them, those converted to the set's currency."""
    other_currency: Counter[str] = field(default_factory=Counter)
    """Of them, those whose price is unknown for lack of a rate."""
    events: Counter[str] = field(default_factory=Counter)
    """Events kept, by kind."""
    history_events: int = 0
    """Of them, those that went into users' histories rather than sessions."""

    items: int = 0
    items_log: int = 0
    """Of them, those that the log names."""
    items_stock: int = 0
    """Of them, those made up so that categories are full."""
    items_filled_price: int = 0
    """Items without any price above 0; they got the median of their category."""
    items_several_prices: int = 0
    """Items whose price changes in the log; they got their median."""
    items_without_category: int = 0
    """Items the log names no category for; their labels are empty."""
    items_category_unnamed: int = 0
    """Items whose category the log names by an id alone; it is a branch of its own."""
    items_without_brand: int = 0
    items_ambiguous: int = 0
    """Items under more than one category or brand; the last one counts."""
    items_titled: int = 0
    """Items whose title the log has."""
    categories: int = 0
    users: int = 0
    users_left_out: int = 0
    """Users with events and without a session that is kept."""
    ages: Counter[str] = field(default_factory=Counter)
    """Users by their age: ``told``, ``band`` (its middle is taken) or ``unknown``."""

    log_sessions: int = 0
    """Sessions as the log names them."""
    log_sessions_of_days: int = 0
    """Of these, those that last longer than a day; gaps cut them."""
    same_second: int = 0
    """Events in the same second as the one before them in their session; kept in file order."""
    backwards: int = 0
    """Events whose time lies before that of the one before them in the file, in one session; sorted by time."""
    split_by_user: int = 0
    """Sessions more because the log put several users into one."""
    split_by_gap: int = 0
    """Sessions more because of long gaps."""
    bot_sessions: int = 0
    """Sessions that no person can have made; dropped."""
    bot_events: int = 0
    """Their events."""
    empty_sessions: int = 0
    """Sessions that name no item; dropped."""
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
    filler_power: float = 1.0
    """The power that balances the popularity of fillers, see `balance`."""
    tells: Tells | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    def bad_rows_of(self, file: str, rows: Sequence[int] | NDArray[np.int64], cause: str) -> None:
        """Counts rows that cannot be understood."""
        if len(rows):
            self.bad_rows[cause] += len(rows)
            self.bad_row_examples += [(file, int(row), cause) for row in rows[:MOST_EXAMPLES]]
            self.bad_row_examples.sort()
            del self.bad_row_examples[MOST_EXAMPLES:]

    def note_text(self, name: str, encoding: str, bom: bool) -> None:
        """Notes how a text file is written."""
        if bom or encoding != "utf-8":
            self.encodings.append(f"{name}: {encoding}{'+bom' * bom}")

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
        content = {name: _plain(value) for name, value in content.items()}
        content |= {"tells": self.tells and asdict(self.tells), "steps": self.steps, "balanced": self.balanced}
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"

    def __str__(self) -> str:
        sessions, steps = max(1, self.sessions), max(1, self.steps)
        imputed = self.steps_imputed.total()
        lines: list[tuple[str, object]] = [
            ("left out", f"{', '.join(self.files_left_out)}" if self.files_left_out else ""),
            ("encoding", ", ".join(self.encodings)),
            ("bad rows", _counted(self.bad_rows, "dropped")),
            *(("", f"{file} row {row}: {cause}") for file, row, cause in self.bad_row_examples),
            ("no such act", _counted(self.without_counterpart, "dropped")),
            ("duplicates", _number(self.duplicates, "rows equal to an earlier one")),
            ("float ids", _counted(self.float_ids, "mended")),
            ("ruined ids", _counted(self.ruined_ids, "kept")),
            ("not told", _counted(self.missing)),
            ("texts", _counted(self.mended_texts, "mended")),
            ("breaks", _number(self.line_breaks, "line breaks inside fields")),
            ("time zones", _counted(self.time_zones) if len(self.time_zones) > 1 else ""),
            ("prices", _numbers({
                "at 0 or missing": self.price_zero_rows, "below 0 (unknown)": self.price_negative_rows,
                "no number (unknown)": self.price_odd_rows, "in millionths (divided)": self.price_micros_rows,
            })),
            ("currencies", _counted(self.currencies) if len(self.currencies) > 1 else ""),
            ("", _counted(self.converted, "converted")),
            ("", _counted(self.other_currency, "without a rate: unknown")),
            ("events", _counted(self.events)),
            ("", _number(self.history_events, "of them into histories")),
            ("order", _numbers({
                "in one second with the one before": self.same_second, "back in time (sorted)": self.backwards,
            })),
            ("items", f"{self.items_log:,} in {self.categories:,} categories"),
            ("", _number(self.items_stock, "more made up, in stock and opened by nobody")),
            ("", _numbers({
                "without a category": self.items_without_category,
                "in a category without a name": self.items_category_unnamed,
                "without a brand": self.items_without_brand,
                "under several categories or brands (last)": self.items_ambiguous,
                "without a price (filled in)": self.items_filled_price,
                "with several prices (median)": self.items_several_prices,
                "with a title": self.items_titled,
            })),
            ("users", f"{self.users:,}"),
            ("", _numbers({"without a session (left out)": self.users_left_out})),
            ("", _counted(self.ages, "ages") if self.ages.total() > self.ages["unknown"] else ""),
            ("sessions", f"{self.sessions:,} from {self.log_sessions:,} in the log{_listed(self.splits)}"),
            ("", _numbers({
                "in the log longer than a day": self.log_sessions_of_days,
                "more by users sharing one": self.split_by_user, "more by gaps": self.split_by_gap,
                "of one event": self.one_event_sessions, "without an item (dropped)": self.empty_sessions,
            })),
            ("machines", _number(self.bot_sessions, f"sessions dropped, {self.bot_events:,} events")),
            ("purchases", _numbers({
                "without a cart event": self.purchases_without_cart,
                "visits filled in before carts and purchases": self.visits_imputed,
            })),
            ("no effect", _counted(self.no_effect, "have no step")),
            ("steps", f"{self.steps:,}, {self.steps / sessions:.2f} a session, longest {self.longest_session:,}"),
            ("", f"recorded {_counted(self.steps_recorded)}"),
            ("", f"imputed {_counted(self.steps_imputed)}: {imputed / steps:.0%}"),
            ("feeds", f"{self.feed_items / sessions:.0f} items, {self.seen / sessions:.1f} seen a session"),
            ("", _number(self.feeds_short, "hold all items there are")),
            ("filled in", ", ".join(self.imputed)),
        ]  # fmt: skip
        if self.tells is not None:
            verdict = "within" if self.balanced else "BEYOND"
            limit = f"{verdict} the limit of {MOST_TELLING}"
            lines += [
                ("tells", f"max(auc, 1-auc) of opened among the {self.tells.cards:,} cards seen, {limit}"),
                ("", f"pooled {_figures(self.tells.pooled)}"),
                ("", f"within {_figures(self.tells.within)}"),
            ]
        head = f"{self.log}: {self.rows:,} rows in {', '.join(self.files)}"
        return "\n".join([head, *(f"  {name:<12}{text}" for name, text in lines if text)])


def _plain(value: Any) -> Any:
    """A count as JSON has it, in an order of its own."""
    return dict(sorted(value.items())) if isinstance(value, Counter) else value


def _number(count: int, words: str) -> str:
    return f"{count:,} {words}" if count else ""


def _numbers(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {words}" for words, count in counts.items() if count)


def _counted(counts: Counter[str], words: str = "") -> str:
    return f"{counts.total():,} {words}".strip() + _listed(counts) if counts.total() else ""


def _listed(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{name} {n:,}" for name, n in sorted(counts.items()) if n)
    return f" ({told})" if told else ""


def _figures(values: Mapping[str, float]) -> str:
    return " · ".join(f"{name} {value:.3f}" for name, value in values.items())
