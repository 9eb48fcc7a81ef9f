"""Which columns the caller declares to be categories, in the forms scikit-learn accepts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from exactree.errors import InputError

WANTED = "Expected 'from_dtype', or a list of column names, of column indices, or of one truth value per column"


def declared_categories(spec: Any, names: Sequence[str]) -> frozenset[int]:
    """Return the indices of the columns that ``categorical_features`` names.

    Examples
    --------
    >>> sorted(declared_categories(["zone", "kind"], ["zone", "age", "kind"]))
    [0, 2]
    >>> sorted(declared_categories([False, True, False], ["zone", "age", "kind"]))
    [1]
    """
    if spec is None or (isinstance(spec, str) and spec == "from_dtype"):
        return frozenset()
    if isinstance(spec, (str, bytes)) or np.ndim(spec) != 1:
        raise InputError(f"categorical_features is {spec!r}. {WANTED}.")
    items = np.asarray(spec).tolist()
    if all(isinstance(item, bool) for item in items):
        return _of_mask(items, len(names))
    if all(isinstance(item, int) and not isinstance(item, bool) for item in items):
        return _of_indices(items, len(names))
    if all(isinstance(item, str) for item in items):
        return _of_names(items, names)
    raise InputError(f"categorical_features is {spec!r}, a mixture. {WANTED}.")


def _of_mask(mask: list[bool], n_columns: int) -> frozenset[int]:
    if mask and len(mask) != n_columns:
        raise InputError(
            f"categorical_features has {len(mask)} truth values but X has {n_columns} columns. Give one per column."
        )
    return frozenset(j for j, chosen in enumerate(mask) if chosen)


def _of_indices(indices: list[int], n_columns: int) -> frozenset[int]:
    for index in indices:
        if not 0 <= index < n_columns:
            raise InputError(
                f"categorical_features names column {index}, but X has {n_columns} columns. "
                f"Use indices from 0 to {n_columns - 1}."
            )
    return frozenset(indices)


def _of_names(wanted: list[str], names: Sequence[str]) -> frozenset[int]:
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise InputError(
            f"categorical_features names {', '.join(map(repr, unknown))}, but X has no such column. "
            f"The columns are: {', '.join(map(repr, names))}."
        )
    return frozenset(names.index(name) for name in wanted)
