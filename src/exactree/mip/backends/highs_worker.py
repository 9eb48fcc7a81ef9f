"""The worker process of HiGHS, ``python -m exactree.mip.backends.highs_worker``: MIPs come in, solutions go out.

Every solution is told as soon as it is found, with its values, so that nothing is lost when the process is ended.
"""

import sys
from importlib import import_module
from typing import Any

import numpy as np

from exactree.mip.backends.highs import loaded, status_of
from exactree.mip.interface import Effort, MipStatus
from exactree.mip.process.solver_worker import Line, serve
from exactree.mip.process.supervisor import started
from exactree.mip.program import Program
from exactree.tolerances import FEASIBILITY

VALID = 2  # solution status "feasible"
START_TAKEN = "MIP start solution is feasible"  # in the log, the one place where HiGHS tells
PROBING = 2**15  # a rule of the presolve that takes minutes for 30 000 columns, before the start is looked at
SMALLEST_GAP = 1e-9  # HiGHS takes 0 as well, but then may branch on noise for ever


def work(program: Program, effort: Effort, line: Line) -> None:
    """Solve one program and tell of it."""
    solver = loaded(program, effort.cutoff)
    _set_options(solver, effort)
    _set_start(solver, program)
    taken: list[str] = []
    _set_callbacks(solver, line, taken)
    solver.run()
    if not line.stopped and _contradicts_start(solver, program):
        line.anew()
        solver.setOptionValue("presolve", "off")
        solver.run()
    info, found, status = solver.getInfo(), solver.getSolution(), status_of(solver)
    bound = info.mip_dual_bound
    if program.is_linear:
        bound = info.objective_function_value if status is MipStatus.OPTIMAL else None
    has_values = found.value_valid and info.primal_solution_status == VALID
    values = np.array(found.col_value) if has_values else None
    line.seen(info.objective_function_value if has_values else None, bound, values)
    counters = {"nodes": float(max(info.mip_node_count, 0)), "iterations": float(info.simplex_iteration_count)}
    if not program.is_linear:
        counters |= started(program, bool(taken))
    line.done(status.name, counters)


def _contradicts_start(solver: Any, program: Program) -> bool:
    """Whether HiGHS found nothing feasible, or no bound, where a solution is known: its presolve was seen to do so."""
    if program.is_linear or np.isnan(program.start).any():
        return False
    claim = status_of(solver)
    without_bound = claim is MipStatus.OPTIMAL and not np.isfinite(solver.getInfo().mip_dual_bound)
    return without_bound or claim is MipStatus.INFEASIBLE


def _set_options(solver: Any, effort: Effort) -> None:
    import_module("highspy").Highs.resetGlobalScheduler(True)  # the number of threads is a property of the process
    solver.setOptionValue("threads", effort.threads)
    solver.setOptionValue("random_seed", effort.seed)
    if effort.seconds is not None:
        solver.setOptionValue("time_limit", max(effort.seconds, 0.0))
    solver.setOptionValue("mip_rel_gap", max(effort.gap, SMALLEST_GAP))
    solver.setOptionValue("mip_abs_gap", max(effort.step * (1 - FEASIBILITY), SMALLEST_GAP))
    if effort.keep_start:
        solver.setOptionValue("presolve_rule_off", PROBING)
    solver.setOptionValue("output_flag", True)  # to our callback only
    solver.setOptionValue("log_to_console", False)


def _set_start(solver: Any, program: Program) -> None:
    known = np.flatnonzero(~np.isnan(program.start))
    if len(known) and not program.is_linear:
        solver.setSolution(len(known), known.astype(np.int32), program.start[known])


def _set_callbacks(solver: Any, line: Line, taken: list[str]) -> None:
    kinds = import_module("highspy").cb.HighsCallbackType
    told = (np.inf, -np.inf)

    def called(kind: Any, message: str, data_out: Any, data_in: Any, _: Any) -> None:
        nonlocal told
        if kind == kinds.kCallbackLogging:
            if START_TAKEN in message:
                taken.append(message)
            if line.wants_log:
                line.log(message)
            return
        if kind == kinds.kCallbackMipImprovingSolution:
            line.seen(data_out.objective_function_value, data_out.mip_dual_bound, np.array(data_out.mip_solution))
        elif kind == kinds.kCallbackMipInterrupt:
            now = (data_out.mip_primal_bound, data_out.mip_dual_bound)
            if now != told:
                line.seen(*now)
            told = now
        if data_in is not None and line.stopped:
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
    sys.exit(serve(work))
