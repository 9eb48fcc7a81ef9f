"""STreeD (van der Linden, de Weerdt and Demirović 2023) through its Python package pystreed, default settings."""

from typing import Any

from exactree_bench.contestants.interface import Contestant, Finding, imported, installed
from exactree_bench.runner.job import Terms


def make(terms: Terms) -> Any:
    """Return an estimator for accuracy; STreeD uses one thread and has no memory limit."""
    return imported("pystreed").STreeDClassifier("accuracy", max_depth=terms.depth, time_limit=terms.seconds)


def finding(estimator: Any) -> Finding:
    """Read whether optimality was proved; pystreed states no bound and no count of errors."""
    if not estimator.is_fitted():
        return Finding(proved=False, has_tree=False)
    return Finding(proved=bool(estimator.fit_result.is_optimal()))


STREED = Contestant("STreeD", lambda: installed("pystreed"), make, finding)
