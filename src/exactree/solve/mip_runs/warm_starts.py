"""Warm starts of a MIP: the caller's tree, one grown by CART's rule, or the best that the search finds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from exactree.errors import InputError
from exactree.model import Graph
from exactree.problem import Objective, Problem, accuracy, leaf_accuracy
from exactree.solve.interface import Budget, Status
from exactree.solve.mip_runs.constrained_labels import with_feasible_labels
from exactree.solve.search.trees import Search
from exactree.solve.trees.ranked_tree import RankedNode, from_graph, reached, to_graph

WARM_STARTS = ("cart", "search", None)
SEARCH_SHARE = 0.25  # of the time, for a warm start by search


def check_warm_start(warm_start: str | None) -> None:
    """Refuse an unknown option."""
    if not (warm_start is None or isinstance(warm_start, str)) or warm_start not in WARM_STARTS:
        raise InputError(f"warm_start must be 'cart', 'search' or None; got {warm_start!r}.")


@dataclass(frozen=True, slots=True)
class WarmStart:
    """A tree to start from, if one satisfies the constraints, and a bound that holds with and without them."""

    nodes: list[RankedNode] | None
    bound: float = 0.0
    interrupted: bool = False  # Ctrl-C during the search
    search_bound: float = 0.0  # of the search, for a caller that proves nothing over all trees itself


def find_warm_start(problem: Problem, budget: Budget, warm_start: str | None, given: Graph | None) -> WarmStart:
    """Return the cheapest feasible tree among the candidates.

    The search runs without the constraints: its bound is one with them, and what remains is for the MIP. Where there
    are none, its bound is not used: the MIP is to be proved by its own back end.
    """
    deadline = None if budget.seconds is None else monotonic() + budget.seconds
    bound, search_bound, interrupted = 0.0, 0.0, False
    candidates = [single_leaf(problem)]
    if given is not None:
        candidates.append(_nodes(problem, given))
    if warm_start is not None:
        seconds = 0.0 if warm_start == "cart" else None
        if seconds is None and budget.seconds is not None:
            seconds = SEARCH_SHARE * budget.seconds
        searched = Budget(seconds, budget.memory, budget.threads)
        free = Problem(problem.data, _search_objective(problem, warm_start), problem.limits)
        # With a time limit of 0 the search returns the tree of CART's rule.
        found = Search().solve(free, searched)
        candidates.append(_nodes(problem, found.model))
        search_bound = 0.0 if problem.objective.is_worst_leaf else found.bound
        bound = search_bound if problem.constraints and warm_start == "search" else 0.0
        interrupted = found.status is Status.INTERRUPTED
        if (
            warm_start == "search"
            and problem.on_leaves
            and not interrupted
            and _cheapest(problem, deadline, candidates) is None
        ):
            found = Search().solve(_for_worst_leaf(problem), searched)
            candidates.append(_nodes(problem, found.model))
            interrupted = found.status is Status.INTERRUPTED
    return WarmStart(_cheapest(problem, deadline, candidates), bound, interrupted, search_bound)


def _cheapest(
    problem: Problem, deadline: float | None, candidates: Sequence[list[RankedNode] | None]
) -> list[RankedNode] | None:
    """The cheapest feasible tree of some.

    Leaves that violate constraints on each leaf are pruned first; constraints on all predictions change labels.
    """
    best: list[RankedNode] | None = None
    cost = np.inf
    for nodes in candidates:
        if nodes is not None and problem.on_leaves:
            nodes = pruned(problem, nodes)
        elif nodes is not None and problem.on_answers:
            left = None if deadline is None else max(0.0, deadline - monotonic())
            nodes = with_feasible_labels(problem, nodes, left)
        if nodes is None:
            continue
        model = to_graph(problem, nodes)
        if not problem.violations(model) and problem.cost(model) < cost:
            best, cost = nodes, problem.cost(model)
    return best


def pruned(problem: Problem, nodes: Sequence[RankedNode]) -> list[RankedNode] | None:
    """Prune a tree to the cheapest one whose every leaf is feasible; ``None`` if there is none.

    Where a leaf is not accurate enough, its parent as a leaf may be.
    """
    points = reached(problem.data, nodes)
    cost, kept = [np.inf] * len(nodes), list(nodes)
    for at in reversed(range(len(nodes))):
        node = nodes[at]
        costs = problem.objective.leaf_costs(problem.data.class_weight(points[at])) + problem.leaf_price
        costs = np.where(problem.allowed_answers(points[at]), costs, np.inf)
        cost[at] = float(costs.min())
        if node.column >= 0 and cost[node.yes] + cost[node.no] < cost[at]:
            cost[at] = cost[node.yes] + cost[node.no]
        else:
            kept[at] = RankedNode(-1, -1, -1, -1, int(costs.argmin()))
    return _renumbered(kept) if np.isfinite(cost[0]) else None


def _renumbered(nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Nodes reachable from the root, root first."""
    written: list[RankedNode] = []

    def write(at: int) -> int:
        number, node = len(written), nodes[at]
        written.append(node)
        if node.column >= 0:
            written[number] = node._replace(yes=write(node.yes), no=write(node.no))
        return number

    write(0)
    return written


def _for_worst_leaf(problem: Problem) -> Problem:
    """The problem of the best worst leaf, without constraints: its tree is mostly feasible, if any is."""
    limits = replace(problem.limits, ccp_alpha=0.0)
    return Problem(problem.data, leaf_accuracy(problem.data), limits)


def _search_objective(problem: Problem, warm_start: str) -> Objective:
    """Objective of the search: CART's rule is for accuracy, and the worst-leaf search has no tree to return at once."""
    return accuracy(problem.data) if warm_start == "cart" and problem.objective.is_worst_leaf else problem.objective


def single_leaf(problem: Problem) -> list[RankedNode] | None:
    """Return the cheapest feasible tree of a single leaf."""
    data = problem.data
    costs = problem.objective.leaf_costs(data.class_weight(np.arange(data.n_points)))
    for k in np.argsort(costs, kind="stable").tolist():
        nodes = [RankedNode(-1, -1, -1, -1, k)]
        if not problem.violations(to_graph(problem, nodes)):
            return nodes
    return None


def _nodes(problem: Problem, graph: Graph) -> list[RankedNode] | None:
    """Nodes of a tree by the ranks of the data, with its labels; ``None`` if the data lacks its questions."""
    ranked = from_graph(problem, graph)
    if ranked is None:
        return None
    nodes = [RankedNode(*row) for row in ranked.tolist()]
    return [node._replace(label=int(label)) for node, label in zip(nodes, graph.label, strict=True)]
