"""Constraints on each leaf as rows of a MIP: limits on the share of errors in a leaf.

=========  =====================================================  ==================
in code    meaning                                                in the thesis
=========  =====================================================  ==================
large      [l] leaf l is limited by share, not by its errors      h_t, binary
=========  =====================================================  ==================

The thesis bounds the errors of a leaf, ``L_t <= (1 - q) N_t``, and defines L_t by rows with a big-M. Here the two are
one: a leaf that predicts k loses ``costs`` for every unit of another class and gains ``earns`` for every unit of k,
with ``costs : earns = q : 1 - q`` in integers, and may not lose more than it gains. That needs no further column, is
integer where weights are, and leaves no room for rounding between a leaf that just meets q and one that does not.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import Kind, Mip, Term
from exactree.problem import LeafLimit, Problem
from exactree.solve.mip_runs.costs import MipCosts


def add_leaf_limits(mip: Mip, problem: Problem, costs: MipCosts, reach: Ints, predicts: Ints) -> None:
    """Add the constraints on each leaf."""
    for m, limit in enumerate(problem.on_leaves):
        units = _units(problem, limit, costs)
        large = _add_sizes(mip, f"leaf_{m}", limit, units, reach) if limit.small > 0 else None
        for k in range(costs.n_classes):
            signed = np.where(costs.labels == k, -units, units)
            _add_label_limit(mip, f"leaf_{m}_{k}", limit, signed, reach, predicts[:, k], large)


def _add_sizes(mip: Mip, name: str, limit: LeafLimit, units: Floats, reach: Ints) -> Ints:
    """Distinguish large leaves from small ones."""
    n_leaves = reach.shape[1]
    large = mip.columns(f"{name}_large", n_leaves, kind=Kind.INTEGER, high=1, priority=5)
    # is_large[l]: sum_r units reach[r, l] >= small large[l]
    mip.family(f"{name}_is_large", [(units[None, :], reach.T), (-limit.small, large)], at_least=0)
    # is_small[l]: sum_r units reach[r, l] <= (less than small) + M large[l]
    less = limit.small - 1 if limit.whole else limit.small
    mip.family(f"{name}_is_small", [(units[None, :], reach.T), (-max(limit.total - less, 0.0), large)], at_most=less)
    return large


def _add_label_limit(
    mip: Mip, name: str, limit: LeafLimit, signed: Floats, reach: Ints, predicts: Ints, large: Ints | None
) -> None:
    """Limit the errors of leaves that predict one class; ``signed`` is the units of a row, negative if correct."""
    costs, earns = limit.odds
    losses = np.where(signed > 0, costs * signed, earns * signed)
    wrong = np.maximum(signed, 0.0)
    most, all_wrong = float(np.maximum(losses, 0.0).sum()), float(wrong.sum())
    # share[l]: costs (wrong in l) - earns (right in l) <= M (1 - predicts[l]) (+ M (1 - large[l]))
    terms: list[Term] = [(losses[None, :], reach.T), (most, predicts)]
    if large is None:
        mip.family(f"{name}_share", terms, at_most=most)
        return
    mip.family(f"{name}_share", [*terms, (most, large)], at_most=2 * most)
    # errors[l]: wrong in l <= errors + M (1 - predicts[l]) + M large[l]
    room = max(all_wrong - limit.errors, 0.0)
    mip.family(
        f"{name}_errors",
        [(wrong[None, :], reach.T), (room, predicts), (-room, large)],
        at_most=limit.errors + room,
    )


def _units(problem: Problem, limit: LeafLimit, costs: MipCosts) -> Floats:
    """Units of each row of the MIP."""
    data = problem.data
    merged = np.array_equal(costs.points, np.arange(data.n_points))
    return np.bincount(data.point_of, weights=limit.amount).astype(np.float64) if merged else limit.amount


def start_leaf_limits(mip: Mip, problem: Problem, costs: MipCosts, reach: Floats) -> None:
    """Set which leaves are large in the warm start."""
    for m, limit in enumerate(problem.on_leaves):
        if limit.small > 0:
            mip.set_start(mip.blocks[f"leaf_{m}_large"], _units(problem, limit, costs) @ reach >= limit.small)
