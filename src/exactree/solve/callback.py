"""What native solvers share: the progress callback in the caller's units, and a default memory limit."""

from collections.abc import Callable
from dataclasses import replace

from exactree.memory import total
from exactree.solve.interface import Callback, Progress

MEMORY_SHARE = 0.5  # of the machine's memory, for the cache when no limit is given; a full cache only costs speed

NativeCallback = Callable[[float, int, int, str], None]  # seconds, cost and bound as the kernel counts them, stage


def native_callback(callback: Callback | None, to_cost: Callable[[float], float]) -> NativeCallback | None:
    """Wrap a callback for the kernel, which counts costs in integers; ``to_cost`` converts them to the user's units."""
    if callback is None:
        return None

    def report(seconds: float, cost: int, bound: int, stage: str) -> None:
        callback(Progress(seconds, to_cost(cost), to_cost(bound), stage=stage))

    return report


def later(callback: Callback | None, seconds: float) -> Callback | None:
    """Return a callback for a part of a run that begins so many seconds after it.

    Examples
    --------
    >>> later(lambda progress: print(progress.seconds), 2.0)(Progress(1.5, 4.0, 3.0))
    3.5
    """
    if callback is None:
        return None
    return lambda progress: callback(replace(progress, seconds=seconds + progress.seconds))


def memory_for(limit: int | None) -> int:
    """Return the limit, or half of the machine's memory, in bytes."""
    return int(MEMORY_SHARE * total()) if limit is None else limit
