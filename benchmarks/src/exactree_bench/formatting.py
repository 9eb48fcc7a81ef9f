"""Formats numbers and tables as text; geometric means."""

import math
from collections.abc import Iterable, Sequence

from exactree_bench.runner.outcome import Outcome, Status

MEGABYTE = 1e6  # bytes
SHORT_STATUS = {Status.STOPPED: "TO", Status.KILLED: "killed", Status.MEMORY: "memory", Status.FAILED: "failed"}


def geometric_mean(ratios: Iterable[float]) -> float | None:
    """Return the geometric mean of ratios; ``None`` if there are none.

    Examples
    --------
    >>> geometric_mean([2.0, 8.0])
    4.0
    """
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else None


def seconds(value: float | None) -> str:
    """Format seconds with three significant digits.

    Examples
    --------
    >>> seconds(0.01234), seconds(12.345), seconds(123.4), seconds(None)
    ('0.0123', '12.3', '123', '-')
    """
    if value is None:
        return "-"
    digits = 4 if value < 0.1 else 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}"


def megabytes(value: float | None) -> str:
    """Format bytes as megabytes.

    Examples
    --------
    >>> megabytes(2_345_678), megabytes(None)
    ('2.3', '-')
    """
    return "-" if value is None else f"{value / MEGABYTE:.1f}"


def errors(outcome: Outcome | None) -> str:
    """Format errors, with a star if proved; a dash if there is no tree.

    Examples
    --------
    >>> errors(Outcome(Status.PROVED, errors=91)), errors(Outcome(Status.STOPPED, errors=92)), errors(None)
    ('91*', '92', '-')
    """
    if outcome is None or outcome.errors is None:
        return "-"
    return f"{outcome.errors}{'*' if outcome.proved else ''}"


def time_taken(outcome: Outcome | None) -> str:
    """Format the CPU seconds of a proof, or the status if there is none.

    Examples
    --------
    >>> time_taken(Outcome(Status.PROVED, cpu=1.5)), time_taken(Outcome(Status.STOPPED, cpu=60.0)), time_taken(None)
    ('1.50', 'TO', '')
    """
    if outcome is None:
        return ""
    return seconds(outcome.cpu) if outcome.proved else SHORT_STATUS.get(outcome.status, "n/a")


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table: the first column left-aligned, the others right-aligned.

    Examples
    --------
    >>> print(aligned(("set", "errors"), [("vote", "5*"), ("anneal", "91*")]))
    set     errors
    ------  ------
    vote        5*
    anneal     91*
    """
    table = [header, ["-" * 0 for _ in header], *rows]
    widths = [max(len(row[j]) for row in table) for j in range(len(header))]
    table[1] = ["-" * width for width in widths]
    lines = (
        "  ".join(cell.ljust(width) if j == 0 else cell.rjust(width) for j, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in table)
    )
    return "\n".join(line.rstrip() for line in lines)
