"""CPU time and peak memory of child processes: some MIP solvers run in one."""

import importlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

PROC = Path("/proc")


def cpu() -> float:
    """CPU seconds of child processes, running and ended, so far; 0 where the system does not report them."""
    usage = _ended()
    ticks = sum(
        int(ticks) for fields in _running() for ticks in fields[11:15]
    )  # own and of their children, see proc(5)
    return (usage.ru_utime + usage.ru_stime if usage else 0.0) + (ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0)


def peak() -> int:
    """Peak bytes of the running child processes plus those of the largest ended one."""
    usage = _ended()
    ended = 1024 * int(usage.ru_maxrss) if usage and PROC.exists() else 0  # macOS, without /proc, counts bytes
    return ended + sum(_peak_of(int(fields[-1])) for fields in _running())


def _ended() -> Any:
    try:
        resource: Any = importlib.import_module("resource")  # does not exist on Windows
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_CHILDREN)


def _running() -> Iterator[list[str]]:
    """Yield the fields of proc(5) stat of each running child, from its state on, and its process id last."""
    own = str(os.getpid())
    for file in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            fields = file.read_text().rpartition(")")[2].split()
            if fields[1] == own:
                yield [*fields, file.parent.name]


def _peak_of(process: int) -> int:
    with suppress(OSError):
        for line in (PROC / str(process) / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0
