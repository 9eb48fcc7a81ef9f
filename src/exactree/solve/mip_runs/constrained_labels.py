"""Constrained leaf labels: the cheapest labels of a tree's leaves that satisfy the constraints on predictions.

The questions stay. The labels are the solution of a small MIP: ``predicts[l, k]`` is 1 if leaf l predicts class k.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import Kind, Mip, MipOptions, MipStatus, backend_for
from exactree.problem import Problem
from exactree.solve.gains import sums_by
from exactree.solve.mip_runs.costs import power_of_two_scale
from exactree.solve.trees.ranked_tree import RankedNode, reached

SECONDS = 1.0  # limit: with the leaves of a usual tree it takes a hundredth of that


def with_feasible_labels(
    problem: Problem, nodes: list[RankedNode], seconds: float | None = None
) -> list[RankedNode] | None:
    """Return a tree with the cheapest labels that satisfy all constraints, or ``None`` if there are none."""
    data, points = problem.data, reached(problem.data, nodes)
    leaves = [at for at, node in enumerate(nodes) if node.column < 0]
    cost = np.array([problem.objective.leaf_costs(data.class_weight(points[at])) for at in leaves])
    leaf_of = np.zeros(data.n_points, dtype=np.int64)
    for number, at in enumerate(leaves):
        leaf_of[points[at]] = number
    at_leaf = leaf_of[data.point_of]
    sides = np.zeros((len(problem.on_answers), len(leaves), data.n_classes))
    for m, limit in enumerate(problem.on_answers):
        sides[m] = sums_by(at_leaf, limit.coefficient, len(leaves))
    labels = cheapest_feasible_labels(cost, sides, np.array([limit.at_most for limit in problem.on_answers]), seconds)
    if labels is None:
        return None
    label_of = dict(zip(leaves, labels.tolist(), strict=True))
    return [node._replace(label=label_of.get(at, node.label)) for at, node in enumerate(nodes)]


def cheapest_feasible_labels(cost: Floats, sides: Floats, at_most: Floats, seconds: float | None = None) -> Ints | None:
    """Return the cheapest label for each leaf such that all constraints are satisfied, or ``None``.

    ``cost[l, k]`` is the cost of leaf l with label k, ``sides[m, l, k]`` its contribution to constraint m.

    Examples
    --------
    The cheapest labels are 0, 1, 1, but only one leaf may predict 1:

    >>> cost = np.array([[0.0, 2.0], [2.0, 0.0], [1.0, 0.0]])
    >>> predicts_one = np.array([[[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]])
    >>> cheapest_feasible_labels(cost, predicts_one, np.array([1.0])).tolist()
    [0, 1, 0]
    >>> cheapest_feasible_labels(cost, predicts_one, np.array([-1.0])) is None
    True
    """
    labels: Ints = cost.argmin(axis=1)
    if (sides[:, np.arange(len(cost)), labels].sum(axis=1) <= at_most).all():
        return labels
    largest = np.abs(sides).max(axis=(1, 2), initial=0.0)
    largest[largest == 0] = 1.0
    mip = Mip()
    predicts = mip.columns(
        "predicts", cost.shape, kind=Kind.INTEGER, high=1, cost=cost * power_of_two_scale(float(cost.mean()))
    )
    mip.family("one_label", [(1, predicts)], at_least=1, at_most=1)
    everywhere = np.broadcast_to(predicts.ravel(), (len(sides), predicts.size))
    mip.family("side", [(sides.reshape(everywhere.shape) / largest[:, None], everywhere)], at_most=at_most / largest)
    program = mip.program()
    allowed = SECONDS if seconds is None else min(SECONDS, seconds)
    result = backend_for(program, "highs").solve(program, MipOptions(seconds=allowed))
    if result.status is MipStatus.INTERRUPTED:
        raise KeyboardInterrupt
    return None if result.values is None else np.asarray(result.values[predicts].argmax(axis=1), dtype=np.int64)
