"""Trees under a constraint of fairness: exactree's search and MIPs, STreeD and FairOCT (odtlearn on CBC).

The first column of X is the group of each row. No tree may ask for it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from exactree import Fairness
from exactree_bench.contestants import column_generation, common, streed
from exactree_bench.contestants.interface import Contestant, FitResult, Rows, import_package, installed_version
from exactree_bench.datasets.notions import NOTIONS, Notion
from exactree_bench.runner.job import FitConfig

STREED_TASKS = {"demographic parity": "group-fairness", "equal opportunity": "equality-of-opportunity"}
ODTLEARN_CLASSES = {
    "demographic parity": "FairSPOCT",
    "equal opportunity": "FairEOppOCT",
    "predictive equality": "FairPEOCT",
    "equalized odds": "FairEOddsOCT",
}
PROVED_GAP = 1e-9  # of a MIP solver, relative


def notion_of(config: FitConfig) -> Notion:
    """Return the notion of fairness."""
    assert config.notion is not None
    return NOTIONS[config.notion]


class FairTree:
    """A tree of exactree."""

    def __init__(self, config: FitConfig, solver: str) -> None:
        self.notion = notion_of(config)
        self.tree = common.tree(lambda: solver)(config)

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Fit under the constraint."""
        notion = self.notion
        fair = Fairness(notion.measure, notion.at_most, ratio=notion.ratio, groups=X[:, 0])
        self.tree.set_params(constraints=[fair]).fit(X[:, 1:], y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(X[:, 1:]))


class FairStreed:
    """STreeD, which reads the groups from the first column and does not split on it."""

    def __init__(self, config: FitConfig) -> None:
        self.notion = notion_of(config)
        self.tree = import_package("pystreed").STreeDGroupFairnessClassifier(
            STREED_TASKS[self.notion.name],
            sensitive_feature=0,
            discrimination_limit=self.notion.limit,
            max_depth=config.depth,
            time_limit=config.seconds,
        )

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Fit under the constraint."""
        self.tree.fit(X, y)
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(X))


class FairOct:
    """FairOCT of odtlearn, on the free MIP solver CBC. It has no ratios."""

    def __init__(self, config: FitConfig) -> None:
        self.notion = notion_of(config)
        self.n_rows = 0
        self.tree = getattr(import_package("odtlearn.fair_oct"), ODTLEARN_CLASSES[self.notion.name])(
            "CBC",
            1,  # the positive class
            depth=config.depth,
            time_limit=int(config.seconds),
            fairness_bound=self.notion.limit,
            num_threads=config.threads,
        )

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Self:
        """Fit under the constraint."""
        self.n_rows = len(y)
        self.tree.fit(X[:, 1:], y, X[:, :1], np.zeros((len(y), 1), dtype=np.int32))
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Predict classes."""
        return np.asarray(self.tree.predict(X[:, 1:]))


def odtlearn_result(estimator: FairOct) -> FitResult:
    """Read the bound; odtlearn maximizes the number of correct rows."""
    tree = estimator.tree
    if not tree.num_solutions:
        return FitResult(proved=False, has_tree=False)
    return FitResult(tree.optim_gap <= PROVED_GAP, bound=max(0.0, estimator.n_rows - tree.objective_bound))


def extra_counters(estimator: Any, train: Rows, test: Rows | None) -> Mapping[str, float]:
    """Recount the violation on training and held-out rows."""
    notion: Notion = estimator.notion
    counters = {"excess": notion.excess(*_answers(estimator, train)), "questions": float(train[0].shape[1] - 1)}
    for name, rows in (("train_violation", train), ("test_violation", test)):
        if rows is not None:
            counters[name] = notion.violation(*_answers(estimator, rows))
    return counters


def _answers(estimator: Any, rows: Rows) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[Any]]:
    X, y = rows
    return X[:, 0], y, np.asarray(estimator.predict(X))


def _exactree(name: str, solver: str, fit_result: Callable[[Any], FitResult], *, proves_all: bool = True) -> Contestant:
    return Contestant(
        name,
        common.version,
        lambda config: FairTree(config, solver),
        lambda estimator: fit_result(estimator.tree),
        extra_counters,
        proves_all,
    )


SEARCH, BINOCT, OCT, CGH, STREED, FAIR_OCT = CONTESTANTS = (
    _exactree("fair search", "search", common.fit_result),
    _exactree("fair BinOCT", "binoct", common.fit_result),
    _exactree("fair OCT", "oct", common.fit_result),
    _exactree("fair CGH", "column-generation", column_generation.fit_result, proves_all=False),
    Contestant(
        "fair STreeD",
        lambda: installed_version("pystreed"),
        FairStreed,
        lambda estimator: streed.fit_result(estimator.tree),
        extra_counters,
    ),
    Contestant("FairOCT", lambda: installed_version("odtlearn", "odtlearn"), FairOct, odtlearn_result, extra_counters),
)
