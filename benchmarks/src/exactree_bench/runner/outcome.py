"""What came of a job."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any


class Ending(StrEnum):
    """How a fit ended."""

    PROVED = "proved"
    STOPPED = "time limit"  # the contestant stopped in time, without a proof
    KILLED = "killed"  # it did not stop, and was stopped
    MEMORY = "out of memory"
    FAILED = "failed"
    MISSING = "not available"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One fit: how it ended, what it found, what it took. ``None`` where there is nothing to tell."""

    ending: Ending
    errors: int | None = None  # counted again from the predictions
    claimed: float | None = None  # errors as the contestant states them
    bound: float | None = None  # errors that no tree can go below
    cpu: float | None = None  # seconds of fit() on all threads
    wall: float | None = None  # seconds of fit() by the clock
    memory: int | None = None  # bytes: peak during fit() over what the process held before
    measured: str = ""  # how the memory was measured
    counters: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""

    @property
    def proved(self) -> bool:
        """Whether the contestant claims that no tree has fewer errors."""
        return self.ending is Ending.PROVED

    def to_json(self) -> str:
        """Write on one line, for the worker's standard output."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        """Read what :meth:`to_json` wrote."""
        fields: dict[str, Any] = json.loads(text)
        return cls(ending=Ending(fields.pop("ending")), **fields)


def best(outcomes: Iterable[Outcome]) -> Outcome | None:
    """Sum up the repeats of one job: shortest times, largest peak of memory, and the best ending.

    Examples
    --------
    >>> twice = [Outcome(Ending.PROVED, errors=3, cpu=0.2, memory=10), Outcome(Ending.PROVED, errors=3, cpu=0.1)]
    >>> both = best(twice)
    >>> both.cpu, both.memory
    (0.1, 10)
    """
    order = list(Ending)
    ranked = sorted(outcomes, key=lambda outcome: order.index(outcome.ending))
    if not ranked:
        return None
    alike = [outcome for outcome in ranked if outcome.ending is ranked[0].ending]
    return replace(
        alike[0],
        cpu=min((outcome.cpu for outcome in alike if outcome.cpu is not None), default=None),
        wall=min((outcome.wall for outcome in alike if outcome.wall is not None), default=None),
        memory=max((outcome.memory for outcome in alike if outcome.memory is not None), default=None),
    )
