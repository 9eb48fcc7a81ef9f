"""Enumeration of all answers that trees can give, for constraints on them: the reference of the other solvers' tests.

Labels are free: under constraints the best one need not be that of most rows. So all labellings of the points of a
subtree are listed, each with a cheapest tree; costs and constraints of the whole are looked at in the end only.
"""

from typing import NamedTuple

import numpy as np

from exactree.errors import Infeasible
from exactree.problem import Problem
from exactree.problem.linear_limit import LIMIT_NOISE
from exactree.solve.brute_force.recursion import Points, Poll, join, shares_of_leaves, splits
from exactree.solve.trees.ranked_tree import RankedNode

Labelling = tuple[int, ...]  # of the points, in their order


class _Labelled(NamedTuple):
    """A cheapest tree that gives some answers: its cost without penalties, and its nodes."""

    cost: float
    nodes: list[RankedNode]


def cheapest_allowed(problem: Problem, poll: Poll) -> tuple[float, list[RankedNode]]:
    """Return the lowest cost of an allowed tree, with penalties, and the nodes of such a tree, root first."""
    limits, data = problem.limits, problem.data
    best, nodes = np.inf, None
    shape = limits.deepest, limits.most_leaves
    for labelling, tree in _labellings(problem, np.arange(data.n_points), *shape, poll).items():
        answers = np.array(labelling)[data.point_of]
        cost = tree.cost + sum(soft.penalty(answers) for soft in problem.soft)
        if cost < best and all(limit.excess(answers) <= LIMIT_NOISE for limit in problem.on_answers):
            best, nodes = cost, tree.nodes
    if nodes is None:
        raise Infeasible("No tree within the limits satisfies all constraints. Relax some of them.")
    return best, nodes


def _labellings(problem: Problem, points: Points, depth: int, leaves: int, poll: Poll) -> dict[Labelling, _Labelled]:
    """All labellings of some points by trees with at most so many leaves."""
    costs = problem.objective.leaf_costs(problem.data.class_weight(points)) + problem.answer_prices(points)
    found = {
        (int(label),) * len(points): _Labelled(
            float(costs[label]) + problem.leaf_price, [RankedNode(-1, -1, -1, -1, int(label))]
        )
        for label in np.flatnonzero(problem.allowed_answers(points))
    }
    if depth == 0 or leaves == 1:
        return found
    for root, yes, no in splits(problem, points, poll):
        order = np.argsort(np.concatenate([yes, no])).tolist()
        for yes_leaves in shares_of_leaves(leaves, depth):
            of_no = _labellings(problem, no, depth - 1, leaves - yes_leaves, poll)
            for a, of_a in _labellings(problem, yes, depth - 1, yes_leaves, poll).items():
                for b, of_b in of_no.items():
                    together = (*a, *b)
                    labelling, cost = tuple(together[at] for at in order), of_a.cost + of_b.cost
                    if labelling not in found or cost < found[labelling].cost:
                        found[labelling] = _Labelled(cost, join(root, of_a.nodes, of_b.nodes))
    return found
