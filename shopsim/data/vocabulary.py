"""The words every floor shares: the eight actions and the three pages (SPEC 2.1)."""

from enum import IntEnum


class Action(IntEnum):
    """The eight actions, in the published order; the value is the index in the action space."""

    SCROLL_DOWN = 0
    SCROLL_UP = 1
    CLICK = 2
    ENTER_DETAIL = 3
    BACK = 4
    ADD_TO_CART = 5
    PURCHASE = 6
    TERMINATE = 7

    @property
    def label(self) -> str:
        """The name in data sets, prompts and answers, for example ``scroll_down``."""
        return self.name.lower()


class Page(IntEnum):
    """The three pages of the shop; the value is the index in the observation space."""

    FEED = 0
    PREVIEW = 1
    DETAIL = 2

    @property
    def label(self) -> str:
        """The name in data sets and text views, for example ``feed``."""
        return self.name.lower()


ACTION_LABELS: tuple[str, ...] = tuple(action.label for action in Action)
ACTION_BY_LABEL: dict[str, Action] = {action.label: action for action in Action}
PAGE_BY_LABEL: dict[str, Page] = {page.label: page for page in Page}

ITEM_ACTIONS: tuple[Action, ...] = (Action.CLICK, Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE)
"""Actions whose effect names an item: the set 𝒜 of SPEC 6.3 and the X of SPEC 4.2."""
