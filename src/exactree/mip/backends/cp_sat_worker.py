"""The worker process of CP-SAT, ``python -m exactree.mip.backends.cp_sat_worker``: MIPs come in, solutions go out.

It is the only file that loads ``ortools``. That package contains a HiGHS of its own under the same library name as
highspy's, so the two cannot be loaded into one process. A process can also be killed when it does not respond.
"""

import sys
from importlib import import_module
from math import ceil, floor
from typing import Any

import numpy as np

from exactree.arrays import Floats
from exactree.mip.interface import MipOptions
from exactree.mip.process.solver_worker import Reporter, run_worker
from exactree.mip.program import Program
from exactree.tolerances import FEASIBILITY

LARGEST = 2**63 - 1  # CP-SAT's infinity, for row bounds


def solve_mip(program: Program, options: MipOptions, reporter: Reporter) -> None:
    """Solve one MIP and report solutions, bounds and the end."""
    cmh = import_module("ortools.sat.python.cp_model_helper")
    solver = cmh.SolveWrapper()
    reporter.on_stop(solver.stop_search)
    model = cp_sat_model(cmh, program, options.cutoff)
    solver.set_parameters(_parameters(cmh, options, reporter.wants_log))
    solver.add_best_bound_callback(lambda bound: reporter.progress(bound=bound))
    native_callback = _solution_callback(cmh, reporter)  # the solver keeps no reference to it
    solver.add_solution_callback(native_callback)
    if reporter.wants_log:
        solver.add_log_callback(reporter.log)
    response = solver.solve(model)
    if len(response.solution):
        values = np.array(list(response.solution), dtype=np.float64)
        reporter.progress(response.objective_value, response.best_objective_bound, values)
    counters = {"conflicts": float(response.num_conflicts), "branches": float(response.num_branches)}
    reporter.done(response.status.name, counters)


def _solution_callback(cmh: Any, reporter: Reporter) -> Any:
    class SolutionCallback(cmh.SolutionCallback):  # type: ignore[misc]
        def OnSolutionCallback(self) -> None:  # noqa: N802
            response = self.Response()
            values = np.array(list(response.solution), dtype=np.float64)
            reporter.progress(self.ObjectiveValue(), self.BestObjectiveBound(), values)

    return SolutionCallback()


def cp_sat_model(cmh: Any, program: Program, cutoff: float) -> Any:
    """Build the CP-SAT model of a MIP, row by row."""
    model = cmh.CpModelProto()
    for bounds in zip(_ints(program.low), _ints(program.high), strict=True):
        model.variables.add().domain.extend(bounds)
    begin, index, value = program.begin.tolist(), program.index.tolist(), _ints(program.value)
    row_low = [-LARGEST if side == -np.inf else ceil(side - FEASIBILITY) for side in program.row_low.tolist()]
    row_high = [LARGEST if side == np.inf else floor(side + FEASIBILITY) for side in program.row_high.tolist()]
    for i, sides in enumerate(zip(row_low, row_high, strict=True)):
        linear = model.constraints.add().linear
        linear.vars.extend(index[begin[i] : begin[i + 1]])
        linear.coeffs.extend(value[begin[i] : begin[i + 1]])
        linear.domain.extend(sides)
    costly = np.flatnonzero(program.cost)
    model.objective.vars.extend(costly.tolist())
    model.objective.coeffs.extend(_ints(program.cost[costly]))
    model.objective.offset = program.offset
    if np.isfinite(cutoff):
        model.objective.domain.extend((-LARGEST, floor(cutoff - program.offset + FEASIBILITY)))
    known = np.flatnonzero(~np.isnan(program.start))
    model.solution_hint.vars.extend(known.tolist())
    model.solution_hint.values.extend(_ints(program.start[known]))
    return model


def _parameters(cmh: Any, options: MipOptions, wants_log: bool) -> Any:
    parameters = cmh.SatParameters()
    parameters.num_workers = options.threads
    parameters.random_seed = options.seed
    if options.seconds is not None:
        parameters.max_time_in_seconds = max(options.seconds, 0.0)
    parameters.relative_gap_limit = options.gap
    parameters.absolute_gap_limit = options.step * (1 - FEASIBILITY)
    if options.keep_start:
        parameters.symmetry_level = 0  # symmetry breaking may contradict the warm start, which is then lost
        parameters.cp_model_probing_level = 0  # minutes for 30 000 columns, before the start is read
    parameters.log_search_progress = wants_log
    parameters.log_to_stdout = False
    return parameters


def _ints(values: Floats) -> list[int]:
    return np.rint(values).astype(np.int64).tolist()  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(run_worker(solve_mip))
