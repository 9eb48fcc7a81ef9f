"""Enumeration of all trees without pruning or caching: the reference of all other solvers' tests."""

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from exactree.arrays import Ints
from exactree.errors import Infeasible
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.interface import Budget, Callback, Capabilities, Solution, Status
from exactree.solve.trees.ranked_tree import RankedNode, to_graph

Points = Ints  # (n,) indices of points


class Exhaustive:
    """Plain recursion over all questions; simple rather than fast."""

    name: ClassVar[str] = "exhaustive"
    handles: ClassVar[Capabilities] = Capabilities(
        proves=True, most_leaves_scored=300_000, leaf_limits=True, leaf_prices=True, worst_leaf=True
    )

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Return an optimal tree; budget and start are ignored at this size."""
        limits = problem.limits
        if problem.objective.is_worst_leaf:
            front = _front(problem, np.arange(problem.data.n_points), limits.max_depth, limits.most_leaves)
            best = min(front, key=lambda tree: (-tree.score, len(tree.nodes), tree.wrong))
            graph, cost = to_graph(problem, best.nodes), 1.0 - best.score
            return Solution.checked(problem, graph, status=Status.OPTIMAL, claimed=cost, bound=cost)
        cost, nodes = _best(problem, np.arange(problem.data.n_points), limits.max_depth, limits.most_leaves)
        if not np.isfinite(cost):
            raise Infeasible(f"No tree within the limits satisfies all constraints: {problem.on_leaves[0].text}.")
        model = to_graph(problem, nodes)
        return Solution.checked(problem, model, status=Status.OPTIMAL, claimed=cost, bound=cost)


def _best(problem: Problem, points: Points, depth: int, leaves: int) -> tuple[float, list[RankedNode]]:
    """Lowest cost on these points with at most so many leaves, and the nodes of a tree that attains it, root first."""
    best = _leaf(problem, points)
    if depth == 0 or leaves == 1:
        return best
    for root, yes, no in _splits(problem, points):
        for yes_leaves in _shares(leaves, depth):
            yes_cost, yes_nodes = _best(problem, yes, depth - 1, yes_leaves)
            no_cost, no_nodes = _best(problem, no, depth - 1, leaves - yes_leaves)
            if yes_cost + no_cost < best[0] - problem.tolerance:
                best = yes_cost + no_cost, _join(root, yes_nodes, no_nodes)
    return best


def _splits(problem: Problem, points: Points) -> Iterator[tuple[RankedNode, Points, Points]]:
    """Every allowed question, as a root without children, and the points on its two sides."""
    for c, column in enumerate(problem.data.columns):
        for rank in range(column.n_ranks - 1):
            answers = column.ranks[points] <= rank
            yes, no = points[answers], points[~answers]
            if len(yes) and len(no) and problem.allows_sides(yes, no):
                yield RankedNode(c, rank, 0, 0, 0), yes, no


class _Tree(NamedTuple):
    """A tree on some points: the score of its worst leaf, and the weight of its errors."""

    score: float
    wrong: float
    nodes: list[RankedNode]

    def dominates(self, other: "_Tree") -> bool:
        """Whether it is as good in score, errors and leaves: any of these may decide for the whole tree."""
        return self.score >= other.score and self.wrong <= other.wrong and len(self.nodes) <= len(other.nodes)


def _front(problem: Problem, points: Points, depth: int, leaves: int) -> list[_Tree]:
    """All trees on these points that no other dominates."""
    weight = problem.data.class_weight(points)
    label = int(weight.argmax())
    score = float(problem.objective.leaf_scores(weight[None, :], np.array([label], dtype=np.int32))[0])
    front = [_Tree(score, float(weight.sum() - weight[label]), [RankedNode(-1, -1, -1, -1, label)])]
    if depth == 0 or leaves == 1:
        return front
    for root, yes, no in _splits(problem, points):
        for yes_leaves in _shares(leaves, depth):
            for a in _front(problem, yes, depth - 1, yes_leaves):
                for b in _front(problem, no, depth - 1, leaves - yes_leaves):
                    nodes = _join(root, a.nodes, b.nodes)
                    tree = _Tree(min(a.score, b.score), a.wrong + b.wrong, nodes)
                    if not any(other.dominates(tree) for other in front):
                        front = [other for other in front if not tree.dominates(other)] + [tree]
    return front


def _shares(leaves: int, depth: int) -> range:
    """How many leaves the yes side may get, so that neither side gets more than its depth can use."""
    most: int = 2 ** (depth - 1)
    return range(max(1, leaves - most), min(most, leaves - 1) + 1)


def _leaf(problem: Problem, points: Points) -> tuple[float, list[RankedNode]]:
    costs = problem.objective.leaf_costs(problem.data.class_weight(points)) + problem.answer_prices(points)
    costs = np.where(problem.allowed_answers(points), costs, np.inf)
    label = int(costs.argmin())
    return float(costs[label]) + problem.leaf_price, [RankedNode(-1, -1, -1, -1, label)]


def _join(root: RankedNode, yes: list[RankedNode], no: list[RankedNode]) -> list[RankedNode]:
    root = root._replace(yes=1, no=1 + len(yes))
    return [root, *_shift(yes, 1), *_shift(no, 1 + len(yes))]


def _shift(nodes: list[RankedNode], by: int) -> list[RankedNode]:
    return [n if n.column < 0 else n._replace(yes=n.yes + by, no=n.no + by) for n in nodes]
