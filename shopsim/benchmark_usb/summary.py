"""The scores of one agent on one run: fidelity, intent, reward and cost side by side (SPEC 4.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shopsim.benchmark_usb.bootstrap import Bootstrap, Estimate, mean_of
from shopsim.benchmark_usb.fidelity import Behaviour, Fidelity, fidelity
from shopsim.benchmark_usb.intent import Intent, IntentScore, intent, overacting


@dataclass(frozen=True, slots=True)
class Cost:
    """What one rollout took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    """Wall time of the run, shared out to rollouts as they finished: it sums to the run's time on any number of
    lanes."""


@dataclass(frozen=True, slots=True)
class SessionScore:
    """One finished rollout of one agent in one recorded session."""

    agent: str
    session_id: str
    user_id: str
    repetition: int
    seeds: tuple[int, int]
    """Of the environment and of sampling."""
    fault: str | None
    """Why the environment failed; such a rollout is scored on neither side, and is run again on resuming."""
    behaviour: Behaviour
    human: Behaviour
    intent: IntentScore | None
    """None where the person touched nothing."""
    active: bool
    """Whether the agent touched any item."""
    reward: dict[str, float]
    """Parts of the trajectory reward; empty without one."""
    stop_reason: str | None
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Summary:
    """Scores of one agent. No single number says how human it is; these stand side by side on purpose."""

    agent: str
    rollouts: int
    """Scored; faulted ones come on top."""
    faults: int
    fidelity: Fidelity
    intent: Intent
    overacting: tuple[str, ...]
    """Rates so far from people's that the intent scores are not to be trusted."""
    reward: dict[str, Estimate]
    """Mean of each part over sessions; empty without a reward."""
    tokens: Estimate
    """Prompt and answer tokens per session."""
    seconds: Estimate
    """Wall time per session."""


def bootstrap_of(scores: Sequence[SessionScore], samples: int = 1000, seed: int = 0) -> Bootstrap:
    """The resamples of these rollouts."""
    return Bootstrap([s.user_id for s in scores], [s.session_id for s in scores], samples, seed)


def summarise(
    agent: str, scores: Sequence[SessionScore], imputed: Sequence[str] = (), paired: bool = True, samples: int = 1000
) -> Summary:
    """Scores one agent's rollouts.

    Args:
        agent: Its name.
        scores: Its rollouts, faulted ones too; the order decides the last digits, so sort it.
        imputed: Inputs the data set's importer filled in (`DataSet.imputed`).
        paired: False where the agent saw another feed than the person; intent is then not scored.
        samples: Resamples of the intervals.
    """
    kept = [score for score in scores if score.fault is None]
    bootstrap = bootstrap_of(kept, samples)

    def mean(values: Sequence[float]) -> Estimate:
        return bootstrap.estimate(np.column_stack([np.array(values, dtype=float), np.ones(len(values))]), mean_of)

    of_people = fidelity([s.behaviour for s in kept], [s.human for s in kept], bootstrap, frozenset(imputed))
    of_intent = intent([s.intent for s in kept], [s.active for s in kept], bootstrap)
    if not paired:
        of_intent = intent([], [], Bootstrap([], []))
    parts = list(kept[0].reward) if kept else []
    return Summary(
        agent=agent,
        rollouts=len(kept),
        faults=len(scores) - len(kept),
        fidelity=of_people,
        intent=of_intent,
        overacting=overacting(of_people),
        reward={part: mean([s.reward[part] for s in kept]) for part in parts},
        tokens=mean([s.cost.prompt_tokens + s.cost.completion_tokens for s in kept]),
        seconds=mean([s.cost.seconds for s in kept]),
    )
