"""An LP that is solved repeatedly while columns and rows are added, as column generation does.

HiGHS keeps its basis between two solves: after new columns the primal simplex continues from the last basis, after new
rows the dual simplex does. With coefficients of very different sizes this may fail numerically ("kUnknown"); a solve
from scratch then mostly succeeds.
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
from exactree.mip.backends.highs import highs_model, highs_status
from exactree.mip.interface import Callback, MipOptions, MipStatus
from exactree.mip.process.supervisor import SharedProgress, supervise
from exactree.mip.program import Program

UNKNOWN = "kUnknown"  # status of HiGHS after a numerical failure
DEFAULTS: Mapping[str, str | int] = MappingProxyType({})
# Options of HiGHS for solves from scratch, tried one after the other.
RESTARTS: tuple[Mapping[str, str | int], ...] = (
    DEFAULTS,
    {"presolve": "off", "simplex_strategy": 4},
    {"solver": "ipm"},
)


@dataclass(frozen=True, slots=True, eq=False)
class LpSolution:
    """An optimal basic solution of an LP. Without one, all arrays are empty."""

    status: MipStatus
    objective: float
    values: Floats  # (n_columns,)
    duals: Floats  # (n_rows,) change of the objective per unit of a row's bound
    reduced_costs: Floats  # (n_columns,)
    iterations: int  # of the simplex in this solve


class LinearProgram:
    """An LP that keeps its basis between solves.

    Examples
    --------
    >>> from exactree.mip import Mip
    >>> mip = Mip()
    >>> x = mip.columns("x", 2, cost=[1.0, 2.0])
    >>> _ = mip.family("need", [(1.0, x[None, :])], at_least=4)
    >>> lp = LinearProgram(mip.program())
    >>> solution = lp.solve()
    >>> solution.objective, solution.duals
    (4.0, array([1.]))
    >>> _ = lp.add_columns([0.5], entries=([0], [0], [1.0]))
    >>> lp.solve().objective
    2.0
    """

    def __init__(self, program: Program) -> None:
        if not program.is_linear:
            raise InputError("A LinearProgram has no integer columns; relax them to Kind.CONTINUOUS, or use solve().")
        self._solver = highs_model(program)
        self.n_columns, self.n_rows = program.n_columns, program.n_rows

    def solve(self, options: MipOptions | None = None, callback: Callback | None = None) -> LpSolution:
        """Solve from the last basis; after a numerical failure, from scratch."""
        options, solver, started_at = options or MipOptions(), self._solver, monotonic()
        status = self._run(options, callback)
        for highs_options in RESTARTS:
            if status is not MipStatus.NUMERICAL_ERROR:
                break
            solver.clearSolver()
            left = None if options.seconds is None else max(0.0, options.seconds - (monotonic() - started_at))
            status = self._run(replace(options, seconds=left), callback, highs_options)
        info, found = solver.getInfo(), solver.getSolution()
        iterations = int(info.simplex_iteration_count)
        if status is not MipStatus.OPTIMAL:
            nothing = np.empty(0)
            return LpSolution(status, inf, nothing, nothing, nothing, iterations)
        return LpSolution(
            status,
            float(info.objective_function_value),
            np.array(found.col_value),
            np.array(found.row_dual),
            np.array(found.col_dual),
            iterations,
        )

    def _run(
        self, options: MipOptions, callback: Callback | None, highs_options: Mapping[str, str | int] = DEFAULTS
    ) -> MipStatus:
        """Run HiGHS, with some of its options changed for this solve only."""
        solver, progress = self._solver, SharedProgress()
        before = {name: solver.getOptionValue(name)[1] for name in highs_options}
        for name, value in highs_options.items():
            solver.setOptionValue(name, value)
        _set_interrupt_callback(solver, progress)
        try:
            stop_reason = supervise(solver.run, lambda: None, progress, options, callback)
        finally:
            for name, value in before.items():
                solver.setOptionValue(name, value)
        failed = solver.getModelStatus().name == UNKNOWN
        status = MipStatus.NUMERICAL_ERROR if failed else highs_status(solver)
        # Ctrl-C must not be lost, even if the solver finished before it noticed: more solves follow.
        if stop_reason is MipStatus.INTERRUPTED or (status is MipStatus.INTERRUPTED and stop_reason is not None):
            status = stop_reason
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

    def delete_columns(self, columns: Ints) -> None:
        """Delete columns; later ones are renumbered. The basis stays valid if none of them is in it."""
        self._solver.deleteCols(len(columns), columns.astype(np.int32))
        self.n_columns -= len(columns)

    def change_costs(self, columns: Ints, costs: ArrayLike) -> None:
        """Change the cost of some columns."""
        spread = np.broadcast_to(np.asarray(costs, dtype=np.float64), columns.shape).copy()
        self._solver.changeColsCost(len(columns), columns.astype(np.int32), spread)

    def change_bounds(self, columns: Ints, low: ArrayLike, high: ArrayLike) -> None:
        """Change the bounds of some columns."""
        lows, highs = (np.broadcast_to(np.asarray(part, float), columns.shape).copy() for part in (low, high))
        self._solver.changeColsBounds(len(columns), columns.astype(np.int32), lows, highs)

    def change_row_bounds(self, rows: Ints, at_least: ArrayLike, at_most: ArrayLike) -> None:
        """Change the bounds of some rows."""
        lows, highs = (np.broadcast_to(np.asarray(part, float), rows.shape) for part in (at_least, at_most))
        for row, low, high in zip(rows.tolist(), lows.tolist(), highs.tolist(), strict=True):
            self._solver.changeRowBounds(row, low, high)


def _compressed(entries: Any, n_major: int, n_minor: int, what: str) -> tuple[Any, Any, Floats]:
    """Entries in compressed form, sorted by the column or row that they are added to."""
    major, minor, value = (np.asarray(part) for part in entries)
    if len(minor) and not (minor.min() >= 0 and minor.max() < n_minor):
        raise InputError(f"The entries name {what} {int(minor.max())}; there are {n_minor}.")
    order = np.argsort(major, kind="stable")
    if len(major) and not (major.min() >= 0 and major.max() < n_major):
        raise SolverBug(f"Entries belong to {int(major.max())}, but only {n_major} are added.")
    begin = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=n_major))])[:-1]
    return begin.astype(np.int32), minor[order].astype(np.int32), value[order].astype(np.float64)


def _set_interrupt_callback(solver: Any, progress: SharedProgress) -> None:
    def called(kind: Any, message: str, data_out: Any, data_in: Any, _: Any) -> None:
        if data_in is not None and progress.stop_requested:
            data_in.user_interrupt = True

    kinds = import_module("highspy").cb.HighsCallbackType
    solver.setCallback(called, None)
    for kind in (kinds.kCallbackSimplexInterrupt, kinds.kCallbackIpmInterrupt):
        solver.startCallback(kind)
