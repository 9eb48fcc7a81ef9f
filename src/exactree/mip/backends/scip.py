"""SCIP through ``pyscipopt``: MIPs with branching priorities.

The MIP is passed as a file in MPS format, written by HiGHS and read by SCIP: both run compiled code, whereas building
expressions in Python takes a second per 30 000 coefficients.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from exactree.arrays import Floats
from exactree.mip.backends.highs import highs_model
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
    "SCIP",
    {
        "optimal": MipStatus.OPTIMAL,
        "gaplimit": MipStatus.OPTIMAL,  # the bound tells whether it is optimal or only within the gap
        "infeasible": MipStatus.INFEASIBLE,
        "inforunbd": MipStatus.INFEASIBLE,
        "unbounded": MipStatus.UNBOUNDED,
        "timelimit": MipStatus.TIME_LIMIT,
        "memlimit": MipStatus.MEMORY_LIMIT,
        "userinterrupt": MipStatus.INTERRUPTED,
    },
)
HUGE = 1e20  # SCIP's infinity


class Scip:
    """Branching priorities, and at times better bounds on MIPs with strong relaxations."""

    name: ClassVar[str] = "scip"
    package: ClassVar[str] = "pyscipopt"
    install: ClassVar[str] = "'exactree[mip]'"

    def refusal(self, program: Program) -> str | None:
        """Accept everything."""
        return None

    def solve(self, program: Program, options: MipOptions, callback: Callback | None = None) -> MipResult:
        """Run SCIP in a separate thread."""
        progress = SharedProgress()
        solver, columns = _scip_model(program)
        _set_options(solver, options)
        _set_start(solver, program, columns)
        with _log_file(solver, options.log) as pass_on:
            _add_event_handler(solver, progress, pass_on)
            stop_reason = supervise(solver.optimizeNogil, lambda: None, progress, options, callback)
        claim = STATUSES.translate(solver.getStatus())
        values = _values(solver, columns) if solver.getNSols() else None
        bound = float(solver.getDualbound()) if abs(solver.getDualbound()) < HUGE else -np.inf
        counters = {"nodes": float(solver.getNTotalNodes()), "iterations": float(solver.getNLPIterations())}
        counters |= warm_start_counter(program, first_solution_is_start(program, progress.first_objective))
        return final_result(program, values, bound, claim, stop_reason, options, counters)


def _scip_model(program: Program) -> tuple[Any, list[Any]]:
    """Load a MIP into a new SCIP object, and return its columns in order."""
    solver = import_module("pyscipopt").Model()
    solver.hideOutput()
    writer = highs_model(program, implied=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mps")
        writer.writeModel(path)
        solver.readProblem(path)
    named = {variable.name: variable for variable in solver.getVars()}
    columns = [named.get(f"c{j}") for j in range(program.n_columns)]
    for j in np.flatnonzero((program.priority != 0) & (program.kind == Kind.INTEGER)).tolist():
        if columns[j] is not None:
            solver.chgVarBranchPriority(columns[j], int(program.priority[j]))
    return solver, columns


def _set_options(solver: Any, options: MipOptions) -> None:
    solver.setParam("randomization/randomseedshift", options.seed)
    solver.setParam("lp/threads", options.threads)
    solver.setParam("misc/catchctrlc", False)  # the supervising thread handles Ctrl-C
    if options.seconds is not None:
        solver.setParam("limits/time", max(options.seconds, 0.0))
    if options.memory is not None:
        solver.setParam("limits/memory", max(options.memory / 1e6, 1.0))
    solver.setParam("limits/gap", options.gap)
    solver.setParam("limits/absgap", options.step * (1 - FEASIBILITY))
    if np.isfinite(options.cutoff):
        solver.setObjlimit(options.cutoff * (1 + 1e-9) + FEASIBILITY)


@contextmanager
def _log_file(solver: Any, take: Callable[[str], None] | None) -> Iterator[Callable[[], None]]:
    """Let SCIP log to a file (it knows only files and standard output), and forward new lines."""
    if take is None:
        yield lambda: None
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scip.log")
        solver.setLogfile(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            rest = ""

            def pass_on() -> None:
                nonlocal rest
                *lines, rest = (rest + file.read()).split("\n")
                for line in lines:
                    take(line)

            try:
                yield pass_on
            finally:
                solver.setLogfile(None)  # flushes
                pass_on()


def _set_start(solver: Any, program: Program, columns: list[Any]) -> None:
    known = np.flatnonzero(~np.isnan(program.start)).tolist()
    if not known:
        return
    complete = len(known) == program.n_columns
    solution = solver.createSol() if complete else solver.createPartialSol()
    for j in known:
        if columns[j] is not None:
            solver.setSolVal(solution, columns[j], float(program.start[j]))
    solver.addSol(solution)


def _add_event_handler(solver: Any, progress: SharedProgress, pass_on: Callable[[], None]) -> None:
    scip: Any = import_module("pyscipopt")
    kinds = scip.SCIP_EVENTTYPE
    events = kinds.PRESOLVEROUND | kinds.BESTSOLFOUND | kinds.LPSOLVED | kinds.NODESOLVED

    class EventHandler(scip.Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(events, self)

        def eventexit(self) -> None:
            self.model.dropEvent(events, self)

        def eventexec(self, event: Any) -> None:
            objective, bound = self.model.getPrimalbound(), self.model.getDualbound()
            progress.update(objective if objective < HUGE else None, bound if abs(bound) < HUGE else None)
            pass_on()
            if progress.stop_requested:
                self.model.interruptSolve()

    solver.includeEventhdlr(EventHandler(), "exactree", "reports objective and bound, and stops on request")


def _values(solver: Any, columns: list[Any]) -> Floats:
    best = solver.getBestSol()
    return np.array([0.0 if column is None else solver.getSolVal(best, column) for column in columns])
