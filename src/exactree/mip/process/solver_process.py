"""Solvers in their own processes: one MIP at a time each, reused for the next, killed when they do not respond.

A thread could not be killed. HiGHS was observed to ignore its callbacks for up to a minute within a large MIP.
"""

import atexit
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf
from typing import Any

from exactree.arrays import Floats
from exactree.errors import SolverBug
from exactree.memory import resident
from exactree.mip.interface import Callback, MipOptions, MipStatus
from exactree.mip.process.supervisor import SharedProgress, supervise
from exactree.mip.program import Program

GRACE = 0.5  # seconds to obey a request to stop, before the process is killed
KEPT = 0.25  # of the memory limit: most that a process may hold from earlier MIPs, which the limit does not count
# Ctrl-C in a terminal reaches all processes of a session, on Windows of a group: the parent alone answers it.
NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
Process = subprocess.Popen[bytes]


class ProcessRun:
    """One MIP in a solver process, and what the process has reported."""

    def __init__(self, solver: str, process: Process, program: Program, options: MipOptions) -> None:
        self.solver, self.process, self.options, self.progress = solver, process, options, SharedProgress()
        self.values: Floats | None = None  # of the best solution
        self.status: str | None = None  # the solver's own status; None if it was killed
        self.stop_reason: MipStatus | None = None  # None if it ended by itself
        self.counters: dict[str, float] = {}
        self._best = inf
        self._done, self._sent = threading.Event(), threading.Event()
        self._program = program

    def listen(self) -> None:
        """Send the MIP, then read messages until it is done, or the process is gone."""
        assert self.process.stdout is not None
        # Here, where the clock is watched from outside: a MIP of 20 million entries takes seconds to send.
        self._send("solve", self._program, replace(self.options, log=None), self.options.log is not None)
        self._sent.set()
        while not self._done.is_set():
            try:
                kind, *content = pickle.load(self.process.stdout)
            except (EOFError, pickle.UnpicklingError, OSError):
                self._done.set()
                code = self.process.wait()
                if not self.progress.stop_requested:
                    raise SolverBug(f"The process of {self.solver} ended with code {code}.") from None
                return
            getattr(self, f"_on_{kind}")(*content)

    def stop(self) -> None:
        """Request a stop; a process that does not obey is killed, and its last solution is kept."""
        if not self._sent.is_set():  # it has not begun, and a request would get into the middle of the MIP
            self.process.kill()
            return
        self._send("stop")
        timer = threading.Timer(GRACE, lambda: None if self._done.is_set() else self.process.kill())
        timer.daemon = True
        timer.start()

    def _send(self, *message: Any) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # the process is gone: listen() notices and raises
            pickle.dump(message, self.process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()

    def _on_progress(self, objective: float | None, bound: float | None, values: Floats | None) -> None:
        self.progress.update(objective, bound)
        if values is not None and objective is not None and objective <= self._best:
            self._best, self.values = objective, values

    def _on_restart(self) -> None:
        self.progress.reset_bound()

    def _on_log(self, text: str) -> None:
        if self.options.log is not None:
            self.options.log(text)

    def _on_done(self, status: str, counters: dict[str, float]) -> None:
        self.status, self.counters = status, counters
        self._done.set()

    def _on_out_of_memory(self) -> None:
        self.stop_reason = MipStatus.MEMORY_LIMIT
        self._done.set()

    def _on_failed(self, text: str) -> None:
        self._done.set()
        raise SolverBug(f"{self.solver} failed: {text}.")


def run_in_process(
    solver: str, module: str, program: Program, options: MipOptions, callback: Callback | None
) -> ProcessRun:
    """Solve a MIP in a process that runs ``module``, and return what the process reported."""
    with _solver_process(module, options.memory) as process:
        run = ProcessRun(solver, process, program, options)
        requested = supervise(run.listen, run.stop, run.progress, options, callback, memory_of=process.pid)
        run.stop_reason = run.stop_reason or requested
    return run


_idle: dict[str, list[Process]] = {}  # processes that wait for a MIP, by the module they run
_lock = threading.Lock()


@contextmanager
def _solver_process(module: str, memory: int | None) -> Iterator[Process]:
    """Reuse an idle process, or start one: loading a solver takes longer than solving a small MIP."""
    process = _pop_idle(module, memory) or subprocess.Popen(
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        creationflags=NEW_GROUP,
    )
    try:
        yield process
    except BaseException:
        _close(process)
        raise
    if process.poll() is None:
        with _lock:
            _idle.setdefault(module, []).append(process)
    else:
        _close(process)


def _pop_idle(module: str, memory: int | None = None) -> Process | None:
    with _lock:
        idle = _idle.get(module, [])
        while idle:
            process = idle.pop()
            if process.poll() is None and (memory is None or resident(process.pid) <= KEPT * memory):
                return process
            _close(process)
    return None


def _close(process: Process) -> None:
    """Kill a process and close the pipes to it."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # unsent data is of no interest
                pipe.close()
    process.wait()


@atexit.register
def _close_all() -> None:
    for module in list(_idle):
        while (process := _pop_idle(module)) is not None:
            _close(process)


def _reset_after_fork() -> None:
    """In the child of a fork: the processes and the lock belong to the parent."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
