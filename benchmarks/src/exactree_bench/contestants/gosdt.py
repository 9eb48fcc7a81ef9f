"""GOSDT (Lin et al. 2020; McTavish et al. 2022) of the package gosdt, without guesses: 0/1 columns, a price of leaves.

Its ``predict`` needs an older scikit-learn, so the trees that it reports as JSON are read here.
"""

import json
import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version, priced
from exactree_bench.runner.job import FitConfig

Tree = dict[str, Any]  # {"prediction": class}, or {"feature": column, "true": tree, "false": tree}


class Estimator:
    """A GOSDT; its time limit is an integer."""

    def __init__(self, config: FitConfig) -> None:
        self.gosdt = import_package("gosdt").GOSDTClassifier(
            regularization=config.price or 0.0, allow_small_reg=True, time_limit=max(1, math.ceil(config.seconds))
        )
        self.n_rows = 0
        self.tree: Tree | None = None

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Fit, and read the first of the models."""
        self.n_rows = len(y)
        self.gosdt.fit(X.astype(bool), y)
        models = json.loads(self.gosdt.result_.model or "[]")
        self.tree = models[0] if models else None
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes by the reported tree."""
        assert self.tree is not None
        answers = np.empty(len(X), dtype=np.int64)
        _answer(self.tree, X.astype(bool), np.arange(len(X)), answers)
        return np.asarray(self.gosdt.classes_)[answers]


def _answer(tree: Tree, X: NDArray[np.bool_], rows: NDArray[np.int64], answers: NDArray[np.int64]) -> None:
    if "prediction" in tree:
        answers[rows] = tree["prediction"]
        return
    yes = X[rows, tree["feature"]]
    _answer(tree["true"], X, rows[yes], answers)
    _answer(tree["false"], X, rows[~yes], answers)


def leaves(tree: Tree) -> int:
    """Count the leaves.

    Examples
    --------
    >>> leaves({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    2
    """
    return 1 if "prediction" in tree else leaves(tree["true"]) + leaves(tree["false"])


def fit_result(estimator: Estimator) -> FitResult:
    """Read proof, leaves, bound, and the objective of a proof: else it is not that of the reported tree."""
    if estimator.tree is None:
        return FitResult(proved=False, has_tree=False)
    result, rows = estimator.gosdt.result_, estimator.n_rows
    proved = "CONVERGED" in str(result.status)
    objective = rows * float(result.upperbound) if proved else None
    return FitResult(proved, counters=priced(leaves(estimator.tree), objective, rows * float(result.lowerbound)))


GOSDT = Contestant("GOSDT", lambda: installed_version("gosdt"), Estimator, fit_result)
