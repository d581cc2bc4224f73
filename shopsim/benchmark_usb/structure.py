"""What a synthetic set has planted in it, measured: why memory, eyes and history pay, and what is noise. Ours.

Behaviour is measured from the set; what people wanted and what items look like is drawn again (`latent`). Shares
are 0-1, None where there is nothing to share out.
"""

import re
from collections import Counter

import numpy as np

from shopsim.benchmark_usb.appeal import appeal
from shopsim.benchmark_usb.latent import Backstage, backstage
from shopsim.benchmark_usb.length_law import fit_weibull
from shopsim.benchmark_usb.shopper import Intent, recency
from shopsim.benchmark_usb.shopping import MOMENTUM, kinship, opens_at
from shopsim.data import DataSet
from shopsim.data.records import Item
from shopsim.data.vocabulary import Action, Page
from shopsim.envs.human import open_shop

LATER = 5
"""Steps between first seeing an item and buying it from which the purchase rests on memory."""

BOUNDS = {"purchases_later": 0.3, "items_picture_alone": 0.25, "hesitation": 1 / 3, "clicks_noise": 0.05}
"""What a set is made to have at least, so that remembering, seeing and comparing pay."""

_OPENING = (Action.CLICK, Action.ENTER_DETAIL)

Figures = dict[str, float | None]


def structure(dataset: DataSet) -> Figures:
    """The table.

    - ``length_shape``, ``length_q``: the discrete Weibull law that fits the steps of a session best,
      P(steps > k) = q ** (k ** shape).
    - ``purchases_later``: share of the purchases of an item first seen `LATER` or more steps earlier;
      ``purchases_return``: of an item that had been opened, left and opened again.
    - ``items_picture_alone``: share of the items whose colour is a choice and told by the picture alone, by no title,
      attribute, review or description.
    - ``intent_l1``, ``intent_l2``, ``intent_l3``: share of the sessions that have so precise an intent;
      ``guess_l1``...: among them, how often it is the category that weighs most in the history, recent clicks more;
      ``popular_l1``...: how often it is the one most often wanted in the set.
    - ``hesitation``: share of the sessions in which two or more items of one L3 were opened.
    - ``clicks_noise``: share of the cards opened that the same shopper, judging without error, would have passed;
      ``clicks_lapse``: of those, which appeal so little that they were not opened for what they are.

    Raises:
        InputError: The set is not synthetic, or of another version.
    """
    behind = backstage(dataset)
    shape, q = fit_weibull(np.diff(dataset.step_starts))
    return {
        "length_shape": shape,
        "length_q": q,
        **_purchases(dataset),
        "items_picture_alone": _picture_alone(dataset, behind),
        **_guesses(dataset, behind),
        "hesitation": _hesitation(dataset),
        **_noise(dataset, behind),
    }


def _purchases(dataset: DataSet) -> Figures:
    """Walks through the sessions with a purchase to see when each item bought was seen first."""
    later, returned = [], []
    session = np.repeat(np.arange(dataset.n_sessions), np.diff(dataset.step_starts))
    for row in np.unique(session[dataset.step_actions == Action.PURCHASE]).tolist():
        shop = open_shop(dataset, row)
        first_seen: dict[int, int] = {}
        openings: Counter[int] = Counter()
        for step, (action, item) in enumerate(dataset.effects(row)):
            for seen in list(shop.trajectory.impressions)[len(first_seen) :]:
                first_seen[seen] = step
            openings[item] += shop.page is Page.FEED and action in _OPENING
            if action is Action.PURCHASE:
                later.append(step - first_seen[item] >= LATER)
                returned.append(openings[item] > 1)
            shop.follow(action, item)
    return {"purchases_later": _share(later), "purchases_return": _share(returned)}


def _picture_alone(dataset: DataSet, behind: Backstage) -> float | None:
    world, goods, _ = behind.market
    names = [color.name.to(dataset.locale) for color in world.colors]  # type: ignore[arg-type]
    # An English word stands by itself; Chinese has no spaces.
    edge = "" if dataset.locale == "zh" else r"\b"
    said = [re.compile(f"{edge}{re.escape(name)}{edge}", re.IGNORECASE) for name in names]
    hidden = [
        bool(goods.colored[row]) and not said[goods.color[row]].search(_text(dataset.item(row)))
        for row in range(dataset.n_items)
    ]
    return _share(hidden)


def _text(item: Item) -> str:
    """All that is said of an item."""
    table = (f"{key}: {value}" for key, value in item.attributes.items())
    return "\n".join((item.title, item.description, *table, *(review.text for review in item.reviews)))


def _guesses(dataset: DataSet, behind: Backstage) -> Figures:
    """How well the history tells what a session is about, level by level."""
    world, goods, _ = behind.market
    of_leaf = (world.l1, world.l2, np.arange(len(world.leaves), dtype=np.int32))
    wanted: tuple[list[int], ...] = ([], [], [])
    right: tuple[list[bool], ...] = ([], [], [])
    for row in range(dataset.n_sessions):
        clicks, _ = dataset.history(row)
        leaves = goods.leaf[clicks]
        for level, truth in enumerate(_levels(behind.intent(row))):
            if truth >= 0:
                known = np.bincount(of_leaf[level][leaves], recency(leaves), minlength=1)
                wanted[level].append(truth)
                right[level].append(int(known.argmax()) == truth)
    figures: Figures = {}
    for level in range(3):
        most = Counter(wanted[level]).most_common(1)
        figures[f"intent_l{level + 1}"] = len(wanted[level]) / dataset.n_sessions
        figures[f"guess_l{level + 1}"] = _share(right[level])
        figures[f"popular_l{level + 1}"] = most[0][1] / len(wanted[level]) if most else None
    return figures


def _levels(intent: Intent) -> tuple[int, int, int]:
    return intent.l1, intent.l2, intent.leaf


def _opened(dataset: DataSet, row: int) -> list[int]:
    """Items opened from the feed in a session, each once, in order."""
    steps = zip(dataset.effects(row), dataset.places(row), strict=True)
    return list(dict.fromkeys(item for (action, item), (page, _) in steps if page is Page.FEED and action in _OPENING))


def _hesitation(dataset: DataSet) -> float | None:
    compared = []
    for row in range(dataset.n_sessions):
        kinds = dataset.label_codes[_opened(dataset, row), 2]
        compared.append(len(set(kinds.tolist())) < len(kinds))
    return _share(compared)


def _noise(dataset: DataSet, behind: Backstage) -> Figures:
    goods = behind.market.goods
    noise, lapse = [], []
    for row in range(dataset.n_sessions):
        opened = _opened(dataset, row)
        if not opened:
            continue
        opens = opens_at(behind.shopper(row))
        pulls = appeal(behind.shopper(row), behind.intent(row), goods, np.array(opened))
        for place, pull in enumerate(pulls.tolist()):
            bar = opens - MOMENTUM * kinship(goods, opened[place], opened[:place])
            noise.append(pull < bar)
            lapse.append(pull < bar - 1.5)
    return {"clicks_noise": _share(noise), "clicks_lapse": _share(lapse)}


def _share(found: list[bool]) -> float | None:
    return float(np.mean(found)) if found else None
