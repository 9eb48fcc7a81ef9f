"""Jobs spread over processes of this machine by joblib, or over a cluster of dask or ray.

A task is one job. It starts a worker process wherever it lands, as the runner does here, so that limits and
measurements are the same everywhere. The data folder must be at the same path on every machine.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from exactree.bench.crew import PACKAGES, Crew, crew_of, loaded
from exactree.bench.elsewhere import fit_elsewhere
from exactree.bench.job import Job
from exactree.bench.outcome import Ending, Outcome
from exactree.errors import InputError

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
    place = str(folder.resolve())  # workers are at home elsewhere
    if backend not in PACKAGES:
        yield from _by_joblib(jobs, place, backend, workers)
        return
    crew = crew_of(backend, workers)
    try:
        yield from _by_crew(jobs, place, crew, workers)
    finally:
        crew.close()


def _by_joblib(jobs: Sequence[Job], folder: str, backend: str, workers: int) -> Iterator[tuple[Job, Outcome]]:
    tasks = [delayed(_task)(at, folder, job.to_json()) for at, job in enumerate(jobs)]
    with parallel_config(backend=backend, n_jobs=workers):
        for at, told in Parallel(return_as="generator_unordered", batch_size=1)(tasks):
            yield jobs[at], Outcome.from_json(told)


def _task(at: int, folder: str, job: str) -> tuple[int, str]:
    return at, fit_elsewhere(folder, job)


def _by_crew(jobs: Sequence[Job], folder: str, crew: Crew, workers: int) -> Iterator[tuple[Job, Outcome]]:
    waiting, running = deque(jobs), dict[Any, Job]()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.popleft()
                running[crew.submit(folder, job.to_json())] = job
            handle = crew.first_done(list(running))
            yield running.pop(handle), _outcome(crew, handle)
    except BaseException:
        crew.stop(list(running))
        raise


def _outcome(crew: Crew, handle: Any) -> Outcome:
    try:
        return Outcome.from_json(crew.outcome(handle))
    except Exception as reason:  # a machine was lost, or lacks exactree: one failed job must not end the suite
        text = " ".join(f"{type(reason).__name__}: {reason}".split())
        return Outcome(Ending.FAILED, reason=f"the cluster lost it: {text[:300]}")
