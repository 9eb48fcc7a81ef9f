"""FastSmallTree of the package imodels: the best tree of any depth for a price of leaves, proved.

Its ``regularization`` is exactree's ``ccp_alpha``: both minimise the share of errors + price * leaves. It makes one
0/1 column per distinct value of a column of numbers, so it asks the same questions as exactree. Its search is compiled
when it is first used on a machine, which takes 20 seconds and more; the warm-up does it.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version, priced
from exactree_bench.runner.job import FitConfig


class Estimator:
    """A FastSmallTree that knows its number of rows."""

    def __init__(self, config: FitConfig) -> None:
        tree = import_package("imodels").FastSmallTreeClassifier
        self.tree = tree(regularization=config.price or 0.0, time_limit=config.seconds)
        self.n_rows = 0

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Fit."""
        self.n_rows = len(y)
        self.tree.fit(X, y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(X))


def fit_result(estimator: Estimator) -> FitResult:
    """Read proof, leaves, objective and bound."""
    tree, rows = estimator.tree, estimator.n_rows
    return FitResult(
        bool(tree.optimal_),
        counters=priced(int(tree.n_leaves_), rows * float(tree.objective_), rows * float(tree.lowerbound_)),
    )


FAST_SMALL_TREE = Contestant("FastSmallTree", lambda: installed_version("imodels"), Estimator, fit_result)
