"""What all tree programs share once rows are routed: what answers cost, how large leaves are, limits on answers.

``reach[r, l]`` is 1 if row r ends in leaf l, ``says[l, k]`` is 1 if leaf l answers class k.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import Kind, Mip, Term
from exactree.mip.program import whole
from exactree.problem import RESOLUTION, LinearLimit, Problem
from exactree.solve.formulations.common.leaf_accuracy import add_leaf_limits, write_leaf_limits
from exactree.solve.mip_runs.costs import Costs, leaf_sizes


def kind_of_sums(amounts: Floats) -> Kind:
    """Kind of a column that is a sum of some of these amounts: whole anyway only if they are."""
    return Kind.IMPLIED if whole(amounts.ravel()) else Kind.CONTINUOUS


def add_errors(mip: Mip, costs: Costs, reach: Ints, says: Ints, *, strengthen: bool) -> Ints:
    """Add ``error[l, c]``, the cost of the rows of class c in leaf l.

    For each answer k, with D the sum over rows r of class c of max(0, cost[r, k] - cost[r, j]):
    ``error[l, c] >= sum_r cost[r, k] reach[r, l] - sum_j D[k, j] says[l, j]``. If the leaf answers k this is the cost;
    if it answers j it is not more than the cost. Where all mistakes cost the same this is one row for each l and c,
    the paper's ``sum_r reach - M says[l, c] <= error``. ``strengthen`` adds what no tree can avoid: rows that no
    question parts and that want different answers.
    """
    n_leaves, n_classes = says.shape
    most = np.array([costs.cost[costs.labels == c].max(axis=1).sum() for c in range(n_classes)])
    error = mip.columns("error", (n_leaves, n_classes), kind=kind_of_sums(costs.cost), high=most[None, :], cost=1.0)
    for c in range(n_classes):
        rows = np.flatnonzero(costs.labels == c)
        for k, cost in _answers(costs.cost[rows]):
            less = np.maximum(cost[:, None] - costs.cost[rows], 0.0).sum(axis=0)
            terms = [(cost[None, :], reach[rows].T), (-less[None, :], says), (-1.0, error[:, c])]
            mip.family(f"error_{c}_{k}", terms, at_most=0)
    if strengthen and costs.unavoidable > 0:
        mip.family("unavoidable", [(1, error.reshape(1, -1))], at_least=costs.unavoidable)
    return error


def _answers(cost: Floats) -> list[tuple[int, Floats]]:
    """Answers that cost something, those with the same costs once."""
    found: dict[bytes, tuple[int, Floats]] = {}
    for k in range(cost.shape[1]):
        if cost[:, k].any():
            found.setdefault(cost[:, k].tobytes(), (k, cost[:, k]))
    return list(found.values())


def add_sizes(mip: Mip, problem: Problem, costs: Costs, reach: Ints) -> None:
    """Let leaves be empty or large enough."""
    wanted = leaf_sizes(problem, costs)
    if not wanted:
        return
    n_rows, n_leaves = reach.shape
    holds = mip.columns("holds", n_leaves, kind=Kind.INTEGER, high=1, priority=5)
    # holds_any[l]: sum_r reach[r, l] <= R holds[l]
    mip.family("holds_any", [(1, reach.T), (-float(n_rows), holds)], at_most=0)
    for name, amount, least in wanted:
        # enough[l]: sum_r amount[r] reach[r, l] >= least holds[l]
        mip.family(f"enough_{name}", [(amount[None, :], reach.T), (-least, holds)], at_least=0)


def add_limits(mip: Mip, problem: Problem, costs: Costs, reach: Ints, says: Ints) -> None:
    """Add the constraints, on each leaf as in ``leaf_limits``, on answers as follows.

    A leaf that answers k adds the coefficients of its rows for k. The positive part of that sum is held from below,
    ``more >= sum_r c[r] reach[r, l] - C (1 - says[l, k])``, the negative from above,
    ``fewer <= sum_r c[r] reach[r, l]`` and ``fewer <= C says[l, k]``; then ``sum more - sum fewer <= limit``.
    """
    for m, limit in enumerate(problem.on_answers):
        totals: list[Term] = []
        for k, name, part in parts_of(problem, limit, costs):
            total = float(part.sum())
            block = mip.columns(f"limit_{m}_{k}_{name}", len(says), kind=kind_of_sums(part), high=total)
            terms: list[Term] = [(part[None, :], reach.T), (-1.0, block)]
            if name == "more":
                mip.family(f"limit_{m}_{k}_more", [*terms, (total, says[:, k])], at_most=total)
            else:
                mip.family(f"limit_{m}_{k}_fewer", terms, at_least=0)
                mip.family(f"limit_{m}_{k}_only", [(1, block), (-total, says[:, k])], at_most=0)
            totals.append((1.0 if name == "more" else -1.0, block[None, :]))
        if totals:
            # Sums of whole coefficients stay below the next whole number: a wider step for back ends that round.
            at_most = limit.at_most
            if whole(limit.coefficient.ravel()):
                at_most = float(np.floor(at_most + RESOLUTION * max(1.0, at_most)))  # 0.29 * 100 is 28.999999999999996
            mip.family(f"limit_{m}", totals, at_most=at_most)
    add_leaf_limits(mip, problem, costs, reach, says)


def parts_of(problem: Problem, limit: LinearLimit, costs: Costs) -> list[tuple[int, str, Floats]]:
    """Coefficients of a limit for each answer, (class, "more" or "fewer", amount of each row), zeros left out."""
    data = problem.data
    merged = len(costs.points) == data.n_points
    coefficient = limit.coefficient
    if merged:
        coefficient = np.zeros((data.n_points, data.n_classes))
        np.add.at(coefficient, data.point_of, limit.coefficient)
    found = []
    for k in range(data.n_classes):
        for name, part in (("more", coefficient[:, k]), ("fewer", -coefficient[:, k])):
            if (part > 0).any():
                found.append((k, name, np.maximum(part, 0.0)))
    return found


def write_answers(mip: Mip, problem: Problem, costs: Costs, reach: Floats, label: Ints) -> None:
    """Suggest values for all of the above that follow from where rows are and what leaves say."""
    blocks, n_classes = mip.blocks, costs.n_classes
    if "error" in blocks:
        paid = reach * costs.cost[:, label]
        error = np.stack([paid[costs.labels == c].sum(axis=0) for c in range(n_classes)], axis=1)
        mip.suggest(blocks["error"], error)
    if "holds" in blocks:
        mip.suggest(blocks["holds"], reach.any(axis=0))
    write_leaf_limits(mip, problem, costs, reach)
    for m, limit in enumerate(problem.on_answers):
        for k, name, part in parts_of(problem, limit, costs):
            mip.suggest(blocks[f"limit_{m}_{k}_{name}"], (part @ reach) * (label == k))
