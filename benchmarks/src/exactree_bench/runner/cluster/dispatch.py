"""Runs jobs through joblib: in processes or threads of this machine, or on a dask or ray cluster.

A task is one job. It starts a worker process on the machine where it runs, as the runner does locally, so limits and
measurements are the same everywhere. The data folder must have the same path on every machine.
"""

import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from joblib import delayed, parallel_config
from joblib.parallel import ParallelBackendBase

from exactree.errors import InputError
from exactree.parallel import results_of
from exactree_bench.runner.cluster.client import PACKAGES, connect, import_backend
from exactree_bench.runner.cluster.joblib_backend import ClusterBackend
from exactree_bench.runner.cluster.remote_fit import RemoteFit, cancel_fits
from exactree_bench.runner.job import Job
from exactree_bench.runner.outcome import Outcome

BACKENDS = ("loky", "threading", *PACKAGES)


def require_backend(backend: str) -> None:
    """Raise an error for an unknown backend, or one whose package is missing."""
    if backend not in BACKENDS:
        raise InputError(f"--backend is {backend!r}. Expected one of {', '.join(BACKENDS)}.")
    if backend in PACKAGES:
        import_backend(backend)


def run_jobs(jobs: Sequence[Job], folder: Path, backend: str, workers: int) -> Generator[tuple[Job, Outcome]]:
    """Run jobs, ``workers`` at a time, and yield each with its outcome as soon as it ends.

    Connects to a cluster, or starts one, only if there are jobs. Closing the generator cancels running jobs.
    """
    if not jobs:
        return
    token, data = uuid.uuid4().hex, str(folder.resolve())  # workers have working directories of their own
    tasks = (delayed(RemoteFit(index, data, job.to_json(), token))() for index, job in enumerate(jobs))
    one_by_one = {"return_as": "generator_unordered", "batch_size": 1, "pre_dispatch": workers}
    with (
        _joblib_backend(backend, workers, token) as joblib_backend,
        parallel_config(backend=joblib_backend),
        closing(results_of(tasks, workers, **one_by_one)) as results,
    ):
        try:
            for index, outcome in results:
                yield jobs[index], Outcome.from_json(outcome)
        finally:
            cancel_fits(token)  # joblib cannot end threads: without this it would wait for them


@contextmanager
def _joblib_backend(backend: str, workers: int, token: str) -> Iterator[str | ParallelBackendBase]:
    """Yield one of joblib's own backends by name, or ours with a connection to a cluster, which is closed at exit."""
    if backend not in PACKAGES:
        yield backend
        return
    client = connect(backend, workers)
    try:
        yield ClusterBackend(client, token)
    finally:
        client.close()
