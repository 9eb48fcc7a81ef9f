"""The outcome of a job."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from math import isfinite
from typing import Any

History = tuple[tuple[float, float, float], ...]  # (seconds since the fit began, errors, bound) at every change
STEP = 1.05  # ratio of times below which only the last state of a history is kept


class Status(StrEnum):
    """How a fit ended."""

    PROVED = "proved"
    STOPPED = "time limit"  # the contestant stopped at its time limit, without a proof
    KILLED = "killed"  # it did not stop at its time limit
    MEMORY = "out of memory"
    FAILED = "failed"
    MISSING = "not available"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One fit: its status, its tree and its resources. ``None`` where something is unknown."""

    status: Status
    errors: int | None = None  # recounted from the predictions
    claimed: float | None = None  # errors as reported by the contestant
    bound: float | None = None  # lower bound on the errors of any tree
    cpu: float | None = None  # seconds of fit() on all threads
    wall: float | None = None  # wall seconds of fit()
    memory: int | None = None  # bytes: peak during fit() above what the process used before
    measured: str = ""  # how the memory was measured
    counters: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    history: History = ()

    @property
    def proved(self) -> bool:
        """Whether the contestant claims that its tree is optimal."""
        return self.status is Status.PROVED

    def to_json(self) -> str:
        """Serialize as one line, for the worker's standard output."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        """Read what :meth:`to_json` wrote."""
        fields: dict[str, Any] = json.loads(text)
        history = tuple(map(tuple, fields.pop("history", ())))
        return cls(status=Status(fields.pop("status")), history=history, **fields)


def best(outcomes: Iterable[Outcome]) -> Outcome | None:
    """Aggregate the repeats of one job: shortest times, largest peak memory, and the best status.

    Examples
    --------
    >>> twice = [Outcome(Status.PROVED, errors=3, cpu=0.2, memory=10), Outcome(Status.PROVED, errors=3, cpu=0.1)]
    >>> both = best(twice)
    >>> both.cpu, both.memory
    (0.1, 10)
    """
    order = list(Status)
    ranked = sorted(outcomes, key=lambda outcome: order.index(outcome.status))
    if not ranked:
        return None
    alike = [outcome for outcome in ranked if outcome.status is ranked[0].status]
    return replace(
        alike[0],
        cpu=min((outcome.cpu for outcome in alike if outcome.cpu is not None), default=None),
        wall=min((outcome.wall for outcome in alike if outcome.wall is not None), default=None),
        memory=max((outcome.memory for outcome in alike if outcome.memory is not None), default=None),
    )


def thinned(history: Iterable[tuple[float, float, float]]) -> History:
    """Leave out states without a tree, and those that a later one replaces within five percent of the time.

    Examples
    --------
    >>> thinned([(0.1, float("inf"), 0.0), (1.0, 9.0, 1.0), (1.01, 8.0, 1.0), (2.0, 7.0, 1.0)])
    ((1.01, 8.0, 1.0), (2.0, 7.0, 1.0))
    """
    states = [state for state in history if isfinite(state[1])]
    followed = [state for state, later in pairwise(states) if later[0] > STEP * state[0]]
    return (*followed, *states[-1:])
