"""What all contestants from exactree share: the estimator, and a version that changes with the compiled kernel."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import exactree.solve
from exactree import OptimalTreeClassifier, __version__
from exactree.kernel import _native
from exactree_bench.contestants.interface import Finding, NotAvailable
from exactree_bench.runner.job import Terms

STAGES = ("table", "mip", "encode", "problem", "solve", "model", "estimators")  # folders that a fit runs through
# A solver counts its own bytes; stacks, the interpreter and the result need some too.
SHARE_OF_MEMORY = 0.8


@cache
def version() -> str:
    """Version with a fingerprint of all code that a fit runs through, so that a changed one is measured anew."""
    package = Path(exactree.solve.__file__).parent.parent
    files = [Path(_native.__file__), *(file for stage in STAGES for file in sorted((package / stage).glob("*.py")))]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files))
    return f"{__version__}+{digest.hexdigest()[:8]}"


def tree(solver: Callable[[], Any]) -> Callable[[Terms], OptimalTreeClassifier]:
    """Return what makes an estimator with a solver of one's own."""

    def make(terms: Terms) -> OptimalTreeClassifier:
        return OptimalTreeClassifier(
            terms.depth,
            solver=solver(),
            thresholds=terms.thresholds,
            time_limit=terms.seconds,
            memory_limit=None if terms.memory is None else int(SHARE_OF_MEMORY * terms.memory),
            n_jobs=terms.threads,
        )

    return make


def solver_class(name: str) -> Any:
    """Return a solver's class by name; not every release has them all."""
    found = getattr(exactree.solve, name, None)
    if found is None:
        raise NotAvailable(f"exactree.solve has no {name} in this version")
    return found


def finding(estimator: OptimalTreeClassifier) -> Finding:
    """Read cost, bound and counters."""
    counters = {name: float(value) for name, value in estimator.solution_.counters.items()}
    return Finding(estimator.is_optimal_, estimator.cost_, estimator.lower_bound_, counters)
