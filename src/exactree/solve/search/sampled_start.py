"""The first tree of a large table: best trees of samples of its rows.

A search over all rows of a large table takes long before it has a good tree. A sample of some 20,000 rows is searched
in a second at depth three, and the upper questions of its best tree are hardly worse on all rows than the best ones. So
the tree of a sample comes first; trees of more than three levels are put together: below each leaf of the sampled tree
stands the best tree of a sample of the rows that arrive there. The kernel takes the whole as a warm start, moves its
questions to where they are best on all rows (local search), and goes on from there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

import numpy as np
from numpy.random import default_rng

from exactree.arrays import Ints
from exactree.encode import Encoded, subset_of
from exactree.encode.thresholds import All
from exactree.errors import SolverBug
from exactree.problem import Limits, Problem
from exactree.problem.limits import HIGHEST_PRICE
from exactree.solve.gains import gains_of
from exactree.solve.interface import Budget, Callback, Progress, Status
from exactree.solve.search.kernel_run import Nodes, run_kernel
from exactree.solve.trees.ranked_tree import RankedNode, nodes_of

LARGE = 100_000  # points above which a sample comes first
SAMPLE = 20_000  # points of the first sample: at depth three some 1.4 s at 10 columns
SAMPLE_BELOW = 5_000  # points of each sample below
LEVELS = 3  # of the best tree of a sample
SHARE = 0.2  # of the time, for all samples together
STAGE = "sample"
MOST_OF_TWO = 0.5  # of the weight: both sides of a split cannot have more

LEAF = RankedNode(-1, -1, -1, -1, 0)  # the kernel labels leaves itself


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """When a sample comes first, and how many points are sampled: of all, and of those that arrive below."""

    large: int = LARGE
    first: int = SAMPLE
    below: int = SAMPLE_BELOW


@dataclass(slots=True)
class SampledStart:
    """Grows the first tree of a large table."""

    problem: Problem
    budget: Budget
    seed: int = 0
    callback: Callback | None = None
    sizes: SampleSizes = field(default_factory=SampleSizes)
    interrupted: bool = False  # by Ctrl-C or by the callback
    _began: float = field(default_factory=monotonic)
    _nodes: list[RankedNode] = field(default_factory=list)
    _drawn: int = 0  # samples so far

    @property
    def is_worthwhile(self) -> bool:
        """Whether the table is large, and there is time."""
        depth = self.problem.limits.deepest
        return self.problem.data.n_points > self.sizes.large and depth > 1 and self.budget.seconds != 0

    def grow(self) -> Nodes:
        """Return a tree for all points, (n_nodes, 5); a single leaf if there was no time."""
        limits = self.problem.limits
        # A tree of few leaves is not put together: nobody knows which of its parts deserve them.
        full = limits.max_depth is not None and limits.most_leaves == 2**limits.max_depth
        depth = limits.deepest if full else min(LEVELS, limits.deepest)
        self._add(np.arange(self.problem.data.n_points), depth, self.sizes.first)
        return np.array(self._nodes, dtype=np.int32)

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self._began

    def _add(self, points: Ints, depth: int, size: int) -> int:
        """Write down the tree of some points, root first; return its number."""
        found = self._best_of_sample(points, depth, size)
        return self._write(found, 0, points, depth) if len(found) > 1 else self._add_leaf()

    def _add_leaf(self) -> int:
        self._nodes.append(LEAF)
        return len(self._nodes) - 1

    def _write(self, found: Sequence[RankedNode], number: int, points: Ints, depth: int) -> int:
        """Write down a node of a sampled tree with all below it, and trees of further samples below its leaves."""
        node = found[number]
        if node.column < 0:
            return self._add(points, depth, self.sizes.below) if self._goes_on(points, depth) else self._add_leaf()
        here = self._add_leaf()
        yes = self.problem.data.ranks[node.column][points] <= node.rank
        below = [self._write(found, node.yes, points[yes], depth - 1)]
        below.append(self._write(found, node.no, points[~yes], depth - 1))
        self._nodes[here] = node._replace(yes=below[0], no=below[1])
        return here

    def _goes_on(self, points: Ints, depth: int) -> bool:
        if depth == 0 or len(points) < 2 or self.interrupted or self._left() == 0:
            return False
        labels = self.problem.data.point_labels[points]
        return bool((labels != labels[0]).any())

    def _left(self) -> float | None:
        """Return the seconds that are left for samples."""
        return None if self.budget.seconds is None else max(0.0, SHARE * self.budget.seconds - self.seconds())

    def _best_of_sample(self, points: Ints, depth: int, size: int) -> list[RankedNode]:
        """Return the best tree of a sample of some points, in ranks of all; a lone leaf if there is none better."""
        chosen = points
        if len(points) > size:
            random = default_rng([self.seed, self._drawn])
            chosen = np.sort(random.choice(points, size, replace=False, shuffle=False))
        self._drawn += 1
        data = subset_of(self.problem.data, chosen, All())
        limits = self._limits(data, min(LEVELS, depth), len(chosen) / len(points))
        if not data.columns or limits is None:
            return [LEAF]
        sampled = replace(self.problem, data=data, limits=limits)
        left = self._left()
        if left is not None and depth > LEVELS:
            left /= 2  # the other samples need some as well
        outcome = run_kernel(
            sampled, gains_of(sampled), replace(self.budget, seconds=left), None, self.callback and self._report
        )
        self.interrupted = self.interrupted or outcome.status == Status.INTERRUPTED.value
        return [_in_ranks_of(self.problem.data, data, node) for node in nodes_of(outcome.nodes)]

    def _limits(self, data: Encoded, depth: int, share: float) -> Limits | None:
        """Return the limits for a sample, a share of the points of a node; ``None`` if none of its splits is allowed.

        Prices and least sizes of leaves shrink with the number of points.
        """
        limits = self.problem.limits
        per_weight = share * self.problem.total_weight / data.total_weight
        least = limits.min_weight_fraction_leaf * per_weight
        if least > MOST_OF_TWO:
            return None
        return replace(
            limits,
            max_depth=depth,
            min_samples_leaf=max(1, round(share * limits.min_samples_leaf)),
            min_weight_fraction_leaf=least,
            ccp_alpha=min(HIGHEST_PRICE, limits.ccp_alpha * per_weight),
        )

    def _report(self, progress: Progress) -> None:
        """Tell the time only: costs of a sample say nothing about all rows."""
        if self.callback is not None:
            self.callback(Progress(self.seconds(), inf, 0.0, stage=STAGE))


def _in_ranks_of(whole: Encoded, sample: Encoded, node: RankedNode) -> RankedNode:
    """Return a question about a sample as one about all points."""
    if node.column < 0:
        return node
    asked = sample.columns[node.column]
    what = (asked.source, asked.test, asked.missing, asked.level)
    for number, column in enumerate(whole.columns):
        if (column.source, column.test, column.missing, column.level) == what:
            rank = int(np.searchsorted(column.below, asked.cut(node.rank), side="right")) - 1
            return node._replace(column=number, rank=max(rank, 0))
    raise SolverBug(f"a sample has a column that the table has not: {what}")
