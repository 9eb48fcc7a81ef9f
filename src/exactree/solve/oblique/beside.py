"""The univariate search beside the search for oblique splits, in a thread of its own; the better model counts."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from exactree.errors import Unsupported
from exactree.solve.callback import memory_for
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status
from exactree.solve.run_state import POLL

Univariate = Callable[[Budget, Callback], Solution]
DONE = Status.OPTIMAL, Status.GAP_REACHED, Status.INTERRUPTED
MEMORY_SHARE = 0.5  # of what a search has: there are two


def takes_both(budget: Budget) -> bool:
    """Whether two searches can run beside each other: without a limit of time the univariate one ends first anyway."""
    return budget.threads > 1 and budget.seconds is not None and budget.memory is None


def better_of_both(
    problem: Any,
    budget: Budget,
    univariate: Univariate,
    oblique: Callable[[Budget], Solution],
    callback: Callback | None,
) -> Solution:
    """Run both with half of the threads each, and return the better model.

    The univariate search has all of the time, unless the other one ends with a proof or is interrupted.
    """
    half = budget.threads // 2
    memory = int(MEMORY_SHARE * memory_for(None))
    search = _Beside(univariate, replace(budget, threads=half, memory=memory, gap=0.0))
    try:
        found = _waited(search, oblique(replace(budget, threads=budget.threads - half)), callback)
    finally:
        search.stop()
    return _better(problem, found, search.solution)


def _waited(search: "_Beside", found: Solution, callback: Callback | None) -> Solution:
    """Let the search have the rest of its time, unless nothing is to be found any more."""
    if found.status in DONE:
        return found
    try:
        search.wait(lambda: _report(found, callback))
    except KeyboardInterrupt:
        return replace(found, status=Status.INTERRUPTED)
    return found


def _report(found: Solution, callback: Callback | None) -> None:
    if callback is not None:
        seconds = float(found.history[-1, 0]) if len(found.history) else 0.0
        callback(Progress(seconds, found.cost, found.bound, stage="search"))


def _better(problem: Any, found: Solution, other: Solution | None) -> Solution:
    """Return the univariate model with the bound and the status of the run, if it is the better one."""
    if other is None or other.cost >= found.cost - problem.tolerance:
        return found
    seconds = float(other.history[-1, 0]) if len(other.history) else 0.0
    after = [max(seconds, float(found.history[-1, 0]) if len(found.history) else 0.0), other.cost, found.bound]
    return Solution.checked(
        problem,
        other.model,
        status=found.status,
        claimed=other.cost,
        bound=found.bound,
        history=np.vstack([found.history.reshape(-1, 3), after]),
        counters={**found.counters, "univariate_is_better": 1.0},
    )


class _Beside:
    """A search in a thread, which can be stopped."""

    def __init__(self, search: Univariate, budget: Budget) -> None:
        self._stop, self._solution = threading.Event(), list[Solution]()
        self._raised: Exception | None = None
        self._thread = threading.Thread(target=self._work, args=(search, budget), daemon=True)
        self._thread.start()

    def _work(self, search: Univariate, budget: Budget) -> None:
        try:
            self._solution.append(search(budget, self._look))
        except (Unsupported, KeyboardInterrupt):  # too large for it, or stopped before it had a model
            pass
        except Exception as reason:
            self._raised = reason

    def _look(self, now: Progress) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt

    def wait(self, poll: Callable[[], None]) -> None:
        """Wait for its end."""
        while self._thread.is_alive():
            self._thread.join(POLL)
            poll()

    def stop(self) -> None:
        """Stop it, if it still runs."""
        self._stop.set()
        self._thread.join()

    @property
    def solution(self) -> Solution | None:
        """What it has found, when it has ended."""
        if self._raised is not None:
            raise self._raised
        return self._solution[0] if self._solution else None
