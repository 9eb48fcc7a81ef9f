"""Runs a foreign solver in a thread and supervises it: clock, memory, gap, Ctrl-C and the caller's callback.

The solver's own callbacks only record what they see. The caller's code runs in the caller's thread, so an exception in
it, or Ctrl-C, never crosses foreign code. All back ends are stopped in the same way: by a request.
"""

import threading
import time
from collections.abc import Callable
from math import inf, isfinite

import numpy as np

from exactree.arrays import Floats
from exactree.errors import SolverBug
from exactree.memory import resident
from exactree.mip.interface import PROOFS, Callback, MipOptions, MipProgress, MipResult, MipStatus
from exactree.mip.program import Kind, Program
from exactree.tolerances import FEASIBILITY

POLL = 0.02  # seconds between two checks
REPORT = 1.0  # most seconds between two calls of the callback, which may ask to stop although there is no news


class SharedProgress:
    """Objective and bound as a solver's callbacks record them, and the request to stop that they read."""

    def __init__(self) -> None:
        self.started_at = time.monotonic()
        self.objective = inf
        self.bound = -inf
        self.first_objective = inf  # of the first solution reported
        self.stop_requested = False
        self._lock = threading.Lock()

    def update(self, objective: float | None = None, bound: float | None = None) -> None:
        """Record a solution or a bound; objectives only fall, bounds only rise."""
        with self._lock:
            if objective is not None and objective < self.objective:
                self.first_objective = objective if self.objective == inf else self.first_objective
                self.objective = objective
            if bound is not None and isfinite(bound) and bound > self.bound:
                self.bound = bound

    def reset_bound(self) -> None:
        """Discard the bound: the solver was wrong and restarts. Its solutions stay valid."""
        with self._lock:
            self.bound = -inf

    @property
    def snapshot(self) -> MipProgress:
        """Progress of the run; numerical noise never puts the bound above the objective."""
        with self._lock:
            return MipProgress(time.monotonic() - self.started_at, self.objective, min(self.bound, self.objective))


def supervise(
    work: Callable[[], None],
    stop: Callable[[], None],
    progress: SharedProgress,
    options: MipOptions,
    callback: Callback | None,
    *,
    memory_of: int | None = None,
) -> MipStatus | None:
    """Run ``work`` in a thread until it ends; return why it was asked to stop, or ``None`` if it was not.

    ``memory_of`` is the process whose memory counts, if not this one.
    """
    thread, limits = _SolverThread(work), _LimitChecker(progress, options, callback, memory_of)
    stop_reason: MipStatus | None = None
    raised: BaseException | None = None
    while not thread.done.is_set():
        try:
            thread.done.wait(POLL)
            if stop_reason is None:
                stop_reason = limits.check()
        except KeyboardInterrupt:
            stop_reason = MipStatus.INTERRUPTED
        except BaseException as reason:  # from the callback or a signal handler: raised once the solver has stopped
            stop_reason, raised = MipStatus.INTERRUPTED, reason
        if stop_reason is not None and not progress.stop_requested:
            progress.stop_requested = True
            stop()
    error = raised or thread.error
    if error is not None:
        raise error
    return stop_reason


class _SolverThread:
    """A thread that runs a solver and keeps the exception it raised.

    An event signals its end: an exception of a signal handler within Thread.join() makes Python 3.11 take the thread
    for ended.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self.work, self.done = work, threading.Event()
        self.error: BaseException | None = None
        threading.Thread(target=self._run, name="exactree-mip", daemon=True).start()

    def _run(self) -> None:
        try:
            self.work()
        except BaseException as reason:
            self.error = reason
        finally:
            self.done.set()


class _LimitChecker:
    """Checks clock, memory and gap, and calls back when objective or bound have changed, and once a second."""

    def __init__(
        self, progress: SharedProgress, options: MipOptions, callback: Callback | None, process: int | None
    ) -> None:
        self.progress, self.options, self.callback, self.process = progress, options, callback, process
        self.memory_before = resident(process) if options.memory is not None else 0
        self.reported, self.next_report = (inf, -inf), REPORT

    def check(self) -> MipStatus | None:
        options, now = self.options, self.progress.snapshot
        is_due = (now.objective, now.bound) != self.reported or now.seconds >= self.next_report
        if self.callback is not None and is_due:
            self.reported, self.next_report = (now.objective, now.bound), now.seconds + REPORT
            self.callback(now)
        if options.seconds is not None and now.seconds > options.seconds:
            return MipStatus.TIME_LIMIT
        if options.memory is not None and resident(self.process) - self.memory_before > options.memory:
            return MipStatus.MEMORY_LIMIT
        if options.gap > 0 and gap_reached(now.objective, now.bound, options.gap):
            return MipStatus.GAP_REACHED
        return None


def gap_reached(objective: float, bound: float, gap: float) -> bool:
    """Whether the bound is within a relative gap of the objective."""
    return isfinite(objective) and objective - bound <= gap * abs(objective)


def warm_start_counter(program: Program, accepted: bool) -> dict[str, float]:
    """Counter of whether a complete warm start was accepted; empty if there was none."""
    return {} if np.isnan(program.start).any() else {"start_accepted": float(accepted)}


def first_solution_is_start(program: Program, first_objective: float) -> bool:
    """Whether the first solution that a back end reports has the objective of the warm start: then it is the start."""
    expected = program.objective(np.nan_to_num(program.start))
    return abs(first_objective - expected) <= FEASIBILITY * max(1.0, abs(expected))


def final_result(
    program: Program,
    values: Floats | None,
    bound: float,
    claim: MipStatus | None,
    stop_reason: MipStatus | None,
    options: MipOptions,
    counters: dict[str, float],
) -> MipResult:
    """Combine the solver's claim, the reason why it was asked to stop, and the recomputed objective.

    A claimed proof counts whatever was requested; any other claim counts only if no stop was requested.
    """
    if values is not None:  # integer columns without the solver's noise
        values = np.where(program.kind == Kind.INTEGER, np.rint(values), values)
    objective = inf if values is None else program.objective(values)
    status = claim if claim in PROOFS else stop_reason or claim
    if status is None:
        raise SolverBug("The back end stopped without a reason.")
    noise = FEASIBILITY * max(1.0, abs(objective)) if values is not None else 0.0
    if values is not None and objective - bound <= max(noise, options.step * (1 - FEASIBILITY)):
        status = MipStatus.OPTIMAL
    elif status is MipStatus.OPTIMAL and options.gap > 0 and gap_reached(objective, bound, options.gap + FEASIBILITY):
        status = MipStatus.GAP_REACHED  # solvers call this optimal, too
    bound = min(bound, objective) if status is not MipStatus.OPTIMAL else objective
    return MipResult(status, values, objective, bound, counters)
