"""The search for diagrams against trying everything, and how it ends."""

import numpy as np
import pytest

from exactree import DiagramSearch
from exactree.encode import encode
from exactree.problem import DiagramLimits, DiagramProblem, accuracy, balanced_accuracy, cost_sensitive
from exactree.solve import Budget, Status
from exactree.solve.diagrams import solve_diagram
from exactree.table import Table

BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PARITY = [sum(row) % 2 for row in BITS]
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


def random_diagram_problem(seed):
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


@pytest.mark.parametrize("part", range(11))
def test_equals_trying_everything(part):
    for seed in range(part, 440, 11):
        problem = random_diagram_problem(seed)
        best = solve_diagram(problem, "exhaustive")
        solver = DiagramSearch(beam=seed % 2 * 4, reach=seed % 3)
        found = solver.solve(problem, Budget())
        assert found.status is Status.OPTIMAL
        assert found.cost == pytest.approx(best.cost, abs=1e-9), (seed, problem.limits)
