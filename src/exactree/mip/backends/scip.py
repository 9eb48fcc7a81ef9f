"""SCIP through ``pyscipopt``: mixed-integer programs with branching priorities.

The program goes over as a file in MPS format, written by HiGHS and read by SCIP: both do it in compiled code, where
building expressions in Python takes a second per 30 000 coefficients.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from exactree.arrays import Floats
from exactree.errors import SolverBug
from exactree.mip.backends.highs import loaded
from exactree.mip.interface import PROOFS, Answer, Callback, Effort, MipStatus
from exactree.mip.process.supervisor import Board, begins_with, settled, started, supervise
from exactree.mip.program import Kind, Program
from exactree.tolerances import FEASIBILITY

STATUSES = {
    "optimal": MipStatus.OPTIMAL,
    "gaplimit": MipStatus.OPTIMAL,  # whether it is the best or only near is told by the bound
    "infeasible": MipStatus.INFEASIBLE,
    "inforunbd": MipStatus.INFEASIBLE,
    "unbounded": MipStatus.UNBOUNDED,
    "timelimit": MipStatus.TIME_LIMIT,
    "memlimit": MipStatus.MEMORY_LIMIT,
    "userinterrupt": MipStatus.INTERRUPTED,
}
HUGE = 1e20  # SCIP's infinity


class Scip:
    """Priorities, and at times the better bound on programs with strong relaxations."""

    name: ClassVar[str] = "scip"
    package: ClassVar[str] = "pyscipopt"
    install: ClassVar[str] = "'exactree[mip]'"

    def refusal(self, program: Program) -> str | None:
        """Take everything."""
        return None

    def solve(self, program: Program, effort: Effort, callback: Callback | None = None) -> Answer:
        """Run SCIP in a thread of its own."""
        board = Board()
        solver, columns = _loaded(program)
        _set_options(solver, effort)
        _set_start(solver, program, columns)
        with _log_file(solver, effort.log) as pass_on:
            _add_watcher(solver, board, pass_on)
            ended = supervise(solver.optimizeNogil, lambda: None, board, effort, callback)
        raw = solver.getStatus()
        if raw not in STATUSES:
            raise SolverBug(f"SCIP stopped with {raw}, for which no meaning is recorded.")
        claim = STATUSES[raw]
        values = _values(solver, columns) if solver.getNSols() else None
        bound = float(solver.getDualbound()) if abs(solver.getDualbound()) < HUGE else -np.inf
        counters = {"nodes": float(solver.getNTotalNodes()), "iterations": float(solver.getNLPIterations())}
        counters |= started(program, begins_with(program, board.first))
        proved = claim if claim in PROOFS else None
        return settled(
            program, values, bound if abs(bound) < HUGE else -np.inf, proved, ended or claim, effort, counters
        )


def _loaded(program: Program) -> tuple[Any, list[Any]]:
    """Hand the program over, and return its columns in order."""
    solver = import_module("pyscipopt").Model()
    solver.hideOutput()
    writer = loaded(program, implied=False)
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


def _set_options(solver: Any, effort: Effort) -> None:
    solver.setParam("randomization/randomseedshift", effort.seed)
    solver.setParam("lp/threads", effort.threads)
    solver.setParam("misc/catchctrlc", False)  # our own thread answers Ctrl-C
    if effort.seconds is not None:
        solver.setParam("limits/time", max(effort.seconds, 0.0))
    if effort.memory is not None:
        solver.setParam("limits/memory", max(effort.memory / 1e6, 1.0))
    solver.setParam("limits/gap", effort.gap)
    solver.setParam("limits/absgap", effort.step * (1 - FEASIBILITY))
    if np.isfinite(effort.cutoff):
        solver.setObjlimit(effort.cutoff * (1 + 1e-9) + FEASIBILITY)


@contextmanager
def _log_file(solver: Any, take: Callable[[str], None] | None) -> Iterator[Callable[[], None]]:
    """Let SCIP write its log, which goes to a file or to standard output only, and pass on what is new in it."""
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
                solver.setLogfile(None)  # writes what it holds back
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


def _add_watcher(solver: Any, board: Board, pass_on: Callable[[], None]) -> None:
    scip: Any = import_module("pyscipopt")
    kinds = scip.SCIP_EVENTTYPE
    events = kinds.PRESOLVEROUND | kinds.BESTSOLFOUND | kinds.LPSOLVED | kinds.NODESOLVED

    class Watcher(scip.Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(events, self)

        def eventexit(self) -> None:
            self.model.dropEvent(events, self)

        def eventexec(self, event: Any) -> None:
            objective, bound = self.model.getPrimalbound(), self.model.getDualbound()
            board.see(objective if objective < HUGE else None, bound if abs(bound) < HUGE else None)
            pass_on()
            if board.stop:
                self.model.interruptSolve()

    solver.includeEventhdlr(Watcher(), "exactree", "tells objective and bound, and stops when asked")


def _values(solver: Any, columns: list[Any]) -> Floats:
    best = solver.getBestSol()
    return np.array([0.0 if column is None else solver.getSolVal(best, column) for column in columns])
