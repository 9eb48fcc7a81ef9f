"""Limit and price of the columns of an oblique split."""

import numpy as np

from exactree.model import Graph


def n_further_columns(model: Graph) -> int:
    """Return how many columns all oblique splits have, each without its first.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> n_further_columns(Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3))
    0
    """
    columns = np.count_nonzero(model.factors, axis=1) if model.is_linear else np.zeros(0, dtype=np.int64)
    return int(np.maximum(columns - 1, 0).sum())


def too_many_columns(model: Graph, most: int | None) -> list[str]:
    """Return what is not allowed about the columns of oblique splits."""
    if most is None or not model.is_linear:
        return []
    columns = int(np.count_nonzero(model.factors, axis=1).max())
    return [f"an oblique split has {columns} columns, the limit is {most}"] if columns > most else []
