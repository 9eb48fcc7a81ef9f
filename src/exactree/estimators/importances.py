"""How much each column contributes to a tree."""

import numpy as np
from numpy.typing import NDArray

from exactree.model import Graph
from exactree.table import Test


def importances(graph: Graph) -> NDArray[np.float64]:
    """Share of each column in the fall of weighted Gini impurity over all branches; all zero for a lone leaf."""
    total = np.zeros(len(graph.schema.columns))
    impurity = _weighted_gini(graph.weight)
    for node in np.flatnonzero(graph.test != Test.LEAF):
        fall = impurity[node] - impurity[graph.yes[node]] - impurity[graph.no[node]]
        total[graph.column[node]] += max(float(fall), 0.0)  # rounding can take an even split below zero
    return total / total.sum() if total.sum() > 0 else total


def _weighted_gini(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Node weight times Gini impurity, (n_nodes,)."""
    sums = weight.sum(axis=1)
    return np.asarray(sums - np.divide((weight**2).sum(axis=1), sums, out=np.zeros_like(sums), where=sums > 0))
