"""Gurobi through ``gurobipy``, for those who have it; exactree does not ask for it, and ``auto`` never picks it.

The licence that comes with the package takes programs of up to 2000 columns and 2000 rows. Rows with two different
sides become two rows. On Ctrl-C Gurobi writes a line to standard output that cannot be turned off.
"""

from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from exactree.errors import SolverBug, Unsupported
from exactree.mip.interface import PROOFS, Answer, Callback, Effort, MipStatus
from exactree.mip.process.supervisor import Board, begins_with, settled, started, supervise
from exactree.mip.program import Kind, Program
from exactree.tolerances import FEASIBILITY

STATUSES = {
    "OPTIMAL": MipStatus.OPTIMAL,
    "INFEASIBLE": MipStatus.INFEASIBLE,
    "INF_OR_UNBD": MipStatus.INFEASIBLE,
    "CUTOFF": MipStatus.INFEASIBLE,  # nothing costs as little as the cutoff
    "UNBOUNDED": MipStatus.UNBOUNDED,
    "TIME_LIMIT": MipStatus.TIME_LIMIT,
    "MEM_LIMIT": MipStatus.MEMORY_LIMIT,
    "INTERRUPTED": MipStatus.INTERRUPTED,
}
LICENCE = (10009, 10010)  # codes of errors: no licence, a program that is too large for it
HUGE = 1e99  # Gurobi's infinity is 1e100


class Gurobi:
    """Commercial; the fastest there is on many programs with strong relaxations."""

    name: ClassVar[str] = "gurobi"
    package: ClassVar[str] = "gurobipy"
    install: ClassVar[str] = "gurobipy"

    def refusal(self, program: Program) -> str | None:
        """Take everything; what the licence allows is known only when it is asked for."""
        return None

    def solve(self, program: Program, effort: Effort, callback: Callback | None = None) -> Answer:
        """Run Gurobi in a thread of its own."""
        gurobi: Any = import_module("gurobipy")
        try:
            with gurobi.Env(empty=True) as env:
                env.setParam("OutputFlag", 0)  # the licence introduces itself on standard output
                env.start()
                with gurobi.Model(env=env) as model:
                    return _solved(model, program, effort, callback)
        except gurobi.GurobiError as error:
            if error.errno not in LICENCE:
                raise SolverBug(f"Gurobi failed: {error}.") from error
            raise Unsupported(
                f"backend='gurobi' cannot take this program of {program.n_columns} columns and {program.n_rows} rows: "
                f"{error}. Use backend='highs'."
            ) from error


def _solved(model: Any, program: Program, effort: Effort, callback: Callback | None) -> Answer:
    board = Board()
    columns = _load(model, program)
    _set_options(model, effort)
    called = _callback(board, effort)
    ended = supervise(lambda: model.optimize(called), model.terminate, board, effort, callback)
    claim = _status(model)
    values = np.array(columns.X) if model.SolCount else None
    bound = _bound(model, program, claim)
    counters = {"nodes": float(model.NodeCount), "iterations": float(model.IterCount)}
    counters |= started(program, begins_with(program, board.first))
    return settled(program, values, bound, claim if claim in PROOFS else None, ended or claim, effort, counters)


def _load(model: Any, program: Program) -> Any:
    """Hand a program over in bulk, with start and priorities, and return its columns."""
    binary = (program.low >= 0) & (program.high <= 1)
    kinds = np.where(program.kind != Kind.INTEGER, "C", np.where(binary, "B", "I"))
    columns = model.addMVar(program.n_columns, lb=program.low, ub=program.high, obj=program.cost, vtype=kinds)
    model.ObjCon = program.offset
    low, high = program.row_low, program.row_high
    matrix = csr_array((program.value, program.index, program.begin), shape=(program.n_rows, program.n_columns))
    equal = low == high
    below, above = ~equal & np.isfinite(high), ~equal & np.isfinite(low)
    for sense, rows, side in (("=", equal, high), ("<", below, high), (">", above, low)):
        if rows.any():
            model.addMConstr(matrix[np.flatnonzero(rows)], columns, sense, side[rows])
    undefined: float = import_module("gurobipy").GRB.UNDEFINED
    columns.Start = np.where(np.isnan(program.start), undefined, program.start)
    columns.BranchPriority = program.priority
    return columns


def _set_options(model: Any, effort: Effort) -> None:
    model.Params.Threads = effort.threads
    model.Params.Seed = effort.seed
    model.Params.IntFeasTol = FEASIBILITY  # Gurobi's default is 1e-5
    model.Params.MIPGap = effort.gap
    model.Params.MIPGapAbs = effort.step * (1 - FEASIBILITY)
    if effort.seconds is not None:
        model.Params.TimeLimit = max(effort.seconds, 0.0)
    if np.isfinite(effort.cutoff):
        model.Params.Cutoff = effort.cutoff * (1 + 1e-9) + FEASIBILITY
    if effort.log is not None:
        model.Params.LogToConsole = 0
        model.Params.OutputFlag = 1


def _callback(board: Board, effort: Effort) -> Any:
    kinds = import_module("gurobipy").GRB.Callback

    def called(model: Any, where: int) -> None:
        if where == kinds.MESSAGE:
            if effort.log is not None:
                effort.log(model.cbGet(kinds.MSG_STRING))
        elif where == kinds.MIP:
            objective, bound = model.cbGet(kinds.MIP_OBJBST), model.cbGet(kinds.MIP_OBJBND)
            board.see(objective if objective < HUGE else None, bound if abs(bound) < HUGE else None)
        if board.stop:
            model.terminate()

    return called


def _status(model: Any) -> MipStatus:
    """Translate Gurobi's word for how it ended."""
    codes = import_module("gurobipy").GRB.Status
    name = next((name for name in dir(codes) if getattr(codes, name) == model.Status), str(model.Status))
    if name not in STATUSES:
        raise SolverBug(f"Gurobi stopped with {name}, for which no meaning is recorded.")
    return STATUSES[name]


def _bound(model: Any, program: Program, claim: MipStatus) -> float:
    """Bound that holds; a linear program has one only when it is solved."""
    if program.is_linear:
        return float(model.ObjVal) if claim is MipStatus.OPTIMAL else -np.inf
    bound = float(model.ObjBound) if claim is not MipStatus.UNBOUNDED else -np.inf
    return bound if abs(bound) < HUGE else -np.inf
