"""pydl8.5, the DL8.5 authors' package with its later improvements, default settings."""

import math
from typing import Any

from exactree_bench.contestants.interface import Contestant, Finding, imported, installed
from exactree_bench.runner.job import Terms


def make(terms: Terms) -> Any:
    """Return an estimator; its time limit is in whole seconds, it uses one thread and has no memory limit."""
    return imported("pydl85").DL85Classifier(max_depth=terms.depth, time_limit=max(1, math.ceil(terms.seconds)))


def finding(estimator: Any) -> Finding:
    """Read the errors and whether time ran out; the size of its cache is the only counter."""
    if estimator.tree_ is None:
        return Finding(proved=False, has_tree=False)
    return Finding(
        proved=not estimator.timeout_,
        claimed=float(estimator.error_),
        counters={"cache_entries": float(estimator.lattice_size_)},
    )


PYDL85 = Contestant("pydl8.5", lambda: installed("pydl8.5"), make, finding)
