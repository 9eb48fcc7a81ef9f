"""Numbers are numbers: however a table is scaled or shifted, its values are told apart as doubles, and the tree is the
same."""

import numpy as np
import pytest

from exactree import OptimalTreeClassifier

RNG = np.random.default_rng(4)
X = RNG.integers(0, 1000, (120, 3)).astype(float)  # whole, so that shifts and scales are exact enough to keep the order
Y = ((X[:, 0] > 400) ^ (X[:, 1] > 600)).astype(int) + (X[:, 2] > 900)
Y[::17] = 0


def fit(table):
    return OptimalTreeClassifier(max_depth=3).fit(table, Y)


@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("shift", [0.0, 1.0, -1e3])
def test_scale_and_shift_do_not_change_the_tree(scale, shift):
    plain, other = fit(X), fit((X + shift) * scale)
    assert plain.is_optimal_
    assert other.is_optimal_
    assert other.cost_ == plain.cost_
    assert np.array_equal(other.predict((X + shift) * scale), plain.predict(X))
    assert np.array_equal(other.apply((X + shift) * scale), plain.apply(X))


def test_neighbouring_doubles_are_told_apart():
    low = np.full(40, 1.0)
    high = np.full(40, np.nextafter(1.0, 2.0))
    table = np.r_[low, high][:, None]
    labels = np.r_[np.zeros(40, int), np.ones(40, int)]
    assert OptimalTreeClassifier(max_depth=1).fit(table, labels).cost_ == 0
