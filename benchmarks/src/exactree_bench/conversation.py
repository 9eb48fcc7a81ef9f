"""A job handed to a worker process, and what is heard of it.

The worker's standard input stays open until it has answered: when the process that started it is gone, however that
came, the worker reads the end of it and ends as well.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from exactree_bench.job import Job
from exactree_bench.outcome import Ending, Outcome
from exactree_bench.worker import BEGUN

WORKER = ["-P", "-m", "exactree_bench.worker"]  # -P: no file in the working directory is taken for a package
START_UP = 120.0  # seconds for imports and reading the table on a busy machine, before the fit's own clock starts
LATE, GRACE = 1.5, 10.0  # a fit is killed after LATE times its limit and GRACE seconds
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # what Windows has for a session
TAIL = 300  # characters of standard error worth keeping


class Conversation:
    """A worker process with one job, in a session of its own, so that Ctrl-C reaches its parent only."""

    def __init__(self, folder: Path) -> None:
        self._noise = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - outcome() closes it
        self._process = subprocess.Popen(
            [sys.executable, *WORKER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._noise,
            env=os.environ | ONE_THREAD,
            encoding="utf-8",
            start_new_session=True,
            creationflags=NEW_GROUP,
        )

    def outcome(self, job: Job) -> Outcome:
        """Hand over the job and wait for what comes of it; whatever happens, the worker is gone afterwards."""
        with self._noise as noise:
            answer, late = _converse(self._process, job)
            return Outcome.from_json(answer) if answer else _unanswered(self._process.returncode, late, noise)

    def kill(self) -> None:
        """End the worker, if it has not ended."""
        self._process.kill()


def _converse(process: subprocess.Popen[str], job: Job) -> tuple[str, bool]:
    """Hand over the job, restart the clock when the fit begins, and return the last line and whether it was killed."""
    answer, clock = "", _Clock(process, START_UP)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            _hand_over(process.stdin, job)
            for line in process.stdout:
                if line.strip() == BEGUN:
                    clock.restart(LATE * job.terms.seconds + GRACE)
                else:
                    answer = line
        except BaseException:  # such as Ctrl-C: nobody is left to hear of it
            process.kill()
            raise
    clock.cancel()
    return answer, clock.rang


def _hand_over(pipe: IO[str], job: Job) -> None:
    try:
        pipe.write(job.to_json() + "\n")
        pipe.flush()
    except OSError:  # it died at once; its return code tells
        with suppress(OSError):
            pipe.close()


class _Clock:
    """Kills a process when the time is up."""

    def __init__(self, process: subprocess.Popen[str], seconds: float) -> None:
        self.process, self.rang = process, False
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        self.cancel()
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        if hasattr(self, "_timer"):
            self._timer.cancel()

    def _ring(self) -> None:
        self.rang = True
        self.process.kill()


def _unanswered(code: int, late: bool, noise: IO[str]) -> Outcome:
    """Say why a worker ended without an answer."""
    noise.seek(0)
    said = " ".join(noise.read()[-TAIL:].split())
    if late:
        return Outcome(Ending.KILLED, reason="did not stop at its time limit")
    if "bad_alloc" in said or "MemoryError" in said:
        return Outcome(Ending.MEMORY, reason="the memory limit was reached")
    ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return Outcome(Ending.FAILED, reason=f"{ended}: {said}" if said else ended)
