"""Jobs spread by joblib: over processes of this machine, or over a cluster of dask or ray.

A task is one job. It starts a worker process wherever it lands, as the runner does here, so that limits and
measurements are the same everywhere. The data folder must be at the same path on every machine.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from joblib import Parallel, delayed, parallel_config

from exactree.bench.job import Job
from exactree.bench.outcome import Outcome
from exactree.errors import InputError

BACKENDS = ("loky", "threading", "dask", "ray")
PACKAGES = {"dask": "dask[distributed]", "ray": "ray"}
TASKS_AHEAD = 4  # per worker, where results come all at once: few are lost if the run is stopped


def require(backend: str) -> None:
    """Make a back end ready, or say what is missing.

    dask connects to the scheduler that DASK_SCHEDULER_ADDRESS names, ray to the cluster of RAY_ADDRESS; without these
    both start one on this machine.
    """
    if backend not in BACKENDS:
        raise InputError(f"--backend is {backend!r}. Expected one of {', '.join(BACKENDS)}.")
    try:
        if backend == "dask":
            importlib.import_module("dask.distributed").Client()
        elif backend == "ray":
            importlib.import_module("ray.util.joblib").register_ray()
    except ImportError as reason:
        raise InputError(
            f"--backend {backend} needs a package: pip install '{PACKAGES[backend]}' ({reason})."
        ) from None


def spread(
    jobs: Sequence[Job], fit: Callable[[str, str], str], folder: str, backend: str, workers: int
) -> Iterator[tuple[Job, Outcome]]:
    """Run jobs by ``fit(folder, job)``, texts in and out, and yield what came of them as soon as the back end tells."""
    tasks = [delayed(_task)(at, fit, folder, job.to_json()) for at, job in enumerate(jobs)]
    with parallel_config(backend=backend, n_jobs=workers):
        for at, told in _results(tasks, workers):
            yield jobs[at], Outcome.from_json(told)


def _task(at: int, fit: Callable[[str, str], str], folder: str, job: str) -> tuple[int, str]:
    return at, fit(folder, job)


def _results(tasks: Sequence[Any], workers: int) -> Iterator[tuple[int, str]]:
    try:
        parallel = Parallel(return_as="generator_unordered", batch_size=1)
    except ValueError:  # the back end, such as ray's, tells results only when all are there
        step = TASKS_AHEAD * max(workers, 1)
        for first in range(0, len(tasks), step):
            yield from Parallel(batch_size=1)(tasks[first : first + step])
        return
    yield from parallel(tasks)
