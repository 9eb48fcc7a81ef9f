"""Column generation over decision paths: toys with known relaxations, and against trying everything."""

import numpy as np
import pytest

from exactree import ColumnGeneration
from exactree.encode import encode
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Status
from exactree.table import Table

GRID = [[i, j] for i in range(3) for j in range(3)]
TOYS = {  # rows, labels, right answers of the best tree of depth two
    "exclusive-or": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], 4),
    "checkerboard": (GRID, [(i + j) % 2 for i, j in GRID], 6),
    "cross": (GRID, [int(1 in cell) for cell in GRID], 7),
    "gap": ([[0, 2], [2, 1], [2, 2], [1, 0], [2, 0]], [1, 1, 0, 1, 0], 4),
}


def toy(name, depth=2):
    X, y, right = TOYS[name]
    data = encode(Table.of(np.array(X, dtype=float)), y)
    return Problem(data, accuracy(data), Limits(depth)), len(y) - right


@pytest.mark.parametrize("finish", ["ilp", "branch-and-price", "recursion"])
@pytest.mark.parametrize("name", TOYS)
def test_toys(name, finish):
    problem, wrong = toy(name)
    found = ColumnGeneration(sampling="all", finish=finish).solve(problem, Budget())
    assert (found.status, found.cost, found.scope) == (Status.OPTIMAL, wrong, "")
