"""Group-relative advantages: one number per trajectory, from one reward per trajectory (SPEC 6.2).

Pure arithmetic on float64. How many steps or tokens a trajectory has never enters: a group's mean and spread count
each trajectory once. Source: GRPO (2402.03300); leaving faults out and the exact zero are ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shopsim.errors import InputError


@dataclass(frozen=True, slots=True)
class Advantages:
    """What one batch of groups gave."""

    values: tuple[float | None, ...]
    """One per trajectory, in the order given; None where it is not trained (a fault, or its group was left out)."""
    groups: int
    """Groups with at least two survivors."""
    dropped_groups: int
    """Groups with fewer than two survivors."""
    zero_spread_groups: int
    """Groups with survivors enough whose rewards were all equal, so that every advantage is exactly 0."""

    @property
    def informative_groups(self) -> int:
        """Groups that something can be learned from."""
        return self.groups - self.zero_spread_groups


def group_advantages(rewards: Sequence[float], scale: bool = True, eps: float = 1e-8) -> list[float]:
    """Advantages within one group.

    Args:
        rewards: One per surviving trajectory, at least two.
        scale: Divide by the population standard deviation (GRPO); without it only the mean is taken off, which
            does not favour groups whose rewards hardly differ (Dr. GRPO, 2503.20783).
        eps: Added to the standard deviation. Small enough to leave differences of 1e-3 at rewards of 1e3 alone,
            large enough to keep rounding noise (1e-16) from becoming an advantage of 1.

    Returns:
        ``(R - mean R) / (std R + eps)``; exact zeros where all rewards are equal.
    """
    if len(rewards) < 2:
        raise InputError(f"a group needs at least 2 trajectories to compare, got {len(rewards)}")
    values = np.asarray(rewards, dtype=np.float64)
    if values.max() == values.min():
        return [0.0] * len(values)
    centred = values - values.mean()
    return [float(value) for value in (centred / (centred.std() + eps) if scale else centred)]


def advantages(
    rewards: Sequence[float | None],
    groups: Sequence[int],
    scale: bool = True,
    eps: float = 1e-8,
    keep_zero_spread: bool = True,
) -> Advantages:
    """Advantages of a batch of groups.

    Args:
        rewards: One per trajectory; None for a trajectory that ended in a fault, which leaves its group.
        groups: The group of each trajectory, any integers.
        scale: As for `group_advantages`.
        eps: As for `group_advantages`.
        keep_zero_spread: Train groups whose rewards are all equal, with advantages of 0: their tokens then count in
            the loss's mean and in its KL term. False leaves them out.

    Raises:
        InputError: There is not one reward per trajectory (one a group would vanish in the group's mean).
    """
    if len(rewards) != len(groups):
        raise InputError(
            f"{len(rewards)} rewards for {len(groups)} trajectories; each trajectory needs a reward of its own, since "
            "one shared by a group is no advantage to any of its members"
        )
    members: dict[int, list[int]] = {}
    for i, (reward, group) in enumerate(zip(rewards, groups, strict=True)):
        survivors = members.setdefault(group, [])
        if reward is not None:
            survivors.append(i)
    values: list[float | None] = [None] * len(rewards)
    dropped = zero_spread = 0
    for survivors in members.values():
        if len(survivors) < 2:
            dropped += 1
            continue
        of_group = group_advantages([rewards[i] for i in survivors], scale, eps)  # type: ignore[misc]
        flat = not any(of_group)
        zero_spread += flat
        if flat and not keep_zero_spread:
            continue
        for i, value in zip(survivors, of_group, strict=True):
            values[i] = value
    return Advantages(tuple(values), len(members) - dropped, dropped, zero_spread)


def swamped_parts(
    parts: Sequence[Mapping[str, float] | None], groups: Sequence[int], share: float = 0.99
) -> tuple[str, int] | None:
    """Whether one part of the reward drowns others: it has nearly all spread in a group in which others vary too.

    Scaled by the group's spread, the others are then numerically invisible (a value of 1000 beside a format of 0.5).

    Args:
        parts: As for `cancelling_parts`.
        groups: The group of each trajectory.
        share: Of the sum of the parts' standard deviations, above which a part drowns the others.

    Returns:
        The part that does so in the most groups, and in how many; None where none does.
    """
    found: dict[str, int] = {}
    for group in _members(parts, groups):
        spreads = {name: float(np.std([part[name] for part in group])) for name in group[0] if name != "total"}
        largest = max(spreads, key=spreads.__getitem__)
        rest = sum(spreads.values()) - spreads[largest]
        if rest > 1e-9 and spreads[largest] > share * (rest + spreads[largest]):
            found[largest] = found.get(largest, 0) + 1
    return max(found.items(), key=lambda one: one[1]) if found else None


def cancelling_parts(parts: Sequence[Mapping[str, float] | None], groups: Sequence[int]) -> int:
    """Number of groups in which parts of the reward vary while their sum does not, so that nothing is learned.

    Args:
        parts: Per trajectory its reward parts by name, with their sum as ``total``; None for a fault.
        groups: The group of each trajectory.
    """

    def varies(group: list[Mapping[str, float]], name: str) -> bool:
        values = [part[name] for part in group]
        return max(values) - min(values) > 1e-9

    return sum(
        not varies(group, "total") and any(varies(group, name) for name in group[0] if name != "total")
        for group in _members(parts, groups)
    )


def _members(parts: Sequence[Mapping[str, float] | None], groups: Sequence[int]) -> list[list[Mapping[str, float]]]:
    """The parts of each group's survivors."""
    members: dict[int, list[Mapping[str, float]]] = {}
    for part, group in zip(parts, groups, strict=True):
        if part is not None:
            members.setdefault(group, []).append(part)
    return list(members.values())
