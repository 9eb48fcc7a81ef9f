"""Thresholds in the middle of the gap between the rows that they part.

A solver tells rows apart by rank, and where no row of a node lies between two cuts, both part them alike. New rows may
lie there: half of the gap for either side is what CART gives them, and no side has a better claim to it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree.encode import Encoded
from exactree.model import Graph
from exactree.solve.trees.ranked_tree import find_question
from exactree.table import Kind, Test


def centred(data: Encoded, graph: Graph) -> Graph:
    """Return a graph that sends every training row the same way, by cuts that are as far from the rows as there are.

    Each stays a cut of the data. Questions about sums are left as they are, and so are those that all rows of a node
    answer alike.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.model import Node
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [4.0, 0.0]]), list("aaab"))
    >>> leaves = Node(0, (1.0, 0.0), 1), Node(0, (2.0, 0.0), 2), Node(1, (0.0, 1.0), 1)
    >>> below = Node(0, (2.0, 1.0), 3, test=Test.AT_MOST, column=0, threshold=1.5, yes=3, no=4)
    >>> root = Node(0, (3.0, 1.0), 4, test=Test.AT_MOST, column=1, threshold=0.5, yes=1, no=2)
    >>> graph = Graph.of_nodes(data.table.schema, data.classes, [root, below, *leaves])
    >>> centred(data, graph).threshold[:2].tolist()
    [0.5, 3.0]
    """
    if graph.is_linear or graph.n_nodes == 1:
        return graph
    threshold, code = graph.threshold.copy(), graph.code.copy()
    rows = graph.reached(data.table)
    for node in np.flatnonzero(graph.test == Test.AT_MOST).tolist():
        cut = _middle(data, graph, node, data.point_of[rows[node]])
        if cut is None:
            continue
        if data.table.columns[graph.column[node]].kind is Kind.INTEGER:
            code[node] = cut
        else:
            threshold[node] = cut
    return replace(graph, threshold=threshold, code=code)


def _middle(data: Encoded, graph: Graph, node: int, points: NDArray[np.int64]) -> float | int | None:
    """Return the cut in the middle of the points that a node parts, or ``None`` where there is none to choose."""
    found = find_question(data, graph, node)
    if found is None:
        return None
    column = data.columns[found[0]]
    ranks = column.ranks[points]
    is_yes = ranks <= found[1]
    if is_yes.all() or not is_yes.any():
        return None
    cut = column.cut(column.between(int(ranks[is_yes].max()), int(ranks[~is_yes].min())))
    return None if np.isinf(cut) else cut.item()
