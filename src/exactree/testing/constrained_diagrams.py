"""Random tiny problems of diagrams with constraints on the answers, for tests against enumeration."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from exactree.encode import encode
from exactree.problem import DiagramLimits, DiagramProblem, Fairness, FalseNegatives, LeafLimit
from exactree.table import Table
from exactree.testing.constrained_problems import random_fairness, random_objective

SHAPES = ((1,), (1, 2), (1, 1, 1), (1, 2, 2), (1, 2, 1), (1, 1, 2), (1, 2, 3), (1, 1, 1, 1))
MOST_ROWS = (12, 9, 8, 6, 7, 7, 5, 7)  # that trying everything can take


def fair_diagram_problem(seed: int) -> DiagramProblem:
    """Return a problem with one constraint or several: fairness with overlapping groups and strata, with a price.

    Examples
    --------
    >>> len(fair_diagram_problem(3).constraints)
    4
    """
    rng = np.random.default_rng(seed)
    widths, most = SHAPES[seed % len(SHAPES)], MOST_ROWS[seed % len(SHAPES)]
    n_rows = int(rng.integers(4, most + 1))
    X = rng.integers(0, 3, (n_rows, int(rng.integers(1, 3)))).astype(float)
    y = rng.integers(0, 3 if rng.random() < 0.2 else 2, n_rows)
    weights = (None, rng.integers(1, 4, n_rows), rng.random(n_rows) + 0.1)[seed // 3 % 3]
    data = encode(Table.of(X), y.astype(str), sample_weight=weights)
    limits = DiagramLimits(
        widths,
        ccp_alpha=float(rng.choice([0.0, 0.02, 0.1, 0.5])),
        max_nodes=int(rng.integers(1, 5)) if rng.random() < 0.2 else None,
        min_samples_node=int(rng.integers(2, 4)) if rng.random() < 0.25 else 1,
        min_weight_fraction_leaf=float(rng.choice([0.1, 0.2, 0.3])) if rng.random() < 0.25 else 0.0,
        tree=bool(rng.random() < 0.2),
    )
    found = [limit for rule in _rules(rng, n_rows, data.classes.tolist()) for limit in rule.limits(data)]
    constraints = tuple(limit for limit in found if not isinstance(limit, LeafLimit))
    return DiagramProblem(data, random_objective(rng, data), limits, constraints)


def _rules(rng: np.random.Generator, n_rows: int, classes: list[Any]) -> Iterator[Fairness | FalseNegatives]:
    kind = rng.random()
    if kind < 0.75:
        yield random_fairness(rng, n_rows, classes[-1])
    if kind > 0.6 or kind < 0.1:
        yield FalseNegatives(float(rng.integers(0, 3)), positive=classes[-1])
    if rng.random() < 0.2:
        yield FalseNegatives(float(rng.integers(0, 2)), positive=classes[0])
    if rng.random() < 0.15:
        yield random_fairness(rng, n_rows, classes[0])
