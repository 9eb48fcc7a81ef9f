"""Runs matches: each job in its own process, contestants in turn; finished jobs are skipped."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Protocol

from exactree_bench.runner.cluster.dispatch import require_backend, run_jobs
from exactree_bench.runner.job import Entry, Job, Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.process.worker_process import WorkerProcess
from exactree_bench.runner.run_log import RunLog

SHORT = 5.0  # seconds of wall time: a longer fit is not repeated, its relative noise is small


class ProgressCallback(Protocol):
    """Receives the progress of a suite. Called from several threads."""

    def begin(self, total: int) -> None:
        """Called with the number of jobs, at most, before a stage."""

    def start(self, job: Job) -> None:
        """Called when a job starts."""

    def done(self, job: Job, outcome: Outcome | None, *, known: bool) -> None:
        """Called when a job ended, was found in the run log (``known``), or is not repeated (no outcome)."""


class Runner:
    """Runs jobs, ``workers`` at a time; :meth:`stop` kills the running ones and keeps finished outcomes."""

    def __init__(self, folder: Path, run_log: RunLog, callback: ProgressCallback, backend: str | None = None) -> None:
        self.folder, self.run_log, self.callback = folder, run_log, callback
        self.backend = backend  # of joblib; None: threads of this process, each waiting for a worker process
        if backend is not None:
            require_backend(backend)
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._running: set[WorkerProcess] = set()

    def run(self, matches: Sequence[Match], workers: int = 1) -> None:
        """Run all jobs of the matches that are not in the run log."""
        self.callback.begin(sum(len(match.entries) * match.repeats for match in matches))
        if self.backend is not None:
            self._run_by_backend(self.backend, matches, workers)
            return
        with ThreadPoolExecutor(max_workers=workers) as pool:
            futures = [pool.submit(self.run_match, match) for match in matches]
            try:
                wait(futures)
            except BaseException:
                self.stop()
                pool.shutdown(cancel_futures=True)
                raise
        for future in futures:
            future.result()

    def _run_by_backend(self, backend: str, matches: Sequence[Match], workers: int) -> None:
        """Run every first repeat, then the second repeats of short fits, and so on."""
        finished: set[tuple[Match, Entry]] = set()
        for repeat in range(max((match.repeats for match in matches), default=0)):
            due: dict[Job, tuple[Match, Entry]] = {}
            for match in matches:
                for job in match.jobs():
                    entry = Entry(job.contestant, job.version, job.config.threads)
                    if job.repeat != repeat:
                        continue
                    outcome = self.run_log.get(job)
                    if (match, entry) in finished:
                        self.callback.done(job, None, known=False)
                    elif outcome is None:
                        due[job] = (match, entry)
                    else:
                        self.callback.done(job, outcome, known=True)
                        finished |= {(match, entry)} if is_long(outcome) else set()
            with closing(run_jobs(list(due), self.folder, backend, workers)) as outcomes:
                for job, outcome in outcomes:
                    self.run_log.add(job, outcome)
                    self.callback.done(job, outcome, known=False)
                    finished |= {due[job]} if is_long(outcome) else set()

    def stop(self) -> None:
        """Kill running jobs; they are not logged."""
        self.stopped.set()
        with self._lock:
            for worker in self._running:
                worker.kill()

    def run_match(self, match: Match) -> None:
        """Run the jobs of one match in turn; a contestant whose fit was long or failed is not repeated."""
        finished: set[Entry] = set()
        for job in match.jobs():
            if self.stopped.is_set():
                return
            entry = Entry(job.contestant, job.version, job.config.threads)
            if entry in finished:
                self.callback.done(job, None, known=False)
                continue
            outcome = self.run_log.get(job)
            if known := outcome is not None:
                self.callback.done(job, outcome, known=known)
            else:
                outcome = self._run_one(job)
            if outcome is None:
                return
            if is_long(outcome):
                finished.add(entry)

    def _run_one(self, job: Job) -> Outcome | None:
        self.callback.start(job)
        outcome = self.fit(job)
        if self.stopped.is_set():
            return None
        self.run_log.add(job, outcome)
        self.callback.done(job, outcome, known=False)
        return outcome

    def fit(self, job: Job) -> Outcome:
        """Run one job in its own process."""
        worker = WorkerProcess(self.folder)
        with self._lock:
            self._running.add(worker)
            if self.stopped.is_set():  # while the worker started
                worker.kill()
        try:
            return worker.outcome(job)
        finally:
            with self._lock:
                self._running.discard(worker)


def is_long(outcome: Outcome) -> bool:
    """Whether a fit is not repeated, because it took long or failed."""
    return outcome.wall is None or outcome.wall > SHORT
