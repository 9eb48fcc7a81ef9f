"""One job for whoever carries tasks between processes or machines, and how to end it there."""

import threading
from dataclasses import dataclass
from pathlib import Path

from exactree_bench.runner.job import Job
from exactree_bench.runner.outcome import Ending, Outcome
from exactree_bench.runner.process.worker_process import Conversation

_running: dict[Conversation, str] = {}  # with the token of the run that each belongs to
_ended: set[str] = set()  # tokens of runs that were stopped
_lock = threading.Lock()
STOPPED = Outcome(Ending.FAILED, reason="the run was stopped")


@dataclass(frozen=True)
class Fit:
    """A job as a task: texts and numbers alone, so that any back end can carry it and what came of it."""

    at: int  # the job's place in the run, which comes back with its outcome
    folder: str
    job: str
    token: str

    def __call__(self) -> tuple[int, str]:
        """Run the job in a process of its own."""
        with _lock:
            if self.token in _ended:  # it was on its way when the run was stopped
                return self.at, STOPPED.to_json()
            talk = Conversation(Path(self.folder))
            _running[talk] = self.token
        try:
            return self.at, talk.outcome(Job.from_json(self.job)).to_json()
        finally:
            with _lock:
                _running.pop(talk, None)

    def lost(self, reason: BaseException) -> tuple[int, str]:
        """What came of it if a cluster has lost it: one failed job must not end a suite."""
        text = " ".join(f"{type(reason).__name__}: {reason}".split())
        return self.at, Outcome(Ending.FAILED, reason=f"the cluster lost it: {text[:300]}").to_json()


def end_fits(token: str) -> None:
    """End the jobs of a run in this process; another run on the same cluster goes on."""
    with _lock:
        _ended.add(token)
        for talk, of in _running.items():
            if of == token:
                talk.kill()
