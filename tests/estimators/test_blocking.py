"""Rows that block a better worst leaf: against all coverage_bound, tried one by one."""

from itertools import combinations

import numpy as np
import pytest

from exactree import OptimalTreeClassifier, blocking_rows
from exactree.errors import InputError
from exactree.explain import leaf_report
from exactree.solve.search import coverage_bound


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(6, 25)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.integers(0, int(rng.integers(2, 6)), size=(n, p)).astype(float)
    y = rng.integers(0, k, size=n)
    depth = seed % 4 if p < 3 else seed % 3
    weight = None if seed % 2 else rng.integers(0, 4, size=n) + (np.arange(n) < k)
    tree = OptimalTreeClassifier(
        max_depth=depth,
        min_samples_leaf=int(rng.integers(1, 5)),
        max_leaf_nodes=None if seed % 5 else 2,
        objective="leaf_accuracy" if seed % 3 else "leaf_confidence",
    ).fit(X, y, sample_weight=weight)
    return tree, X, y, weight


def reach_by_trying_everything(tree, X, y, weight):
    """Worth of the best box around each row: every set of so many conditions."""
    weight = np.ones(len(y)) if weight is None else weight
    counted = weight > 0
    conditions = [
        side for column in X.T for cut in np.unique(column[counted])[:-1] for side in (column <= cut, column > cut)
    ]
    depth = tree.max_depth if tree.max_leaf_nodes is None else min(tree.max_depth, tree.max_leaf_nodes - 1)
    z = 0.0 if tree.objective == "leaf_accuracy" else 1.6448536269514722
    best = np.full(len(y), _worth(y, weight, counted, z))
    for n in range(1, depth + 1):
        for chosen in combinations(conditions, n):
            box = np.logical_and.reduce(chosen)
            if np.count_nonzero(box & counted) >= tree.min_samples_leaf:
                best[box] = np.maximum(best[box], _worth(y, weight, box & counted, z))
    return np.where(counted, best, np.nan)


def _worth(y, weight, rows, z):
    by_class = np.bincount(y[rows], weights=weight[rows])
    n = by_class.sum()
    share = by_class.max() / n
    return (share + z**2 / (2 * n) - z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))) / (1 + z**2 / n)


@pytest.mark.each("seed", range(80))
def test_reach_is_that_of_all_boxes(seed):
    tree, X, y, weight = random_case(seed)
    found = blocking_rows(tree, X, y, weight)
    reach = reach_by_trying_everything(tree, X, y, weight)
    assert found.reach == pytest.approx(reach, abs=1e-9, nan_ok=True)
    assert found.worst == pytest.approx(1 - tree.cost_)
    assert found.rows.tolist() == np.flatnonzero(reach <= 1 - tree.cost_ + 1e-9).tolist()
    assert found.bound >= 1 - tree.cost_ - 1e-9  # no worst leaf is better than any bound

    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, size=(30, 2)).astype(float), rng.integers(0, 2, 30)
    tree = OptimalTreeClassifier(max_depth=4, min_samples_leaf=3, objective="leaf_accuracy").fit(X, y)
    assert blocking_rows(tree, X, y).reach == pytest.approx(reach_by_trying_everything(tree, X, y, None))


def test_a_row_among_others_blocks():
    """The lone b sits between rows of a: every box of two rows that holds it is half wrong."""
    X, y = np.arange(7.0)[:, None], np.array(["a", "a", "a", "b", "a", "a", "a"])
    tree = OptimalTreeClassifier(max_depth=2, min_samples_leaf=2, objective="leaf_accuracy").fit(X, y)
    found = blocking_rows(tree, X, y)
    assert found.rows.tolist() == [3]
    assert found.bound == found.worst
    report = leaf_report(tree, X, y, blocking=found)
    assert str(report).endswith(str(found))
    assert report.to_dict()["blocking"]["rows"] == [3]


def test_no_row_blocks_by_itself():
    """Each corner of a diagonal board is pure, and yet one question does not part them."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 2 + [[0.0, 0.5]])
    y = np.array([0, 1, 1, 0] * 2 + [0])
    tree = OptimalTreeClassifier(max_depth=2, max_leaf_nodes=3, min_samples_leaf=1, objective="leaf_accuracy").fit(X, y)
    found = blocking_rows(tree, X, y)
    assert found.worst < found.bound == 1.0
    assert len(found.rows) == 0
    assert "no row by itself" in str(found)


def test_too_many_boxes_are_not_tried(monkeypatch):
    X, y = np.arange(7.0)[:, None], np.array([0, 0, 0, 1, 0, 0, 0])
    tree = OptimalTreeClassifier(max_depth=2, objective="leaf_accuracy").fit(X, y)
    monkeypatch.setattr(coverage_bound, "MOST_CELLS", 10)
    found = blocking_rows(tree, X, y)
    assert found.reach is None
    assert found.bound is None
    assert "not computed" in str(found)
    assert found.to_dict()["rows"] is None


def test_it_does_not_change_the_tree():
    X, y = np.arange(7.0)[:, None], np.array([0, 0, 0, 1, 0, 0, 0])
    tree = OptimalTreeClassifier(max_depth=2, objective="leaf_accuracy").fit(X, y)
    before = dict(vars(tree))
    blocking_rows(tree, X, y)
    assert vars(tree) == before


def test_what_cannot_be_said():
    X, y = np.arange(7.0)[:, None], np.array([0, 0, 0, 1, 0, 0, 0])
    tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(InputError, match=r"objective='accuracy'.*leaf_accuracy, leaf_confidence"):
        blocking_rows(tree, X, y)
    tree = OptimalTreeClassifier(max_depth=2, objective="leaf_accuracy").fit(X, y)
    with pytest.raises(InputError, match=r"labels \['a', 'b'\], the tree was fitted to \[0, 1\]"):
        blocking_rows(tree, X, np.where(y == 1, "b", "a"))
