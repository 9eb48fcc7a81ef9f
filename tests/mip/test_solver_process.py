"""Solver processes: one that does not respond, one that is gone, and what a fork inherits."""

import io
import multiprocessing
import os
import signal
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from exactree.errors import SolverBug
from exactree.memory import resident
from exactree.mip import MipOptions, MipStatus, installed, solve
from exactree.mip.process import solver_process, solver_worker

from .conftest import knapsack

APART = [name for name in ("highs", "cp-sat") if name in installed()]
SMALL = knapsack(10, 3)[0].program()


@pytest.fixture(params=APART)
def waiting(request):
    """A back end and the process that its next MIP will get."""
    solve(SMALL, backend=request.param)
    module = f"exactree.mip.backends.{request.param.replace('-', '_')}_worker"
    return request.param, solver_process._idle[module][-1]


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot hold a process")
def test_a_process_that_does_not_answer_is_ended_and_its_best_is_kept(waiting, long_program):
    backend, process = waiting

    def hold(now):
        if now.objective < 0 and process.poll() is None:  # what went in costs 0
            os.kill(process.pid, signal.SIGSTOP)

    answer = solve(long_program, backend=backend, options=MipOptions(seconds=1.0, step=1), callback=hold)
    assert process.poll() == -signal.SIGKILL
    assert answer.status is MipStatus.TIME_LIMIT
    assert answer.bound < answer.objective == long_program.objective(answer.values) < 0
    assert long_program.violation(answer.values) < 1e-6
    assert solve(SMALL, backend=backend).status is MipStatus.OPTIMAL  # by another process


def test_a_process_that_is_gone_is_reported(waiting, long_program):
    backend, process = waiting
    with pytest.raises(SolverBug, match=r"The process of (HiGHS|CP-SAT) ended with code -?\d+\."):
        solve(long_program, backend=backend, options=MipOptions(step=1), callback=lambda now: process.kill())


def test_mips_side_by_side_have_processes_of_their_own(waiting):
    backend, _ = waiting
    programs = [knapsack(12, 3, seed)[0].program() for seed in range(4)]
    alone = [solve(program, backend=backend).objective for program in programs]
    found = [np.nan] * len(programs)

    def run(i):
        found[i] = solve(programs[i], backend=backend).objective

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(programs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


@pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")
@pytest.mark.filterwarnings("ignore:.*fork")  # newer Pythons mind forks of processes with threads
def test_a_fork_does_not_use_its_parent_s_processes(waiting):
    backend, _ = waiting
    with multiprocessing.get_context("fork").Pool(1) as pool:
        asked = pool.apply_async(_objective, (backend,))
        here = _objective(backend)
        assert asked.get(timeout=60) == here


def _objective(backend):
    return [solve(knapsack(12, 3, seed)[0].program(), backend=backend).objective for seed in range(3)]


@pytest.fixture
def heard():
    """Return what a parent hears of some work in this process."""

    def run(work):
        out = io.BytesIO()
        solver_worker._solve(work, SMALL, MipOptions(), solver_worker.Reporter(out, wants_log=False))
        out.seek(0)
        heard = solver_process.ProcessRun("HiGHS", SimpleNamespace(stdin=io.BytesIO(), stdout=out), SMALL, MipOptions())
        heard.listen()
        return heard

    return run


def test_what_a_solver_took_back_does_not_count(heard):
    def work(program, options, reporter):
        reporter.progress(7.0, 6.5, np.array([1.0]))
        reporter.restart()
        reporter.progress(bound=2.0)
        reporter.done("OPTIMAL", {"nodes": 3.0})

    run = heard(work)
    assert (run.progress.objective, run.progress.bound, run.values.tolist()) == (7.0, 2.0, [1.0])
    assert (run.status, run.counters) == ("OPTIMAL", {"nodes": 3.0})


def test_the_best_solution_is_kept_not_the_latest(heard):
    def work(program, options, reporter):
        reporter.progress(5.0, 2.0, np.array([1.0]))
        reporter.progress(7.0, 3.0, np.array([2.0]))
        reporter.done("TIME_LIMIT", {})

    run = heard(work)
    assert (run.progress.objective, run.progress.bound, run.values.tolist()) == (5.0, 3.0, [1.0])


def test_a_solver_without_memory_keeps_what_it_found(heard):
    def work(program, options, reporter):
        reporter.progress(7.0, 2.0, np.array([1.0]))
        raise MemoryError

    run = heard(work)
    assert (run.stop_reason, run.status, run.values.tolist()) == (MipStatus.MEMORY_LIMIT, None, [1.0])


def test_a_solver_that_fails_is_reported(heard):
    def work(program, options, reporter):
        raise ValueError("malformed")

    with pytest.raises(SolverBug, match=r"HiGHS failed: ValueError: malformed\."):
        heard(work)


def test_a_request_to_stop_reaches_who_asks_late():
    reporter, asked = solver_worker.Reporter(io.BytesIO(), wants_log=False), []
    reporter.on_stop(lambda: asked.append("early"))
    reporter.stop()
    reporter.on_stop(lambda: asked.append("late"))
    assert (asked, reporter.stop_requested) == (["early", "late"], True)


def test_memory_held_from_earlier_mips_does_not_hide_what_a_mip_takes(waiting):
    backend, process = waiting
    small = MipOptions(memory=4 * resident(process.pid) + 2**26)
    assert solve(SMALL, backend=backend, options=small).status is MipStatus.OPTIMAL
    assert process.poll() is None
    held = resident(process.pid)
    answer = solve(SMALL, backend=backend, options=MipOptions(memory=2 * held, seconds=300))
    assert answer.status is MipStatus.OPTIMAL
    assert process.poll() is not None  # it held more than a quarter of the limit


def test_a_stop_before_the_mip_is_sent_ends_the_process():
    killed, pipe = [], io.BytesIO()
    process = SimpleNamespace(stdin=pipe, stdout=io.BytesIO(), kill=lambda: killed.append(True))
    run = solver_process.ProcessRun("HiGHS", process, SMALL, MipOptions())
    run.stop()
    assert (killed, pipe.getvalue()) == ([True], b"")  # no request gets into the middle of a MIP
