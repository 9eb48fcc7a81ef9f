"""Every threshold stands in the middle of the gap between the rows that it splits, whoever found it."""

import numpy as np
import pandas as pd
import pytest

from exactree.encode import Growth, encode
from exactree.problem import DiagramLimits, DiagramProblem, Limits, Problem, accuracy
from exactree.solve import Budget, solve
from exactree.solve.registry import solve_diagram
from exactree.solve.trees.ranked_tree import RankedNode, find_question, from_graph, reached, to_graph
from exactree.table import Kind, Table, Test

TREE_SOLVERS = ["search", "dl85", "exhaustive", "binoct", "oct", "column-generation"]
DIAGRAM_SOLVERS = ["search", "odd", "construct", "exhaustive"]


def test_a_threshold_is_the_middle_of_the_rows_at_its_node():
    # x1 splits the classes only among the rows with x0 <= 0.5, and there nothing lies between 1 and 9
    X = [[0, 1], [0, 9], [0, 1], [0, 9], [1, 2], [1, 3], [1, 7], [1, 8]]
    y = ["a", "b", "a", "b", "c", "c", "c", "c"]
    tree = solve(_trees(X, y, depth=2), "search").model
    assert tree.threshold[tree.column == 1].tolist() == [5.0]


@pytest.mark.each("solver", TREE_SOLVERS)
@pytest.mark.each("seed", range(6))
def test_trees_have_no_cut_nearer_to_the_middle(solver, seed):
    X, y = _random(seed, n_rows=9 if solver == "exhaustive" else 14)
    _check(problem := _trees(X, y, depth=2), solve(problem, solver, Budget(seconds=20)).model)


@pytest.mark.parametrize("solver", DIAGRAM_SOLVERS)
@pytest.mark.each("seed", range(4))
def test_diagrams_have_no_cut_nearer_to_the_middle(solver, seed):
    X, y = _random(seed, n_rows=8)
    data = encode(Table.of(X), y)
    problem = DiagramProblem(data, accuracy(data), DiagramLimits((1, 2), ccp_alpha=0.01))
    _check(problem, solve_diagram(problem, solver, Budget(seconds=20)).model)


@pytest.mark.each("seed", range(10))
def test_missing_values_and_large_integers(seed):
    X, y = _random(seed, n_rows=20)
    wide = (X[:, 0] * 1000).astype(np.int64) + 2**60
    holes = np.where(np.random.default_rng(seed).random(20) < 0.3, np.nan, X[:, 1])
    problem = _trees(pd.DataFrame({"wide": wide, "holes": holes}), y, depth=3)
    assert problem.data.table.columns[0].kind is Kind.INTEGER
    _check(problem, solve(problem, "search").model)


@pytest.mark.parametrize("policy", ["class-changes", "quantiles(3)", "sampled"])
def test_thresholds_stay_among_those_that_are_allowed(policy):
    X, y = _random(3, n_rows=40)
    problem = _trees(X, y, depth=3, thresholds=policy)
    tree = solve(problem, "search").model
    allowed = {(c.source, float(cut)) for c in problem.data.columns for cut in c.cuts}
    asked = {(int(tree.column[v]), float(tree.threshold[v])) for v in np.flatnonzero(tree.test == Test.AT_MOST)}
    assert asked
    assert asked <= allowed


def test_equal_subtrees_are_merged_before_their_thresholds_are_centred():
    # Both sides of the root ask x1 <= 1; the gaps among their rows differ, yet the root is not needed.
    problem = _trees([[0, 0], [0, 8], [1, 1], [1, 2]], ["a", "b", "a", "b"], depth=2)
    columns = {problem.data.columns[c].source: c for c in range(2)}
    leaves = [RankedNode(-1, -1, -1, -1, label) for label in (0, 1)]
    root = RankedNode(columns[0], 0, 1, 4, 0)
    yes, no = (RankedNode(columns[1], 1, at + 1, at + 2, 0) for at in (1, 4))
    graph = to_graph(problem, [root, yes, *leaves, no, *leaves])
    assert graph.n_nodes == 3
    assert graph.threshold[0] == 1.5  # between 1 and 2, of the rows of both sides; 5 for one side


def _of_many_kinds(seed):
    """Numbers, categories, missing values, and integers beyond 2^53."""
    random = np.random.default_rng(seed)
    X, y = _random(seed, n_rows=30)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["colour"] = random.choice(["red", "green", "blue"], 30)
    frame["holes"] = np.where(random.random(30) < 0.3, np.nan, X[:, 1])
    frame["wide"] = (X[:, 0] * 1000).astype(np.int64) + 2**60
    return frame.iloc[:, [seed % 5, (seed + 1) % 5, (seed + 3) % 5]], y


@pytest.mark.each("seed", range(30))
def test_thresholds_are_those_that_the_finished_graph_would_be_given(seed):
    X, y = _of_many_kinds(seed)
    policy = ("all", "quantiles(4)", "class-changes")[seed % 3]
    trees = _trees(X, y, depth=3, thresholds=policy)
    diagrams = DiagramProblem(trees.data, accuracy(trees.data), DiagramLimits((1, 2, 2), ccp_alpha=0.01))
    found = solve(trees, "search"), solve_diagram(diagrams, "search", Budget(seconds=5))
    for graph in (solution.model for solution in found):
        threshold, code = _recentred(trees.data, graph)
        np.testing.assert_array_equal(graph.threshold, threshold)
        np.testing.assert_array_equal(graph.code, code)


def test_centring_moves_thresholds():
    X, y = _random(0, n_rows=200)
    problem = _trees(X, y, depth=3)
    graph = solve(problem, "search").model
    ranked = [RankedNode(*node) for node in from_graph(problem, graph).tolist()]
    data, moved = problem.data, 0
    for node, points in zip(ranked, reached(data, ranked), strict=True):
        if node.column >= 0:
            ranks = data.columns[node.column].ranks[points]
            moved += node.rank != ranks[ranks <= node.rank].max()
    assert moved > 0


def _recentred(data, graph):
    """Thresholds and codes by another method: from the finished graph back to ranks, with the rows routed there."""
    threshold, code = graph.threshold.tolist(), graph.code.tolist()
    rows = graph.reached(data.table)
    for node in np.flatnonzero(graph.test == Test.AT_MOST).tolist():
        column, rank, _ = find_question(data, graph, node)
        column = data.columns[column]
        ranks = column.ranks[data.point_of[rows[node]]]
        below, above = ranks[ranks <= rank], ranks[ranks > rank]
        if len(below) == 0 or len(above) == 0:
            continue
        cut = column.cut(column.between(int(below.max()), int(above.min())))
        if np.isinf(cut):
            continue
        is_integer = data.table.columns[column.source].kind is Kind.INTEGER
        (code if is_integer else threshold)[node] = cut.item()
    return threshold, code


def _random(seed, n_rows):
    random = np.random.default_rng(seed)
    X = np.round(random.exponential(size=(n_rows, 2)) ** 2, 3)  # wide gaps and narrow ones
    return X, random.integers(0, 2, n_rows)


def _trees(X, y, depth, thresholds="all"):
    growth = Growth(depth, 1, None) if thresholds == "sampled" else None
    data = encode(Table.of(X), y, thresholds=thresholds, growth=growth)
    return Problem(data, accuracy(data), Limits(max_depth=depth))


def _check(problem, graph):
    """Test each threshold against the middle of the rows that the graph itself sends to its two sides."""
    table = problem.data.table
    for node, rows in enumerate(graph.reached(table)):
        if graph.test[node] != Test.AT_MOST:
            continue
        source = int(graph.column[node])
        values = table.columns[source].values[rows]
        is_whole = table.columns[source].kind is Kind.INTEGER
        threshold = int(graph.code[node]) if is_whole else float(graph.threshold[node])
        below, above = values[values <= threshold], values[values > threshold]
        if len(below) == 0 or len(above) == 0:
            continue  # the others lack a value
        everywhere = np.unique(table.columns[source].values[_present(table.columns[source].values)])
        gap = everywhere[(everywhere >= below.max()) & (everywhere <= above.min())].tolist()
        middle = (gap[0] + gap[-1]) / 2 if not is_whole else (gap[0] + gap[-1]) // 2
        # The two values that enclose the middle enclose the threshold as well.
        low, high = max(v for v in gap if v <= middle), min((v for v in gap if v > middle), default=gap[-1])
        assert low <= threshold <= high


def _present(values):
    return ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
