"""Trees to start a program from: the caller's, one grown by CART's rule, or the best that the search finds."""

from dataclasses import dataclass

import numpy as np

from exactree.errors import InputError
from exactree.model import Graph
from exactree.problem import Objective, Problem, accuracy
from exactree.solve.interface import Budget, Status
from exactree.solve.ranked_tree import RankedNode, from_graph, to_graph
from exactree.solve.search import Search

WARM_STARTS = ("cart", "search", None)
SEARCH_SHARE = 0.25  # of the time, for a start by search


def check_warm_start(warm_start: str | None) -> None:
    """Refuse an unknown way to start."""
    if warm_start not in WARM_STARTS:
        raise InputError(f"warm_start must be 'cart', 'search' or None; got {warm_start!r}.")


@dataclass(frozen=True, slots=True)
class Start:
    """A tree to start from, if the constraints allow one at hand, and a bound that holds with and without them."""

    nodes: list[RankedNode] | None
    bound: float = 0.0
    interrupted: bool = False  # Ctrl-C while the search looked for it


def start_of(problem: Problem, budget: Budget, warm_start: str | None, given: Graph | None) -> Start:
    """Return the cheapest allowed tree among those at hand.

    Search cannot hold constraints, but what it proves without them is a bound with them. Where there are none, its
    bound is not used: a program shall prove by itself.
    """
    bound, interrupted = 0.0, False
    candidates = [lone_leaf(problem)]
    if given is not None:
        candidates.append(_nodes(problem, given))
    if warm_start is not None:
        seconds = 0.0 if warm_start == "cart" else None
        if seconds is None and budget.seconds is not None:
            seconds = SEARCH_SHARE * budget.seconds
        free = Problem(problem.data, _grown_for(problem, warm_start), problem.limits)
        # Without any time the search returns what CART's rule grows.
        found = Search().solve(free, Budget(seconds, budget.memory, budget.threads))
        candidates.append(_nodes(problem, found.model))
        bound = found.bound if problem.constraints and warm_start == "search" else 0.0
        interrupted = found.status is Status.INTERRUPTED
    best: list[RankedNode] | None = None
    cost = np.inf
    for nodes in candidates:
        if nodes is None:
            continue
        model = to_graph(problem, nodes)
        if not problem.violations(model) and problem.cost(model) < cost:
            best, cost = nodes, problem.cost(model)
    return Start(best, bound, interrupted)


def _grown_for(problem: Problem, warm_start: str) -> Objective:
    """CART's rule is for accuracy; the search for the worst leaf has no such tree to return at once."""
    return accuracy(problem.data) if warm_start == "cart" and problem.objective.z is not None else problem.objective


def lone_leaf(problem: Problem) -> list[RankedNode] | None:
    """Return the cheapest leaf that the constraints allow."""
    data = problem.data
    costs = problem.objective.leaf_costs(data.class_weight(np.arange(data.n_points)))
    for k in np.argsort(costs, kind="stable").tolist():
        nodes = [RankedNode(-1, -1, -1, -1, k)]
        if not problem.violations(to_graph(problem, nodes)):
            return nodes
    return None


def _nodes(problem: Problem, graph: Graph) -> list[RankedNode] | None:
    """Nodes of a tree in the terms of the data, with its labels; ``None`` if the data has no such questions."""
    ranked = from_graph(problem, graph)
    if ranked is None:
        return None
    nodes = [RankedNode(*row) for row in ranked.tolist()]
    return [node._replace(label=int(label)) for node, label in zip(nodes, graph.label, strict=True)]
