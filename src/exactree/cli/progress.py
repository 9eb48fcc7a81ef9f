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
from exactree.solve.verdict import score_text

HEADER = f"{'seconds':>9}{'cost':>12}{'bound':>12}{'gap':>11}"
WORST_LEAF_HEADER = f"{'seconds':>9}{'worst leaf':>12}{'at most':>12}{'gap':>11}"
REFRESHES = 8  # a second: looks smooth, costs nothing
FIRST = 0.2  # seconds before the first line: a search that ends sooner needs one line only


class Display:
    """Prints a line for news, at most one every ``pause`` seconds, and keeps a live line below.

    Pass it as ``callback`` of ``fit``; use it as a context manager, so that the live line is removed at the end.

    Parameters
    ----------
    pause : float or None, default=1.0
        Seconds between two lines; ``None`` prints only the lines asked for.
    worst_leaf : bool, default=False
        Whether costs are those of a worst-leaf objective.
    began : float or None, default=None
        When the command began, by ``time.monotonic()``; ``None`` is now. The fit counts from its own start.

    Examples
    --------
    >>> display = Display()
    >>> display(Progress(0.1, 9.0, 3.0))
    >>> display.latest.cost
    9.0
    """

    def __init__(self, *, pause: float | None = 1.0, worst_leaf: bool = False, began: float | None = None) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.pause = pause  # None: no lines but those asked for
        self.worst_leaf = worst_leaf  # whether the objective is the worst leaf, whose accuracy lines then show
        self.latest: Progress | None = None  # the newest report, printed or not
        self.printed: Progress | None = None  # the last line
        self._details = ""  # of the last line that had any
        now = time.monotonic()
        self.began = now if began is None else began
        self._before = now - self.began  # seconds before the fit, such as those of reading a file
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
        """Take a progress report of a fit."""
        progress = replace(progress, seconds=self._before + progress.seconds)
        self.latest = progress
        if self.pause is None or not self._is_news(progress):
            return
        last = self.printed
        if progress.seconds >= (FIRST if last is None else last.seconds + self.pause):
            self.print_line(progress)

    def print_line(self, progress: Progress) -> None:
        """Print one line."""
        self.console.print(line(progress, worst_leaf=self.worst_leaf), soft_wrap=True)
        self.printed = progress
        self._details = progress.details or self._details

    def replay(self, history: NDArray[Any]) -> None:
        """Print every change of cost or bound: rows of seconds, cost and bound."""
        for seconds, cost, bound in history.tolist():
            self.print_line(Progress(seconds, cost, bound))

    def finish(self, progress: Progress) -> None:
        """Print how the search ended, unless the last line says so already."""
        if not self._is_old(progress):
            self.print_line(progress)

    def _is_news(self, progress: Progress) -> bool:
        """Whether a report has news: a change of cost or bound, or other details than the last line."""
        if progress.details not in ("", self._details):
            return True
        return math.isfinite(progress.cost) and not self._is_old(progress)

    def _is_old(self, progress: Progress) -> bool:
        last = self.printed
        return last is not None and (last.cost, last.bound) == (progress.cost, progress.bound)

    def __rich__(self) -> Text:
        """Render the live line; the clock runs on between two reports."""
        seconds = time.monotonic() - self.began
        known = self.latest or Progress(seconds, math.inf, -math.inf)
        standing = line(replace(known, details=""), worst_leaf=self.worst_leaf)[9:]
        doing = known.details or known.stage
        details = f"\n{'':6}{doing}" if doing else ""  # would not fit beside it on 80 columns
        stop = "Ctrl-C keeps the best tree" if math.isfinite(known.cost) else "Ctrl-C stops"
        return Text(f"{seconds:9.1f}{standing}   {stop}{details}", style="cyan", no_wrap=True)


def line(progress: Progress, *, worst_leaf: bool = False) -> str:
    """Write one report, in columns under ``HEADER``, or under ``WORST_LEAF_HEADER``.

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
    word = score_text if worst_leaf else number
    gap = f"{100 * progress.gap:9.1f} %" if math.isfinite(progress.gap) else f"{'-':>11}"
    details = f"   {progress.details}" if progress.details else ""
    return f"{progress.seconds:9.3f}{word(progress.cost):>12}{word(progress.bound):>12}{gap}{details}"


def shows_progress(*, quiet: bool, asked: bool) -> bool:
    """Whether to show progress: if asked for, or if someone is likely to be watching."""
    return not quiet and (asked or sys.stderr.isatty())
