"""What the leaves of a tree answer where constraints on the answers forbid what costs least.

The questions stay; which answers cost least is a program of its own, a small one: ``says[l, k]`` is 1 if leaf l answers
class k.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import Effort, Kind, Mip, MipStatus, backend_for
from exactree.problem import Problem
from exactree.solve.mip_runs.costs import near_one
from exactree.solve.trees.ranked_tree import RankedNode, reached

SECONDS = 1.0  # for it at most: with as many leaves as a tree has it takes a hundredth of that


def answered(problem: Problem, nodes: list[RankedNode], seconds: float | None = None) -> list[RankedNode] | None:
    """Return a tree with the cheapest answers that hold all constraints on them, or ``None`` if there are none."""
    data, points = problem.data, reached(problem.data, nodes)
    leaves = [at for at, node in enumerate(nodes) if node.column < 0]
    cost = np.array([problem.objective.leaf_costs(data.class_weight(points[at])) for at in leaves])
    leaf_of = np.zeros(data.n_points, dtype=np.int64)
    for number, at in enumerate(leaves):
        leaf_of[points[at]] = number
    sides = np.zeros((len(problem.on_answers), len(leaves), data.n_classes))
    for m, limit in enumerate(problem.on_answers):
        np.add.at(sides[m], leaf_of[data.point_of], limit.coefficient)
    labels = allowed_labels(cost, sides, np.array([limit.at_most for limit in problem.on_answers]), seconds)
    if labels is None:
        return None
    said = dict(zip(leaves, labels.tolist(), strict=True))
    return [node._replace(label=said.get(at, node.label)) for at, node in enumerate(nodes)]


def allowed_labels(cost: Floats, sides: Floats, at_most: Floats, seconds: float | None = None) -> Ints | None:
    """Return the cheapest label for each leaf that keeps all sums within their limits, or ``None``.

    ``cost[l, k]`` is what leaf l costs if it answers k, ``sides[m, l, k]`` what it then adds to sum m.

    Examples
    --------
    What costs least is 0, 1, 1, but only one leaf may answer 1:

    >>> cost = np.array([[0.0, 2.0], [2.0, 0.0], [1.0, 0.0]])
    >>> answers_one = np.array([[[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]])
    >>> allowed_labels(cost, answers_one, np.array([1.0])).tolist()
    [0, 1, 0]
    >>> allowed_labels(cost, answers_one, np.array([-1.0])) is None
    True
    """
    labels: Ints = cost.argmin(axis=1)
    if (sides[:, np.arange(len(cost)), labels].sum(axis=1) <= at_most).all():
        return labels
    largest = np.abs(sides).max(axis=(1, 2), initial=0.0)
    largest[largest == 0] = 1.0
    mip = Mip()
    says = mip.columns("says", cost.shape, kind=Kind.INTEGER, high=1, cost=cost * near_one(float(cost.mean())))
    mip.family("one_answer", [(1, says)], at_least=1, at_most=1)
    everywhere = np.broadcast_to(says.ravel(), (len(sides), says.size))
    mip.family("side", [(sides.reshape(everywhere.shape) / largest[:, None], everywhere)], at_most=at_most / largest)
    program = mip.program()
    allowed = SECONDS if seconds is None else min(SECONDS, seconds)
    answer = backend_for(program, "highs").solve(program, Effort(seconds=allowed))
    if answer.status is MipStatus.INTERRUPTED:
        raise KeyboardInterrupt
    return None if answer.values is None else np.asarray(answer.values[says].argmax(axis=1), dtype=np.int64)
