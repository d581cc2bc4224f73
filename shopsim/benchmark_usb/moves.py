"""What a shopper did at one step and why: what a session hands to the diary."""

from dataclasses import dataclass
from enum import StrEnum

from shopsim.data.vocabulary import Action, Page
from shopsim.envs.shop import Point


class Reason(StrEnum):
    """Why a move was made."""

    START = "start"
    """Nothing on the first screen holds; look further."""
    NOTHING = "nothing"
    """Nothing here."""
    MORE = "more"
    """Something like it was opened; look for better ones."""
    RETURN = "return"
    """On the way back to an item seen before."""
    LOOK = "look"
    """The card appeals."""
    CHEAP = "cheap"
    """The card appeals, not least by its price."""
    SIMILAR = "similar"
    """Another one of the kind opened before."""
    AGAIN = "again"
    """Opens an item it came back for."""
    DETAILS = "details"
    """The preview makes curious."""
    READ = "read"
    """Reads on."""
    PICTURE = "picture"
    """Up again to see the picture."""
    DEAR = "dear"
    """Too expensive."""
    STARS = "stars"
    """Too few stars."""
    REVIEWS = "reviews"
    """The reviews put off."""
    UNSURE = "unsure"
    """Not convinced."""
    WORSE = "worse"
    """One seen before was better."""
    KEEP = "keep"
    """Good; compare with others first."""
    LIST = "list"
    """Back to the feed after the detail page."""
    TAKEN = "taken"
    """In the cart or bought; go on."""
    WANT = "want"
    """This is it."""
    BEST = "best"
    """The best of those compared."""
    DONE = "done"
    """Leaves with a purchase."""
    LATER = "later"
    """Leaves with something in the cart."""
    TIRED = "tired"
    """Leaves after looking at things without taking one."""
    BORED = "bored"
    """Leaves without having opened anything."""


@dataclass(frozen=True, slots=True)
class Move:
    """One step with what a diary may know about it."""

    action: Action
    page: Page
    scroll: int
    item: int
    """The item acted on, -1 for none: what a data set records."""
    point: Point | None
    reason: Reason
    about: int
    """The item on the mind: acted on, open, or gone back for; -1 for none."""
