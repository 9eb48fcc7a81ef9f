"""Try everything, prune nothing, remember nothing: the yardstick for all other solvers."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.interface import Budget, Capabilities, Solution, Status, Watch
from exactree.solve.ranked_tree import RankedNode, to_graph

Points = NDArray[np.int64]  # (n,) indices of points


class Exhaustive:
    """Plain recursion over all questions; obvious rather than fast."""

    name: ClassVar[str] = "exhaustive"
    handles: ClassVar[Capabilities] = Capabilities(proves=True, most_leaves_scored=300_000)

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, watch: Watch | None = None
    ) -> Solution:
        """Return an optimal tree; neither budget nor start is needed at this size."""
        limits = problem.limits
        cost, nodes = _best(problem, np.arange(problem.data.n_points), limits.max_depth, limits.most_leaves)
        model = to_graph(problem, nodes)
        return Solution.checked(problem, model, status=Status.OPTIMAL, claimed=cost, bound=cost)


def _best(problem: Problem, points: Points, depth: int, leaves: int) -> tuple[float, list[RankedNode]]:
    """Lowest cost on these points with at most so many leaves, and the nodes of a tree that attains it, root first."""
    best = _leaf(problem, points)
    if depth == 0 or leaves == 1:
        return best
    for c, column in enumerate(problem.data.columns):
        for rank in range(column.n_ranks - 1):
            yes = column.ranks[points] <= rank
            sides = points[yes], points[~yes]
            if not problem.allows_sides(*sides) or not (len(sides[0]) and len(sides[1])):
                continue
            for yes_leaves in _shares(leaves, depth):
                yes_cost, yes_nodes = _best(problem, sides[0], depth - 1, yes_leaves)
                no_cost, no_nodes = _best(problem, sides[1], depth - 1, leaves - yes_leaves)
                if yes_cost + no_cost < best[0] - problem.tolerance:
                    best = yes_cost + no_cost, _join(RankedNode(c, rank, 0, 0, 0), yes_nodes, no_nodes)
    return best


def _shares(leaves: int, depth: int) -> range:
    """How many leaves the yes side may get, so that neither side gets more than its depth can use."""
    most: int = 2 ** (depth - 1)
    return range(max(1, leaves - most), min(most, leaves - 1) + 1)


def _leaf(problem: Problem, points: Points) -> tuple[float, list[RankedNode]]:
    costs = problem.objective.leaf_costs(problem.data.class_weight(points))
    label = int(costs.argmin())
    return float(costs[label]) + problem.leaf_price, [RankedNode(-1, -1, -1, -1, label)]


def _join(root: RankedNode, yes: list[RankedNode], no: list[RankedNode]) -> list[RankedNode]:
    root = root._replace(yes=1, no=1 + len(yes))
    return [root, *_shift(yes, 1), *_shift(no, 1 + len(yes))]


def _shift(nodes: list[RankedNode], by: int) -> list[RankedNode]:
    return [n if n.column < 0 else n._replace(yes=n.yes + by, no=n.no + by) for n in nodes]
