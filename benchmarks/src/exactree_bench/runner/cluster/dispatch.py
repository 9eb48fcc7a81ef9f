"""Jobs spread by joblib over processes of this machine, or over a cluster of dask or ray.

A task is one job. It starts a worker process wherever it lands, as the runner does here, so that limits and
measurements are the same everywhere. The data folder must be at the same path on every machine.
"""

import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from joblib import delayed, parallel_config
from joblib.parallel import ParallelBackendBase

from exactree.errors import InputError
from exactree.parallel import results_of
from exactree_bench.runner.cluster.client import PACKAGES, crew_of, loaded
from exactree_bench.runner.cluster.joblib_backend import ClusterBackend
from exactree_bench.runner.cluster.remote_fit import Fit
from exactree_bench.runner.job import Job
from exactree_bench.runner.outcome import Outcome

BACKENDS = ("loky", "threading", *PACKAGES)


def require(backend: str) -> None:
    """Refuse a back end that there is not, or whose package is missing."""
    if backend not in BACKENDS:
        raise InputError(f"--backend is {backend!r}. Expected one of {', '.join(BACKENDS)}.")
    if backend in PACKAGES:
        loaded(backend)


def spread(jobs: Sequence[Job], folder: Path, backend: str, workers: int) -> Generator[tuple[Job, Outcome]]:
    """Run jobs, ``workers`` at a time, and yield what came of each as soon as it is known.

    A cluster is joined, or started, only if there is something to run. If the caller stops, all that runs is ended.
    """
    if not jobs:
        return
    token, place = uuid.uuid4().hex, str(folder.resolve())  # workers are at home elsewhere
    tasks = (delayed(Fit(at, place, job.to_json(), token))() for at, job in enumerate(jobs))
    one_by_one = {"return_as": "generator_unordered", "batch_size": 1, "pre_dispatch": workers}
    with (
        _chosen(backend, workers, token) as chosen,
        parallel_config(backend=chosen),
        closing(results_of(tasks, workers, **one_by_one)) as results,
    ):
        for at, told in results:
            yield jobs[at], Outcome.from_json(told)


@contextmanager
def _chosen(backend: str, workers: int, token: str) -> Iterator[str | ParallelBackendBase]:
    """What joblib is to use: its own by name, or ours with a cluster behind it, which is left in the end."""
    if backend not in PACKAGES:
        yield backend
        return
    crew = crew_of(backend, workers)
    try:
        yield ClusterBackend(crew, token)
    finally:
        crew.close()
