"""Tiny problems with limits on every leaf by itself, hard and with prices, one at a time and several together."""

from typing import Any

import numpy as np

from exactree.arrays import Floats
from exactree.encode import Encoded, encode
from exactree.problem import LeafAccuracy, Limits, Objective, Problem, accuracy, balanced_accuracy, cost_sensitive
from exactree.table import Table

SHARES = (0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1.0)
SMALL: tuple[dict[str, Any], ...] = (
    {"small": 3},
    {"small": 4, "errors": 1},
    {"small": 5, "errors": 2},
    {"small": 100, "errors": 2},
    {"small": 4.5, "errors": 0.5},
)
PRICES = (0.0, 0.05, 0.1, 1.0)


def leaf_limit_problem(seed: int) -> Problem:
    """Return a random problem: two to four classes, any weights, costs and limits on the shape; many are infeasible.

    Examples
    --------
    >>> problem = leaf_limit_problem(0)
    >>> len(problem.on_leaves) + len(problem.priced_on_leaves) > 0
    True
    """
    rng = np.random.default_rng(seed)
    n_rows, n_columns, n_classes = (int(rng.integers(*ends)) for ends in ((4, 26), (1, 4), (2, 5)))
    X = rng.integers(0, rng.integers(2, 7), size=(n_rows, n_columns)).astype(float)
    if rng.random() < 0.2:
        X[rng.random(X.shape) < 0.15] = np.nan
        X[0] = 1.0  # no column without a value
    y = rng.integers(0, n_classes, size=n_rows)
    class_weight = _any((None, None, "balanced", {int(y[0]): 2.0}), rng)
    data = encode(Table.of(X), y, sample_weight=_weights(rng, n_rows), class_weight=class_weight)
    limits = Limits(
        int(rng.integers(0, 4 if n_rows < 14 and n_columns < 3 else 3)),
        max_leaf_nodes=_any((None, None, 2, 3, 5), rng),
        min_samples_leaf=_any((1, 1, 2, 3), rng),
        min_weight_fraction_leaf=_any((0.0, 0.0, 0.1, 0.2), rng),
        ccp_alpha=_any((0.0, 0.0, 0.05), rng),
    )
    wanted = [_limit(rng) for _ in range(int(rng.integers(1, 4)))]
    return Problem(data, _objective(rng, data), limits, tuple(each for one in wanted for each in one.limits(data)))


def _any(choices: Any, rng: np.random.Generator) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _weights(rng: np.random.Generator, n_rows: int) -> Floats | None:
    whole = rng.integers(1, 4, size=n_rows)
    return _any((None, whole.astype(np.float64), whole / 10, rng.random(n_rows) + 0.1), rng)  # type: ignore[no-any-return]


def _objective(rng: np.random.Generator, data: Encoded) -> Objective:
    costs = rng.integers(0, 6, size=(data.n_classes, data.n_classes))
    return _any((accuracy(data), accuracy(data), balanced_accuracy(data), cost_sensitive(data, costs)), rng)  # type: ignore[no-any-return]


def _limit(rng: np.random.Generator) -> LeafAccuracy:
    small = _any((*SMALL, *({},) * 3), rng)
    price = None if rng.random() < 0.4 else _any(PRICES, rng)
    return LeafAccuracy(_any(SHARES, rng), **small, price=price)
