"""A diagram as solvers have it, in columns and ranks, and its translation into a graph with the user's thresholds.

Nodes are :class:`RankedNode`, root first and children after all their parents; a leaf has ``column`` -1. A node whose
``rank`` is :data:`PASS` asks nothing: all its rows go to ``no``, and no row goes to ``yes``.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from exactree.arrays import Bools, Ints
from exactree.encode import Encoded
from exactree.model import Graph, Node
from exactree.problem import DiagramProblem
from exactree.solve.trees.ranked_tree import RankedNode, branch_at, find_question, graph_of, seen_missing
from exactree.table import Test

PASS = -1


def diagram_to_graph(problem: DiagramProblem, nodes: Sequence[RankedNode]) -> Graph:
    """Translate a diagram as it is, without unreachable nodes; a tree gets leaves of its own for every branch."""
    nodes = in_order(nodes)
    if problem.limits.tree and any(node.column >= 0 and _asks_nothing(node) for node in nodes):
        fewer = replace(problem, limits=replace(problem.limits, tree=False))
        short = in_order(without_passing(nodes))
        nodes = nodes if problem.violations(diagram_to_graph(fewer, short)) else short
    if problem.limits.tree:
        nodes = with_own_leaves(nodes)
    data, reached = problem.data, reached_in_diagram(problem, nodes)
    rows = [int(data.point_counts[at].sum()) for at in reached]
    written = []
    for node, at, n_rows in zip(nodes, reached, rows, strict=True):
        weight = data.class_weight(at)
        label = node.label if node.column < 0 else int(problem.objective.leaf_costs(weight).argmin())
        here = Node(label, tuple(weight.tolist()), n_rows)
        if node.column >= 0 and node.rank == PASS:
            here = _passing(problem, node, here, at)
        elif node.column >= 0:
            yes = int(np.count_nonzero(data.columns[node.column].ranks[at] <= node.rank))
            here = branch_at(data, node, here, majority_yes=2 * yes >= len(at))
        written.append(here)
    return graph_of(data, written, nodes, reached)


def with_own_leaves(nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Give every side that ends a leaf of its own, root first and leaves last, so that a tree is one by its nodes too.

    Examples
    --------
    >>> [node.yes for node in with_own_leaves([RankedNode(0, 1, 1, 1, 0), RankedNode(-1, 0, -1, -1, 1)])]
    [1, -1, -1]
    """
    asking = [node for node in nodes if node.column >= 0]
    if not asking:
        return list(nodes)
    leaves: list[RankedNode] = []

    def side(child: int) -> int:
        if nodes[child].column >= 0:
            return child
        leaves.append(nodes[child])
        return len(asking) + len(leaves) - 1

    inner = [node._replace(yes=side(node.yes), no=side(node.no)) for node in asking]
    return [*inner, *leaves]


def without_passing(nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Return a diagram whose branches lead past the nodes that ask nothing.

    Examples
    --------
    >>> leaf = RankedNode(-1, 0, -1, -1, 1)
    >>> without_passing([RankedNode(0, PASS, 1, 2, 0), leaf, RankedNode(0, 3, 1, 3, 0), leaf])[0].column
    0
    """
    stand = list(range(len(nodes)))
    for at in reversed(range(len(nodes))):
        if nodes[at].column >= 0 and _asks_nothing(nodes[at]):
            stand[at] = stand[nodes[at].no]
    left = [n if n.column < 0 else n._replace(yes=stand[n.yes], no=stand[n.no]) for n in nodes]
    left[0] = left[stand[0]]
    return left


def _asks_nothing(node: RankedNode) -> bool:
    return node.rank == PASS or node.yes == node.no


def reached_in_diagram(problem: DiagramProblem, nodes: Sequence[RankedNode]) -> list[Ints]:
    """Points that reach each node, over all paths."""
    data = problem.data
    here = np.zeros((len(nodes), data.n_points), dtype=np.bool_)
    here[0] = True
    for at, node in enumerate(nodes):
        if node.column >= 0:
            yes = here[at] & says_yes(data, node)
            here[node.yes] |= yes
            here[node.no] |= here[at] & ~yes
    return [np.flatnonzero(row) for row in here]


def says_yes(data: Encoded, node: RankedNode) -> Bools:
    """Return which points a node sends to its yes side: none if it passes all of them on."""
    if node.rank == PASS:
        return np.zeros(data.n_points, dtype=np.bool_)
    return np.asarray(data.columns[node.column].ranks <= node.rank)


def in_order(nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Return the nodes that the root leads to, layer by layer, leaves last, with at most one leaf for each label."""
    layer = {0: 0}
    for at, node in enumerate(nodes):
        if at in layer and node.column >= 0:
            for side in (node.yes, node.no):
                layer[side] = max(layer.get(side, 0), layer[at] + 1)
    asking = sorted((at for at in layer if nodes[at].column >= 0), key=lambda at: (layer[at], at))
    labels = sorted({nodes[at].label for at in layer if nodes[at].column < 0})
    place = {at: i for i, at in enumerate(asking)}
    place |= {at: len(asking) + labels.index(nodes[at].label) for at in layer if nodes[at].column < 0}
    inner = [nodes[at]._replace(yes=place[nodes[at].yes], no=place[nodes[at].no]) for at in asking]
    return [*inner, *(RankedNode(-1, 0, -1, -1, label) for label in labels)]


def tidied(problem: DiagramProblem, nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Return a diagram with the same training predictions and without redundant nodes.

    A node is removed if all its rows end at the same leaf, whichever side they take, unless it joins sides that are too
    light to end one by one. A leaf that no row reaches is removed too: sides that no row takes lead to another leaf.
    """
    nodes = in_order(nodes)
    reached = reached_in_diagram(problem, nodes)
    costs = problem.objective.leaf_costs(problem.data.class_weight(reached[0]))
    ends = [at for at, node in enumerate(nodes) if node.column < 0 and len(reached[at])]
    likely = min(ends, key=lambda at: float(costs[nodes[at].label]))
    stand = [at if nodes[at].column >= 0 or len(reached[at]) else likely for at in range(len(nodes))]
    for at in reversed(range(len(nodes))):
        node = nodes[at]
        if node.column < 0:
            continue
        yes = says_yes(problem.data, node)[reached[at]]
        taken = {stand[side] for side, any_row in ((node.yes, yes.any()), (node.no, not yes.all())) if any_row}
        nodes[at] = node._replace(yes=stand[node.yes], no=stand[node.no])
        if len(taken) == 1 and nodes[only := next(iter(taken))].column < 0 and _may_go(problem, nodes, reached, at):
            stand[at] = only
    root = stand[0]
    return [nodes[root]] if nodes[root].column < 0 else in_order(nodes)


def _may_go(problem: DiagramProblem, nodes: Sequence[RankedNode], reached: Sequence[Ints], at: int) -> bool:
    """Whether all sides that lead to a node are heavy enough to end there."""
    for node, points in zip(nodes[:at], reached, strict=False):
        if problem.min_leaf_weight == 0 or node.column < 0 or at not in (node.yes, node.no):
            continue
        yes = says_yes(problem.data, node)[points]
        sides = ((node.yes, points[yes]), (node.no, points[~yes]))
        if not all(problem.may_end(taken) for side, taken in sides if side == at):
            return False
    return True


def diagram_from_graph(problem: DiagramProblem, graph: Graph) -> list[RankedNode] | None:
    """Translate a graph back into ranks, or return ``None`` if the data has no such questions."""
    data = problem.data
    if graph.schema != data.table.schema or graph.is_linear:
        return None
    nodes = []
    for at in range(graph.n_nodes):
        if graph.test[at] == Test.LEAF:
            nodes.append(RankedNode(-1, 0, -1, -1, int(graph.label[at])))
            continue
        yes, no = int(graph.yes[at]), int(graph.no[at])
        if yes == no:  # it passes all rows on, so its yes side may lead anywhere
            nodes.append(RankedNode(0, PASS, int(graph.leaves[0]), no, 0))
            continue
        found = find_question(data, graph, at)
        if found is None and graph.test[at] == Test.IS_MISSING:  # it passes all rows on
            nodes.append(RankedNode(0, PASS, yes, no, 0))
            continue
        if found is None:
            return None
        column, rank, swapped = found
        nodes.append(RankedNode(column, rank, no, yes, 0) if swapped else RankedNode(column, rank, yes, no, 0))
    return nodes


def _passing(problem: DiagramProblem, node: RankedNode, here: Node, at: Ints) -> Node:
    """Write a node that sends all its rows to one side: by a question that they all answer alike, if there is one."""
    data = problem.data
    for c, column in enumerate(data.columns):
        ranks = column.ranks[at]
        if column.factors or len(ranks) == 0:
            continue
        low, high = int(ranks.min()), int(ranks.max())
        if low > 0:
            return branch_at(data, node._replace(column=c, rank=low - 1), here, majority_yes=False)
        if high < column.n_ranks - 1:
            turned = RankedNode(c, high, node.no, node.yes, node.label)
            return branch_at(data, turned, here, majority_yes=True)
    full = np.flatnonzero(~seen_missing(data))
    # Where every column has missing values, and no question has the same answer for all rows, both sides are one node.
    source, yes = (int(full[0]), node.yes) if len(full) else (data.columns[node.column].source, node.no)
    return Node(here.label, here.weight, here.rows, Test.IS_MISSING, source, np.nan, 0, False, yes, node.no)
