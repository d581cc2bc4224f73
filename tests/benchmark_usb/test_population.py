"""Who is in a set, and its exact sums."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopsim.benchmark_usb.length_law import fit_weibull
from shopsim.benchmark_usb.population import draw_population
from shopsim.benchmark_usb.quota import STEPS, StepQuota


@settings(max_examples=60)
@given(sessions=st.integers(1, 400), seed=st.integers(0, 1000), clicks=st.floats(0.0, 400.0), share=st.floats(0.0, 0.9))
def test_sums_are_exact_and_nobody_buys_more_than_they_click(
    sessions: int, seed: int, clicks: float, share: float
) -> None:
    users = draw_population(sessions, (clicks, clicks * share), seed)
    n = len(users.sessions)
    assert users.sessions.sum() == sessions
    assert users.sessions.min() >= 1
    assert users.sessions.max() <= 3
    assert users.clicks.sum() == round(clicks * n)
    assert users.purchases.sum() == round(clicks * share * n)
    assert (users.purchases <= users.clicks).all()


def test_splits_are_eight_to_one_to_one() -> None:
    split = draw_population(5274, (356.48, 10.36), 0).split
    shares = np.bincount(split) / len(split)
    assert np.allclose(sorted(shares), [0.1, 0.1, 0.8], atol=0.001)


def test_usb_s_means_are_met_to_the_second_decimal() -> None:
    for seed in range(5):
        users = draw_population(5274, (356.48, 10.36), seed)
        assert round(users.clicks.mean(), 2) == 356.48
        assert round(users.purchases.mean(), 2) == 10.36
        assert np.std(np.log(users.clicks)) > 0.5, "all use the shop alike"


def weibull(rng: np.random.Generator, shape: float, q: float) -> int:
    return 1 + int((math.log(1 - rng.random()) / math.log(q)) ** (1 / shape))


@settings(max_examples=30)
@given(sessions=st.integers(1, 600), seed=st.integers(0, 10_000))
def test_quota_ends_exactly_and_refuses_few(sessions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = round(sessions * STEPS)
    quota = StepQuota(sessions, steps)
    taken, refused = [], 0
    for _ in range(sessions):
        before = refused
        while not quota.take(length := weibull(rng, 0.75, 0.8443)):
            refused += 1
            assert refused < 3000, "no session fits"
        taken.append((length, refused - before))
    assert sum(length for length, _ in taken) == steps
    assert sum(tries > 0 for _, tries in taken) < 10 + 2.5 * math.sqrt(sessions)


@pytest.mark.parametrize(("shape", "q"), [(0.75, 0.8443), (1.0, 0.9), (0.6, 0.7)])
def test_fit_finds_the_law_that_drew(shape: float, q: float) -> None:
    rng = np.random.default_rng(0)
    found = fit_weibull(np.array([weibull(rng, shape, q) for _ in range(20_000)]))
    assert found == pytest.approx((shape, q), abs=0.02)


def test_lengths_all_alike_have_no_law_but_do_not_fail() -> None:
    shape, q = fit_weibull(np.array([1, 1, 1]))
    assert 0 < q < 1
    assert shape > 0
