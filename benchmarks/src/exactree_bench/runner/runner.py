"""Runs matches: each job in a process of its own, contestants in turn, finished jobs skipped."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Protocol

from exactree_bench.runner.cluster.dispatch import require, spread
from exactree_bench.runner.job import Entry, Job, Match
from exactree_bench.runner.outcome import Outcome
from exactree_bench.runner.process.worker_process import Conversation
from exactree_bench.runner.run_log import Ledger

SHORT = 5.0  # seconds by the clock: a longer run is not repeated, its noise is small


class Callback(Protocol):
    """Who wants to know how a suite goes on. Called from several threads."""

    def begin(self, total: int) -> None:
        """Take note that so many jobs are to come, at most."""

    def start(self, job: Job) -> None:
        """Take note that a job starts."""

    def done(self, job: Job, outcome: Outcome | None, *, known: bool) -> None:
        """Take note that a job ended, was known from before, or need not be run (no outcome)."""


class Runner:
    """Runs jobs on ``workers`` processes at a time; :meth:`stop` ends them all and keeps what is finished."""

    def __init__(self, folder: Path, ledger: Ledger, callback: Callback, backend: str | None = None) -> None:
        self.folder, self.ledger, self.callback = folder, ledger, callback
        self.backend = backend  # who spreads jobs; None: threads of this process, each waiting for a worker process
        if backend is not None:
            require(backend)
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._running: set[Conversation] = set()

    def run(self, matches: Sequence[Match], workers: int = 1) -> None:
        """Run all jobs of the matches that the ledger does not know."""
        self.callback.begin(sum(len(match.entries) * match.repeats for match in matches))
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
                        self.callback.done(job, None, known=False)
                    elif outcome is None:
                        due[job] = (match, entry)
                    else:
                        self.callback.done(job, outcome, known=True)
                        finished |= {(match, entry)} if is_long(outcome) else set()
            with closing(spread(list(due), self.folder, backend, workers)) as outcomes:
                for job, outcome in outcomes:
                    self.ledger.add(job, outcome)
                    self.callback.done(job, outcome, known=False)
                    finished |= {due[job]} if is_long(outcome) else set()

    def stop(self) -> None:
        """Kill what is running; nothing is written of it."""
        self.stopped.set()
        with self._lock:
            for talk in self._running:
                talk.kill()

    def play(self, match: Match) -> None:
        """Run the jobs of one match in turn; a contestant whose run was long or without result is not repeated."""
        finished: set[Entry] = set()
        for job in match.jobs():
            if self.stopped.is_set():
                return
            entry = Entry(job.contestant, job.version, job.terms.threads)
            if entry in finished:
                self.callback.done(job, None, known=False)
                continue
            outcome = self.ledger.get(job)
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
        self.ledger.add(job, outcome)
        self.callback.done(job, outcome, known=False)
        return outcome

    def fit(self, job: Job) -> Outcome:
        """Run one job in a process of its own."""
        talk = Conversation(self.folder)
        with self._lock:
            self._running.add(talk)
        try:
            return talk.outcome(job)
        finally:
            with self._lock:
                self._running.discard(talk)


def is_long(outcome: Outcome) -> bool:
    """Whether a fit took so long, or came to so little, that it is not repeated."""
    return outcome.wall is None or outcome.wall > SHORT
