"""What the kernel's listing reads beside the relaxed problem: for each row costs, sums, and what leaf limits count."""

from math import inf, isfinite
from typing import Any

import numpy as np

from exactree.arrays import Ints
from exactree.problem import DiagramProblem, LeafLimit, Problem
from exactree.solve.gains import LARGEST_SUM, Gains, shape_of, sizes_of
from exactree.solve.search.constrained.amounts import UNLIMITED, GroupAmounts
from exactree.solve.search.constrained.relaxation import RelaxedGains

WHOLE_STEP = 0.999  # by which integer costs differ at least


def listing_arguments(problem: Problem, amounts: GroupAmounts, gains: Gains) -> dict[str, Any]:
    """Arguments of ``kernel.search_constrained`` that describe the problem."""
    return _row_arguments(problem, amounts, gains) | rule_arguments(problem, amounts) | {"leaf_price": gains.price}


def rule_arguments(problem: Problem, amounts: GroupAmounts) -> dict[str, Any]:
    """Arguments of both native searches for trees: what a tree must be."""
    max_depth, max_leaves = shape_of(problem)
    _, min_weight = sizes_of(problem)
    return _sum_arguments(problem, amounts) | {
        "max_depth": max_depth,
        "max_leaves": max_leaves,
        "min_rows": problem.limits.min_samples_leaf,
        "min_weight": min_weight,
        "channel_price": round(problem.leaf_price * amounts.cost_scale),
        "leaf_limits": [_leaf_limit(problem, amounts, limit) for limit in problem.limits_on_leaves],
    }


def diagram_listing_arguments(problem: DiagramProblem, amounts: GroupAmounts, gains: Gains) -> dict[str, Any]:
    """Arguments of ``kernel.search_constrained_diagrams`` that describe the problem."""
    limits = problem.limits
    return (
        _row_arguments(problem, amounts, gains)
        | _sum_arguments(problem, amounts)
        | {
            "widths": list(limits.widths),
            "max_nodes": limits.most_nodes,
            "min_rows": limits.min_samples_node,
            "min_weight": gains.min_weight,
            "node_price": gains.price,
            "channel_price": round(problem.node_price * amounts.cost_scale),
            "tree": limits.tree,
        }
    )


def level_arguments(
    problem: Problem | DiagramProblem, amounts: GroupAmounts, written: RelaxedGains, bound: float, cost: float
) -> dict[str, Any]:
    """Arguments that say which relaxed costs a cost allows, and which costs are known."""
    gains, scale = written.gains, amounts.cost_scale
    return {
        "ratio": gains.scale / scale,
        "shift": gains.scale * written.constant - gains.offset + written.rounding,
        "step": step_of(problem, amounts),
        "known_bound": bound * scale,
        "known_cost": cost * scale if isfinite(cost) else inf,
    }


def step_of(problem: Problem | DiagramProblem, amounts: GroupAmounts) -> float:
    """Least difference of costs, in units of the kernel; any will do where nothing costs anything."""
    return WHOLE_STEP if amounts.is_whole else problem.tolerance * amounts.cost_scale or WHOLE_STEP


def _row_arguments(problem: Problem | DiagramProblem, amounts: GroupAmounts, gains: Gains) -> dict[str, Any]:
    return {
        "ranks": gains.ranks,
        "labels": gains.labels,
        "gains": gains.gains,
        "bases": gains.bases,
        "sizes": gains.sizes,
        "channels": _row_channels(problem, amounts, gains),
    }


def _sum_arguments(problem: Problem | DiagramProblem, amounts: GroupAmounts) -> dict[str, Any]:
    return {
        "least": np.array([max(least, -UNLIMITED) for least in amounts.least], dtype=np.int64),
        "most": np.array([min(most, UNLIMITED) for most in amounts.most], dtype=np.int64),
        "n_classes": problem.data.n_classes,
        "soft": _soft(problem, amounts),
    }


def group_channels(problem: Problem, amounts: GroupAmounts) -> Ints:
    """Channels of all groups, then their rows and, if leaves have a least weight, their weight."""
    sizes, min_weight = sizes_of(problem)
    by_group = np.zeros((amounts.n_groups, 2 if min_weight > 0 else 1), dtype=np.int64)
    np.add.at(by_group, problem.data.point_groups, sizes[:, : by_group.shape[1]])
    return np.hstack([_channels(problem, amounts), by_group])


def _row_channels(problem: Problem | DiagramProblem, amounts: GroupAmounts, gains: Gains) -> Ints:
    """Channels of all groups at their first rows, zeros elsewhere."""
    by_group = _channels(problem, amounts)
    channels = np.zeros((len(gains.labels), by_group.shape[1]), np.int64)
    channels[_first_rows(gains)] = by_group
    return channels


def _channels(problem: Problem | DiagramProblem, amounts: GroupAmounts) -> Ints:
    """Channels of all groups, (n_groups, n_channels)."""
    costs = np.rint(amounts.costs * amounts.cost_scale).astype(np.int64)
    by_label = np.concatenate([costs[:, :, None], amounts.sums], axis=2).reshape(amounts.n_groups, -1)
    return np.hstack([by_label, *(_units(problem, amounts, limit) for limit in amounts.on_leaves)])


def _first_rows(gains: Gains) -> Ints:
    """Return the row of each group that carries its size: rows of a group follow each other."""
    return np.flatnonzero(gains.sizes[:, 0] > 0)


def _units(problem: Problem | DiagramProblem, amounts: GroupAmounts, limit: LeafLimit) -> Ints:
    """Units of each class in each group, (n_groups, n_classes), as integers."""
    places = amounts.group_of_row * amounts.n_classes + problem.data.labels
    units = np.bincount(places, weights=limit.amount, minlength=amounts.n_groups * amounts.n_classes)
    return np.asarray(np.rint(units.reshape(amounts.n_groups, -1) * _scale_of(limit)), dtype=np.int64)


def _scale_of(limit: LeafLimit) -> float:
    return 1.0 if limit.whole else float(2.0 ** np.floor(np.log2(LARGEST_SUM / limit.total)))


def _leaf_limit(problem: Problem, amounts: GroupAmounts, limit: LeafLimit) -> tuple[float, ...]:
    """Fields of the kernel's LeafLimit."""
    scale, (costs, earns) = _scale_of(limit), limit.odds
    price = inf if limit.price is None else round(problem.price_of(limit) * amounts.cost_scale)
    return costs, earns, limit.noise * scale, limit.small * scale, limit.errors * scale, float(price)


def _soft(
    problem: Problem | DiagramProblem, amounts: GroupAmounts
) -> list[tuple[float, list[tuple[int, float, float, float]]]]:
    """Price, and (sum, sign, at_most, unit) of each limit, for each soft limit."""
    return [
        (
            soft.price * amounts.cost_scale,
            [(side.sum, float(side.sign), side.at_most, side.unit) for side in amounts.sides if side.soft == number],
        )
        for number, soft in enumerate(problem.soft)
    ]
