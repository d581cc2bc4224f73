"""The figures of `describe`, against ones counted by hand or the slow way."""

import json
from pathlib import Path

import numpy as np

from shopsim.data import DataSet, DataSetWriter
from shopsim.data.stats import describe
from shopsim.data.vocabulary import ITEM_ACTIONS, Action


def test_figures_of_the_tiny_set(tiny: DataSet) -> None:
    stats = describe(tiny)
    sessions = [tiny.effects(row) for row in range(tiny.n_sessions)]
    steps = [len(session) for session in sessions]
    assert stats["counts"] == {"items": 72, "users": 6, "sessions": 8, "steps": sum(steps), "screens": 0}
    assert stats["splits"] == {
        "train": {"sessions": 5, "users": 4},
        "validation": {"sessions": 1, "users": 1},
        "test": {"sessions": 2, "users": 1},
    }
    assert stats["steps_per_session"]["mean"] == np.mean(steps)
    assert stats["steps_per_session"]["longest"] == max(steps)
    moments = [step.timestamp for row in range(tiny.n_sessions) for step in tiny.session(row).steps]
    assert stats["ties"] == len(moments) - len(set(moments))
    assert stats["categories"] == {"l1": 2, "l2": 4, "l3": 8}
    assert stats["history"] == {"clicks": 6 / 6, "purchases": 2 / 6}
    assert abs(sum(stats["actions"].values()) - 1) < 1e-12
    assert stats["actions"]["terminate"] == 8 / sum(steps)
    distinct = [len({item for action, item in session if action in ITEM_ACTIONS}) for session in sessions]
    assert stats["sessions"]["items"] == np.mean(distinct)
    assert stats["sessions"]["with_purchase"] == np.mean([any(a is Action.PURCHASE for a, _ in s) for s in sessions])
    assert stats["sessions"]["with_cart"] == np.mean([any(a is Action.ADD_TO_CART for a, _ in s) for s in sessions])
    assert stats["prices"]["lowest"] == tiny.prices.min()
    assert json.loads(json.dumps(stats)) == stats


def test_an_empty_set_has_no_means(tmp_path: Path) -> None:
    with DataSetWriter(tmp_path / "empty", name="empty"):
        pass
    stats = describe(DataSet.open(tmp_path / "empty"))
    assert stats["steps_per_session"] == {"mean": None, "median": None, "p95": None, "longest": 0}
    assert stats["history"] == {"clicks": None, "purchases": None}
    assert json.loads(json.dumps(stats)) == stats
