"""ConTree (Brița, van der Linden and Demirović 2025) through its Python package pycontree: as it comes, and without
sorting columns by Gini impurity, which is the default of its command line."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree_bench.contestants.interface import Contestant, Finding, imported, installed
from exactree_bench.runner.job import Terms

LATE = "exceeds time limit"  # what its warning says when the search was cut short


class Estimator:
    """A ConTree that remembers whether it warned of the time limit: nothing else tells."""

    def __init__(self, terms: Terms, *, sort_gini: bool) -> None:
        self.tree = imported("pycontree").ConTree(max_depth=terms.depth, time_limit=terms.seconds, sort_gini=sort_gini)
        self.late = False

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Fit, and take note of the warning."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.tree.fit(X, y)
        self.late = any(LATE in str(warning.message) for warning in caught)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict as pycontree does."""
        return np.asarray(self.tree.predict(X))


def make(*, sort_gini: bool) -> Callable[[Terms], Estimator]:
    """Return what makes an estimator; ConTree uses one thread and has no memory limit."""
    return lambda terms: Estimator(terms, sort_gini=sort_gini)


def finding(estimator: Estimator) -> Finding:
    """Tell whether the search came to its end; pycontree states no bound and no count of errors."""
    return Finding(proved=not estimator.late)


CONTREE = Contestant("ConTree", lambda: installed("pycontree"), make(sort_gini=True), finding)
UNSORTED = Contestant("ConTree unsorted", lambda: installed("pycontree"), make(sort_gini=False), finding)
