"""Clusters that take tasks: dask and ray behind one interface."""

import importlib
import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from exactree.errors import InputError
from exactree_bench.runner.cluster.remote_fit import end_fits

PACKAGES = {"dask": "dask[distributed]", "ray": "ray"}
DASK_ADDRESS, RAY_ADDRESS = "DASK_SCHEDULER_ADDRESS", "RAY_ADDRESS"
CONNECT_SECONDS = 30.0  # to reach a scheduler
WORKERS_SECONDS = 60.0  # for the first worker to come
STORE = 100 * 2**20  # bytes of ray's store on this machine: a job and its outcome are a few hundred characters each


Task = Callable[[], Any]
Done = Callable[[Any], None]


class Crew(Protocol):
    """Workers somewhere that run tasks."""

    def submit(self, task: Task, done: Done) -> Any:
        """Hand over a task and return a handle, which can be the key of a dictionary; ``done`` gets it in the end."""

    def result(self, handle: Any) -> Any:
        """Return what came of a task that has ended; raises whatever the cluster says if that was lost."""

    def stop(self, handles: Sequence[Any], token: str) -> None:
        """End these tasks, wherever they run; the token is the one that their jobs have."""

    def close(self) -> None:
        """Take leave; a cluster that was started here ends."""


def loaded(backend: str) -> Any:
    """Load the package of a back end, or say how to install it."""
    try:
        return importlib.import_module({"dask": "distributed"}.get(backend, backend))
    except ImportError as reason:
        raise InputError(
            f"--backend {backend} needs a package: pip install '{PACKAGES[backend]}' ({reason})."
        ) from None


def crew_of(backend: str, workers: int) -> Crew:
    """Connect to the cluster that the environment names, or start one of so many workers on this machine."""
    crews: dict[str, Callable[[int], Crew]] = {"dask": DaskCrew, "ray": RayCrew}
    return crews[backend](workers)


class DaskCrew:
    """Workers of dask."""

    def __init__(self, workers: int) -> None:
        self._dask = loaded("dask")
        address = os.environ.get(DASK_ADDRESS)
        if address is None:
            # Fits are limited and measured in processes of their own, which dask does not see.
            local = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": None, "dashboard_address": None}
            self._client = self._dask.Client(**local, silence_logs=logging.ERROR)
            return
        try:
            self._client = self._dask.Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as reason:
            raise InputError(
                f"{DASK_ADDRESS} names {address!r}, where no scheduler answers ({brief(reason)}). Start one with "
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
        """Hand over a task; run once, as nothing is known of its result beforehand."""
        future = self._client.submit(_call, task, pure=False)
        future.add_done_callback(done)
        return future

    def result(self, handle: Any) -> Any:
        """Return what the worker told."""
        return handle.result()

    def stop(self, handles: Sequence[Any], token: str) -> None:
        """Take back what waits, and end what runs: dask itself ends no task that has begun."""
        with suppress(Exception):  # a scheduler that is gone has nothing to stop
            self._client.cancel(handles)
            self._client.run(end_fits, token, on_error="ignore")

    def close(self) -> None:
        """Disconnect."""
        self._client.close()


class RayCrew:
    """Workers of ray."""

    def __init__(self, workers: int) -> None:
        self._ray = loaded("ray")
        address = os.environ.get(RAY_ADDRESS)
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        if address is None:
            local = {"address": "local", "num_cpus": workers, "include_dashboard": False, "object_store_memory": STORE}
            self._ray.init(**local, **quiet)
        else:
            self._connect(address, quiet)
        # A fit that failed is told as such, and not tried again behind our back.
        self._call = self._ray.remote(num_cpus=1, max_retries=0)(_call)

    def _connect(self, address: str, quiet: dict[str, Any]) -> None:
        try:
            _knock(address)  # ray itself would go on trying for minutes
            self._ray.init(address=address, **quiet)
        except (OSError, RuntimeError, ValueError) as reason:
            raise InputError(
                f"{RAY_ADDRESS} names {address!r}, where no cluster answers ({brief(reason)}). Start one with "
                "'ray start --head', or unset the variable to run on this machine."
            ) from None

    def submit(self, task: Task, done: Done) -> Any:
        """Hand over a task."""
        handle = self._call.remote(task)
        handle.future().add_done_callback(lambda _: done(handle))
        return handle

    def result(self, handle: Any) -> Any:
        """Return what the worker told."""
        return self._ray.get(handle)

    def stop(self, handles: Sequence[Any], token: str) -> None:
        """End the workers that run these; a fit ends with the process that started it."""
        for handle in handles:
            with suppress(Exception):  # it has ended meanwhile, or the cluster is gone
                self._ray.cancel(handle, force=True)

    def close(self) -> None:
        """Disconnect."""
        self._ray.shutdown()


def _call(task: Task) -> Any:
    return task()


def _knock(address: str) -> None:
    """Raise an OSError if nobody listens at an address that names a machine and a port."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def brief(reason: BaseException) -> str:
    """Word what a cluster says, shortly."""
    text = " ".join(str(reason).split())
    return (text[:200] or type(reason).__name__).rstrip(".")
