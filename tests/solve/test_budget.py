"""What ends a search, and what may be said about its tree then."""

import warnings

import numpy as np
import pytest

from exactree import NotProvedWarning, OptimalTreeClassifier
from exactree.encode import encode
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.table import Table
from exactree.testing.problems import tiny_problems


def honest(problem, solution):
    assert solution.cost == problem.cost(solution.model)
    assert problem.violations(solution.model) == []
    assert 0 <= solution.bound <= solution.cost
    assert (solution.status is Status.OPTIMAL) == (solution.bound == solution.cost)


def test_time_limit(hard_problem):
    found = Search().solve(hard_problem, Budget(seconds=0.2))
    assert found.status is Status.TIME_LIMIT
    honest(hard_problem, found)


def test_time_limit_of_the_estimator_warns_with_the_gap(hard_table):
    tree = OptimalTreeClassifier(max_depth=5, time_limit=0.1)
    known = "(no tree of depth 5 makes fewer than|nothing better is)"
    expected = rf"Not proved optimal: time_limit was reached\. .* {known} .* \(gap \d+\.\d%\)"
    with pytest.warns(NotProvedWarning, match=expected) as caught:
        tree.fit(*hard_table)
    assert caught[0].filename == __file__  # the warning points at the caller's line
    assert (tree.status_, tree.is_optimal_) == ("time_limit", False)
    assert 0 < tree.gap_ <= 1


@pytest.mark.parametrize("seconds", [0.0, 1e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03, 0.05, 0.1])
def test_a_search_stopped_anywhere_is_honest(medium_problem, seconds):
    optimum = Search().solve(medium_problem, Budget())
    assert optimum.status is Status.OPTIMAL
    found = Search().solve(medium_problem, Budget(seconds=seconds))
    honest(medium_problem, found)
    assert found.bound <= optimum.cost <= found.cost


@pytest.mark.parametrize(("n_rows", "depth"), [(300, 2), (1000, 2), (3000, 2), (300, 3)])
def test_a_sweep_stopped_anywhere_proves_nothing(n_rows, depth):
    # Exclusive or of the last two columns: a greedy tree misses it, and so does a sweep that ends before them.
    rng = np.random.default_rng(n_rows)
    X = rng.random((n_rows, 12))
    data = encode(Table.of(X), (X[:, -1] > 0.5) ^ (X[:, -2] > 0.5) ^ (rng.random(n_rows) < 0.03))
    problem = Problem(data, accuracy(data), Limits(depth))
    optimum = Search().solve(problem, Budget(seconds=30)).cost
    for seconds in (0.001, 0.002, 0.004, 0.01, 0.02):
        found = Search().solve(problem, Budget(seconds=seconds))
        honest(problem, found)
        assert found.bound <= optimum


def test_probing_stopped_anywhere_proves_nothing():
    # Tossed coins: the best tree is found late, and what is left open when time is up is no better than what is done.
    rng = np.random.default_rng(0)
    data = encode(Table.of(rng.random((20_000, 12))), rng.integers(0, 2, 20_000))
    problem = Problem(data, accuracy(data), Limits(2))
    optimum = Search("ranks").solve(problem, Budget()).cost
    for seconds in np.linspace(0.01, 0.1, 8):
        found = Search("ranks").solve(problem, Budget(seconds=float(seconds)))
        honest(problem, found)
        assert found.bound <= optimum <= found.cost


def test_memory_limit_too_small_for_the_table(hard_problem):
    found = Search().solve(hard_problem, Budget(memory=1000))
    assert found.status is Status.MEMORY_LIMIT
    assert found.model.n_leaves > 1
    honest(hard_problem, found)


def test_memory_limit_of_the_estimator(hard_table):
    tree = OptimalTreeClassifier(max_depth=5, memory_limit="1KB")
    with pytest.warns(NotProvedWarning, match="memory_limit is too small"):
        tree.fit(*hard_table)
    assert tree.status_ == "memory_limit"
    assert tree.n_leaves_ > 1


def test_a_small_cache_proves_the_same(medium_problem):
    roomy = Search().solve(medium_problem, Budget())
    memory = 1
    while (tight := Search().solve(medium_problem, Budget(memory=memory))).status is Status.MEMORY_LIMIT:
        memory *= 2
    assert tight.status is Status.OPTIMAL
    assert tight.cost == roomy.cost
    assert tight.counters["cache_entries"] <= roomy.counters["cache_entries"]


@pytest.mark.parametrize("engine", ["bits", "ranks"])
def test_a_gap_that_is_good_enough(medium_problem, engine):
    optimum = Search(engine).solve(medium_problem, Budget()).cost
    found = Search(engine).solve(medium_problem, Budget(gap=0.9))
    assert found.status is Status.GAP_REACHED
    assert 0 < found.gap <= 0.9
    assert found.bound <= optimum <= found.cost


def test_a_bound_counts_the_cuts_that_were_at_work_when_the_gap_was_reached():
    problem = dict(tiny_problems())["last-rows-189"]
    optimum = Search("ranks").solve(problem, Budget()).cost
    assert Search("ranks").solve(problem, Budget(gap=0.5)).bound <= optimum


def test_the_gap_is_relative_to_the_whole_cost():
    # 90 contradictions that no tree can avoid: a gap in the rest is small against the whole.
    rng = np.random.default_rng(5)
    X = np.vstack([rng.random((80, 3)), np.full((180, 3), 0.5)])
    y = np.r_[rng.integers(0, 2, size=80), np.arange(180) % 2]
    data = encode(Table.of(X), y)
    problem = Problem(data, accuracy(data), Limits(3))
    for gap in (0.02, 0.05, 0.1):
        found = Search().solve(problem, Budget(gap=gap))
        assert found.gap <= gap


def test_a_gap_reached_gives_no_warning(hard_table):
    X, y = hard_table
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = OptimalTreeClassifier(max_depth=3, max_gap=0.99).fit(X[:150, :4], y[:150])
    assert tree.status_ in ("gap_reached", "optimal")
    assert tree.gap_ <= 0.99


def test_no_time_at_all_gives_a_greedy_tree(hard_problem):
    found = Search().solve(hard_problem, Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert found.model.n_leaves > 1
    honest(hard_problem, found)


def test_no_time_needed_when_there_is_nothing_to_prove():
    data = encode(Table.of([[1.0], [2.0]]), ["a", "b"])
    found = Search().solve(Problem(data, accuracy(data), Limits(1)), Budget(seconds=0.0))
    assert (found.status, found.cost) == (Status.OPTIMAL, 0.0)
