"""Worst-leaf objective: the search, XCT as a MIP, and CART with the same minimum number of rows in a leaf."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant, FitResult, Rows, import_package, installed_version
from exactree_bench.runner.job import FitConfig

MIN_ROWS, MAX_SHARE = 50, 0.1  # minimum rows in a leaf, and at most this share of all rows: the estimators' default
FOLDS = 5  # a class with fewer rows gets no model, as in HybridTreeClassifier


class Cart:
    """CART with the same minimum number of rows in a leaf as the other contestants."""

    def __init__(self, config: FitConfig) -> None:
        self.tree = import_package("sklearn.tree").DecisionTreeClassifier(max_depth=config.depth, random_state=0)

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree."""
        self.tree.set_params(min_samples_leaf=max(1, min(MIN_ROWS, int(MAX_SHARE * len(y))))).fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(X))

    def apply(self, X: Any) -> NDArray[Any]:
        """Return the leaf of each row."""
        return np.asarray(self.tree.apply(X))

    def get_n_leaves(self) -> int:
        """Count the leaves."""
        return int(self.tree.get_n_leaves())


def tree(solver: Callable[[], Any]) -> Callable[[FitConfig], OptimalTreeClassifier]:
    """Return a factory of estimators with the worst-leaf objective."""

    def make(config: FitConfig) -> OptimalTreeClassifier:
        return common.tree(solver)(config).set_params(objective="leaf_accuracy")

    return make


def fit_result(estimator: OptimalTreeClassifier) -> FitResult:
    """Read the bound on the worst leaf; no errors are claimed."""
    counters = {name: float(value) for name, value in estimator.solution_.counters.items()}
    return FitResult(estimator.is_optimal_, counters=counters | {"worst_bound": 1.0 - estimator.lower_bound_})


def extra_counters(estimator: Any, train: Rows, test: Rows | None) -> Mapping[str, float]:
    """Count leaves, compute the accuracy of the worst one, and fit models in the leaves."""
    counters = {"leaves": float(estimator.get_n_leaves()), "worst": worst_leaf(estimator, train)}
    if test is not None:
        counters["test_worst"] = worst_leaf(estimator, test)
        hybrid = hybrid_of(estimator, train)
        counters["hybrid_test_errors"] = float(np.count_nonzero(hybrid(test[0]) != test[1]))
    return counters


def worst_leaf(estimator: Any, rows: Rows) -> float:
    """Return the lowest accuracy of a leaf that has rows."""
    X, y = rows
    _, leaf = np.unique(estimator.apply(X), return_inverse=True)
    return float((np.bincount(leaf, weights=estimator.predict(X) == y) / np.bincount(leaf)).min())


def hybrid_of(estimator: Any, train: Rows) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return a prediction function with a model in each leaf that needs one: gradient boosting, seeded."""
    if isinstance(estimator, OptimalTreeClassifier):
        predict: Callable[[NDArray[Any]], NDArray[Any]] = (
            HybridTreeClassifier(estimator, random_state=0).fit(*train).predict
        )
        return predict
    models = {leaf: model_of(*rows) for leaf, rows in rows_by_leaf(estimator.apply(train[0]), train)}

    def predictions(X: NDArray[Any]) -> NDArray[Any]:
        labels = np.array(estimator.predict(X))
        leaves = estimator.apply(X)
        for leaf, model in models.items():
            if model is not None and (leaves == leaf).any():
                labels[leaves == leaf] = model.predict(X[leaves == leaf])
        return labels

    return predictions


def rows_by_leaf(leaves: NDArray[Any], rows: Rows) -> list[tuple[int, Rows]]:
    """Return the rows of each leaf."""
    X, y = rows
    return [(leaf, (X[leaves == leaf], y[leaves == leaf])) for leaf in np.unique(leaves).tolist()]


def model_of(X: NDArray[Any], y: NDArray[np.int32]) -> Any:
    """Fit a model to a leaf under the rules of HybridTreeClassifier, or return ``None``."""
    counts = np.unique(y, return_counts=True)[1]
    if len(y) < MIN_ROWS or len(counts) < 2 or counts.min() < FOLDS:
        return None
    return import_package("sklearn.ensemble").HistGradientBoostingClassifier(random_state=0).fit(X, y)


CONTESTANTS = (
    Contestant("worst leaf", common.version, tree(lambda: "search"), fit_result, extra_counters),
    Contestant(
        "XCT", common.version, tree(lambda: common.solver_class("XCT")(backend="highs")), fit_result, extra_counters
    ),
    Contestant(
        "CART of 50",
        lambda: installed_version("scikit-learn"),
        Cart,
        lambda estimator: FitResult(proved=False),
        extra_counters,
    ),
)
