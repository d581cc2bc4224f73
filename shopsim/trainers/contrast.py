"""What a trajectory is worth beside its siblings: near to the person, and no nearer to its group than people are.

A reward that compares with one recorded session is highest, on average, for the session that is most like all others.
Where a person's next session cannot be foreseen that is the most cautious one, so that a policy learns to touch
nothing, although another person's real session would be the better imitation. Scores of forecasts know the fault and
its cure (Gneiting and Raftery 2007, sections 4 and 5: energy and kernel scores): take off half the mean likeness of
two draws of the forecast,

    S = E R(X, person) - w/2 E R(X, X').

The policy gradient of S gives a trajectory ``R(x, person) - w E R(x, X')``; its group is a sample of X'. The use for
trajectories is ours.
"""

from collections.abc import Callable, Sequence

import numpy as np

from shopsim.envs.reward import Labels, RewardParts, TrajectoryReward
from shopsim.envs.trajectory import Trajectory

Likeness = Callable[[Trajectory, Trajectory], float]
"""How like the first is to the second; need not be symmetric."""


def likeness_of(reward: TrajectoryReward, labels: Labels) -> Likeness:
    """A reward's total without its format part, which says nothing of likeness."""

    def likeness(one: Trajectory, other: Trajectory) -> float:
        parts: RewardParts = reward(one, other, labels)
        return parts.total - parts.format

    return likeness


def contrasted(
    rewards: Sequence[float | None],
    trajectories: Sequence[Trajectory | None],
    groups: Sequence[int],
    likeness: Likeness,
    weight: float,
) -> list[float | None]:
    """Each reward less `weight` times the trajectory's mean likeness to the others of its group.

    Args:
        rewards: Against the person, one per trajectory; None for a fault.
        trajectories: What was done.
        groups: The group of each trajectory, any integers.
        likeness: Taken both ways round.
        weight: w; 0 gives the rewards as they are, 1 the proper score.

    Returns:
        One number per trajectory, None for a fault. Without siblings a trajectory keeps its reward.
    """
    values = list(rewards)
    if not weight:
        return values
    members: dict[int, list[tuple[int, Trajectory, float]]] = {}
    for i, (reward, trajectory, group) in enumerate(zip(rewards, trajectories, groups, strict=True)):
        if reward is not None and trajectory is not None:
            members.setdefault(group, []).append((i, trajectory, reward))
    for group_members in members.values():
        n = len(group_members)
        if n == 1:
            continue
        like = np.zeros((n, n))
        for a, (_, one, _) in enumerate(group_members):
            for b, (_, other, _) in enumerate(group_members):
                if a != b:
                    like[a, b] = likeness(one, other)
        to_others = (like + like.T).sum(axis=1) / (2 * (n - 1))
        for (i, _, reward), likely in zip(group_members, to_others.tolist(), strict=True):
            values[i] = reward - weight * likely
    return values
