"""STreeD (van der Linden, de Weerdt and Demirović 2023) through its Python package pystreed, default settings.

With a price of leaves its task is ``cost-complex-accuracy``; its ``cost_complexity`` is the price of a question, which
is that of a leaf but for the first one.
"""

from typing import Any

from exactree_bench.contestants.interface import (
    DEPTH_LIMIT,
    Contestant,
    FitResult,
    import_package,
    installed_version,
    priced,
)
from exactree_bench.runner.job import FitConfig

PRICED = "cost-complex-accuracy"


def make(config: FitConfig) -> Any:
    """Return an estimator for accuracy, with a price if there is one; it uses one thread and has no memory limit."""
    streed = import_package("pystreed").STreeDClassifier
    if config.price is None:
        return streed("accuracy", max_depth=config.depth, time_limit=config.seconds)
    return streed(PRICED, max_depth=config.depth, time_limit=config.seconds, cost_complexity=config.price)


def fit_result(estimator: Any) -> FitResult:
    """Read whether optimality was proved; pystreed reports neither a bound nor the number of errors."""
    if not estimator.is_fitted():
        return FitResult(proved=False, has_tree=False)
    proved = bool(estimator.fit_result.is_optimal())
    if getattr(estimator, "optimization_task", "") != PRICED:
        return FitResult(proved)
    found = priced(int(estimator.get_n_leaves()))
    return FitResult(proved, counters=found | {DEPTH_LIMIT: float(estimator.max_depth)})


STREED = Contestant("STreeD", lambda: installed_version("pystreed"), make, fit_result)
