"""Sentences about what was proved: errors are counted only where the cost is their number."""

import warnings

import numpy as np
import pytest

from exactree import NotProvedWarning, OptimalTreeClassifier
from exactree.solve.verdict import not_proved


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(0)
    return rng.random((300, 6)), rng.integers(0, 2, 300)


def warned(noise, weights=None, **parameters):
    tree = OptimalTreeClassifier(**{"max_depth": 6, "time_limit": 0.0, **parameters})
    with pytest.warns(NotProvedWarning) as caught:
        tree.fit(*noise, sample_weight=weights)
    return tree, str(caught[0].message)


def test_errors_are_counted_where_the_cost_is_their_number(noise):
    tree, message = warned(noise)
    assert (tree.solution_.kind, tree.solution_.unit) == ("tree of depth 6", "errors")
    assert f"this tree makes {tree.cost_:g} errors, and nothing better is ruled out (gap 100.0%)" in message


@pytest.mark.parametrize(
    "parameters",
    [{"ccp_alpha": 0.001}, {"class_weight": {0: 1.0, 1: 2.0}}, {"objective": "balanced_accuracy"}],
    ids=["price", "class weights", "objective"],
)
def test_other_costs_are_not_called_errors(noise, parameters):
    tree, message = warned(noise, **parameters)
    assert tree.solution_.unit == ""
    assert "error" not in message


def test_weights_are_not_errors(noise):
    tree, message = warned(noise, weights=np.full(300, 2.0))
    assert tree.solution_.unit == ""
    assert f"this tree costs {tree.cost_:g}" in message


def test_trees_without_a_limit_are_of_any_depth(noise):
    tree, _ = warned(noise, max_depth=None, ccp_alpha=0.001)
    assert tree.solution_.kind == "tree of any depth"


def test_other_limits_than_depth_are_not_forgotten(noise):
    tree, _ = warned(noise, max_leaf_nodes=5)
    assert tree.solution_.kind == "allowed tree"
    tree, _ = warned(noise, min_samples_leaf=2)
    assert tree.solution_.kind == "allowed tree"


def test_a_bound_is_said_with_the_shape_of_the_trees():
    said = not_proved("accuracy", 101.0, 71.0, " among those with thresholds quantiles(9)", "tree of depth 6", "errors")
    known = "no tree of depth 6 among those with thresholds quantiles(9) makes fewer than 71 errors; this one makes 101"
    assert said == known


def test_one_error_is_no_plural():
    assert not_proved("accuracy", 2.0, 1.0, kind="tree of depth 3", unit="errors") == (
        "no tree of depth 3 makes fewer than 1 error; this one makes 2"
    )


def test_a_proof_does_not_warn(noise):
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotProvedWarning)
        OptimalTreeClassifier(max_depth=1).fit(*noise)
