"""Problems that take longer than any test may wait, and some that do not."""

import numpy as np
import pytest

from exactree.encode import encode
from exactree.mip import MipOptions, MipStatus, solve
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.solve.trees.complete_tree import embedded
from exactree.table import Table


def random_problem(n_rows, n_columns, limits, *, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    data = encode(Table.of(rng.random((n_rows, n_columns))), rng.integers(0, n_classes, size=n_rows))
    return Problem(data, accuracy(data), limits)


@pytest.fixture
def hard_table():
    """Noise: nothing to find, and no proof within minutes at depth 5."""
    rng = np.random.default_rng(0)
    return rng.random((1000, 10)), rng.integers(0, 2, size=1000)


@pytest.fixture
def hard_problem(hard_table):
    data = encode(Table.of(hard_table[0]), hard_table[1])
    return Problem(data, accuracy(data), Limits(5))


@pytest.fixture
def medium_problem():
    """Proved within a second."""
    return random_problem(120, 3, Limits(3))


@pytest.fixture
def binary_problem():
    """Yes/no columns and two classes: bit sets and ranks both take it."""
    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, size=(300, 80)).astype(float)  # more rows and columns than one block of pair sums
    y = (X[:, [0, 1, 78, 79]].sum(axis=1) > 2) ^ (rng.random(300) < 0.2)
    data = encode(Table.of(X), y, sample_weight=rng.integers(1, 10, size=300))  # else rows are counted, not summed
    return Problem(data, accuracy(data), Limits(3))


@pytest.fixture
def coins():
    """Tossed coins in few rows: the best tree is hard to find for a MIP."""
    rng = np.random.default_rng(0)
    data = encode(Table.of(rng.integers(0, 4, (40, 4)).astype(float)), rng.integers(0, 2, 40))
    return Problem(data, accuracy(data), Limits(3))


@pytest.fixture
def begins_at_its_start():
    """Check that the first solution a back end shows is the warm start of the MIP."""

    def check(model, problem, backend):
        model.set_start(embedded(find_warm_start(problem, Budget(), "search", None).nodes, model.shape))
        program = model.mip.program()
        seen = []

        def stop(now):
            if np.isfinite(now.objective):
                seen.append(now.objective)
                raise KeyboardInterrupt

        answer = solve(program, backend=backend, options=MipOptions(step=1), callback=stop)
        best = Search().solve(problem, Budget()).cost
        assert answer.status is MipStatus.INTERRUPTED
        assert seen[0] == answer.objective == program.objective(program.start) == best

    return check
