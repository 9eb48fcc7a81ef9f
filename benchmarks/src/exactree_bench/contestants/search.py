"""exactree's own search, the default solver: complete, and without one of its techniques."""

from dataclasses import replace
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree import OptimalTreeClassifier, Progress
from exactree.solve.search.trees import PARTS
from exactree_bench.contestants import common
from exactree_bench.contestants.interface import Contestant, FitResult
from exactree_bench.runner.job import FitConfig

make_tree = common.tree(lambda: "search")


class Followed:
    """The estimator, and when its search began: ``history_`` counts from there, a fit from before reading the table."""

    def __init__(self, config: FitConfig) -> None:
        self.tree: OptimalTreeClassifier = make_tree(config)
        self.began = 0.0

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        """Fit, and keep the time of the last report without a tree."""
        self.tree.fit(X, y, callback=self._follow)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(X))

    def _follow(self, progress: Progress) -> None:
        if progress.cost == inf:
            self.began = progress.seconds


def fit_result(estimator: Followed) -> FitResult:
    """Read the result, and the history in seconds since the fit began."""
    seconds, costs, bounds = estimator.tree.history_.T.tolist()
    history = zip([estimator.began + at for at in seconds], costs, bounds, strict=True)
    return replace(common.fit_result(estimator.tree), history=tuple(history))


SEARCH = Contestant("exactree", common.version, Followed, fit_result)


def without(part: str) -> Contestant:
    """Return the search without one technique."""
    make = common.tree(lambda: common.solver_class("Search")(without=(part,)))
    return Contestant(f"without {part}", common.version, make, common.fit_result)


WITHOUT = tuple(map(without, PARTS))
