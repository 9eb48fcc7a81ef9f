"""The best worst leaf by halving: is there a tree whose every leaf is right for a share q of its weight?

Each question is OCT's program with a limit on every leaf (``leaf_limits``), left at the first tree. A tree raises what
is known from below to the worth of its own worst leaf, which may be more than was asked for. What is known from above
falls only where a back end *proves* that there is no tree: an end of time is no proof, so the bound holds whatever ends
a run.

Where weights are whole numbers of some unit, a leaf's accuracy is a fraction whose denominator is at most all units
there are. Between two neighbours of such fractions there is nothing to ask, so the halving ends with a proof. Where
they are not, it ends at a width of 0.001, and XCT's own program, started from the best tree, does the rest.

The thesis halves down to 0.001 as well, takes "no tree found in time" for "there is none", and has no bound.
"""

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import ceil, inf, log2

import numpy as np

from exactree.mip import Mip, MipStatus, Seen, backend_for
from exactree.model import Graph
from exactree.problem import LeafLimit, Problem, accuracy
from exactree.problem.leaf_limit import LARGEST
from exactree.problem.shares import next_share, share_before, share_from, whole_units
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.formulations.xct.model import XctModel
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status, relative_gap
from exactree.solve.mip_runs.costs import costs_of
from exactree.solve.mip_runs.outcome import STATUSES
from exactree.solve.mip_runs.warm_starts import start_of
from exactree.solve.run_state import Exhausted, RunState
from exactree.solve.trees.complete_tree import Shape, collapsed
from exactree.solve.trees.ranked_tree import to_graph

WIDTH = Fraction(1, 1000)  # of what is halved, where any share can occur; and what time is dealt out for
FIRST_TREE = 1.0  # as a gap: errors are never below 0, so any tree is near enough


class Reply(Enum):
    """What came of asking for a tree."""

    FOUND = "found"
    REFUTED = "refuted"  # proved: there is none
    UNANSWERED = "unanswered"  # nothing was found, nothing proved


def halved(
    problem: Problem, budget: Budget, way: RunOptions, start: Graph | None, callback: Callback | None
) -> Solution:
    """Find the tree with the best worst leaf by halving what is possible."""
    if not problem.data.columns or shape_of(problem)[0] == 0:
        return run(problem, budget, XctModel, way, start, callback)
    halving = Halving(problem, budget, way, callback)
    given = start_of(problem, budget, way.warm_start, start)
    halving.state.begin(None if given.nodes is None else to_graph(problem, given.nodes), 0.0)
    try:
        status = Status.INTERRUPTED if given.interrupted else halving.narrow()
        if status is None:
            status = halving.finish()
    except Exhausted as reason:
        status = reason.status
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return halving.state.end(status, halving.counters)


@dataclass(frozen=True, slots=True)
class Values:
    """What the worst leaf can be worth: shares of at most so many units, or with ``None`` anything.

    Examples
    --------
    >>> six = Values(6)
    >>> six.middle(Fraction(2, 3), Fraction(1)), six.beyond(Fraction(2, 3)), six.below(Fraction(5, 6))
    (Fraction(5, 6), Fraction(3, 4), Fraction(4, 5))
    """

    units: int | None

    def nearest(self, worth: float) -> Fraction:
        """The value that a float stands for."""
        return Fraction(worth) if self.units is None else Fraction(worth).limit_denominator(self.units)

    def middle(self, low: Fraction, high: Fraction) -> Fraction:
        """A value half way between two of them, above the lower one."""
        half = (low + high) / 2
        return half if self.units is None else share_from(half, self.units)

    def beyond(self, low: Fraction) -> Fraction:
        """The next value to ask for, above one that is reached."""
        return low + WIDTH if self.units is None else next_share(low, self.units)

    def below(self, refuted: Fraction) -> Fraction:
        """The largest value that may be, if one is not."""
        return refuted if self.units is None else share_before(refuted, self.units)


class Halving:
    """What is known of the worst leaf, from below by a tree and from above by proofs."""

    def __init__(self, problem: Problem, budget: Budget, way: RunOptions, callback: Callback | None) -> None:
        self.problem, self.way = problem, way
        self.state = RunState(problem, budget, callback)
        self.costs = costs_of(problem)
        self.shape = Shape(shape_of(problem)[0])
        self.values, self.high = _possible(problem)
        self.counters = {f"steps_{reply.value}": 0.0 for reply in Reply}

    @property
    def low(self) -> Fraction:
        """Worth of the worst leaf of the best tree."""
        return self.values.nearest(1.0 - self.state.cost)

    def narrow(self) -> Status | None:
        """Ask for better and better trees; ``None`` if what is left is too narrow, or too near to noise, to ask."""
        vain: Fraction | None = None  # what was asked for last without an answer; from here up it is not asked again
        self.tell()
        while self.values.beyond(self.low) <= self.high:
            if (ended := self._ended()) is not None:
                return ended
            least = self.values.beyond(self.low)
            top = self.high if vain is None else min(self.high, self.values.below(vain))
            last = least > top  # nothing else is left to ask: is there any better tree at all?
            share = least if last else self.values.middle(self.low, top)
            reply, status = self.ask(share, all_time=last)
            self.counters[f"steps_{reply.value}"] += 1
            if status in (Status.INTERRUPTED, Status.MEMORY_LIMIT):
                return status
            if reply is Reply.REFUTED:
                self.high = self.values.below(share)
                self.tell()
            elif reply is Reply.UNANSWERED and last:
                return Status.TIME_LIMIT if status is Status.TIME_LIMIT else None
            elif reply is Reply.UNANSWERED:
                vain = share
            if vain is not None and vain <= self.low:
                vain = None
        return Status.OPTIMAL if self.values.units is not None else None

    def ask(self, share: Fraction, *, all_time: bool) -> tuple[Reply, Status | None]:
        """Look for a tree whose every leaf is right for a share of its weight; say also what ended the search."""
        state, data = self.state, self.problem.data
        limit = LeafLimit.of("share of wrong answers in a leaf", data.weights, share, Fraction(0), Fraction(0))
        wanted = Problem(data, accuracy(data), self.problem.limits, (limit,))
        model = OctModel(Mip(state.check), wanted, costs_of(wanted, merge=self.way.merge_rows), self.shape)
        program = model.mip.program()
        effort = replace(
            state.effort(self.costs, self.way.seed),
            seconds=state.left() if all_time else self._seconds(),
            gap=FIRST_TREE,
            cutoff=inf,
        )
        answer = backend_for(program, self.way.backend).solve(program, effort, lambda _: self.tell())
        status = STATUSES.get(answer.status)
        if answer.values is None:
            return (Reply.REFUTED if answer.status is MipStatus.INFEASIBLE else Reply.UNANSWERED), status
        before = state.cost
        state.offer(to_graph(self.problem, collapsed(self.problem, model.read(answer.values), relabel=True)))
        # What a back end takes for a tree that is good enough may be short of it by less than it sees.
        return (Reply.FOUND if state.cost < before else Reply.UNANSWERED), status

    def finish(self) -> Status:
        """Leave the rest to the program of XCT, which has the worst leaf as its objective."""
        state = self.state
        budget = replace(state.budget, seconds=state.left())
        found = run(self.problem, budget, XctModel, replace(self.way, warm_start=None), state.model, self._pass_on)
        state.offer(found.model)
        state.raise_bound(found.bound, self.costs)
        self.counters |= found.counters
        return found.status

    def tell(self) -> None:
        """Take note of what is known, and tell the caller; whoever watches may stop the run."""
        self.state.tell(Seen(self.state.elapsed(), inf, 1.0 - float(self.high)), self.costs)

    def _pass_on(self, at: Progress) -> None:
        self.state.tell(Seen(at.seconds, at.cost, at.bound), self.costs)

    def _ended(self) -> Status | None:
        """Whether to stop before another step."""
        state, gap = self.state, self.state.budget.gap
        if state.interrupted:
            return Status.INTERRUPTED
        if gap > 0 and relative_gap(state.cost, state.bound) <= gap:
            return Status.GAP_REACHED
        return Status.TIME_LIMIT if state.left() == 0.0 else None

    def _seconds(self) -> float | None:
        """Time for one step: what is left is dealt out to the steps that halving down to the width takes."""
        left = self.state.left()
        if left is None:
            return None
        return left / max(1, ceil(log2((self.high - self.low) / WIDTH)))


def _possible(problem: Problem) -> tuple[Values, Fraction]:
    """What the worst leaf can be worth, and the most: the worst is no better than the mean, and some errors stay."""
    data = problem.data
    by_group = np.zeros((int(data.point_groups.max()) + 1, data.n_classes))
    np.add.at(by_group, (data.point_groups, data.point_labels), data.point_weights)
    right = by_group.max(axis=1)
    counted = whole_units(data.weights)
    if counted is not None and (units := int(counted[0].sum())) ** 2 < LARGEST:
        return Values(units), Fraction(int(np.rint(right / counted[1]).sum()), units)
    return Values(None), min(Fraction(1), Fraction(float(right.sum() / data.total_weight)) + WIDTH / 1000)
