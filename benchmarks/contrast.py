"""What shoppers earn by the plain trajectory reward and by the contrasted score (`shopsim.trainers.contrast`).

    python benchmarks/contrast.py --sessions 120

Each shopper plays the first train sessions of a synthetic set four times; S is the mean reward less half the mean
likeness of two of its own trajectories. Nobody is trained.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shopsim.agents.rollout import Task, collect
from shopsim.benchmark_usb.roster import AgentSpec
from shopsim.benchmark_usb.synthetic import make_synthetic
from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.human import replay
from shopsim.envs.reward import TrajectoryReward
from shopsim.envs.trajectory import Trajectory
from shopsim.trainers.contrast import contrasted, likeness_of

DRAWS = 4
"""Trajectories of each session."""
AGENTS = ("second-draw", "own-rule", "random", "heuristic", "always-terminate")

Group = list[Trajectory]


def played(dataset: DataSet, kind: str, rows: list[int]) -> list[Group]:
    """What an agent does in each session, several times."""
    tasks = [Task(dataset.session_id(row), 0, draw + 1, i, draw) for i, row in enumerate(rows) for draw in range(DRAWS)]
    rollouts = collect(
        tasks,
        lambda: ShopSimEnv(dataset, split=None, reward=None, pixels=False),
        AgentSpec.parse(kind).maker(dataset),
    )
    groups: list[Group] = [[] for _ in rows]
    for rollout in rollouts:
        assert rollout.trajectory is not None
        groups[rollout.task.group].append(rollout.trajectory)
    return groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=120, help="how many are played")
    parser.add_argument("--of", type=int, default=400, help="sessions of the set")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        make_synthetic(Path(folder) / "set", options.of, seed=0)
        dataset = DataSet.open(Path(folder) / "set")
        rows = dataset.session_rows("train")[: options.sessions].tolist()
        people = [replay(dataset, row) for row in rows]
        idle = [person for person in people if not person.pairs()]
        rng = np.random.default_rng(0)

        def drawn(some: Group) -> list[Group]:
            return [[some[i] for i in rng.integers(len(some), size=DRAWS)] for _ in rows]

        shoppers = {"the person": [[person] * DRAWS for person in people]}
        shoppers |= {kind: played(dataset, kind, rows) for kind in AGENTS}
        shoppers |= {"another person": drawn(people), "a person who touched nothing": drawn(idle)}

        reward = TrajectoryReward()
        likeness = likeness_of(reward, dataset.labels)
        print(f"{len(rows)} sessions, {len(idle) / len(rows):.0%} without a touched item\n")
        print(f"{'':30} {'plain':>7} {'S':>7} {'items':>7}")
        for name, groups in shoppers.items():
            plain, score = [], []
            for person, group in zip(people, groups, strict=True):
                rewards = [reward(trajectory, person, dataset.labels).total for trajectory in group]
                plain += rewards
                n = len(group)
                score += contrasted(rewards, group, [0] * n, likeness, 0.5, [person] * n)
            items = np.mean([len(trajectory.pairs()) for group in groups for trajectory in group])
            print(f"{name:30} {np.mean(plain):7.2f} {np.mean(np.array(score, float)):7.2f} {items:7.1f}")


if __name__ == "__main__":
    main()
