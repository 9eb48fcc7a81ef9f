"""Gurobi through ``gurobipy``, for those who have it; exactree does not depend on it, and ``auto`` never picks it.

The licence that comes with the package allows MIPs of up to 2000 columns and 2000 rows. Rows with two different finite
bounds become two rows. On Ctrl-C Gurobi writes a line to standard output that cannot be turned off.
"""

from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from exactree.errors import SolverBug, Unsupported
from exactree.mip.backends.statuses import StatusTable
from exactree.mip.interface import Callback, MipOptions, MipResult, MipStatus
from exactree.mip.process.supervisor import (
    SharedProgress,
    final_result,
    first_solution_is_start,
    supervise,
    warm_start_counter,
)
from exactree.mip.program import Kind, Program
from exactree.tolerances import FEASIBILITY

STATUSES = StatusTable(
    "Gurobi",
    {
        "OPTIMAL": MipStatus.OPTIMAL,
        "INFEASIBLE": MipStatus.INFEASIBLE,
        "INF_OR_UNBD": MipStatus.INFEASIBLE,
        "CUTOFF": MipStatus.INFEASIBLE,  # no solution up to the cutoff
        "UNBOUNDED": MipStatus.UNBOUNDED,
        "TIME_LIMIT": MipStatus.TIME_LIMIT,
        "MEM_LIMIT": MipStatus.MEMORY_LIMIT,
        "INTERRUPTED": MipStatus.INTERRUPTED,
    },
)
LICENCE = (10009, 10010)  # error codes: no licence, MIP too large for the licence
HUGE = 1e99  # Gurobi's infinity is 1e100


class Gurobi:
    """Commercial; the fastest on many MIPs with strong relaxations."""

    name: ClassVar[str] = "gurobi"
    package: ClassVar[str] = "gurobipy"
    install: ClassVar[str] = "gurobipy"

    def refusal(self, program: Program) -> str | None:
        """Accept everything; what the licence allows is known only at run time."""
        return None

    def solve(self, program: Program, options: MipOptions, callback: Callback | None = None) -> MipResult:
        """Run Gurobi in a separate thread."""
        gurobi: Any = import_module("gurobipy")
        try:
            with gurobi.Env(empty=True) as env:
                env.setParam("OutputFlag", 0)  # the licence prints a banner to standard output
                env.start()
                with gurobi.Model(env=env) as model:
                    return _solved(model, program, options, callback)
        except gurobi.GurobiError as error:
            if error.errno not in LICENCE:
                raise SolverBug(f"Gurobi failed: {error}.") from error
            raise Unsupported(
                f"backend='gurobi' cannot take this MIP of {program.n_columns} columns and {program.n_rows} rows: "
                f"{error}. Use backend='highs'."
            ) from error


def _solved(model: Any, program: Program, options: MipOptions, callback: Callback | None) -> MipResult:
    progress = SharedProgress()
    columns = _load(model, program)
    _set_options(model, options)
    called = _callback(progress, options)
    stop_reason = supervise(lambda: model.optimize(called), model.terminate, progress, options, callback)
    claim = _status(model)
    values = np.array(columns.X) if model.SolCount else None
    bound = _bound(model, program, claim)
    counters = {"nodes": float(model.NodeCount), "iterations": float(model.IterCount)}
    counters |= warm_start_counter(program, first_solution_is_start(program, progress.first_objective))
    return final_result(program, values, bound, claim, stop_reason, options, counters)


def _load(model: Any, program: Program) -> Any:
    """Load a MIP in bulk, with warm start and priorities, and return its columns."""
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


def _set_options(model: Any, options: MipOptions) -> None:
    model.Params.Threads = options.threads
    model.Params.Seed = options.seed
    model.Params.IntFeasTol = FEASIBILITY  # Gurobi's default is 1e-5
    model.Params.MIPGap = options.gap
    model.Params.MIPGapAbs = options.step * (1 - FEASIBILITY)
    if options.seconds is not None:
        model.Params.TimeLimit = max(options.seconds, 0.0)
    if np.isfinite(options.cutoff):
        model.Params.Cutoff = options.cutoff * (1 + 1e-9) + FEASIBILITY
    if options.log is not None:
        model.Params.LogToConsole = 0
        model.Params.OutputFlag = 1


def _callback(progress: SharedProgress, options: MipOptions) -> Any:
    kinds = import_module("gurobipy").GRB.Callback

    def called(model: Any, where: int) -> None:
        if where == kinds.MESSAGE:
            if options.log is not None:
                options.log(model.cbGet(kinds.MSG_STRING))
        elif where == kinds.MIP:
            objective, bound = model.cbGet(kinds.MIP_OBJBST), model.cbGet(kinds.MIP_OBJBND)
            progress.update(objective if objective < HUGE else None, bound if abs(bound) < HUGE else None)
        if progress.stop_requested:
            model.terminate()

    return called


def _status(model: Any) -> MipStatus:
    """Translate the status of a Gurobi model."""
    codes = import_module("gurobipy").GRB.Status
    name = next((name for name in dir(codes) if getattr(codes, name) == model.Status), str(model.Status))
    return STATUSES.translate(name)


def _bound(model: Any, program: Program, claim: MipStatus) -> float:
    """Valid lower bound; an LP has one only when it is solved."""
    if program.is_linear:
        return float(model.ObjVal) if claim is MipStatus.OPTIMAL else -np.inf
    bound = float(model.ObjBound) if claim is not MipStatus.UNBOUNDED else -np.inf
    return bound if abs(bound) < HUGE else -np.inf
