"""However a table is scaled or shifted, its values are compared as doubles, and the tree is the same."""

import numpy as np
import pytest

from exactree import ODD, OptimalDiagramClassifier, OptimalTreeClassifier

RNG = np.random.default_rng(4)
X = RNG.integers(0, 1000, (120, 3)).astype(float)  # whole, so that shifts and scales are exact enough to keep the order
Y = ((X[:, 0] > 400) ^ (X[:, 1] > 600)).astype(int) + (X[:, 2] > 900)
Y[::17] = 0


def fit(table):
    return OptimalTreeClassifier(max_depth=3).fit(table, Y)


@pytest.mark.each("scale", [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("shift", [0.0, 1.0, -1e3])
def test_scale_and_shift_do_not_change_the_tree(scale, shift):
    plain, other = fit(X), fit((X + shift) * scale)
    assert plain.is_optimal_
    assert other.is_optimal_
    assert other.cost_ == plain.cost_
    assert np.array_equal(other.predict((X + shift) * scale), plain.predict(X))
    assert np.array_equal(other.apply((X + shift) * scale), plain.apply(X))


def test_neighbouring_doubles_are_distinguished():
    low = np.full(40, 1.0)
    high = np.full(40, np.nextafter(1.0, 2.0))
    table = np.r_[low, high][:, None]
    labels = np.r_[np.zeros(40, int), np.ones(40, int)]
    assert OptimalTreeClassifier(max_depth=1).fit(table, labels).cost_ == 0


@pytest.mark.parametrize("unit", [1e-10, 1e10])
def test_proofs_of_diagrams_do_not_depend_on_the_unit_of_weights(unit):
    rng = np.random.default_rng(0)
    table, labels, weights = rng.integers(0, 3, (12, 2)), rng.integers(0, 2, 12), rng.random(12)
    odd = ODD(backend="highs", start_seconds=0.0)
    plain, other = (
        OptimalDiagramClassifier((1, 2), ccp_alpha=0.01, solver=odd).fit(table, labels, sample_weight=weights * scale)
        for scale in (1.0, unit)
    )
    assert plain.status_ == other.status_ == "optimal"
    assert other.cost_ / unit == pytest.approx(plain.cost_, rel=1e-6)
