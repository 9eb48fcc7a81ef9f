"""Rows and costs of a diagram's MIP: the cost of each label for each group of rows that no question separates.

A diagram predicts the same class for all rows of a group, so a group is one row of the MIP. Where costs and the price
of a node become integers when multiplied by some number, they are multiplied: then the costs of no two diagrams differ
by less than one, and all-integer back ends can be used.
"""

from dataclasses import dataclass

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.problem import RESOLUTION, DiagramProblem, LinearLimit
from exactree.solve.gains import sums_by
from exactree.solve.mip_runs.costs import (
    LARGEST_SUM,
    column_slack,
    integer_scale,
    numerical_slack,
    power_of_two_scale,
    scaled_minimum,
)

PRICE_SCALE = 20_000  # the price of a node may have a large denominator: 0.01 of 89 rows over 14 nodes is 89 / 1400


@dataclass(frozen=True, slots=True, eq=False)
class DiagramMipCosts:
    """Rows of a diagram's MIP, one per group.

    ``cost[i, k]`` is the cost of label k for group i above its cheapest label, in scaled units; a diagram costs
    ``(sum of cost + offset + node_price * (nodes - 1)) / scale``.
    """

    group_of: Ints  # (n_points,)
    ranks: Ints  # (n_columns, n_groups)
    counts: Ints  # (n_groups,) rows of the table
    weights: Floats  # (n_groups,) scaled to integers if possible
    least_weight: float  # of a side that leads to a leaf, in the same units
    cost: Floats  # (n_groups, n_classes)
    offset: float
    node_price: float
    scale: float
    step: float  # least difference of two costs of diagrams; 0: unknown
    numerical_slack: float = 0.0  # as of :class:`~exactree.solve.mip_runs.costs.MipCosts`

    @property
    def n_groups(self) -> int:
        """Number of rows."""
        return len(self.counts)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.cost.shape[1])

    def to_cost(self, objective: float) -> float:
        """Cost in the user's units, from a MIP's objective."""
        return objective / self.scale

    def by_group(self, problem: DiagramProblem, limit: LinearLimit) -> tuple[Floats, float]:
        """Coefficients of a constraint, (n_groups, n_classes), and the limit of their sum."""
        coefficient = sums_by(self.group_of[problem.data.point_of], limit.coefficient, self.n_groups)
        at_most = limit.at_most
        if np.array_equal(coefficient, np.rint(coefficient)):
            at_most = float(np.floor(at_most + RESOLUTION * max(1.0, abs(at_most))))  # 0.29 * 100 is 28.999999999999996
        return coefficient, at_most


def diagram_mip_costs(problem: DiagramProblem) -> DiagramMipCosts:
    """Scale a problem's weights and cost matrix for a MIP."""
    data, group_of = problem.data, problem.data.point_groups
    n_groups = int(group_of.max()) + 1
    raw = np.zeros((n_groups, data.n_classes))
    np.add.at(raw, group_of, data.point_weights[:, None] * problem.objective.matrix[data.point_labels])
    price = problem.node_price
    total = float(raw.max(axis=1).sum()) + price * problem.limits.n_nodes
    scale = _scale(raw, price, total) if problem.column_price == 0 else None
    step = 0.0 if scale is None else 1.0
    scale = power_of_two_scale(total / n_groups) if scale is None else scale
    scaled = np.rint(raw * scale) if step else raw * scale
    weights, least_weight = _weights(problem)
    cheapest = scaled.min(axis=1)
    cost = scaled - cheapest[:, None]
    node_price = float(np.rint(price * scale)) if step else price * scale
    first = np.unique(group_of, return_index=True)[1]
    return DiagramMipCosts(
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
        numerical_slack=0.0
        if step
        else numerical_slack(cost, node_price, problem.limits.n_nodes, problem.tolerance * scale)
        + column_slack(cost, problem.column_price * scale),
    )


def _weights(problem: DiagramProblem) -> tuple[Floats, float]:
    """Weight of each group, and the least weight of a side that leads to a leaf."""
    weights = np.bincount(problem.data.point_groups, weights=problem.data.point_weights).astype(np.float64)
    return (weights, 0.0) if problem.min_leaf_weight == 0 else scaled_minimum(weights, problem.min_leaf_weight)


def _scale(raw: Floats, price: float, total: float) -> float | None:
    """Find a factor that makes all costs integer, and then a further one for the price."""
    scale = integer_scale(raw.ravel(), total)
    if scale is None:
        return None
    largest = min(PRICE_SCALE, int(LARGEST_SUM / max(scale * total, 1.0)))
    further = integer_scale(np.array([price * scale]), scale * total, largest=largest)
    return None if further is None else scale * further
