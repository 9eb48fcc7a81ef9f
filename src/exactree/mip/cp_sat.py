"""CP-SAT of OR-Tools: programs whose columns and coefficients are all whole numbers.

On BinOCT it was 6 to 40 times as fast as HiGHS and SCIP. With one thread it is deterministic. It runs in a process of
its own (``cp_sat_process`` says why), which is kept for the next program.
"""

import atexit
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf
from typing import Any, ClassVar

from exactree.errors import SolverBug
from exactree.mip.interface import Answer, Effort, MipStatus, Watch
from exactree.mip.program import Floats, Program
from exactree.mip.running import Board, begins_with, settled, started, supervise

STATUSES = {
    "OPTIMAL": MipStatus.OPTIMAL,
    "INFEASIBLE": MipStatus.INFEASIBLE,
    "FEASIBLE": None,  # ended by a limit, with a solution
    "UNKNOWN": None,  # ended by a limit, without
}
COMMAND = ["-P", "-m", "exactree.mip.cp_sat_process"]
# Found by comparing with all trees: OR-Tools 9.15 loses solutions in its presolve once a sum can reach 2**32 or so.
LARGEST = 2.0**30
GRACE = 0.5  # seconds to obey a request to stop, before the process is ended


class CpSat:
    """The fastest for all-integer programs with weak linear relaxations."""

    name: ClassVar[str] = "cp-sat"
    package: ClassVar[str] = "ortools"
    install: ClassVar[str] = "'exactree[mip]'"

    def refusal(self, program: Program) -> str | None:
        """Take only whole numbers."""
        if not program.all_integer:
            return "it takes programs whose columns are whole and bounded and whose coefficients are whole numbers only"
        if program.largest > LARGEST:
            return f"a row or the cost can reach {program.largest:.3g}, and beyond {LARGEST:.3g} its answers are wrong"
        return None

    def solve(self, program: Program, effort: Effort, watch: Watch | None = None) -> Answer:
        """Run CP-SAT in its process, with a thread here that listens."""
        with _process() as process:
            run = _Run(process, program, effort)
            ended = supervise(run.listen, run.stop, run.board, effort, watch, memory_of=process.pid)
        if run.status not in STATUSES:
            raise SolverBug(f"CP-SAT stopped with {run.status}, for which no meaning is recorded.")
        # Without a word from us it can only have been the clock.
        stopped = ended or MipStatus.TIME_LIMIT
        counters = run.counters | started(program, begins_with(program, run.board.first))
        return settled(program, run.values, run.board.bound, STATUSES[run.status], stopped, effort, counters)


class _Run:
    """One program in the process, and what is heard of it."""

    def __init__(self, process: "subprocess.Popen[bytes]", program: Program, effort: Effort) -> None:
        self.process, self.effort, self.board = process, effort, Board()
        self.values: Floats | None = None
        self.best = inf
        self.status, self.counters = "UNKNOWN", dict[str, float]()
        self._done = threading.Event()
        self._put("solve", program, replace(effort, log=None), effort.log is not None)

    def listen(self) -> None:
        """Read frames until the program is done, or the process is gone."""
        assert self.process.stdout is not None
        while not self._done.is_set():
            try:
                kind, *content = pickle.load(self.process.stdout)
            except (EOFError, pickle.UnpicklingError, OSError):
                self._done.set()
                code = self.process.wait()
                if not self.board.stop:
                    raise SolverBug(f"The process of CP-SAT ended with code {code}.") from None
                return
            getattr(self, f"_hear_{kind}")(*content)

    def stop(self) -> None:
        """Ask for an end; a process that does not obey is ended, and its last solution is kept."""
        self._put("stop")
        timer = threading.Timer(GRACE, lambda: None if self._done.is_set() else self.process.kill())
        timer.daemon = True
        timer.start()

    def _put(self, *frame: Any) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # it is gone: the listener finds out and says so
            pickle.dump(frame, self.process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()

    def _hear_seen(self, objective: float | None, bound: float, values: Floats | None) -> None:
        self.board.see(objective, bound)
        if values is not None and objective is not None and objective <= self.best:
            self.best, self.values = objective, values

    def _hear_log(self, text: str) -> None:
        if self.effort.log is not None:
            self.effort.log(text)

    def _hear_done(self, status: str, counters: dict[str, float]) -> None:
        self.status, self.counters = status, counters
        self._done.set()

    def _hear_failed(self, text: str) -> None:
        self._done.set()
        raise SolverBug(f"CP-SAT failed: {text}.")


_idle: list["subprocess.Popen[bytes]"] = []  # processes that wait for a program
_lock = threading.Lock()


@contextmanager
def _process() -> Iterator["subprocess.Popen[bytes]"]:
    """Lend an idle process, or start one: loading ortools takes longer than solving a small program."""
    process = _taken() or subprocess.Popen(
        [sys.executable, *COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        yield process
    except BaseException:
        _close(process)
        raise
    if process.poll() is None:
        with _lock:
            _idle.append(process)
    else:
        _close(process)


def _taken() -> "subprocess.Popen[bytes] | None":
    with _lock:
        while _idle:
            process = _idle.pop()
            if process.poll() is None:
                return process
            _close(process)
    return None


def _close(process: "subprocess.Popen[bytes]") -> None:
    """End a process and the pipes to it."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not yet sent is of no interest
                pipe.close()
    process.wait()


@atexit.register
def _close_all() -> None:
    while (process := _taken()) is not None:
        _close(process)
