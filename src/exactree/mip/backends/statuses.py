"""Translation of the foreign solvers' own statuses: one rule for all, a table for each."""

from collections.abc import Mapping
from dataclasses import dataclass

from exactree.errors import SolverBug
from exactree.mip.interface import MipStatus


@dataclass(frozen=True, slots=True)
class StatusTable:
    """What the statuses of one solver mean.

    Examples
    --------
    >>> StatusTable("SCIP", {"timelimit": MipStatus.TIME_LIMIT}).translate("timelimit").value
    'time_limit'
    """

    solver: str
    meaning: Mapping[str, MipStatus]

    def translate(self, status: str) -> MipStatus:
        """Return the meaning of a status; one that is not in the table is a bug."""
        if status not in self.meaning:
            raise SolverBug(f"{self.solver} stopped with {status}, for which no meaning is recorded.")
        return self.meaning[status]
