"""CPU time and peak memory of child processes: some MIP solvers run in one."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil

Number = TypeVar("Number", int, float)
STATUS = "/proc/{}/status"  # of Linux, which alone keeps the peak of other processes there


def cpu() -> float:
    """Seconds of CPU that child processes, living and ended, have taken so far; Windows forgets those that ended."""
    ended = os.times()
    return ended.children_user + ended.children_system + sum(_of_living(lambda child: sum(child.cpu_times()[:4])))


def peak() -> int:
    """Bytes that the living child processes and the largest of the ended ones have held at most."""
    return _largest_ended() + sum(_of_living(_most))


def high_water(process: int | str) -> int | None:
    """Bytes that a process has held at most, or None where the system is not Linux."""
    return in_status(process, "VmHWM")


def windows_peak(process: psutil.Process) -> int:
    """Bytes that a process has held at most, or holds now where the system is not Windows."""
    memory = process.memory_info()
    return int(getattr(memory, "peak_wset", memory.rss))


def in_status(process: int | str, name: str) -> int | None:
    """Bytes from a line such as ``VmHWM:   1234 kB``."""
    with suppress(OSError):
        for line in Path(STATUS.format(process)).read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{name}:"):
                return 1024 * int(line.split()[1])
    return None


def _largest_ended() -> int:
    try:
        resource: Any = importlib.import_module("resource")  # does not exist on Windows
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return unit * int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def _of_living(found: Callable[[psutil.Process], Number]) -> Iterator[Number]:
    for child in psutil.Process().children():
        with suppress(psutil.Error):  # it has ended meanwhile
            yield found(child)


def _most(process: psutil.Process) -> int:
    return high_water(process.pid) or windows_peak(process)
