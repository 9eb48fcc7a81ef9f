"""Exact search for the tree whose worst leaf is worth most: part of the solver ``search``.

Of the trees with the best worst leaf the one with the fewest leaves is returned, and of those the one with the most
right answers. A tree is never worth more than its worst leaf, so both sides of a split must be good: a search that
takes the best of each side by itself and adds up would be wrong here, also for what decides between equals.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exactree import kernel
from exactree.errors import SolverBug
from exactree.problem import RESOLUTION, Problem
from exactree.solve.callback import memory_for, native_callback
from exactree.solve.gains import LARGEST_SUM, shape_of
from exactree.solve.interface import Budget, Callback, Solution, Status
from exactree.solve.trees.ranked_tree import RankedNode, relabelled, to_graph


def search_worst_leaf(
    problem: Problem, budget: Budget, callback: Callback | None, grow: Callable[[Problem], NDArray[np.int32]]
) -> Solution:
    """Run the kernel; it releases the GIL and answers Ctrl-C. ``grow`` grows a tree by CART's rule.

    A search that ends early does not return less than CART would.
    """
    data, limits = problem.data, problem.limits
    max_depth, max_leaves = shape_of(problem)
    weights, unit = whole_weights(data.point_weights)
    least = int(np.ceil(problem.min_leaf_weight / unit * (1 - RESOLUTION)))
    outcome = kernel.search_leaves(
        data.ranks,
        data.point_labels,
        weights,
        np.column_stack([data.point_counts, weights]),
        n_classes=data.n_classes,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_rows=limits.min_samples_leaf,
        min_weight=least,
        z=float(problem.objective.z or 0.0),
        unit=unit,
        seconds=budget.seconds,
        memory=memory_for(budget.memory),
        gap=budget.gap,
        callback=native_callback(callback, _cost),
    )
    model = to_graph(problem, [RankedNode(*node) for node in outcome.nodes.tolist()])
    claimed = _cost(outcome.cost)
    if outcome.status != Status.OPTIMAL.value:
        grown = to_graph(problem, relabelled(problem, [RankedNode(*node) for node in grow(problem).tolist()]))
        if not problem.violations(grown) and problem.order(grown) < problem.order(model):
            model, claimed = grown, problem.cost(grown)
    cost = problem.cost(model)
    history = outcome.history
    history[:, 1:] /= kernel.LEAF_COST_UNIT
    history[:, 1] = np.maximum(history[:, 1], cost)  # it is rounded there
    history = np.vstack([history, [history[-1, 0], cost, history[-1, 2]]])
    if (history[:, 2] > cost + 2 / kernel.LEAF_COST_UNIT).any():
        raise SolverBug(f"The search stated a bound of {history[:, 2].max():g} on its way to a cost of {cost:g}.")
    history[:, 2] = np.minimum(history[:, 2], cost)
    return Solution.checked(
        problem,
        model,
        status=Status(outcome.status),
        claimed=claimed,
        bound=_cost(outcome.bound),
        history=history,
        counters=outcome.counters,
    )


def _cost(whole: float) -> float:
    return whole / kernel.LEAF_COST_UNIT


def whole_weights(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    """Weights as whole numbers, and what one is."""
    unit = 1.0
    if not np.array_equal(weights, np.rint(weights)):
        unit = float(2.0 ** np.ceil(np.log2(weights.sum() / LARGEST_SUM)))
    return np.rint(weights / unit).astype(np.int64), unit
