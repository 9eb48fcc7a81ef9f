"""Trees to start a program from: the caller's, one grown by CART's rule, or the best that the search finds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from exactree.errors import InputError
from exactree.model import Graph
from exactree.problem import Objective, Problem, accuracy, leaf_accuracy
from exactree.solve.interface import Budget, Status
from exactree.solve.mip_runs.constrained_labels import answered
from exactree.solve.search.trees import Search
from exactree.solve.trees.ranked_tree import RankedNode, from_graph, reached, to_graph

WARM_STARTS = ("cart", "search", None)
SEARCH_SHARE = 0.25  # of the time, for a start by search


def check_warm_start(warm_start: str | None) -> None:
    """Refuse an unknown way to start."""
    if not (warm_start is None or isinstance(warm_start, str)) or warm_start not in WARM_STARTS:
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
        searched = Budget(seconds, budget.memory, budget.threads)
        free = Problem(problem.data, _grown_for(problem, warm_start), problem.limits)
        # Without any time the search returns what CART's rule grows.
        found = Search().solve(free, searched)
        candidates.append(_nodes(problem, found.model))
        bound = found.bound if problem.constraints and warm_start == "search" else 0.0
        interrupted = found.status is Status.INTERRUPTED
        if (
            warm_start == "search"
            and problem.on_leaves
            and not interrupted
            and _cheapest(problem, budget, candidates) is None
        ):
            found = Search().solve(_for_worst_leaf(problem), searched)
            candidates.append(_nodes(problem, found.model))
            interrupted = found.status is Status.INTERRUPTED
    return Start(_cheapest(problem, budget, candidates), bound, interrupted)


def _cheapest(
    problem: Problem, budget: Budget, candidates: Sequence[list[RankedNode] | None]
) -> list[RankedNode] | None:
    """Of some trees the cheapest that is allowed.

    What constraints on each leaf forbid is cut off first, and leaves get answers that hold those on all answers.
    """
    best: list[RankedNode] | None = None
    cost = np.inf
    for nodes in candidates:
        if nodes is not None and problem.on_leaves:
            nodes = pruned(problem, nodes)
        elif nodes is not None and problem.on_answers:
            nodes = answered(problem, nodes, budget.seconds)
        if nodes is None:
            continue
        model = to_graph(problem, nodes)
        if not problem.violations(model) and problem.cost(model) < cost:
            best, cost = nodes, problem.cost(model)
    return best


def pruned(problem: Problem, nodes: Sequence[RankedNode]) -> list[RankedNode] | None:
    """Cut branches off a tree so that every leaf is allowed and it costs least; ``None`` if that cannot be.

    Where a leaf is not accurate enough, the one that its branch would be without a question may be.
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
    """Nodes that the root leads to, root first."""
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
    """The best worst leaf, without constraints: if any tree has leaves as demanded, that one mostly has."""
    limits = replace(problem.limits, ccp_alpha=0.0)
    return Problem(problem.data, leaf_accuracy(problem.data), limits)


def _grown_for(problem: Problem, warm_start: str) -> Objective:
    """CART's rule is for accuracy; the search for the worst leaf has no such tree to return at once."""
    return accuracy(problem.data) if warm_start == "cart" and problem.objective.is_worst_leaf else problem.objective


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
