from textwrap import dedent

import numpy as np

from exactree.export import to_text
from exactree.model import Graph, Node
from exactree.model.wording import display_width
from exactree.table import ColumnType, Kind, Schema, Test

SCHEMA = Schema((ColumnType("x", Kind.NUMBER), ColumnType("colour", Kind.CATEGORY, ("blue", "red"))), named=True)


def branch(yes, no, *, threshold=0.5, rows=0, classes=2):
    weight = (0.0,) * classes
    return Node(0, weight, rows, test=Test.AT_MOST, column=0, threshold=threshold, yes=yes, no=no)


def graph_of(nodes, classes=("no", "yes"), **kwargs):
    return Graph.of_nodes(SCHEMA, np.array(classes), nodes, **kwargs)


def expected(text):
    return dedent(text).strip("\n")


def test_columns_are_aligned():
    colour = Node(1, (9.0, 1.0), 10, test=Test.IS_LEVEL, column=1, code=1, yes=3, no=4)
    nodes = [branch(1, 2), colour, Node(1, (0.0, 1200.0), 1200), Node(0, (7.0, 0.0), 7), Node(1, (2.0, 1.0), 3)]
    assert to_text(graph_of(nodes)) == expected("""
        x <= 0.5
        ├─ yes: colour is red
        │       ├─ yes: no        7 rows   100.0 % right
        │       └─ no:  yes       3 rows    33.3 % right
        └─ no:  yes           1,200 rows   100.0 % right
    """)


def test_one_leaf():
    assert to_text(Graph.leaf(SCHEMA, ["no", "yes"], 1, [0.0, 1.0], 1)) == "yes   1 row    100.0 % right"


def test_weights_that_are_not_counts_are_called_weight():
    nodes = [branch(1, 2), Node(0, (2.5, 0.5), 4), Node(1, (0.0, 1.0), 1)]
    assert to_text(graph_of(nodes)) == expected("""
        x <= 0.5
        ├─ yes: no    4 rows    83.3 % of weight right
        └─ no:  yes   1 row    100.0 % of weight right
    """)


def test_a_leaf_without_rows_claims_nothing():
    nodes = [branch(1, 2), Node(0, (2.0, 0.0), 2), Node(1, (0.0, 0.0), 0)]
    assert to_text(graph_of(nodes)).splitlines()[2] == "└─ no:  yes   0 rows"


def test_shared_nodes_are_written_once():
    nodes = [
        branch(1, 2),
        branch(3, 4, threshold=0.25),
        branch(3, 5, threshold=0.75),
        branch(4, 5, threshold=0.625),
        Node(0, (2.0, 0.0), 2),
        Node(1, (0.0, 3.0), 3),
    ]
    assert to_text(graph_of(nodes)) == expected("""
        x <= 0.5
        ├─ yes: x <= 0.25
        │       ├─ yes: [1] x <= 0.625
        │       │       ├─ yes: no    2 rows   100.0 % right
        │       │       └─ no:  yes   3 rows   100.0 % right
        │       └─ no:  no (as above)
        └─ no:  x <= 0.75
                ├─ yes: go on at [1] x <= 0.625
                └─ no:  yes (as above)
    """)


def test_shared_leaves_of_one_class_are_numbered():
    nodes = [
        branch(1, 2),
        branch(3, 4, threshold=0.25),
        branch(4, 5, threshold=0.75),
        Node(0, (2.0, 0.0), 2),
        Node(1, (0.0, 3.0), 3),
        Node(1, (0.0, 1.0), 1),
    ]
    assert to_text(graph_of(nodes)) == expected("""
        x <= 0.5
        ├─ yes: x <= 0.25
        │       ├─ yes: no        2 rows   100.0 % right
        │       └─ no:  [1] yes   3 rows   100.0 % right
        └─ no:  x <= 0.75
                ├─ yes: go on at [1] yes
                └─ no:  yes       1 row    100.0 % right
    """)


def test_long_names_do_not_explode_the_width():
    schema = Schema((ColumnType("n" * 300, Kind.CATEGORY, ("l" * 300, "m\nm")),), named=True)
    root = Node(0, (1.0, 1.0), 2, test=Test.IS_LEVEL, column=0, code=0, yes=1, no=2)
    leaves = [Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)]
    lines = to_text(Graph.of_nodes(schema, np.array(["c" * 300, "two\nlines"]), [root, *leaves])).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 100
    assert lines[0] == "n" * 27 + "… is " + "l" * 27 + "…"
    assert "two lines" in lines[2]


def test_wide_characters_stay_aligned():
    nodes = [branch(1, 2), Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)]
    lines = to_text(graph_of(nodes, classes=("花", "maple"))).splitlines()
    assert display_width(lines[1]) == display_width(lines[2])


def test_digits():
    nodes = [branch(1, 2, threshold=1 / 3), Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)]
    assert to_text(graph_of(nodes)).startswith("x <= 0.3333333333333333\n")
    assert to_text(graph_of(nodes), digits=3).startswith("x <= 0.333\n")


def test_nearly_all_right_is_not_all_right():
    nodes = [branch(1, 2), Node(0, (99_999.0, 1.0), 100_000), Node(1, (0.0, 1.0), 1)]
    assert "99.9 % right" in to_text(graph_of(nodes))
