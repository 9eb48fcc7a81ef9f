"""What every contestant has."""

import importlib
import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree_bench.runner.job import Terms

Rows = tuple[NDArray[Any], NDArray[np.int32]]  # columns and labels


class NotAvailable(Exception):
    """The contestant cannot take part here; the message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a contestant says of the tree it found; ``has_tree`` is false if time ended before the first one."""

    proved: bool
    claimed: float | None = None  # errors
    bound: float | None = None  # errors that no tree can go below
    counters: Mapping[str, float] = field(default_factory=dict)
    has_tree: bool = True


@dataclass(frozen=True, slots=True)
class Contestant:
    """A way to fit a tree: ``make`` an estimator, ``fit(X, y)`` it (only this is measured), ask for its ``finding``.

    ``look`` is for what else there is to count about a fitted tree, given the rows to train and to test.
    """

    name: str
    version: Callable[[], str]
    make: Callable[[Terms], Any]
    finding: Callable[[Any], Finding]
    look: Callable[[Any, Rows, Rows | None], Mapping[str, float]] | None = None
    proves_all: bool = True  # whether its proofs are about all trees, not only those of questions it has sampled


def installed(package: str) -> str:
    """Version of an installed package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise NotAvailable(f"{package} is not installed: pip install 'exactree[bench]'") from None


def imported(module: str) -> Any:
    """Import a package that may be missing, or may not work with this Python."""
    try:
        return importlib.import_module(module)
    except Exception as reason:  # whatever a foreign package raises while it is loaded
        raise NotAvailable(f"cannot import {module}: {type(reason).__name__}: {reason}") from reason
