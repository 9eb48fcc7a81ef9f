"""A linear program that is solved again and again while columns and rows are added, as column generation does.

HiGHS keeps its basis between two solves: after new columns the primal simplex goes on from the last vertex, after new
rows the dual simplex does. Where coefficients are widely spread it may lose its way from there ("kUnknown"), mostly not
when it begins anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from math import inf
from time import monotonic
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from exactree.arrays import Floats, Ints
from exactree.errors import InputError, SolverBug
from exactree.mip.backends.highs import loaded, status_of
from exactree.mip.interface import Callback, Effort, MipStatus
from exactree.mip.process.supervisor import Board, supervise
from exactree.mip.program import Program

UNKNOWN = "kUnknown"  # HiGHS's word for being lost
# What it is told when it begins anew, one after the other.
USUAL: Mapping[str, str | int] = MappingProxyType({})
ANEW: tuple[Mapping[str, str | int], ...] = (USUAL, {"presolve": "off", "simplex_strategy": 4}, {"solver": "ipm"})


@dataclass(frozen=True, slots=True, eq=False)
class Vertex:
    """A solution of a linear program. Without one, all arrays are empty."""

    status: MipStatus
    objective: float
    values: Floats  # (n_columns,)
    duals: Floats  # (n_rows,) change of the objective per unit of a row's side
    reduced: Floats  # (n_columns,) cost less what the duals pay for
    iterations: int  # of the simplex in this solve


class LinearProgram:
    """A linear program that remembers where it was.

    Examples
    --------
    >>> from exactree.mip import Mip
    >>> mip = Mip()
    >>> x = mip.columns("x", 2, cost=[1.0, 2.0])
    >>> _ = mip.family("need", [(1.0, x[None, :])], at_least=4)
    >>> lp = LinearProgram(mip.program())
    >>> vertex = lp.solve()
    >>> vertex.objective, vertex.duals
    (4.0, array([1.]))
    >>> _ = lp.add_columns([0.5], entries=([0], [0], [1.0]))
    >>> lp.solve().objective
    2.0
    """

    def __init__(self, program: Program) -> None:
        if not program.is_linear:
            raise InputError("A LinearProgram has no whole columns; relax them to Kind.CONTINUOUS, or use solve().")
        self._solver = loaded(program)
        self.n_columns, self.n_rows = program.n_columns, program.n_rows

    def solve(self, effort: Effort | None = None, callback: Callback | None = None) -> Vertex:
        """Solve from where the last solve ended; where that leads nowhere, from the beginning."""
        effort, solver, begun = effort or Effort(), self._solver, monotonic()
        status = self._run(effort, callback)
        for options in ANEW:
            if status is not MipStatus.UNSETTLED:
                break
            solver.clearSolver()
            left = None if effort.seconds is None else max(0.0, effort.seconds - (monotonic() - begun))
            status = self._run(replace(effort, seconds=left), callback, options)
        info, found = solver.getInfo(), solver.getSolution()
        iterations = int(info.simplex_iteration_count)
        if status is not MipStatus.OPTIMAL:
            nothing = np.empty(0)
            return Vertex(status, inf, nothing, nothing, nothing, iterations)
        return Vertex(
            status,
            float(info.objective_function_value),
            np.array(found.col_value),
            np.array(found.row_dual),
            np.array(found.col_dual),
            iterations,
        )

    def _run(self, effort: Effort, callback: Callback | None, options: Mapping[str, str | int] = USUAL) -> MipStatus:
        """Run HiGHS, with some options for this time only."""
        solver, board = self._solver, Board()
        before = {name: solver.getOptionValue(name)[1] for name in options}
        for name, value in options.items():
            solver.setOptionValue(name, value)
        _set_stop(solver, board)
        try:
            ended = supervise(solver.run, lambda: None, board, effort, callback)
        finally:
            for name, value in before.items():
                solver.setOptionValue(name, value)
        lost = solver.getModelStatus().name == UNKNOWN
        status = MipStatus.UNSETTLED if lost else status_of(solver)
        # Ctrl-C must not be lost, even if the solver came to its end before it noticed: there are more solves to come.
        if ended is MipStatus.INTERRUPTED or (status is MipStatus.INTERRUPTED and ended is not None):
            status = ended
        return status

    def add_columns(self, cost: ArrayLike, *, entries: Any, low: ArrayLike = 0.0, high: ArrayLike = inf) -> Ints:
        """Add columns; ``entries`` are (new column from 0 on, row, value), three arrays. Return their numbers."""
        costs = np.atleast_1d(np.asarray(cost, dtype=np.float64))
        begin, index, value = _compressed(entries, len(costs), self.n_rows, "row")
        lows, highs = (np.broadcast_to(np.asarray(part, float), costs.shape).copy() for part in (low, high))
        self._solver.addCols(len(costs), costs, lows, highs, len(value), begin, index, value)
        numbers = np.arange(self.n_columns, self.n_columns + len(costs))
        self.n_columns += len(costs)
        return numbers

    def add_rows(self, at_least: ArrayLike, at_most: ArrayLike, *, entries: Any) -> Ints:
        """Add rows; ``entries`` are (new row from 0 on, column, value), three arrays. Return their numbers."""
        lows, highs = np.broadcast_arrays(np.atleast_1d(np.asarray(at_least, float)), np.asarray(at_most, float))
        begin, index, value = _compressed(entries, len(lows), self.n_columns, "column")
        self._solver.addRows(len(lows), lows.copy(), highs.copy(), len(value), begin, index, value)
        numbers = np.arange(self.n_rows, self.n_rows + len(lows))
        self.n_rows += len(lows)
        return numbers

    def drop_columns(self, columns: Ints) -> None:
        """Take columns out; those after them move up. The basis stays if none of them is in it."""
        self._solver.deleteCols(len(columns), columns.astype(np.int32))
        self.n_columns -= len(columns)

    def change_costs(self, columns: Ints, costs: ArrayLike) -> None:
        """Give some columns another cost."""
        spread = np.broadcast_to(np.asarray(costs, dtype=np.float64), columns.shape).copy()
        self._solver.changeColsCost(len(columns), columns.astype(np.int32), spread)

    def change_bounds(self, columns: Ints, low: ArrayLike, high: ArrayLike) -> None:
        """Give some columns other bounds."""
        lows, highs = (np.broadcast_to(np.asarray(part, float), columns.shape).copy() for part in (low, high))
        self._solver.changeColsBounds(len(columns), columns.astype(np.int32), lows, highs)

    def change_sides(self, rows: Ints, at_least: ArrayLike, at_most: ArrayLike) -> None:
        """Give some rows other sides."""
        lows, highs = (np.broadcast_to(np.asarray(part, float), rows.shape) for part in (at_least, at_most))
        for row, low, high in zip(rows.tolist(), lows.tolist(), highs.tolist(), strict=True):
            self._solver.changeRowBounds(row, low, high)


def _compressed(entries: Any, n_major: int, n_minor: int, what: str) -> tuple[Any, Any, Floats]:
    """Entries sorted by what they are added to; each place at most once."""
    major, minor, value = (np.asarray(part) for part in entries)
    if len(minor) and not (minor.min() >= 0 and minor.max() < n_minor):
        raise InputError(f"The entries name {what} {int(minor.max())}; there are {n_minor}.")
    order = np.argsort(major, kind="stable")
    if len(major) and not (major.min() >= 0 and major.max() < n_major):
        raise SolverBug(f"Entries belong to {int(major.max())}, but only {n_major} are added.")
    begin = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=n_major))])[:-1]
    return begin.astype(np.int32), minor[order].astype(np.int32), value[order].astype(np.float64)


def _set_stop(solver: Any, board: Board) -> None:
    def called(kind: Any, message: str, data_out: Any, data_in: Any, _: Any) -> None:
        if data_in is not None and board.stop:
            data_in.user_interrupt = True

    kinds = import_module("highspy").cb.HighsCallbackType
    solver.setCallback(called, None)
    for kind in (kinds.kCallbackSimplexInterrupt, kinds.kCallbackIpmInterrupt):
        solver.startCallback(kind)
