"""Limits on every leaf by itself, in the form the native searches read."""

from dataclasses import dataclass

import numpy as np

from exactree.arrays import Floats
from exactree.problem import LeafLimit, Problem


@dataclass(frozen=True, slots=True, eq=False)
class LeafRules:
    """Amounts of points, and the limits on them.

    Sample weights are counted in one unit for all limits: that of the first limit where they are integers.
    """

    amounts: Floats  # (n_points,) what each point counts
    unit: float  # sample weight of one unit
    # (n_limits, 6): what a wrong unit costs and a right one earns, noise, least units of a leaf that is not small,
    # wrong units in a small one, and the price of a leaf that breaks the limit, infinite where none may
    limits: Floats


def leaf_rules(problem: Problem) -> LeafRules:
    """Write a problem's limits on each leaf, those with a price among them.

    Examples
    --------
    >>> from exactree import LeafAccuracy
    >>> from exactree.encode import encode
    >>> from exactree.problem import Limits, accuracy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0], [1], [1]]), ["a", "b", "b"])
    >>> limits = tuple(LeafAccuracy(0.5, small=3).limits(data))
    >>> rules = leaf_rules(Problem(data, accuracy(data), Limits(1), limits))
    >>> rules.amounts, rules.limits
    (array([1., 2.]), array([[ 1.,  1.,  0.,  3.,  1., inf]]))
    """
    data = problem.data
    limits = (*problem.on_leaves, *problem.priced_on_leaves)
    exact = next((limit for limit in limits if limit.whole), limits[0])
    amounts = np.bincount(data.point_of, weights=exact.amount, minlength=data.n_points).astype(np.float64)
    unit = float(data.sample_weights.sum()) / exact.total
    rows = [_row(problem, limit, exact.total / limit.total) for limit in limits]
    return LeafRules(amounts, unit, np.array(rows))


def _row(problem: Problem, limit: LeafLimit, units: float) -> tuple[float, ...]:
    """Numbers of a limit; one of its units is so many of those that are counted in."""
    price = np.inf if limit.price is None else problem.price_of(limit)
    return (*limit.odds, limit.noise * units, limit.small * units, limit.errors * units, price)
