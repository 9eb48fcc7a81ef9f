"""Fragmentation of the rows by a fitted model."""

from typing import Any

from exactree.explain.rows import as_table, graph_of
from exactree.model import Fragmentation
from exactree.model import fragmentation as counted


def fragmentation(model: Any, X: Any = None) -> Fragmentation:
    """Count the rows at every branch, layer by layer.

    Parameters
    ----------
    model : fitted estimator or Graph
        The tree or diagram.
    X : table, default=None
        Rows to count; None for those the model was fitted to.

    Returns
    -------
    Fragmentation
        The rows of each branch and their share of all rows.

    Examples
    --------
    >>> from exactree.model import Graph
    >>> from exactree.table import Schema
    >>> print(fragmentation(Graph.leaf(Schema((), named=False), ["a", "b"], 0, [2.0, 1.0], 3)))
    no branch: all 3 rows are in one leaf
    """
    graph = graph_of(model)
    return counted(graph, None if X is None else as_table(X).conform(graph.schema))
