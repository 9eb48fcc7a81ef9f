"""Diagrams under constraints by exact search, against enumeration of all answers that diagrams can give."""

from dataclasses import replace

import numpy as np
import pytest

from exactree import DiagramSearch, Fairness, FalseNegatives, OptimalDiagramClassifier
from exactree.encode import encode
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.problem import DiagramLimits, DiagramProblem, LinearLimit, accuracy
from exactree.solve import Budget, Status, solve_diagram
from exactree.solve.brute_force import ExhaustiveDiagram
from exactree.solve.search.constrained.diagrams import is_tree_shaped
from exactree.table import Table
from exactree.testing.constrained_diagrams import fair_diagram_problem

UNLIMITED = Budget()  # a busy machine must not stop the enumeration
# Without construction and beam search: else a good start may hide a bound that is too high.
WITHOUT_HELP = DiagramSearch(starts=0, beam=0)


def table(n_rows=300, seed=0):
    """Numbers, labels that depend on them, and a group that does too."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).round(1)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.7, n_rows) > 0).astype(int)
    return X, y, (X[:, 0] + rng.normal(0, 1, n_rows) > 0).astype(int)


def parity_problem(widths, n_rows, **limits):
    X, y, group = table(n_rows)
    data = encode(Table.of(X), y)
    constraints = tuple(Fairness("demographic_parity", 0.05, groups=group).limits(data))
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, **limits), constraints)


def cost_or_none(solver, problem):
    try:
        found = solver.solve(problem, UNLIMITED)
    except Infeasible:
        return None
    assert found.status is Status.OPTIMAL
    return found.cost


def check(solver, problem):
    expected = cost_or_none(ExhaustiveDiagram(), problem)
    found = cost_or_none(solver, problem)
    assert (found is None) == (expected is None)
    assert found is None or found == pytest.approx(expected, abs=max(problem.tolerance, 1e-9))


@pytest.mark.each("seed", range(200))
def test_agrees_with_enumeration(seed):
    check(DiagramSearch(), fair_diagram_problem(seed))


@pytest.mark.each("seed", range(200, 400))
def test_agrees_with_enumeration_without_help(seed):
    check(WITHOUT_HELP, fair_diagram_problem(seed))


def test_random_problems_are_of_all_kinds():
    problems = [fair_diagram_problem(seed) for seed in range(200)]
    assert sum(cost_or_none(ExhaustiveDiagram(), problem) is None for problem in problems) >= 3
    assert sum(bool(problem.soft) for problem in problems) >= 20
    assert sum(len(problem.on_answers) > 2 for problem in problems) >= 20
    assert sum(is_tree_shaped(problem) for problem in problems) in range(40, 160)
    costs = [cost_or_none(ExhaustiveDiagram(), problem) for problem in problems]
    free = [cost_or_none(ExhaustiveDiagram(), replace(problem, constraints=())) for problem in problems]
    assert sum(cost is None or cost > other + 1e-9 for cost, other in zip(costs, free, strict=True)) >= 40


@pytest.mark.each("seed", range(16))
def test_a_stopped_search_has_a_valid_bound_and_an_allowed_diagram(seed):
    problem = fair_diagram_problem(seed)
    if (best := cost_or_none(ExhaustiveDiagram(), problem)) is None:
        return
    for n_calls in (2, 3, 5, 8):
        seen = []

        def stop(progress, n_calls=n_calls, seen=seen):
            seen.append(progress)
            return len(seen) >= n_calls

        try:
            found = solve_diagram(problem, "search", callback=stop)
        except InputError:  # stopped before it had any
            continue
        assert problem.violations(found.model) == []
        assert found.bound <= best + problem.tolerance
        assert found.cost >= best - problem.tolerance


def test_no_time_gives_an_allowed_diagram_and_a_bound():
    problem = parity_problem((1, 2, 4, 4), 300)
    found = solve_diagram(problem, "auto", Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert problem.violations(found.model) == []
    assert found.bound <= found.cost


def test_skeletons_of_two_layers_are_proved_with_and_without_the_help_of_trees():
    problem = parity_problem((1, 2), 80)
    found = solve_diagram(problem, "auto", UNLIMITED)
    free = solve_diagram(replace(problem, constraints=()), "auto", UNLIMITED)
    assert found.status is Status.OPTIMAL
    assert found.cost > free.cost
    assert found.cost == pytest.approx(solve_diagram(problem, WITHOUT_HELP, UNLIMITED).cost)


def test_a_diagram_is_no_dearer_than_the_tree_that_fits():
    problem = parity_problem((1, 2, 2), 60, ccp_alpha=0.0)
    tree = solve_diagram(parity_problem((1, 2), 60, ccp_alpha=0.0), "auto", UNLIMITED)
    assert solve_diagram(problem, "auto", Budget(seconds=20.0)).cost <= tree.cost + 1e-9


def test_constraints_that_no_diagram_satisfies_are_named():
    data = encode(Table.of([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1])
    wrong = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    limit = LinearLimit("wrong answers", wrong, at_most=0.5)
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1,)), (limit,))
    with pytest.raises(
        Infeasible,
        match=r"No diagram within the limits satisfies all constraints\..*has 1 wrong answers; the limit is 0.5",
    ):
        solve_diagram(problem, "search")
    wider = replace(problem, limits=DiagramLimits((1, 2), ccp_alpha=0.0))
    assert solve_diagram(wider, "search").cost == 0


def test_the_default_takes_constraints_and_prices_and_the_mip_says_what_it_does_not_take():
    X, y, group = table(50)
    soft = Fairness("demographic_parity", 0.0, price=0.2)
    for rule in (Fairness("equal_opportunity", 0.1), soft):
        found = OptimalDiagramClassifier((1, 2), fairness=rule, time_limit=60).fit(X, y, sensitive_features=group)
        assert found.status_ == "optimal"
    assert OptimalDiagramClassifier((1,), constraints=[FalseNegatives(3)]).fit(X, y).status_ == "optimal"
    with pytest.raises(Unsupported, match="'odd' cannot solve this problem: it does not support constraints with a"):
        OptimalDiagramClassifier((1, 2), fairness=soft, solver="odd").fit(X, y, sensitive_features=group)
