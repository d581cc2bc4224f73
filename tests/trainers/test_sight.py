"""Sight: what the tokens of a screen show, the loss by a second reckoning, and that it can be learned and resumed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from shopsim.data import DataSet
from shopsim.data.vocabulary import Action
from shopsim.envs import human
from shopsim.errors import InputError
from shopsim.trainers.logs import read
from shopsim.trainers.policy import Policy
from shopsim.trainers.sight import (
    LEVELS,
    SCREENS,
    Names,
    Screens,
    SightConfig,
    as_written,
    middles,
    sight_loss,
    train_sight,
)
from tests.trainers.conftest import unexplained


@pytest.fixture
def config(options: dict[str, Any]) -> SightConfig:
    options |= {"lr": 3e-3, "size": (160, 320)}
    return SightConfig(**options, steps=3, batch=4, warmup=1, eval_every=2, eval_sessions=1)


def test_tokens_show_the_card_they_lie_on(config: SightConfig, tiny: DataSet) -> None:
    policy = Policy.load(config.model)
    first, *others = Screens(config, tiny, policy, "train").first(1)
    assert len(others) == SCREENS - 1
    width, height = config.size
    assert len(first.items) == width // 32 * height // 32
    feed = tiny.feed(int(tiny.session_rows("train")[0])).tolist()
    assert {item for item in first.items if item >= 0} <= set(feed[:12])
    grid = np.array(first.items).reshape(height // 32, width // 32)
    assert (grid[0] == -1).all()  # the status bar and the search field
    middle = grid[grid.shape[0] // 2]
    assert middle[0] == feed[0] or middle[0] in feed
    assert middle[0] != middle[-1]  # two columns of cards


def test_a_tap_at_a_tokens_place_hits_the_card_it_lies_on(config: SightConfig, tiny: DataSet) -> None:
    row, policy = int(tiny.session_rows("train")[0]), Policy.load(config.model)
    places = middles(policy, config.size, config.grid)
    assert len(set(places)) == len(places)
    shop = human.open_shop(tiny, row)
    for screen in Screens(config, tiny, policy, "train").of_session(tiny.session_id(row)):
        for item, (x, y) in zip(screen.items, places, strict=True):
            card = shop.target_at((x / 1000, y / 1000))
            assert item == (-1 if card is None else card.item)
        shop.step(Action.SCROLL_DOWN)


@pytest.mark.parametrize("places", [True, False])
def test_the_loss_is_that_of_its_formula(config: SightConfig, tiny: DataSet, places: bool) -> None:
    policy, config = Policy.load(config.model), replace(config, grid=50, places=places)
    names, screens = Names(tiny, policy, config), list(Screens(config, tiny, policy, "train").first(1))[:2]
    with torch.no_grad():
        loss, right = sight_loss(policy, names, screens, names.counts(screens), config.tau)
        points = middles(policy, config.size, config.grid)
        xs, ys = ({str(n) for n in numbers} if places else () for numbers in zip(*points, strict=True))
        kinds = [[as_written(tiny, int(code)) for code in np.unique(of) if code >= 0] for of in tiny.label_codes.T]
        vectors = [{name: spelled(policy, name) for name in of_level} for of_level in (*kinds, xs, ys)]
        terms: list[list[float]] = [[] for _ in LEVELS]
        for screen in screens:
            pixels, grid = policy.backend.encoder.screens(screen.image)
            (seen,) = policy.model.get_image_features(pixels, grid, return_dict=True).pooler_output
            for vector, item, point in zip(seen, screen.items, points, strict=True):
                shown = [as_written(tiny, code) if code >= 0 else "" for code in tiny.labels(item)] if item >= 0 else []
                for level, name in enumerate([*shown, *map(str, point)] if shown else []):
                    if name not in vectors[level]:
                        continue
                    cosines = {
                        other: float(torch.cosine_similarity(vector, e, 0)) for other, e in vectors[level].items()
                    }
                    total = sum(np.exp(cosine / config.tau) for cosine in cosines.values())
                    terms[level].append(-np.log(np.exp(cosines[name] / config.tau) / total))
    told = [np.mean(of_level) for of_level in terms if of_level]
    assert len(told) == (5 if places else 3)
    assert loss.item() == pytest.approx(np.mean(told), rel=1e-4)
    assert ((right >= 0) & (right <= 1)).all()


def spelled(policy: Policy, name: str) -> torch.Tensor:
    ids = policy.backend.encoder.tokenizer(name, add_special_tokens=False)["input_ids"]
    return policy.model.get_input_embeddings().weight[ids].mean(0)


def test_micro_batches_do_not_change_the_gradient(config: SightConfig, tiny: DataSet) -> None:
    gradients = []
    for size in (1, 4):
        policy = Policy.load(config.model)
        names, screens = Names(tiny, policy, config), list(Screens(config, tiny, policy, "train").first(1))[:4]
        counts = names.counts(screens)
        for start in range(0, 4, size):
            sight_loss(policy, names, screens[start : start + size], counts, config.tau)[0].backward()
        gradients.append([p.grad for p in policy.model.parameters() if p.grad is not None])
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(*gradients, strict=True))


def test_it_learns_what_it_is_shown(config: SightConfig, tiny_model: Path) -> None:
    config = replace(config, data=None, grid=20)
    dataset, policy = config.dataset(), Policy.load(tiny_model)
    names, screens = Names(dataset, policy, config), list(Screens(config, dataset, policy, "train").first(1))
    optimizer, counts = torch.optim.AdamW(policy.model.parameters(), 3e-3), names.counts(screens)
    losses, right = [], np.zeros(len(LEVELS))
    for _ in range(90):
        loss, right = sight_loss(policy, names, screens, counts, config.tau)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    assert right[LEVELS.index("1")] > 0.7
    assert right[LEVELS.index("x")] > 0.7


def test_what_it_logs_is_explained(config: SightConfig) -> None:
    train_sight(config)
    assert not set().union(*(unexplained(line) for line in read(Path(config.out))))


def test_a_run_goes_on_where_it_was(config: SightConfig, tmp_path: Path) -> None:
    train_sight(config)
    train_sight(replace(config, steps=5))
    straight = replace(config, steps=5, out=str(tmp_path / "straight"))
    train_sight(straight)
    broken, whole = (
        [(line["loss"], line["grad_norm"]) for line in read(Path(out))] for out in (config.out, straight.out)
    )
    assert broken == whole


def test_nonsense_is_refused(config: SightConfig) -> None:
    with pytest.raises(InputError, match="tau is 0"):
        replace(config, tau=0.0)
