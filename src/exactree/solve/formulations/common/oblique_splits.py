"""Oblique splits as columns and rows of a MIP: what OCT-H and ODD have in common.

===================  ==========================================================================
in code              meaning
===================  ==========================================================================
oblique              [n] the split of node n is oblique, binary
positive, negative   [n, j] positive and negative part of column j's coefficient
threshold            [n] what the linear combination is compared with
===================  ==========================================================================

Columns are scaled to 0..1 and the absolute coefficients add up to 1 at most, so linear combinations lie in -1..1 and
big-Ms of 1 suffice.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import Kind, Mip, Term


class ObliqueSplits:
    """The oblique splits of all nodes."""

    def __init__(self, mip: Mip, n_nodes: int, n_oblique: int) -> None:
        self.mip = mip
        self.oblique = mip.columns("oblique", n_nodes, kind=Kind.INTEGER, high=1, priority=90)
        self.positive, self.negative = (
            mip.columns(name, (n_nodes, n_oblique), high=1) for name in ("positive", "negative")
        )
        self.threshold = mip.columns("threshold", n_nodes, low=-1, high=1)

    def add_bounds(self) -> None:
        """Coefficients are 0 where the split is univariate."""
        # coefficients[n]: sum_j positive[n, j] + negative[n, j] <= oblique[n]
        self.mip.family("coefficients", [(1, self.positive), (1, self.negative), (-1, self.oblique)], at_most=0)
        # threshold_high[n]: threshold[n] <= sum_j positive[n, j]
        # threshold_low[n]: threshold[n] >= -sum_j negative[n, j]
        self.mip.family("threshold_high", [(1, self.threshold), (-1, self.positive)], at_most=0)
        self.mip.family("threshold_low", [(1, self.threshold), (1, self.negative)], at_least=0)

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

    def start_without(self) -> None:
        """Set a warm start whose splits are all univariate."""
        for block in (self.oblique, self.positive, self.negative, self.threshold):
            self.mip.set_start(block, 0)
