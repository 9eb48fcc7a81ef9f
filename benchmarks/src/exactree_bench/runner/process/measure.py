"""CPU time, wall time and memory of one call, and its memory limit."""

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

from exactree_bench.runner.process import child_processes

RESET = Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # what to write there, see proc(5)
BY_KERNEL = "VmHWM, reset before fit"
BY_USAGE = "ru_maxrss after less before fit"
BY_SYSTEM = "peak_wset after less before fit"


@dataclass(frozen=True, slots=True)
class Measured:
    """Resources that a call used."""

    cpu: float  # seconds on all threads, child processes included
    wall: float  # seconds
    memory: int | None  # peak in bytes above what the process and its children used before
    how: str  # how memory was measured


def measured(call: Callable[[], object]) -> Measured:
    """Run ``call`` and measure it.

    Memory is the peak resident set during the call minus the resident set before it. Linux can reset the peak;
    elsewhere the peak since the process started is used, which misses what stays below it. Child processes are added.
    """
    _release_memory()
    how, peak = _peak_reader()
    before, children_before, children_cpu = peak(), child_processes.peak(), child_processes.cpu()
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    after, children_cpu = peak(), child_processes.cpu() - children_cpu
    children = max(0, child_processes.peak() - children_before)
    memory = None if before is None or after is None else max(0, after - before) + children
    return Measured(cpu + children_cpu, wall, memory, how)


def limit_memory(more: int | None) -> None:
    """Limit the process to ``more`` bytes of address space beyond what it uses now (Linux only)."""
    used = child_processes.in_status("self", "VmSize")
    if more is None or used is None:
        return
    resource = importlib.import_module("resource")  # does not exist on Windows
    most = used + more
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _peak_reader() -> tuple[str, Callable[[], int | None]]:
    with suppress(OSError):
        RESET.write_text(RESET_PEAK, encoding="ascii")
        return BY_KERNEL, lambda: child_processes.high_water("self")
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:
        return BY_SYSTEM, lambda: child_processes.windows_peak(psutil.Process())
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return BY_USAGE, lambda: int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def _release_memory() -> None:
    """Return free memory to the system; a fit that reused it would seem to need less."""
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):  # another libc has no malloc_trim, Windows no libc
        ctypes.CDLL(None).malloc_trim(0)
