"""Starts a worker process, sends it a job, and reads its outcome.

The worker's standard input stays open until it has answered. When the parent process ends for any reason, the worker
reads end-of-file and exits too.
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

from exactree_bench.runner.job import Job
from exactree_bench.runner.outcome import Outcome, Status

# -P: no file in the working directory is taken for a package
STARTED = "started"  # the line with which a worker reports that its fit starts
WORKER = ["-P", "-m", "exactree_bench.runner.process.worker"]
START_UP = 120.0  # seconds for imports and reading the table on a busy machine, before the time limit starts
LATE, GRACE = 1.5, 10.0  # a fit is killed after LATE times its time limit plus GRACE seconds
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # what Windows has for a session
TAIL = 300  # characters of standard error that are kept


class WorkerProcess:
    """A worker process for one job, in its own session, so that Ctrl-C reaches only its parent."""

    def __init__(self, folder: Path) -> None:
        self._stderr = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - outcome() closes it
        self._process = subprocess.Popen(
            [sys.executable, *WORKER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=os.environ | ONE_THREAD,
            encoding="utf-8",
            start_new_session=True,
            creationflags=NEW_GROUP,
        )

    def outcome(self, job: Job) -> Outcome:
        """Send the job and wait for its outcome; the worker has ended when this returns or raises."""
        with self._stderr as stderr:
            answer, expired = _exchange(self._process, job)
            return Outcome.from_json(answer) if answer else _without_answer(self._process.returncode, expired, stderr)

    def kill(self) -> None:
        """Kill the worker, if it is running."""
        self._process.kill()


def _exchange(process: subprocess.Popen[str], job: Job) -> tuple[str, bool]:
    """Send the job, restart the deadline when the fit starts, and return the last line and whether time ran out."""
    answer, deadline = "", _Deadline(process, START_UP)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            _send(process.stdin, job)
            for line in process.stdout:
                if line.strip() == STARTED:
                    deadline.restart(LATE * job.config.seconds + GRACE)
                else:
                    answer = line
        except BaseException:  # such as Ctrl-C
            process.kill()
            raise
    deadline.cancel()
    return answer, deadline.expired


def _send(pipe: IO[str], job: Job) -> None:
    try:
        pipe.write(job.to_json() + "\n")
        pipe.flush()
    except OSError:  # it died at once; see its return code
        with suppress(OSError):
            pipe.close()


class _Deadline:
    """Kills a process when time runs out."""

    def __init__(self, process: subprocess.Popen[str], seconds: float) -> None:
        self.process, self.expired = process, False
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        self.cancel()
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        if hasattr(self, "_timer"):
            self._timer.cancel()

    def _expire(self) -> None:
        self.expired = True
        self.process.kill()


def _without_answer(code: int, expired: bool, stderr: IO[str]) -> Outcome:
    """Return the outcome of a worker that ended without an answer."""
    stderr.seek(0)
    text = " ".join(stderr.read()[-TAIL:].split())
    if expired:
        return Outcome(Status.KILLED, reason="did not stop at its time limit")
    if "bad_alloc" in text or "MemoryError" in text:
        return Outcome(Status.MEMORY, reason="the memory limit was reached")
    ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return Outcome(Status.FAILED, reason=f"{ended}: {text}" if text else ended)
