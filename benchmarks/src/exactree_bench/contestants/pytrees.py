"""Limited discrepancy search of the package pytrees-rs: DL8.5 on 0/1 columns (Kiossou, Schaus, Nijssen and Houndji
2022), ConTree on numbers (Kiossou, Schaus and Nijssen 2026). Both report every pass that finds a better tree."""

import time
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version
from exactree_bench.runner.job import FitConfig

OPTIMAL = "optimal"  # the status of a proof


class Anytime:
    """An estimator of pytrees, and the errors after each pass of its search."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree
        self.history: list[tuple[float, float, float]] = []
        self.found = False

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Search, and keep the errors and the seconds of each improvement."""
        package, began = import_package("pytrees"), time.perf_counter()

        def follow(errors: float, _seconds: float, _status: str) -> None:
            self.history.append((time.perf_counter() - began, float(errors), 0.0))

        try:
            self.tree.fit_anytime(X, y, callback=follow)
            self.found = self.tree.tree_ is not None
        except (package.SearchFailedError, package.TreeNotFoundError):  # no time for a first tree
            self.found = False
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(X))


def make_dl85(config: FitConfig) -> Anytime:
    """Return DL8.5 by limited discrepancy, with the order of the manual's example."""
    package, rules = import_package("pytrees"), import_package("pytrees.rules")
    options = {"heuristic": "information_gain", "discrepancy": rules.DiscrepancyRule()}
    return Anytime(package.DL85Classifier(max_depth=config.depth, max_time=config.seconds, **options))


def make_contree(config: FitConfig) -> Anytime:
    """Return ConTree by limited discrepancy, in Gini order: on magic at depth 5 it has 2842 errors so, else 3743."""
    options = {"use_lds": True, "sort_by_heuristic": True}
    package = import_package("pytrees")
    return Anytime(package.ConTreeClassifier(max_depth=config.depth, max_time=config.seconds, **options))


def fit_result(estimator: Anytime) -> FitResult:
    """Read errors, proof and history."""
    if not estimator.found:
        return FitResult(proved=False, has_tree=False)
    errors = float(estimator.tree.train_error_)
    return FitResult(estimator.tree.status_ == OPTIMAL, errors, history=tuple(estimator.history))


CONTESTANTS = DL85, CONTREE = tuple(
    Contestant(name, lambda: installed_version("pytrees-rs"), make, fit_result)
    for name, make in (("DL8.5 LDS", make_dl85), ("ConTree LDS", make_contree))
)
