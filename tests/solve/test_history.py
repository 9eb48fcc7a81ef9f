"""What a caller sees while the search runs, and afterwards in the history."""

import numpy as np
import pytest

from exactree.solve import Budget, Progress, Search


def test_progress_only_improves(hard_problem):
    seen = []
    found = Search().solve(hard_problem, Budget(seconds=0.5), callback=seen.append)
    assert len(seen) > 1
    assert all(isinstance(progress, Progress) for progress in seen)
    seconds, cost, bound = np.array([(p.seconds, p.cost, p.bound) for p in seen]).T
    assert (np.diff(seconds) > 0).all()
    assert (np.diff(cost) <= 0).all()
    assert (np.diff(bound) >= 0).all()
    assert cost[-1] >= found.cost
    assert bound[-1] <= found.bound
    assert all(0 <= p.gap <= 1 for p in seen)


def test_progress_counts_what_no_tree_can_avoid(hard_problem, medium_problem):
    found = Search().solve(medium_problem, Budget())
    assert found.history[-1, 1] == found.cost == found.history[-1, 2]
    assert found.history[0, 1] >= found.cost


def test_an_exception_in_watch_reaches_the_caller(hard_problem):
    def broken(progress):
        raise ZeroDivisionError("in callback")

    with pytest.raises(ZeroDivisionError, match="in callback"):
        Search().solve(hard_problem, Budget(), callback=broken)


def test_counters(medium_problem):
    counters = Search().solve(medium_problem, Budget()).counters
    assert counters["subproblems"] > 0
    assert all(isinstance(value, int) and value >= 0 for value in counters.values())
