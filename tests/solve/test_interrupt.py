"""Ctrl-C keeps the best tree; threads go on while the search runs. Nothing here depends on how fast the machine is."""

import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from exactree import (
    OCT,
    ODD,
    BinOCT,
    ColumnGeneration,
    Fairness,
    FalseNegatives,
    NotProvedWarning,
    OptimalTreeClassifier,
    Search,
)
from exactree.encode import encode
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Status
from exactree.table import Table
from exactree.testing import large_diagram_problem

needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")

CHILD = """
import numpy as np
from exactree import OptimalTreeClassifier
rng = np.random.default_rng(0)
tree = OptimalTreeClassifier(max_depth=5, time_limit=None, verbose=1)
tree.fit(rng.random((1000, 10)), rng.integers(0, 2, size=1000))
print(tree.status_, tree.cost_ < 500, tree.n_leaves_ > 1)
"""


class Armed(Search):
    """Search that sets a timer as soon as the kernel runs."""

    def solve(self, problem, budget, *, start=None, callback=None):
        def arm(progress):
            if not signal.getitimer(signal.ITIMER_REAL)[0]:
                signal.setitimer(signal.ITIMER_REAL, 0.05)

        return super().solve(problem, budget, start=start, callback=arm)


@pytest.fixture
def on_alarm():
    """Install a handler for the timer, and take both away again."""
    before = signal.getsignal(signal.SIGALRM)
    yield lambda handler: signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to whole process groups")
def test_interrupt_from_outside():
    with subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where tests run in the background
    ) as child:
        first = child.stderr.readline()  # the search is running
        child.send_signal(signal.SIGINT)
        try:
            out, rest = child.communicate(timeout=60)
        finally:
            child.kill()
    assert "gap" in first
    assert out.split() == ["interrupted", "True", "True"], rest
    assert child.returncode == 0
    assert "NotProvedWarning: Not proved optimal: the search was interrupted." in rest
    assert "KeyboardInterrupt" not in rest


@needs_timer
def test_interrupt_keeps_the_best_tree(hard_table, on_alarm):
    on_alarm(signal.default_int_handler)
    tree = OptimalTreeClassifier(max_depth=5, time_limit=None, solver=Armed())
    with pytest.warns(NotProvedWarning, match="the search was interrupted"):
        tree.fit(*hard_table)
    assert tree.status_ == "interrupted"
    assert tree.n_leaves_ > 1
    assert 0 <= tree.lower_bound_ < tree.cost_
    assert len(tree.predict(hard_table[0])) == len(hard_table[1])


@needs_timer
def test_interrupt_while_the_search_looks_for_a_start(hard_problem, on_alarm, monkeypatch):
    on_alarm(signal.default_int_handler)
    monkeypatch.setattr("exactree.solve.mip_runs.warm_starts.Search", Armed)
    held = replace(hard_problem, constraints=tuple(FalseNegatives(100, 1).limits(hard_problem.data)))
    found = BinOCT(warm_start="search").solve(held, Budget())
    assert found.status is Status.INTERRUPTED
    assert held.violations(found.model) == []
    assert "binaries" not in found.counters  # no program was begun after it


@pytest.mark.parametrize(
    ("solver", "step"),
    [
        (BinOCT(), "formulations.binoct.model.BinOctModel.set_start"),
        (OCT(), "formulations.oct.model.OctModel.set_start"),
        (ODD(start_seconds=0.1), "formulations.odd.model.OddModel.set_start"),
        (ODD(start_seconds=0.1), "formulations.odd.model.OddModel.__init__"),
    ],
)
def test_interrupt_while_a_mip_is_written(solver, step, hard_problem, monkeypatch):
    def stop(*args, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"exactree.solve.{step}", stop)
    problem = large_diagram_problem() if isinstance(solver, ODD) else hard_problem
    found = solver.solve(problem, Budget())
    assert found.status is Status.INTERRUPTED
    assert found.bound < found.cost == problem.cost(found.model)
    assert found.model.n_leaves > 1


@needs_timer
def test_another_exception_of_a_signal_handler_is_raised(hard_problem, on_alarm):
    def out_of_patience(number, frame):
        raise TimeoutError("enough")

    on_alarm(out_of_patience)
    with pytest.raises(TimeoutError, match="enough"):
        Armed().solve(hard_problem, Budget())


def test_keyboard_interrupt_in_watch_keeps_the_best_tree(hard_problem):
    def stop(progress):
        raise KeyboardInterrupt

    found = Search().solve(hard_problem, Budget(), callback=stop)
    assert found.status is Status.INTERRUPTED
    assert found.bound < found.cost == hard_problem.cost(found.model)


def test_other_threads_go_on(hard_problem):
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    Search().solve(hard_problem, Budget(seconds=1.0))
    end = time.monotonic()
    done.set()
    thread.join()
    # A search that held the lock would leave room for the few ticks before and after it.
    assert sum(begin + 0.2 < at < end - 0.2 for at in ticks) > 10


def test_two_searches_at_once(medium_problem):
    alone = Search().solve(medium_problem, Budget())
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(Search().solve(medium_problem, Budget()))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [s.model.same_as(alone.model) for s in found] == [True, True]


def test_a_stopped_run_reports_all_its_iterations():
    random = np.random.default_rng(3)  # the relaxation takes 10 iterations, branching 23 more
    X, y, groups = random.integers(0, 5, (14, 2)), random.integers(0, 2, 14), random.integers(0, 2, 14)
    data = encode(Table.of(X.astype(float)), y)
    limits = tuple(Fairness("demographic_parity", at_most=0.05, groups=groups).limits(data))
    problem = Problem(data, accuracy(data), Limits(max_depth=2), limits)

    def stop(now):
        if now.details.startswith("iteration 20,"):
            raise KeyboardInterrupt

    solver = ColumnGeneration(sampling="all", finish="branch-and-price", warm_start=None)
    found = solver.solve(problem, Budget(), callback=stop)
    assert found.status is Status.INTERRUPTED
    assert found.counters["iterations"] == 20
