"""Problems with a worst-leaf objective, small enough to solve by trying everything."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from exactree.encode import encode
from exactree.problem import Limits, Problem, leaf_accuracy, leaf_confidence
from exactree.table import Table

Named = tuple[str, Problem]
SIX = ([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0])


@cache
def tiny_worst_leaf_problems() -> tuple[Named, ...]:
    """List (name, problem): a known tree, then random tables for both objectives; the same objects at every call."""
    return tuple(_problems())


def _problems() -> Iterator[Named]:
    for depth, least in ((1, 1), (2, 1), (2, 2), (2, 3)):
        yield f"six-points-depth-{depth}-leaves-of-{least}", _problem(*SIX, Limits(depth, min_samples_leaf=least))
    for seed in range(56):
        yield f"worst-leaf-{seed}", _random(seed)
    for seed in range(12):
        yield f"worst-leaf-confidence-{seed}", _random(100 + seed, confidence=True)


def _problem(X: Any, y: Any, limits: Limits, *, confidence: bool = False, **options: Any) -> Problem:
    data = encode(Table.of(X), y, **options)
    return Problem(data, leaf_confidence(data) if confidence else leaf_accuracy(data), limits)


def _random(seed: int, *, confidence: bool = False) -> Problem:
    """Ties, equal rows, two and three classes, weights, leaves of a least size; few points, as a MIP must prove it."""
    rng = np.random.default_rng(seed)
    depth = 1 + seed % 2
    n_rows, n_columns = int(rng.integers(4, 10)), int(rng.integers(1, 3))
    X = rng.integers(0, 3, size=(n_rows, n_columns)).astype(float)
    y = rng.integers(0, 2 + seed % 5 // 3, size=n_rows)
    if depth == 2:
        copied = rng.integers(0, min(5, n_rows), size=n_rows)  # at most five points
        X, y = X[copied], y[copied]
    weights = (None, rng.integers(1, 4, size=n_rows), rng.random(n_rows) + 0.1)[seed % 3]
    limits = Limits(depth, min_samples_leaf=int(rng.integers(1, 4)))
    return _problem(X, y, limits, confidence=confidence, sample_weight=weights)
