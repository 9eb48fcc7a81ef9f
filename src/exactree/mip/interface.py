"""What every back end has: arrays in, arrays out, statuses translated, no foreign object beyond its own file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from typing import ClassVar, Protocol

from exactree.arrays import Floats
from exactree.mip.program import Program


class MipStatus(Enum):
    """What was proved, and if nothing was, what ended the run."""

    OPTIMAL = "optimal"
    GAP_REACHED = "gap_reached"  # as near to the best as was asked
    INFEASIBLE = "infeasible"  # nothing satisfies all rows, or nothing that costs as little as the cutoff
    UNBOUNDED = "unbounded"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    INTERRUPTED = "interrupted"  # Ctrl-C, or the watch raised KeyboardInterrupt
    UNSETTLED = "unsettled"  # of a linear program: rounding errors are too large for any answer


PROOFS = (MipStatus.OPTIMAL, MipStatus.INFEASIBLE, MipStatus.UNBOUNDED)  # nothing is left to be done


@dataclass(frozen=True, slots=True)
class Effort:
    """What a back end may spend, and when it may stop. ``None`` means no limit."""

    seconds: float | None = None
    memory: int | None = None  # bytes that the process may grow by
    threads: int = 1
    gap: float = 0.0  # stop once (objective - bound) / objective is at most this
    step: float = 0.0  # no two different objectives are nearer than this: a smaller gap is none
    seed: int = 0
    cutoff: float = inf  # solutions that cost more are of no interest
    keep_start: bool = False  # whether to begin with the start, not with long preparations that may even lose it
    log: Callable[[str], None] | None = None  # takes the back end's own lines; they are kept quiet without


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a running back end stands: ``bound <= best possible objective <= objective``."""

    seconds: float
    objective: float  # inf before the first solution
    bound: float  # -inf before the first bound


Callback = Callable[[Seen], None]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What came of a run: ``values`` is ``None`` if nothing feasible was found."""

    status: MipStatus
    values: Floats | None  # (n_columns,)
    objective: float  # of the values, computed anew; inf without
    bound: float
    counters: Mapping[str, float] = field(default_factory=dict)


class Backend(Protocol):
    """A foreign solver behind the one interface."""

    name: ClassVar[str]
    package: ClassVar[str]  # what to import
    install: ClassVar[str]  # what to tell pip

    def refusal(self, program: Program) -> str | None:
        """Say why it cannot take a program, or return ``None`` if it can."""
        ...

    def solve(self, program: Program, effort: Effort, callback: Callback | None = None) -> Answer:
        """Return the best solution found, with a bound that holds whatever ended the run."""
        ...
