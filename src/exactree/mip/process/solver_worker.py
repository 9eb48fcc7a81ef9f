"""The far side of a solver in a process of its own: programs come in, what is found goes out.

Frames in both directions are pickled tuples. In: ``("solve", Program, Effort without log, wants_log)``, ``("stop",)``.
Out: ``("seen", objective or None, bound or None, values or None)``, ``("anew",)`` when all told before is void,
``("log", text)``, ``("done", status, counters)``, ``("starved",)`` when memory is used up, and ``("failed", text)``.
"""

import os
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from exactree.arrays import Floats
from exactree.mip.interface import Effort
from exactree.mip.program import Program


class Line:
    """The line to the parent while one program is solved: what is told there, and whether it asks for an end."""

    def __init__(self, file: BinaryIO, wants_log: bool) -> None:
        self.wants_log, self.stopped = wants_log, False
        self._file, self._lock = file, threading.Lock()
        self._ways: list[Callable[[], None]] = []

    def seen(self, objective: float | None = None, bound: float | None = None, values: Floats | None = None) -> None:
        """Tell of a solution or a bound."""
        self._put("seen", objective, bound, values)

    def anew(self) -> None:
        """Take back all that was told: the solver begins once more."""
        self._put("anew")

    def log(self, text: str) -> None:
        """Pass on a line of the solver's own."""
        self._put("log", text)

    def done(self, status: str, counters: dict[str, float]) -> None:
        """Tell how it ended, in the solver's own word."""
        self._put("done", status, counters)

    def starved(self) -> None:
        """Tell that there is no memory left; what was told before still holds."""
        self._put("starved")

    def failed(self, text: str) -> None:
        """Tell what went wrong; the parent raises it."""
        self._put("failed", text)

    def stop(self) -> None:
        """Pass on that an end is asked for."""
        with self._lock:
            self.stopped = True
            ways = list(self._ways)
        for way in ways:
            way()

    def on_stop(self, way: Callable[[], None]) -> None:
        """Name what to call when an end is asked for; if it was already, it is called at once."""
        with self._lock:
            self._ways.append(way)
            late = self.stopped
        if late:
            way()

    def _put(self, *frame: Any) -> None:
        with self._lock:  # callbacks come from several threads
            pickle.dump(frame, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._file.flush()


Work = Callable[[Program, Effort, Line], None]


def serve(work: Work) -> int:
    """Solve what comes in, one program at a time, until the parent closes the pipe."""
    frames, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a solver prints gets among the frames
    line: Line | None = None
    while True:
        try:
            kind, *content = pickle.load(frames)
        except EOFError:
            os._exit(0)  # also while a solve runs: nobody is left to hear of it
        if kind == "stop":
            if line is not None:
                line.stop()
            continue
        program, effort, wants_log = content
        line = Line(out, wants_log)
        threading.Thread(target=_solve, args=(work, program, effort, line), daemon=True).start()


def _solve(work: Work, program: Program, effort: Effort, line: Line) -> None:
    try:
        work(program, effort, line)
    except MemoryError:
        line.starved()
    except Exception as reason:  # told to the parent, which raises it
        line.failed(f"{type(reason).__name__}: {reason}")
