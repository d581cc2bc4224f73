"""Category similarity s(x, y), used by scores (SPEC 4.2) and rewards (SPEC 6.3, 6.4)."""

from collections.abc import Hashable, Sequence

LEVELS = 3


def category_similarity(x: Sequence[Hashable | None], y: Sequence[Hashable | None], same_item: bool = False) -> float:
    """Share of the three category levels that two items have in common, from the root down.

    Args:
        x: Labels (l1, l2, l3) of one item; None (or a negative code) where a label is missing.
        y: Labels of the other item.
        same_item: True when both are the same item; s(x, x) is 1 even without labels.

    Returns:
        0, 1/3, 2/3 or 1. A level counts only if its parent matched; a missing label matches nothing.

    Source: the shape of r(a) in RecVerse (2608.20707); the parent rule is ours (SPEC 4.2).
    """
    if same_item:
        return 1.0
    shared = 0
    for a, b in zip(x, y, strict=True):
        if a is None or a != b or (isinstance(a, int) and a < 0):
            break
        shared += 1
    return shared / LEVELS
