"""What a trajectory is worth beside its siblings: near to the person, and no nearer to its group than people are.

A reward that compares with one recorded session is highest, on average, for the session that is most like all others.
Where a person's next session cannot be foreseen that is the most cautious one, so that a policy learns to touch
nothing, although another person's real session would be the better imitation. Scores of forecasts know the fault and
its cure (Gneiting and Raftery 2007, sections 4 and 5: energy and kernel scores): take off half the mean likeness of
two draws of the forecast,

    S = E R(X, person) - w/2 E R(X, X').

The policy gradient of S gives a trajectory ``R(x, person) - w E R(x, X')``; its group is a sample of X'.

That holds for a likeness that is the same both ways round. A trajectory reward is not: its gaps are relative to what
the person did, so that two steps too many on one step weigh more than two too few on three, and whoever minimises
relative gaps to an unforeseeable number aims below its mean. So the likeness is taken both ways round and halved, to
the person as to the group. The use for trajectories is ours.
"""

from collections.abc import Callable, Iterable, Sequence

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
    people: Iterable[Trajectory],
) -> list[float | None]:
    """Each reward, its likeness taken both ways round, less `weight` times the mean likeness to the rest of the group.

    Args:
        rewards: Against the person, one per trajectory; None for a fault.
        trajectories: What was done.
        groups: The group of each trajectory, any integers.
        likeness: The part of the rewards that says how like a trajectory is to the person's.
        weight: w; 0 gives the rewards as they are, 1 the proper score.
        people: What the person did, for each trajectory; not looked at if w is 0.

    Returns:
        One number per trajectory, None for a fault. Without siblings nothing is taken off.
    """
    values = list(rewards)
    if not weight:
        return values
    members: dict[int, list[tuple[int, Trajectory, float]]] = {}
    for i, (reward, trajectory, group, person) in enumerate(zip(rewards, trajectories, groups, people, strict=True)):
        if reward is not None and trajectory is not None:
            values[i] = reward = reward + (likeness(person, trajectory) - likeness(trajectory, person)) / 2
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
