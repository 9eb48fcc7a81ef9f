"""Questions about sums of columns as columns and rows of a program: what OCT-H and ODD have in common.

=========  ==========================================================
in code    meaning
=========  ==========================================================
sums       [n] node n asks about a sum, binary
up, down   [n, j] factor of column j in the sum, above and below 0
at         [n] what the sum is compared with
=========  ==========================================================

Columns are scaled to 0..1 and the sizes of factors add up to 1 at most, so sums lie in -1..1 and big-Ms of 1 will do.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import Kind, Mip, Term


class SumQuestions:
    """The sums that nodes may ask about."""

    def __init__(self, mip: Mip, n_nodes: int, n_summands: int) -> None:
        self.mip = mip
        self.sums = mip.columns("sums", n_nodes, kind=Kind.INTEGER, high=1, priority=90)
        self.up, self.down = (mip.columns(name, (n_nodes, n_summands), high=1) for name in ("up", "down"))
        self.at = mip.columns("at", n_nodes, low=-1, high=1)

    def add_bounds(self) -> None:
        """Nodes that ask about no sum have no factors."""
        # factors[n]: sum_j up[n, j] + down[n, j] <= sums[n]
        self.mip.family("factors", [(1, self.up), (1, self.down), (-1, self.sums)], at_most=0)
        # at_high[n]: at[n] <= sum_j up[n, j];  at_low[n]: at[n] >= -sum_j down[n, j]
        self.mip.family("at_high", [(1, self.at), (-1, self.up)], at_most=0)
        self.mip.family("at_low", [(1, self.at), (1, self.down)], at_least=0)

    def add_routing(self, node: int, x: Floats, below: Ints, above: Ints, margin: float) -> None:
        """Rows whose sum stays below go one way, the others the other; without a sum these rows say nothing.

        ``x`` has the scaled columns of each row, ``below`` and ``above`` the columns that add up to 1 if it goes there.
        """
        up, down = (np.broadcast_to(part[node], x.shape) for part in (self.up, self.down))
        at, sums = (np.full(len(x), part[node]) for part in (self.at, self.sums))
        total: list[Term] = [(x, up), (-x, down), (-1, at)]
        # sum_above[r]: sum_j x (up - down) >= at - (1 - sum above)
        self.mip.family(f"sum_above_{node}", [*total, (-1, above)], at_least=-1)
        # sum_below[r]: sum_j x (up - down) + margin sums <= at + (1 + margin) (1 - sum below)
        terms: list[Term] = [*total, (margin, sums), (1 + margin, below)]
        self.mip.family(f"sum_below_{node}", terms, at_most=1 + margin)

    def suggest_none(self) -> None:
        """Suggest that nodes ask about single columns."""
        for block in (self.sums, self.up, self.down, self.at):
            self.mip.suggest(block, 0)
