"""ConTree (Brița, van der Linden and Demirović 2025) through its Python package pycontree: with its
defaults, and without sorting columns by Gini impurity, the default of its command line."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version
from exactree_bench.runner.job import FitConfig

LATE = "exceeds time limit"  # part of its warning when the search was stopped


class Estimator:
    """A ConTree that records whether it warned of the time limit: there is no other way to know."""

    def __init__(self, config: FitConfig, *, sort_gini: bool) -> None:
        self.tree = import_package("pycontree").ConTree(
            max_depth=config.depth, time_limit=config.seconds, sort_gini=sort_gini
        )
        self.stopped = False

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Fit, and record the warning."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.tree.fit(X, y)
        self.stopped = any(LATE in str(warning.message) for warning in caught)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict as pycontree does."""
        return np.asarray(self.tree.predict(X))


def make(*, sort_gini: bool) -> Callable[[FitConfig], Estimator]:
    """Return a factory of estimators; ConTree uses one thread and has no memory limit."""
    return lambda config: Estimator(config, sort_gini=sort_gini)


def fit_result(estimator: Estimator) -> FitResult:
    """Read whether the search finished; pycontree reports neither a bound nor the number of errors."""
    return FitResult(proved=not estimator.stopped)


CONTREE = Contestant("ConTree", lambda: installed_version("pycontree"), make(sort_gini=True), fit_result)
UNSORTED = Contestant("ConTree unsorted", lambda: installed_version("pycontree"), make(sort_gini=False), fit_result)
