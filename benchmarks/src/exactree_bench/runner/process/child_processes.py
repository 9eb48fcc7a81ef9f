"""Time and memory of the processes that this one has started: foreign solvers run in some of their own."""

import importlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

PROC = Path("/proc")


def cpu() -> float:
    """Seconds of CPU that child processes, living and ended, have taken so far; 0 where the system does not tell."""
    usage = _ended()
    ticks = sum(int(ticks) for fields in _living() for ticks in fields[11:15])  # own and of their children, see proc(5)
    return (usage.ru_utime + usage.ru_stime if usage else 0.0) + (ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0)


def peak() -> int:
    """Bytes that the living child processes and the largest of the ended ones have held at most."""
    usage = _ended()
    ended = 1024 * int(usage.ru_maxrss) if usage and PROC.exists() else 0  # macOS, without /proc, counts bytes
    return ended + sum(_most(int(fields[-1])) for fields in _living())


def _ended() -> Any:
    try:
        resource: Any = importlib.import_module("resource")  # does not exist on Windows
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_CHILDREN)


def _living() -> Iterator[list[str]]:
    """Yield what proc(5) tells of each child from its state on, and its number last."""
    own = str(os.getpid())
    for file in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            fields = file.read_text().rpartition(")")[2].split()
            if fields[1] == own:
                yield [*fields, file.parent.name]


def _most(process: int) -> int:
    with suppress(OSError):
        for line in (PROC / str(process) / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0
