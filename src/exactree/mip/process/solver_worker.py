"""The worker side of a solver in its own process: MIPs come in, solutions and bounds go out.

Messages in both directions are pickled tuples. In: ``("solve", Program, MipOptions without log, wants_log)`` and
``("stop",)``. Out: ``("progress", objective or None, bound or None, values or None)``, ``("restart",)`` when all bounds
reported before are void, ``("log", text)``, ``("done", status, counters)``, ``("out_of_memory",)`` and
``("failed", text)``.
"""

import os
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from exactree.arrays import Floats
from exactree.mip.interface import MipOptions
from exactree.mip.program import Program


class Reporter:
    """Sends messages to the parent while one MIP is solved, and receives its request to stop."""

    def __init__(self, file: BinaryIO, wants_log: bool) -> None:
        self.wants_log, self.stop_requested = wants_log, False
        self._file, self._lock = file, threading.Lock()
        self._stop_actions: list[Callable[[], None]] = []

    def progress(
        self, objective: float | None = None, bound: float | None = None, values: Floats | None = None
    ) -> None:
        """Report a solution or a bound."""
        self._send("progress", objective, bound, values)

    def restart(self) -> None:
        """Withdraw all bounds reported so far: the solver restarts."""
        self._send("restart")

    def log(self, text: str) -> None:
        """Forward a log line of the solver."""
        self._send("log", text)

    def done(self, status: str, counters: dict[str, float]) -> None:
        """Report the end, with the solver's own status."""
        self._send("done", status, counters)

    def out_of_memory(self) -> None:
        """Report that memory is used up; what was reported before stays valid."""
        self._send("out_of_memory")

    def failed(self, text: str) -> None:
        """Report an error; the parent raises it."""
        self._send("failed", text)

    def stop(self) -> None:
        """Forward a request to stop."""
        with self._lock:
            self.stop_requested = True
            actions = list(self._stop_actions)
        for action in actions:
            action()

    def on_stop(self, action: Callable[[], None]) -> None:
        """Register what to call on a request to stop; if there was one already, it is called at once."""
        with self._lock:
            self._stop_actions.append(action)
            late = self.stop_requested
        if late:
            action()

    def _send(self, *message: Any) -> None:
        with self._lock:  # callbacks come from several threads
            pickle.dump(message, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._file.flush()


SolveFunction = Callable[[Program, MipOptions, Reporter], None]


def run_worker(solve: SolveFunction) -> int:
    """Solve what comes in, one MIP at a time, until the parent closes the pipe."""
    messages, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a solver prints gets among the messages
    reporter: Reporter | None = None
    while True:
        try:
            kind, *content = pickle.load(messages)
        except EOFError:
            os._exit(0)  # also during a solve: the parent is gone
        if kind == "stop":
            if reporter is not None:
                reporter.stop()
            continue
        program, options, wants_log = content
        reporter = Reporter(out, wants_log)
        threading.Thread(target=_solve, args=(solve, program, options, reporter), daemon=True).start()


def _solve(solve: SolveFunction, program: Program, options: MipOptions, reporter: Reporter) -> None:
    try:
        solve(program, options, reporter)
    except MemoryError:
        reporter.out_of_memory()
    except Exception as reason:  # reported to the parent, which raises it
        reporter.failed(f"{type(reason).__name__}: {reason}")
