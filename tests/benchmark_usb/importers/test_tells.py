import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.benchmark_usb.importers.tells import TellMeter, auc

GROUPS = np.repeat(np.arange(10), 20)


def meter(popularity: np.ndarray | None = None) -> TellMeter:
    return TellMeter(GROUPS, np.random.default_rng(9).integers(100, 999, 200) if popularity is None else popularity)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_auc_is_the_chance_that_a_positive_outscores_a_negative(rows: list[tuple[int, bool]]) -> None:
    ups, downs = [s for s, p in rows if p], [s for s, p in rows if not p]
    value = auc(np.array([float(s) for s, _ in rows]), np.array([p for _, p in rows]))
    if not ups or not downs:
        assert value == 0.5
    else:
        wins = sum((u > d) + 0.5 * (u == d) for u in ups for d in downs)
        assert value == pytest.approx(wins / (len(ups) * len(downs)))


def test_a_place_that_tells_is_found() -> None:
    rng = np.random.default_rng(0)
    told = meter()
    for _ in range(40):
        seen = rng.permutation(20).tolist()
        told.add(seen, opened=seen[-2:], history=[])
    result = told.result()
    assert result.pooled["position"] == result.within["position"] == 1.0
    assert result.within["combined"] > 0.99
    assert result.within["category"] == result.within["history"] == 0.5
    assert result.within["popularity"] < 0.6
    assert (result.cards, result.opened) == (800, 80)


def test_categories_history_and_popularity_that_tell_are_found() -> None:
    rng = np.random.default_rng(1)
    told = meter(popularity=np.where(np.arange(200) < 20, 5.0, 1.0))
    for _ in range(40):
        seen = rng.permutation(np.append(rng.integers(20, 200, 12), [3, 4])).tolist()
        told.add(seen, opened=[3, 4], history=[7])
    result = told.result()
    for name in ("category", "history", "popularity", "combined"):
        assert result.within[name] == pytest.approx(1.0)
    assert result.within["position"] < 0.6


def test_what_only_this_session_opened_is_as_popular_as_what_nobody_did() -> None:
    told = meter(popularity=np.where(np.arange(200) < 40, 1.0, 0.0))
    for i in range(40):
        told.add([i, *range(100 + i, 120 + i)], opened=[i], history=[])
    assert told.result().pooled["popularity"] == 0.5


def test_blind_choice_tells_nothing() -> None:
    rng = np.random.default_rng(2)
    told = meter()
    for _ in range(300):
        seen = rng.permutation(20)[:15].tolist()
        told.add(seen, opened=rng.choice(seen, 3, replace=False).tolist(), history=[1])
    result = told.result()
    assert max(result.pooled.values()) < 0.56
    assert max(result.within.values()) < 0.56


def test_one_session_is_enough_to_ask() -> None:
    told = meter()
    told.add([1, 2], opened=[1], history=[])
    assert 0.5 <= told.result().pooled["combined"] <= 1
