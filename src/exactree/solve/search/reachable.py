"""How good all leaves of a tree can be: feasibility of limits on every leaf, and what to say where they are not met."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from exactree import kernel
from exactree.arrays import Int32s
from exactree.errors import Infeasible, InputError
from exactree.problem import LeafLimit, Problem
from exactree.solve.interface import AMONG, Budget, Status
from exactree.solve.leaf_rules import LeafRules
from exactree.solve.search.worst_leaf import integer_weights, maximize_worst_leaf

CLOSE = 1e-9  # shares that differ by less may be the same
DIGITS = 3  # of a share that a message recommends


@dataclass(frozen=True, slots=True, eq=False)
class Reachable:
    """The best worst leaf of all trees within the shape that was asked for."""

    share: float  # right answers in the worst leaf of the best tree known
    most: float  # no tree has more
    wanted: float  # least share that a leaf can have and that is not below the one asked for
    asked: float
    nodes: Int32s  # of that tree
    interrupted: bool
    enough: bool  # stopped because the tree is good enough

    @property
    def proved(self) -> bool:
        """Whether no tree has a better worst leaf."""
        return not self.enough and self.most <= self.share + CLOSE

    @property
    def refutes(self) -> bool:
        """Whether no tree is as good as wanted."""
        return self.most < self.wanted - CLOSE


def strictest(problem: Problem) -> LeafLimit | None:
    """Return the hard limit that asks for the largest share of every leaf, whatever its size; ``None`` without one."""
    plain = [limit for limit in problem.on_leaves if limit.small == 0]
    return max(plain, key=lambda limit: limit.share, default=None)


def best_worst_leaf(
    problem: Problem, rules: LeafRules, seconds: float | None, memory: int | None, poll: Callable[[], Any] | None
) -> Reachable | None:
    """Maximise the share of right answers in the worst leaf, until it is as good as wanted.

    ``None`` where a limit is not about shares alone, or where weights of classes decide how large a leaf must be.
    """
    limit, data = strictest(problem), problem.data
    if limit is None or (problem.min_leaf_weight > 0 and not np.allclose(data.weights, data.sample_weights)):
        return None
    wanted = float(limit.share)
    stop = _Enough(wanted, poll)
    weights, unit = integer_weights(rules.amounts)
    least = int(np.ceil(problem.limits.min_weight_fraction_leaf * weights.sum() * (1 - CLOSE)))
    budget = Budget(seconds=seconds, memory=memory)
    outcome = maximize_worst_leaf(problem, (weights, unit, least), budget, stop)
    share, most = (1 - number / kernel.LEAF_COST_UNIT for number in (outcome.cost, outcome.bound))
    interrupted = outcome.status == Status.INTERRUPTED.value and not stop.stopped
    return Reachable(share, most, wanted, limit.asked, np.array(outcome.nodes), interrupted, stop.stopped)


class _Enough:
    """Stops the search for the best worst leaf at a tree that is good enough."""

    def __init__(self, wanted: float, poll: Callable[[], Any] | None) -> None:
        self.wanted, self.poll, self.stopped = wanted, poll, False

    def __call__(self, seconds: float, cost: int, bound: int, stage: str) -> None:
        if self.poll is not None:
            self.poll()
        if 1 - cost / kernel.LEAF_COST_UNIT >= self.wanted:
            self.stopped = True
            raise KeyboardInterrupt


def no_tree_obeys(problem: Problem, reached: Reachable | None) -> Infeasible:
    """Return the error where it is proved that no tree obeys the limits."""
    # With several limits, each may be possible and all together not.
    if reached is None or not (reached.refutes or len(problem.on_leaves) == 1):
        return Infeasible(f"No tree{_shape(problem)} satisfies all constraints: {_texts(problem)}. Relax some of them.")
    start = f"No tree{_shape(problem)} has all leaves at least {_percent(reached.asked)} right"
    if reached.proved:
        return Infeasible(f"{start}; the best reachable is {_recommended(reached.share)}.")
    return Infeasible(f"{start}; the best reached so far is {_recommended(reached.share)}.")


def no_tree_in_time(problem: Problem, reached: Reachable | None) -> InputError:
    """Return the error where time ran out before a tree was found, or a proof that there is none."""
    if reached is None:
        return InputError("No tree that satisfies all constraints was found in time; allow more time.")
    return InputError(
        f"No tree with all leaves at least {_percent(reached.asked)} right was found in time; the best reached so far "
        f"is {_recommended(reached.share)}, and none can have more than {_percent(reached.most)}. Allow more time."
    )


def _shape(problem: Problem) -> str:
    limits = problem.limits
    text = f" of depth {limits.deepest}"
    if limits.most_leaves < 2**limits.deepest:
        text += f" with at most {limits.most_leaves} leaves"
    if limits.min_samples_leaf > 1:
        text += f" with {limits.min_samples_leaf} rows or more in each leaf"
    return text if problem.data.complete else f"{text}{AMONG}{problem.data.thresholds}"


def _texts(problem: Problem) -> str:
    return "; ".join(limit.text for limit in problem.on_leaves)


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _recommended(share: float) -> str:
    """Return a share as users write it, not above it."""
    rounded = Fraction(floor(Fraction(share + CLOSE) * 10**DIGITS), 10**DIGITS)
    return f"{_percent(float(rounded))}, by LeafAccuracy(at_least={float(rounded):g})"
