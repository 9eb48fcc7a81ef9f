"""Rows and costs of a MIP: the cost of each label for each row, above that of its cheapest label.

Where weights, costs and the price of a leaf become integers when multiplied by some number up to 1000, they are
multiplied: then the costs of no two trees differ by less than one, and all-integer back ends can be used. Others are
multiplied by a power of two, so that a row costs about one: the tolerances of back ends are absolute.
"""

from dataclasses import dataclass, replace

import numpy as np

from exactree.arrays import Floats, Int32s, Ints, UInt32s
from exactree.problem import RESOLUTION, Problem
from exactree.tolerances import INTEGRALITY

LARGEST_SCALE = 1000
LARGEST_SUM = 2.0**29  # of all costs after scaling
FINEST = 1e-5  # smaller costs may be lost in a back end's feasibility tolerance
LOST_SHARE = 1e-6  # of all costs: possible error of a back end where such costs matter


@dataclass(frozen=True, slots=True, eq=False)
class MipCosts:
    """Rows of a MIP: one per point, or one per row of the table.

    ``cost[i, k]`` is the cost of label k for row i above its cheapest label, in scaled units; a tree costs
    ``(sum of cost + offset + leaf_price * leaves) / scale``.
    """

    points: Ints  # (n_rows,) point of each row
    ranks: UInt32s  # (n_columns, n_rows)
    labels: Int32s  # (n_rows,)
    cost: Floats  # (n_rows, n_classes)
    offset: float
    leaf_price: float
    scale: float
    step: float  # least difference of two costs of trees; 0: unknown
    unavoidable: float  # of ``cost``: rows that no question separates, with different labels
    numerical_slack: float = 0.0  # possible error of a back end, where some costs are too small beside others

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.cost.shape[1])

    def to_cost(self, objective: float) -> float:
        """Cost in the user's units, from a MIP's objective (offset and price of the first leaf included)."""
        return objective / self.scale


def mip_costs(problem: Problem, *, merge: bool = True) -> MipCosts:
    """Scale a problem's weights and cost matrix for a MIP; ``merge`` makes equal rows one."""
    data = problem.data
    if problem.objective.is_worst_leaf:  # the MIP has its own objective, costs are not used
        accurate = replace(problem, objective=replace(problem.objective, z=None))
        return replace(
            mip_costs(accurate, merge=merge), offset=0.0, scale=1.0, step=0.0, unavoidable=0.0, numerical_slack=0.0
        )
    points = np.arange(data.n_points) if merge else data.point_of
    weights = data.point_weights if merge else data.weights
    labels = data.point_labels[points]
    raw = weights[:, None] * problem.objective.matrix[labels]
    total = float(raw.max(axis=1).sum()) + problem.leaf_price * problem.limits.most_leaves
    scale = integer_scale(np.append(raw.ravel(), (problem.leaf_price, problem.column_price)), total)
    step = 0.0 if scale is None else 1.0
    scale = power_of_two_scale(total / len(points)) if scale is None else scale
    scaled = np.rint(raw * scale) if step else raw * scale
    cheapest = scaled.min(axis=1)
    cost = scaled - cheapest[:, None]
    ranks = np.array([column.ranks[points] for column in data.columns], dtype=np.uint32)
    groups = data.point_groups[points]
    by_group = np.zeros((int(groups.max()) + 1, data.n_classes))
    np.add.at(by_group, groups, cost)
    price = float(np.rint(problem.leaf_price * scale)) if step else problem.leaf_price * scale
    return MipCosts(
        points=points,
        ranks=ranks.reshape(len(data.columns), len(points)),
        labels=labels,
        cost=cost,
        offset=float(cheapest.sum()),
        leaf_price=price,
        scale=scale,
        step=step,
        unavoidable=float(by_group.min(axis=1).sum()),
        numerical_slack=0.0
        if step
        else numerical_slack(cost, price, problem.limits.most_leaves, problem.tolerance * scale)
        + column_slack(cost, problem.column_price * scale),
    )


def numerical_slack(cost: Floats, price: float, most_paid: int, noise: float) -> float:
    """Possible error of a back end where costs, or a price paid up to ``most_paid`` times, are near its tolerance.

    0 if all of these together are below ``noise``.

    Examples
    --------
    >>> numerical_slack(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.1, 4, noise=1e-9)
    0.0
    >>> numerical_slack(np.array([[0.0, 2.0], [1e-7, 0.0]]), 0.0, 4, noise=1e-9)
    2.0000001e-06
    """
    prices = price * min(most_paid, len(cost))
    tiny = float(np.where(cost < FINEST, cost, 0.0).max(axis=1).sum()) + (prices if price < FINEST else 0.0)
    total = float(cost.max(axis=1).sum()) + prices
    return LOST_SHARE * total if tiny > noise else 0.0


def column_slack(cost: Floats, price: float) -> float:
    """Possible error of a back end where the price of the columns of oblique splits is near its tolerance."""
    return LOST_SHARE * float(cost.max(axis=1).sum()) if 0 < price < FINEST else 0.0


def integer_scale(values: Floats, total: float, *, largest: int = LARGEST_SCALE) -> float | None:
    """Smallest factor that makes all values integer, or ``None`` if there is none that is small enough.

    Examples
    --------
    >>> integer_scale(np.array([0.5, 1.15]), 10.0), integer_scale(np.array([np.pi]), 10.0)
    (20.0, None)
    >>> integer_scale(np.array([1e-10, 2e-10]), 1e-8)  # not 0
    """
    different, counts = np.unique(values, return_counts=True)
    for scale in range(1, largest + 1):
        if scale * total > LARGEST_SUM:
            return None
        scaled = different * scale
        off = np.abs(scaled - np.rint(scaled))
        if (off <= INTEGRALITY * np.maximum(1.0, scaled)).all() and off @ counts <= INTEGRALITY * scale * total:
            return float(scale)
    return None


def power_of_two_scale(value: float) -> float:
    """Power of two that scales a number to about 1; 1 for 0.

    Examples
    --------
    >>> power_of_two_scale(1.2), power_of_two_scale(1e-3), power_of_two_scale(0.0)
    (1.0, 1024.0, 1.0)
    """
    return float(2.0 ** -round(np.log2(value))) if value > 0 else 1.0


def leaf_size_limits(problem: Problem, costs: MipCosts) -> list[tuple[str, Floats, float]]:
    """Minimum sizes of leaves: name, amount of each row, least amount. Empty if leaves may have any size."""
    data = problem.data
    copies = np.bincount(
        costs.points, minlength=data.n_points
    )  # rows that are not merged share the amount of their point
    minima = []
    least = min(problem.limits.min_samples_leaf, data.n_rows)  # a lone leaf may be smaller
    if least > 1:
        minima.append(("rows", (data.point_counts / copies)[costs.points], float(least)))
    if problem.min_leaf_weight > 0:
        weights = (data.point_weights / copies)[costs.points]
        minima.append(("weight", *scaled_minimum(weights, problem.min_leaf_weight)))
    return minima


def scaled_minimum(weights: Floats, least: float) -> tuple[Floats, float]:
    """Weights scaled to integers, or else to about 1, and the least sum in the same units.

    The tolerances of back ends are absolute. The limit is lowered by the rounding error of a sum.

    Examples
    --------
    >>> scaled_minimum(np.array([1e-7, 2e-7, 6e-7]), 3e-7)[1] < 1.0
    True
    """
    scale = integer_scale(weights, float(weights.sum()))
    if scale is None:
        unit = 1.0 / float(weights.mean())
        return weights * unit, least * unit * (1 - RESOLUTION)
    return np.rint(weights * scale), float(np.ceil(least * scale * (1 - RESOLUTION)))
