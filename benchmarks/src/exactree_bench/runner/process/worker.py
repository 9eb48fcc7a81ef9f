"""One fit in a process of its own: ``python -m exactree_bench.runner.process.worker FOLDER``.

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
from exactree_bench.runner.job import Job, Terms
from exactree_bench.runner.outcome import Ending, Outcome
from exactree_bench.runner.process.measure import limit_memory, measured

BEGUN = "begun"  # the line that starts the parent's clock
LONGEST = 200  # characters of a reason
WARM_UP_SECONDS = 10.0  # far more than a tiny table takes, whatever the limit of the job
TINY_X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4, dtype=np.int32)
TINY_Y = np.array([0, 1, 1, 0] * 4, dtype=np.int32)


def main(folder: str) -> int:
    """Run the job on standard input."""
    answers = _answers()
    warnings.simplefilter("ignore")  # what a warning would say is in the outcome
    job = Job.from_json(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        outcome = run(job, Path(folder), answers)
    except NotAvailable as reason:
        outcome = Outcome(Ending.MISSING, reason=str(reason))
    except MemoryError:
        outcome = Outcome(Ending.MEMORY, reason="the memory limit was reached")
    except Exception as reason:  # a peer may raise anything, and one failed job must not end the suite
        outcome = Outcome(Ending.FAILED, reason=brief(reason))
    answers.write(outcome.to_json() + "\n")
    answers.flush()
    return 0


def run(job: Job, folder: Path, answers: TextIO) -> Outcome:
    """Load, warm up, fit under the limits, and count the errors again."""
    contestant = CONTESTANTS[job.contestant]
    X, y = job.case.load(folder)
    warm_up(contestant, job.terms, fractions=X.dtype.kind == "f")
    estimator = contestant.make(job.terms)
    limit_memory(job.terms.memory)
    answers.write(BEGUN + "\n")
    answers.flush()
    gc.collect()  # else what loading and warming up left behind is collected within the fit of whoever's turn it is
    taken = measured(lambda: estimator.fit(X, y))
    found = contestant.finding(estimator)
    counters = dict(found.counters)
    if found.has_tree:
        counters |= looked_at(contestant, estimator, (X, y), job.case.load_test(folder))
        if (chosen_by := job.case.load_validation(folder)) is not None:
            counters |= {
                "validation_rows": len(chosen_by[1]),
                "validation_errors": errors(estimator, *chosen_by),
            }
    return Outcome(
        ending=Ending.PROVED if found.proved else Ending.STOPPED,
        errors=errors(estimator, X, y) if found.has_tree else None,
        claimed=found.claimed,
        bound=found.bound,
        cpu=taken.cpu,
        wall=taken.wall,
        memory=taken.memory,
        measured=taken.how,
        counters=counters,
    )


def looked_at(contestant: Contestant, estimator: Any, train: Rows, test: Rows | None) -> dict[str, float]:
    """Count errors on rows held out, if there are any, and whatever else the contestant is asked for."""
    counters: dict[str, float] = {}
    if test is not None:
        X, y = test
        counters = {"train_rows": len(train[1]), "test_rows": len(y), "test_errors": errors(estimator, X, y)}
    return counters | ({} if contestant.look is None else dict(contestant.look(estimator, train, test)))


def warm_up(contestant: Contestant, terms: Terms, *, fractions: bool = False) -> None:
    """Fit a tiny table of the same kind, so that imports and first calls are not part of the measurement.

    Who claims a proof over all trees must get all of it right.
    """
    X = TINY_X + np.arange(TINY_X.size).reshape(TINY_X.shape) / 100 if fractions else TINY_X
    try:
        small = Terms(depth=2, seconds=WARM_UP_SECONDS, threads=terms.threads)
        estimator = contestant.make(small).fit(X, TINY_Y)
        wrong = errors(estimator, X, TINY_Y)
        claimed = wrong > 0 and contestant.proves_all and contestant.finding(estimator).proved
    except NotAvailable:
        raise
    except Exception as reason:  # the package is there, but does not work with this Python or scikit-learn
        raise NotAvailable(f"cannot fit a table of 16 rows: {brief(reason)}") from reason
    if claimed:
        raise NotAvailable(f"gets {wrong} of 16 rows of an exclusive or wrong and calls it proved")


def errors(estimator: Any, X: NDArray[Any], y: NDArray[np.int32]) -> int:
    """Count rows that the fitted tree answers wrongly."""
    return int((np.asarray(estimator.predict(X)) != y).sum())


def brief(reason: Exception) -> str:
    """Write an error on one short line.

    Examples
    --------
    >>> brief(ValueError("wrong\\n  shape"))
    'ValueError: wrong shape'
    """
    text = " ".join(f"{type(reason).__name__}: {reason}".split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _end_with_parent() -> None:
    """Wait for the end of standard input, which stays open until there is an answer, or nobody to hear of it."""
    while os.read(0, 4096):  # not by sys.stdin, whose lock the interpreter wants when it ends
        pass
    os._exit(1)


def _answers() -> TextIO:
    """Keep standard output for the answers alone."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
