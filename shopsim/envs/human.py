"""The person's side of a recorded session: the shop it happened in and the trajectory it makes (SPEC 2.3).

Scores and rewards compare an agent with this trajectory; the replay check and the human-replay agent drive the
same shop. Nothing here limits steps or stops a person who is stuck.
"""

from collections.abc import Callable, Sequence

from shopsim.data import DataSet
from shopsim.envs.shop import Shop
from shopsim.envs.trajectory import Event, StopReason, Trajectory
from shopsim.errors import DataError


def open_shop(
    dataset: DataSet, session_row: int, extend: Callable[[Sequence[int]], Sequence[int]] | None = None
) -> Shop:
    """The shop of one recorded session as the shopper entered it: its feed, its items, its scroll grid.

    Args:
        dataset: The data set.
        session_row: Row of the session.
        extend: Asked for more items when the feed runs out (a feed policy); None ends the feed where it ends.
    """
    feed: list[int] = dataset.feed(session_row).tolist()
    return Shop(dataset, dataset.session_id(session_row), feed, extend, dataset.scroll_step)


def replay(dataset: DataSet, session_row: int) -> Trajectory:
    """The person's trajectory, made by doing what was recorded.

    Raises:
        DataError: A recorded action is not possible where the session has come to.
    """
    shop = open_shop(dataset, session_row)
    for action, item in dataset.effects(session_row):
        event = shop.follow(action, item)
        if event.effect is None:
            where = f"steps.parquet session {dataset.session_id(session_row)!r} step {event.step}"
            raise DataError(f"{where}: {refusal(event, dataset.item_id(item) if item >= 0 else None)}")
    shop.trajectory.stop_reason = StopReason.TERMINATE
    return shop.trajectory


def refusal(event: Event, item_id: str | None) -> str:
    """Why a recorded action could not be done, in words: the action, its item, the page, the cause."""
    assert event.action is not None
    what = event.action.label if item_id is None else f"{event.action.label} {item_id!r}"
    return f"{what} is not possible on the {event.page.label} page at scroll {event.scroll} ({event.invalid})"
