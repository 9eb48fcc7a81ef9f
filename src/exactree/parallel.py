"""Results of joblib one by one, by whatever back end its configuration names."""

import warnings
from collections.abc import Generator, Iterable
from typing import Any

from joblib import Parallel


def results_of(tasks: Iterable[Any], jobs: int, **options: Any) -> Generator[Any]:
    """Run joblib's tasks and yield what they return as it comes; if the caller stops, what runs is ended.

    Examples
    --------
    >>> from joblib import delayed
    >>> results = results_of((delayed(abs)(-n) for n in range(9)), 2, prefer="threads")
    >>> next(results), next(results)
    (0, 1)
    >>> results.close()
    """
    results = Parallel(jobs, **{"return_as": "generator"} | options)(tasks)
    try:
        for result in results:  # noqa: UP028  # "yield from" would close joblib's generator before we are asked
            yield result
    except BaseException:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib's, that tasks were cancelled: they were to be
            results.close()
        raise
