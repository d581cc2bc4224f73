"""Keeps the steps of a whole set to an exact sum by having some sessions drawn anew."""

import math

STEPS = 69_842 / 5_274
"""Mean steps of a session in USB (RecVerse, arXiv 2608.20707)."""
_SLACK = 12.0
"""How far the rest may be from its mean, per square root of the sessions left; less than a session's own spread, so
that the last sessions can make up for it."""


class StepQuota:
    """How many steps are left for how many sessions.

    A session that leaves too many or too few steps for the rest is refused, whole, and another one is drawn in its
    place. The band narrows like the spread of the sum that is left, so that very few are, and the last one fits.

    Args:
        sessions: Sessions of the set.
        steps: Steps of the set; about the mean of a session, times their number.
    """

    def __init__(self, sessions: int, steps: int) -> None:
        self._mean = steps / sessions
        self._sessions, self._steps = sessions, steps

    def take(self, steps: int) -> bool:
        """Takes a session of so many steps, or refuses it."""
        sessions, rest = self._sessions - 1, self._steps - steps
        if abs(rest - self._mean * sessions) > _SLACK * math.sqrt(sessions):
            return False
        self._sessions, self._steps = sessions, rest
        return True
