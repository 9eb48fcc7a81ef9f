"""Never worse than CART of the same limits, even with no time at all."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from exactree import NotProvedWarning, OptimalTreeClassifier, datasets


def monks(number):
    data = datasets.load(f"monks-{number}")
    return np.column_stack([np.asarray(column) for column in data.X.columns]).astype(float), data.y


TABLES = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast-cancer": lambda: load_breast_cancer(return_X_y=True),
    "monks-1": lambda: monks(1),
    "monks-2": lambda: monks(2),
    "monks-3": lambda: monks(3),
}
LIMITS = [
    {"max_depth": 1},
    {"max_depth": 2},
    {"max_depth": 3},
    {"max_depth": 4},
    {"max_depth": 6},
    {"max_depth": 4, "max_leaf_nodes": 3},
    {"max_depth": 5, "max_leaf_nodes": 7},
    {"max_depth": 3, "min_samples_leaf": 10},
    {"max_depth": 4, "min_samples_leaf": 0.05},
    {"max_depth": 3, "min_weight_fraction_leaf": 0.1},
    {"max_depth": 3, "class_weight": "balanced"},
]


def errors_of_cart(X, y, limits):
    """Training cost of the best of a few CART trees: it breaks ties at random."""
    trees = [DecisionTreeClassifier(random_state=seed, **limits).fit(X, y) for seed in range(3)]
    weight = np.ones(len(y))
    if limits.get("class_weight") == "balanced":
        classes, at = np.unique(y, return_inverse=True)
        weight = (len(y) / (len(classes) * np.bincount(at)))[at]
    return [float(weight[tree.predict(X) != y].sum()) for tree in trees]


@pytest.mark.each("limits", LIMITS)
@pytest.mark.each("name", TABLES)
def test_no_time_at_all(name, limits):
    X, y = TABLES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)
        tree = OptimalTreeClassifier(time_limit=0, **limits).fit(X, y)
    assert tree.cost_ <= max(errors_of_cart(X, y, limits)) + 1e-9


LONG = ("breast-cancer", 3)  # takes longer than a test should
PROVED = [(name, limits) for name in TABLES for limits in LIMITS[:3] if (name, limits["max_depth"]) != LONG]


@pytest.mark.parametrize(("name", "limits"), PROVED, ids=str)
def test_with_time(name, limits):
    X, y = TABLES[name]()
    tree = OptimalTreeClassifier(**limits).fit(X, y)
    assert tree.is_optimal_
    assert tree.cost_ <= min(errors_of_cart(X, y, limits))
