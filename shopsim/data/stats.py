"""Plain statistics of a data set, for ``shopsim data stats``."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopsim.data.reader import DataSet
from shopsim.data.stamp import SPLITS
from shopsim.data.vocabulary import ACTION_LABELS, ITEM_ACTIONS, Action


def describe(dataset: DataSet) -> dict[str, Any]:
    """What is in a data set, as values that JSON can hold. Shares are 0-1; None where there is nothing to average.

    - ``counts``: rows of each kind.
    - ``splits``: sessions and users of each.
    - ``steps_per_session``: mean, median, 95th percentile, longest.
    - ``ties``: steps taken at the very moment of another step of the set.
    - ``categories``: at each level, how many the items use.
    - ``history``: mean clicks and purchases over users before their first session.
    - ``actions``: share of each in all steps.
    - ``sessions``: mean of distinct items acted on, share with a cart, share with a purchase.
    - ``prices``: lowest, median, highest.
    - ``imputed``: what was filled in, and the share of steps that were.
    """
    clicks, purchases = dataset.history_lengths()
    actions, starts = dataset.step_actions, dataset.step_starts
    steps = np.diff(starts)
    mix = np.bincount(actions, minlength=len(ACTION_LABELS))
    levels = [np.unique(codes[codes >= 0]).size for codes in dataset.label_codes.T]
    return {
        "name": dataset.name,
        "source": dataset.source,
        "locale": dataset.locale,
        "currency": dataset.currency,
        "licence": dataset.licence,
        "hash": dataset.hash,
        "counts": {
            "items": dataset.n_items,
            "users": dataset.n_users,
            "sessions": dataset.n_sessions,
            "steps": int(starts[-1]),
            "screens": dataset.n_screens,
        },
        "splits": {split: _split(dataset, split) for split in SPLITS},
        "steps_per_session": {
            "mean": _mean(steps),
            "median": _quantile(steps, 0.5),
            "p95": _quantile(steps, 0.95),
            "longest": dataset.longest_session,
        },
        "ties": len(actions) - len(np.unique(dataset.step_times)),
        "categories": dict(zip(("l1", "l2", "l3"), levels, strict=True)),
        "history": {"clicks": _mean(clicks), "purchases": _mean(purchases)},
        "actions": {label: int(n) / max(1, len(actions)) for label, n in zip(ACTION_LABELS, mix, strict=True)},
        "sessions": {
            "items": _mean(_distinct_items(dataset)),
            "with_cart": _mean(_contains(dataset, Action.ADD_TO_CART)),
            "with_purchase": _mean(_contains(dataset, Action.PURCHASE)),
        },
        "prices": {name: _quantile(dataset.prices, q) for name, q in (("lowest", 0), ("median", 0.5), ("highest", 1))},
        "imputed": {"columns": sorted(dataset.imputed), "steps": _mean(dataset.step_imputed)},
    }


def _split(dataset: DataSet, split: str) -> dict[str, int]:
    rows = dataset.session_rows(split)
    return {"sessions": len(rows), "users": len({dataset.user_row(row) for row in rows})}


def _session_of_step(dataset: DataSet) -> NDArray[np.int64]:
    return np.repeat(np.arange(dataset.n_sessions), np.diff(dataset.step_starts))


def _contains(dataset: DataSet, action: Action) -> NDArray[np.bool_]:
    """For each session, whether one of its steps is this action."""
    found = np.zeros(dataset.n_sessions, bool)
    found[_session_of_step(dataset)[dataset.step_actions == action]] = True
    return found


def _distinct_items(dataset: DataSet) -> NDArray[np.int64]:
    """For each session, the number of distinct items acted on."""
    acts = np.isin(dataset.step_actions, ITEM_ACTIONS)
    pairs = np.unique(_session_of_step(dataset)[acts] * max(1, dataset.n_items) + dataset.step_items[acts])
    return np.bincount(pairs // max(1, dataset.n_items), minlength=dataset.n_sessions)


def _mean(values: NDArray[Any]) -> float | None:
    return float(np.mean(values)) if values.size else None


def _quantile(values: NDArray[Any], q: float) -> float | None:
    return float(np.quantile(values, q)) if values.size else None
