"""LicketySPLIT (Babbar, McTavish, Rudin and Seltzer 2025) of the package licketysplit: a greedy tree by look-ahead.

It asks 0/1 columns only. Numbers get the questions of the package's own ThresholdGuessBinarizer, with the settings of
its manual, as a part of the fit. ``depth_budget`` counts questions on a path; there is no time limit.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version, priced
from exactree_bench.runner.job import FitConfig

GUESSES = {"learning_rate": 0.1, "n_estimators": 100, "max_depth": 3, "random_state": 0, "column_elimination": False}


class Estimator:
    """A tree, after a binarizer where the columns are not 0/1."""

    def __init__(self, config: FitConfig) -> None:
        package = import_package("licketysplit")
        self.tree = package.LicketySPLITClassifier(lambda_leaf=config.price or 0.0, depth_budget=config.depth)
        self.binarizer = package.ThresholdGuessBinarizer(**GUESSES)
        self.binary = True

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Guess thresholds if there are numbers, and fit."""
        self.binary = is_binary(X)
        if not self.binary:
            self.binarizer.fit(X, y)
        self.tree.fit(self._questions(X), y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(self._questions(X)))

    def _questions(self, X: NDArray[Any]) -> NDArray[Any]:
        return X if self.binary else np.asarray(self.binarizer.transform(X))


def is_binary(X: NDArray[Any]) -> bool:
    """Whether all values are 0 or 1."""
    return bool(((X == 0) | (X == 1)).all())


def fit_result(estimator: Estimator) -> FitResult:
    """Read the leaves: it proves nothing."""
    return FitResult(proved=False, counters=priced(len(estimator.tree.get_tree_paths()[0])))


LICKETYSPLIT = Contestant("LicketySPLIT", lambda: installed_version("licketysplit"), Estimator, fit_result)
