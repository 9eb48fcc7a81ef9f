"""How much each row counts: sample weights times class weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats, Int32s
from exactree.errors import InputError

SMALLEST_TOTAL, LARGEST_TOTAL = 1e-100, 1e100  # of weights; costs are products of them and must stay finite


def row_weights(sample_weight: Any, n_rows: int) -> Floats:
    """Return one checked weight per row; ones without ``sample_weight``.

    Examples
    --------
    >>> row_weights(None, 3)
    array([1., 1., 1.])
    """
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as reason:
        raise InputError(f"sample_weight must be numbers, one per row: {reason}.") from reason
    if weights.shape != (n_rows,):
        raise InputError(f"sample_weight has shape {weights.shape} but X has {n_rows} rows. Give one weight per row.")
    _refuse_unusable(weights, "sample_weight")
    return weights


def class_weights(class_weight: Any, classes: NDArray[Any], labels: Int32s) -> Floats:
    """Return the weight of each class; "balanced" is n_rows / (n_classes * rows of the class), as in scikit-learn.

    Classes without rows do not count in "balanced".

    Examples
    --------
    >>> class_weights("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(labels, minlength=len(classes))
        return len(labels) / (np.count_nonzero(counts) * np.maximum(counts, 1))
    if not isinstance(class_weight, Mapping):
        raise InputError(
            f"class_weight is {class_weight!r}. Expected None, 'balanced', or a dict from label to weight."
        )
    index = {label: number for number, label in enumerate(classes.tolist())}
    weights = np.ones(len(classes))
    for label, weight in class_weight.items():
        if label not in index:
            known = ", ".join(map(repr, index))
            raise InputError(f"class_weight names {label!r}, which is not a label in y. The labels are: {known}.")
        if isinstance(weight, bool) or not isinstance(weight, (int, float, np.number)):
            raise InputError(f"class_weight must map labels to numbers; got {weight!r} for {label!r}.")
        weights[index[label]] = weight
    _refuse_unusable(weights, "class_weight")
    return weights


def _refuse_unusable(weights: Floats, what: str) -> None:
    for bad, word in ((np.isnan(weights), "NaN"), (np.isinf(weights), "infinity"), (weights < 0, "a negative weight")):
        if bad.any():
            where = int(bad.argmax())
            raise InputError(
                f"{what} contains {word} (entry {where}: {weights[where]}). Expected finite weights of at least zero."
            )
    if not weights.any():
        raise InputError(f"Every {what} is zero. Give at least one row a positive weight.")
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise InputError(f"The sum of {what} is too large for a 64-bit float. Scale the weights down.")
    if not SMALLEST_TOTAL <= total <= LARGEST_TOTAL:
        raise InputError(
            f"The sum of {what} is {total:g}, outside {SMALLEST_TOTAL:g}..{LARGEST_TOTAL:g}. Scale the weights."
        )
