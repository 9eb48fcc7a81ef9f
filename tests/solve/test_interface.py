"""The registry, refusals, and the re-check of every claim."""

import numpy as np
import pytest

from exactree import kernel
from exactree.encode import encode
from exactree.errors import InputError, SolverBug, Unsupported
from exactree.model import Graph
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import SOLVERS, Budget, Exhaustive, Progress, Search, Solution, Status, solve, solver_named
from exactree.table import Table


@pytest.fixture
def problem():
    data = encode(Table.of([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1])
    return Problem(data, accuracy(data), Limits(1))


@pytest.fixture
def leaf(problem):
    return Graph.leaf(problem.data.table.schema, problem.data.classes, 0, [2.0, 2.0], 4)


def test_solvers_by_name():
    assert solver_named("auto").name == "search"
    assert solver_named("exhaustive") is SOLVERS["exhaustive"]
    mine = Search()
    assert solver_named(mine) is mine


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        (
            "cart",
            "Unknown solver 'cart'; choose one of auto, binoct, column-generation, dl8, dl85, "
            "exhaustive, flow-oct, oct, search, xct.",
        ),
        (3, "solver must be a name or a solver object such as Search(); got 3."),
    ],
)
def test_unknown_solvers(solver, message):
    with pytest.raises(InputError) as caught:
        solver_named(solver)
    assert str(caught.value) == message


def test_a_solver_refuses_what_it_cannot_do(hard_problem):
    with pytest.raises(Unsupported, match=r"'exhaustive' cannot solve this problem: it would score .* Able: search"):
        solve(hard_problem, "exhaustive")


def test_solvers_agree(problem):
    for solver in ("auto", "search", "exhaustive", Search(), Exhaustive()):
        assert solve(problem, solver).cost == 0


def test_a_model_dearer_than_claimed_is_a_bug(problem, leaf):
    with pytest.raises(SolverBug, match="claimed cost 1 but its model costs 2"):
        Solution.checked(problem, leaf, status=Status.TIME_LIMIT, claimed=1.0, bound=0.0)


def test_a_model_cheaper_than_proved_is_a_bug(problem, leaf):
    with pytest.raises(SolverBug, match="claimed cost 3 but its model costs 2"):
        Solution.checked(problem, leaf, status=Status.OPTIMAL, claimed=3.0, bound=3.0)


def test_a_bound_above_the_cost_is_a_bug(problem, leaf):
    with pytest.raises(SolverBug, match="lower bound 3 exceeds the cost 2"):
        Solution.checked(problem, leaf, status=Status.TIME_LIMIT, claimed=2.0, bound=3.0)


def test_a_proof_without_its_bound_is_a_bug(problem, leaf):
    with pytest.raises(SolverBug, match="claims a proof, but its bound 1 is below the cost 2"):
        Solution.checked(problem, leaf, status=Status.OPTIMAL, claimed=2.0, bound=1.0)


def test_a_model_that_is_not_allowed_is_a_bug(problem):
    deep = Problem(problem.data, problem.objective, Limits(0))
    tree = Search().solve(problem, Budget()).model
    with pytest.raises(SolverBug, match="not allowed: its depth is 1, the limit is 0; it has 2 leaves, the limit is 1"):
        Solution.checked(deep, tree, status=Status.TIME_LIMIT, claimed=0.0, bound=0.0)


def test_a_better_model_than_claimed_is_welcome_without_a_proof(problem, leaf):
    found = Solution.checked(problem, leaf, status=Status.TIME_LIMIT, claimed=4.0, bound=1.0)
    assert (found.cost, found.bound, found.gap) == (2.0, 1.0, 0.5)
    assert found.history.shape == (0, 3)


def test_gap_of_progress():
    assert Progress(1.0, 8.0, 6.0).gap == 0.25
    assert Progress(1.0, 0.0, 0.0).gap == 0.0


def test_the_kernel_converts_nothing_silently():
    whole = {"labels": np.zeros(2, np.int32), "weights": np.ones(2, np.int64), "sizes": np.ones((2, 2), np.int64)}
    limits = {"n_classes": 2, "max_depth": 1, "max_leaves": 2, "min_rows": 1, "min_weight": 0}
    kernel.grow(np.zeros((1, 2), np.uint32), **whole, **limits)
    with pytest.raises(TypeError):
        kernel.grow(np.zeros((1, 2)), **whole, **limits)
    with pytest.raises(ValueError, match="labels has 3 entries, but ranks has 2 rows"):
        kernel.grow(np.zeros((1, 2), np.uint32), **whole | {"labels": np.zeros(3, np.int32)}, **limits)
    with pytest.raises(ValueError, match=r"label 7 at row 1 is outside 0\.\.1"):
        kernel.grow(np.zeros((1, 2), np.uint32), **whole | {"labels": np.array([0, 7], np.int32)}, **limits)
