"""Shared by the contestants of exactree: the estimator, and a version that changes with the code."""

import hashlib
import importlib.util
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import exactree.solve
from exactree import OptimalTreeClassifier, __version__
from exactree_bench.contestants.interface import DEPTH_LIMIT, FitResult, NotAvailable, priced
from exactree_bench.runner.job import FitConfig

STAGES = ("table", "mip", "encode", "problem", "solve", "model", "estimators")  # subpackages whose code a fit runs
# Of the memory limit: a solver counts its own bytes; stacks, the interpreter and the result need the rest.
SHARE_OF_MEMORY = 0.8
_MAX_DEPTH = inspect.signature(OptimalTreeClassifier).parameters["max_depth"]


@cache
def version() -> str:
    """Return the version with a fingerprint of all code that a fit runs, so that changed code is measured again."""
    package = Path(exactree.solve.__file__).parent.parent
    extension = importlib.util.find_spec("exactree.kernel._native")
    assert extension is not None
    assert extension.origin is not None
    code = [file for stage in STAGES for file in sorted((package / stage).rglob("*.py"))]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in [Path(extension.origin), *code]))
    return f"{__version__}+{digest.hexdigest()[:8]}"


def tree(solver: Callable[[], Any]) -> Callable[[FitConfig], OptimalTreeClassifier]:
    """Return a factory of estimators with the given solver."""

    def make(config: FitConfig) -> OptimalTreeClassifier:
        return OptimalTreeClassifier(
            most_questions(config),
            ccp_alpha=config.price or 0.0,
            solver=solver(),
            thresholds=config.thresholds,
            time_limit=config.seconds,
            memory_limit=None if config.memory is None else int(SHARE_OF_MEMORY * config.memory),
            n_jobs=config.threads,
        )

    return make


def most_questions(config: FitConfig) -> Any:
    """Return ``max_depth``: none with a price of leaves, if this version of exactree can search without a limit."""
    unlimited = config.price is not None and "None" in str(_MAX_DEPTH.annotation)
    return None if unlimited else config.depth


def solver_class(name: str) -> Any:
    """Return a solver's class by name; older releases do not have them all."""
    found = getattr(exactree.solve, name, None)
    if found is None:
        raise NotAvailable(f"exactree.solve has no {name} in this version")
    return found


def fit_result(estimator: OptimalTreeClassifier) -> FitResult:
    """Read cost, bound and counters; where leaves have a price, cost and bound are not those of errors."""
    counters = {name: float(value) for name, value in estimator.solution_.counters.items()}
    if estimator.ccp_alpha:
        found = priced(estimator.n_leaves_, estimator.cost_, estimator.lower_bound_)
        if estimator.max_depth is not None:
            found[DEPTH_LIMIT] = float(estimator.max_depth)
        return FitResult(estimator.is_optimal_, counters=counters | found)
    return FitResult(estimator.is_optimal_, estimator.cost_, estimator.lower_bound_, counters)
