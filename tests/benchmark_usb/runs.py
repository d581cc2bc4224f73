"""Runs made up without an environment, for the tests of results, comparisons and reports."""

from pathlib import Path

from shopsim.benchmark_usb.fidelity import behaviour
from shopsim.benchmark_usb.intent import intent_score
from shopsim.benchmark_usb.results import AgentInfo, DataInfo, Results, RunSettings
from shopsim.benchmark_usb.summary import Cost, SessionScore
from tests.benchmark_usb.sessions import session

SETTINGS = RunSettings(
    data=DataInfo("made up", "0" * 64, "synthetic", "en"),
    split="test",
    sessions=12,
    sessions_hash="1" * 64,
    repetitions=1,
    seed=0,
    feed="recorded",
    environment={"max_steps": 40, "reward": "trajectory"},
)

HUMANS = ["down click:1 enter:1 cart:1 back back leave", "click:2 back down down leave", "down leave"]
SHOPPERS = {
    "human": HUMANS,
    "clicker": ["click:1 back click:2 back click:3 back"] * 3,
    "leaver": ["leave"] * 3,
    "buyer": ["down click:1 enter:1 cart:1 buy:1 back back leave", "click:2 buy:2 leave", "click:3 buy:3 leave"],
}


def labels(item: int) -> tuple[int, int, int]:
    return (0, item // 2, item)


def rollout(agent: str, number: int, repetition: int = 0, fault: str | None = None) -> SessionScore:
    """What agent `agent` of `SHOPPERS` does in session `number`; two sessions a user."""
    person, visitor = session(HUMANS[number % 3], range(6)), session(SHOPPERS[agent][number % 3], range(6))
    touched, wanted = visitor.interacted, person.interacted
    return SessionScore(
        agent=agent,
        session_id=f"s{number:02d}",
        user_id=f"u{number // 2}",
        repetition=repetition,
        seeds=(number, repetition),
        fault=fault,
        behaviour=behaviour(visitor),
        human=behaviour(person),
        intent=intent_score(touched, wanted, labels) if wanted else None,
        active=bool(touched),
        reward={"macro": -0.1 * number, "total": 0.5 - 0.1 * number},
        stop_reason="terminate",
        cost=Cost(10, 2, 0.5),
    )


def run(path: Path, agents: tuple[str, ...] = tuple(SHOPPERS), settings: RunSettings = SETTINGS) -> Results:
    """A finished run of some of `SHOPPERS`."""
    results = Results.start(path, settings, {name: AgentInfo(name) for name in agents})
    for name in agents:
        for number in range(settings.sessions):
            results.append(rollout(name, number))
        results.finish(name)
    return results
