"""CP-SAT of OR-Tools: MIPs whose columns and coefficients are all integer.

On BinOCT it was 6 to 40 times as fast as HiGHS and SCIP. With one thread it is deterministic. It runs in its own
process (``cp_sat_worker`` says why).
"""

from typing import ClassVar

from exactree.mip.backends.statuses import StatusTable
from exactree.mip.interface import Callback, MipOptions, MipResult, MipStatus
from exactree.mip.process.solver_process import run_in_process
from exactree.mip.process.supervisor import final_result, first_solution_is_start, warm_start_counter
from exactree.mip.program import Program

STATUSES = StatusTable(
    "CP-SAT",
    {
        "OPTIMAL": MipStatus.OPTIMAL,
        "INFEASIBLE": MipStatus.INFEASIBLE,
        # Stopped by a limit, with and without a solution. Unless we asked it to stop, the limit is its clock.
        "FEASIBLE": MipStatus.TIME_LIMIT,
        "UNKNOWN": MipStatus.TIME_LIMIT,
    },
)
# Found by comparison with all trees: OR-Tools 9.15 loses solutions in its presolve once a row can reach about 2**32.
LARGEST = 2.0**30


class CpSat:
    """The fastest for all-integer MIPs with weak LP relaxations."""

    name: ClassVar[str] = "cp-sat"
    package: ClassVar[str] = "ortools"
    install: ClassVar[str] = "'exactree[mip]'"

    def refusal(self, program: Program) -> str | None:
        """Accept all-integer MIPs of moderate numbers only."""
        if not program.all_integer:
            return "it takes only MIPs whose columns are integer and bounded and whose coefficients are integers"
        if (largest := program.largest_activity) > LARGEST:
            return f"a row or the cost can reach {largest:.3g}, and beyond {LARGEST:.3g} its results are wrong"
        return None

    def solve(self, program: Program, options: MipOptions, callback: Callback | None = None) -> MipResult:
        """Run CP-SAT in its process, with a thread here that listens."""
        run = run_in_process("CP-SAT", "exactree.mip.backends.cp_sat_worker", program, options, callback)
        claim = None if run.status is None else STATUSES.translate(run.status)
        accepted = first_solution_is_start(program, run.progress.first_objective)
        counters = run.counters | warm_start_counter(program, accepted)
        return final_result(program, run.values, run.progress.bound, claim, run.stop_reason, options, counters)
