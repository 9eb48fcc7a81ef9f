"""A tree as solvers have it, in columns and ranks, and its translation into a graph with the user's thresholds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from exactree.arrays import Bools, Int32s, Ints
from exactree.encode import Encoded, MissingRank, RankedColumn
from exactree.model import Graph, Node, simplified
from exactree.problem import DiagramProblem, Problem
from exactree.solve.trees.centred import centred
from exactree.table import Kind, Test

AnyProblem = TypeVar("AnyProblem", Problem, DiagramProblem)


class RankedNode(NamedTuple):
    """A branch asks whether the rank in ``column`` is at most ``rank``; a leaf has ``column`` -1."""

    column: int
    rank: int
    yes: int
    no: int
    label: int


def nodes_of(rows: Int32s) -> list[RankedNode]:
    """Nodes of a tree as the kernel returns it, (n_nodes, 5).

    Examples
    --------
    >>> nodes_of(np.array([[-1, -1, -1, -1, 2]], dtype=np.int32))
    [RankedNode(column=-1, rank=-1, yes=-1, no=-1, label=2)]
    """
    return [RankedNode(*row) for row in rows.tolist()]


def to_graph(problem: Problem, nodes: Sequence[RankedNode]) -> Graph:
    """Translate a tree, root first and children after parents, and merge splits whose two sides answer the same.

    They stay if small leaves are judged by their errors, and two of them are allowed that are not as one, or cost less.
    """
    data = problem.data
    points = reached(data, nodes)
    rows = [int(data.point_counts[at].sum()) for at in points]
    written = []
    for node, at, n_rows in zip(nodes, points, rows, strict=True):
        weight = data.class_weight(at)
        label = node.label if node.column < 0 else int(problem.objective.leaf_costs(weight).argmin())
        leaf = Node(label, tuple(weight.tolist()), n_rows)
        if node.column >= 0:
            leaf = branch_at(data, node, leaf, majority_yes=rows[node.yes] >= rows[node.no])
        written.append(leaf)
    left, members = simplified(written)
    together = [points[at[0]] if len(at) == 1 else np.concatenate([points[i] for i in at]) for at in members]
    merged = graph_of(data, left, [nodes[at[0]] for at in members], together)
    if not any(limit.small > 0 for limit in (*problem.on_leaves, *problem.priced_on_leaves)):
        return merged
    apart = graph_of(data, written, nodes, points)
    if problem.violations(apart):
        return merged
    dearer = problem.cost(merged) > problem.cost(apart) + problem.tolerance
    return apart if dearer or problem.violations(merged) else merged


def graph_of(data: Encoded, written: Sequence[Node], nodes: Sequence[RankedNode], points: Sequence[Ints]) -> Graph:
    """Build the graph of nodes as they are written, given the question of each in ranks and the points it splits.

    Thresholds of univariate splits are centred first.
    """
    centred_nodes = [_centred(data, *node) for node in zip(written, nodes, points, strict=True)]
    return Graph.of_nodes(data.table.schema, data.classes, centred_nodes, seen_missing(data))


def _centred(data: Encoded, node: Node, asked: RankedNode, points: Ints) -> Node:
    """Return a branch with its threshold in the middle of the gap between the points that it splits."""
    if node.test is not Test.AT_MOST or asked.rank < 0:  # the latter splits no points
        return node
    column = data.columns[asked.column]
    rank = centred(column, asked.rank, points)
    if rank == asked.rank:
        return node
    cut = column.cut(rank)
    if data.table.columns[column.source].kind is Kind.INTEGER:
        return replace(node, code=int(cut))
    return replace(node, threshold=float(cut))


def seen_missing(data: Encoded) -> Bools:
    """Whether training rows lacked a value, for each column of the table; LINEAR columns are never missing."""
    seen = np.zeros(len(data.table.columns), dtype=np.bool_)
    absent, is_missing = MissingRank.ABSENT, Test.IS_MISSING
    seen[[column.source for column in data.columns if column.missing is not absent or column.test is is_missing]] = True
    return seen


def with_columns(problem: AnyProblem, further: tuple[RankedColumn, ...]) -> AnyProblem:
    """Return the problem with further ranked columns, such as linear combinations of those it has."""
    if not further:
        return problem
    data: Encoded = problem.data
    ranks = np.vstack([data.ranks, *(column.ranks for column in further)])
    return replace(problem, data=replace(data, columns=(*data.columns, *further), ranks=ranks))


def relabelled(problem: Problem, nodes: Sequence[RankedNode]) -> list[RankedNode]:
    """Return the tree with the cheapest label at every leaf."""
    points = reached(problem.data, nodes)
    costs = (problem.objective.leaf_costs(problem.data.class_weight(at)) for at in points)
    return [node._replace(label=int(cost.argmin())) for node, cost in zip(nodes, costs, strict=True)]


def reached(data: Encoded, nodes: Sequence[RankedNode]) -> list[Ints]:
    """Points that reach each node."""
    points: list[Ints] = [np.arange(data.n_points)] + [np.empty(0, np.int64)] * (len(nodes) - 1)
    for at, node in enumerate(nodes):
        if node.column >= 0:
            yes = data.columns[node.column].ranks[points[at]] <= node.rank
            points[node.yes], points[node.no] = points[at][yes], points[at][~yes]
    return points


def branch_at(data: Encoded, node: RankedNode, leaf: Node, *, majority_yes: bool) -> Node:
    """Turn the leaf that would be here into the branch that is."""
    column = data.columns[node.column]
    test, code, threshold, missing_yes, sides = column.test, 0, np.nan, False, (node.yes, node.no)
    factors = column.factors
    if test is Test.LINEAR:
        threshold, missing_yes = float(column.cut(node.rank)), majority_yes
        if factors[0][1] < 0:  # easier to read with a positive first coefficient; no sum equals the threshold
            threshold, missing_yes, sides = -threshold, not majority_yes, (node.no, node.yes)
            factors = tuple((j, -factor) for j, factor in factors)
    elif test is not Test.AT_MOST:
        code = max(column.level, 0)
    elif np.isinf(cut := column.cut(node.rank)):  # the cut next to the missing values splits off nothing else
        test = Test.IS_MISSING
        # Missing ranked highest: yes means present, so the sides change places.
        sides = (node.no, node.yes) if cut > 0 else sides
    else:
        missing_yes = _missing_goes_yes(column, majority_yes)
        if data.table.columns[column.source].kind is Kind.INTEGER:
            code = int(cut)
        else:
            threshold = float(cut)
    asks = (test, column.source, threshold, code, missing_yes)
    return Node(leaf.label, leaf.weight, leaf.rows, *asks, *sides, factors)


def _missing_goes_yes(column: RankedColumn, majority_yes: bool) -> bool:
    """Whether a missing value goes to yes: as in training, or with the majority if training had none in this column."""
    return majority_yes if column.missing is MissingRank.ABSENT else column.missing is MissingRank.LOW


def from_graph(problem: Problem, graph: Graph) -> Int32s | None:
    """Translate a tree back into ranks, (n_nodes, 5), or return ``None`` if the data has no such questions."""
    data = problem.data
    if not graph.is_tree or graph.schema != data.table.schema:
        return None
    nodes = np.full((graph.n_nodes, 5), -1, dtype=np.int32)
    nodes[:, 4] = 0
    for at in range(graph.n_nodes):
        if graph.test[at] == Test.LEAF:
            continue
        found = find_question(data, graph, at)
        if found is None:
            return None
        column, rank, swapped = found
        yes, no = int(graph.yes[at]), int(graph.no[at])
        nodes[at, :4] = (column, rank, no, yes) if swapped else (column, rank, yes, no)
    return nodes


def find_question(data: Encoded, graph: Graph, at: int) -> tuple[int, int, bool] | None:
    """Column and rank of the question of a branch, and whether yes and no are swapped."""
    test, source = Test(graph.test[at]), int(graph.column[at])
    for c, column in enumerate(data.columns):
        if column.source != source:
            continue
        if test is column.test and (test is not Test.IS_LEVEL or column.level == graph.code[at]):
            if test is not Test.AT_MOST:
                return c, 0, False
            low = column.missing is not MissingRank.HIGH
            if column.missing is not MissingRank.ABSENT and low != bool(graph.missing_yes[at]):
                continue
            integer = data.table.columns[source].kind is Kind.INTEGER
            threshold = graph.code[at] if integer else graph.threshold[at]
            rank = max(int(np.searchsorted(column.cuts, threshold, side="right")) - 1, 0)
            # Where cuts are left out, the nearest one may split other rows.
            return (c, rank, False) if data.complete or column.cut(rank) == threshold else None
        if test is Test.IS_MISSING and column.missing is MissingRank.LOW:
            return c, 0, False
    return None
