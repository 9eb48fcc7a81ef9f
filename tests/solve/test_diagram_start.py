"""Diagrams that are built: always allowed, never below the optimum, and often there."""

import numpy as np
import pytest

from exactree.encode import encode
from exactree.problem import DiagramLimits, DiagramProblem, Objective, accuracy
from exactree.solve import Budget
from exactree.solve.diagram_start import constructed, lowest_cost
from exactree.solve.exhaustive_diagram import ExhaustiveDiagram
from exactree.solve.ranked_diagram import diagram_to_graph, reached_in_diagram
from exactree.table import Table

WIDTHS = ((1,), (1, 2), (1, 1, 2), (1, 2, 2), (1, 2, 1), (1, 1, 1))


def random_problem(rng, n_rows, *, widths=None):
    """A problem with any mixture of weights, costs and limits."""
    n_classes = int(rng.integers(2, 4))
    table = Table.of(rng.integers(0, rng.integers(2, 5), (n_rows, rng.integers(1, 4))).astype(float))
    weights = (None, rng.integers(1, 4, n_rows).astype(float), rng.random(n_rows) + 0.1)[rng.integers(3)]
    data = encode(table, rng.integers(0, n_classes, n_rows), sample_weight=weights)
    any_costs = Objective("costs", rng.random((data.n_classes, data.n_classes)) * (1 - np.eye(data.n_classes)))
    limits = DiagramLimits(
        widths or WIDTHS[rng.integers(len(WIDTHS))],
        ccp_alpha=float(rng.choice([0.0, 0.05, 0.1, 0.5])),
        max_nodes=None if rng.random() < 0.5 else int(rng.integers(1, 6)),
        min_samples_node=1 if rng.random() < 0.5 else int(rng.integers(2, 5)),
        tree=bool(rng.random() < 0.3),
    )
    return DiagramProblem(data, accuracy(data) if rng.random() < 0.6 else any_costs, limits, seed=int(rng.integers(9)))


def check_allowed(problem, nodes, cost):
    """The diagram keeps the limits, costs what is said, and every row ends at one leaf."""
    model = diagram_to_graph(problem, nodes)
    assert problem.violations(model) == []
    assert problem.cost(model) == pytest.approx(cost, abs=problem.tolerance)
    reached = reached_in_diagram(problem, nodes)
    at_leaves = np.concatenate([at for node, at in zip(nodes, reached, strict=True) if node.column < 0])
    assert sorted(at_leaves.tolist()) == list(range(problem.data.n_points))
    return model


def test_diagrams_keep_all_limits():
    rng = np.random.default_rng(1)
    wide = ((1, 2, 4, 8), (1, 2, 4, 4, 4), (1, 2, 3, 3, 3, 3), (1, 2, 2, 2, 2, 2, 2, 2), (1, 1, 1, 2))
    for trial in range(300):
        problem = random_problem(rng, int(rng.integers(1, 60)), widths=wide[trial % len(wide)])
        found = constructed(problem, None, starts=8)
        check_allowed(problem, found.nodes, found.cost)
        assert found.cost >= lowest_cost(problem) - problem.tolerance


def test_tiny_problems_are_solved_but_for_few():
    rng = np.random.default_rng(2)
    solved, n_problems = 0, 150
    for _ in range(n_problems):
        problem = random_problem(rng, int(rng.integers(2, 8)))
        best = ExhaustiveDiagram().solve(problem, Budget()).cost if problem.data.columns else lowest_cost(problem)
        found = constructed(problem, None, starts=200)
        assert found.cost >= best - problem.tolerance
        solved += found.cost <= best + problem.tolerance
    assert solved >= 0.9 * n_problems
