"""The decision paths that rows take through a graph."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats, Int32s
from exactree.model.graph import Graph
from exactree.model.path_counts import PathCounts
from exactree.table import Table


def paths_taken(graph: Graph, table: Table) -> tuple[list[tuple[int, ...]], NDArray[np.intp]]:
    """Return the paths that some rows take, and the number of each row's path.

    Parameters
    ----------
    graph : Graph
        The tree or diagram.
    table : Table
        The rows.

    Returns
    -------
    list of tuple of int
        The nodes of each path, from the root to a leaf; in the order of their leaves.
    array of int
        Index into the list, one per row.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> graph = Graph.leaf(Schema((), named=False), ["a"], 0, [2.0], 2)
    >>> paths_taken(graph, Table((), 2, named=False))
    ([(0,)], array([0, 0]))
    """
    path = np.zeros(table.n_rows, dtype=np.intp)  # number of each row's path so far
    nodes: list[tuple[int, ...]] = [()]
    # Children come after their parents: a node is visited after all of a path that leads to it.
    for node, rows in enumerate(graph.reached(table)):
        before, which = np.unique(path[rows], return_inverse=True)
        path[rows] = len(nodes) + which
        nodes += [(*nodes[number], node) for number in before.tolist()]
    ends, index = np.unique(path, return_inverse=True)
    return [nodes[end] for end in ends.tolist()], index.astype(np.intp).reshape(-1)


def with_path_counts(graph: Graph, table: Table, labels: Int32s, weights: Floats) -> Graph:
    """Return a diagram with the counts of its decision paths in training; a tree as it is, whose leaves have them.

    Parameters
    ----------
    graph : Graph
        The tree or diagram.
    table : Table
        Its training rows.
    labels : array of int, shape (n_rows,)
        Their classes, as indices.
    weights : array of float, shape (n_rows,)
        Their weights.

    Returns
    -------
    Graph
        The same graph, with ``paths``.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> graph = Graph.leaf(Schema((), named=False), ["a"], 0, [2.0], 2)
    >>> with_path_counts(graph, Table((), 2, named=False), np.array([0, 0]), np.ones(2)) is graph
    True
    """
    if graph.is_tree:
        return graph
    nodes, index = paths_taken(graph, table)
    weight = np.zeros((len(nodes), graph.n_classes))
    np.add.at(weight, (index, labels), weights)
    return replace(graph, paths=PathCounts(nodes, np.bincount(index, minlength=len(nodes)), weight))
