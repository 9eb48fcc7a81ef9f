"""What all native solvers share: the caller's watch in the caller's units, and a default for memory."""

from collections.abc import Callable

from exactree.memory import total
from exactree.solve.interface import Callback, Progress

MEMORY_SHARE = 0.5  # of the machine's memory, for the cache when no limit is given; a full cache only costs speed

Tell = Callable[[float, int, int], None]


def native_callback(callback: Callback | None, to_cost: Callable[[float], float]) -> Tell | None:
    """Wrap a watch for the kernel, which counts costs in whole numbers; ``to_cost`` turns them into the caller's."""
    if callback is None:
        return None

    def tell(seconds: float, cost: int, bound: int) -> None:
        callback(Progress(seconds, to_cost(cost), to_cost(bound)))

    return tell


def memory_for(limit: int | None) -> int:
    """Return the limit, or half of the machine's memory, in bytes."""
    return int(MEMORY_SHARE * total()) if limit is None else limit
