"""A back end of joblib for the clusters of a crew.

It stands in the place of the ones that joblib has for dask and ray has for joblib. Tried with joblib 1.6, dask 2026.8
and ray 2.60: the first waits for ever for a task whose worker is lost, and takes no number of jobs; the second returns
nothing before all tasks have ended. With this one results come one by one, a task that a lost worker takes with it is
told of, and an end of the run ends what runs on the cluster.
"""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joblib.parallel import ParallelBackendBase

from exactree.errors import InputError
from exactree_bench.runner.cluster.client import Crew, brief

Tasks = Any  # what joblib calls a batch: a list of (function, arguments, keywords) that can be called as a whole


@dataclass(frozen=True, slots=True, eq=False)
class Refused:
    """In the place of a handle: the cluster did not take the tasks."""

    reason: Exception


class ClusterBackend(ParallelBackendBase):  # type: ignore[misc]  # joblib has no types
    """Hands joblib's tasks to a crew, and tells joblib of each that has ended."""

    supports_retrieve_callback = True

    def __init__(self, crew: Crew, token: str) -> None:
        super().__init__()
        self._crew, self._token = crew, token
        self._running: dict[Any, tuple[Tasks, Callable[[Any], None]]] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped = False
        self._teller: threading.Thread | None = None

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """Two at least: joblib would run a single one in this process. ``pre_dispatch`` holds it to one at a time."""
        return max(2, n_jobs or 1)

    def start_call(self) -> None:
        """Begin to tell of what has ended, in a thread of our own: clusters do not want theirs to be held up."""
        self._teller = threading.Thread(target=self._tell, daemon=True)
        self._teller.start()

    def submit(self, func: Tasks, callback: Callable[[Any], None]) -> Any:
        """Hand over tasks; joblib calls this to begin with, and then whenever some have ended."""
        with self._lock:  # so that nothing is handed over behind the back of an end
            if self._stopped:
                return None
            try:
                handle = self._crew.submit(func, self._done.put)
            except (
                Exception
            ) as reason:  # raised here, it would end the thread that tells, and the run would wait for ever
                handle = Refused(reason)
                self._done.put(handle)
            self._running[handle] = func, callback
            return handle

    def _tell(self) -> None:
        while (handle := self._done.get()) is not None:
            with self._lock:
                tasks, callback = self._running.pop(handle, (None, None))
            if callback is not None:
                callback((handle, tasks))

    def retrieve_result_callback(self, out: tuple[Any, Tasks]) -> list[tuple[int, str]]:
        """Return what came of tasks that have ended, be it that they were lost; a cluster that is gone ends the run."""
        handle, tasks = out
        if isinstance(handle, Refused):
            raise InputError(
                f"The cluster takes no more fits ({brief(handle.reason)}). Those that ended are kept; the same command "
                "goes on once it is there again."
            ) from handle.reason
        try:
            results: list[tuple[int, str]] = self._crew.result(handle)
        except Exception as reason:  # a machine was lost, or lacks exactree
            return [fit.lost(reason) for fit, _, _ in tasks.items]
        return results

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """End what runs."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
            self._running.clear()
        self._crew.stop(running, self._token)

    def terminate(self) -> None:
        """End the thread that tells."""
        if self._teller is not None:
            self._done.put(None)
            self._teller.join()
            self._teller = None
