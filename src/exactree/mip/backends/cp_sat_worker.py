"""The worker process of CP-SAT, ``python -m exactree.mip.backends.cp_sat_worker``: MIPs come in, solutions go out.

It is the only file that loads ``ortools``. That package brings a HiGHS of its own, and the system's loader takes it and
highspy's for one and the same library: the two cannot live in one process. A process of its own can be ended, too,
when it does not answer.
"""

import sys
from importlib import import_module
from math import ceil, floor
from typing import Any

import numpy as np

from exactree.arrays import Floats
from exactree.mip.interface import Effort
from exactree.mip.process.solver_worker import Line, serve
from exactree.mip.program import Program
from exactree.tolerances import FEASIBILITY

LARGEST = 2**63 - 1  # of a side of a row: CP-SAT knows it as none


def work(program: Program, effort: Effort, line: Line) -> None:
    """Solve one program and tell of it."""
    cmh = import_module("ortools.sat.python.cp_model_helper")
    solver = cmh.SolveWrapper()
    line.on_stop(solver.stop_search)
    model = model_of(cmh, program, effort.cutoff)
    solver.set_parameters(_parameters(cmh, effort, line.wants_log))
    solver.add_best_bound_callback(lambda bound: line.seen(bound=bound))
    native_callback = _teller(cmh, line)  # the solver does not keep it alive
    solver.add_solution_callback(native_callback)
    if line.wants_log:
        solver.add_log_callback(line.log)
    response = solver.solve(model)
    if len(response.solution):
        values = np.array(list(response.solution), dtype=np.float64)
        line.seen(response.objective_value, response.best_objective_bound, values)
    counters = {"conflicts": float(response.num_conflicts), "branches": float(response.num_branches)}
    line.done(response.status.name, counters)


def _teller(cmh: Any, line: Line) -> Any:
    class Teller(cmh.SolutionCallback):  # type: ignore[misc]
        def OnSolutionCallback(self) -> None:  # noqa: N802
            response = self.Response()
            values = np.array(list(response.solution), dtype=np.float64)
            line.seen(self.ObjectiveValue(), self.BestObjectiveBound(), values)

    return Teller()


def model_of(cmh: Any, program: Program, cutoff: float) -> Any:
    """Write a program in CP-SAT's terms, row by row."""
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


def _parameters(cmh: Any, effort: Effort, wants_log: bool) -> Any:
    parameters = cmh.SatParameters()
    parameters.num_workers = effort.threads
    parameters.random_seed = effort.seed
    if effort.seconds is not None:
        parameters.max_time_in_seconds = max(effort.seconds, 0.0)
    parameters.relative_gap_limit = effort.gap
    parameters.absolute_gap_limit = effort.step * (1 - FEASIBILITY)
    if effort.keep_start:
        parameters.symmetry_level = 0  # what it fixes by symmetry may not be as in the start, which then is lost
        parameters.cp_model_probing_level = 0  # minutes for 30 000 columns, before the start is looked at
    parameters.log_search_progress = wants_log
    parameters.log_to_stdout = False
    return parameters


def _ints(values: Floats) -> list[int]:
    return np.rint(values).astype(np.int64).tolist()  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(serve(work))
