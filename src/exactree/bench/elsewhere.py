"""One job for whoever carries texts between processes or machines, and how to end it there."""

import threading
from pathlib import Path

from exactree.bench.conversation import Conversation
from exactree.bench.job import Job
from exactree.bench.outcome import Ending, Outcome

_running: dict[Conversation, str] = {}  # with the token of the run that each belongs to
_ended: set[str] = set()  # tokens of runs that were stopped
_lock = threading.Lock()
STOPPED = Outcome(Ending.FAILED, reason="the run was stopped")


def fit_elsewhere(folder: str, job: str, token: str = "") -> str:
    """Run one job in a process of its own, and return its outcome."""
    with _lock:
        if token in _ended:  # it was on its way when the run was stopped
            return STOPPED.to_json()
        talk = Conversation(Path(folder))
        _running[talk] = token
    try:
        return talk.outcome(Job.from_json(job)).to_json()
    finally:
        with _lock:
            _running.pop(talk, None)


def end_fits(token: str) -> None:
    """End the jobs of a run in this process; another run on the same cluster goes on."""
    with _lock:
        _ended.add(token)
        for talk, of in _running.items():
            if of == token:
                talk.kill()
