"""Construction heuristic for diagrams: many are built layer by layer, each from random columns, and improved.

This is the first step of Florio et al. (2023), corrected, followed by a local search that changes one question or one
side at a time. The native kernel does the work, with integer costs as in ``solve/gains.py``. It does not know
constraints on predictions: it returns all diagrams that it visits, and those that violate a constraint are dropped
here.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf

import numpy as np

from exactree import kernel
from exactree.arrays import Floats, Int32s, Ints, UInt32s
from exactree.problem import DiagramProblem
from exactree.solve.gains import exact_scale, sizes_of
from exactree.solve.trees.ranked_diagram import diagram_to_graph, in_order, tidied
from exactree.solve.trees.ranked_tree import RankedNode

EXACT_WEIGHTS, ROUGH_WEIGHTS = 2**22, 2**16  # sums of entropy weights, for which the kernel has a table

MOST_LATE = 0.5  # seconds after the time limit in which a diagram that satisfies the constraints may still be found


@dataclass(frozen=True, slots=True)
class Construction:
    """The best feasible diagram found, and how many were built.

    ``nodes`` is ``None`` if none satisfies the constraints.
    """

    nodes: list[RankedNode] | None
    cost: float
    starts: int
    seconds: float
    interrupted: bool = False


def construct_diagrams(
    problem: DiagramProblem,
    seconds: float | None,
    *,
    starts: int = 1000,
    given: Sequence[RankedNode] | None = None,
) -> Construction:
    """Build diagrams until the time is over, and return the best, also of the ``given`` one.

    The result depends only on the problem and its seed, unless the time limit is reached.
    """
    started_at = time.monotonic()
    arrays = _Arrays.of(problem)
    given = _within_limits(problem, given)
    found = arrays.run(problem, seconds, starts, given, every=bool(problem.constraints))
    best: tuple[float, list[RankedNode] | None] = (inf, None)
    # The given one comes first: it must not be lost where there is no time.
    for nodes in chain([] if given is None else [list(given)], _diagrams(found)):
        nodes = tidied(problem, nodes)
        model = diagram_to_graph(problem, nodes)
        if (cost := problem.cost(model)) < best[0] and not problem.violations(model):
            best = cost, nodes
        late = 0.0 if seconds is None else time.monotonic() - started_at - seconds
        if late > (MOST_LATE if best[1] is None else 0.0):
            break
    return Construction(best[1], best[0], found.starts, time.monotonic() - started_at, found.interrupted)


def diagrams_under(
    problem: DiagramProblem,
    by_group: Floats,
    seconds: float | None,
    *,
    starts: int,
    given: Sequence[RankedNode] | None = None,
) -> tuple[list[list[RankedNode]], bool]:
    """Build diagrams under any costs of each label for each group of points, as relaxed constraints give.

    Returns all distinct diagrams met, and whether Ctrl-C ended the construction.
    """
    given = _within_limits(problem, given)
    found = _Arrays.of_groups(problem, by_group).run(problem, seconds, starts, given, every=True)
    return list(_diagrams(found)), found.interrupted


def improve_diagram(problem: DiagramProblem, nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Local search: change one question or one side at a time while that lowers the cost."""
    return construct_diagrams(problem, None, starts=0, given=nodes).nodes or list(nodes)


def _within_limits(problem: DiagramProblem, given: Sequence[RankedNode] | None) -> Sequence[RankedNode] | None:
    """Drop a diagram that violates the limits, which the kernel does not check; constraints may be violated."""
    if given is None:
        return None
    return None if replace(problem, constraints=()).violations(diagram_to_graph(problem, given)) else given


@dataclass(frozen=True, slots=True, eq=False)
class _Arrays:
    """Input of the kernel: a row for each point."""

    costs: Ints  # (n_points, n_classes), of each label
    entropy_weights: UInt32s  # (n_points,)
    sizes: Ints  # (n_points, 2): rows, and scaled weight
    min_weight: int  # of a side that leads to a leaf, in the same units
    lowest: int
    node_price: int
    labels: Int32s  # (n_points,), by which entropies are measured

    @classmethod
    def of(cls, problem: DiagramProblem) -> "_Arrays":
        data, matrix = problem.data, problem.objective.matrix
        raw = data.point_weights[:, None] * matrix[data.point_labels]
        scale = exact_scale(raw, problem.node_price, problem.limits.most_nodes)
        costs = np.rint(raw * scale).astype(np.int64)
        by_group = np.zeros((int(data.point_groups.max()) + 1, data.n_classes), dtype=np.int64)
        np.add.at(by_group, data.point_groups, costs)
        lowest = int(by_group.min(axis=1).sum())
        price = round(problem.node_price * scale)
        return cls(costs, _entropy_weights(problem), *sizes_of(problem), lowest, price, data.point_labels)

    @classmethod
    def of_groups(cls, problem: DiagramProblem, by_group: Floats) -> "_Arrays":
        """The same with any costs of each label for each group of points: its first point has all of them."""
        data = problem.data
        regret = by_group - by_group.min(axis=1, keepdims=True)
        scale = exact_scale(regret, problem.node_price, problem.limits.most_nodes)
        _, first = np.unique(data.point_groups, return_index=True)
        costs = np.zeros((data.n_points, data.n_classes), dtype=np.int64)
        costs[first] = np.rint(regret * scale)
        labels = np.zeros(data.n_points, dtype=np.int32)
        labels[first] = regret.argmin(axis=1)
        largest = regret.max(axis=1)
        weights = np.zeros(data.n_points, dtype=np.uint32)
        if (total := float(largest.sum())) > 0:
            weights[first] = np.rint(largest / total * max(ROUGH_WEIGHTS, 4 * len(largest)))
        return cls(costs, weights, *sizes_of(problem), 0, round(problem.node_price * scale), labels)

    def run(
        self,
        problem: DiagramProblem,
        seconds: float | None,
        starts: int,
        given: Sequence[RankedNode] | None,
        *,
        every: bool,
    ) -> kernel.ConstructedDiagrams:
        """Run the kernel; it releases the GIL and reacts to Ctrl-C. ``every``: keep all diagrams, not the best."""
        data, limits = problem.data, problem.limits
        return kernel.construct_diagrams(
            data.ranks,
            self.labels,
            self.costs,
            self.sizes,
            self.entropy_weights,
            widths=list(limits.widths),
            lowest=self.lowest,
            node_price=self.node_price,
            max_nodes=limits.most_nodes,
            min_rows=limits.min_samples_node,
            min_weight=self.min_weight,
            tree=limits.tree,
            seed=problem.seed,
            starts=starts,
            every=every,
            seconds=seconds,
            given=None if given is None else np.array(in_order(given), dtype=np.int32).reshape(-1, 5),
        )


def _entropy_weights(problem: DiagramProblem) -> UInt32s:
    """Weight of each point in entropies: the largest cost of an error, as an integer."""
    data, matrix = problem.data, problem.objective.matrix
    weights = data.point_weights * (matrix.max(axis=1) - matrix.min(axis=1))[data.point_labels]
    total = weights.sum()
    if total > EXACT_WEIGHTS or not np.array_equal(weights, np.rint(weights)):
        weights = weights * (max(ROUGH_WEIGHTS, 4 * len(weights)) / total)
    return np.asarray(np.rint(weights), dtype=np.uint32)


def _diagrams(found: kernel.ConstructedDiagrams) -> Iterator[list[RankedNode]]:
    for which in range(found.n_diagrams):
        yield [RankedNode(*node) for node in found.nodes(which).tolist()]
