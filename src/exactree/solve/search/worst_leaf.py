"""Exact search for worst-leaf objectives, part of the solver ``search``.

The result is a tree with the best possible worst leaf; among these, one with the fewest leaves, and then one with the
fewest errors. The score of a tree is that of its worst leaf, so both sides of a split count: combining the best subtree
of each side by addition would be wrong, for ties as well.
"""

import numpy as np

from exactree import kernel
from exactree.arrays import Floats, Ints
from exactree.errors import SolverBug
from exactree.problem import RESOLUTION, Problem
from exactree.solve.callback import NativeCallback, memory_for, native_callback
from exactree.solve.gains import LARGEST_SUM, impurity_weights, shape_of, sizes_of
from exactree.solve.interface import Budget, Callback, Solution, Status
from exactree.solve.trees.ranked_tree import RankedNode, nodes_of, relabelled, to_graph


def search_worst_leaf(problem: Problem, budget: Budget, callback: Callback | None) -> Solution:
    """Run the kernel; it releases the GIL and reacts to Ctrl-C.

    A search that ends early returns a tree at least as good as CART's.
    """
    weights, unit = integer_weights(problem.data.point_weights)
    least = int(np.ceil(problem.min_leaf_weight / unit * (1 - RESOLUTION)))
    outcome = maximize_worst_leaf(problem, (weights, unit, least), budget, native_callback(callback, _cost))
    model = to_graph(problem, nodes_of(outcome.nodes))
    claimed = _cost(outcome.cost)
    if outcome.status != Status.OPTIMAL.value:
        grown = to_graph(problem, relabelled(problem, _greedy(problem)))
        if not problem.violations(grown) and problem.order(grown) < problem.order(model):
            model, claimed = grown, problem.cost(grown)
    cost = problem.cost(model)
    history = outcome.history
    history[:, 1:] /= kernel.LEAF_COST_UNIT
    history[:, 1] = np.maximum(history[:, 1], cost)  # it is rounded there
    history = np.vstack([history, [history[-1, 0], cost, history[-1, 2]]])
    if (history[:, 2] > cost + 2 / kernel.LEAF_COST_UNIT).any():
        raise SolverBug(f"The search reported a bound of {history[:, 2].max():g}, above the final cost of {cost:g}.")
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


def maximize_worst_leaf(
    problem: Problem, amounts: tuple[Ints, float, int], budget: Budget, callback: NativeCallback | None
) -> kernel.Outcome:
    """Run the kernel with some amounts of points as integers, their unit, and the least amount of a leaf."""
    data, (weights, unit, least) = problem.data, amounts
    max_depth, max_leaves = shape_of(problem)
    return kernel.search_leaves(
        data.ranks,
        data.point_labels,
        weights,
        np.column_stack([data.point_counts, weights]),
        n_classes=data.n_classes,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_rows=problem.limits.min_samples_leaf,
        min_weight=least,
        z=float(problem.objective.z or 0.0),
        unit=unit,
        seconds=budget.seconds,
        memory=memory_for(budget.memory),
        gap=budget.gap,
        callback=callback,
    )


def _greedy(problem: Problem) -> list[RankedNode]:
    """Grow a tree by CART's rule."""
    data = problem.data
    max_depth, max_leaves = shape_of(problem)
    sizes, min_weight = sizes_of(problem)
    grown = kernel.grow(
        data.ranks,
        data.point_labels,
        impurity_weights(problem),
        sizes,
        n_classes=data.n_classes,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_rows=problem.limits.min_samples_leaf,
        min_weight=min_weight,
    )
    return nodes_of(grown.nodes)


def _cost(integer: float) -> float:
    return integer / kernel.LEAF_COST_UNIT


def integer_weights(weights: Floats) -> tuple[Ints, float]:
    """Return weights as integers, and the unit they are counted in."""
    unit = 1.0
    if not np.array_equal(weights, np.rint(weights)):
        unit = float(2.0 ** np.ceil(np.log2(weights.sum() / LARGEST_SUM)))
    return np.rint(weights / unit).astype(np.int64), unit
