from dataclasses import replace

import numpy as np
import pytest

from exactree.model import Graph, Node, simplify, walk
from exactree.table import ColumnType, Kind, Schema, Test

SCHEMA = Schema((ColumnType("x", Kind.NUMBER), ColumnType("y", Kind.NUMBER)), named=False)
CLASSES = np.array(["a", "b"])


def branch(yes, no, weight, *, threshold=0.0, column=0):
    rows = int(sum(weight))
    return Node(0, weight, rows, test=Test.AT_MOST, column=column, threshold=threshold, yes=yes, no=no)


def leaf(label, *weight):
    return Node(label, weight, int(sum(weight)))


def simplified(*nodes):
    return simplify(Graph.of_nodes(SCHEMA, CLASSES, list(nodes)))


def shape(graph, node=0):
    """The graph below a node as nested tuples: what it says, without the counts."""
    if graph.is_leaf(node):
        return int(graph.label[node])
    asks = (int(graph.column[node]), str(graph.question(node)), bool(graph.missing_yes[node]))
    return (*asks, shape(graph, graph.yes[node]), shape(graph, graph.no[node]))


def test_leaves_that_say_the_same_are_merged_again_and_again():
    graph = simplified(
        branch(1, 2, (6.0, 2.0)),
        branch(3, 4, (4.0, 1.0)),
        leaf(0, 2.0, 1.0),
        leaf(0, 3.0, 0.0),
        leaf(0, 1.0, 1.0),
    )
    assert (graph.n_nodes, graph.weight.tolist(), graph.rows.tolist()) == (1, [[6.0, 2.0]], [8])


def test_the_label_of_the_leaves_wins_over_that_of_the_branch():
    graph = simplified(branch(1, 2, (3.0, 1.0)), leaf(1, 2.0, 0.0), leaf(1, 1.0, 1.0))
    assert graph.label.tolist() == [1]


def test_a_side_without_rows_goes():
    graph = simplified(
        branch(1, 2, (2.0, 2.0)), leaf(1, 0.0, 0.0), branch(3, 4, (2.0, 2.0)), leaf(0, 2.0, 0.0), leaf(1, 0.0, 2.0)
    )
    assert (graph.n_nodes, graph.depth, graph.rows.tolist()) == (3, 1, [4, 2, 2])


def test_equal_subtrees_are_added_up():
    graph = simplified(
        branch(1, 2, (4.0, 4.0), column=1),
        branch(3, 4, (2.0, 1.0)),
        branch(5, 6, (2.0, 3.0)),
        leaf(0, 2.0, 0.0),
        leaf(1, 0.0, 1.0),
        leaf(0, 1.0, 1.0),
        leaf(1, 1.0, 2.0),
    )
    assert graph.weight.tolist() == [[4.0, 4.0], [3.0, 1.0], [1.0, 3.0]]
    assert graph.rows.tolist() == [8, 4, 4]


def test_different_thresholds_are_not_equal():
    nodes = [
        branch(1, 2, (4.0, 4.0), column=1),
        branch(3, 4, (2.0, 2.0)),
        branch(5, 6, (2.0, 2.0), threshold=1.0),
        *[leaf(0, 2.0, 0.0), leaf(1, 0.0, 2.0)] * 2,
    ]
    assert simplified(*nodes).n_nodes == 7


def test_a_graph_without_counts_keeps_its_branches():
    nodes = [replace(node, rows=0, weight=(0.0, 0.0)) for node in (branch(1, 2, ()), leaf(0), leaf(1))]
    assert simplified(*nodes).n_nodes == 3


def test_equal_nodes_of_a_diagram_are_shared():
    graph = simplified(
        branch(1, 2, (4.0, 4.0), column=1),
        branch(3, 4, (2.0, 2.0)),
        branch(4, 5, (2.0, 2.0), threshold=1.0),
        leaf(0, 1.0, 0.0),
        leaf(1, 1.0, 3.0),
        leaf(0, 2.0, 1.0),
    )
    assert not graph.is_tree
    assert graph.n_leaves == 2
    assert sorted(graph.weight[graph.leaves].tolist()) == [[1.0, 3.0], [3.0, 1.0]]


@pytest.mark.each("seed", range(80))
def test_training_rows_get_the_same_label_from_fewer_nodes(case, recount, seed):
    graph, table = case(seed).graph, case(seed).table
    small = simplify(graph)
    np.testing.assert_array_equal(small.predict(table), graph.predict(table))
    assert small.n_nodes <= graph.n_nodes
    assert small.is_tree or not graph.is_tree
    for node in range(small.n_nodes):
        assert small.rows[node] > 0
        if not small.is_leaf(node):
            assert shape(small, small.yes[node]) != shape(small, small.no[node])
    assert simplify(small).same_as(small)


@pytest.mark.each("seed", range(40))
def test_counts_are_those_of_the_smaller_graph(case, recount, seed):
    graph, table = case(seed).graph, case(seed).table
    labels = np.random.default_rng(seed).integers(0, 3, table.n_rows)
    small = simplify(recount(graph, table, labels))
    assert recount(small, table, labels).same_as(small)


@pytest.mark.each("seed", range(1, 40, 2))
def test_trees_are_numbered_in_preorder(case, seed):
    small = simplify(case(seed).graph)
    assert [step.node for step in walk(small)] == list(range(small.n_nodes))
