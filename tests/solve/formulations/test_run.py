"""What a MIP's bound says about the cost of trees, rounded up to integers; and options of all formulations."""

import re
from dataclasses import replace

import numpy as np
import pytest

from exactree import OCT, ODD, XCT, BinOCT, FalseNegatives, FlowOCT
from exactree.encode import encode
from exactree.errors import InputError
from exactree.mip import MipSize
from exactree.problem import Limits, Problem, accuracy, leaf_accuracy
from exactree.solve import Budget, Search
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.run_state import RunState
from exactree.table import Table


def problem_of(weights=None):
    # Labels take turns, so two leaves get 9 of 20 rows wrong.
    data = encode(Table.of(np.arange(20.0)[:, None]), np.arange(20) % 2, sample_weight=weights)
    return Problem(data, accuracy(data), Limits(1))


def state_of(problem):
    state = RunState(problem, Budget(), None)
    state.offer(Search().solve(problem, Budget()).model)
    return state


def test_the_rows_cost_more_than_any_bound_below():
    assert state_of(problem_of()).cost == 9


@pytest.mark.each(
    ("bound", "raised"),
    [
        (3.0, 3.0),
        (3.2, 4.0),  # nothing whole lies between
        (3.0 + 1e-7, 3.0),  # noise of a back end is no proof of 4
        (3.0 - 1e-7, 3.0),
        (4.0 - 1e-3, 4.0),
        (99.0, 9.0),  # no bound goes beyond a tree that is there
        (-5.0, 0.0),
        (-np.inf, 0.0),
        (np.inf, 0.0),
        (np.nan, 0.0),
    ],
)
def test_bounds_between_whole_costs_go_up(bound, raised):
    problem = problem_of()
    state = state_of(problem)
    state.raise_bound(bound, mip_costs(problem))
    assert state.bound == raised


def test_bounds_never_fall():
    problem = problem_of()
    state = state_of(problem)
    for bound, expected in ((2.5, 3.0), (1.5, 3.0), (3.5, 4.0)):
        state.raise_bound(bound, mip_costs(problem))
        assert state.bound == expected


def test_weights_of_halves_are_rounded_to_halves():
    problem = problem_of(np.full(20, 0.5))
    costs = mip_costs(problem)
    assert (costs.scale, costs.step) == (2.0, 1.0)
    state = state_of(problem)
    state.raise_bound(4.1, costs)  # in the program's units: 5 of them are 2.5
    assert state.bound == 2.5


def test_weights_without_a_step_are_not_rounded():
    problem = problem_of(np.linspace(1, 2, 20) ** 0.5)
    costs = mip_costs(problem)
    assert costs.step == 0
    state = state_of(problem)
    state.raise_bound(3.2, costs)
    assert state.bound == 3.2


def test_large_costs_lose_no_more_than_their_noise():
    # One part in a million may be noise: of 4e6 that is 4, so only what lies above counts as proved.
    problem = problem_of(np.full(20, 1e6))
    costs = replace(mip_costs(problem), scale=1.0, step=1.0)
    state = state_of(problem)
    state.raise_bound(4e6 + 10.5, costs)
    assert 4e6 + 6 <= state.bound <= 4e6 + 11


def test_what_a_running_back_end_sees_is_held_down_by_its_own_objective():
    problem = problem_of()
    state, costs = RunState(problem, Budget(), None), mip_costs(problem)
    state.raise_bound(8.4, costs, cost=8.0)
    assert state.bound == 8.0


@pytest.mark.parametrize("solver", [BinOCT, OCT, FlowOCT, XCT, ODD])
@pytest.mark.each("seed", [-1, 2**31, 1.5, "a", True, None])
def test_all_formulations_check_their_seed(solver, seed):
    message = re.escape(f"seed must be an integer from 0 to 2147483647; got {seed!r}.")
    with pytest.raises(InputError, match=f"^{message}$"):
        solver(seed=seed)


@pytest.mark.each("solver", [BinOCT, OCT, FlowOCT, XCT, ODD])
def test_all_formulations_take_seeds_of_numpy(solver):
    assert solver(seed=np.int64(2**31 - 1)).seed == 2**31 - 1


MIPS = {
    "binoct": BinOCT(backend="highs"),
    "oct": OCT(backend="highs"),
    "flow-oct": FlowOCT(backend="highs"),
    "xct": XCT(backend="highs"),
    "halving": XCT(backend="highs", strategy="halving"),
    "gradual": XCT(backend="highs", strategy="gradual"),
}


@pytest.mark.each("solver", MIPS)
@pytest.mark.each("limit", ["time_limit", "memory_limit"])
def test_a_mip_that_cannot_be_written_in_time_is_not_begun(monkeypatch, solver, limit):
    monkeypatch.setattr("exactree.mip.mip.LARGE", 10)
    if limit == "time_limit":
        monkeypatch.setattr("exactree.mip.mip.SECONDS_PER_ENTRY", 1e3)
    else:
        monkeypatch.setattr("exactree.solve.run_state.BYTES_PER_ENTRY", 10**15)
    random = np.random.default_rng(0)
    data = encode(Table.of(random.normal(size=(60, 3))), random.integers(0, 2, 60))
    worst_leaf = isinstance(MIPS[solver], XCT)
    problem = Problem(data, leaf_accuracy(data) if worst_leaf else accuracy(data), Limits(2))
    found = MIPS[solver].solve(problem, Budget(seconds=60.0))
    assert found.status.value == limit
    name = "time_limit" if limit == "time_limit" else "the memory there is"
    assert re.match(
        rf"the MIP would have about [\d,]+ rows, [\d,]+ columns and [\d,]+ entries, too many for {name}; allow more, "
        r"fewer questions as with thresholds='quantiles\(16\)', or fewer rows, or use solver='search'$",
        found.reason,
    )
    if not worst_leaf:
        assert found.cost <= Search().solve(problem, Budget(seconds=0.0)).cost  # the warm start is kept


def test_without_a_feasible_start_it_says_that_the_mip_is_too_large(monkeypatch):
    monkeypatch.setattr("exactree.mip.mip.LARGE", 10)
    monkeypatch.setattr("exactree.mip.mip.SECONDS_PER_ENTRY", 1e3)
    random = np.random.default_rng(0)
    data = encode(Table.of(random.normal(size=(60, 3))), random.integers(0, 2, 60))
    no_errors = [FalseNegatives(0, positive) for positive in (0, 1)]
    limits = tuple(limit for each in no_errors for limit in each.limits(data))
    with pytest.raises(
        InputError, match=r"^No tree that satisfies all constraints was found: the MIP would have about"
    ):
        BinOCT(backend="highs").solve(Problem(data, accuracy(data), Limits(2), limits), Budget(seconds=60.0))


@pytest.mark.each("solver", ["binoct", "oct", "flow-oct", "xct"])
def test_the_size_announced_is_about_that_of_the_mip(monkeypatch, solver):
    sizes = []
    monkeypatch.setattr(
        "exactree.mip.mip.Mip.expect", lambda mip, rows, columns, entries: sizes.append(MipSize(rows, columns, entries))
    )
    random = np.random.default_rng(0)
    data = encode(Table.of(random.integers(0, 30, size=(300, 4)).astype(float)), random.integers(0, 2, 300))
    worst_leaf = isinstance(MIPS[solver], XCT)
    problem = Problem(data, leaf_accuracy(data) if worst_leaf else accuracy(data), Limits(2))
    counters = MIPS[solver].solve(problem, Budget(seconds=2.0)).counters
    for name in ("rows", "columns", "entries"):
        assert 0.5 < getattr(sizes[0], name) / counters[name] < 1.5, name
