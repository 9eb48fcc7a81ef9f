"""HiGHS through ``highspy``: LPs and MIPs; a dependency of exactree.

It has neither branching priorities nor a cutoff for MIPs; the cutoff becomes a row. In some phases (a large presolve,
the sub-MIP that completes a partial start) it checks neither its time limit nor its callbacks. It therefore runs in its
own process, which can be killed.
"""

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from exactree.errors import SolverBug
from exactree.mip.backends.statuses import StatusTable
from exactree.mip.interface import Callback, MipOptions, MipResult, MipStatus
from exactree.mip.process.solver_process import run_in_process
from exactree.mip.process.supervisor import final_result
from exactree.mip.program import Kind, Program

STATUSES = StatusTable(
    "HiGHS",
    {
        "kOptimal": MipStatus.OPTIMAL,
        "kModelEmpty": MipStatus.OPTIMAL,
        "kInfeasible": MipStatus.INFEASIBLE,
        "kUnbounded": MipStatus.UNBOUNDED,
        "kUnboundedOrInfeasible": MipStatus.INFEASIBLE,
        "kTimeLimit": MipStatus.TIME_LIMIT,
        "kMemoryLimit": MipStatus.MEMORY_LIMIT,
        "kInterrupt": MipStatus.INTERRUPTED,
        "kHighsInterrupt": MipStatus.INTERRUPTED,
    },
)


class Highs:
    """Free, small, always installed; the only back end for LPs with duals."""

    name: ClassVar[str] = "highs"
    package: ClassVar[str] = "highspy"
    install: ClassVar[str] = "exactree"

    def refusal(self, program: Program) -> str | None:
        """Accept everything."""
        return None

    def solve(self, program: Program, options: MipOptions, callback: Callback | None = None) -> MipResult:
        """Run HiGHS in its process, with a thread here that listens."""
        run = run_in_process("HiGHS", "exactree.mip.backends.highs_worker", program, options, callback)
        claim = None if run.status is None else STATUSES.translate(run.status)
        return final_result(program, run.values, run.progress.bound, claim, run.stop_reason, options, run.counters)


def highs_model(program: Program, cutoff: float = np.inf, *, implied: bool = True) -> Any:
    """Load a MIP into a new HiGHS object, all arrays at once.

    ``implied`` marks implied-integer columns. HiGHS detects them by itself, but at times too late: version 1.15 called
    a MIP infeasible after a row had given such a column a fractional bound.
    """
    highspy = import_module("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    lp = highspy.HighsLp()
    with_cutoff = bool(np.isfinite(cutoff))
    costly = np.flatnonzero(program.cost) if with_cutoff else np.empty(0, dtype=np.int64)
    lp.num_col_, lp.num_row_ = program.n_columns, program.n_rows + int(with_cutoff)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.cost, program.low, program.high
    lp.row_lower_ = np.append(program.row_low, [-np.inf] * with_cutoff)
    lp.row_upper_ = np.append(program.row_high, [cutoff - program.offset] * with_cutoff)
    lp.offset_ = program.offset
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.append(program.begin, [program.n_entries + len(costly)] * with_cutoff).astype(np.int32)
    lp.a_matrix_.index_ = np.append(program.index, costly).astype(np.int32)
    lp.a_matrix_.value_ = np.append(program.value, program.cost[costly])
    kinds = highspy.HighsVarType
    if not program.is_linear:
        names = {Kind.CONTINUOUS: kinds.kContinuous, Kind.INTEGER: kinds.kInteger}
        names[Kind.IMPLIED] = kinds.kImplicitInteger if implied else kinds.kContinuous
        lp.integrality_ = [names[Kind(kind)] for kind in program.kind.tolist()]
    if solver.passModel(lp) == highspy.HighsStatus.kError:
        raise SolverBug("HiGHS rejects the MIP: its arrays are malformed.")
    return solver


def highs_status(solver: Any) -> MipStatus:
    """Translate the status of a HiGHS object."""
    return STATUSES.translate(solver.getModelStatus().name)
