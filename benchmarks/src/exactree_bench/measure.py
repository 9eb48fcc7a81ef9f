"""CPU, clock and memory of one call, and the limits it runs under."""

import ctypes
import gc
import importlib
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from exactree_bench import children

RESET = Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # what to write there, see proc(5)
BY_KERNEL = "VmHWM, reset before fit"
BY_USAGE = "ru_maxrss after less before fit"
BY_SYSTEM = "peak_wset after less before fit"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a call took."""

    cpu: float  # seconds, all threads, child processes too
    wall: float  # seconds
    memory: int | None  # bytes over what the process, and its children, held before
    how: str  # the memory was measured


def measured(call: Callable[[], object]) -> Measured:
    """Run ``call`` and tell what it took.

    Memory is the peak of the resident set during the call less the resident set before it. Linux can reset the peak;
    elsewhere the peak since the process began has to do, which misses what stays below an earlier one. That of child
    processes is added.
    """
    _tidy()
    how, peak = _peak_reader()
    before, before_apart, cpu_apart = peak(), children.peak(), children.cpu()
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    after, cpu_apart = peak(), children.cpu() - cpu_apart
    apart = max(0, children.peak() - before_apart)
    memory = None if before is None or after is None else max(0, after - before) + apart
    return Measured(cpu + cpu_apart, wall, memory, how)


def limit_memory(more: int | None) -> None:
    """Let the process take at most ``more`` bytes of address space from here on (Linux only)."""
    used = children.in_status("self", "VmSize")
    if more is None or used is None:
        return
    resource = importlib.import_module("resource")  # does not exist on Windows
    most = used + more
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _peak_reader() -> tuple[str, Callable[[], int | None]]:
    with suppress(OSError):
        RESET.write_text(RESET_PEAK, encoding="ascii")
        return BY_KERNEL, lambda: children.high_water("self")
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:
        return BY_SYSTEM, lambda: children.windows_peak(psutil.Process())
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return BY_USAGE, lambda: int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def _tidy() -> None:
    """Give back what loading the table left behind, so that a fit that takes it again is not flattered."""
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):  # another libc has no malloc_trim, Windows no libc
        ctypes.CDLL(None).malloc_trim(0)
