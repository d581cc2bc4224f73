"""The errors ShopSim raises on purpose.

Anything a user can cause ends in one of these, with one line that names what is wrong, where, and what
would be right. The command line maps them to exit codes (SPEC 8): `CheckFailed` 1, `InputError` 2.
"""


class ShopSimError(Exception):
    """Base of every error ShopSim raises on purpose."""


class InputError(ShopSimError):
    """Something given to ShopSim (an argument, a file, a checkpoint) cannot be used."""


class DataError(InputError):
    """A data set or a log cannot be read."""


class CheckFailed(ShopSimError):
    """A check ran and said no (for example a data set that reads but breaks a rule)."""


class BudgetSpent(ShopSimError):
    """A run has used up the tokens, seconds or money it was given; what it finished is kept."""


class EnvironmentFault(ShopSimError):
    """The environment or a server failed; never the agent's doing, never scored."""


class AtCapacity(EnvironmentFault):
    """All sessions of a server are in use; later one may be free."""
