"""Runs a foreign solver in a thread and keeps watch over it: clock, memory, gap, Ctrl-C and the caller's callback.

The solver's own callbacks only write down what they see; the caller's code runs in the caller's thread, so that an
exception in it, or Ctrl-C, never crosses foreign code. All back ends are stopped in the same way: by asking.
"""

import threading
import time
from collections.abc import Callable
from math import inf, isfinite

import numpy as np

from exactree.errors import SolverBug
from exactree.memory import resident
from exactree.mip.interface import Answer, Callback, Effort, MipStatus, Seen
from exactree.mip.program import Floats, Kind, Program

POLL = 0.02  # seconds between two looks
TOLERANCE = 1e-6  # of foreign solvers, relative to the numbers at hand: objectives nearer than this are the same


class Board:
    """Where a solver's callbacks write what they see, and where they read that they shall stop."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.objective = inf
        self.bound = -inf
        self.first = inf  # objective of the first solution that was heard of
        self.stop = False
        self._lock = threading.Lock()

    def see(self, objective: float | None = None, bound: float | None = None) -> None:
        """Take note; objectives only fall, bounds only rise."""
        with self._lock:
            if objective is not None and objective < self.objective:
                self.first = objective if self.objective == inf else self.first
                self.objective = objective
            if bound is not None and isfinite(bound) and bound > self.bound:
                self.bound = bound

    def forget_bound(self) -> None:
        """Take back the bound: the solver was wrong, and begins once more. Solutions are solutions all the same."""
        with self._lock:
            self.bound = -inf

    @property
    def seen(self) -> Seen:
        """Where the run stands; noise never puts the bound above the objective."""
        with self._lock:
            return Seen(time.monotonic() - self.begun, self.objective, min(self.bound, self.objective))


def supervise(
    work: Callable[[], None],
    stop: Callable[[], None],
    board: Board,
    effort: Effort,
    callback: Callback | None,
    *,
    memory_of: int | None = None,
) -> MipStatus | None:
    """Run ``work`` in a thread until it ends; return why it was asked to stop, or ``None`` if it was not.

    ``memory_of`` is the process whose memory counts, if not this one.
    """
    worker, overseer = _Worker(work), _Overseer(board, effort, callback, memory_of)
    ended: MipStatus | None = None
    raised: BaseException | None = None
    while not worker.done.is_set():
        try:
            worker.done.wait(POLL)
            if ended is None:
                ended = overseer.look()
        except KeyboardInterrupt:
            ended = MipStatus.INTERRUPTED
        except (
            BaseException
        ) as reason:  # of the caller's callback, or of a signal handler: raised once the solver rests
            ended, raised = MipStatus.INTERRUPTED, reason
        if ended is not None and not board.stop:
            board.stop = True
            stop()
    trouble = raised or worker.failed
    if trouble is not None:
        raise trouble
    return ended


class _Worker:
    """A thread that does some work and keeps what went wrong.

    Its end is told by an event: an exception of a signal handler within Thread.join() makes Python 3.11 take the
    thread for ended.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self.work, self.done = work, threading.Event()
        self.failed: BaseException | None = None
        threading.Thread(target=self._run, name="exactree-mip", daemon=True).start()

    def _run(self) -> None:
        try:
            self.work()
        except BaseException as reason:
            self.failed = reason
        finally:
            self.done.set()


class _Overseer:
    """Looks at the clock, the memory and the gap, and calls back on changes."""

    def __init__(self, board: Board, effort: Effort, callback: Callback | None, process: int | None) -> None:
        self.board, self.effort, self.callback, self.process = board, effort, callback, process
        self.before = resident(process) if effort.memory is not None else 0
        self.told = (inf, -inf)

    def look(self) -> MipStatus | None:
        effort, seen = self.effort, self.board.seen
        if self.callback is not None and (seen.objective, seen.bound) != self.told:
            self.told = (seen.objective, seen.bound)
            self.callback(seen)
        if effort.seconds is not None and seen.seconds > effort.seconds:
            return MipStatus.TIME_LIMIT
        if effort.memory is not None and resident(self.process) - self.before > effort.memory:
            return MipStatus.MEMORY_LIMIT
        if effort.gap > 0 and near(seen.objective, seen.bound, effort.gap):
            return MipStatus.GAP_REACHED
        return None


def near(objective: float, bound: float, gap: float) -> bool:
    """Whether the bound is within a relative gap of the objective."""
    return isfinite(objective) and objective - bound <= gap * abs(objective)


def started(program: Program, accepted: bool) -> dict[str, float]:
    """Counter that says whether a complete start was taken; without one there is nothing to count."""
    return {} if np.isnan(program.start).any() else {"start_accepted": float(accepted)}


def begins_with(program: Program, first: float) -> bool:
    """Whether the first solution that a back end tells of costs what its start does: it then is the start."""
    wanted = program.objective(np.nan_to_num(program.start))
    return abs(first - wanted) <= TOLERANCE * max(1.0, abs(wanted))


def settled(
    program: Program,
    values: Floats | None,
    bound: float,
    claim: MipStatus | None,
    ended: MipStatus | None,
    effort: Effort,
    counters: dict[str, float],
) -> Answer:
    """Put together what a solver claims, why it was asked to stop, and what its values are worth."""
    if values is not None:  # whole columns without the solver's noise
        values = np.where(program.kind == Kind.INTEGER, np.rint(values), values)
    objective = inf if values is None else program.objective(values)
    status = claim if claim is not None else ended
    if status is None:
        raise SolverBug("The back end stopped without a reason.")
    noise = TOLERANCE * max(1.0, abs(objective)) if values is not None else 0.0
    if values is not None and objective - bound <= max(noise, effort.step * (1 - TOLERANCE)):
        status = MipStatus.OPTIMAL
    elif status is MipStatus.OPTIMAL:
        # Solvers call it optimal when the gap asked for is reached, too.
        status = MipStatus.GAP_REACHED if effort.gap > 0 and near(objective, bound, effort.gap + TOLERANCE) else status
    bound = min(bound, objective) if status is not MipStatus.OPTIMAL else objective
    return Answer(status, values, objective, bound, counters)
