"""The best worst leaf by bisection: is there a tree whose every leaf has at least accuracy q?

Each step is OCT's MIP with a constraint on every leaf (``leaf_accuracy``), stopped at the first tree. A tree raises the
lower end to the accuracy of its own worst leaf, which may be more than q. The upper end falls only where a back end
*proves* infeasibility: a time limit is no proof, so the bound holds whatever ends a run.

Where weights are integer multiples of some unit, a leaf's accuracy is a fraction whose denominator is at most the total
number of units. Between two neighbours of such fractions there is nothing to ask, so the bisection ends with a proof.
Where they are not, it ends at a width of 0.001, and XCT's own MIP, warm-started from the best tree, does the rest.

The thesis bisects down to 0.001 as well, takes "no tree found in time" for "there is none", and has no bound.
"""

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import ceil, inf, log2

import numpy as np

from exactree.mip import Mip, MipProgress, MipStatus, backend_for
from exactree.model import Graph
from exactree.problem import LeafLimit, Problem, accuracy
from exactree.problem.leaf_limit import LARGEST
from exactree.problem.shares import next_share, share_before, share_from, whole_units
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.formulations.xct.model import XctModel
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status, relative_gap
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.mip_runs.outcome import STATUSES
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.solve.run_state import Exhausted, RunState
from exactree.solve.trees.complete_tree import Shape, collapsed
from exactree.solve.trees.ranked_tree import to_graph

WIDTH = Fraction(1, 1000)  # of the last interval, where any accuracy can occur; the time limit is divided for it
ANY_TREE = 1.0  # as a gap: errors are never below 0, so any tree will do


class StepOutcome(Enum):
    """Outcome of one step."""

    FOUND = "found"
    REFUTED = "refuted"  # proved: there is none
    UNANSWERED = "unanswered"  # nothing was found, nothing proved


def bisect(
    problem: Problem, budget: Budget, options: RunOptions, start: Graph | None, callback: Callback | None
) -> Solution:
    """Find the tree with the best worst leaf by bisection."""
    if not problem.data.columns or shape_of(problem)[0] == 0:
        return run(problem, budget, XctModel, options, start, callback)
    bisection = Bisection(problem, budget, options, callback)
    given = find_warm_start(problem, budget, options.warm_start, start)
    bisection.state.begin(None if given.nodes is None else to_graph(problem, given.nodes), 0.0)
    try:
        status = Status.INTERRUPTED if given.interrupted else bisection.run()
        if status is None:
            status = bisection.finish()
    except (Exhausted, KeyboardInterrupt) as stop:
        return bisection.state.stopped(stop, bisection.counters)
    return bisection.state.end(status, bisection.counters)


@dataclass(frozen=True, slots=True)
class PossibleAccuracies:
    """Possible accuracies of a leaf: fractions of at most so many units, or with ``None`` any number.

    Examples
    --------
    >>> six = PossibleAccuracies(6)
    >>> six.middle(Fraction(2, 3), Fraction(1)), six.beyond(Fraction(2, 3)), six.below(Fraction(5, 6))
    (Fraction(5, 6), Fraction(3, 4), Fraction(4, 5))
    """

    units: int | None

    def nearest(self, accuracy: float) -> Fraction:
        """The possible value nearest to a float."""
        return Fraction(accuracy) if self.units is None else Fraction(accuracy).limit_denominator(self.units)

    def middle(self, low: Fraction, high: Fraction) -> Fraction:
        """A value in the middle between two of them, above the lower one."""
        half = (low + high) / 2
        return half if self.units is None else share_from(half, self.units)

    def beyond(self, low: Fraction) -> Fraction:
        """The next possible value above one that is reached."""
        return low + WIDTH if self.units is None else next_share(low, self.units)

    def below(self, refuted: Fraction) -> Fraction:
        """The largest possible value below a refuted one."""
        return refuted if self.units is None else share_before(refuted, self.units)


class Bisection:
    """The interval of the best worst leaf: from below by a tree, from above by proofs."""

    def __init__(self, problem: Problem, budget: Budget, options: RunOptions, callback: Callback | None) -> None:
        self.problem, self.options = problem, options
        self.state = RunState(problem, budget, callback)
        self.costs = mip_costs(problem)
        self.shape = Shape(shape_of(problem)[0])
        self.values, self.high = _possible_accuracies(problem)
        self.counters = {f"steps_{outcome.value}": 0.0 for outcome in StepOutcome}

    @property
    def low(self) -> Fraction:
        """Accuracy of the worst leaf of the incumbent."""
        return self.values.nearest(1.0 - self.state.cost)

    def run(self) -> Status | None:
        """Bisect; ``None`` if the rest of the interval is too narrow, or too near to noise."""
        unanswered: Fraction | None = None  # least accuracy without an answer; it and more are not asked again
        self.report()
        while self.values.beyond(self.low) <= self.high:
            if (ended := self._stop_status()) is not None:
                return ended
            least = self.values.beyond(self.low)
            top = self.high if unanswered is None else min(self.high, self.values.below(unanswered))
            last = least > top  # nothing else is left to ask: is there any better tree at all?
            share = least if last else self.values.middle(self.low, top)
            outcome, status = self.step(share, all_time=last)
            self.counters[f"steps_{outcome.value}"] += 1
            if status in (Status.INTERRUPTED, Status.MEMORY_LIMIT):
                return status
            if outcome is StepOutcome.REFUTED:
                self.high = self.values.below(share)
                self.report()
            elif outcome is StepOutcome.UNANSWERED and last:
                return Status.TIME_LIMIT if status is Status.TIME_LIMIT else None
            elif outcome is StepOutcome.UNANSWERED:
                unanswered = share
            if unanswered is not None and unanswered <= self.low:
                unanswered = None
        return Status.OPTIMAL if self.values.units is not None else None

    def step(self, share: Fraction, *, all_time: bool) -> tuple[StepOutcome, Status | None]:
        """Look for a tree whose every leaf has some accuracy; return also what ended the search."""
        state, data = self.state, self.problem.data
        limit = LeafLimit.of("share of errors in a leaf", data.weights, share, Fraction(0), Fraction(0))
        feasibility = Problem(data, accuracy(data), self.problem.limits, (limit,))
        model = OctModel(
            Mip(state.check, state.check_size),
            feasibility,
            mip_costs(feasibility, merge=self.options.merge_rows),
            self.shape,
        )
        program = model.mip.program()
        options = replace(
            state.mip_options(self.costs, self.options.seed),
            seconds=state.left() if all_time else self._seconds(),
            gap=ANY_TREE,
            cutoff=inf,
        )
        result = backend_for(program, self.options.backend).solve(program, options, lambda _: self.report())
        status = STATUSES.get(result.status)
        if result.values is None:
            return (StepOutcome.REFUTED if result.status is MipStatus.INFEASIBLE else StepOutcome.UNANSWERED), status
        before = state.cost
        state.offer(to_graph(self.problem, collapsed(self.problem, model.read_solution(result.values), relabel=True)))
        # The tree of a back end may miss the accuracy by less than its tolerance.
        return (StepOutcome.FOUND if state.cost < before else StepOutcome.UNANSWERED), status

    def finish(self) -> Status:
        """Solve the rest by XCT's MIP, whose objective is the worst leaf."""
        state = self.state
        budget = replace(state.budget, seconds=state.left())
        found = run(self.problem, budget, XctModel, replace(self.options, warm_start=None), state.model, self._forward)
        state.offer(found.model)
        state.raise_bound(found.bound, self.costs)
        self.counters |= found.counters
        return found.status

    def report(self) -> None:
        """Record the interval and call back; the callback may stop the run."""
        self.state.update(MipProgress(self.state.elapsed(), inf, 1.0 - float(self.high)), self.costs)

    def _forward(self, at: Progress) -> None:
        self.state.update(MipProgress(at.seconds, at.cost, at.bound), self.costs)

    def _stop_status(self) -> Status | None:
        """Return why to stop before another step, or None to go on."""
        state, gap = self.state, self.state.budget.gap
        if state.interrupted:
            return Status.INTERRUPTED
        if gap > 0 and relative_gap(state.cost, state.bound) <= gap:
            return Status.GAP_REACHED
        return Status.TIME_LIMIT if state.left() == 0.0 else None

    def _seconds(self) -> float | None:
        """Time for one step: an equal share of what is left for all steps down to the width."""
        left = self.state.left()
        if left is None:
            return None
        return left / max(1, ceil(log2((self.high - self.low) / WIDTH)))


def _possible_accuracies(problem: Problem) -> tuple[PossibleAccuracies, Fraction]:
    """Possible accuracies of the worst leaf, and the largest: at most the mean, with the unavoidable errors."""
    data = problem.data
    by_group = np.zeros((int(data.point_groups.max()) + 1, data.n_classes))
    np.add.at(by_group, (data.point_groups, data.point_labels), data.point_weights)
    right = by_group.max(axis=1)
    counted = whole_units(data.weights)
    if counted is not None and (units := int(counted[0].sum())) ** 2 < LARGEST:
        return PossibleAccuracies(units), Fraction(int(np.rint(right / counted[1]).sum()), units)
    return PossibleAccuracies(None), min(Fraction(1), Fraction(float(right.sum() / data.total_weight)) + WIDTH / 1000)
