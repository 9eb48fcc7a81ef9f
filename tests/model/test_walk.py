import numpy as np
import pytest

from exactree.model import Graph, Node, paths, walk
from exactree.table import ColumnType, Kind, Schema, Test


def branch(yes, no):
    return Node(0, (1.0,), 1, test=Test.AT_MOST, column=0, threshold=0.0, yes=yes, no=no)


def graph_of(*nodes):
    return Graph.of_nodes(Schema((ColumnType("x", Kind.NUMBER),), named=False), np.array(["a"]), list(nodes))


LEAF = Node(0, (1.0,), 1)


def test_a_tree_is_walked_yes_side_first():
    graph = graph_of(branch(1, 2), branch(3, 4), LEAF, LEAF, LEAF)
    steps = [(step.node, step.depth, step.parent, step.side) for step in walk(graph)]
    assert steps == [(0, 0, None, None), (1, 1, 0, True), (3, 2, 1, True), (4, 2, 1, False), (2, 1, 0, False)]


def test_a_shared_node_is_entered_once_and_met_again():
    graph = graph_of(branch(1, 2), branch(2, 3), LEAF, LEAF)
    assert [(step.node, step.first) for step in walk(graph)] == [(0, True), (1, True), (2, True), (3, True), (2, False)]
    assert [(path.leaf, path.answers) for path in paths(graph)] == [
        (2, ((0, True), (1, True))),
        (3, ((0, True), (1, False))),
        (2, ((0, False),)),
    ]


@pytest.mark.each("seed", range(20))
def test_every_edge_is_met_once(case, seed):
    graph = case(seed).graph
    met = [(step.parent, step.side) for step in walk(graph)]
    n_branches = graph.n_nodes - graph.n_leaves
    assert len(met) == len(set(met)) == 2 * n_branches + 1
    if graph.is_tree:
        assert len(list(paths(graph))) == graph.n_leaves


def test_a_very_deep_tree_needs_no_recursion():
    deep = 3000
    nodes = [node for i in range(deep) for node in (branch(2 * i + 1, 2 * i + 2), LEAF)]
    graph = graph_of(*nodes, LEAF)
    assert graph.depth == deep
    assert sum(1 for _ in walk(graph)) == graph.n_nodes
