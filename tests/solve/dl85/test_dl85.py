"""DL8 and DL8.5: the paper's example, all variants, refusals and endings."""

import numpy as np
import pytest
from sklearn.base import clone

from exactree import DL8, DL85, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Progress, Status, refusal, solve
from exactree.table import Table
from exactree.testing import tiny_problems

VARIANTS = [
    DL8(),
    *(DL85(order, cache_partial=partial) for order in ("data", "gain", "gain-ascending") for partial in (True, False)),
]
each_variant = pytest.mark.parametrize("solver", VARIANTS, ids=str)


def problem_of(X, y, limits):
    data = encode(Table.of(X), y)
    return Problem(data, accuracy(data), limits)


@pytest.fixture
def paper():
    """Table 1 of the paper: A, B, C and the class."""
    rows = ["0110", "1011", "0011", "0100", "1001", "0000", "0010", "1101", "0001", "0010", "0001"]
    cells = np.array([[float(cell) for cell in row] for row in rows])
    return problem_of(cells[:, :3], cells[:, 3].astype(int), Limits(3))


def test_itemsets_of_the_paper(paper):
    dl8 = DL8(count_itemsets=True).solve(paper, Budget())
    dl85 = DL85("data", count_itemsets=True).solve(paper, Budget())
    assert dl8.cost == dl85.cost == 2
    assert dl85.counters["itemsets"] == 17
    # The paper's 27 are all itemsets over three columns, with {a, b, c} that no row has and DL8 does not consider.
    assert dl8.counters["itemsets"] == 3**3 - 1


def test_counters_of_the_paper(paper):
    assert DL8().solve(paper, Budget()).counters == {"visits": 39, "cache_hits": 6, "cache_size": 12}
    assert DL85("data").solve(paper, Budget()).counters == {"visits": 26, "cache_hits": 5, "cache_size": 10}
    assert DL85("data", cache_partial=False).solve(paper, Budget()).counters == {
        "visits": 28,
        "cache_hits": 3,
        "cache_size": 6,
    }


@each_variant
def test_every_variant_finds_the_optimum(solver):
    tried = 0
    for name, problem in tiny_problems()[::7]:
        if refusal(solver, problem) is not None:
            continue
        found = solver.solve(problem, Budget())
        best = solve(problem, "exhaustive").cost
        assert found.status is Status.OPTIMAL, name
        assert abs(found.cost - best) <= problem.tolerance, name
        tried += 1
    assert tried > 40


@each_variant
def test_a_stopped_search_is_honest(hard_problem, solver):
    found = solver.solve(hard_problem, Budget(seconds=0.2))
    assert found.status is Status.TIME_LIMIT
    assert found.bound < found.cost == hard_problem.cost(found.model)
    assert found.model.n_leaves > 1  # one look at the questions is always taken


@each_variant
def test_too_little_memory(hard_problem, solver):
    found = solver.solve(hard_problem, Budget(memory=1000))
    assert found.status is Status.MEMORY_LIMIT
    assert found.bound < found.cost == hard_problem.cost(found.model)


def test_interrupt_keeps_the_best_tree(hard_problem):
    def stop(progress):
        assert isinstance(progress, Progress)
        raise KeyboardInterrupt

    found = DL85().solve(hard_problem, Budget(), callback=stop)
    assert found.status is Status.INTERRUPTED
    assert found.model.n_leaves > 2  # what was being worked on is used


def test_starts_from_the_tree_given(paper):
    best = DL85("data").solve(paper, Budget())
    again = DL85("data").solve(paper, Budget(), start=best.model)
    assert (again.cost, again.status) == (best.cost, Status.OPTIMAL)
    assert again.counters["visits"] < best.counters["visits"]
    assert DL8().solve(paper, Budget(seconds=0.0), start=best.model).cost == best.cost


@each_variant
def test_support_counts_rows(solver):
    # Equal rows are merged, but each of them counts.
    problem = problem_of([[0.0], [0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1, 0], Limits(2))
    for support, cost in ((1, 0), (2, 1), (3, 2)):
        options = {name: getattr(solver, name) for name in ("order", "cache_partial") if hasattr(solver, name)}
        found = type(solver)(**options, min_support=support).solve(problem, Budget())
        assert (found.cost, found.status) == (cost, Status.OPTIMAL)


def test_the_larger_of_support_and_leaf_size_holds():
    rows = [[0.0], [0.0], [1.0], [1.0], [2.0]]
    problem = problem_of(rows, [0, 0, 1, 1, 0], Limits(2, min_samples_leaf=3))
    assert DL85(min_support=2).solve(problem, Budget()).cost == 2


@pytest.mark.parametrize("name", ["dl8", "dl85"])
def test_a_limit_on_leaves_is_refused(paper, name):
    limited = Problem(paper.data, paper.objective, Limits(3, max_leaf_nodes=4))
    reason = r"it does not support a limit on leaves \(max_leaf_nodes=4\)\. Able: search"
    message = f"'{name}' cannot solve this problem: {reason}"
    with pytest.raises(Unsupported, match=message):
        solve(limited, name)
    useless = Problem(paper.data, paper.objective, Limits(2, max_leaf_nodes=4))  # depth 2 has no more anyway
    assert solve(useless, name).status is Status.OPTIMAL


def test_too_many_questions_are_refused():
    rng = np.random.default_rng(0)
    problem = problem_of(rng.random((2002, 10)), rng.integers(0, 2, size=2002), Limits(1))
    with pytest.raises(
        Unsupported, match="'dl85' cannot solve this problem: there are 20010 questions, more than 20000"
    ):
        solve(problem, "dl85")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DL85("random"), "Unknown order 'random'; choose one of data, gain, gain-ascending."),
        (lambda: DL85(min_support=0), "min_support must be an integer number of rows, 1 or more; got 0."),
        (lambda: DL8(min_support=2.5), "min_support must be an integer number of rows, 1 or more; got 2.5."),
        (lambda: DL8(min_support=True), "min_support must be an integer number of rows, 1 or more; got True."),
    ],
)
def test_wrong_options(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def test_as_the_solver_of_an_estimator():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), ["a", "b", "b", "c"]
    tree = clone(OptimalTreeClassifier(max_depth=2, solver=DL85("gain-ascending"))).fit(X, y)
    assert tree.solver == DL85("gain-ascending")
    assert (tree.status_, tree.cost_) == ("optimal", 0.0)
    assert tree.solution_.counters["visits"] > 0
