"""What may be said of a run that was stopped, or that ended near its bound."""

import numpy as np
import pytest

from exactree.errors import SolverBug
from exactree.mip import Effort, Kind, Mip, MipStatus
from exactree.mip.process.supervisor import Board, settled, supervise

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
    answer = settled(program, FIVE, bound, None, MipStatus.TIME_LIMIT, Effort(step=step), {})
    assert answer.status is status
    assert answer.bound == (5.0 if status is MipStatus.OPTIMAL else bound)


def test_optimal_within_the_gap_asked_for_is_no_proof(program):
    answer = settled(program, FIVE, 4.0, MipStatus.OPTIMAL, None, Effort(gap=0.25), {})
    assert (answer.status, answer.bound) == (MipStatus.GAP_REACHED, 4.0)


def test_values_are_rounded_and_scored_again(program):
    answer = settled(program, FIVE - 1e-7, 5.0, MipStatus.OPTIMAL, None, Effort(), {})
    assert (answer.values.tolist(), answer.objective) == ([5.0], 5.0)


def test_an_end_without_a_reason(program):
    with pytest.raises(SolverBug, match=r"The back end stopped without a reason\."):
        settled(program, None, 0.0, None, None, Effort(), {})


def test_what_goes_wrong_in_the_thread_is_raised_here():
    def fail():
        raise ValueError("foreign")

    with pytest.raises(ValueError, match="foreign"):
        supervise(fail, lambda: None, Board(), Effort(), None)


def test_boards_keep_the_best_of_both():
    board = Board()
    for objective, bound in ((7.0, 1.0), (9.0, 3.0), (None, 2.0), (6.0, -np.inf)):
        board.see(objective, bound)
    assert (board.seen.objective, board.seen.bound) == (6.0, 3.0)
