"""A job as a task that a joblib backend can send to another process or machine, and how to cancel it there."""

import threading
from dataclasses import dataclass
from pathlib import Path

from exactree_bench.runner.job import Job
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.runner.process.worker_process import WorkerProcess

_running: dict[WorkerProcess, str] = {}  # with the token of the run that each belongs to
_cancelled: set[str] = set()  # tokens of cancelled runs
_lock = threading.Lock()
CANCELLED = Outcome(Status.FAILED, reason="the run was cancelled")
LONGEST = 300  # characters of a reason


@dataclass(frozen=True)
class RemoteFit:
    """A job as a task. Only strings and integers, so that every backend can serialize it and its result."""

    index: int  # of the job in the run; returned with the outcome
    folder: str
    job: str
    token: str

    def __call__(self) -> tuple[int, str]:
        """Run the job in a worker process."""
        with _lock:
            if self.token in _cancelled:  # it was in transit when the run was cancelled
                return self.index, CANCELLED.to_json()
            worker = WorkerProcess(Path(self.folder))
            _running[worker] = self.token
        try:
            return self.index, worker.outcome(Job.from_json(self.job)).to_json()
        finally:
            with _lock:
                _running.pop(worker, None)

    def lost(self, reason: BaseException) -> tuple[int, str]:
        """Return the outcome of a task that the cluster lost: one failed job must not end a suite."""
        text = " ".join(f"{type(reason).__name__}: {reason}".split())
        return self.index, Outcome(Status.FAILED, reason=f"lost by the cluster: {text[:LONGEST]}").to_json()


def cancel_fits(token: str) -> None:
    """Kill the jobs of one run in this process; other runs on the same cluster continue."""
    with _lock:
        _cancelled.add(token)
        for worker, run in _running.items():
            if run == token:
                worker.kill()
