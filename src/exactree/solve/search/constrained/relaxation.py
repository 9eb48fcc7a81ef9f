"""The Lagrangian relaxation: limits on sums become costs of the rows, and the ordinary search solves what is left."""

from dataclasses import dataclass

import numpy as np

from exactree.arrays import Floats, Int32s, UInt32s
from exactree.problem import DiagramProblem, Problem
from exactree.solve.gains import Gains, gains_from
from exactree.solve.search.constrained.amounts import GroupAmounts

Nodes = Int32s  # (n_nodes, 5)


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """What a relaxed problem shows."""

    multipliers: Floats
    bound: float  # no allowed tree costs less
    nodes: Nodes  # its best tree
    proved: bool  # whether that tree is optimal for the relaxed problem


@dataclass(frozen=True, slots=True, eq=False)
class RelaxedGains:
    """The relaxed problem in integers."""

    gains: Gains
    constant: float  # what is subtracted from the cost of its trees
    rounding: float  # by how much integers can change the relaxed cost of a tree, in their units


def relaxed_gains(problem: Problem | DiagramProblem, amounts: GroupAmounts, multipliers: Floats) -> RelaxedGains:
    """Write the relaxed problem for the kernel."""
    by_sum, constant = amounts.multipliers_by_sum(multipliers)
    costs = amounts.costs + amounts.charges(by_sum)
    gains = gains_from(problem, costs)
    exact = gains.scale == amounts.cost_scale == 1.0 and np.array_equal(costs, np.rint(costs))
    ratio = 0.0 if amounts.cost_scale == 1.0 else gains.scale / amounts.cost_scale
    n_rounded = amounts.n_groups + (problem.limits.most_nodes if isinstance(problem, DiagramProblem) else 0)
    return RelaxedGains(gains, constant, 0.0 if exact else 4.0 + 2.0 * n_rounded * (1.0 + ratio))


def group_ranks(problem: Problem | DiagramProblem) -> UInt32s:
    """Ranks of the groups, (n_columns, n_groups)."""
    data = problem.data
    a_point = np.zeros(int(data.point_groups.max()) + 1, dtype=np.int64)
    a_point[data.point_groups] = np.arange(data.n_points)
    return data.ranks[:, a_point]
