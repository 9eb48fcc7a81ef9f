"""Clusters that take jobs: dask and ray behind one interface.

Both are used as they are and not through joblib, so that results come one by one, a stopped run keeps them and ends
what runs on the cluster, ``--jobs`` limits what runs at a time, and a job that a lost worker takes with it is told of.
"""

import importlib
import logging
import os
import socket
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from exactree.bench.elsewhere import end_fits, fit_elsewhere
from exactree.errors import InputError

PACKAGES = {"dask": "dask[distributed]", "ray": "ray"}
DASK_ADDRESS, RAY_ADDRESS = "DASK_SCHEDULER_ADDRESS", "RAY_ADDRESS"
CONNECT_SECONDS = 30.0  # to reach a scheduler
WORKERS_SECONDS = 60.0  # for the first worker to come
STORE = 100 * 2**20  # bytes of ray's store on this machine: a job and its outcome are a few hundred characters each


class Crew(Protocol):
    """Workers somewhere that run jobs, texts in and out."""

    def submit(self, folder: str, job: str) -> Any:
        """Hand over a job and return a handle to it, which can be the key of a dictionary."""

    def first_done(self, handles: Sequence[Any]) -> Any:
        """Wait until one of these jobs has ended, and return its handle."""

    def outcome(self, handle: Any) -> str:
        """Return what came of a job that has ended; raises whatever the cluster says if that was lost."""

    def stop(self, handles: Sequence[Any]) -> None:
        """End these jobs, wherever they run."""

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
        self._token = uuid.uuid4().hex  # by which workers know our jobs from those of others
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
                f"{DASK_ADDRESS} names {address!r}, where no scheduler answers ({_brief(reason)}). Start one with "
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

    def submit(self, folder: str, job: str) -> Any:
        """Hand over a job; run once, as nothing is known of its result beforehand."""
        return self._client.submit(fit_elsewhere, folder, job, self._token, pure=False)

    def first_done(self, handles: Sequence[Any]) -> Any:
        """Wait for the first."""
        return next(iter(self._dask.wait(handles, return_when="FIRST_COMPLETED").done))

    def outcome(self, handle: Any) -> str:
        """Return what the worker told."""
        return str(handle.result())

    def stop(self, handles: Sequence[Any]) -> None:
        """Take back what waits, and end what runs: dask itself ends no task that has begun."""
        with suppress(Exception):  # a scheduler that is gone has nothing to stop
            self._client.cancel(handles)
            self._client.run(end_fits, self._token, on_error="ignore")

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
        self._fit = self._ray.remote(num_cpus=1, max_retries=0)(fit_elsewhere)

    def _connect(self, address: str, quiet: dict[str, Any]) -> None:
        try:
            _knock(address)  # ray itself would go on trying for minutes
            self._ray.init(address=address, **quiet)
        except (OSError, RuntimeError, ValueError) as reason:
            raise InputError(
                f"{RAY_ADDRESS} names {address!r}, where no cluster answers ({_brief(reason)}). Start one with "
                "'ray start --head', or unset the variable to run on this machine."
            ) from None

    def submit(self, folder: str, job: str) -> Any:
        """Hand over a job."""
        return self._fit.remote(folder, job, "")

    def first_done(self, handles: Sequence[Any]) -> Any:
        """Wait for the first."""
        return self._ray.wait(list(handles), num_returns=1)[0][0]

    def outcome(self, handle: Any) -> str:
        """Return what the worker told."""
        return str(self._ray.get(handle))

    def stop(self, handles: Sequence[Any]) -> None:
        """End the workers that run these; a fit ends with the process that started it."""
        for handle in handles:
            with suppress(Exception):  # it has ended meanwhile, or the cluster is gone
                self._ray.cancel(handle, force=True)

    def close(self) -> None:
        """Disconnect."""
        self._ray.shutdown()


def _knock(address: str) -> None:
    """Raise an OSError if nobody listens at an address that names a machine and a port."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()


def _brief(reason: BaseException) -> str:
    text = " ".join(str(reason).split())
    return (text[:200] or type(reason).__name__).rstrip(".")
