"""One fit in its own process: ``python -m exactree_bench.runner.process.worker FOLDER``.

Reads a job as one line of standard input. Writes two lines to standard output: that the fit starts, and its outcome.
Everything else that is printed, also by a peer's native code, goes to standard error.
"""

import gc
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from exactree_bench.contestants import CONTESTANTS, Contestant, NotAvailable
from exactree_bench.contestants.interface import Rows
from exactree_bench.runner.job import FitConfig, Job
from exactree_bench.runner.outcome import Outcome, Status, thinned
from exactree_bench.runner.process.measure import limit_memory, measured
from exactree_bench.runner.process.worker_process import STARTED

LONGEST = 200  # characters of a reason
WARM_UP_SECONDS = 10.0  # ample for a tiny table, whatever the limit of the job
WARM_UP_PRICE = 0.01  # of a leaf: low enough that four leaves pay for an exclusive or
TINY_X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4, dtype=np.int32)
TINY_Y = np.array([0, 1, 1, 0] * 4, dtype=np.int32)


def main(folder: str) -> int:
    """Run the job on standard input."""
    answers = _reserve_stdout()
    warnings.simplefilter("ignore")  # the outcome has the same information
    job = Job.from_json(sys.stdin.readline())
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    try:
        outcome = run(job, Path(folder), answers)
    except NotAvailable as reason:
        outcome = Outcome(Status.MISSING, reason=str(reason))
    except MemoryError:
        outcome = Outcome(Status.MEMORY, reason="the memory limit was reached")
    except Exception as reason:  # a peer may raise any error, and one failed job must not end the suite
        outcome = Outcome(Status.FAILED, reason=one_line(reason))
    answers.write(outcome.to_json() + "\n")
    answers.flush()
    return 0


def run(job: Job, folder: Path, answers: TextIO) -> Outcome:
    """Load, warm up, fit under the limits, and recount the errors from the predictions."""
    contestant = CONTESTANTS[job.contestant]
    X, y = job.case.load(folder)
    warm_up(contestant, job.config, fractions=X.dtype.kind == "f")
    estimator = contestant.make(job.config)
    limit_memory(job.config.memory)
    answers.write(STARTED + "\n")
    answers.flush()
    gc.collect()  # garbage of loading and warming up must not be collected during the measured fit
    taken = measured(lambda: estimator.fit(X, y))
    found = contestant.fit_result(estimator)
    counters = dict(found.counters) | ({} if job.config.price is None else {"rows": len(y)})
    if found.has_tree:
        counters |= counters_of(contestant, estimator, (X, y), job.case.load_test(folder))
        if (chosen_by := job.case.load_validation(folder)) is not None:
            counters |= {
                "validation_rows": len(chosen_by[1]),
                "validation_errors": errors(estimator, *chosen_by),
            }
    return Outcome(
        status=Status.PROVED if found.proved else Status.STOPPED,
        errors=errors(estimator, X, y) if found.has_tree else None,
        claimed=found.claimed,
        bound=found.bound,
        cpu=taken.cpu,
        wall=taken.wall,
        memory=taken.memory,
        measured=taken.how,
        counters=counters,
        history=thinned(found.history),
    )


def counters_of(contestant: Contestant, estimator: Any, train: Rows, test: Rows | None) -> dict[str, float]:
    """Count errors on held-out rows, if any, and add the contestant's extra counters."""
    counters: dict[str, float] = {}
    if test is not None:
        X, y = test
        counters = {"train_rows": len(train[1]), "test_rows": len(y), "test_errors": errors(estimator, X, y)}
    return counters | (
        {} if contestant.extra_counters is None else dict(contestant.extra_counters(estimator, train, test))
    )


def warm_up(contestant: Contestant, config: FitConfig, *, fractions: bool = False) -> None:
    """Fit a tiny table of the same kind, so that imports and first calls are not part of the measurement.

    A contestant that claims optimality over all trees must classify all its rows correctly. Where the first column is
    a group, both groups are alike: a tree without errors is fair.
    """
    X: NDArray[Any] = TINY_X + np.arange(TINY_X.size).reshape(TINY_X.shape) / 100 if fractions else TINY_X
    if config.notion is not None:
        X = np.column_stack([np.repeat(np.array([0, 1], dtype=np.int32), len(X) // 2), X])
    try:
        price = None if config.price is None else WARM_UP_PRICE
        small = FitConfig(2, WARM_UP_SECONDS, threads=config.threads, notion=config.notion, price=price)
        estimator = contestant.make(small).fit(X, TINY_Y)
        wrong = errors(estimator, X, TINY_Y)
        claimed = wrong > 0 and contestant.proves_all and contestant.fit_result(estimator).proved
    except NotAvailable:
        raise
    except Exception as reason:  # it does not work with this Python or scikit-learn
        raise NotAvailable(f"cannot fit a table of 16 rows: {one_line(reason)}") from reason
    if claimed:
        raise NotAvailable(f"misclassifies {wrong} of 16 rows of an exclusive or and claims a proof")


def errors(estimator: Any, X: NDArray[Any], y: NDArray[np.int32]) -> int:
    """Count misclassified rows."""
    return int((np.asarray(estimator.predict(X)) != y).sum())


def one_line(reason: Exception) -> str:
    """Shorten an error message to one line.

    Examples
    --------
    >>> one_line(ValueError("wrong\\n  shape"))
    'ValueError: wrong shape'
    """
    text = " ".join(f"{type(reason).__name__}: {reason}".split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _exit_with_parent() -> None:
    """Wait for end-of-file on standard input, which stays open until there is an answer or the parent has ended."""
    while os.read(0, 4096):  # not sys.stdin, whose lock the interpreter needs at exit
        pass
    os._exit(1)


def _reserve_stdout() -> TextIO:
    """Reserve standard output for the answers; other output goes to standard error."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
