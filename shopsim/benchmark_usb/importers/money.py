"""The prices of a log: unknown ones, millionths, several currencies. Ours. Loads pyarrow."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.import_report import ImportReport
from shopsim.benchmark_usb.importers.log_format import LogFormat
from shopsim.benchmark_usb.importers.rows import Rows
from shopsim.benchmark_usb.importers.settings import CleanRules
from shopsim.benchmark_usb.importers.values import coded, read_price, read_words

_MOST = 0.999
"""Share of prices that must look like millionths for all to be taken for them."""
_ROWS = 1 << 16
"""Prices that are counted at once."""
_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "元": "CNY"}
"""Currencies by signs that mean one alone."""


class PriceCounts:
    """How often each item had each price: grows with the prices that differ, not with events."""

    def __init__(self) -> None:
        self.item = np.empty(0, np.int32)
        self.currency = np.empty(0, np.int16)
        """Codes."""
        self.price = np.empty(0, np.float64)
        self.count = np.empty(0, np.int64)
        self._waiting: list[tuple[NDArray[np.int32], NDArray[np.int16], NDArray[np.float64]]] = []
        self._rows = 0

    def add(self, item: NDArray[np.int32], currency: NDArray[np.int16], price: NDArray[np.float64]) -> None:
        """Takes events; those without a price are none."""
        known = ~np.isnan(price)
        self._waiting.append((item[known], currency[known], price[known]))
        self._rows += int(known.sum())
        # Seldom, as it takes as long as there are prices already.
        if self._rows > max(_ROWS, len(self.item)):
            self.merge()

    def merge(self) -> None:
        """Counts what has been taken."""
        columns = zip((self.item, self.currency, self.price), *self._waiting, strict=True)
        item, currency, price = (np.concatenate(parts) for parts in columns)
        count = np.append(self.count, np.ones(self._rows, np.int64))
        self._waiting, self._rows = [], 0
        order = np.lexsort((price, currency, item))
        item, currency, price = item[order], currency[order], price[order]
        new = (np.diff(item) != 0) | (np.diff(currency) != 0) | (np.diff(price) != 0)
        first = np.flatnonzero(np.append(True, new)[: len(item)])
        self.item, self.currency, self.price = item[first], currency[first], price[first]
        self.count = np.add.reduceat(count[order], first) if len(first) else count


class Money:
    """Reads the prices of one log, piece by piece."""

    def __init__(self, log: LogFormat, rules: CleanRules, report: ImportReport) -> None:
        self._log, self._rules, self._report = log, rules, report
        self._missing = frozenset(rules.missing)
        self._currencies: dict[str, int] = {"": 0}

    def read(self, table: pa.Table, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
        """Prices, NaN where unknown, and the codes of their currencies."""
        columns, report = self._log.events, self._report
        if not columns.price:
            return np.full(len(table), np.nan), np.zeros(len(table), np.int16)
        texts = coded(table[columns.price])
        prices = [read_price(text, self._missing) for text in texts.values]
        amount = texts.rows_of([np.nan if price.amount is None else price.amount for price in prices])
        odd, negative = np.isnan(amount), amount < 0
        if self._rules.bad_prices == "drop":
            rows.drop(odd, "price is not a number")
            rows.drop(negative, "price is below 0")
        report.price_odd_rows += rows.count(odd)
        report.price_negative_rows += rows.count(negative)
        report.price_zero_rows += rows.count(amount == 0)
        names = texts.rows_of([self._code(price.currency) for price in prices])
        if columns.currency:
            words = coded(table[columns.currency])
            told = words.rows_of([self._code(read_words(word, self._missing)) for word in words.values])
            names = np.where(told > 0, told, names)
        return np.where(amount > 0, amount, np.nan), names.astype(np.int16)

    def _code(self, word: str) -> int:
        return self._currencies.setdefault(_SIGNS.get(word, word.upper()), len(self._currencies))

    def settle(self, prices: PriceCounts) -> tuple[NDArray[np.float64], str]:
        """All prices in units of the set's currency (those in others are converted or unknown), and that currency."""
        prices.merge()
        price, codes = self._in_units(prices), prices.currency
        names, rules = list(self._currencies), self._rules
        counts = np.bincount(codes, prices.count, minlength=len(names)).astype(np.int64).tolist()
        told = {name: count for name, count in zip(names, counts, strict=True) if name and count}
        self._report.currencies.update(told)
        most = max(told, key=lambda name: (told[name], name), default="")
        currency = rules.currency or self._log.currency or most
        for code, name in enumerate(names):
            if not name or name == currency:
                continue
            rows = codes == code
            price = np.where(rows, price * rules.rates.get(name, np.nan), price)
            counted = self._report.converted if name in rules.rates else self._report.other_currency
            counted[name] = counts[code]
        return price, currency

    def _in_units(self, prices: PriceCounts) -> NDArray[np.float64]:
        """Prices in units, where they are in millionths."""
        price, known = prices.price, int(prices.count.sum())
        unit = self._rules.price_unit
        if unit == "auto" and known:
            above, whole = prices.count[price >= 1e6].sum(), prices.count[price % 10_000 == 0].sum()
            unit = "micros" if 2 * above >= known and whole >= _MOST * known else "units"
        if unit != "micros":
            return price
        self._report.price_micros_rows = known
        return price / 1e6
