"""What a fit allows, as text."""

import warnings

import numpy as np

from exactree import (
    ODD,
    Fairness,
    FalseNegatives,
    NotProvedWarning,
    OptimalDiagramClassifier,
    OptimalTreeClassifier,
)

RANDOM = np.random.default_rng(0)
X, y = RANDOM.random((40, 3)), RANDOM.integers(0, 2, 40)


def scope_of(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)
        return estimator.fit(X, y).scope_


def test_trees_are_named_by_their_limits():
    assert scope_of(OptimalTreeClassifier(1)) == "trees of depth 1 at most; all questions about 3 columns"
    limited = OptimalTreeClassifier(
        2, max_leaf_nodes=3, min_samples_leaf=5, min_weight_fraction_leaf=0.05, thresholds="quantiles(4)"
    )
    assert scope_of(limited) == (
        "trees of depth 2 at most, with 3 leaves at most and 5 rows or more in each leaf and 0.05 of the weight or "
        "more in each leaf; questions about 3 columns with thresholds quantiles(4)"
    )


def test_constraints_are_named_the_first_four_of_them():
    held = OptimalTreeClassifier(1, constraints=[FalseNegatives(at_most=30, positive=1)])
    assert scope_of(held).endswith("; all questions about 3 columns; limits on false negatives of class 1")
    groups = np.arange(40) % 4
    fair = OptimalTreeClassifier(1, constraints=[Fairness("demographic_parity", at_most=0.9, groups=groups)])
    assert scope_of(fair).endswith(" and 8 more")


def test_diagrams_are_named_by_their_widths():
    assert scope_of(OptimalDiagramClassifier((1, 2))) == "diagrams of widths 1, 2; all questions about 3 columns"
    limited = OptimalDiagramClassifier((1, 2), tree=True, max_nodes=2, min_samples_node=5, min_weight_fraction_leaf=0.1)
    assert scope_of(limited) == (
        "diagrams without nodes that have two parents of widths 1, 2, with 2 nodes that ask at most and 5 rows or more "
        "at each node below the root and 0.1 of the weight or more on each side that ends; all questions about "
        "3 columns"
    )
    oblique = OptimalDiagramClassifier((1,), multivariate=True, solver=ODD(margin=0.01), time_limit=5)
    assert "; all questions about 3 columns; oblique splits that keep a margin of 0.01" in scope_of(oblique)
