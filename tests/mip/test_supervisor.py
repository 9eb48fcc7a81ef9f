"""What may be said of a run that was stopped, or that ended near its bound."""

import threading

import numpy as np
import pytest

from exactree.errors import SolverBug
from exactree.mip import Kind, Mip, MipOptions, MipStatus, resident
from exactree.mip.process.supervisor import SharedProgress, final_result, supervise

FIVE = np.array([5.0])


@pytest.fixture
def program():
    mip = Mip()
    mip.columns("x", 1, kind=Kind.INTEGER, high=9, cost=1.0)
    return mip.program()


@pytest.mark.parametrize(
    ("bound", "step", "status"),
    [
        (4.0, 1.0, MipStatus.TIME_LIMIT),  # 4 may be there
        (4.1, 1.0, MipStatus.OPTIMAL),  # nothing whole lies between
        (4.1, 0.0, MipStatus.TIME_LIMIT),
        (5.0 - 1e-9, 0.0, MipStatus.OPTIMAL),  # noise
    ],
)
def test_a_stopped_run_is_proved_if_nothing_fits_into_its_gap(program, bound, step, status):
    answer = final_result(program, FIVE, bound, None, MipStatus.TIME_LIMIT, MipOptions(step=step), {})
    assert answer.status is status
    assert answer.bound == (5.0 if status is MipStatus.OPTIMAL else bound)


def test_optimal_within_the_gap_asked_for_is_no_proof(program):
    answer = final_result(program, FIVE, 4.0, MipStatus.OPTIMAL, None, MipOptions(gap=0.25), {})
    assert (answer.status, answer.bound) == (MipStatus.GAP_REACHED, 4.0)


def test_values_are_rounded_and_scored_again(program):
    answer = final_result(program, FIVE - 1e-7, 5.0, MipStatus.OPTIMAL, None, MipOptions(), {})
    assert (answer.values.tolist(), answer.objective) == ([5.0], 5.0)


def test_an_end_without_a_reason(program):
    with pytest.raises(SolverBug, match=r"The back end stopped without a reason\."):
        final_result(program, None, 0.0, None, None, MipOptions(), {})


def test_what_goes_wrong_in_the_thread_is_raised_here():
    def fail():
        raise ValueError("foreign")

    with pytest.raises(ValueError, match="foreign"):
        supervise(fail, lambda: None, SharedProgress(), MipOptions(), None)


def test_boards_keep_the_best_of_both():
    progress = SharedProgress()
    for objective, bound in ((7.0, 1.0), (9.0, 3.0), (None, 2.0), (6.0, -np.inf)):
        progress.update(objective, bound)
    assert (progress.snapshot.objective, progress.snapshot.bound) == (6.0, 3.0)


def test_memory_of_a_process_that_is_not_there():
    assert resident(2**22 + 1) == 0  # beyond the largest number of a process


def test_a_callback_is_asked_again_without_news(monkeypatch):
    monkeypatch.setattr("exactree.mip.process.supervisor.REPORT", 0.0)
    stop, reports = threading.Event(), []

    def callback(progress):
        reports.append(progress)
        if len(reports) == 3:
            raise KeyboardInterrupt

    ended = supervise(stop.wait, stop.set, SharedProgress(), MipOptions(), callback)
    assert ended is MipStatus.INTERRUPTED
    assert {(report.objective, report.bound) for report in reports} == {(np.inf, -np.inf)}
