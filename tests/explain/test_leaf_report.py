"""Leaf by leaf: rules, support, accuracy and intervals, on training and test rows."""

import re
from itertools import pairwise

import numpy as np
import pytest

from exactree import OptimalTreeClassifier
from exactree.errors import InputError
from exactree.explain import leaf_facts, leaf_report, wilson
from exactree.explain.wording import n_paths, paths_to, rule_text
from exactree.model import Graph, Node, paths
from exactree.table import ColumnType, Kind, Schema, Test

X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
y = np.array(["a", "a", "b", "b", "a"])


@pytest.fixture(scope="module")
def tree():
    return OptimalTreeClassifier(max_depth=1).fit(X, y)


def test_wilson_against_published_values():
    # Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (right, n), ends in published.items():
        assert wilson(right / n, n) == pytest.approx(ends, abs=5e-5)


def test_wilson_widens_with_confidence_and_shrinks_with_rows():
    widths = [np.diff(wilson(0.8, n))[0] for n in (5, 50, 500)]
    assert all(a > b for a, b in pairwise(widths))
    assert np.diff(wilson(0.8, 50, 0.99))[0] > np.diff(wilson(0.8, 50, 0.9))[0]
    assert wilson(0.3, 0) == (0.0, 1.0)
    with pytest.raises(InputError, match=r"confidence is 95\. Expected a number between 0 and 1"):
        wilson(0.5, 10, 95)


def test_every_leaf_with_its_rule(tree):
    report = leaf_report(tree, X, y)
    assert [(leaf.rule, leaf.label) for leaf in report.leaves] == [("x0 <= 2.5", "a"), ("x0 > 2.5", "b")]
    assert [(leaf.score.rows, leaf.score.accuracy) for leaf in report.leaves] == [(2, 1.0), (3, 2 / 3)]
    assert all(
        (leaf.score.low, leaf.score.high) == wilson(leaf.score.accuracy, leaf.score.rows) for leaf in report.leaves
    )
    assert report.leaves[0].test is None


def test_on_the_training_rows_it_says_what_the_model_says(tree):
    for leaf in leaf_report(tree, X, y).leaves:
        facts = leaf_facts(tree.tree_, leaf.node)
        assert (facts.rows, facts.accuracy, facts.interval) == (
            leaf.score.rows,
            leaf.score.accuracy,
            (leaf.score.low, leaf.score.high),
        )


def test_test_rows(tree):
    report = leaf_report(tree, X, y, test=([[1.0], [1.5], [9.0]], ["a", "b", "b"]))
    assert [(leaf.test.rows, leaf.test.accuracy) for leaf in report.leaves] == [(2, 0.5), (1, 1.0)]
    empty = leaf_report(tree, X, y, test=([[1.0]], ["a"])).leaves[1].test
    assert (empty.rows, empty.accuracy, empty.low, empty.high) == (0, None, 0.0, 1.0)


def test_weights_count(tree):
    report = leaf_report(tree, X, y, sample_weight=[1, 1, 1, 1, 6])
    assert report.leaves[1].score.accuracy == 0.25
    worth = 8**2 / (1 + 1 + 36)
    assert (report.leaves[1].score.low, report.leaves[1].score.high) == wilson(0.25, worth)
    equal, none = leaf_report(tree, X, y, sample_weight=[3] * 5), leaf_report(tree, X, y)
    assert equal == none


def test_printed(tree):
    text = str(leaf_report(tree, X, y, test=(X[:1], y[:1])))
    assert text == (
        "leaf 1: a if x0 <= 2.5\n"
        "  2 rows, 100.0 % right (34.2 to 100.0 %)\n"
        "  test: 1 row, 100.0 % right (20.7 to 100.0 %)\n"
        "leaf 2: b if x0 > 2.5\n"
        "  3 rows, 66.7 % right (20.8 to 93.9 %)\n"
        "  test: 0 rows"
    )


def test_as_plain_values(tree):
    content = leaf_report(tree, X, y, confidence=0.9).to_dict()
    assert content["confidence"] == 0.9
    assert content["leaves"][0]["rule"] == "x0 <= 2.5"
    assert content["leaves"][0]["score"]["rows"] == 2


def test_a_rule_has_the_tightest_limits(loans):
    assert rule_text(loans, 10) == "age <= 40.5 and job is not pilot and school > college and income > 2.45"
    schema = Schema((ColumnType("x", Kind.NUMBER),), named=True)
    cuts = [Node(0, (1.0,), 1, Test.AT_MOST, 0, cut, yes=i + 1, no=4) for i, cut in enumerate([5.0, 3.0, 4.0])]
    leaf = Node(0, (1.0,), 1)
    graph = Graph.of_nodes(schema, np.array(["a"]), [*cuts, leaf, leaf])
    assert rule_text(graph, 3) == "x <= 3"


def test_missing_values_in_a_rule_stand_in_brackets():
    schema = Schema((ColumnType("x", Kind.NUMBER), ColumnType("y", Kind.NUMBER)), named=True)
    leaf = Node(0, (1.0,), 1)
    nodes = [Node(0, (1.0,), 1, Test.AT_MOST, j, 1.5, missing_yes=True, yes=j + 1, no=3) for j in range(2)]
    graph = Graph.of_nodes(schema, np.array(["a"]), [*nodes, leaf, leaf], np.array([True, True]))
    assert rule_text(graph, 2) == "(x <= 1.5 or missing) and (y <= 1.5 or missing)"
    assert rule_text(graph, 3) == "x > 1.5, or (x <= 1.5 or missing) and y > 1.5"


@pytest.mark.each("seed", range(40))
def test_paths_to_a_leaf(case, seed):
    graph = case(seed).graph
    all_paths = list(paths(graph))
    for leaf in graph.leaves.tolist():
        expected = [path.answers for path in all_paths if path.leaf == leaf]
        assert sorted(paths_to(graph, leaf)) == sorted(expected)
        assert n_paths(graph)[leaf] == len(expected)


def test_many_paths_are_counted_not_listed():
    """Thirty questions with both answers leading to the next: a billion paths."""
    schema = Schema((ColumnType("x", Kind.NUMBER),), named=True)
    nodes = [Node(0, (1.0,), 1, Test.AT_MOST, 0, float(i), yes=i + 1, no=i + 1) for i in range(30)]
    graph = Graph.of_nodes(schema, np.array(["a"]), [*nodes, Node(0, (1.0,), 1)])
    assert rule_text(graph, 30).endswith(f", or one of {2**30 - 3} more paths")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((X, y[:3]), {}, "X has 5 rows but y has shape (3,). Give one label per row."),
        ((X, y), {"sample_weight": [1, 2]}, "sample_weight must be 5 finite numbers, 0 or more, one per row."),
        ((X, y), {"sample_weight": [-1] * 5}, "sample_weight must be 5 finite numbers, 0 or more, one per row."),
        ((X, y), {"test": X}, "test is a ndarray. Expected a pair (X_test, y_test)."),
    ],
)
def test_wrong_parameters(tree, arguments, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        leaf_report(tree, *arguments, **options)
