"""Oblique splits as columns and rows of a MIP: what OCT-H, ODD and the MIP of a single node have in common.

===================  ==========================================================================
in code              meaning
===================  ==========================================================================
oblique              [n] the split of node n is oblique, binary
positive, negative   [n, j] positive and negative part of column j's coefficient
threshold            [n] what the linear combination is compared with
contains             [n, j] whether it has column j, binary; only with a limit or a price of columns
===================  ==========================================================================

Columns are scaled to 0..1 and the absolute coefficients add up to 1 at most, so linear combinations lie in -1..1 and
big-Ms of 1 suffice.
"""

from collections.abc import Mapping

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.encode import Encoded
from exactree.mip import Kind, Mip, Term
from exactree.solve.trees.linear_combinations import ScaledSplit, oblique_columns

HALF = 0.5


def oblique_scope(margin: float, most_columns: int | None, data: Encoded) -> str:
    """Say which oblique splits a proof covers."""
    limited = most_columns is not None and most_columns < len(oblique_columns(data).sources)
    return f" whose oblique splits keep a margin of {margin:g}" + (
        f" and have at most {most_columns} columns" if limited else ""
    )


class ObliqueSplits:
    """The oblique splits of all nodes."""

    def __init__(
        self, mip: Mip, n_nodes: int, n_oblique: int, *, most_columns: int | None = None, column_price: float = 0.0
    ) -> None:
        self.mip = mip
        binary = Kind.INTEGER
        self.oblique = mip.columns("oblique", n_nodes, kind=binary, high=1, priority=90, cost=-column_price)
        self.positive, self.negative = (
            mip.columns(name, (n_nodes, n_oblique), high=1) for name in ("positive", "negative")
        )
        self.threshold = mip.columns("threshold", n_nodes, low=-1, high=1)
        self.most_columns = n_oblique if most_columns is None else most_columns
        self.contains: Ints | None = None
        if self.most_columns < n_oblique or column_price > 0:
            shape = (n_nodes, n_oblique)
            self.contains = mip.columns("contains", shape, kind=binary, high=1, priority=80, cost=column_price)

    def add_bounds(self) -> None:
        """Coefficients are 0 where the split is univariate, and for columns that a linear combination does not have."""
        # coefficients[n]: sum_j positive[n, j] + negative[n, j] <= oblique[n]
        self.mip.family("coefficients", [(1, self.positive), (1, self.negative), (-1, self.oblique)], at_most=0)
        # threshold_high[n]: threshold[n] <= sum_j positive[n, j]
        # threshold_low[n]: threshold[n] >= -sum_j negative[n, j]
        self.mip.family("threshold_high", [(1, self.threshold), (-1, self.positive)], at_most=0)
        self.mip.family("threshold_low", [(1, self.threshold), (1, self.negative)], at_least=0)
        if self.contains is None:
            return
        # contained[n, j]: positive[n, j] + negative[n, j] <= contains[n, j]
        each = [part.ravel() for part in (self.positive, self.negative, self.contains)]
        self.mip.family("contained", [(1, each[0]), (1, each[1]), (-1, each[2])], at_most=0)
        # most_columns[n]: sum_j contains[n, j] <= K oblique[n];  some_column[n]: sum_j contains[n, j] >= oblique[n]
        self.mip.family("most_columns", [(1, self.contains), (-self.most_columns, self.oblique)], at_most=0)
        self.mip.family("some_column", [(1, self.contains), (-1, self.oblique)], at_least=0)

    def columns_at(self, node: int, values: Floats) -> list[int]:
        """Return the columns that the linear combination of a node may have, in a solution."""
        if self.contains is None:
            return list(range(self.positive.shape[1]))
        return [int(j) for j in np.flatnonzero(values[self.contains[node]] > HALF)]

    def add_routing(self, node: int, x: Floats, below: Ints, above: Ints, margin: float) -> None:
        """Route rows by their linear combination; not binding where the split is univariate.

        ``x`` has the scaled columns of each row, ``below`` and ``above`` the columns that add up to 1 if it goes there.
        """
        positive, negative = (np.broadcast_to(part[node], x.shape) for part in (self.positive, self.negative))
        threshold, oblique = (np.full(len(x), part[node]) for part in (self.threshold, self.oblique))
        total: list[Term] = [(x, positive), (-x, negative), (-1, threshold)]
        # oblique_above[r]: sum_j x (positive - negative) >= threshold - (1 - sum above)
        self.mip.family(f"oblique_above_{node}", [*total, (-1, above)], at_least=-1)
        # oblique_below[r]: sum_j x (positive - negative) + margin oblique <= threshold + (1 + margin) (1 - sum below)
        terms: list[Term] = [*total, (margin, oblique), (1 + margin, below)]
        self.mip.family(f"oblique_below_{node}", terms, at_most=1 + margin)

    def set_start(self, splits: Mapping[int, ScaledSplit]) -> None:
        """Set a warm start with oblique splits at some nodes, and univariate ones at all others."""
        oblique, threshold = np.zeros(self.threshold.shape), np.zeros(self.threshold.shape)
        coefficients = np.zeros(self.positive.shape)
        for node, split in splits.items():
            oblique[node], threshold[node], coefficients[node] = 1.0, split.threshold, split.coefficients
        self.mip.set_start(self.oblique, oblique)
        self.mip.set_start(self.threshold, threshold)
        self.mip.set_start(self.positive, np.maximum(coefficients, 0))
        self.mip.set_start(self.negative, np.maximum(-coefficients, 0))
        if self.contains is not None:
            self.mip.set_start(self.contains, coefficients != 0)
