"""pydl8.5, the DL8.5 authors' package with its later improvements, default settings."""

import math
from typing import Any

from exactree_bench.contestants.interface import Contestant, FitResult, import_package, installed_version
from exactree_bench.runner.job import FitConfig


def make(config: FitConfig) -> Any:
    """Return an estimator; its time limit is an integer, it uses one thread and has no memory limit."""
    return import_package("pydl85").DL85Classifier(max_depth=config.depth, time_limit=max(1, math.ceil(config.seconds)))


def fit_result(estimator: Any) -> FitResult:
    """Read errors, time-out and size of the cache."""
    if estimator.tree_ is None:
        return FitResult(proved=False, has_tree=False)
    return FitResult(
        proved=not estimator.timeout_,
        claimed=float(estimator.error_),
        counters={"cache_entries": float(estimator.lattice_size_)},
    )


PYDL85 = Contestant("pydl8.5", lambda: installed_version("pydl8.5"), make, fit_result)
