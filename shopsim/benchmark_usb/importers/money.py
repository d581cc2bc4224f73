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
_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "元": "CNY"}
"""Currencies by signs that mean one alone."""


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

    def _in_units(self, price: NDArray[np.float64]) -> NDArray[np.float64]:
        """Prices in units, where they are in millionths."""
        known = price[~np.isnan(price)]
        unit = self._rules.price_unit
        if unit == "auto" and len(known):
            tells = np.median(known) >= 1e6 and (known % 10_000 == 0).mean() >= _MOST
            unit = "micros" if tells else "units"
        if unit != "micros":
            return price
        self._report.price_micros_rows = len(known)
        return price / 1e6

    def settle(self, price: NDArray[np.float64], codes: NDArray[np.int16]) -> tuple[NDArray[np.float64], str]:
        """All prices in units of the set's currency (those in others are converted or unknown), and that currency."""
        price = self._in_units(price)
        names, rules = list(self._currencies), self._rules
        counts = np.bincount(codes[~np.isnan(price)], minlength=len(names)).tolist()
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
