"""Rows and accuracy of decision paths in diagrams, whose leaves are the ends of many paths."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

from exactree import OptimalDiagramClassifier
from exactree.errors import FormatError, InputError
from exactree.explain import counterfactuals, leaf_report, trace
from exactree.explain.counterfactual.leaf_regions import path_regions
from exactree.explain.counterfactual.value_sets import Interval
from exactree.explain.rows import read_rows
from exactree.model import Graph, Node, PathCounts, dumps, loads, paths_taken, simplify, with_path_counts
from exactree.table import ColumnType, Kind, Schema, Test


def counted(made, seed):
    """Return a diagram with rows, weights and paths counted on a table of its own, and what was counted."""
    rng = np.random.default_rng(seed)
    graph, table = made.graph, made.table.take(rng.integers(0, made.table.n_rows, 60).tolist())
    labels, weights = rng.integers(0, 3, 60).astype(np.int32), rng.integers(1, 4, 60).astype(float)
    nodes = []
    for node, rows in zip(graph.nodes(), graph.reached(table), strict=True):
        total = np.bincount(labels[rows], weights=weights[rows], minlength=3)
        nodes.append(replace(node, rows=len(rows), weight=tuple(total.tolist())))
    graph = Graph.of_nodes(graph.schema, graph.classes, nodes, graph.missing_seen)
    return with_path_counts(graph, table, labels, weights), table, labels, weights


def taken_by(graph, table):
    """The path of every row, followed node by node for one row after the other."""
    found = []
    for at in range(table.n_rows):
        passed = graph.decision_path(table.take([at])).toarray()[0]
        found.append(tuple(np.flatnonzero(passed).tolist()))
    return found


@pytest.mark.each("seed", range(0, 120, 2))
def test_figures_of_paths_are_those_of_the_training_table(case, seed):
    made = case(seed)
    graph, table, labels, weights = counted(made, seed)
    paths = taken_by(graph, table)
    if graph.is_tree:
        assert graph.paths is None
        return
    numbers, index = paths_taken(graph, table)
    assert [numbers[i] for i in index] == paths
    assert set(graph.paths.nodes) == set(paths)
    for at, one in enumerate(trace(graph, table)):
        mine = np.array([path == paths[at] for path in paths])
        right = labels == graph.label[one.leaf.node]
        assert one.leaf.path.rows == mine.sum()
        assert one.leaf.path.accuracy == weights[mine & right].sum() / weights[mine].sum()
        assert one.leaf.rows == np.sum([path[-1] == one.leaf.node for path in paths])
    others = [one.leaf.path for one in trace(graph, made.table) if one.nodes not in paths]
    assert all((path.rows, path.accuracy, str(path)) == (0, None, "0 rows") for path in others)
    report = leaf_report(graph, table, graph.classes[labels], weights)
    lines = {line.nodes: line.score for leaf in report.leaves for line in leaf.paths}
    assert set(lines) == set(paths)
    for number, nodes in enumerate(graph.paths.nodes):
        assert lines[nodes].rows == graph.paths.rows[number]
        assert lines[nodes].accuracy == pytest.approx(
            graph.paths.weight[number][graph.label[nodes[-1]]] / graph.paths.weight[number].sum()
        )


@pytest.mark.each("seed", range(0, 80, 2))
def test_counterfactuals_name_the_path_where_they_end(case, seed):
    graph, table, *_ = counted(case(seed), seed)
    for one in counterfactuals(graph, table.take([0, 1, 2]), costs="changes", k=5):
        for answer in one:
            assert answer.leaf == trace(graph, answer.row).leaf


@pytest.mark.each("seed", range(0, 160, 2))
def test_limits_on_leaves_are_limits_on_paths(case, seed):
    """Against all rows of the grid that take a path of enough rows and accuracy."""
    made = case(seed)
    graph, table, *_ = counted(made, seed)
    if graph.is_tree:
        return
    rng = np.random.default_rng(seed)
    least, share = int(rng.integers(1, 20)), float(rng.choice([0.0, 0.4, 0.6]))
    for one in counterfactuals(graph, table.take([0, 1]), costs="changes", k=1, min_support=least, min_accuracy=share):
        every = [answer.leaf.path for answer in one]
        assert all(path.rows >= least and path.accuracy >= share for path in every)
        best = cheapest_by_hand(graph, made, one, least, share)
        assert (one[0].cost if len(one) else None) == best


def cheapest_by_hand(graph, made, one, least, share):
    """Fewest columns that change to values of the table, over rows of all decision paths."""
    good = []
    for number, nodes in enumerate(graph.paths.nodes):
        weight, label = graph.paths.weight[number], graph.label[nodes[-1]]
        enough = graph.paths.rows[number] >= least and weight[label] / weight.sum() >= share
        if enough and graph.classes[label] != one.label:
            good.append(nodes)
    costs = [n for nodes in good for n in [changes_into(graph, nodes, one.row, made)] if n is not None]
    return min(costs, default=None)


def changes_into(graph, nodes, row, made):
    rows = read_rows(graph, row, graph)
    best = None
    for region in path_regions(graph, nodes):
        n_changes = 0
        for j, values in region.values.items():
            if rows.value(j, 0) in values:
                continue
            kind, seen = graph.schema.columns[j].kind, bool(graph.missing_seen[j])
            some = any(code >= 0 for code in getattr(values, "codes", ()))
            if isinstance(values, Interval):
                some = values.low <= values.high
            absent = values.missing if isinstance(values, Interval) else -1 in values.codes
            if not (some or (absent and seen and kind is not Kind.INTEGER)):
                n_changes = None
                break
            n_changes += 1
        if n_changes is not None and (best is None or n_changes < best):
            best = n_changes
    return best


@pytest.mark.each("seed", range(0, 60, 2))
def test_paths_are_saved_pickled_and_simplified(case, seed):
    graph, table, labels, weights = counted(case(seed), seed)
    if graph.is_tree:
        return
    again = loads(dumps(graph))
    assert again.same_as(graph)
    assert '"version": 4' in dumps(graph)
    assert not again.same_as(replace(graph, paths=None))
    assert pickle.loads(pickle.dumps(graph)).same_as(graph)
    small = simplify(graph)
    expected = with_path_counts(replace(small, paths=None), table, labels, weights).paths
    if expected is not None:
        assert set(zip(small.paths.nodes, small.paths.rows.tolist(), strict=True)) == set(
            zip(expected.nodes, expected.rows.tolist(), strict=True)
        )


PAIRS = [[a, b] for a in (0, 1) for b in (0, 1)]
XOR = [0, 1, 1, 0]
BITS = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
ODD = [sum(row) % 2 for row in BITS]


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.parametrize("solver", ["search", "odd", "construct", "exhaustive"])
def test_a_tree_is_a_tree(solver):
    rows = [0, 3, 5, 6, 7] if solver == "exhaustive" else range(8)
    X, y = [BITS[i][: 2 if solver == "exhaustive" else 3] for i in rows], [ODD[i] for i in rows]
    found = OptimalDiagramClassifier((1, 2, 2), tree=True, ccp_alpha=0.0, solver=solver, time_limit=20).fit(X, y)
    graph = found.diagram_
    assert graph.is_tree
    assert graph.paths is None
    assert found.n_leaves_ == found.get_n_leaves() == found.n_nodes_ + 1 == graph.n_leaves
    assert graph.rows[graph.leaves].sum() == len(X)
    assert trace(found, X[0]).leaf.path is None
    again = OptimalDiagramClassifier((1, 2, 2), tree=True, ccp_alpha=0.0, warm_start=True, time_limit=20).fit(X, y)
    assert again.fit(X, y).cost_ <= found.cost_


def test_a_diagram_has_the_counts_of_its_fit():
    diagram = OptimalDiagramClassifier((1, 2, 2), ccp_alpha=0.0).fit(BITS, ODD, sample_weight=range(8))
    assert not diagram.diagram_.is_tree
    assert diagram.diagram_.paths.rows.sum() == 7  # the row of weight 0 is left out
    found = trace(diagram, BITS[7])
    assert (found.leaf.rows, found.leaf.path.rows) == (4, 1)
    assert str(found).endswith(
        "4 rows, 100.0 % right (51.0 to 100.0 %); this path: 1 row, 100.0 % right (20.7 to 100.0 %)"
    )
    assert found.to_dict()["leaf"]["path"]["rows"] == 1
    frame = counterfactuals(diagram, BITS[7], costs="changes").to_frame()
    assert frame["path_rows"] == [1] * len(frame["cost"])


def test_diagrams_without_counts_say_so():
    graph = replace(OptimalDiagramClassifier((1, 2), ccp_alpha=0.0).fit(PAIRS, XOR).diagram_, paths=None)
    found = trace(graph, [0, 1])
    assert str(found).endswith("; this path: not counted; fit the model again")
    assert found.leaf.path.rows is None
    # limits are then those of the leaf, as before
    assert len(counterfactuals(graph, [0, 1], costs="changes", min_support=2)) > 0


def test_a_report_of_a_diagram():
    diagram = OptimalDiagramClassifier((1, 2), ccp_alpha=0.0).fit([r[:2] for r in BITS], [sum(r[:2]) % 2 for r in BITS])
    text = str(leaf_report(diagram, [[0, 0], [0, 0], [1, 1]], [0, 1, 0], test=([[0, 1]], [1])))
    assert text == (
        "leaf 3: 0 on 2 paths\n"
        "  3 rows, 66.7 % right (20.8 to 93.9 %)\n"
        "  test: 0 rows\n"
        "    x0 <= 0.5 and x1 <= 0.5: 2 rows, 50.0 % right (9.5 to 90.5 %); test: 0 rows\n"
        "    x0 > 0.5 and x1 > 0.5: 1 row, 100.0 % right (20.7 to 100.0 %); test: 0 rows\n"
        "leaf 4: 1 on 1 path\n"
        "  0 rows\n"
        "  test: 1 row, 100.0 % right (20.7 to 100.0 %)\n"
        "    x0 <= 0.5 and x1 > 0.5: 0 rows; test: 1 row, 100.0 % right (20.7 to 100.0 %)"
    )


def test_many_paths_are_counted_not_listed():
    schema = Schema(tuple(ColumnType(f"x{j}", Kind.NUMBER) for j in range(4)), named=True)
    nodes = [Node(0, (16.0,), 16, Test.AT_MOST, j, 0.5, yes=2 * j + 1, no=2 * j + 2) for j in (0,)]
    for layer in range(1, 4):
        ends = (2 * layer + 1, 2 * layer + 2) if layer < 3 else (7, 7)
        nodes += [Node(0, (8.0,), 8, Test.AT_MOST, layer, 0.5, yes=ends[0], no=ends[1])] * 2
    graph = Graph.of_nodes(schema, np.array(["a"]), [*nodes, Node(0, (16.0,), 16)])
    rows = [[a, b, c, d] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]
    text = str(leaf_report(graph, rows * 2, ["a"] * 32))
    assert len(text.splitlines()) == 2 + 8
    rng = np.random.default_rng(0)
    many = Graph.of_nodes(
        schema,
        np.array(["a"]),
        [
            *(replace(n, test=Test.AT_MOST) for n in nodes[:5]),
            Node(0, (8.0,), 8, Test.AT_MOST, 3, 0.5, yes=7, no=8),
            Node(0, (8.0,), 8, Test.AT_MOST, 3, 0.5, yes=8, no=7),
            Node(0, (8.0,), 8),
            Node(0, (8.0,), 8),
        ],
    )
    text = str(leaf_report(many, [rows[i] for i in rng.permutation(16)], ["a"] * 16))
    assert "on 8 paths" in text


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (PathCounts([(0, 1)], [3], [[3.0, 0.0]]), "The paths to leaf 1 have 3 rows, but the leaf has 2."),
        (PathCounts([(0,)], [3], [[3.0, 0.0]]), "(0,) is no decision path of the graph, from the root to a leaf."),
        (PathCounts([(1, 2)], [3], [[3.0, 0.0]]), "(1, 2) is no decision path of the graph, from the root to a leaf."),
        (PathCounts([(0, 7)], [3], [[3.0, 0.0]]), "(0, 7) is no decision path of the graph, from the root to a leaf."),
        (PathCounts([(0, 1)], [2, 1], [[2.0, 0.0]]), "There are 1 paths, but rows and weights of 2 paths."),
        (
            PathCounts([(0, 1)], [0], [[0.0, 0.0]]),
            "Every path must have finite weights, none below zero, and at least one",
        ),
        (PathCounts([(0, 1), (0, 1)], [1, 1], [[1.0, 0.0]] * 2), "The paths of a graph must differ from each other."),
    ],
)
def test_wrong_counts(paths, message):
    schema = Schema((ColumnType("x", Kind.NUMBER),), named=True)
    nodes = [Node(0, (2.0, 1.0), 3, Test.AT_MOST, 0, 0.5, yes=1, no=2), Node(0, (2.0, 0.0), 2), Node(1, (0.0, 1.0), 1)]
    with pytest.raises(InputError, match=re.escape(message)):
        Graph.of_nodes(schema, np.array(["a", "b"]), nodes, paths=paths)


def test_files_with_wrong_counts():
    diagram = OptimalDiagramClassifier((1, 2), ccp_alpha=0.0).fit([r[:2] for r in BITS], [sum(r[:2]) % 2 for r in BITS])
    text = dumps(diagram.diagram_)
    with pytest.raises(FormatError, match=r"paths\[0\]\.weight must have one entry per class; got 1 for 2\."):
        loads(text.replace('"weight": [2.0, 0.0]}', '"weight": [2.0]}', 1))
    with pytest.raises(FormatError, match=r"nodes is no graph: The paths to leaf 3 have 5 rows, but the leaf has 4\."):
        loads(text.replace('"rows": 2, "weight": [2.0, 0.0]}', '"rows": 3, "weight": [2.0, 0.0]}', 1))
    with pytest.raises(FormatError, match=r"has 'paths', which this version of the format does not know"):
        loads(text.replace('"version": 4', '"version": 3'))


def test_labels_that_the_model_does_not_know():
    diagram = OptimalDiagramClassifier((1, 2), ccp_alpha=0.0).fit(PAIRS, ["even", "odd", "odd", "even"])
    message = (
        "y has the label 'Odd', but the model's labels are: 'even', 'odd'. Write labels as in training, and leave out "
        "rows of other classes."
    )
    with pytest.raises(InputError, match=re.escape(message)):
        leaf_report(diagram, [[0, 1]], ["Odd"])
