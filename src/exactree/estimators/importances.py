"""How much each column contributes to a tree."""

import numpy as np

from exactree.arrays import Floats
from exactree.model import Graph
from exactree.table import Test


def importances(graph: Graph) -> Floats:
    """Share of each column in the fall of weighted Gini impurity over all branches; all zero for a lone leaf.

    The columns of a sum share alike.
    """
    total = np.zeros(len(graph.schema.columns))
    impurity = _weighted_gini(graph.weight)
    for node in np.flatnonzero(graph.test != Test.LEAF).tolist():
        fall = impurity[node] - impurity[graph.yes[node]] - impurity[graph.no[node]]
        columns = [j for j, _ in graph.sum_at(node)] or [int(graph.column[node])]
        total[columns] += max(float(fall), 0.0) / len(columns)  # rounding can take an even split below zero
    return total / total.sum() if total.sum() > 0 else total


def _weighted_gini(weight: Floats) -> Floats:
    """Node weight times Gini impurity, (n_nodes,)."""
    sums = weight.sum(axis=1)
    return np.asarray(sums - np.divide((weight**2).sum(axis=1), sums, out=np.zeros_like(sums), where=sums > 0))
