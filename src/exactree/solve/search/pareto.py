"""The Pareto front of worst leaf and errors: every tree that no other dominates, with a proof for each.

A tree joins a subtree for each side of its first question: its worst leaf is the worse of theirs, its errors are the
sum of theirs. Only subtrees that no other dominates matter, so the front of the whole follows from the fronts of the
sides. Two searches for a single tree, with the fewest errors and with the best worst leaf, give the ends of the front.
They run first where the front takes long, since they rule out much in between, and otherwise when time runs out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from exactree import kernel
from exactree.arrays import Int32s
from exactree.errors import SolverBug
from exactree.model import Graph
from exactree.problem import RESOLUTION, Problem, accuracy
from exactree.solve.callback import memory_for
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Status
from exactree.solve.search.trees import Search
from exactree.solve.search.worst_leaf import integer_weights
from exactree.solve.trees.ranked_tree import from_graph, nodes_of, to_graph

END_SHARE = 0.2  # of the time, for each end of the front
# On 10,000 rows with 32 thresholds in each of ten columns the front of depth three takes 0.7 s, its ends 1 s each.
QUICK_DEPTH = 3

Nodes = Int32s  # (n_nodes, 5)


@dataclass(frozen=True, slots=True, eq=False)
class FrontTree:
    """One tree of the front."""

    worst: float  # score of the worst leaf
    wrong: float  # weight of the errors
    proved: bool  # no allowed tree is as good in both and better in one
    model: Graph


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """The front, from the fewest errors to the best worst leaf."""

    status: Status
    trees: tuple[FrontTree, ...]


def search_front(problem: Problem, budget: Budget) -> Front:
    """Find the front of a problem with a worst-leaf objective; the kernel reacts to Ctrl-C and to the time limit."""
    begin = perf_counter()
    if _quick(problem):
        outcome = _run(problem, [], replace(budget, seconds=_share(budget, 1 - 2 * END_SHARE)))
        if outcome.status == Status.TIME_LIMIT.value:
            ends, interrupted = _ends(problem, budget)
            status = Status.INTERRUPTED if interrupted else Status.TIME_LIMIT
            found = [np.array(point.nodes) for point in outcome.points]
            return _front(problem, _run(problem, [*ends, *found], Budget(seconds=0.0)), status)
        return _front(problem, outcome, Status(outcome.status))
    ends, interrupted = _ends(problem, budget)
    left = None if budget.seconds is None else max(0.0, budget.seconds - (perf_counter() - begin))
    outcome = _run(problem, ends, replace(budget, seconds=0.0 if interrupted else left))
    return _front(problem, outcome, Status.INTERRUPTED if interrupted else Status(outcome.status))


def _quick(problem: Problem) -> bool:
    """Whether the front takes hardly longer than its ends: shallow trees, and columns of few ranks."""
    few = all(column.n_ranks <= kernel.FEW_RANKS for column in problem.data.columns)
    return few and shape_of(problem)[0] <= QUICK_DEPTH


def _share(budget: Budget, share: float) -> float | None:
    return None if budget.seconds is None else share * budget.seconds


def _ends(problem: Problem, budget: Budget) -> tuple[list[Nodes], bool]:
    """Return the trees at the ends of the front, or the best found in a share of the time; and whether Ctrl-C came."""
    share = replace(budget, seconds=_share(budget, END_SHARE), gap=0.0)
    trees = []
    for end in (replace(problem, objective=accuracy(problem.data)), problem):
        solution = Search().solve(end, share)
        if (nodes := from_graph(problem, solution.model)) is not None:
            trees.append(nodes)
        if solution.status is Status.INTERRUPTED:
            return trees, True
    return trees, False


def _run(problem: Problem, starts: Sequence[Nodes], budget: Budget) -> kernel.FrontOutcome:
    data = problem.data
    max_depth, max_leaves = shape_of(problem)
    weights, unit = integer_weights(data.point_weights)
    return kernel.search_front(
        data.ranks,
        data.point_labels,
        weights,
        np.column_stack([data.point_counts, weights]),
        n_classes=data.n_classes,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_rows=problem.limits.min_samples_leaf,
        min_weight=int(np.ceil(problem.min_leaf_weight / unit * (1 - RESOLUTION))),
        z=float(problem.objective.z or 0.0),
        unit=unit,
        starts=starts,
        seconds=budget.seconds,
        memory=memory_for(budget.memory),
    )


def _front(problem: Problem, outcome: kernel.FrontOutcome, status: Status) -> Front:
    trees: list[FrontTree] = []
    for tree in (_checked(problem, point) for point in outcome.points):
        # Two leaves with the same label become one, which may score more than the worse of them.
        if not trees or tree.worst > trees[-1].worst + RESOLUTION:
            trees.append(tree)
    return Front(status, tuple(trees))


def _checked(problem: Problem, point: kernel.FrontPoint) -> FrontTree:
    """Score a tree again: no claim of a solver is taken on trust."""
    model = to_graph(problem, nodes_of(point.nodes))
    if broken := problem.violations(model):
        raise SolverBug(f"The search for the curve returned a model that is not allowed: {'; '.join(broken)}.")
    cost, _, wrong = problem.order(model)
    worst, noise = 1.0 - cost, problem.tolerance
    as_claimed = abs(worst - point.score) <= noise if point.proved else worst >= point.score - noise
    if not as_claimed or abs(wrong - point.wrong) > RESOLUTION * problem.total_weight:
        raise SolverBug(
            f"The search for the curve claimed a worst leaf of {point.score:g} and errors of {point.wrong:g}; on the "
            f"same rows its model has {worst:g} and {wrong:g}."
        )
    return FrontTree(worst, wrong, point.proved, model)
