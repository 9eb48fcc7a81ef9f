"""STreeD (van der Linden, de Weerdt and Demirović 2023) through its Python package pystreed, default settings."""

from typing import Any

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version
from exactree_bench.runner.job import FitConfig


def make(config: FitConfig) -> Any:
    """Return an estimator for accuracy; STreeD uses one thread and has no memory limit."""
    return import_package("pystreed").STreeDClassifier("accuracy", max_depth=config.depth, time_limit=config.seconds)


def fit_result(estimator: Any) -> FitResult:
    """Read whether optimality was proved; pystreed reports neither a bound nor the number of errors."""
    if not estimator.is_fitted():
        return FitResult(proved=False, has_tree=False)
    return FitResult(proved=bool(estimator.fit_result.is_optimal()))


STREED = Contestant("STreeD", lambda: installed_version("pystreed"), make, fit_result)
