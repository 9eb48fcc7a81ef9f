"""The worker process of HiGHS, ``python -m exactree.mip.backends.highs_worker``: MIPs come in, solutions go out.

Every solution is reported with its values as soon as it is found, so that nothing is lost when the process is killed.
"""

import sys
from importlib import import_module
from typing import Any

import numpy as np

from exactree.mip.backends.highs import highs_model, highs_status
from exactree.mip.interface import MipOptions, MipStatus
from exactree.mip.process.solver_worker import Reporter, run_worker
from exactree.mip.process.supervisor import warm_start_counter
from exactree.mip.program import Program
from exactree.tolerances import FEASIBILITY

VALID = 2  # solution status "feasible"
START_ACCEPTED = "MIP start solution is feasible"  # a log line: HiGHS reports it nowhere else
PROBING = 2**15  # a presolve rule that takes minutes for 30 000 columns, before the start is read
SMALLEST_GAP = 1e-9  # HiGHS accepts 0 as well, but then may branch on noise forever


def solve_mip(program: Program, options: MipOptions, reporter: Reporter) -> None:
    """Solve one MIP and report solutions, bounds and the end."""
    solver = highs_model(program, options.cutoff)
    _set_options(solver, options)
    _set_start(solver, program)
    accepted: list[str] = []
    _set_callbacks(solver, reporter, accepted)
    solver.run()
    if not reporter.stop_requested and _contradicts_start(solver, program):
        reporter.restart()
        solver.setOptionValue("presolve", "off")
        solver.run()
    info, found, status = solver.getInfo(), solver.getSolution(), highs_status(solver)
    bound = info.mip_dual_bound
    if program.is_linear:
        bound = info.objective_function_value if status is MipStatus.OPTIMAL else None
    has_values = found.value_valid and info.primal_solution_status == VALID
    values = np.array(found.col_value) if has_values else None
    reporter.progress(info.objective_function_value if has_values else None, bound, values)
    counters = {"nodes": float(max(info.mip_node_count, 0)), "iterations": float(info.simplex_iteration_count)}
    if not program.is_linear:
        counters |= warm_start_counter(program, bool(accepted))
    reporter.done(solver.getModelStatus().name, counters)


def _contradicts_start(solver: Any, program: Program) -> bool:
    """Whether HiGHS claims infeasibility, or has no bound, although a solution is known (seen after its presolve)."""
    if program.is_linear or np.isnan(program.start).any():
        return False
    claim = highs_status(solver)
    without_bound = claim is MipStatus.OPTIMAL and not np.isfinite(solver.getInfo().mip_dual_bound)
    return without_bound or claim is MipStatus.INFEASIBLE


def _set_options(solver: Any, options: MipOptions) -> None:
    import_module("highspy").Highs.resetGlobalScheduler(True)  # the number of threads is a property of the process
    solver.setOptionValue("threads", options.threads)
    solver.setOptionValue("random_seed", options.seed)
    if options.seconds is not None:
        solver.setOptionValue("time_limit", max(options.seconds, 0.0))
    solver.setOptionValue("mip_rel_gap", max(options.gap, SMALLEST_GAP))
    solver.setOptionValue("mip_abs_gap", max(options.step * (1 - FEASIBILITY), SMALLEST_GAP))
    if options.keep_start:
        solver.setOptionValue("presolve_rule_off", PROBING)
    solver.setOptionValue("output_flag", True)  # to our callback only
    solver.setOptionValue("log_to_console", False)


def _set_start(solver: Any, program: Program) -> None:
    known = np.flatnonzero(~np.isnan(program.start))
    if len(known) and not program.is_linear:
        solver.setSolution(len(known), known.astype(np.int32), program.start[known])


def _set_callbacks(solver: Any, reporter: Reporter, accepted: list[str]) -> None:
    kinds = import_module("highspy").cb.HighsCallbackType
    reported = (np.inf, -np.inf)

    def called(kind: Any, message: str, data_out: Any, data_in: Any, _: Any) -> None:
        nonlocal reported
        if kind == kinds.kCallbackLogging:
            if START_ACCEPTED in message:
                accepted.append(message)
            if reporter.wants_log:
                reporter.log(message)
            return
        if kind == kinds.kCallbackMipImprovingSolution:
            reporter.progress(
                data_out.objective_function_value, data_out.mip_dual_bound, np.array(data_out.mip_solution)
            )
        elif kind == kinds.kCallbackMipInterrupt:
            now = (data_out.mip_primal_bound, data_out.mip_dual_bound)
            if now != reported:
                reporter.progress(*now)
            reported = now
        if data_in is not None and reporter.stop_requested:
            data_in.user_interrupt = True

    solver.setCallback(called, None)
    for kind in (
        kinds.kCallbackMipInterrupt,
        kinds.kCallbackMipImprovingSolution,
        kinds.kCallbackSimplexInterrupt,
        kinds.kCallbackIpmInterrupt,
        kinds.kCallbackLogging,
    ):
        solver.startCallback(kind)


if __name__ == "__main__":
    sys.exit(run_worker(solve_mip))
