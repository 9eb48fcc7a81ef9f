"""A joblib backend for the clusters of :mod:`~exactree_bench.runner.cluster.client`.

It replaces joblib's backend for dask and ray's backend for joblib. With joblib 1.6, dask 2026.8 and ray 2.60, the
first waits forever for a task whose worker is lost, and ignores the number of jobs; the second returns nothing before
all tasks have ended. This one returns results one by one, reports tasks lost with their worker, and cancels running
tasks when the run ends.
"""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joblib.parallel import ParallelBackendBase

from exactree.errors import InputError
from exactree_bench.runner.cluster.client import ClusterClient, one_line

Tasks = Any  # a joblib batch: a callable list of (function, arguments, keywords)


@dataclass(frozen=True, slots=True, eq=False)
class RejectedSubmission:
    """Takes the place of a handle when the cluster rejected the tasks."""

    reason: Exception


class ClusterBackend(ParallelBackendBase):  # type: ignore[misc]  # joblib has no types
    """Submits joblib's tasks to a cluster, and notifies joblib when they end."""

    supports_retrieve_callback = True

    def __init__(self, client: ClusterClient, token: str) -> None:
        super().__init__()
        self._client, self._token = client, token
        self._running: dict[Any, tuple[Tasks, Callable[[Any], None]]] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped = False
        self._notifier: threading.Thread | None = None

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """At least 2: joblib would run a single job in this process. ``pre_dispatch`` limits it to one at a time."""
        return max(2, n_jobs or 1)

    def start_call(self) -> None:
        """Start the thread that notifies joblib; the callbacks of a cluster's own threads must return at once."""
        self._notifier = threading.Thread(target=self._notify, daemon=True)
        self._notifier.start()

    def submit(self, func: Tasks, callback: Callable[[Any], None]) -> Any:
        """Submit tasks; joblib calls this at the start, and again whenever tasks have ended."""
        with self._lock:  # so that nothing is submitted after an abort
            if self._stopped:
                return None
            try:
                handle = self._client.submit(func, self._done.put)
            except Exception as reason:  # raised here, it would end the notifier, and the run would wait forever
                handle = RejectedSubmission(reason)
                self._done.put(handle)
            self._running[handle] = func, callback
            return handle

    def _notify(self) -> None:
        while (handle := self._done.get()) is not None:
            with self._lock:
                tasks, callback = self._running.pop(handle, (None, None))
            if callback is not None:
                callback((handle, tasks))

    def retrieve_result_callback(self, out: tuple[Any, Tasks]) -> list[tuple[int, str]]:
        """Return the results of ended tasks, lost ones included; a cluster that rejects tasks ends the run."""
        handle, tasks = out
        if isinstance(handle, RejectedSubmission):
            raise InputError(
                f"The cluster accepts no more fits ({one_line(handle.reason)}). Finished fits are kept; run the same "
                "command again once the cluster is back."
            ) from handle.reason
        try:
            results: list[tuple[int, str]] = self._client.result(handle)
        except Exception as reason:  # a machine was lost, or exactree is not installed there
            return [fit.lost(reason) for fit, _, _ in tasks.items]
        return results

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Cancel running tasks."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
            self._running.clear()
        self._client.cancel(running, self._token)

    def terminate(self) -> None:
        """End the notifier thread."""
        if self._notifier is not None:
            self._done.put(None)
            self._notifier.join()
            self._notifier = None
