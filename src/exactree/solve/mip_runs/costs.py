"""Rows and costs as a program reads them: what each answer costs for each row, above what it costs anyway.

Where weights, costs and the price of a leaf become whole numbers when multiplied by some number up to 1000, they are:
then no two trees differ by less than one, and back ends that count in whole numbers can be used. Others are multiplied
by a power of two, so that a row costs about one: what back ends take for nothing is a fixed number.
"""

from dataclasses import dataclass, replace

import numpy as np

from exactree.arrays import Floats, Int32s, Ints, UInt32s
from exactree.problem import RESOLUTION, Problem
from exactree.tolerances import INTEGRALITY

LARGEST_SCALE = 1000
LARGEST_SUM = 2.0**29  # of all costs after scaling
FINEST = 1e-5  # costs below it may be nothing to a back end, which counts in floats up to about a millionth
OVERLOOKED = 1e-6  # of all costs: what a back end may be off by where such costs matter


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """Rows of a program: one per point, or one per row of the table.

    ``cost[i, k]`` is what answering row i with class k costs above its cheapest answer, in units of the program; a
    tree costs ``(sum of cost + offset + leaf_price * leaves) / scale``.
    """

    points: Ints  # (n_rows,) point of each row
    ranks: UInt32s  # (n_columns, n_rows)
    labels: Int32s  # (n_rows,)
    cost: Floats  # (n_rows, n_classes)
    offset: float
    leaf_price: float
    scale: float
    step: float  # two different costs of trees differ by this at least; 0: not known
    unavoidable: float  # of ``cost``: rows that no question parts but that want different answers
    unseen: float = 0.0  # what a back end may be off by, since some costs are too small beside others

    @property
    def n_rows(self) -> int:
        """Rows of the program."""
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """Classes to answer with."""
        return int(self.cost.shape[1])

    def to_cost(self, objective: float) -> float:
        """Cost in the user's terms, from a program's objective (offset and price of the first leaf included)."""
        return objective / self.scale


def costs_of(problem: Problem, *, merge: bool = True) -> Costs:
    """Turn a problem's weights and cost matrix into a program's; ``merge`` makes equal rows one."""
    data = problem.data
    if problem.objective.is_worst_leaf:  # a program has its own way to the worst leaf, and nothing is counted here
        accurate = replace(problem, objective=replace(problem.objective, z=None))
        return replace(costs_of(accurate, merge=merge), offset=0.0, scale=1.0, step=0.0, unavoidable=0.0, unseen=0.0)
    points = np.arange(data.n_points) if merge else data.point_of
    weights = data.point_weights if merge else data.weights
    labels = data.point_labels[points]
    raw = weights[:, None] * problem.objective.matrix[labels]
    total = float(raw.max(axis=1).sum()) + problem.leaf_price * problem.limits.most_leaves
    scale = whole_scale(np.append(raw.ravel(), problem.leaf_price), total)
    step = 0.0 if scale is None else 1.0
    scale = near_one(total / len(points)) if scale is None else scale
    scaled = np.rint(raw * scale) if step else raw * scale
    cheapest = scaled.min(axis=1)
    cost = scaled - cheapest[:, None]
    ranks = np.array([column.ranks[points] for column in data.columns], dtype=np.uint32)
    groups = data.point_groups[points]
    by_group = np.zeros((int(groups.max()) + 1, data.n_classes))
    np.add.at(by_group, groups, cost)
    price = float(np.rint(problem.leaf_price * scale)) if step else problem.leaf_price * scale
    return Costs(
        points=points,
        ranks=ranks.reshape(len(data.columns), len(points)),
        labels=labels,
        cost=cost,
        offset=float(cheapest.sum()),
        leaf_price=price,
        scale=scale,
        step=step,
        unavoidable=float(by_group.min(axis=1).sum()),
        unseen=0.0 if step else unseen(cost, price, problem.limits.most_leaves, problem.tolerance * scale),
    )


def unseen(cost: Floats, price: float, most_paid: int, noise: float) -> float:
    """What a back end may be off by where costs, or a price paid so often, are so small that it hardly sees them.

    Nothing, if all of these together are no more than noise anyway.

    Examples
    --------
    >>> unseen(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.1, 4, noise=1e-9)
    0.0
    >>> unseen(np.array([[0.0, 2.0], [1e-7, 0.0]]), 0.0, 4, noise=1e-9)
    2.0000001e-06
    """
    prices = price * min(most_paid, len(cost))
    tiny = float(np.where(cost < FINEST, cost, 0.0).max(axis=1).sum()) + (prices if price < FINEST else 0.0)
    total = float(cost.max(axis=1).sum()) + prices
    return OVERLOOKED * total if tiny > noise else 0.0


def whole_scale(values: Floats, total: float, *, largest: int = LARGEST_SCALE) -> float | None:
    """Smallest number that makes all values whole, or ``None`` if there is none that is small enough.

    Examples
    --------
    >>> whole_scale(np.array([0.5, 1.15]), 10.0), whole_scale(np.array([np.pi]), 10.0)
    (20.0, None)
    >>> whole_scale(np.array([1e-10, 2e-10]), 1e-8)  # not 0
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


def near_one(value: float) -> float:
    """Power of two that brings a number near to 1; 1 for nothing.

    Examples
    --------
    >>> near_one(1.2), near_one(1e-3), near_one(0.0)
    (1.0, 1024.0, 1.0)
    """
    return float(2.0 ** -round(np.log2(value))) if value > 0 else 1.0


def leaf_sizes(problem: Problem, costs: Costs) -> list[tuple[str, Floats, float]]:
    """What a leaf must hold: name, amount of each row, least amount. Empty if leaves may have any size."""
    data = problem.data
    copies = np.bincount(costs.points, minlength=data.n_points)  # rows that are not merged have a share each
    wanted = []
    least = min(problem.limits.min_samples_leaf, data.n_rows)  # a lone leaf may be smaller
    if least > 1:
        wanted.append(("rows", (data.point_counts / copies)[costs.points], float(least)))
    if problem.min_leaf_weight > 0:
        weights = (data.point_weights / copies)[costs.points]
        wanted.append(("weight", *least_sum(weights, problem.min_leaf_weight)))
    return wanted


def least_sum(weights: Floats, least: float) -> tuple[Floats, float]:
    """Weights in units that make them whole or else about 1, and what some of them must add up to at least.

    Back ends hold a row up to an absolute tolerance. The limit is lowered by what a sum of floats may be off.

    Examples
    --------
    >>> least_sum(np.array([1e-7, 2e-7, 6e-7]), 3e-7)[1] < 1.0
    True
    """
    scale = whole_scale(weights, float(weights.sum()))
    if scale is None:
        unit = 1.0 / float(weights.mean())
        return weights * unit, least * unit * (1 - RESOLUTION)
    return np.rint(weights * scale), float(np.ceil(least * scale * (1 - RESOLUTION)))
