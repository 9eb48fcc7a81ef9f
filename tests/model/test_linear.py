"""Linear questions: sums of columns in predictions, files, texts and pictures, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from exactree.errors import FormatError, InputError
from exactree.estimators.importances import importances
from exactree.export import to_text
from exactree.model import Graph, Node, dumps, loads, simplify
from exactree.plot import to_svg
from exactree.table import ColumnType, Kind, Schema, Table, Test

SCHEMA = Schema(
    (
        ColumnType("length", Kind.NUMBER),
        ColumnType("is wet", Kind.BOOLEAN),
        ColumnType("colour", Kind.CATEGORY, ("blue", "red")),
    ),
    named=True,
)
BRANCH = Node(0, (2.0, 2.0), 4, Test.LINEAR, threshold=1.5, yes=1, no=2, factors=((0, 1.0), (1, -0.25)))
LEAVES = [Node(0, (2.0, 0.0), 2), Node(1, (0.0, 2.0), 2)]


def graph_of(*nodes):
    return Graph.of_nodes(SCHEMA, np.array(["dry", "wet"]), list(nodes))


def table_of(*rows):
    return Table.of([[*row, "blue"] for row in rows], names=["length", "is wet", "colour"]).conform(SCHEMA)


def test_the_sum_is_compared_with_the_threshold():
    table = table_of([1.5, False], [1.75, True], [1.76, True], [1.5000001, False])
    assert graph_of(BRANCH, *LEAVES).predict(table).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("missing_yes", [False, True])
def test_a_row_that_lacks_a_value_goes_where_the_node_says(missing_yes):
    graph = graph_of(replace(BRANCH, missing_yes=missing_yes), *LEAVES)
    assert graph.predict(table_of([None, True], [9.0, None], [0.0, True])).tolist() == [not missing_yes] * 2 + [0]


def test_rows_answer_alike_alone_and_together():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.random(50) + 1, rng.integers(0, 2, 50)]).tolist()
    graph = graph_of(BRANCH, *LEAVES)
    assert graph.predict(table_of(*rows)).tolist() == [int(graph.predict(table_of(row))[0]) for row in rows]


def test_files_hold_the_factors_and_the_version_that_knows_them():
    graph = graph_of(BRANCH, *LEAVES)
    file = json.loads(dumps(graph))
    assert file["version"] == 2
    assert file["content"]["nodes"][0]["factors"] == [[0, 1.0], [1, -0.25]]
    assert loads(dumps(graph)).same_as(graph)
    assert json.loads(dumps(graph_of(LEAVES[0])))["version"] == 1


def test_an_older_version_has_no_linear_questions():
    text = dumps(graph_of(BRANCH, *LEAVES)).replace('"version": 2', '"version": 1')
    with pytest.raises(FormatError, match=r"nodes\[0\] has 'factors', which this version of the format does not know"):
        loads(text)


def test_text_has_the_whole_linear_combination():
    long = replace(SCHEMA.columns[0], name="l" * 70)
    graph = Graph.of_nodes(replace(SCHEMA, columns=(long, *SCHEMA.columns[1:])), ["dry", "wet"], [BRANCH, *LEAVES])
    assert to_text(graph).splitlines()[0] == "l" * 70 + " - 0.25 * is wet <= 1.5"
    assert graph.question(0).text(yes=False) == "l" * 70 + " - 0.25 * is wet > 1.5"


def test_a_picture_breaks_the_sum_between_its_terms():
    wide = tuple(replace(column, name=column.name * 3) for column in SCHEMA.columns)
    graph = Graph.of_nodes(replace(SCHEMA, columns=wide), ["dry", "wet"], [BRANCH, *LEAVES])
    picture = to_svg(graph)
    assert ">lengthlengthlength<" in picture
    assert ">- 0.25 * is wetis wetis wet" in picture
    assert "≤ 1.5" in picture


def test_columns_of_a_sum_share_its_importance():
    assert importances(graph_of(BRANCH, *LEAVES)).tolist() == [0.5, 0.5, 0.0]


def test_equal_sums_are_merged_and_others_are_not():
    inner = [replace(BRANCH, yes=3, no=4), replace(BRANCH, yes=5, no=6)]
    top = Node(0, (4.0, 4.0), 8, Test.IS_LEVEL, column=2, yes=1, no=2)
    assert simplify(graph_of(top, *inner, *LEAVES, *LEAVES)).n_leaves == 2
    other = replace(inner[1], factors=((0, 1.0), (1, 0.25)))
    assert simplify(graph_of(top, inner[0], other, *LEAVES, *LEAVES)).n_leaves == 4


@pytest.mark.each(
    ("change", "message"),
    [
        (
            {"factors": ()},
            r"array factors|Node 0 is an oblique split: its factors must be finite and not all zero\.",
        ),
        ({"factors": ((0, np.inf),)}, r"Node 0 is an oblique split: its factors must be finite and not all zero\."),
        (
            {"factors": ((2, 1.0),)},
            r"Node 0 is an oblique split: column 'colour' must be a number; got kind category\.",
        ),
        ({"factors": ((7, 1.0),)}, r"Node 0 asks column 7, but the schema has 3\."),
        ({"factors": ((0, 1.0), (0, 2.0))}, r"Node 0 has column 0 twice in its linear combination\."),
        ({"threshold": np.inf}, r"Node 0 is an oblique split: its threshold must be finite; got inf\."),
        ({"column": 0}, r"Node 0 is an oblique split: its column must be -1; got 0\."),
        ({"test": Test.AT_MOST, "column": 0}, r"array factors of a graph must be float64 of shape \(0, 0\)"),
    ],
)
def test_what_is_no_linear_question(change, message):
    with pytest.raises(InputError, match=message):
        graph_of(replace(BRANCH, **change), *LEAVES)


def test_factors_at_other_nodes_are_refused():
    graph = graph_of(BRANCH, *LEAVES)
    fields = {name: getattr(graph, name) for name in Graph.__dataclass_fields__}
    factors = graph.factors.copy()
    assert graph.coefficients is graph.factors
    factors[2, 0] = 1.0
    with pytest.raises(InputError, match=r"Node 2 has factors, but is no oblique split\."):
        Graph(**{**fields, "factors": factors})
