"""Columns and rows that all formulations share once rows are routed: costs, leaf sizes, constraints on predictions.

``reach[r, l]`` is 1 if row r ends in leaf l, ``predicts[l, k]`` is 1 if leaf l predicts class k.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import Kind, Mip, Term
from exactree.mip.program import is_integral
from exactree.problem import RESOLUTION, LinearLimit, Problem
from exactree.solve.formulations.common.leaf_accuracy import add_leaf_limits, start_leaf_limits
from exactree.solve.gains import sums_by
from exactree.solve.mip_runs.costs import MipCosts, leaf_size_limits


def kind_of_totals(amounts: Floats) -> Kind:
    """Kind of a column that is a sum of some of these amounts: implied integer only if they are integers."""
    return Kind.IMPLIED if is_integral(amounts.ravel()) else Kind.CONTINUOUS


def add_errors(mip: Mip, costs: MipCosts, reach: Ints, predicts: Ints, *, strengthen: bool) -> Ints:
    """Add ``error[l, c]``, the cost of the rows of class c in leaf l.

    For each label k, with D the sum over rows r of class c of max(0, cost[r, k] - cost[r, j]):
    ``error[l, c] >= sum_r cost[r, k] reach[r, l] - sum_j D[k, j] predicts[l, j]``. If the leaf predicts k this is the
    cost; if it predicts j it is at most the cost. Where all errors cost the same this is one row for each l and c, the
    paper's ``sum_r reach - M predicts[l, c] <= error``. ``strengthen`` adds the unavoidable cost, of rows with
    different labels that no question separates.
    """
    n_leaves, n_classes = predicts.shape
    most = np.array([costs.cost[costs.labels == c].max(axis=1).sum() for c in range(n_classes)])
    error = mip.columns("error", (n_leaves, n_classes), kind=kind_of_totals(costs.cost), high=most[None, :], cost=1.0)
    for c in range(n_classes):
        rows = np.flatnonzero(costs.labels == c)
        for k, cost in _distinct_label_costs(costs.cost[rows]):
            less = np.maximum(cost[:, None] - costs.cost[rows], 0.0).sum(axis=0)
            terms = [(cost[None, :], reach[rows].T), (-less[None, :], predicts), (-1.0, error[:, c])]
            mip.family(f"error_{c}_{k}", terms, at_most=0)
    if strengthen and costs.unavoidable > 0:
        mip.family("unavoidable", [(1, error.reshape(1, -1))], at_least=costs.unavoidable)
    return error


def _distinct_label_costs(cost: Floats) -> list[tuple[int, Floats]]:
    """Labels with a positive cost, those with equal costs once."""
    found: dict[bytes, tuple[int, Floats]] = {}
    for k in range(cost.shape[1]):
        if cost[:, k].any():
            found.setdefault(cost[:, k].tobytes(), (k, cost[:, k]))
    return list(found.values())


def add_leaf_sizes(mip: Mip, problem: Problem, costs: MipCosts, reach: Ints) -> None:
    """Require leaves to be empty or large enough."""
    minima = leaf_size_limits(problem, costs)
    if not minima:
        return
    n_rows, n_leaves = reach.shape
    holds = mip.columns("holds", n_leaves, kind=Kind.INTEGER, high=1, priority=5)
    # holds_any[l]: sum_r reach[r, l] <= R holds[l]
    mip.family("holds_any", [(1, reach.T), (-float(n_rows), holds)], at_most=0)
    for name, amount, least in minima:
        # enough[l]: sum_r amount[r] reach[r, l] >= least holds[l]
        mip.family(f"enough_{name}", [(amount[None, :], reach.T), (-least, holds)], at_least=0)


def add_constraints(mip: Mip, problem: Problem, costs: MipCosts, reach: Ints, predicts: Ints) -> None:
    """Add the constraints, on each leaf as in ``leaf_accuracy``, on predictions as follows.

    A leaf that predicts k adds the coefficients of its rows for k. The positive part of that sum is bounded from below,
    ``more >= sum_r c[r] reach[r, l] - C (1 - predicts[l, k])``, the negative part from above,
    ``fewer <= sum_r c[r] reach[r, l]`` and ``fewer <= C predicts[l, k]``; then ``sum more - sum fewer <= limit``.
    """
    for m, limit in enumerate(problem.on_answers):
        totals: list[Term] = []
        for k, name, part in constraint_terms(problem, limit, costs):
            total = float(part.sum())
            block = mip.columns(f"limit_{m}_{k}_{name}", len(predicts), kind=kind_of_totals(part), high=total)
            terms: list[Term] = [(part[None, :], reach.T), (-1.0, block)]
            if name == "more":
                mip.family(f"limit_{m}_{k}_more", [*terms, (total, predicts[:, k])], at_most=total)
            else:
                mip.family(f"limit_{m}_{k}_fewer", terms, at_least=0)
                mip.family(f"limit_{m}_{k}_only", [(1, block), (-total, predicts[:, k])], at_most=0)
            totals.append((1.0 if name == "more" else -1.0, block[None, :]))
        if totals:
            # Sums of integer coefficients are integers: a limit rounded down is robust to the tolerances of back ends.
            at_most = limit.at_most
            if is_integral(limit.coefficient.ravel()):
                at_most = float(np.floor(at_most + RESOLUTION * max(1.0, at_most)))  # 0.29 * 100 is 28.999999999999996
            mip.family(f"limit_{m}", totals, at_most=at_most)
    add_leaf_limits(mip, problem, costs, reach, predicts)


def constraint_terms(problem: Problem, limit: LinearLimit, costs: MipCosts) -> list[tuple[int, str, Floats]]:
    """Coefficients of a constraint by label: (class, "more" or "fewer", amount of each row), zeros left out."""
    data = problem.data
    merged = len(costs.points) == data.n_points
    coefficient = limit.coefficient
    if merged:
        coefficient = sums_by(data.point_of, limit.coefficient, data.n_points)
    found = []
    for k in range(data.n_classes):
        for name, part in (("more", coefficient[:, k]), ("fewer", -coefficient[:, k])):
            if (part > 0).any():
                found.append((k, name, np.maximum(part, 0.0)))
    return found


def start_leaf_constraints(mip: Mip, problem: Problem, costs: MipCosts, reach: Floats, label: Ints) -> None:
    """Set warm-start values for all of the above, from the routing of rows and the labels of leaves."""
    blocks, n_classes = mip.blocks, costs.n_classes
    if "error" in blocks:
        paid = reach * costs.cost[:, label]
        error = np.stack([paid[costs.labels == c].sum(axis=0) for c in range(n_classes)], axis=1)
        mip.set_start(blocks["error"], error)
    if "holds" in blocks:
        mip.set_start(blocks["holds"], reach.any(axis=0))
    start_leaf_limits(mip, problem, costs, reach)
    for m, limit in enumerate(problem.on_answers):
        for k, name, part in constraint_terms(problem, limit, costs):
            mip.set_start(blocks[f"limit_{m}_{k}_{name}"], (part @ reach) * (label == k))
