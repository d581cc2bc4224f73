"""Environments in several threads: people play and look while sessions are served."""

import time
from concurrent.futures import ThreadPoolExecutor

from shopsim.data import DataSet
from shopsim.envs.shop import Aisle


class Slow:
    """A catalogue that gives other threads a turn whenever it is asked."""

    def __init__(self, dataset: DataSet) -> None:
        self._dataset = dataset
        self.detail_counts = dataset.detail_counts

    def aspect(self, item: int) -> int:
        time.sleep(0.001)
        return self._dataset.aspect(item)


def test_a_feed_is_laid_out_once_for_all_threads(tiny: DataSet) -> None:
    feed, scrolls = tiny.feed(0).tolist(), [tiny.scroll_step * n for n in range(4)]
    alone = Aisle(tiny, feed, tiny.scroll_step)
    expected = [alone.place(scroll) for scroll in scrolls]
    shared = Aisle(Slow(tiny), feed, tiny.scroll_step)
    with ThreadPoolExecutor(4) as threads:
        walks = list(threads.map(lambda _: [shared.place(scroll) for scroll in scrolls], range(4)))
    assert walks == [expected] * 4
