"""HiGHS through ``highspy``: linear and mixed-integer programs; comes with exactree.

It has neither branching priorities nor a cutoff for mixed-integer programs; the cutoff becomes a row. It does not look
at its time limit, nor at its callbacks, in some of its phases (a large presolve, the program that it makes of a partial
start): so it runs in a process of its own, which can be ended.
"""

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from exactree.errors import SolverBug
from exactree.mip.interface import PROOFS, Answer, Callback, Effort, MipStatus
from exactree.mip.process.solver_process import run_apart
from exactree.mip.process.supervisor import settled
from exactree.mip.program import Kind, Program

STATUSES = {
    "kOptimal": MipStatus.OPTIMAL,
    "kModelEmpty": MipStatus.OPTIMAL,
    "kInfeasible": MipStatus.INFEASIBLE,
    "kUnbounded": MipStatus.UNBOUNDED,
    "kUnboundedOrInfeasible": MipStatus.INFEASIBLE,
    "kTimeLimit": MipStatus.TIME_LIMIT,
    "kMemoryLimit": MipStatus.MEMORY_LIMIT,
    "kInterrupt": MipStatus.INTERRUPTED,
    "kHighsInterrupt": MipStatus.INTERRUPTED,
}


class Highs:
    """Free, small, always there; the only one for programs with continuous columns and duals."""

    name: ClassVar[str] = "highs"
    package: ClassVar[str] = "highspy"
    install: ClassVar[str] = "exactree"

    def refusal(self, program: Program) -> str | None:
        """Take everything."""
        return None

    def solve(self, program: Program, effort: Effort, callback: Callback | None = None) -> Answer:
        """Run HiGHS in its process, with a thread here that listens."""
        run = run_apart("HiGHS", "exactree.mip.backends.highs_worker", program, effort, callback)
        claim = MipStatus[run.status] if run.status is not None else None
        proved = claim if claim in PROOFS else None
        return settled(program, run.values, run.board.bound, proved, run.ended or claim, effort, run.counters)


def loaded(program: Program, cutoff: float = np.inf, *, implied: bool = True) -> Any:
    """Hand a program over in one go.

    ``implied`` says of columns that are whole anyway that they are. HiGHS finds out by itself, too late at times: its
    1.15 called a program infeasible after a row had given such a column a bound that is not whole.
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
        raise SolverBug("HiGHS does not take the program: its arrays are malformed.")
    return solver


def status_of(solver: Any) -> MipStatus:
    """Translate HiGHS's word for how it ended."""
    raw = solver.getModelStatus().name
    if raw not in STATUSES:
        raise SolverBug(f"HiGHS stopped with {raw}, for which no meaning is recorded.")
    return STATUSES[raw]
