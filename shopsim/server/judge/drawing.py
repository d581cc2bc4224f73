"""Which pairs a study shows, in which order, to whom: all by chance, all balanced. Ours."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from shopsim.errors import InputError
from shopsim.server.judge.clips import Candidate

LEFT, SAME, RIGHT = CHOICES = ("left", "same", "right")


def draw_pairs(
    candidates: Sequence[Candidate], titles: Sequence[str], count: int, longest: int, rng: np.random.Generator
) -> list[tuple[Candidate, Candidate]]:
    """Pairs of sessions that start alike, equally many for each two sources, no start twice for the same two.

    Args:
        candidates: The sessions.
        titles: Of the sources, for the error.
        count: Pairs for each two sources, fewer where there are no more.
        longest: Steps of the longest session to be shown.
        rng: Chance.

    Raises:
        InputError: There are not two sources, or two of them have no sessions that start alike.
    """
    if len(titles) < 2:
        raise InputError(f"a study compares two sources or more, not {len(titles)}; choose another one")
    by_start: dict[str, dict[int, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for candidate in candidates:
        if candidate.steps <= longest:
            by_start[candidate.start][candidate.source].append(candidate)
    pairs = []
    for one, two in combinations(range(len(titles)), 2):
        common = sorted(start for start, of in by_start.items() if one in of and two in of)
        if not common:
            raise InputError(
                f"{titles[one]!r} and {titles[two]!r} have no sessions that start alike and have {longest} steps at "
                "most; record the agents in sessions of the same data set"
            )
        for start in rng.permutation(common)[:count].tolist():
            first, second = (by_start[start][source] for source in (one, two))
            pairs.append((first[rng.integers(len(first))], second[rng.integers(len(second))]))
    return pairs


def deal(
    twins: Mapping[int, tuple[int, int]],
    checks: Sequence[int],
    dealt: Mapping[int, int],
    per_rater: int,
    n_checks: int,
    rng: np.random.Generator,
) -> list[int]:
    """What one rater is asked.

    Args:
        twins: For each pair, its two orders.
        checks: Attention checks.
        dealt: How often each order was dealt to raters before.
        per_rater: Pairs for a rater.
        n_checks: Attention checks for a rater.
        rng: Chance.

    Returns:
        Orders and checks: the pairs that were dealt least, each in the order that was dealt less, in any sequence, with
        checks spread among them.
    """
    shuffled = rng.permutation(sorted(twins)).tolist()
    chosen = sorted(shuffled, key=lambda twin: sum(dealt.get(order, 0) for order in twins[twin]))[:per_rater]
    # For pairs dealt alike so far, half of them one way round and half the other.
    flips = rng.permutation(np.arange(len(chosen)) % 2).tolist()
    asked = []
    for twin, flip in zip(chosen, flips, strict=True):
        one, two = twins[twin]
        more = dealt.get(one, 0) - dealt.get(two, 0)
        asked.append(two if more > 0 or (more == 0 and flip) else one)
    rng.shuffle(asked)
    picked = rng.permutation(sorted(checks)).tolist()[:n_checks]
    for number, check in enumerate(picked):
        # One in each stretch, never the very first task.
        stretch = len(asked) / (len(picked) + 1)
        asked.insert(min(len(asked), max(1, round((number + 1) * stretch) + number)), check)
    return asked
