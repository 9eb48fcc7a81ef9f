"""Progress on stderr while a tree is searched for: seconds, cost, bound, gap and details; a live line on a terminal."""

import math
import sys
import time
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from numpy.typing import NDArray
from rich.console import Console
from rich.live import Live
from rich.text import Text

from exactree.cli.report import number
from exactree.solve import Progress
from exactree.solve.verdict import worth

HEADER = f"{'seconds':>9}{'cost':>12}{'bound':>12}{'gap':>11}"
WORST_LEAF_HEADER = f"{'seconds':>9}{'worst leaf':>12}{'at most':>12}{'gap':>11}"
REFRESHES = 8  # a second: looks smooth, costs nothing
FIRST = 0.2  # seconds before the first line: a search that ends sooner needs one line only


class Display:
    """Prints a line when there is news, at most one every ``pause`` seconds, and keeps a live line below.

    Pass it as ``callback``; use it as a context manager, so that the live line is removed at the end.
    """

    def __init__(self, *, pause: float | None = 1.0, worst_leaf: bool = False) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.pause = pause  # None: no lines but those asked for
        self.worst_leaf = worst_leaf  # whether it decides, so that lines tell how often it is right
        self.latest: Progress | None = None  # the newest news, printed or not
        self.printed: Progress | None = None  # the last line
        self._details = ""  # of the last line that had any
        self.began = time.monotonic()
        self.live = Live(self, console=self.console, refresh_per_second=REFRESHES, transient=True)

    def __enter__(self) -> Self:
        self.console.print(WORST_LEAF_HEADER if self.worst_leaf else HEADER, style="bold")
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.live.stop()
        if self.console.is_terminal:
            self.console.print()

    def __call__(self, progress: Progress) -> None:
        """Take news from the search."""
        self.latest = progress
        if self.pause is None or (self._is_old(progress) and progress.details in ("", self._details)):
            return
        last = self.printed
        if last is not None and progress.seconds < last.seconds:
            last = None  # thresholds are chosen, and the search has a clock of its own
        if progress.seconds >= (FIRST if last is None else last.seconds + self.pause):
            self.tell(progress)

    def tell(self, progress: Progress) -> None:
        """Print one line."""
        self.console.print(line(progress, worst_leaf=self.worst_leaf), soft_wrap=True)
        self.printed = progress
        self._details = progress.details or self._details

    def replay(self, history: NDArray[Any]) -> None:
        """Print every change of cost or bound: rows of seconds, cost and bound."""
        for seconds, cost, bound in history.tolist():
            self.tell(Progress(seconds, cost, bound))

    def finish(self, progress: Progress) -> None:
        """Print how the search ended, unless the last line says so already."""
        if not self._is_old(progress):
            self.tell(progress)

    def _is_old(self, progress: Progress) -> bool:
        last = self.printed
        return last is not None and (last.cost, last.bound) == (progress.cost, progress.bound)

    def __rich__(self) -> Text:
        """Render the live line; the clock runs on between two pieces of news."""
        seconds = time.monotonic() - self.began
        known = self.latest or Progress(seconds, math.inf, -math.inf)
        standing = line(replace(known, details=""), worst_leaf=self.worst_leaf)[9:]
        details = f"\n{'':6}{known.details}" if known.details else ""  # would not fit beside it on 80 columns
        stop = "Ctrl-C keeps the best tree" if math.isfinite(known.cost) else "Ctrl-C stops"
        return Text(f"{seconds:9.1f}{standing}   {stop}{details}", style="cyan", no_wrap=True)


def line(progress: Progress, *, worst_leaf: bool = False) -> str:
    """Word one piece of news, in columns under ``HEADER``, or under ``WORST_LEAF_HEADER``.

    Examples
    --------
    >>> line(Progress(seconds=1.5, cost=40.0, bound=30.0))
    '    1.500          40          30     25.0 %'
    >>> line(Progress(seconds=0.0, cost=math.inf, bound=0.0))
    '    0.000           -           0          -'
    >>> line(Progress(seconds=1.5, cost=0.15, bound=0.1), worst_leaf=True)
    '    1.500        85 %        90 %     33.3 %'
    >>> line(Progress(seconds=1.5, cost=40.0, bound=30.0, details="iteration 3"))
    '    1.500          40          30     25.0 %   iteration 3'
    """
    word = worth if worst_leaf else number
    gap = f"{100 * progress.gap:9.1f} %" if math.isfinite(progress.gap) else f"{'-':>11}"
    details = f"   {progress.details}" if progress.details else ""
    return f"{progress.seconds:9.3f}{word(progress.cost):>12}{word(progress.bound):>12}{gap}{details}"


def wanted(*, quiet: bool, asked: bool) -> bool:
    """Whether to show progress: if asked for, or if someone is likely to be watching."""
    return not quiet and (asked or sys.stderr.isatty())
