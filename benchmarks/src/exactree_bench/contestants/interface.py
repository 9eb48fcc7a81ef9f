"""The interface of contestants."""

import importlib
import importlib.metadata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree_bench.runner.job import FitConfig

LEAVES, OBJECTIVE, OBJECTIVE_BOUND = "leaves", "objective", "objective_bound"  # counters where leaves have a price
DEPTH_LIMIT = "depth_limit"  # counter: a proof covers trees up to this depth
Rows = tuple[NDArray[Any], NDArray[np.int32]]  # columns and labels


class NotAvailable(Exception):
    """The contestant cannot be run here; the message is the reason."""


@dataclass(frozen=True, slots=True)
class FitResult:
    """What a contestant reports about its tree; ``has_tree`` is false if time ran out before the first one."""

    proved: bool
    claimed: float | None = None  # errors
    bound: float | None = None  # lower bound on the errors of any tree
    counters: Mapping[str, float] = field(default_factory=dict)
    has_tree: bool = True
    history: Iterable[tuple[float, float, float]] = ()  # (seconds, errors, bound) at every change


@dataclass(frozen=True, slots=True)
class Contestant:
    """A method: ``make`` an estimator, call its ``fit(X, y)`` (only this is measured), then read its ``fit_result``.

    ``extra_counters`` computes further figures of a fitted tree from the training and the test rows.
    """

    name: str
    version: Callable[[], str]
    make: Callable[[FitConfig], Any]
    fit_result: Callable[[Any], FitResult]
    extra_counters: Callable[[Any, Rows, Rows | None], Mapping[str, float]] | None = None
    proves_all: bool = True  # its proofs cover all trees, not only those over a sample of questions


def installed_version(package: str, extra: str = "peers") -> str:
    """Return the version of an installed package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise NotAvailable(f"{package} is not installed: pip install 'exactree-bench[{extra}]'") from None


def import_package(module: str) -> Any:
    """Import a package that may be missing, or may not work with this Python."""
    try:
        return importlib.import_module(module)
    except Exception as reason:  # a package may raise any error while it is imported
        raise NotAvailable(f"cannot import {module}: {type(reason).__name__}: {reason}") from reason


def priced(leaves: int, objective: float | None = None, bound: float | None = None) -> dict[str, float]:
    """Return counters of a fit with a price of leaves; objectives are in rows: errors + price * rows * leaves.

    Examples
    --------
    >>> priced(3, 21.5)
    {'leaves': 3.0, 'objective': 21.5}
    """
    found = {LEAVES: float(leaves), OBJECTIVE: objective, OBJECTIVE_BOUND: bound}
    return {name: value for name, value in found.items() if value is not None}
