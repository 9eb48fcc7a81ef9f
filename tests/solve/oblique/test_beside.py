"""The univariate search beside the search for oblique splits."""

import time
from dataclasses import replace

import numpy as np
import pytest

from exactree import OCT, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import SolverBug, Unsupported
from exactree.estimators import NotProvedWarning
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Solution, Status
from exactree.solve.oblique import better_of_both, takes_both
from exactree.table import Table

BUDGET = Budget(seconds=20.0, threads=2)


def problem_of(n_rows=30, depth=2):
    rng = np.random.default_rng(1)
    data = encode(Table.of(rng.integers(0, 5, (n_rows, 3)).astype(float)), rng.integers(0, 2, n_rows))
    return Problem(data, accuracy(data), Limits(depth))


def solved(problem, depth, status=Status.TIME_LIMIT):
    found = Search().solve(replace(problem, limits=Limits(depth)), Budget())
    bound = found.cost if status is Status.OPTIMAL else 0.0
    return Solution.checked(problem, found.model, status=status, claimed=found.cost, bound=bound)


def searched(problem):
    return lambda budget, callback: Search().solve(problem, budget, callback=callback)


def test_the_better_of_both_counts():
    problem = problem_of()
    worse, best = solved(problem, 0), Search().solve(problem, Budget())
    found = better_of_both(problem, BUDGET, searched(problem), lambda budget: worse, None)
    assert (found.cost, found.status, found.bound) == (best.cost, Status.TIME_LIMIT, 0.0)
    assert found.counters["univariate_is_better"] == 1.0
    assert found.history[-1, 1] == best.cost
    same = better_of_both(problem, BUDGET, lambda *_: worse, lambda budget: best, None)
    assert same is best


def test_each_has_half_of_the_threads():
    problem, seen = problem_of(), []

    def univariate(budget, callback):
        seen.append(budget.threads)
        return solved(problem, 1)

    def oblique(budget):
        seen.append(budget.threads)
        return solved(problem, 1)

    better_of_both(problem, Budget(seconds=5.0, threads=5), univariate, oblique, None)
    assert sorted(seen) == [2, 3]


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.INTERRUPTED])
def test_a_run_that_has_ended_stops_the_search(status):
    problem, stopped = problem_of(), []

    def endless(budget, callback):
        try:
            while True:
                callback(None)
                time.sleep(0.01)
        except KeyboardInterrupt:
            stopped.append(True)
            raise

    found = better_of_both(problem, BUDGET, endless, lambda budget: solved(problem, 1, status), None)
    assert (found.status, stopped) == (status, [True])


def test_a_callback_stops_the_wait():
    problem, calls = problem_of(), []

    def endless(budget, callback):
        while True:
            callback(None)
            time.sleep(0.01)

    def stop(now):
        calls.append(now.stage)
        if len(calls) == 3:
            raise KeyboardInterrupt

    found = better_of_both(problem, BUDGET, endless, lambda budget: solved(problem, 1), stop)
    assert (found.status, calls) == (Status.INTERRUPTED, ["search"] * 3)


def test_what_the_search_raises():
    problem = problem_of()

    def refused(budget, callback):
        raise Unsupported("too large")

    def broken(budget, callback):
        raise SolverBug("wrong")

    found = better_of_both(problem, BUDGET, refused, lambda budget: solved(problem, 1), None)
    assert found.cost == solved(problem, 1).cost
    with pytest.raises(SolverBug, match="wrong"):
        better_of_both(problem, BUDGET, broken, lambda budget: solved(problem, 1), None)


def test_a_proof_that_the_search_contradicts():
    problem = problem_of()
    with pytest.raises(SolverBug, match="lower bound"):
        better_of_both(
            problem, BUDGET, lambda *_: solved(problem, 2), lambda budget: solved(problem, 0, Status.OPTIMAL), None
        )


def test_when_both_run():
    assert takes_both(BUDGET)
    for budget in (Budget(seconds=5.0), Budget(threads=2), replace(BUDGET, memory=10**9)):
        assert not takes_both(budget)


def test_estimators_with_two_threads_are_never_worse_than_univariate_ones():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 9, (60, 4)).astype(float), rng.integers(0, 3, 60)
    for oblique, univariate in (
        (
            OptimalTreeClassifier(max_depth=2, solver=OCT(multivariate=True), time_limit=2, n_jobs=2),
            OptimalTreeClassifier(max_depth=2),
        ),
        (
            OptimalDiagramClassifier((1, 2), multivariate=True, time_limit=2, n_jobs=2),
            OptimalDiagramClassifier((1, 2)),
        ),
    ):
        with pytest.warns(NotProvedWarning):
            oblique.fit(X, y)
        assert oblique.cost_ <= univariate.fit(X, y).cost_
        assert oblique.lower_bound_ <= oblique.cost_
