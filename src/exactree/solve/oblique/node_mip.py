"""The best linear split of the rows of one node, as a MIP; all other nodes are fixed.

===================  ==========================================================================
in code              meaning
===================  ==========================================================================
yes, no              [r] row r goes yes, or no; binary
positive, ...        the linear combination, as in ``mip_splits``
===================  ==========================================================================

A row is all points that no linear combination of the columns tells apart. Rows that cost the same on both sides are
left out, unless nodes need some number of rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.mip import Kind, Mip, MipOptions, MipProgress, MipStatus, Program, backend_for
from exactree.solve.oblique.mip_splits import HALF, ObliqueSplits
from exactree.solve.trees.linear_combinations import ScaledSplit
from exactree.tolerances import FEASIBILITY

PROVED = MipStatus.OPTIMAL, MipStatus.INFEASIBLE


class Floor(NamedTuple):
    """What arrives somewhere below the node is at least ``least``: rows count by the side they take."""

    if_yes: Floats  # (n_rows,)
    if_no: Floats  # (n_rows,)
    least: float


class NodeOptimum(NamedTuple):
    """The best sides of the rows that were found, and a bound."""

    yes: Bools | None  # (n_rows,); None if no split within the limits was found
    columns: tuple[int, ...]  # that the linear combination has, by their place
    cost: float  # change of cost by the rows that go yes, and price of columns; inf without a split
    bound: float  # no split costs less that keeps the margin and the limits
    proved: bool


@dataclass(frozen=True, slots=True, eq=False)
class NodeMip:
    """Rows of a node, and the splits that are allowed.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found = NodeMip(corners, np.array([-1.0, -1.0, -1.0, 1.0])).solve(None, MipOptions())
    >>> found.yes.tolist(), found.cost, found.proved
    ([True, True, True, False], -3.0, True)
    """

    x: Floats  # (n_rows, n_oblique), columns scaled to 0..1
    change: Floats  # (n_rows,) what yes costs more than no
    floors: Sequence[Floor] = ()
    most_columns: int | None = None
    column_price: float = 0.0
    margin: float = 0.001

    def solve(
        self,
        start: ScaledSplit | None,
        options: MipOptions,
        callback: Callable[[MipProgress], None] | None = None,
    ) -> NodeOptimum:
        """Return the best split that is found; raise ``KeyboardInterrupt`` after Ctrl-C.

        A ``start`` whose gap is less than the margin is left out.
        """
        scale = self._scale()
        program, splits, yes = self._program(scale, start)
        found = backend_for(program, "highs").solve(program, self._options(options, scale), callback)
        if found.status is MipStatus.INTERRUPTED:
            raise KeyboardInterrupt
        proved, bound = found.status in PROVED, self._bound(found.bound / scale)
        if found.values is None:
            return NodeOptimum(None, (), inf, inf if proved else bound, proved)
        sides = found.values[yes] > HALF
        cost = float(self.change[sides].sum()) + self.column_price * self._n_further(splits, found.values)
        chosen = tuple(splits.columns_at(0, found.values))
        return NodeOptimum(sides, chosen, cost, min(cost, bound), proved)

    @property
    def step(self) -> float:
        """Least difference of the costs of two splits; 0 if unknown."""
        return float(self.column_price == 0 and bool((self.change == np.rint(self.change)).all()))

    def _scale(self) -> float:
        """Factor from cost to objective: back ends' tolerances are absolute."""
        return 1.0 if self.step else 1.0 / max(float(np.abs(self.change).max()), self.column_price)

    def _options(self, options: MipOptions, scale: float) -> MipOptions:
        return MipOptions(
            seconds=options.seconds,
            memory=options.memory,
            threads=options.threads,
            seed=options.seed,
            step=self.step,
            cutoff=options.cutoff * scale + FEASIBILITY,
        )

    def _bound(self, bound: float) -> float:
        """Round a bound up to what costs can be, after its possible error."""
        lowest = float(np.minimum(self.change, 0.0).sum())
        if not np.isfinite(bound):
            return lowest
        bound -= FEASIBILITY * max(1.0, abs(bound), -lowest)
        return max(lowest, float(np.ceil(bound)) if self.step else bound)

    def _n_further(self, splits: ObliqueSplits, values: Floats) -> int:
        used = 0 if splits.contains is None else int(np.count_nonzero(values[splits.contains[0]] > HALF))
        return max(used - 1, 0)

    def _program(self, scale: float, start: ScaledSplit | None) -> tuple[Program, ObliqueSplits, np.ndarray]:
        mip, (n_rows, n_oblique) = Mip(), self.x.shape
        splits = ObliqueSplits(
            mip, 1, n_oblique, most_columns=self.most_columns, column_price=self.column_price * scale
        )
        yes = mip.columns("yes", n_rows, kind=Kind.INTEGER, high=1, cost=self.change * scale)
        no = mip.columns("no", n_rows, kind=Kind.INTEGER, high=1)
        splits.add_bounds()
        # asked: oblique = 1
        mip.family("asked", [(1, splits.oblique)], at_least=1)
        # one_side[r]: yes[r] + no[r] = 1
        mip.family("one_side", [(1, yes), (1, no)], at_least=1, at_most=1)
        # some_yes: sum_r yes[r] >= 1;  some_no: sum_r no[r] >= 1
        for name, side in (("some_yes", yes), ("some_no", no)):
            mip.family(name, [(1, side[None, :])], at_least=1)
        # enough[f]: sum_r if_yes[f, r] yes[r] + if_no[f, r] no[r] >= least[f]
        for f, floor in enumerate(self.floors):
            terms = [(floor.if_yes[None, :], yes[None, :]), (floor.if_no[None, :], no[None, :])]
            mip.family(f"enough_{f}", terms, at_least=floor.least)
        splits.add_routing(0, self.x, yes, no, self.margin)
        if start is not None and start.gap >= self.margin + FEASIBILITY:
            splits.set_start({0: start})
            sums = self.x @ start.coefficients
            above = sums >= start.threshold - start.gap * HALF
            mip.set_start(yes, ~above)
            mip.set_start(no, above)
        return mip.program(), splits, yes
