import pytest
import torch
from torch import nn

from shopsim.trainers.optimizer import apply_step, learning_rate, make_optimizer


def rates(total: int, warmup: int, schedule: str) -> list[float]:
    return [learning_rate(step, total, 1.0, warmup, schedule) for step in range(total)]


def test_schedules() -> None:
    assert rates(6, 2, "constant") == [0.5, 1, 1, 1, 1, 1]
    assert rates(6, 2, "linear") == pytest.approx([0.5, 1, 1, 0.7, 0.4, 0.1])
    assert rates(5, 0, "cosine") == pytest.approx([1, 1 - 0.9 * 0.1464466, 0.55, 1 - 0.9 * 0.8535534, 0.1])


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine"])
@pytest.mark.parametrize(("total", "warmup"), [(1, 0), (1, 1), (2, 1), (3, 5)])
def test_short_runs_have_a_rate(schedule: str, total: int, warmup: int) -> None:
    assert all(0 < rate <= 1 for rate in rates(total, warmup, schedule))


def test_decay_spares_vectors() -> None:
    model = nn.Linear(3, 2)
    optimizer = make_optimizer(model, weight_decay=0.5)
    with torch.no_grad():
        model.weight.fill_(1)
        model.bias.fill_(1)
    model.weight.grad, model.bias.grad = torch.zeros(2, 3), torch.zeros(2)
    apply_step(model, optimizer, 0.1, 0)
    assert torch.allclose(model.weight, torch.tensor(0.95))
    assert (model.bias == 1).all()


def test_clipping_reports_the_norm_before_it() -> None:
    model = nn.Linear(1, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    start = model.weight.item()
    model.weight.grad = torch.tensor([[4.0]])
    assert apply_step(model, optimizer, 0.5, max_norm=1.0) == 4.0
    assert model.weight.item() == pytest.approx(start - 0.5, abs=1e-5)
    assert model.weight.grad is None
    model.weight.grad = torch.tensor([[4.0]])
    apply_step(model, optimizer, 0.5, max_norm=0)
    assert model.weight.item() == pytest.approx(start - 2.5, abs=1e-5)
