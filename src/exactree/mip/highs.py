"""HiGHS through ``highspy``: linear and mixed-integer programs; comes with exactree.

It has neither branching priorities nor a cutoff for mixed-integer programs; the cutoff becomes a row. A partial start
makes it solve a program of its own first, which does not look at its time limit: our own clock does.
"""

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from exactree.errors import SolverBug
from exactree.mip.interface import PROOFS, Answer, Effort, MipStatus, Watch
from exactree.mip.program import Kind, Program
from exactree.mip.running import Board, settled, started, supervise

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
VALID = 2  # solution status "feasible"
START_TAKEN = "MIP start solution is feasible"  # in the log, the one place where HiGHS tells
PROBING = 2**15  # a rule of the presolve that takes minutes for 30 000 columns, before the start is looked at
SMALLEST_GAP = 1e-9  # HiGHS takes 0 as well, but then may branch on noise for ever


class Highs:
    """Free, small, always there; the only one for programs with continuous columns and duals."""

    name: ClassVar[str] = "highs"
    package: ClassVar[str] = "highspy"
    install: ClassVar[str] = "exactree"

    def refusal(self, program: Program) -> str | None:
        """Take everything."""
        return None

    def solve(self, program: Program, effort: Effort, watch: Watch | None = None) -> Answer:
        """Run HiGHS in a thread of its own."""
        board = Board()
        solver = loaded(program, effort.cutoff)
        _set_options(solver, effort)
        _set_start(solver, program)
        lines: list[str] = []
        _set_callbacks(solver, board, effort, lines)
        ended = supervise(solver.run, lambda: None, board, effort, watch)
        if ended is None and _contradicts_start(solver, program):
            solver.setOptionValue("presolve", "off")
            ended = supervise(solver.run, lambda: None, board, effort, watch)
        claim = status_of(solver)
        info, found = solver.getInfo(), solver.getSolution()
        has_values = found.value_valid and info.primal_solution_status == VALID
        values = np.array(found.col_value) if has_values else None
        bound = float(info.objective_function_value if program.is_linear else info.mip_dual_bound)
        proved = claim if claim in PROOFS else None
        if program.is_linear and proved is not MipStatus.OPTIMAL:
            bound = -np.inf
        counters = {"nodes": float(max(info.mip_node_count, 0)), "iterations": float(info.simplex_iteration_count)}
        if not program.is_linear:
            counters |= started(program, any(START_TAKEN in line for line in lines))
        return settled(program, values, bound, proved, ended or claim, effort, counters)


def _contradicts_start(solver: Any, program: Program) -> bool:
    """Whether HiGHS found nothing feasible, or no bound, where a solution is known: its presolve was seen to do so."""
    if program.is_linear or np.isnan(program.start).any():
        return False
    claim = status_of(solver)
    without_bound = claim is MipStatus.OPTIMAL and not np.isfinite(solver.getInfo().mip_dual_bound)
    return without_bound or claim is MipStatus.INFEASIBLE


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


def _set_options(solver: Any, effort: Effort) -> None:
    import_module("highspy").Highs.resetGlobalScheduler(True)  # the number of threads is a property of the process
    solver.setOptionValue("threads", effort.threads)
    solver.setOptionValue("random_seed", effort.seed)
    if effort.seconds is not None:
        solver.setOptionValue("time_limit", max(effort.seconds, 0.0))
    solver.setOptionValue("mip_rel_gap", max(effort.gap, SMALLEST_GAP))
    solver.setOptionValue("mip_abs_gap", max(effort.step * (1 - 1e-6), SMALLEST_GAP))
    if effort.keep_start:
        solver.setOptionValue("presolve_rule_off", PROBING)
    solver.setOptionValue("output_flag", True)  # to our callback only
    solver.setOptionValue("log_to_console", False)


def _set_start(solver: Any, program: Program) -> None:
    known = np.flatnonzero(~np.isnan(program.start))
    if len(known) and not program.is_linear:
        solver.setSolution(len(known), known.astype(np.int32), program.start[known])


def _set_callbacks(solver: Any, board: Board, effort: Effort, lines: list[str]) -> None:
    cb = import_module("highspy").cb
    kinds = cb.HighsCallbackType
    mip = (kinds.kCallbackMipInterrupt, kinds.kCallbackMipImprovingSolution)

    def called(kind: Any, message: str, data_out: Any, data_in: Any, _: Any) -> None:
        if kind == kinds.kCallbackLogging:
            if START_TAKEN in message:
                lines.append(message)
            if effort.log is not None:
                effort.log(message)
            return
        if kind in mip:
            board.see(data_out.mip_primal_bound, data_out.mip_dual_bound)
        if data_in is not None and board.stop:
            data_in.user_interrupt = True

    solver.setCallback(called, None)
    for kind in (*mip, kinds.kCallbackSimplexInterrupt, kinds.kCallbackIpmInterrupt, kinds.kCallbackLogging):
        solver.startCallback(kind)
