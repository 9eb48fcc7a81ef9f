"""Diagrams to start from: grown layer by layer with the least entropy, sides joined where a layer is too narrow."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.problem import DiagramProblem
from exactree.solve.ranked_diagram import PASS, diagram_to_graph, in_order, tidied
from exactree.solve.ranked_tree import RankedNode

Points = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Construction:
    """The cheapest diagram that was built, if the constraints allow one, and what it took."""

    nodes: list[RankedNode] | None
    cost: float
    starts: int
    seconds: float
    interrupted: bool = False


def constructed(
    problem: DiagramProblem,
    seconds: float | None,
    *,
    starts: int = 1000,
    given: Sequence[RankedNode] | None = None,
) -> Construction:
    """Build diagrams for some time and return the cheapest that is allowed."""
    begun = time.monotonic()
    candidates = [[RankedNode(-1, 0, -1, -1, label)] for label in range(problem.data.n_classes)]
    candidates += [] if given is None else [list(given)]
    if problem.data.columns and starts > 0 and (seconds is None or seconds > 0):
        candidates.append(improved(problem, _grown(problem)))
    best: list[RankedNode] | None = None
    cost = np.inf
    for nodes in candidates:
        model = diagram_to_graph(problem, nodes)
        if not problem.violations(model) and problem.cost(model) < cost:
            best, cost = nodes, problem.cost(model)
    return Construction(best, cost, min(starts, 1), time.monotonic() - begun)


def improved(problem: DiagramProblem, nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Cut nodes off as long as that makes a diagram cheaper."""
    nodes = tidied(problem, nodes)
    cost = problem.cost(diagram_to_graph(problem, nodes))
    changed = True
    while changed:
        changed = False
        for at in range(len(nodes) - 1, -1, -1):
            if nodes[at].column < 0:
                continue
            for label in range(problem.data.n_classes):
                cut = tidied(problem, _without(nodes, at, label))
                model = diagram_to_graph(problem, cut)
                if problem.cost(model) < cost - problem.tolerance and not problem.violations(model):
                    nodes, cost, changed = cut, problem.cost(model), True
                    break
            if changed:
                break
    return nodes


def _without(nodes: Sequence[RankedNode], at: int, label: int) -> list[RankedNode]:
    """Return the diagram with a leaf in place of a node."""
    changed = list(nodes)
    changed[at] = RankedNode(-1, 0, -1, -1, label)
    return [changed[0]] if at == 0 else in_order(changed)


def _grown(problem: DiagramProblem) -> list[RankedNode]:
    """Grow one diagram: the best question at every node, then the cheapest joins."""
    limits, n_classes = problem.limits, problem.data.n_classes
    nodes: list[RankedNode] = []
    layer: list[Points] = [np.arange(problem.data.n_points)]
    first_leaf = limits.n_nodes
    for depth, _ in enumerate(limits.widths):
        below = len(nodes) + len(layer)
        flows: list[tuple[list[tuple[int, str]], Points]] = []
        for at, points in enumerate(layer, start=len(nodes)):
            column, rank = _question(problem, points)
            nodes.append(RankedNode(column, rank, first_leaf, first_leaf, 0))
            yes = problem.data.columns[column].ranks[points].astype(np.int64) <= rank
            flows += [([(at, "yes")], points[yes]), ([(at, "no")], points[~yes])]
        last = depth + 1 == limits.depth
        layer, open_flows = [], []
        for parents, points in flows:
            weight = problem.data.class_weight(points)
            if last or np.count_nonzero(weight) < 2:
                _send(nodes, parents, first_leaf + int(problem.objective.leaf_costs(weight).argmin()))
            else:
                open_flows.append((parents, points))
        width = 0 if last else limits.widths[depth + 1]
        for parents, points in _joined(problem, open_flows, width):
            if limits.tree and len(parents) > 1:
                label = int(problem.objective.leaf_costs(problem.data.class_weight(points)).argmin())
                _send(nodes, parents, first_leaf + label)
                continue
            _send(nodes, parents, below + len(layer))
            layer.append(points)
    nodes += [RankedNode(-1, 0, -1, -1, 0)] * (first_leaf - len(nodes))
    return [*nodes, *(RankedNode(-1, 0, -1, -1, label) for label in range(n_classes))]


def _send(nodes: list[RankedNode], parents: list[tuple[int, str]], target: int) -> None:
    for at, side in parents:
        nodes[at] = nodes[at]._replace(**{side: target})


def _joined(
    problem: DiagramProblem, flows: list[tuple[list[tuple[int, str]], Points]], width: int
) -> list[tuple[list[tuple[int, str]], Points]]:
    while len(flows) > width:
        pairs = [
            (_entropy(problem, np.r_[p, q]) - _entropy(problem, p) - _entropy(problem, q), i, j)
            for i, (a, p) in enumerate(flows)
            for j, (b, q) in enumerate(flows[:i])
            if {at for at, _ in a}.isdisjoint(at for at, _ in b)
        ]
        if not pairs:
            parents, points = flows.pop()
            flows[0] = (flows[0][0] + parents, np.r_[flows[0][1], points])
            continue
        _, i, j = min(pairs)
        flows[j] = (flows[j][0] + flows[i][0], np.r_[flows[j][1], flows[i][1]])
        del flows[i]
    return flows


def _question(problem: DiagramProblem, points: Points) -> tuple[int, int]:
    best = (np.inf, 0, PASS)
    for c, column in enumerate(problem.data.columns):
        ranks = column.ranks[points]
        for rank in np.unique(ranks)[:-1].tolist():
            yes = ranks <= rank
            best = min(best, (_entropy(problem, points[yes]) + _entropy(problem, points[~yes]), c, rank))
    return best[1], best[2]


def _entropy(problem: DiagramProblem, points: Points) -> float:
    weight = problem.data.class_weight(points)
    weight = weight[weight > 0]
    return float(-(weight * np.log(weight / weight.sum())).sum())
