"""Runs matches: each job in a process of its own, contestants in turn, finished jobs skipped."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import IO, Protocol

from exactree.bench.backend import require, spread
from exactree.bench.job import Entry, Job, Match
from exactree.bench.ledger import Ledger
from exactree.bench.outcome import Ending, Outcome
from exactree.bench.worker import BEGUN

WORKER = ["-P", "-m", "exactree.bench.worker"]  # -P: no file in the working directory is taken for a package
SHORT = 5.0  # seconds by the clock: a longer run is not repeated, its noise is small
START_UP = 120.0  # seconds for imports and reading the table on a busy machine, before the fit's own clock starts
LATE, GRACE = 1.5, 10.0  # a fit is killed after LATE times its limit and GRACE seconds
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
TAIL = 300  # characters of standard error worth keeping


class Watch(Protocol):
    """Who wants to know how a suite goes on. Called from several threads."""

    def begin(self, total: int) -> None:
        """Take note that so many jobs are to come, at most."""

    def start(self, job: Job) -> None:
        """Take note that a job starts."""

    def done(self, job: Job, outcome: Outcome | None, *, known: bool) -> None:
        """Take note that a job ended, was known from before, or need not be run (no outcome)."""


class Runner:
    """Runs jobs on ``workers`` processes at a time; :meth:`stop` ends them all and keeps what is finished."""

    def __init__(self, folder: Path, ledger: Ledger, watch: Watch, backend: str | None = None) -> None:
        self.folder, self.ledger, self.watch = folder, ledger, watch
        self.backend = backend  # of joblib; None: threads of this process, each waiting for a worker process
        if backend is not None:
            require(backend)
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()

    def run(self, matches: Sequence[Match], workers: int = 1) -> None:
        """Run all jobs of the matches that the ledger does not know."""
        self.watch.begin(sum(len(match.entries) * match.repeats for match in matches))
        if self.backend is not None:
            self._run_by_backend(self.backend, matches, workers)
            return
        with ThreadPoolExecutor(max_workers=workers) as pool:
            futures = [pool.submit(self.play, match) for match in matches]
            try:
                wait(futures)
            except BaseException:
                self.stop()
                pool.shutdown(cancel_futures=True)
                raise
        for future in futures:
            future.result()

    def _run_by_backend(self, backend: str, matches: Sequence[Match], workers: int) -> None:
        """Run first rounds, then second ones of what was short, and so on."""
        finished: set[tuple[Match, Entry]] = set()
        for repeat in range(max((match.repeats for match in matches), default=0)):
            due: dict[Job, tuple[Match, Entry]] = {}
            for match in matches:
                for job in match.jobs():
                    entry = Entry(job.contestant, job.version, job.terms.threads)
                    if job.repeat != repeat:
                        continue
                    outcome = self.ledger.get(job)
                    if (match, entry) in finished:
                        self.watch.done(job, None, known=False)
                    elif outcome is None:
                        due[job] = (match, entry)
                    else:
                        self.watch.done(job, outcome, known=True)
                        finished |= {(match, entry)} if is_long(outcome) else set()
            for job, outcome in spread(list(due), fit_elsewhere, str(self.folder), backend, workers):
                self.ledger.add(job, outcome)
                self.watch.done(job, outcome, known=False)
                finished |= {due[job]} if is_long(outcome) else set()

    def stop(self) -> None:
        """Kill what is running; nothing is written of it."""
        self.stopped.set()
        with self._lock:
            for process in self._running:
                process.kill()

    def play(self, match: Match) -> None:
        """Run the jobs of one match in turn; a contestant whose run was long or without result is not repeated."""
        finished: set[Entry] = set()
        for job in match.jobs():
            if self.stopped.is_set():
                return
            entry = Entry(job.contestant, job.version, job.terms.threads)
            if entry in finished:
                self.watch.done(job, None, known=False)
                continue
            outcome = self.ledger.get(job)
            if known := outcome is not None:
                self.watch.done(job, outcome, known=known)
            else:
                outcome = self._run_one(job)
            if outcome is None:
                return
            if is_long(outcome):
                finished.add(entry)

    def _run_one(self, job: Job) -> Outcome | None:
        self.watch.start(job)
        outcome = self.fit(job)
        if self.stopped.is_set():
            return None
        self.ledger.add(job, outcome)
        self.watch.done(job, outcome, known=False)
        return outcome

    def fit(self, job: Job) -> Outcome:
        """Run one job in a process of its own, in a session of its own, so that Ctrl-C reaches this process only."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as noise:
            process = _worker(self.folder, noise, own_session=True)
            with self._lock:
                self._running.add(process)
            try:
                answer, late = _converse(process, job)
            finally:
                with self._lock:
                    self._running.discard(process)
            return Outcome.from_json(answer) if answer else _unanswered(process.returncode, late, noise)


def is_long(outcome: Outcome) -> bool:
    """Whether a fit took so long, or came to so little, that it is not repeated."""
    return outcome.wall is None or outcome.wall > SHORT


def fit_elsewhere(folder: str, job: str) -> str:
    """Run one job in a process of its own, for whoever carries texts between machines; Ctrl-C ends it too."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as noise:
        process = _worker(Path(folder), noise, own_session=False)
        answer, late = _converse(process, Job.from_json(job))
        return answer or _unanswered(process.returncode, late, noise).to_json()


def _worker(folder: Path, noise: IO[str], *, own_session: bool) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *WORKER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=noise,
        env=os.environ | ONE_THREAD,
        encoding="utf-8",
        start_new_session=own_session,
    )


def _converse(process: subprocess.Popen[str], job: Job) -> tuple[str, bool]:
    """Hand over the job, restart the clock when the fit begins, and return the last line and whether it was killed."""
    answer, clock = "", _Clock(process, START_UP)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(job.to_json())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it died at once; its return code tells
        for line in process.stdout:
            if line.strip() == BEGUN:
                clock.restart(LATE * job.terms.seconds + GRACE)
            else:
                answer = line
    clock.cancel()
    return answer, clock.rang


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
