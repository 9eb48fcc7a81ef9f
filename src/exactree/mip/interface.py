"""The interface of all back ends: arrays in, arrays out, statuses translated, foreign objects kept inside each file."""

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
    GAP_REACHED = "gap_reached"
    INFEASIBLE = "infeasible"  # no solution, or none with an objective up to the cutoff
    UNBOUNDED = "unbounded"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    INTERRUPTED = "interrupted"  # Ctrl-C, or the callback raised KeyboardInterrupt
    NUMERICAL_ERROR = "numerical_error"  # LPs only: rounding errors are too large for any result


PROOFS = (MipStatus.OPTIMAL, MipStatus.INFEASIBLE, MipStatus.UNBOUNDED)


@dataclass(frozen=True, slots=True)
class MipOptions:
    """Limits, tolerances and seed of a back end's run. ``None`` means no limit."""

    seconds: float | None = None
    memory: int | None = None  # bytes that the process may grow by
    threads: int = 1
    gap: float = 0.0  # stop once (objective - bound) / objective is at most this
    step: float = 0.0  # least difference of two objectives: a smaller absolute gap is a proof
    seed: int = 0
    cutoff: float = inf  # solutions with a larger objective are of no interest
    keep_start: bool = False  # turn off long presolve steps that run before the warm start is read, or lose it
    log: Callable[[str], None] | None = None  # receives the back end's log lines; without it the back end is silent


@dataclass(frozen=True, slots=True)
class MipProgress:
    """State of a running back end: ``bound <= optimal objective <= objective``."""

    seconds: float
    objective: float  # of the incumbent; inf before the first solution
    bound: float  # lower bound; -inf before the first one


Callback = Callable[[MipProgress], None]


@dataclass(frozen=True, slots=True, eq=False)
class MipResult:
    """Result of a run: ``values`` is ``None`` if no feasible solution was found."""

    status: MipStatus
    values: Floats | None  # (n_columns,)
    objective: float  # recomputed from the values; inf without
    bound: float
    counters: Mapping[str, float] = field(default_factory=dict)


class Backend(Protocol):
    """A foreign solver behind the common interface."""

    name: ClassVar[str]
    package: ClassVar[str]  # what to import
    install: ClassVar[str]  # argument of pip install

    def refusal(self, program: Program) -> str | None:
        """Return why it cannot solve a MIP, or ``None`` if it can."""
        ...

    def solve(self, program: Program, options: MipOptions, callback: Callback | None = None) -> MipResult:
        """Return the best solution found, with a lower bound that is valid whatever ended the run."""
        ...
