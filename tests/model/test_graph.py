import copy
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from exactree.errors import InputError
from exactree.kernel import apply as native_apply
from exactree.model import Graph, Node
from exactree.table import CATEGORICAL_KINDS, Column, ColumnType, Kind, Schema, Table, Test

X = ColumnType("x", Kind.NUMBER)
COLOUR = ColumnType("colour", Kind.CATEGORY, ("blue", "red"))
SIZE = ColumnType("size", Kind.ORDERED, ("S", "M", "L"))
SCHEMA = Schema((X, COLOUR, SIZE), named=True)
BRANCH = Node(0, (3.0, 2.0), 5, test=Test.AT_MOST, column=0, threshold=0.5, yes=1, no=2)
LEAVES = [Node(0, (3.0, 0.0), 3), Node(1, (0.0, 2.0), 2)]


def graph_of(*nodes, missing_seen=None):
    return Graph.of_nodes(SCHEMA, np.array(["a", "b"]), list(nodes), missing_seen)


def table_of(x, colour=None, size=None):
    n = len(x)
    colour = np.zeros(n, np.int32) if colour is None else np.array(colour, np.int32)
    size = np.zeros(n, np.int32) if size is None else np.array(size, np.int32)
    values = [np.asarray(x, dtype=float), colour, size]
    columns = [Column(t.name, t.kind, v, t.levels) for t, v in zip(SCHEMA.columns, values, strict=True)]
    return Table(tuple(columns), n, named=True)


def slow_leaf(graph, table, row):
    """Follow one row by hand."""
    node = 0
    while graph.test[node] != Test.LEAF:
        column = table.columns[graph.column[node]]
        value = column.values[row]
        if graph.test[node] == Test.LINEAR:
            value, column = sum(f * table.columns[j].values[row] for j, f in graph.sum_at(node)), table.columns[0]
        coded = column.kind in CATEGORICAL_KINDS
        if graph.test[node] == Test.IS_MISSING:
            yes = value == -1 if coded else column.kind is not Kind.INTEGER and bool(np.isnan(value))
        elif graph.test[node] == Test.IS_LEVEL:
            yes = value == graph.code[node]
        elif column.kind is Kind.INTEGER:
            yes = int(value) <= int(graph.code[node])
        elif value < 0 if coded else np.isnan(value):
            yes = graph.missing_yes[node]
        else:
            yes = value <= graph.threshold[node]
        node = graph.yes[node] if yes else graph.no[node]
    return node


@pytest.mark.each("seed", range(60))
def test_native_walk_equals_a_slow_one(case, seed):
    graph, table = case(seed).graph, case(seed).table
    leaf = graph.apply(table)
    assert leaf.dtype == np.int32
    assert leaf.tolist() == [slow_leaf(graph, table, row) for row in range(table.n_rows)]
    np.testing.assert_array_equal(graph.predict(table), graph.label[leaf])


@pytest.mark.each("seed", range(20))
def test_decision_path_holds_every_node_on_the_way(case, seed):
    graph, table = case(seed).graph, case(seed).table
    path = graph.decision_path(table)
    assert path.shape == (table.n_rows, graph.n_nodes)
    leaf = graph.apply(table)
    for row in range(table.n_rows):
        nodes = path.indices[path.indptr[row] : path.indptr[row + 1]]
        assert nodes[0] == 0
        assert nodes[-1] == leaf[row]
        assert all(b in (graph.yes[a], graph.no[a]) for a, b in pairwise(nodes))


@pytest.mark.each("seed", range(20))
def test_depth_and_tree_shape(case, seed):
    graph = case(seed).graph
    parents = np.bincount(np.concatenate([graph.yes, graph.no]) + 1, minlength=graph.n_nodes + 1)[2:]
    assert graph.is_tree == bool((parents == 1).all())

    def depth(node):
        return 0 if graph.is_leaf(node) else 1 + max(depth(graph.yes[node]), depth(graph.no[node]))

    assert graph.depth == depth(0)
    assert graph.n_leaves == len(graph.leaves) == sum(node.is_leaf for node in graph.nodes())


def test_strided_and_backward_columns_are_read_in_place():
    matrix = np.array([[0.0, 9.0], [1.0, 9.0], [np.nan, 9.0]])
    graph = graph_of(BRANCH, *LEAVES)
    for view, expected in [(matrix[:, 0], [1, 2, 2]), (matrix[::-1, 0], [2, 2, 1]), (matrix[:, 1], [2, 2, 2])]:
        assert graph.apply(table_of(view)).tolist() == expected
    record = np.zeros(3, dtype=[("flag", "i1"), ("x", "f8")])
    record["x"] = matrix[:, 0]
    assert graph.apply(table_of(record["x"])).tolist() == [1, 2, 2]


def test_unknown_level_of_an_ordered_column_goes_where_missing_goes():
    branch = Node(0, (0.0, 0.0), 0, test=Test.AT_MOST, column=2, threshold=1.0, yes=1, no=2)
    table = table_of([0.0] * 4, size=[1, 2, -1, -2])
    assert graph_of(branch, *LEAVES).apply(table).tolist() == [1, 2, 2, 2]
    assert graph_of(replace(branch, missing_yes=True), *LEAVES).apply(table).tolist() == [1, 2, 1, 1]


def test_a_lone_leaf_needs_no_column():
    graph = Graph.leaf(Schema((), named=False), ["a", "b"], 1, [1.0, 2.0], 3)
    assert graph.predict(Table((), 4, named=False)).tolist() == [1, 1, 1, 1]
    assert (graph.depth, graph.n_leaves, graph.is_tree) == (0, 1, True)


def test_no_rows():
    graph = graph_of(BRANCH, *LEAVES)
    assert graph.apply(table_of([])).shape == (0,)
    assert graph.decision_path(table_of([])).shape == (0, 3)


def test_apply_conforms_the_table_first():
    graph = graph_of(BRANCH, *LEAVES)
    given = Table.of([["M", "red", 0.0], ["L", "green", 1.0]], names=["size", "colour", "x"])
    assert graph.predict(given).tolist() == [0, 1]


def test_probabilities_are_shares_of_weight():
    graph = graph_of(BRANCH, Node(0, (3.0, 1.0), 4), Node(1, (0.0, 0.0), 0))
    np.testing.assert_array_equal(graph.predict_proba(table_of([0.0, 1.0])), [[0.75, 0.25], [0.0, 1.0]])


def test_questions():
    nodes = [
        Node(0, (0, 0), 0, test=Test.AT_MOST, column=0, threshold=0.5, missing_yes=True, yes=1, no=2),
        Node(0, (0, 0), 0, test=Test.IS_LEVEL, column=1, code=1, yes=3, no=4),
        Node(0, (0, 0), 0, test=Test.AT_MOST, column=2, threshold=1.5, yes=5, no=6),
        Node(0, (0, 0), 0, test=Test.IS_MISSING, column=0, yes=7, no=8),
        *[Node(0, (0, 0), 0)] * 5,
    ]
    graph = graph_of(*nodes, missing_seen=np.array([True, False, False]))
    assert [str(graph.question(node)) for node in range(4)] == [
        "x <= 0.5 or missing",
        "colour is red",
        "size <= M",
        "x is missing",
    ]
    with pytest.raises(InputError, match=r"Node 4 is a leaf: it asks no question\."):
        graph.question(4)


def test_arrays_are_copies_that_cannot_be_written():
    threshold = np.array([0.5, np.nan, np.nan])
    graph = Graph(**{**fields_of(graph_of(BRANCH, *LEAVES)), "threshold": threshold})
    threshold[0] = 7.0
    assert graph.threshold[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        graph.threshold[0] = 1.0


def test_copies_and_pickles_are_the_same_and_read_only():
    graph = graph_of(BRANCH, *LEAVES)
    for other in (copy.deepcopy(graph), copy.copy(graph), pickle.loads(pickle.dumps(graph))):
        assert other.same_as(graph)
        assert not other.weight.flags.writeable


def test_same_as_sees_every_field():
    graph = graph_of(BRANCH, *LEAVES)
    assert graph.same_as(graph_of(BRANCH, *LEAVES))
    for change in ({"threshold": 0.6}, {"missing_yes": True}, {"rows": 6}, {"weight": (3.0, 3.0)}, {"label": 1}):
        assert not graph.same_as(graph_of(replace(BRANCH, **change), *LEAVES))
    assert not graph.same_as(graph_of(BRANCH, *LEAVES, missing_seen=np.array([True, False, False])))
    assert not graph.same_as(Graph(**{**fields_of(graph), "classes": np.array(["a", "c"])}))


def fields_of(graph):
    return {name: getattr(graph, name) for name in Graph.__slots__}


@pytest.mark.each(
    ("nodes", "message"),
    [
        ([], r"A graph needs at least one node\."),
        ([replace(BRANCH, yes=0), *LEAVES], r"Node 0 has the child 0; children must come after.*among 3 nodes"),
        ([replace(BRANCH, no=3), *LEAVES], r"Node 0 has the child 3; children must come after.*among 3 nodes"),
        ([replace(BRANCH, no=1), *LEAVES], r"Node 2 has no parent; only the root, node 0, may have none\."),
        ([replace(BRANCH, column=3), *LEAVES], r"Node 0 asks column 3, but the schema has 3\."),
        ([replace(BRANCH, threshold=np.nan), *LEAVES], r"Node 0 compares column 'x' with a threshold that is not a nu"),
        ([replace(BRANCH, column=1), *LEAVES], r"Node 0 compares column 'colour', whose levels have no order\."),
        (
            [replace(BRANCH, test=Test.IS_LEVEL), *LEAVES],
            r"Node 0 asks for a level of column 'x', whose kind is number, not category\.",
        ),
        (
            [replace(BRANCH, test=Test.IS_LEVEL, column=1, code=2), *LEAVES],
            r"Node 0 asks for level 2 of column 'colour', which has 2 levels\.",
        ),
        ([BRANCH, LEAVES[0], replace(LEAVES[1], label=2)], r"Node 2 has label 2, but there are 2 classes\."),
        ([BRANCH, LEAVES[0], replace(LEAVES[1], weight=(1.0,))], r"Node 2 has 1 weights, but there are 2 classes\."),
        ([BRANCH, LEAVES[0], replace(LEAVES[1], weight=(-1.0, 0.0))], r"Node 2 must have finite weights.*got \[-1\.0"),
        ([BRANCH, LEAVES[0], replace(LEAVES[1], rows=-1)], r"Node 2 must have finite weights.*and -1\."),
        ([BRANCH, LEAVES[0], replace(LEAVES[1], column=0)], r"Node 2 is a leaf, so its column must be -1; got 0\."),
        ([BRANCH, LEAVES[0], replace(LEAVES[1], yes=1)], r"Node 2 is a leaf, so its children must be -1; got 1 and"),
    ],
)
def test_broken_graphs_name_the_node(nodes, message):
    with pytest.raises(InputError, match=message):
        graph_of(*nodes)


def test_wrong_arrays_are_named():
    fields = fields_of(graph_of(BRANCH, *LEAVES))
    with pytest.raises(InputError, match=r"The array label of a graph must be int32 of shape \(3,\); got int64 of"):
        Graph(**{**fields, "label": fields["label"].astype(np.int64)})
    with pytest.raises(InputError, match=r"weight.*must be float64 of shape \(3, 2\); got float64 of shape \(3, 1\)"):
        Graph(**{**fields, "weight": fields["weight"][:, :1]})
    with pytest.raises(InputError, match=r"The array yes.*got list"):
        Graph(**{**fields, "yes": [1, -1, -1]})
    with pytest.raises(InputError, match=r"Node 1 has the unknown test 9\."):
        Graph(**{**fields, "test": np.array([1, 9, 0], dtype=np.uint8)})
    with pytest.raises(InputError, match="classes of a graph must be a 1-D array with at least one label"):
        Graph(**{**fields, "classes": np.array([])})


def native(columns, **changes):
    graph = graph_of(BRANCH, *LEAVES)
    names = ("test", "column", "threshold", "code", "missing_yes", "yes", "no")
    return native_apply(columns, *[changes.get(name, getattr(graph, name)) for name in names])


@pytest.mark.each(
    ("columns", "changes", "message"),
    [
        ([], {}, "columns is empty: the number of rows is unknown"),
        ([np.zeros(3), np.zeros(2)], {}, "column 1 has 2 rows, but column 0 has 3"),
        ([np.zeros((3, 1))], {}, "column 0 must be a 1-D array"),
        ([[0.0, 1.0]], {}, "column 0 must be a 1-D array"),
        ([np.zeros(3, np.float32)], {}, "column 0 must hold float64, int64 or int32"),
        ([np.zeros(3)], {"yes": np.array([1, -1], np.int32)}, "yes has 2 nodes, but test has 3"),
        ([np.zeros(3)], {"test": np.array([7, 0, 0], np.uint8)}, "node 0 has the unknown test 7"),
        ([np.zeros(3)], {"yes": np.array([0, -1, -1], np.int32)}, "node 0 has children 0 and 2; children must come"),
        ([np.zeros(3)], {"no": np.array([3, -1, -1], np.int32)}, "node 0 has children 1 and 3; children must come"),
        ([np.zeros(3)], {"column": np.array([1, -1, -1], np.int32)}, "node 0 asks column 1 of 1"),
        ([np.zeros(3)], {"test": np.array([2, 0, 0], np.uint8)}, "node 0 asks for a level of column 0, which does not"),
    ],
)
def test_the_kernel_checks_before_it_reads(columns, changes, message):
    with pytest.raises(ValueError, match=message):
        native(columns, **changes)


def test_the_kernel_converts_nothing():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        native([np.zeros(3)], threshold=np.zeros(3, np.float32))
