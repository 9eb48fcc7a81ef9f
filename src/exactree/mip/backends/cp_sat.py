"""CP-SAT of OR-Tools: programs whose columns and coefficients are all whole numbers.

On BinOCT it was 6 to 40 times as fast as HiGHS and SCIP. With one thread it is deterministic. It runs in a process of
its own (``cp_sat_process`` says why).
"""

from typing import ClassVar

from exactree.errors import SolverBug
from exactree.mip.interface import Answer, Callback, Effort, MipStatus
from exactree.mip.process.solver_process import run_apart
from exactree.mip.process.supervisor import begins_with, settled, started
from exactree.mip.program import Program

STATUSES = {
    "OPTIMAL": MipStatus.OPTIMAL,
    "INFEASIBLE": MipStatus.INFEASIBLE,
    "FEASIBLE": None,  # ended by a limit, with a solution
    "UNKNOWN": None,  # ended by a limit, without
    None: None,  # did not obey, and was ended
}
# Found by comparing with all trees: OR-Tools 9.15 loses solutions in its presolve once a sum can reach 2**32 or so.
LARGEST = 2.0**30


class CpSat:
    """The fastest for all-integer programs with weak linear relaxations."""

    name: ClassVar[str] = "cp-sat"
    package: ClassVar[str] = "ortools"
    install: ClassVar[str] = "'exactree[mip]'"

    def refusal(self, program: Program) -> str | None:
        """Take only whole numbers."""
        if not program.all_integer:
            return "it takes programs whose columns are whole and bounded and whose coefficients are whole numbers only"
        if program.largest > LARGEST:
            return f"a row or the cost can reach {program.largest:.3g}, and beyond {LARGEST:.3g} its answers are wrong"
        return None

    def solve(self, program: Program, effort: Effort, callback: Callback | None = None) -> Answer:
        """Run CP-SAT in its process, with a thread here that listens."""
        run = run_apart("CP-SAT", "exactree.mip.backends.cp_sat_worker", program, effort, callback)
        if run.status not in STATUSES:
            raise SolverBug(f"CP-SAT stopped with {run.status}, for which no meaning is recorded.")
        # Without a word from us it can only have been the clock.
        stopped = run.ended or MipStatus.TIME_LIMIT
        counters = run.counters | started(program, begins_with(program, run.board.first))
        return settled(program, run.values, run.board.bound, STATUSES[run.status], stopped, effort, counters)
