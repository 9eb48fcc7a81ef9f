"""Gains written down class by class, against those from the costs of each label for each group."""

import numpy as np
import pytest

from exactree.encode import encode
from exactree.problem import Limits, Objective, Problem, accuracy
from exactree.solve.gains import gains_from, gains_of, group_costs, impurity_weights
from exactree.table import Table

FIELDS = ("ranks", "labels", "gains", "bases", "sizes", "point_sizes")


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_classes = int(rng.integers(3, 40)), int(rng.integers(2, 5))
    X = rng.normal(size=(n_rows, 2)) if seed % 4 else rng.integers(0, 3, (n_rows, 2)).astype(float)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows)])[:n_rows]
    weights = None if seed % 3 else rng.choice([0.5, 0.1, 1.0], n_classes)[y]
    data = encode(Table.of(X), y, sample_weight=weights)
    objective = accuracy(data)
    if seed % 5 == 1:
        matrix = rng.integers(0, 3, (data.n_classes, data.n_classes)).astype(float)
        objective = Objective("costs", matrix)
    limits = Limits(3, min_weight_fraction_leaf=0.1 * (seed % 2), ccp_alpha=0.01 * (seed % 7))
    return Problem(data, objective, limits)


@pytest.mark.each("seed", range(150))
def test_both_ways_give_the_same_gains(seed):
    problem = random_problem(seed)
    one, other = gains_of(problem), gains_from(problem, group_costs(problem))
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert (one.min_weight, one.price, one.offset, one.scale) == (
        other.min_weight,
        other.price,
        other.offset,
        other.scale,
    )


def test_numbers_that_all_rows_have_are_held_once():
    data = encode(Table.of(np.random.default_rng(0).normal(size=(50, 2))), np.arange(50) % 3)
    problem = Problem(data, accuracy(data), Limits(2))
    gains = gains_of(problem)
    assert {array.strides[0] for array in (gains.gains, gains.bases, gains.sizes, impurity_weights(problem))} == {0}
    assert gains.ranks is data.ranks
    assert gains.labels is data.point_labels
