"""Problems of diagrams small enough to try everything, with the awkward corners among them by name."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from exactree.encode import encode
from exactree.problem import (
    DiagramLimits,
    DiagramProblem,
    Fairness,
    FalseNegatives,
    LinearLimit,
    accuracy,
    balanced_accuracy,
    cost_sensitive,
)
from exactree.table import Table

Named = tuple[str, DiagramProblem]
BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]
# Skeletons, and the most rows, columns and classes that trying everything can take with them.
SHAPES = [
    ((1,), 8, 3, 4),
    ((1, 1), 8, 3, 4),
    ((1, 2), 8, 3, 4),
    ((1, 1, 1), 7, 3, 3),
    ((1, 1, 2), 6, 3, 3),
    ((1, 2, 1), 6, 3, 3),
    ((1, 2, 2), 6, 3, 3),
    ((1, 2, 3), 5, 2, 2),
    ((1, 2, 4), 5, 2, 2),
    ((1, 1, 2, 1), 5, 2, 3),
    ((1, 2, 1, 2), 5, 2, 2),
]
LEAST_SHARES = (0.1, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5)  # of the weight, on every side that ends
CONSTRAINED_SHAPES = [(1,), (1, 2), (1, 1, 1), (1, 2, 2), (1, 2, 1)]
CONSTRAINED = (1, 4, 8, 11, 15, 18, 22, 25)  # seeds with constraints
NARROW = (  # widths, and seeds where bounds must know that a node may pass all rows on
    ((1, 1, 2, 2), (65, 160, 214, 291)),
    ((1, 1, 2), (19, 61, 266, 395)),
    ((1, 2, 1, 2), (4, 5)),
)
GAPPY = (18, 29, 135, 137, 150, 192)  # seeds where a node passes rows on that lack values of every column
WEIGHED = (6, 9, 15, 16, 32, 68, 82, 83, 93, 101)  # seeds where the least weight raises the cost


@cache
def tiny_diagram_problems() -> tuple[Named, ...]:
    """List (name, problem): corners first, then random tables with all mixtures of limits, weights and costs.

    The same objects at every call, so that each has to be solved by trying everything only once.
    """
    mixtures = ((f"mixture-{seed}", mixed_diagram_problem(seed)) for seed in range(22))
    constrained = ((f"constrained-{seed}", constrained_diagram_problem(seed)) for seed in CONSTRAINED)
    weighed = ((f"least-weight-{seed}", weighed_diagram_problem(seed)) for seed in WEIGHED)
    return (*_corners(), *_shapes(), *_narrow(), *_objectives(), *_kinds(), *mixtures, *constrained, *weighed)


def large_diagram_problem() -> DiagramProblem:
    """Too large for any exact solver to finish in no time."""
    rng = np.random.default_rng(0)
    return _problem(rng.random((300, 6)), rng.integers(0, 2, 300), (1, 2, 4, 4))


def mixed_diagram_problem(seed: int) -> DiagramProblem:
    """Any limits, weights and costs, on a table so small that all diagrams can be tried."""
    rng = np.random.default_rng(seed)
    widths, n_rows, n_columns, n_classes = SHAPES[seed % len(SHAPES)]
    n_rows, n_classes = int(rng.integers(3, n_rows + 1)), int(rng.integers(2, n_classes + 1))
    X = rng.integers(0, int(rng.integers(2, 4)), (n_rows, int(rng.integers(1, n_columns + 1)))).astype(float)
    X[0], X[1] = 0, 1  # else there may be nothing to ask
    weights = [None, rng.integers(1, 4, n_rows).astype(float), 0.1 + rng.random(n_rows)][int(rng.integers(3))]
    data = encode(Table.of(X), [0, 1, *rng.integers(0, n_classes, n_rows - 2)], sample_weight=weights)
    costs = (
        1 + rng.integers(0, 4, (data.n_classes, data.n_classes)) * (1 - np.eye(data.n_classes)) - np.eye(data.n_classes)
    )
    objective = [accuracy(data), balanced_accuracy(data), cost_sensitive(data, costs)][int(rng.integers(3))]
    limits = DiagramLimits(
        widths,
        ccp_alpha=float(rng.choice([0.0, 0.01, 0.1, 0.5, 1.0])),
        max_nodes=None if rng.random() < 0.6 else int(rng.integers(1, 6)),
        min_samples_node=1 if rng.random() < 0.6 else int(rng.integers(1, 4)),
        tree=bool(rng.random() < 0.3),
    )
    return DiagramProblem(data, objective, limits)


def weighed_diagram_problem(seed: int) -> DiagramProblem:
    """The same, and sides that end must have a share of the weight."""
    problem = mixed_diagram_problem(seed)
    share = float(np.random.default_rng(seed + 10**6).choice(LEAST_SHARES))
    return replace(problem, limits=replace(problem.limits, min_weight_fraction_leaf=share))


def constrained_diagram_problem(seed: int) -> DiagramProblem:
    """Whole weights, limits and costs in all mixtures; of every seven seeds, two have constraints on the answers."""
    rng = np.random.default_rng(seed)
    n_classes, n_rows = 2 + seed % 2, int(rng.integers(5, 9))
    widths = CONSTRAINED_SHAPES[seed % len(CONSTRAINED_SHAPES)]
    X = rng.integers(0, 3, (n_rows, 2)).astype(float)
    weights = rng.integers(1, 4, n_rows) if seed % 3 == 1 else None
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)]
    data = encode(Table.of(X), y, sample_weight=weights)
    objective = [accuracy(data), balanced_accuracy(data), cost_sensitive(data, rng.integers(0, 5, (n_classes,) * 2))]
    limits = DiagramLimits(
        widths,
        ccp_alpha=float(rng.choice([0.0, 0.1, 0.5])),
        max_nodes=int(rng.integers(1, 4)) if seed % 4 == 2 else None,
        min_samples_node=int(rng.integers(2, 4)) if seed % 5 == 3 else 1,
        tree=seed % 6 == 4,
    )
    rules: list[Fairness | FalseNegatives] = []
    if seed % 7 == 1:
        rules = [Fairness("demographic_parity", 0.3, groups=np.arange(n_rows) % 2, positive=0)]
    if seed % 7 == 4:
        rules = [FalseNegatives(1, positive=1)]
    found = [limit for rule in rules for limit in rule.limits(data)]
    constraints = tuple(limit for limit in found if isinstance(limit, LinearLimit))
    return DiagramProblem(data, objective[seed // 2 % 3], limits, constraints)


def _problem(X: Any, y: Any, widths: tuple[int, ...], weights: Any = None, **limits: Any) -> DiagramProblem:
    data = encode(Table.of(X), y, sample_weight=weights)
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, **limits))


def _corners() -> Iterator[Named]:
    yield "one-row", _problem([[1.0]], ["a"], (1, 2))
    yield "one-class", _problem([[1.0], [2.0]], ["a", "a"], (1, 2))
    yield "no-columns-to-ask", _problem([[1.0], [1.0], [1.0]], ["a", "b", "b"], (1, 2))
    yield "opposite-twins", _problem([[1.0]] * 4 + [[2.0]] * 3, [0, 1, 0, 1, 0, 1, 1], (1, 2))
    yield "all-tied", _problem([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1], (1, 1))
    yield "twins-with-weights", _problem([[0.0], [0.0], [1.0]], [0, 1, 1], (1, 1), [0.25, 0.5, 0.125])
    yield "a-row-without-weight", _problem(XOR, [0, 1, 1, 0], (1, 1), [1, 1, 1, 0])
    yield "three-classes", _problem([[0.0], [1.0], [2.0]], ["a", "b", "c"], (1, 1), ccp_alpha=0.0)


def _shapes() -> Iterator[Named]:
    """Limits of every kind, where they decide."""
    parity = [sum(row) % 2 for row in BITS]
    yield "parity", _problem(BITS, parity, (1, 2, 2))
    yield "parity-tree", _problem(BITS, parity, (1, 2, 2), tree=True)
    yield "parity-four-nodes", _problem(BITS, parity, (1, 2, 2), max_nodes=4)
    yield "parity-five-nodes", _problem(BITS, parity, (1, 2, 2), max_nodes=5)
    yield "parity-node-of-four", _problem(BITS, parity, (1, 2, 2), min_samples_node=4)
    yield "parity-node-of-five", _problem(BITS, parity, (1, 2, 2), min_samples_node=5)
    majority = [int(sum(row) > 1) for row in BITS]
    yield "majority-in-a-row", _problem(BITS, majority, (1, 1, 1), ccp_alpha=0.01)
    yield "majority-one-node", _problem(BITS, majority, (1, 2, 1), max_nodes=1)
    # Two nodes beside the root, which is free, are worth their price up to 0.5, where both ways cost the same.
    for alpha in (0.0, 0.49, 0.5, 0.51, 100.0):
        yield f"exclusive-or-alpha-{alpha:g}", _problem(XOR, [0, 1, 1, 0], (1, 2), ccp_alpha=alpha)
    # Rows of one class that go on all the same, or another node would have too few.
    for seed in (45, 70):
        yield f"company-{seed}", company_problem(seed)
    # Sides that meet only to be heavy enough to end: a tree costs more, and without the limit it would not.
    for seed in (4, 19, 33, 74):
        yield f"light-sides-{seed}", light_sides_problem(seed)


def company_problem(seed: int) -> DiagramProblem:
    """A table where the best diagram may send rows on that could end."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(6, 9))
    X, y = rng.integers(0, 3, (n_rows, 2)).astype(float), rng.integers(0, 2, n_rows)
    widths, least = ((1, 2, 2) if seed % 2 else (1, 2, 1)), int(rng.integers(2, 5))
    return _problem(X, y, widths, ccp_alpha=0.0, min_samples_node=least)


def light_sides_problem(seed: int) -> DiagramProblem:
    """A table where sides may have to meet because each of them is too light to end."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(6, 9))
    X, y = rng.integers(0, 3, (n_rows, 2)).astype(float), rng.integers(0, 2 + seed % 2, n_rows)
    weights = [None, rng.integers(1, 4, n_rows).astype(float), 0.1 + rng.random(n_rows)][seed % 3]
    widths = ((1, 2, 2), (1, 2, 1), (1, 1, 2))[seed % 3 if seed % 2 else 1]
    share = float(rng.choice(LEAST_SHARES[1:6]))
    return _problem(X, y, widths, weights, ccp_alpha=0.0, min_weight_fraction_leaf=share)


def _narrow() -> Iterator[Named]:
    """Layers that widen below a narrow one: the best diagram may have nodes that pass all rows on."""
    for widths, seeds in NARROW:
        for seed in seeds:
            yield f"narrow-{'-'.join(map(str, widths))}-{seed}", narrow_problem(widths, seed)
    for seed in GAPPY:
        yield f"narrow-missing-{seed}", gappy_problem(seed)
    gaps = [[0.0], [0.0], [np.nan], [np.nan], [np.nan], [0.0]]
    yield "narrow-missing", _problem(gaps, [1, 0, 1, 1, 0, 0], (1, 1, 2, 2), ccp_alpha=0.0)


def narrow_problem(widths: tuple[int, ...], seed: int) -> DiagramProblem:
    """Columns of two values, for layers of which the first are narrow."""
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(8, 13)), int(rng.integers(4, 6)))
    X, y = rng.integers(0, 2, shape), rng.integers(0, 2, shape[0])
    return _problem(X, y, widths, ccp_alpha=0.05 if seed % 2 else 0.0)


def gappy_problem(seed: int) -> DiagramProblem:
    """Values missing from every column: numbers, or every second time categories and truth values."""
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(6, 9)), int(rng.integers(1, 4)))
    X = rng.integers(0, 2, shape).astype(float)
    X[rng.random(shape) < 0.3] = np.nan
    X[:3] = [[0.0], [1.0], [np.nan]]
    levels = np.array(["red", "blue"], dtype=object) if seed % 4 == 1 else np.array([False, True], dtype=object)
    worded = np.where(np.isnan(X), None, levels[np.nan_to_num(X).astype(int)])
    widths = ((1, 1, 2), (1, 2, 1), (1, 1, 2, 2))[seed % 3]
    return _problem(worded if seed % 2 else X, rng.integers(0, 2, shape[0]), widths, ccp_alpha=0.0)


def _objectives() -> Iterator[Named]:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 3, (8, 2)).astype(float), [0, 1, 2, 0, 1, 2, 0, 1]
    for name, weights in (("whole", [1, 2, 3, 1, 2, 3, 1, 2]), ("fractional", rng.random(8) + 0.1)):
        plain = _problem(X, y, (1, 2), weights)
        yield f"{name}-weights", plain
        yield f"{name}-weights-balanced", replace(plain, objective=balanced_accuracy(plain.data))
        # Right answers cost as well, and the dearest is not always the same.
        costs = np.array([[1, 2, 0], [4, 0, 3], [2.5, 1, 0.5]])
        yield f"{name}-weights-costs", replace(plain, objective=cost_sensitive(plain.data, costs))


def _kinds() -> Iterator[Named]:
    colour, size = ["red", "green", "blue", None, "red", "green"], [1.0, None, 2.0, 1.0, 2.0, None]
    X = np.column_stack([np.array(colour, dtype=object), np.array(size, dtype=object)])
    yield "categories-and-missing", _problem(X, list("nynyyn"), (1, 2))
    yield "missing-numbers", _problem([[np.nan], [0.0], [1.0], [np.nan], [2.0]], [1, 0, 1, 1, 0], (1, 1), ccp_alpha=0.0)
    yield "truth-values", _problem([[True, False], [False, False], [True, True], [False, True]], [0, 1, 1, 1], (1, 1))
