"""One fit from its start: the clock, the callbacks that follow it, the seed, and the wish to stop."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from time import monotonic

from exactree.errors import InputError
from exactree.solve import Budget, Callback, Progress
from exactree.solve.registry import is_stop


class FitRun:
    """Clock and callbacks of one fit; create it first, since ``time_limit`` counts from here.

    Parameters
    ----------
    *callbacks : callable or None
        Each is called with every :class:`~exactree.Progress`; any of them stops the fit by returning True.
    clock : callable or None, default=None
        Seconds from any origin; ``None`` is ``time.monotonic``.

    Examples
    --------
    >>> run = FitRun(lambda progress: progress.stage == "encoding", clock=iter([10.0, 12.0, 13.0, 14.0]).__next__)
    >>> run.enter("reading"), run.left(Budget(seconds=5.0)).seconds
    (False, 2.0)
    >>> run.enter("encoding"), run.stopped
    (True, True)
    """

    def __init__(self, *callbacks: Callback | None, clock: Callable[[], float] | None = None) -> None:
        for callback in callbacks:
            if callback is not None and not callable(callback):
                raise InputError(f"callback must be a function that takes a Progress; got {callback!r}.")
        self._clock = clock or monotonic
        self._began = self._clock()
        self._solver_began = 0.0
        self._callbacks = [callback for callback in callbacks if callback is not None]
        self.stopped = False  # whether a callback asked to stop

    def seconds(self) -> float:
        """Return the seconds since the fit began."""
        return self._clock() - self._began

    def left(self, budget: Budget) -> Budget:
        """Return what is left of a budget."""
        return budget.after(self.seconds())

    def enter(self, stage: str, details: str = "") -> bool:
        """Report a stage before there is a model; return whether the fit is to stop."""
        return self._report(Progress(self.seconds(), inf, 0.0, details, stage)) if self._callbacks else False

    def solver_callback(self) -> Callback | None:
        """Return a callback for a solver that starts now and counts seconds from now; ``None`` if nobody follows."""
        self._solver_began = self.seconds()
        return self._relay if self._callbacks else None

    def _relay(self, progress: Progress) -> bool:
        return self._report(replace(progress, seconds=self._solver_began + progress.seconds))

    def _report(self, progress: Progress) -> bool:
        if not self.stopped:  # else nobody is asked again
            answers = [callback(progress) for callback in self._callbacks]
            self.stopped = any(map(is_stop, answers))
        return self.stopped
