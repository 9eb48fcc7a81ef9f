"""The ODD program against every diagram of tiny tables, beside the paper's numbers, and its starts."""

from dataclasses import replace

import numpy as np
import pytest

from exactree import ODD, OptimalDiagramClassifier
from exactree.encode import encode
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.mip import Mip, installed
from exactree.problem import (
    SKELETONS,
    DiagramLimits,
    DiagramProblem,
    Fairness,
    FalseNegatives,
    accuracy,
    balanced_accuracy,
    cost_sensitive,
)
from exactree.solve import Budget, Status
from exactree.solve.diagram_costs import diagram_costs_of
from exactree.solve.diagrams import solve_diagram
from exactree.solve.exhaustive_diagram import ExhaustiveDiagram
from exactree.solve.odd_model import OddModel
from exactree.solve.odd_sums_model import OddSumsModel
from exactree.solve.ranked_diagram import PASS, diagram_from_graph, diagram_to_graph
from exactree.solve.ranked_tree import RankedNode
from exactree.solve.skeleton import Skeleton, placed
from exactree.solve.sums import summands
from exactree.table import Table

BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
PARITY = [sum(row) % 2 for row in BITS]
WIDTHS = [(1,), (1, 2), (1, 1, 1), (1, 2, 2), (1, 2, 1)]


def parity(widths=(1, 2, 2), **limits):
    data = encode(Table.of(BITS), PARITY)
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, **limits))


def tiny(seed):
    """A table of a few rows with limits, weights, costs and constraints in all mixtures."""
    rng = np.random.default_rng(seed)
    n_classes, n_rows = 2 + seed % 2, int(rng.integers(5, 9))
    widths = WIDTHS[seed % len(WIDTHS)]
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
    problem = DiagramProblem(data, objective[seed // 2 % 3], limits)
    rules = []
    if seed % 7 == 1:
        rules = [Fairness("demographic_parity", 0.3, groups=np.arange(n_rows) % 2, positive=0)]
    if seed % 7 == 4:
        rules = [FalseNegatives(1, positive=1)]
    return replace(problem, constraints=tuple(limit for rule in rules for limit in rule.limits(data)))


@pytest.mark.parametrize("seed", range(70))
def test_equal_to_every_diagram_of_tiny_tables(seed):
    problem = tiny(seed)
    found = ODD(warm_start=seed % 2 == 0).solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(ExhaustiveDiagram().solve(problem, Budget()).cost)
    assert found.bound == pytest.approx(found.cost)
