"""Memory of the machine and of processes, in bytes, on every system."""

import os
import sys
from functools import cache, lru_cache

import psutil


@cache
def total() -> int:
    """Memory that the machine has.

    Examples
    --------
    >>> total() > 2**20
    True
    """
    return int(psutil.virtual_memory().total)


def available() -> int:
    """Memory that can be had without swapping.

    Examples
    --------
    >>> 0 < available() <= total()
    True
    """
    return int(psutil.virtual_memory().available)


def resident(process: int | None = None) -> int:
    """Memory that a process holds (this one if none is named), or 0 if there is no such process.

    Examples
    --------
    >>> 2**20 < resident() < total()
    True
    """
    try:
        named = _process(process or os.getpid())
        # A virtual environment's python.exe on Windows starts the real one as a child, and waits.
        children = named.children() if process is not None and sys.platform == "win32" else []
        return sum(int(one.memory_info().rss) for one in (named, *children))
    except psutil.Error:
        return 0


@lru_cache(maxsize=16)  # looking a process up takes longer than asking for its memory
def _process(number: int) -> psutil.Process:
    return psutil.Process(number)
