"""Solvers in processes of their own: lent to one program at a time, kept for the next, ended when they do not answer.

A thread could not be ended. HiGHS was seen to look at nothing for up to a minute, in the middle of a large program.
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

from exactree.errors import SolverBug
from exactree.mip.interface import Callback, Effort, MipStatus
from exactree.mip.process.supervisor import Board, supervise
from exactree.mip.program import Floats, Program

GRACE = 0.5  # seconds to obey a request to stop, before the process is ended
# Ctrl-C in a terminal reaches all processes of a session, on Windows of a group: the parent alone answers it.
NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
Process = subprocess.Popen[bytes]


class Run:
    """One program in a process of its own, and what is heard of it."""

    def __init__(self, solver: str, process: Process, program: Program, effort: Effort) -> None:
        self.solver, self.process, self.effort, self.board = solver, process, effort, Board()
        self.values: Floats | None = None  # of the best solution
        self.status: str | None = None  # the solver's own word; None if it had to be ended
        self.ended: MipStatus | None = None  # why it was asked to stop, or had to; None if it came to its own end
        self.counters: dict[str, float] = {}
        self._best = inf
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
                    raise SolverBug(f"The process of {self.solver} ended with code {code}.") from None
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

    def _hear_seen(self, objective: float | None, bound: float | None, values: Floats | None) -> None:
        self.board.see(objective, bound)
        if values is not None and objective is not None and objective <= self._best:
            self._best, self.values = objective, values

    def _hear_anew(self) -> None:
        self.board.forget_bound()

    def _hear_log(self, text: str) -> None:
        if self.effort.log is not None:
            self.effort.log(text)

    def _hear_done(self, status: str, counters: dict[str, float]) -> None:
        self.status, self.counters = status, counters
        self._done.set()

    def _hear_starved(self) -> None:
        self.ended = MipStatus.MEMORY_LIMIT
        self._done.set()

    def _hear_failed(self, text: str) -> None:
        self._done.set()
        raise SolverBug(f"{self.solver} failed: {text}.")


def run_apart(solver: str, module: str, program: Program, effort: Effort, callback: Callback | None) -> Run:
    """Solve a program in a process that runs ``module``, and return what was heard of it."""
    with _lent(module) as process:
        run = Run(solver, process, program, effort)
        asked = supervise(run.listen, run.stop, run.board, effort, callback, memory_of=process.pid)
        run.ended = run.ended or asked
    return run


_idle: dict[str, list[Process]] = {}  # processes that wait for a program, by the module they run
_lock = threading.Lock()


@contextmanager
def _lent(module: str) -> Iterator[Process]:
    """Lend an idle process, or start one: loading a solver takes longer than solving a small program."""
    process = _taken(module) or subprocess.Popen(
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


def _taken(module: str) -> Process | None:
    with _lock:
        idle = _idle.get(module, [])
        while idle:
            process = idle.pop()
            if process.poll() is None:
                return process
            _close(process)
    return None


def _close(process: Process) -> None:
    """End a process and the pipes to it."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not yet sent is of no interest
                pipe.close()
    process.wait()


@atexit.register
def _close_all() -> None:
    for module in list(_idle):
        while (process := _taken(module)) is not None:
            _close(process)


def _forget() -> None:
    """After a fork: the processes and the lock belong to the parent."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
