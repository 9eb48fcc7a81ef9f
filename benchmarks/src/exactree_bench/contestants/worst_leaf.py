"""Trees whose worst leaf counts: the search, XCT as a program, and CART with the same least rows in a leaf."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant, Finding, Rows, installed
from exactree_bench.runner.job import Terms

LEAST, SHARE = 50, 0.1  # rows in a leaf, and at most this share of all: the estimators' own default
FOLDS = 5  # a class with fewer rows gets no model, as in HybridTreeClassifier


class Cart(DecisionTreeClassifier):  # type: ignore[misc]
    """CART that asks for as many rows in a leaf as the others."""

    def fit(self, X: Any, y: Any) -> "Cart":
        """Grow the tree."""
        self.min_samples_leaf = max(1, min(LEAST, int(SHARE * len(y))))
        super().fit(X, y)
        return self


def tree(solver: Callable[[], Any]) -> Callable[[Terms], OptimalTreeClassifier]:
    """Return what makes an estimator for the worst leaf."""

    def make(terms: Terms) -> OptimalTreeClassifier:
        return common.tree(solver)(terms).set_params(objective="leaf_accuracy")

    return make


def finding(estimator: OptimalTreeClassifier) -> Finding:
    """Read the bound on the worst leaf; errors are claimed by nobody."""
    counters = {name: float(value) for name, value in estimator.solution_.counters.items()}
    return Finding(estimator.is_optimal_, counters=counters | {"worst_bound": 1.0 - estimator.lower_bound_})


def look(estimator: Any, train: Rows, test: Rows | None) -> Mapping[str, float]:
    """Count the leaves, and what the worst is worth; then put models into the leaves."""
    counters = {"leaves": float(estimator.get_n_leaves()), "worst": worst_leaf(estimator, train)}
    if test is not None:
        counters["test_worst"] = worst_leaf(estimator, test)
        hybrid = hybrid_of(estimator, train)
        counters["hybrid_test_errors"] = float(np.count_nonzero(hybrid(test[0]) != test[1]))
    return counters


def worst_leaf(estimator: Any, rows: Rows) -> float:
    """Share of right answers in the worst leaf that has rows."""
    X, y = rows
    _, leaf = np.unique(estimator.apply(X), return_inverse=True)
    return float((np.bincount(leaf, weights=estimator.predict(X) == y) / np.bincount(leaf)).min())


def hybrid_of(estimator: Any, train: Rows) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return what predicts by a model in each leaf that needs one: gradient boosting, seeded."""
    if isinstance(estimator, OptimalTreeClassifier):
        predict: Callable[[NDArray[Any]], NDArray[Any]] = (
            HybridTreeClassifier(estimator, random_state=0).fit(*train).predict
        )
        return predict
    models = {leaf: model_of(*part) for leaf, part in parts(estimator.apply(train[0]), train)}

    def answers(X: NDArray[Any]) -> NDArray[Any]:
        said = np.array(estimator.predict(X))
        leaves = estimator.apply(X)
        for leaf, model in models.items():
            if model is not None and (leaves == leaf).any():
                said[leaves == leaf] = model.predict(X[leaves == leaf])
        return said

    return answers


def parts(leaves: NDArray[Any], rows: Rows) -> list[tuple[int, Rows]]:
    """Return the rows of each leaf."""
    X, y = rows
    return [(leaf, (X[leaves == leaf], y[leaves == leaf])) for leaf in np.unique(leaves).tolist()]


def model_of(X: NDArray[Any], y: NDArray[np.int32]) -> Any:
    """Fit a leaf's model under the rules of HybridTreeClassifier, or return ``None``."""
    counts = np.unique(y, return_counts=True)[1]
    if len(y) < LEAST or len(counts) < 2 or counts.min() < FOLDS:
        return None
    return HistGradientBoostingClassifier(random_state=0).fit(X, y)


ENTRANTS = (
    Contestant("worst leaf", common.version, tree(lambda: "search"), finding, look),
    Contestant("XCT", common.version, tree(lambda: common.solver_class("XCT")(backend="highs")), finding, look),
    Contestant(
        "CART of 50",
        lambda: installed("scikit-learn"),
        lambda terms: Cart(max_depth=terms.depth, random_state=0),
        lambda estimator: Finding(proved=False),
        look,
    ),
)
