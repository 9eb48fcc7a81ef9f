"""Oblique splits, which compare a linear combination of columns with a threshold."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats
from exactree.errors import InputError


def linear_combination(factors: Sequence[tuple[int, float]], columns: Sequence[NDArray[Any]], n_rows: int) -> Floats:
    """Return a linear combination of columns, added term by term, so that it is the same in any batch of rows.

    Examples
    --------
    >>> linear_combination([(0, 2.0), (1, -1.0)], [np.array([1.0, 2.0]), np.array([0.0, np.nan])], 2)
    array([ 2., nan])
    """
    total = np.zeros(n_rows)
    with np.errstate(over="ignore", invalid="ignore"):
        for j, factor in factors:
            total += factor * columns[j]
    return total


def dense_factors(factors: Sequence[Sequence[tuple[int, float]]], n_columns: int) -> Floats:
    """Return the coefficients of all nodes as one array."""
    array = np.zeros((len(factors), n_columns))
    for node, terms in enumerate(factors):
        for j, factor in terms:
            if not 0 <= j < n_columns:
                raise InputError(f"Node {node} asks column {j}, but the schema has {n_columns}.")
            if array[node, j]:
                raise InputError(f"Node {node} has column {j} twice in its linear combination.")
            array[node, j] = factor
    return array
