"""Clients of dask and ray clusters behind one interface."""

import importlib
import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from exactree.errors import InputError
from exactree_bench.runner.cluster.remote_fit import cancel_fits

PACKAGES = {"dask": "dask[distributed]", "ray": "ray"}
DASK_ADDRESS, RAY_ADDRESS = "DASK_SCHEDULER_ADDRESS", "RAY_ADDRESS"
CONNECT_SECONDS = 30.0  # timeout to reach a scheduler
WORKERS_SECONDS = 60.0  # timeout for the first worker
STORE = 100 * 2**20  # bytes of ray's local object store: a job and its outcome are a few hundred characters each


Task = Callable[[], Any]
Done = Callable[[Any], None]


class ClusterClient(Protocol):
    """A connection to a cluster that runs tasks."""

    def submit(self, task: Task, done: Done) -> Any:
        """Submit a task and return a hashable handle; ``done`` is called with the handle when the task ends."""

    def result(self, handle: Any) -> Any:
        """Return the result of an ended task, or raise the cluster's error if the task was lost."""

    def cancel(self, handles: Sequence[Any], token: str) -> None:
        """Cancel these tasks, wherever they run; their jobs share the token."""

    def close(self) -> None:
        """Disconnect; a cluster that was started here ends."""


def import_backend(backend: str) -> Any:
    """Import the package of a backend, or raise an error that says how to install it."""
    try:
        return importlib.import_module({"dask": "distributed"}.get(backend, backend))
    except ImportError as reason:
        raise InputError(
            f"--backend {backend} needs a package: pip install '{PACKAGES[backend]}' ({reason})."
        ) from None


def connect(backend: str, workers: int) -> ClusterClient:
    """Connect to the cluster that the environment names, or start a local one with this many workers."""
    clients: dict[str, Callable[[int], ClusterClient]] = {"dask": DaskClient, "ray": RayClient}
    return clients[backend](workers)


class DaskClient:
    """A client of a dask cluster."""

    def __init__(self, workers: int) -> None:
        self._dask = import_backend("dask")
        address = os.environ.get(DASK_ADDRESS)
        if address is None:
            # Fits run in processes of their own with their own limits: dask must not add a memory limit.
            local = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": None, "dashboard_address": None}
            self._client = self._dask.Client(**local, silence_logs=logging.ERROR)
            return
        try:
            self._client = self._dask.Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as reason:
            raise InputError(
                f"{DASK_ADDRESS} names {address!r}, but no scheduler responds ({one_line(reason)}). Start one with "
                "'dask scheduler', or unset the variable to run on this machine."
            ) from None
        self._await_workers(address)

    def _await_workers(self, address: str) -> None:
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError:
            self._client.close()
            raise InputError(
                f"The scheduler at {address!r} has no workers. Start some with 'dask worker {address} --nthreads 1'."
            ) from None

    def submit(self, task: Task, done: Done) -> Any:
        """Submit a task; ``pure=False``, or dask would return the result of an equal earlier task."""
        future = self._client.submit(_call, task, pure=False)
        future.add_done_callback(done)
        return future

    def result(self, handle: Any) -> Any:
        """Return the result."""
        return handle.result()

    def cancel(self, handles: Sequence[Any], token: str) -> None:
        """Cancel pending tasks, and kill running fits: dask itself does not stop a task that has started."""
        with suppress(Exception):  # a lost scheduler has nothing to cancel
            self._client.cancel(handles)
            self._client.run(cancel_fits, token, on_error="ignore")

    def close(self) -> None:
        """Disconnect."""
        self._client.close()


class RayClient:
    """A client of a ray cluster."""

    def __init__(self, workers: int) -> None:
        self._ray = import_backend("ray")
        address = os.environ.get(RAY_ADDRESS)
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        if address is None:
            local = {"address": "local", "num_cpus": workers, "include_dashboard": False, "object_store_memory": STORE}
            self._ray.init(**local, **quiet)
        else:
            self._connect(address, quiet)
        # A failed fit is reported as failed, not retried.
        self._call = self._ray.remote(num_cpus=1, max_retries=0)(_call)

    def _connect(self, address: str, quiet: dict[str, Any]) -> None:
        try:
            _check_reachable(address)  # ray itself retries for minutes
            self._ray.init(address=address, **quiet)
        except (OSError, RuntimeError, ValueError) as reason:
            raise InputError(
                f"{RAY_ADDRESS} names {address!r}, but no cluster responds ({one_line(reason)}). Start one with "
                "'ray start --head', or unset the variable to run on this machine."
            ) from None

    def submit(self, task: Task, done: Done) -> Any:
        """Submit a task."""
        handle = self._call.remote(task)
        handle.future().add_done_callback(lambda _: done(handle))
        return handle

    def result(self, handle: Any) -> Any:
        """Return the result."""
        return self._ray.get(handle)

    def cancel(self, handles: Sequence[Any], token: str) -> None:
        """Kill the workers that run these tasks; a fit ends with its parent process."""
        for handle in handles:
            with suppress(Exception):  # it has ended, or the cluster is lost
                self._ray.cancel(handle, force=True)

    def close(self) -> None:
        """Disconnect."""
        self._ray.shutdown()


def _call(task: Task) -> Any:
    return task()


def _check_reachable(address: str) -> None:
    """Raise an OSError if an address names a host and a port and nothing listens there."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def one_line(reason: BaseException) -> str:
    """Shorten an error message to one line."""
    text = " ".join(str(reason).split())
    return (text[:200] or type(reason).__name__).rstrip(".")
