"""LPs that grow: duals, reduced costs, and solves that go on from where the last one ended."""

from types import SimpleNamespace

import numpy as np
import pytest

from exactree.errors import InputError
from exactree.mip import Kind, LinearProgram, Mip, MipOptions, MipStatus, solve


def stock(patterns, demand):
    """Cutting stock: rolls to cut, one row per width asked for."""
    mip = Mip()
    used = mip.columns("used", len(patterns), cost=1.0)
    counts = np.array(patterns, dtype=float).T
    mip.family("asked", [(counts, np.broadcast_to(used, counts.shape))], at_least=demand)
    return mip.program()


def test_duals_and_reduced_costs():
    lp = LinearProgram(stock([[2, 0], [0, 3]], [4, 6]))
    solution = lp.solve()
    assert (solution.status, solution.objective) == (MipStatus.OPTIMAL, 4.0)
    assert solution.duals.tolist() == [0.5, pytest.approx(1 / 3)]
    assert solution.reduced_costs == pytest.approx([0.0, 0.0])


def test_column_generation_on_one_program():
    # Widths 3 and 5 from rolls of 11; patterns are added while one has a negative reduced cost.
    widths, demand = np.array([3, 5]), [25, 20]
    patterns = [(i, j) for i in range(4) for j in range(3) if 0 < 3 * i + 5 * j <= 11]
    lp = LinearProgram(stock([[3, 0], [0, 2]], demand))
    while True:
        solution = lp.solve()
        values = [1 - np.dot(p, solution.duals) for p in patterns]
        if min(values) > -1e-9:
            break
        best = patterns[int(np.argmin(values))]
        lp.add_columns([1.0], entries=([0, 0], [0, 1], list(map(float, best))))
    whole = LinearProgram(stock(patterns, demand)).solve()
    assert solution.objective == pytest.approx(whole.objective)
    assert (widths @ np.array(patterns).T <= 11).all()


def test_new_rows_and_warm_solves():
    rng = np.random.default_rng(0)
    mip = Mip()
    x = mip.columns("x", 60, high=1, cost=-rng.random(60))
    first = rng.random((40, 60))
    mip.family("rows", [(first, np.broadcast_to(x, first.shape))], at_most=5)
    lp = LinearProgram(mip.program())
    cold = lp.solve()
    row = rng.random(60)
    side = row @ cold.values - 0.01  # cuts the solution off, barely
    lp.add_rows(-np.inf, [side], entries=(np.zeros(60, int), x, row))
    warm = lp.solve()
    mip.family("more", [(row, x[None, :])], at_most=side)
    fresh = LinearProgram(mip.program()).solve()
    assert warm.objective == pytest.approx(fresh.objective)
    assert warm.objective > cold.objective
    assert warm.iterations < fresh.iterations


def test_costs_bounds_and_sides_can_change():
    lp = LinearProgram(stock([[1, 1], [2, 0]], [4, 2]))
    assert lp.solve().objective == 3
    lp.change_costs(np.array([0]), 10.0)
    assert lp.solve().objective == 21
    lp.change_row_bounds(np.array([1]), 0.0, np.inf)
    assert lp.solve().objective == 2
    lp.change_bounds(np.array([1]), 0.0, 1.0)
    assert lp.solve().objective == 21
    lp.change_bounds(np.array([0]), 0.0, 1.0)
    assert lp.solve().status is MipStatus.INFEASIBLE


def test_no_time_gives_no_vertex():
    rng = np.random.default_rng(1)
    mip = Mip()
    x = mip.columns("x", 400, cost=rng.random(400))
    rows = rng.random((400, 400))
    mip.family("rows", [(rows, np.broadcast_to(x, rows.shape))], at_least=1)
    solution = LinearProgram(mip.program()).solve(MipOptions(seconds=-1.0))
    assert solution.status in (MipStatus.TIME_LIMIT, MipStatus.OPTIMAL)
    assert len(solution.values) == (400 if solution.status is MipStatus.OPTIMAL else 0)


def test_solve_takes_lps_too():
    answer = solve(stock([[2, 0], [0, 3]], [4, 6]))
    assert (answer.status, answer.objective, answer.bound) == (MipStatus.OPTIMAL, 4.0, 4.0)


def test_unbounded():
    mip = Mip()
    mip.columns("x", 1, cost=-1.0)
    assert solve(mip.program(), backend="highs").status is MipStatus.UNBOUNDED


def test_wrong_mips_and_entries():
    mip = Mip()
    mip.columns("x", 1, kind=Kind.INTEGER, high=1)
    with pytest.raises(InputError, match=r"A LinearProgram has no integer columns"):
        LinearProgram(mip.program())
    lp = LinearProgram(stock([[1, 1]], [1, 1]))
    with pytest.raises(InputError, match=r"The entries name row 5; there are 2\."):
        lp.add_columns([1.0], entries=([0], [5], [1.0]))


def test_columns_that_do_not_count_can_go():
    rng = np.random.default_rng(1)
    mip = Mip()
    x = mip.columns("x", 40, cost=rng.random(40) + 0.1)
    mip.family("rows", [(rng.random((15, 40)), np.broadcast_to(x, (15, 40)))], at_least=1)
    lp = LinearProgram(mip.program())
    before = lp.solve()
    idle = np.flatnonzero(before.reduced_costs > 1e-6)
    lp.delete_columns(idle)
    after = lp.solve()
    assert (lp.n_columns, after.iterations) == (40 - len(idle), 0)
    assert after.objective == pytest.approx(before.objective)
    assert after.values == pytest.approx(np.delete(before.values, idle))


def test_an_interrupt_is_not_lost_in_a_quick_solve(monkeypatch):
    # The solver comes to its end as if nothing had happened, since it looks up too late.
    monkeypatch.setattr("exactree.mip.linear.supervise", lambda work, *_: (work(), MipStatus.INTERRUPTED)[1])
    solution = LinearProgram(stock([[2, 0], [0, 3]], [4, 6])).solve()
    assert (solution.status, len(solution.values)) == (MipStatus.INTERRUPTED, 0)


class Lost:
    """HiGHS, lost in its first so many runs."""

    def __init__(self, solver, times):
        self.solver, self.times, self.cleared = solver, times, 0

    def __getattr__(self, name):
        return getattr(self.solver, name)

    def clearSolver(self):  # noqa: N802
        self.cleared += 1
        return self.solver.clearSolver()

    def getModelStatus(self):  # noqa: N802
        if self.times > 0:
            self.times -= 1
            return SimpleNamespace(name="kUnknown")
        return self.solver.getModelStatus()


@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_a_solver_that_is_lost_begins_anew(times):
    lp = LinearProgram(stock([[2, 0], [0, 3]], [4, 6]))
    lp._solver = lost = Lost(lp._solver, times)
    before = [lost.getOptionValue(name) for name in ("presolve", "simplex_strategy", "solver")]
    assert lp.solve(MipOptions(seconds=60)).objective == 4.0
    assert lost.cleared == times
    assert [lost.getOptionValue(name) for name in ("presolve", "simplex_strategy", "solver")] == before


def test_a_solver_that_stays_lost_says_so():
    lp = LinearProgram(stock([[2, 0], [0, 3]], [4, 6]))
    lp._solver = Lost(lp._solver, 10)
    solution = lp.solve()
    assert (solution.status, len(solution.values)) == (MipStatus.NUMERICAL_ERROR, 0)
