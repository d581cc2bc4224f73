import math

import pytest
import torch

from shopsim.trainers.loss import imitation_loss, policy_loss


def gradient(logprobs, old, advantages, weights=None, low=0.2, high=0.28, **kwargs):
    logprobs = torch.tensor(logprobs, requires_grad=True)
    weights = torch.ones(len(logprobs)) if weights is None else torch.tensor(weights)
    result = policy_loss(logprobs, torch.tensor(old), torch.tensor(advantages), weights, low, high, **kwargs)
    result.loss.backward()
    return logprobs.grad, result


def test_on_policy_gradient_is_the_advantage() -> None:
    grad, result = gradient([-1.0, -2.0], [-1.0, -2.0], [0.5, -1.5], [0.25, 0.75])
    assert grad.tolist() == pytest.approx([-0.125, 1.125])
    assert result.clipped == 0
    assert result.gap_sum == 0
    assert result.old_kl_sum == 0


@pytest.mark.parametrize(
    ("log_ratio", "advantage", "expected"),
    [
        (math.log(1.27), 1.0, -1.27),  # inside: gradient -ρA
        (math.log(1.29), 1.0, 0.0),  # past the upper bound with a good advantage: nothing more to gain
        (math.log(1.29), -1.0, 1.29),  # past it with a bad one: pulled back
        (math.log(0.79), -1.0, 0.0),
        (math.log(0.79), 1.0, -0.79),
        (math.log(0.81), -1.0, 0.81),
    ],
)
def test_clip_bounds(log_ratio: float, advantage: float, expected: float) -> None:
    grad, result = gradient([-1.0 + log_ratio], [-1.0], [advantage])
    assert grad.item() == pytest.approx(expected, abs=1e-5)
    assert result.clipped.item() == (expected == 0)


def test_zero_advantage_gives_exactly_no_gradient() -> None:
    grad, _ = gradient([-1.0, -0.5], [-3.0, -0.1], [0.0, 0.0])
    assert grad.tolist() == [0.0, 0.0]


def test_kl_to_the_reference() -> None:
    reference = torch.tensor([-1.5])
    grad, result = gradient([-1.0], [-1.0], [0.0], reference_logprobs=reference, beta=0.1)
    d = -0.5
    assert result.reference_kl_sum.item() == pytest.approx(math.exp(d) - d - 1)
    assert result.loss.item() == pytest.approx(0.1 * (math.exp(d) - d - 1))
    assert grad.item() == pytest.approx(0.1 * (1 - math.exp(d)))  # towards the reference: descending lowers log π
    grad, result = gradient([-1.5], [-1.5], [0.0], reference_logprobs=reference, beta=0.1)
    assert grad.item() == 0
    assert result.reference_kl_sum == 0


def test_imitation_loss() -> None:
    logprobs = torch.tensor([-1.0, -3.0], requires_grad=True)
    imitation_loss(logprobs, torch.tensor([0.25, 0.75])).backward()
    assert logprobs.grad.tolist() == [-0.25, -0.75]
