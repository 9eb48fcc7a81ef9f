"""Costs as integers, in the form the native search reads.

For every group of rows that no question can split, and every label ``k``, let ``cost[k]`` be the cost of the group if
its label is ``k``. The cost of its cheapest label is paid by any tree: it is subtracted as ``offset``, which is the
equivalent-points bound of the literature. The cost of its dearest label is its ``base``; a label *gains* what it saves
against the base. A leaf then costs (sum of bases) - (largest sum of gains over labels), with one row for most groups
and never more than one per class.

Integers make sums exact and independent of their order. Weights or costs that are not integers are scaled by a power of
two so large that rounding stays below :data:`~exactree.problem.problem.RESOLUTION`.
"""

from dataclasses import dataclass

import numpy as np

from exactree.arrays import Floats, Int32s, Ints, UInt32s
from exactree.errors import InputError
from exactree.problem import RESOLUTION, DiagramProblem, Problem, Scored

SMALLEST_SUM = 1e-290  # below it, the power of two that makes costs integers is beyond the largest float
DEEPEST = 60  # questions on a path; the leaves of a full tree must be countable in 64 bits
LARGEST_SUM = 2.0**52  # of all costs after scaling: sums stay exact, in int64 and in float64


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """Rows for the native search. Rows of one group follow each other; the first carries its base and its size."""

    ranks: UInt32s  # (n_columns, n_rows)
    labels: Int32s  # (n_rows,)
    gains: Ints  # (n_rows,)
    bases: Ints  # (n_rows,)
    sizes: Ints  # (n_rows, 2): rows of the user's table, and their weight in units of its own
    point_sizes: Ints  # (n_points, 2): the same for each point
    min_weight: int  # of a leaf, in the same units
    price: int  # of a leaf, or of a node of a diagram
    offset: int  # cost that every tree has
    scale: float  # integer cost = scale * cost

    def cost(self, integer: float) -> float:
        """Cost in the user's units, from an integer without its offset."""
        return (integer + self.offset) / self.scale


def gains_of(problem: Problem | DiagramProblem) -> Gains:
    """Turn a problem's weights and cost matrix into gains."""
    single = _gains_of_single_points(problem)
    return gains_from(problem, group_costs(problem)) if single is None else single


def gains_from(problem: Problem | DiagramProblem, costs: Floats) -> Gains:
    """Turn any costs of each label for each group, (n_groups, n_classes), into gains; they may be negative."""
    price, most_paid = price_of_size(problem)
    scale = exact_scale(np.abs(costs), price, most_paid)
    sizes, min_weight = sizes_of(problem)
    return _gains(problem, costs, scale, sizes, min_weight, price)


def price_of_size(problem: Problem | DiagramProblem) -> tuple[float, int]:
    """Price of a leaf, or of a node of a diagram, and how often it is paid at most."""
    if isinstance(problem, DiagramProblem):
        return problem.node_price, problem.limits.most_nodes
    return problem.leaf_price, min(problem.limits.most_leaves, problem.data.n_points)


def _gains_of_single_points(problem: Problem | DiagramProblem) -> Gains | None:
    """Write down gains class by class where that is enough; ``None`` where it is not.

    It is if no two points share a group, the points of a class weigh the same, and each class gains by one label: then
    large tables need no costs of each label for each group, and numbers that all rows have are held once.
    """
    data = problem.data
    some_point = np.zeros(data.n_classes, dtype=np.int64)
    some_point[data.point_labels] = np.arange(data.n_points)
    counts = np.bincount(data.point_labels, minlength=data.n_classes)
    weight = np.where(counts > 0, data.point_weights[some_point], 0.0)
    if not np.array_equal(data.point_groups, np.arange(data.n_points)):
        return None
    if not np.array_equal(data.point_weights, weight[data.point_labels]):
        return None
    costs = weight[:, None] * problem.objective.matrix
    price, most_paid = price_of_size(problem)
    largest = float(counts @ np.abs(costs).max(axis=1) + price * min(most_paid, data.n_points))
    scale = _power_of_two(largest, _is_whole(price, costs))
    integers = np.rint(costs * scale).astype(np.int64)
    cheapest, dearest = integers.min(axis=1), integers.max(axis=1)
    gain = dearest[:, None] - integers
    if ((gain > 0).sum(axis=1)[counts > 0] != 1).any():
        return None
    label, gained = gain.argmax(axis=1).astype(np.int32), gain.max(axis=1)  # it gains all that it can: the base
    labels = data.point_labels
    if not np.array_equal(label, np.arange(data.n_classes)):
        labels = label[labels]
    of_rows = _per_row(gained, counts, data.point_labels)
    sizes, min_weight = _sizes_per_row(problem)
    return Gains(
        ranks=data.ranks,
        labels=labels,
        gains=of_rows,
        bases=of_rows,
        sizes=sizes,
        point_sizes=sizes,
        min_weight=min_weight,
        price=round(price * scale),
        offset=int(counts @ cheapest),
        scale=scale,
    )


def _sizes_per_row(problem: Problem | DiagramProblem) -> tuple[Ints, int]:
    """Return what :func:`sizes_of` does; held once if every point is a row and weights are not read."""
    data = problem.data
    if problem.min_leaf_weight == 0 and (data.point_counts == 1).all():
        return np.broadcast_to(np.array([1, 0]), (data.n_points, 2)), 0
    return sizes_of(problem)


def _per_row(of_class: Ints, counts: Ints, labels: Int32s) -> Ints:
    """Return the number of each row's class; held once if all rows have the same."""
    found = of_class[counts > 0]
    if (found == found[0]).all():
        return np.broadcast_to(found[0], len(labels))
    return np.asarray(of_class[labels])


def _gains(
    problem: Scored,
    costs: Floats,
    scale: float,
    sizes: Ints,
    min_weight: int,
    price: float,
) -> Gains:
    data = problem.data
    integers = np.rint(costs.T * scale).astype(np.int64, order="C")  # a row per label: sums across them are then quick
    cheapest, dearest = integers.min(axis=0), integers.max(axis=0)
    base, gain = dearest - cheapest, dearest - integers

    group, label = np.nonzero(gain.T > 0)
    idle = np.flatnonzero(base == 0)  # every label costs the same, but the rows still count
    if len(idle):
        group = np.concatenate([group, idle])
        label = np.concatenate([label, np.zeros(len(idle), dtype=label.dtype)])
        order = np.lexsort((label, group))
        group, label = group[order], label[order]
    first = np.ones(len(group), dtype=np.bool_)
    np.not_equal(group[1:], group[:-1], out=first[1:])
    by_group = np.zeros((len(costs), 2), dtype=np.int64)
    for which in range(1 if min_weight == 0 else 2):
        by_group[:, which] = np.bincount(data.point_groups, weights=sizes[:, which])  # exact: sums stay below 2**53
    return Gains(
        ranks=_ranks(problem, group),
        labels=label.astype(np.int32),
        gains=gain[label, group],
        bases=np.where(first, base[group], 0),
        sizes=np.where(first[:, None], by_group[group], 0),
        point_sizes=sizes,
        min_weight=min_weight,
        price=round(price * scale),
        offset=int(cheapest.sum()),
        scale=scale,
    )


def group_costs(problem: Scored) -> Floats:
    """Cost of each label for each group, (n_groups, n_classes)."""
    data = problem.data
    n_groups = int(data.point_groups.max()) + 1
    places = data.point_groups * data.n_classes + data.point_labels
    by_class = np.bincount(places, weights=data.point_weights, minlength=n_groups * data.n_classes)
    return np.asarray(by_class.reshape(n_groups, data.n_classes) @ problem.objective.matrix)


def sums_by(numbers: Ints, amounts: Floats, n: int) -> Floats:
    """Sums of the rows of ``amounts`` that have the same number, (n, n_classes).

    Examples
    --------
    >>> sums_by(np.array([1, 0, 1]), np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 5.0]]), 2).tolist()
    [[2.0, 0.0], [4.0, 5.0]]
    """
    return np.column_stack([np.bincount(numbers, weights=column, minlength=n) for column in amounts.T])


def unavoidable_cost(problem: Scored) -> float:
    """Return the cost that no model avoids: of rows with different labels that no question separates, and of a leaf."""
    price = problem.leaf_price if isinstance(problem, Problem) else 0.0
    return float(group_costs(problem).min(axis=1).sum()) + price


def shape_of(problem: Problem) -> tuple[int, int]:
    """Depth and leaves that a tree for this data can use: no more leaves than groups."""
    n_groups = int(problem.data.point_groups.max()) + 1
    depth = min(problem.limits.deepest, n_groups - 1)
    if depth > DEEPEST and problem.limits.max_depth is not None:
        raise InputError(
            f"max_depth={problem.limits.max_depth} is beyond what can be searched; the most is {DEEPEST}, and proofs "
            f"beyond depth 6 are rare. Limit max_leaf_nodes as well if the tree may be lopsided."
        )
    return depth, min(problem.limits.most_leaves, 2**depth)


def sizes_of(problem: Problem | DiagramProblem) -> tuple[Ints, int]:
    """Rows and weight of each point, (n_points, 2), and the least weight of a leaf, both weights as integers."""
    data = problem.data
    # Without a least weight the weights are not read, so they may be 0.
    unit = 0.0 if problem.min_leaf_weight == 0 else LARGEST_SUM / problem.total_weight
    weights = np.rint(data.point_weights * unit).astype(np.int64)
    least = int(np.floor(problem.min_leaf_weight * unit * (1 - RESOLUTION)))
    return np.column_stack([data.point_counts, weights]), least


def impurity_weights(problem: Problem) -> Ints:
    """Weight of each point by which CART's rule measures impurity, as an integer, (n_points,)."""
    data = problem.data
    weights = data.point_weights * problem.objective.matrix.max(axis=1)[data.point_labels]
    if weights[0] == np.rint(weights[0]) and weights[0] * len(weights) < LARGEST_SUM and (weights == weights[0]).all():
        return np.broadcast_to(np.int64(weights[0]), len(weights))
    # Integers stay as they are; others only rank splits by impurity, so forty bits in all are plenty.
    keep = np.array_equal(weights, np.rint(weights)) and weights.sum() < LARGEST_SUM
    scaled = weights if keep else np.rint(weights / max(weights.sum(), np.finfo(float).tiny) * 2.0**40)
    return np.asarray(scaled, dtype=np.int64)


def exact_scale(costs: Floats, price: float | Floats, most_paid: int) -> float:
    """Power of two that makes costs, and prices paid so often, integers, or as near as :data:`LARGEST_SUM` allows."""
    largest = float(costs.max(axis=1).sum() + np.sum(price) * min(most_paid, len(costs)))
    return _power_of_two(largest, _is_whole(price, costs))


def _is_whole(*amounts: float | Floats) -> bool:
    return all(np.array_equal(numbers, np.rint(numbers)) for numbers in amounts)


def _power_of_two(largest: float, whole: bool) -> float:
    """Scale for costs of at most so much together."""
    if largest <= LARGEST_SUM and whole:
        return 1.0
    if 0 < largest < SMALLEST_SUM:
        raise InputError(
            f"All weights and costs together are {largest:g}, too small to compare costs; expected at least "
            f"{SMALLEST_SUM:g}. Multiply sample weights or costs by a constant."
        )
    return float(2.0 ** np.floor(np.log2(LARGEST_SUM) - np.log2(largest)))


def _ranks(problem: Scored, group: Ints) -> UInt32s:
    """Ranks of each group, (n_columns, n_rows): those of any of its points."""
    data = problem.data
    a_point = np.zeros(int(data.point_groups.max()) + 1, dtype=np.int64)
    a_point[data.point_groups] = np.arange(data.n_points)
    points = a_point[group]
    if np.array_equal(points, np.arange(data.n_points)):
        return data.ranks
    return data.ranks.take(points, axis=1, mode="clip")  # other modes copy once more
