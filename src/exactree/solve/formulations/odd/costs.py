"""Rows and costs as a diagram program reads them: what each answer costs for each group of rows that no question parts.

A diagram answers all rows of a group alike, whatever their labels, so a group is one row of the program. Where costs
and the price of a node become whole numbers when multiplied by some number, they are: then no two diagrams differ by
less than one, and back ends that count in whole numbers can be used.
"""

from dataclasses import dataclass

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.problem import RESOLUTION, DiagramProblem, LinearLimit
from exactree.solve.mip_runs.costs import LARGEST_SUM, least_sum, near_one, unseen, whole_scale

PRICE_SCALE = 20_000  # the price of a node is a share of many: 0.01 of 89 rows over 14 nodes is 89 / 1400


@dataclass(frozen=True, slots=True, eq=False)
class DiagramCosts:
    """Rows of a diagram program, one per group.

    ``cost[i, k]`` is what answering group i with class k costs above its cheapest answer, in units of the program; a
    diagram costs ``(sum of cost + offset + node_price * (nodes - 1)) / scale``.
    """

    group_of: Ints  # (n_points,)
    ranks: Ints  # (n_columns, n_groups)
    counts: Ints  # (n_groups,) rows of the table
    weights: Floats  # (n_groups,) in units of their own: whole if there are such
    least_weight: float  # of a side that ends, in the same units
    cost: Floats  # (n_groups, n_classes)
    offset: float
    node_price: float
    scale: float
    step: float  # two different costs of diagrams differ by this at least; 0: not known
    unseen: float = 0.0  # as of :class:`~exactree.solve.mip_runs.costs.Costs`

    @property
    def n_groups(self) -> int:
        """Rows of the program."""
        return len(self.counts)

    @property
    def n_classes(self) -> int:
        """Classes to answer with."""
        return int(self.cost.shape[1])

    def to_cost(self, objective: float) -> float:
        """Cost in the user's terms, from a program's objective."""
        return objective / self.scale

    def by_group(self, problem: DiagramProblem, limit: LinearLimit) -> tuple[Floats, float]:
        """Coefficients of a limit, (n_groups, n_classes), and what their sum may be at most."""
        coefficient = np.zeros((self.n_groups, self.n_classes))
        np.add.at(coefficient, self.group_of[problem.data.point_of], limit.coefficient)
        at_most = limit.at_most
        if np.array_equal(coefficient, np.rint(coefficient)):
            at_most = float(np.floor(at_most + RESOLUTION * max(1.0, abs(at_most))))  # 0.29 * 100 is 28.999999999999996
        return coefficient, at_most


def diagram_costs_of(problem: DiagramProblem) -> DiagramCosts:
    """Turn a problem's weights and cost matrix into a program's."""
    data, group_of = problem.data, problem.data.point_groups
    n_groups = int(group_of.max()) + 1
    raw = np.zeros((n_groups, data.n_classes))
    np.add.at(raw, group_of, data.point_weights[:, None] * problem.objective.matrix[data.point_labels])
    price = problem.node_price
    total = float(raw.max(axis=1).sum()) + price * problem.limits.n_nodes
    scale = _scale(raw, price, total)
    step = 0.0 if scale is None else 1.0
    scale = near_one(total / n_groups) if scale is None else scale
    scaled = np.rint(raw * scale) if step else raw * scale
    weights, least_weight = _weights(problem)
    cheapest = scaled.min(axis=1)
    cost = scaled - cheapest[:, None]
    node_price = float(np.rint(price * scale)) if step else price * scale
    first = np.unique(group_of, return_index=True)[1]
    return DiagramCosts(
        group_of=group_of,
        ranks=data.ranks[:, first].astype(np.int64),
        counts=np.bincount(group_of, weights=data.point_counts, minlength=n_groups).astype(np.int64),
        weights=weights,
        least_weight=least_weight,
        cost=cost,
        offset=float(cheapest.sum()),
        node_price=node_price,
        scale=scale,
        step=step,
        unseen=0.0 if step else unseen(cost, node_price, problem.limits.n_nodes, problem.tolerance * scale),
    )


def _weights(problem: DiagramProblem) -> tuple[Floats, float]:
    """Weight of each group, and what a side that ends must weigh."""
    weights = np.bincount(problem.data.point_groups, weights=problem.data.point_weights).astype(np.float64)
    return (weights, 0.0) if problem.min_leaf_weight == 0 else least_sum(weights, problem.min_leaf_weight)


def _scale(raw: Floats, price: float, total: float) -> float | None:
    """Find a number that makes all costs whole, and then a further one for the price."""
    scale = whole_scale(raw.ravel(), total)
    if scale is None:
        return None
    largest = min(PRICE_SCALE, int(LARGEST_SUM / max(scale * total, 1.0)))
    further = whole_scale(np.array([price * scale]), scale * total, largest=largest)
    return None if further is None else scale * further
