from pathlib import Path

import pytest

from shopsim.data import DataSet
from shopsim.data.records import Session
from shopsim.data.vocabulary import Action
from shopsim.envs.human import open_shop, replay
from shopsim.envs.trajectory import StopReason
from shopsim.errors import DataError
from tests.data.factory import write_tiny


def test_replay_does_what_was_recorded_on_the_recorded_screens(tiny: DataSet) -> None:
    for row in range(tiny.n_sessions):
        trajectory = replay(tiny, row)
        assert [(event.effect, event.item) for event in trajectory.events] == tiny.effects(row)
        recorded = tiny.session(row).steps
        assert [(event.page, event.scroll) for event in trajectory.events] == [(s.page, s.scroll) for s in recorded]
        assert trajectory.stop_reason is StopReason.TERMINATE
        assert trajectory.session_id == tiny.session_id(row)
        assert trajectory.invalid_steps == 0


def test_opened_items_were_seen(tiny: DataSet) -> None:
    for row in range(tiny.n_sessions):
        trajectory = replay(tiny, row)
        assert trajectory.interacted <= trajectory.impressions.keys()


def test_open_shop_shows_the_recorded_feed_and_asks_for_more_past_its_end(tiny: DataSet) -> None:
    asked: list[int] = []

    def extend(shown: object) -> list[int]:
        asked.append(1)
        return []

    shop = open_shop(tiny, 0, extend)
    assert shop.feed == tiny.feed(0).tolist()
    assert not asked
    while shop.step(Action.SCROLL_DOWN).effect is not None:
        pass
    assert asked == [1]


def test_replay_names_the_step_that_is_not_possible(tmp_path: Path) -> None:
    def change(session: Session) -> Session:
        """Session 2 opens its first item twice in a row instead of carting it."""
        if session.session_id != "s2":
            return session
        steps = list(session.steps)
        steps[3] = steps[3]._replace(action=Action.CLICK)
        return session._replace(steps=tuple(steps))

    dataset = DataSet.open(write_tiny(tmp_path / "set", change))
    item = dataset.session(2).steps[3].item_id
    with pytest.raises(
        DataError, match=rf"session 's2' step 3: click '{item}' .*preview page at scroll 0 \(not_here\)"
    ):
        replay(dataset, 2)
    assert len(replay(dataset, 1)) == dataset.n_steps(1)
