"""Shoppers on their way through the shop, many at once, leaving steps behind. Ours.

The rules of `shopsim.envs.shop` in columns: which events of a log do something, what has to be done before each
(back, scroll, enter), and the steps of it all with page, offset, time and point. The tests replay what comes out
through the shop itself, as does every validation.

Offsets lie on the feed's grid 0, step, 2 step, ... with the page's end as last point; a level is a place on it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopsim.benchmark_usb.importers.log_table import MICROSECONDS, Kind, LogTable
from shopsim.benchmark_usb.importers.ragged import Ints, owners_of, places_of, starts_of
from shopsim.benchmark_usb.importers.waterfalls import Cards
from shopsim.data.vocabulary import Action, Page
from shopsim.envs import layout

_STEP = layout.scroll_step()
_BACK, _SCROLL, _ENTER, _ACT = range(4)
"""What an event may take, in this order."""
_ACTS = np.array([Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE, Action.TERMINATE], np.int8)
"""By the kind of the event."""
_BUTTONS = {
    Action.BACK: layout.BACK_BUTTON.center(),
    Action.ADD_TO_CART: layout.CART_BUTTON.center(),
    Action.PURCHASE: layout.BUY_BUTTON.center(),
}
_CARD_X = np.array([layout.MARGIN, 2 * layout.MARGIN + layout.CARD_WIDTH], np.int64)
"""By column."""


class Steps(NamedTuple):
    """Steps, session after session."""

    lengths: Ints
    """Shape (sessions,), how many each."""
    action: NDArray[np.int8]
    page: NDArray[np.int8]
    scroll: Ints
    item: Ints
    """Item rows, -1 for none."""
    time: Ints
    """Microseconds since 1970."""
    x: NDArray[np.float64]
    """Shares of the screen, NaN for none."""
    y: NDArray[np.float64]
    imputed: NDArray[np.bool_]
    mind: Ints
    """As in `LogTable`."""


class Walked(NamedTuple):
    """What shoppers did."""

    steps: Steps
    deepest: Ints
    """Shape (sessions,), the lowest level of the feed each has been on."""
    no_effect: dict[str, int]
    """Events that would have changed nothing, by reason."""
    purchases_without_cart: int


class _Rows(NamedTuple):
    """What is done, and in the end of each session the leaving; what has to come before belongs to it."""

    owner: Ints
    kind: NDArray[np.int8]
    item: Ints
    time: Ints
    mind: Ints
    moves: NDArray[np.bool_]
    """Whether the shopper goes back to the feed for it."""
    recorded: NDArray[np.bool_]
    """Whether the log holds it."""


def offset_of(level: Ints, bottom: Ints) -> Ints:
    """Offset of a level in a feed whose content ends at `bottom`."""
    return np.minimum(level * _STEP, np.maximum(0, bottom - layout.VIEWPORT))


def walk(
    log: LogTable,
    lengths: Ints,
    cards: Cards,
    find: Callable[[Ints, Ints], Ints],
    scrolls: Ints,
    pace_seconds: float,
) -> Walked:
    """Does the events of sessions in the shop, and what must come between them.

    Args:
        log: Events, session after session; the first of each names an item.
        lengths: Shape (sessions,), how many each.
        cards: The feeds, laid out.
        find: Position in `cards` of opened items, given their sessions and rows.
        scrolls: Shape (sessions,), the level down to which the feed is browsed before leaving.
        pace_seconds: Time between filled-in steps before the first event and after the last.
    """
    rows, no_effect, without_cart = _rows(log, lengths)
    last_level = -(-np.maximum(0, cards.bottom - layout.VIEWPORT) // _STEP)
    # Where the feed stands after each row: it moves only as far as the card of the item needs. The first row of a
    # session enters an item, and a row that enters nothing leaves the feed where the one before it did.
    enters = rows.moves & (rows.kind != Kind.LEAVE)
    owner = rows.owner[enters]
    card = find(owner, rows.item[enters])
    entered = _least_moves(*_range_of(cards.twice_middle[card], cards.bottom[owner], last_level[owner]), owner)
    level = entered[np.cumsum(enters) - 1]
    deepest = np.zeros(len(lengths), np.int64)
    np.maximum.at(deepest, owner, entered)
    # Last, the rest of what is browsed.
    leaving = np.flatnonzero(rows.kind == Kind.LEAVE)
    goal = np.minimum(scrolls, last_level)
    rows.moves[leaving] = deepest < goal
    level[leaving] = np.where(deepest < goal, goal, level[leaving])
    steps = _steps(rows, level, enters, card, cards, round(pace_seconds * MICROSECONDS))
    return Walked(steps, np.maximum(deepest, goal), no_effect, without_cart)


def _rows(log: LogTable, lengths: Ints) -> tuple[_Rows, dict[str, int], int]:
    """What is done; events that do nothing, by reason; purchases of what is not in the cart."""
    owner, kind, item = owners_of(lengths), log.kind, log.item.astype(np.int64)
    n, place = len(item), np.arange(len(item))
    view, leave = kind == Kind.VIEW, kind == Kind.LEAVE
    # The first cart and the first purchase of an item in a session do something.
    _, first = np.unique((owner << 34) + (item << 2) + kind, return_index=True)
    acts = np.zeros(n, bool)
    acts[first] = True
    acts &= ~view & ~leave
    # An item is open from its view, cart or purchase until that of another.
    names = np.maximum.accumulate(np.where(view | acts, place, -1))
    before = np.append(-1, names[:-1])
    here = (before >= starts_of(lengths)[owner]) & (item[before] == item)
    last = place == starts_of(lengths)[owner + 1] - 1
    no_effect = {
        "view of the item already open": view & here,
        "cart of an item carted before": (kind == Kind.CART) & ~acts,
        "purchase of an item bought before": (kind == Kind.PURCHASE) & ~acts,
        "leaving before the end": leave & ~last,
    }

    does = np.flatnonzero((view & ~here) | acts)
    done = np.bincount(owner[does], minlength=len(lengths))
    # One row more for each session: its leaving, which is the log's where its last event is one.
    source = np.full(len(does) + len(lengths), -1)
    leaving = starts_of(done + 1)[1:] - 1
    source[leaving] = np.where(leave[starts_of(lengths)[1:] - 1], starts_of(lengths)[1:] - 1, -1)
    is_leaving = np.zeros(len(source), bool)
    is_leaving[leaving] = True
    source[~is_leaving] = does
    told = source >= 0
    rows = _Rows(
        owner=owners_of(done + 1),
        kind=np.where(is_leaving, np.int8(Kind.LEAVE), kind[source]),
        item=np.where(is_leaving, -1, item[source]),
        time=log.time[source],
        mind=np.where(told, log.mind[source], -1),
        moves=~is_leaving & ~here[source],
        recorded=told,
    )
    return rows, {reason: int(mask.sum()) for reason, mask in no_effect.items() if mask.any()}, _uncarted(rows)


def _uncarted(rows: _Rows) -> int:
    """Purchases of items that were not put into the cart before."""
    acts = np.flatnonzero((rows.kind == Kind.CART) | (rows.kind == Kind.PURCHASE))
    pair = (rows.owner[acts] << 32) + rows.item[acts]
    order = np.argsort(pair, kind="stable")
    pair, bought = pair[order], rows.kind[acts][order] == Kind.PURCHASE
    # A pair has at most one of each, so what stands before a purchase of the same pair is its cart.
    return int((bought & ~np.append(False, pair[1:] == pair[:-1])[: len(pair)]).sum())


def _range_of(twice_middle: Ints, bottom: Ints, last_level: Ints) -> tuple[Ints, Ints]:
    """First and last level at which at least half of a card shows."""
    low = np.maximum(0, -(-(twice_middle - 2 * layout.VIEWPORT) // (2 * _STEP)))
    at_end = twice_middle >= 2 * (bottom - layout.VIEWPORT)
    return np.minimum(low, last_level), np.where(at_end, last_level, twice_middle // (2 * _STEP))


def _least_moves(low: Ints, high: Ints, owner: Ints) -> Ints:
    """The level after each visit, when a feed is moved only as far as it must to be between `low` and `high`."""
    levels = []
    level, of = 0, -1
    for least, most, session in zip(low.tolist(), high.tolist(), owner.tolist(), strict=True):
        if session != of:
            level, of = 0, session
        level = least if level < least else most if level > most else level
        levels.append(level)
    return np.array(levels, np.int64)


def _steps(rows: _Rows, level: Ints, enters: NDArray[np.bool_], card: Ints, cards: Cards, pace: int) -> Steps:
    """The steps of all rows.

    Args:
        rows: What is done.
        level: Of the feed, after each row.
        enters: Rows that enter their item's detail page.
        card: For these, the position of the item's card.
        cards: The feeds, laid out.
        pace: Microseconds between filled-in steps before the first event and after the last.
    """
    first = np.append(True, rows.owner[1:] != rows.owner[:-1])
    leaves = rows.kind == Kind.LEAVE
    before = np.where(first, 0, np.append(0, level[:-1]))
    count = np.zeros((len(level), 4), np.int64)
    count[:, _BACK] = rows.moves & ~first
    count[:, _SCROLL] = np.where(rows.moves, np.abs(level - before), 0)
    count[:, _ENTER] = enters
    count[:, _ACT] = rows.kind != Kind.VIEW
    total = count.sum(axis=1)

    block = owners_of(count.ravel())
    row, part = block >> 2, block & 3
    kind = rows.kind[row]
    scrolling, entering, acting = part == _SCROLL, part == _ENTER, part == _ACT
    down = (level > before)[row]
    action = np.where(scrolling, np.where(down, Action.SCROLL_DOWN, Action.SCROLL_UP), Action.BACK).astype(np.int8)
    action[entering] = Action.ENTER_DETAIL
    action[acting] = _ACTS[kind[acting]]

    on_feed = scrolling | entering | (acting & (leaves & rows.moves)[row])
    at = np.where(scrolling, before[row] + np.where(down, 1, -1) * places_of(count.ravel()), level[row])
    scroll = np.where(on_feed, offset_of(at, cards.bottom[rows.owner[row]]), 0)

    x, y = np.full(len(row), np.nan), np.full(len(row), np.nan)
    for button, point in _BUTTONS.items():
        x[action == button], y[action == button] = point
    x[entering], y[entering] = _points(cards, card, scroll[entering])

    recorded = (entering & (kind == Kind.VIEW)) | (acting & rows.recorded[row])
    return Steps(
        lengths=np.bincount(rows.owner, total).astype(np.int64),
        action=action,
        page=np.where(on_feed, Page.FEED, Page.DETAIL).astype(np.int8),
        scroll=scroll,
        item=np.where(entering | acting, rows.item[row], -1),
        time=_times(rows, first, total, pace),
        x=x,
        y=y,
        imputed=~recorded,
        mind=np.where(recorded, rows.mind[row], -1),
    )


def _points(cards: Cards, card: Ints, scroll: Ints) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The middle of the part of a card that shows, as shares of the screen."""
    top = cards.top[card] - scroll + layout.TOP
    bottom = np.minimum(top + cards.height[card], layout.BOTTOM)
    top = np.maximum(top, layout.TOP)
    x = (_CARD_X[cards.column[card]] + layout.CARD_WIDTH / 2) / layout.WIDTH
    return x, (top + (bottom - top) / 2) / layout.HEIGHT


def _times(rows: _Rows, first: NDArray[np.bool_], total: Ints, pace: int) -> Ints:
    """Times of all steps: a row's own is its last step's, and those before it lie evenly since the row before."""
    end = rows.time.copy()
    begin = np.append(0, end[:-1])
    invented = (rows.kind == Kind.LEAVE) & ~rows.recorded
    end[invented] = begin[invented] + pace * total[invented]
    begin[first] = end[first] - pace * total[first]
    row = owners_of(total)
    times: Ints = begin[row] + (end - begin)[row] * (places_of(total) + 1) // total[row]
    return times
