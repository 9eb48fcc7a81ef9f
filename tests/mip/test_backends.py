"""One suite for every back end installed: known answers, starts, cutoffs, limits, interrupts."""

import re
import signal
import threading
import time
from itertools import pairwise, product

import numpy as np
import pytest

from exactree import OCT, BinOCT, FlowOCT
from exactree.errors import InputError, Unsupported
from exactree.mip import BACKENDS, Kind, Mip, MipOptions, MipStatus, backend_for, installed, solve
from exactree.mip.choice import check_backend

from .conftest import knapsack


def assignment(costs):
    mip = Mip()
    given = mip.columns("given", costs.shape, kind=Kind.INTEGER, high=1, cost=costs)
    mip.family("each_worker", [(1, given)], at_least=1, at_most=1)
    mip.family("each_job", [(1, given.T)], at_least=1, at_most=1)
    return mip, given


def cover(n_points, sets):
    mip = Mip()
    used = mip.columns("used", len(sets), kind=Kind.INTEGER, high=1, cost=1)
    has = [(p, s) for s, members in enumerate(sets) for p in members]
    points, names = np.array(has).T
    mip.sparse_family("covered", n_points, [points], [used[names]], [np.ones(len(has))], at_least=1)
    return mip, used


def brute_knapsack(program):
    best = 0.0
    for bits in product((0.0, 1.0), repeat=program.n_columns):
        values = np.array(bits)
        if program.violation(values) == 0:
            best = min(best, program.objective(values))
    return best


def test_highs_is_always_there():
    assert "highs" in installed()


@pytest.mark.each("seed", range(4))
def test_knapsack_by_trying_everything(backend, seed):
    program = knapsack(10, 3, seed)[0].program()
    answer = solve(program, backend=backend, options=MipOptions(step=1))
    assert answer.status is MipStatus.OPTIMAL
    assert answer.objective == answer.bound == brute_knapsack(program)
    assert program.violation(answer.values) < 1e-6


@pytest.mark.skipif("cp-sat" not in installed(), reason="ortools is not installed")
def test_sums_that_cp_sat_cannot_be_trusted_with():
    program = assignment(np.full((3, 3), 2.0**28))[0].program()
    with pytest.raises(Unsupported, match=r"can reach .*, and beyond 1.07e\+09 its results are wrong"):
        solve(program, backend="cp-sat")
    assert solve(program).objective == 3 * 2.0**28


def test_assignment(backend):
    costs = np.array([[9, 2, 7, 8], [6, 4, 3, 7], [5, 8, 1, 8], [7, 6, 9, 4]])
    mip, given = assignment(costs)
    answer = solve(mip.program(), backend=backend)
    assert answer.objective == 13
    assert answer.values[given].argmax(axis=1).tolist() == [1, 0, 2, 3]


def test_cover(backend):
    mip, used = cover(5, [[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]])
    answer = solve(mip.program(), backend=backend)
    assert (answer.status, answer.objective) == (MipStatus.OPTIMAL, 3)  # the relaxation says 2.5
    assert answer.values[used].sum() == 3


def test_integers_that_are_not_binary_and_an_offset(backend):
    mip = Mip()
    x = mip.columns("x", 2, kind=Kind.INTEGER, low=-3, high=9, cost=[-3, -2])
    mip.family("a", [([2, 1], x[None, :])], at_most=10)
    mip.family("b", [([1, 3], x[None, :])], at_most=15)
    mip.offset = 100.0
    answer = solve(mip.program(), backend=backend)
    assert answer.objective == 100 - 3 * 3 - 2 * 4
    assert answer.values.tolist() == [3, 4]


def test_infeasible(backend):
    mip = Mip()
    x = mip.columns("x", 2, kind=Kind.INTEGER, high=1)
    mip.family("too_much", [(1, x[None, :])], at_least=3)
    answer = solve(mip.program(), backend=backend)
    assert (answer.status, answer.values) == (MipStatus.INFEASIBLE, None)


def test_implied_columns_come_out_whole(backend):
    mip = Mip()
    x = mip.columns("x", 3, kind=Kind.INTEGER, high=1, cost=[2, 3, 4])
    y = mip.columns("y", 3, kind=Kind.IMPLIED, high=5, cost=-1)
    mip.family("linked", [(1, y), (-2, x)], at_most=0)
    mip.family("one", [(1, x[None, :])], at_least=1)
    answer = solve(mip.program(), backend=backend)
    assert answer.objective == 0
    assert answer.values[y].tolist() == [2, 0, 0]


def test_indicator_rows(backend):
    # Either rows hold or their switch is off; the big M comes from the bounds.
    mip = Mip()
    on = mip.columns("on", 2, kind=Kind.INTEGER, high=1, cost=-10)
    x = mip.columns("x", 2, kind=Kind.INTEGER, high=7, cost=[-3, -4])
    mip.indicator("small", on, [(1, x)], at_most=[2, 5])
    answer = solve(mip.program(), backend=backend)
    assert answer.objective == -(3 * 7) - (10 + 4 * 5)
    assert answer.values.tolist() == [0, 1, 7, 5]


def test_a_start_is_taken_up(backend, long_program):
    # Read back: with no time to search, what comes out is what went in, or better.
    mip, take = knapsack(200, 30)
    seen = []

    def improved(now):
        if now.objective < 0:  # what went in costs 0
            raise KeyboardInterrupt

    def stop(now):
        seen.append(now.objective)
        if np.isfinite(now.objective):
            raise KeyboardInterrupt

    found = solve(long_program, backend=backend, options=MipOptions(step=1), callback=improved)
    mip.set_start(take, found.values[take])

    again = solve(mip.program(), backend=backend, options=MipOptions(step=1), callback=stop)
    assert again.objective <= found.objective
    assert next(value for value in seen if np.isfinite(value)) <= found.objective


def test_a_partial_start_does_no_harm(backend):
    mip, take = knapsack(12, 3)
    mip.set_start(take[:4], [1, 0, 1, 0])
    assert solve(mip.program(), backend=backend).objective == brute_knapsack(mip.program())


@pytest.mark.parametrize(("slack", "status"), [(0, MipStatus.OPTIMAL), (-1, MipStatus.INFEASIBLE)])
def test_cutoff(backend, slack, status):
    program = knapsack(10, 3)[0].program()
    best = brute_knapsack(program)
    answer = solve(program, backend=backend, options=MipOptions(step=1, cutoff=best + slack))
    assert answer.status is status


def test_time_limit_keeps_solution_and_bound(backend, long_program):
    answer = solve(long_program, backend=backend, options=MipOptions(seconds=2.0, step=1))
    assert answer.status is MipStatus.TIME_LIMIT
    assert answer.bound < answer.objective <= 0
    assert answer.objective == long_program.objective(answer.values)


def test_gap_limit(backend, long_program):
    answer = solve(long_program, backend=backend, options=MipOptions(step=1, gap=0.5))
    assert answer.status is MipStatus.GAP_REACHED
    assert answer.objective - answer.bound <= 0.5 * abs(answer.objective) + 1e-6


def test_memory_limit(backend, long_program):
    answer = solve(long_program, backend=backend, options=MipOptions(step=1, memory=1, seconds=300))
    assert answer.status is MipStatus.MEMORY_LIMIT


def test_watch_sees_objectives_fall_and_bounds_rise(backend):
    seen = []
    answer = solve(
        knapsack(60, 8)[0].program(), backend=backend, options=MipOptions(step=1, seconds=1), callback=seen.append
    )
    assert all(a.objective >= b.objective and a.bound <= b.bound for a, b in pairwise(seen))
    assert all(now.bound <= answer.objective for now in seen)


def test_interrupt_by_the_watch_keeps_the_best(backend, long_program):
    def stop(now):
        if np.isfinite(now.objective):
            raise KeyboardInterrupt

    answer = solve(long_program, backend=backend, options=MipOptions(step=1), callback=stop)
    assert answer.status is MipStatus.INTERRUPTED
    assert answer.objective == long_program.objective(answer.values)


def test_other_exceptions_of_the_watch_are_raised(backend, long_program):
    def fail(now):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        solve(long_program, backend=backend, callback=fail)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
def test_ctrl_c_keeps_the_best(backend, long_program):
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)

    def arm(now):
        if np.isfinite(now.objective) and not signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.setitimer(signal.ITIMER_REAL, 0.05)

    try:
        answer = solve(long_program, backend=backend, options=MipOptions(step=1), callback=arm)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert answer.status is MipStatus.INTERRUPTED
    assert answer.values is not None


def test_other_threads_go_on(backend, long_program):
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    solve(long_program, backend=backend, options=MipOptions(seconds=1.0, step=1))
    end = time.monotonic()
    done.set()
    thread.join()
    assert sum(begin + 0.3 < at < end - 0.3 for at in ticks) > 10


def test_the_same_again(backend):
    program = knapsack(30, 4)[0].program()
    first, second = (solve(program, backend=backend, options=MipOptions(seed=3)) for _ in range(2))
    assert first.values.tolist() == second.values.tolist()
    assert first.counters == second.counters


def test_the_log_is_for_those_who_ask(backend, capfd):
    lines = []
    program = knapsack(30, 4)[0].program()
    solve(program, backend=backend)
    assert capfd.readouterr() == ("", "")
    solve(program, backend=backend, options=MipOptions(log=lines.append))
    assert capfd.readouterr() == ("", "")
    assert lines


def test_continuous_columns_and_large_numbers_where_they_are_taken(backend):
    mip = Mip()
    x = mip.columns("x", 2, cost=[1.5, 1.0])
    on = mip.columns("on", 1, kind=Kind.INTEGER, high=1, cost=0.25)
    mip.family("need", [(1, x[None, :])], at_least=1.5)
    mip.family("only_if_on", [([1.0, -1.0], np.array([[x[1], on[0]]]))], at_most=0)
    program = mip.program()
    if (reason := BACKENDS[backend].refusal(program)) is not None:
        with pytest.raises(Unsupported, match=r"backend='cp-sat' cannot take this MIP: it takes only MIPs whose"):
            solve(program, backend=backend)
        assert "integers" in reason
        return
    assert solve(program, backend=backend).objective == pytest.approx(0.25 + 1.0 + 0.75)


def test_auto_takes_what_fits():
    whole = knapsack(5, 2)[0].program()
    mip = Mip()
    mip.columns("x", 1, high=1, cost=1)
    assert backend_for(mip.program()).name == "highs"
    assert backend_for(whole).name == ("cp-sat" if "cp-sat" in installed() else "highs")


def test_an_unknown_name():
    with pytest.raises(InputError, match=r"Unknown backend 'cplex'; choose one of auto, highs, cp-sat, scip, gurobi\."):
        check_backend("cplex")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("exactree.mip.choice.installed", lambda: ["highs"])
    with pytest.raises(InputError, match=r"backend='scip' needs the package pyscipopt: pip install 'exactree\[mip\]'"):
        check_backend("scip")
    with pytest.raises(InputError, match=r"backend='gurobi' needs the package gurobipy: pip install gurobipy\."):
        check_backend("gurobi")


def test_the_same_backends_are_named_everywhere():
    for solver in (BinOCT, OCT, FlowOCT):
        assert all(f'"{name}"' in solver.__doc__ for name in BACKENDS)


@pytest.mark.skipif("gurobi" not in installed(), reason="gurobipy is not installed: it is not asked for")
def test_a_mip_beyond_gurobi_s_licence_says_so():
    refused = ""
    try:
        solve(knapsack(2001, 1)[0].program(), backend="gurobi", options=MipOptions(step=1))
    except Unsupported as error:
        refused = str(error)
    if not refused:
        pytest.skip("this licence takes programs of any size")
    message = r"backend='gurobi' cannot take this MIP of 2001 columns and 1 rows: .*Use backend='highs'\."
    assert re.match(message, refused)
