"""Random tiny problems with constraints on the answers, for tests against enumeration."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from exactree.arrays import Ints
from exactree.encode import Encoded, encode
from exactree.problem import (
    Fairness,
    FalseNegatives,
    LeafAccuracy,
    Limits,
    Objective,
    Problem,
    accuracy,
    balanced_accuracy,
    cost_sensitive,
)
from exactree.problem.constraints import MEASURES
from exactree.table import Table

VALUES = (6, 4, 3)  # in a column, for each depth: all answers of deep trees are many


def constrained_problem(seed: int) -> Problem:
    """Return a problem with one constraint or several: fairness with overlapping groups and strata, with a price.

    Examples
    --------
    >>> [limit.text for limit in constrained_problem(1).constraints]
    ["false negatives of class '2'"]
    """
    rng = np.random.default_rng(seed)
    depth, n_rows = 1 + seed % 3, int(rng.integers(6, 26))
    X = rng.integers(0, VALUES[depth - 1], size=(n_rows, int(rng.integers(1, 4)))).astype(float)
    y = rng.integers(0, 3 if _happens(rng, 0.25) else 2, size=n_rows)
    if depth == 3 and y.max() == 2:
        X = X[:, :2]  # a minute of enumeration otherwise
    weights = (None, rng.integers(1, 4, size=n_rows), rng.random(n_rows) + 0.1)[seed // 3 % 3]
    data = encode(Table.of(X), y.astype(str), sample_weight=weights)
    limits = Limits(
        depth,
        max_leaf_nodes=int(rng.integers(2, 6)) if _happens(rng, 0.3) else None,
        min_samples_leaf=int(rng.integers(1, 4)) if _happens(rng, 0.3) else 1,
        ccp_alpha=0.03 * _happens(rng, 0.3),
    )
    constraints = tuple(limit for rule in _rules(rng, data) for limit in rule.limits(data))
    return Problem(data, random_objective(rng, data), limits, constraints)


def _happens(rng: np.random.Generator, share: float) -> bool:
    return bool(rng.random() < share)


def _rules(rng: np.random.Generator, data: Encoded) -> Iterator[Fairness | FalseNegatives | LeafAccuracy]:
    first, last = data.classes.tolist()[0], data.classes.tolist()[-1]
    kind = rng.random()
    if kind < 0.7:
        yield random_fairness(rng, data.n_rows, last)
    if kind >= 0.5:
        yield FalseNegatives(float(rng.integers(0, 5)), positive=last if kind < 0.85 else first)
    if _happens(rng, 0.15):
        yield FalseNegatives(float(rng.integers(0, 3)), positive=first)
    if _happens(rng, 0.2):
        price = float(rng.choice([0.03, 0.1])) if _happens(rng, 0.5) else None
        small = 3.0 if _happens(rng, 0.3) else None
        yield LeafAccuracy(float(rng.choice([0.5, 0.6, 0.7])), small=small, price=price)


def random_fairness(rng: np.random.Generator, n_rows: int, positive: Any) -> Fairness:
    """Any measure, as a difference or a ratio, for groups that may overlap, with strata and a price at times.

    Examples
    --------
    >>> random_fairness(np.random.default_rng(0), 5, 1).measure
    'equalized_odds'
    """
    measure = MEASURES[rng.integers(len(MEASURES))]
    options: dict[str, Any] = {"groups": _groups(rng, n_rows), "positive": positive}
    if _happens(rng, 0.3):
        options["within"] = rng.integers(0, 2, size=n_rows)
    if _happens(rng, 0.3):
        options["price"] = float(rng.choice([0.0, 0.1, 0.25, 1.0, 3.0]))
    if _happens(rng, 0.3):
        return Fairness(measure, ratio=float(rng.choice([0.5, 0.8, 0.9, 1.0])), **options)
    return Fairness(measure, float(rng.choice([0.0, 0.05, 0.1, 0.2, 0.3, 0.5])), **options)


def _groups(rng: np.random.Generator, n_rows: int) -> Ints | dict[str, Any]:
    if _happens(rng, 0.25):
        return {name: rng.random(n_rows) < 0.6 for name in ("a", "b", "c")[: int(rng.integers(2, 4))]}
    return rng.integers(0, int(rng.integers(2, 4)), size=n_rows)


def random_objective(rng: np.random.Generator, data: Encoded) -> Objective:
    """Accuracy, balanced accuracy or costs.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> random_objective(np.random.default_rng(1), encode(Table.of([[0], [1]]), ["a", "b"])).name
    'accuracy'
    """
    kind = rng.random()
    if kind < 0.2:
        return balanced_accuracy(data)
    if kind < 0.4:
        costs = rng.integers(0, 5, size=(data.n_classes, data.n_classes)) + 0.5 * _happens(rng, 0.3)
        return cost_sensitive(data, costs)
    return accuracy(data)
