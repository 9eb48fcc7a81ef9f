"""What each contestant has after some seconds: errors and bound, on each set at each depth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from exactree_bench.contestants.licketysplit import LICKETYSPLIT as LICKETYSPLIT_CONTESTANT
from exactree_bench.contestants.search import SEARCH
from exactree_bench.published.anytime import FIGURES
from exactree_bench.published.optima import KNOWN
from exactree_bench.runner.outcome import History, Outcome
from exactree_bench.runner.results import Results

Kind = Literal["bits", "numbers"]
OURS, LICKETYSPLIT = SEARCH.name, LICKETYSPLIT_CONTESTANT.name
ANYTIME: Mapping[Kind, str] = {"bits": "DL8.5 LDS", "numbers": "ConTree LDS"}
LADDER_PEERS: Mapping[Kind, str] = {"bits": "STreeD", "numbers": "ConTree"}  # run once per time limit


def part(seconds: float) -> str:
    """Return the part of the suite with one time limit."""
    return f"{seconds:g} s"


def peers(kind: Kind) -> tuple[str, ...]:
    """Return the contestants on one kind of table, exactree first."""
    return (OURS, "CART", LICKETYSPLIT, ANYTIME[kind], LADDER_PEERS[kind])


def normalised_gap(errors: int | None, best: int) -> float:
    """Return the share of the errors that the best known tree does not make, 1 without a tree.

    Examples
    --------
    >>> normalised_gap(10, 8), normalised_gap(0, 0), normalised_gap(None, 8)
    (0.2, 0.0, 1.0)
    """
    if errors is None:
        return 1.0
    return 0.0 if errors == 0 else max(0.0, (errors - best) / errors)


def share(run: Outcome) -> float:
    """Return the share of its time by the clock that a fit had a processor."""
    return min(1.0, run.cpu / run.wall) if run.cpu and run.wall else 1.0


def history(run: Outcome) -> History:
    """Return the history in CPU seconds, as if the fit had had its share of a processor all along.

    Examples
    --------
    >>> from exactree_bench.runner.outcome import Status
    >>> history(Outcome(Status.STOPPED, cpu=2.0, wall=4.0, history=((1.0, 9.0, 0.0),)))
    ((0.5, 9.0, 0.0),)
    """
    return tuple((at * share(run), errors, bound) for at, errors, bound in run.history)


@dataclass(frozen=True, slots=True)
class Problem:
    """A set at a depth."""

    kind: Kind
    case: str
    depth: int

    @property
    def label(self) -> str:
        """Set and depth."""
        return f"{self.case}, depth {self.depth}"


class States:
    """Errors and bounds over time."""

    def __init__(
        self, results: Results, sets: Mapping[Kind, Sequence[str]], depths: Sequence[int], steps: Sequence[float]
    ) -> None:
        self._results, self.sets, self.depths, self.steps = results, sets, tuple(depths), tuple(steps)

    def problems(self, kind: Kind | None = None, depth: int | None = None) -> Iterator[Problem]:
        """Yield the problems, of one kind or depth or of all."""
        for at, cases in self.sets.items():
            for each in self.depths:
                if kind in (None, at) and depth in (None, each):
                    yield from (Problem(at, case, each) for case in cases)

    def run(self, problem: Problem, name: str, seconds: float | None = None) -> Outcome | None:
        """Return the run of a contestant that counts after some seconds; without them the longest."""
        if name != LADDER_PEERS[problem.kind]:
            return self._results.get(problem.case, problem.depth, name)
        allowed = [step for step in self.steps if seconds is None or step <= seconds]
        runs = (self._results.get(problem.case, problem.depth, name, part=part(step)) for step in reversed(allowed))
        return next((run for run in runs if run is not None and run.errors is not None), None)

    def errors(self, problem: Problem, name: str, seconds: float) -> int | None:
        """Return the errors of the best tree after some seconds; ``None`` without a tree."""
        run = self.run(problem, name, seconds)
        if run is None or run.errors is None:
            return None
        if name == LADDER_PEERS[problem.kind] or seconds >= (run.cpu or 0.0):
            return run.errors
        if run.history and seconds >= self.steps[-1]:  # it was stopped by the clock
            return run.errors
        passed = [errors for at, errors, _ in history(run) if at <= seconds]
        return int(passed[-1]) if passed else None

    def bound(self, problem: Problem, seconds: float) -> float | None:
        """Return exactree's bound after some seconds."""
        run = self.run(problem, OURS)
        if run is None or run.errors is None:
            return None
        if run.bound is not None and (seconds >= (run.cpu or 0.0) or seconds >= self.steps[-1]):
            return run.bound
        return max((bound for at, _, bound in history(run) if at <= seconds), default=0.0)

    def best(self, problem: Problem) -> int | None:
        """Return the fewest errors known."""
        runs = [run for name in peers(problem.kind) if (run := self.run(problem, name)) is not None]
        found = [run.errors for run in runs if run.errors is not None]
        key = (problem.case, problem.depth)
        found += [FIGURES[key].best] if key in FIGURES else []
        found += [KNOWN[problem.depth][problem.case]] if problem.case in KNOWN.get(problem.depth, {}) else []
        return min(found, default=None)

    def available(self, kind: Kind) -> list[str]:
        """Return the contestants that have a tree for any problem."""
        return [name for name in peers(kind) if any(self._has_tree(problem, name) for problem in self.problems(kind))]

    def share_of_cpu(self) -> float | None:
        """Return the mean share of the time by the clock that exactree's longer fits had a processor."""
        runs = [self.run(problem, OURS) for problem in self.problems()]
        shares = [share(run) for run in runs if run is not None and (run.wall or 0.0) > 0.1]
        return fmean(shares) if shares else None

    def _has_tree(self, problem: Problem, name: str) -> bool:
        run = self.run(problem, name)
        return run is not None and run.errors is not None
