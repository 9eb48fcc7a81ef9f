"""Enumeration of all trees without pruning or caching: the reference of all other solvers' tests."""

from typing import ClassVar, NamedTuple

import numpy as np

from exactree.errors import Infeasible
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.brute_force.constrained_trees import cheapest_allowed
from exactree.solve.brute_force.recursion import Points, Poll, join, shares_of_leaves, splits
from exactree.solve.interface import Budget, Callback, Capabilities, Solution, Status
from exactree.solve.run_state import Exhausted, RunState, stop_status
from exactree.solve.trees.ranked_tree import RankedNode, to_graph


class Exhaustive:
    """Plain recursion over all questions; simple rather than fast."""

    name: ClassVar[str] = "exhaustive"
    handles: ClassVar[Capabilities] = Capabilities(
        proves=True,
        most_leaves_scored=300_000,
        leaf_limits=True,
        leaf_prices=True,
        worst_leaf=True,
        constraints=True,
        soft_limits=True,
    )

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Return an optimal tree; the warm start, or a leaf, if the budget ends or the callback stops it before."""
        run = RunState(problem, budget, callback)
        try:
            cost, nodes = _cheapest(problem, run.poll)
        except (Exhausted, KeyboardInterrupt) as stop:
            leaves = (to_graph(problem, [RankedNode(-1, -1, -1, -1, k)]) for k in range(problem.data.n_classes))
            for model in (*([] if start is None else [start]), *leaves):
                run.offer(model)
            return run.end(stop_status(stop), {})
        return Solution.checked(problem, to_graph(problem, nodes), status=Status.OPTIMAL, claimed=cost, bound=cost)


def _cheapest(problem: Problem, poll: Poll) -> tuple[float, list[RankedNode]]:
    """Return the lowest cost of all allowed trees, and the nodes of a tree that attains it."""
    shape = problem.limits.deepest, problem.limits.most_leaves
    if problem.objective.is_worst_leaf:
        front = _front(problem, np.arange(problem.data.n_points), *shape, poll)
        best = min(front, key=lambda tree: (-tree.score, len(tree.nodes), tree.wrong))
        return 1.0 - best.score, best.nodes
    if problem.on_answers or problem.soft:
        return cheapest_allowed(problem, poll)
    cost, nodes = _best(problem, np.arange(problem.data.n_points), *shape, poll)
    if not np.isfinite(cost):
        raise Infeasible(f"No tree within the limits satisfies all constraints: {problem.on_leaves[0].text}.")
    return cost, nodes


def _best(problem: Problem, points: Points, depth: int, leaves: int, poll: Poll) -> tuple[float, list[RankedNode]]:
    """Lowest cost on these points with at most so many leaves, and the nodes of a tree that attains it, root first."""
    best = _leaf(problem, points)
    if depth == 0 or leaves == 1:
        return best
    for root, yes, no in splits(problem, points, poll):
        for yes_leaves in shares_of_leaves(leaves, depth):
            yes_cost, yes_nodes = _best(problem, yes, depth - 1, yes_leaves, poll)
            no_cost, no_nodes = _best(problem, no, depth - 1, leaves - yes_leaves, poll)
            if yes_cost + no_cost < best[0] - problem.tolerance:
                best = yes_cost + no_cost, join(root, yes_nodes, no_nodes)
    return best


class _Tree(NamedTuple):
    """A tree on some points: the score of its worst leaf, and the weight of its errors."""

    score: float
    wrong: float
    nodes: list[RankedNode]

    def dominates(self, other: "_Tree") -> bool:
        """Whether it is as good in score, errors and leaves: any of these may decide for the whole tree."""
        return self.score >= other.score and self.wrong <= other.wrong and len(self.nodes) <= len(other.nodes)


def _front(problem: Problem, points: Points, depth: int, leaves: int, poll: Poll) -> list[_Tree]:
    """All trees on these points that no other dominates."""
    weight = problem.data.class_weight(points)
    label = int(weight.argmax())
    score = float(problem.objective.leaf_scores(weight[None, :], np.array([label], dtype=np.int32))[0])
    front = [_Tree(score, float(weight.sum() - weight[label]), [RankedNode(-1, -1, -1, -1, label)])]
    if depth == 0 or leaves == 1:
        return front
    for root, yes, no in splits(problem, points, poll):
        for yes_leaves in shares_of_leaves(leaves, depth):
            for a in _front(problem, yes, depth - 1, yes_leaves, poll):
                for b in _front(problem, no, depth - 1, leaves - yes_leaves, poll):
                    nodes = join(root, a.nodes, b.nodes)
                    tree = _Tree(min(a.score, b.score), a.wrong + b.wrong, nodes)
                    if not any(other.dominates(tree) for other in front):
                        front = [other for other in front if not tree.dominates(other)] + [tree]
    return front


def _leaf(problem: Problem, points: Points) -> tuple[float, list[RankedNode]]:
    costs = problem.objective.leaf_costs(problem.data.class_weight(points)) + problem.answer_prices(points)
    costs = np.where(problem.allowed_answers(points), costs, np.inf)
    label = int(costs.argmin())
    return float(costs[label]) + problem.leaf_price, [RankedNode(-1, -1, -1, -1, label)]
