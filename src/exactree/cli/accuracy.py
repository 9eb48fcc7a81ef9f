"""How often a saved model is right on rows whose labels are known."""

import sys
from typing import Any

from numpy.typing import NDArray

from exactree.cli import report
from exactree.cli.cell import is_missing, same


def accuracy_on(truth: NDArray[Any], answers: NDArray[Any]) -> float | None:
    """Share of right answers among the rows that have a label, reported on stderr; ``None`` if none has."""
    rows = zip(truth.tolist(), answers.tolist(), strict=True)
    pairs = [(label, answer) for label, answer in rows if not is_missing(label)]
    if not pairs:
        return None
    n_right = sum(same(label, answer) for label, answer in pairs)
    accuracy = n_right / len(pairs)
    without = len(truth) - len(pairs)
    more = f"; {report.counted(without, 'row')} without a label left out" if without else ""
    sys.stderr.write(f"accuracy {100 * accuracy:.2f} % ({n_right} of {report.counted(len(pairs), 'row')}{more})\n")
    return accuracy
