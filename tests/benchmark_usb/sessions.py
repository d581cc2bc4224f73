"""Hand-made sessions in a notation short enough to read beside the expected scores, and strategies for random ones."""

from collections.abc import Iterable

from hypothesis import strategies as st

from shopsim.data.vocabulary import Action, Page
from shopsim.envs.trajectory import Event, Invalid, StopReason, Trajectory

WORDS = {
    "down": Action.SCROLL_DOWN,
    "up": Action.SCROLL_UP,
    "click": Action.CLICK,
    "enter": Action.ENTER_DETAIL,
    "back": Action.BACK,
    "cart": Action.ADD_TO_CART,
    "buy": Action.PURCHASE,
    "leave": Action.TERMINATE,
}


def session(script: str, seen: Iterable[int] = (), name: str = "s") -> Trajectory:
    """A trajectory from words such as ``down click:3 enter:3 cart:3 back back leave``.

    ``enter:3`` right on the feed opens the detail page from there. ``tap-cart:3`` clicks the cart button (and likewise
    ``tap-buy``, ``tap-back``). ``bad:click`` asks for a click that does nothing, ``bad`` is an unparsed answer.
    """
    trajectory = Trajectory(name, impressions=dict.fromkeys(seen))
    stack = [Page.FEED]
    for step, word in enumerate(script.split()):
        verb, _, rest = word.partition(":")
        page = stack[-1]
        if verb == "bad":
            asked = WORDS[rest] if rest else None
            invalid = Invalid.NO_TARGET if rest else Invalid.UNPARSED
            trajectory.events.append(Event(step, page, 0, asked, None, -1, invalid))
            continue
        action, item = WORDS[verb.removeprefix("tap-")], int(rest) if rest else -1
        asked = Action.CLICK if verb.startswith("tap-") else action
        trajectory.events.append(Event(step, page, 0, asked, action, item))
        if action is Action.CLICK:
            stack.append(Page.PREVIEW)
        elif action is Action.ENTER_DETAIL:
            stack.append(Page.DETAIL)
        elif action is Action.BACK:
            stack.pop()
        elif action is Action.TERMINATE:
            trajectory.stop_reason = StopReason.TERMINATE
    return trajectory


@st.composite
def sessions(draw: st.DrawFn, n_items: int = 6) -> Trajectory:
    """A legal random session over few items, so that repeats and matches happen."""
    words: list[str] = []
    stack: list[int] = []
    for _ in range(draw(st.integers(0, 12))):
        if not stack:
            word = draw(st.sampled_from(["down", "up", "bad", "bad:click", "click", "enter"]))
        else:
            word = draw(st.sampled_from(["back", "cart", "buy", "enter", "bad", "tap-cart", "tap-back"]))
        if word in ("click", "enter"):
            item = stack[-1] if stack else draw(st.integers(0, n_items - 1))
            stack.append(item)
            word = f"{word}:{item}"
        elif word in ("back", "tap-back"):
            stack.pop()
        elif word in ("cart", "buy", "tap-cart"):
            word = f"{word}:{stack[-1]}"
        words.append(word)
    words.append(draw(st.sampled_from(["leave", "down", "bad"])))
    touched = {int(w.split(":")[1]) for w in words if w[:5] in ("click", "enter")}
    seen = touched | draw(st.sets(st.integers(0, n_items - 1)))
    return session(" ".join(words), sorted(seen))
