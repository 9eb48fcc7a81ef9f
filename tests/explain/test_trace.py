"""The path of a row: the questions that the model asks it, its answers and its leaf."""

import numpy as np
import pytest

from exactree.explain import trace
from exactree.model import Graph, Node
from exactree.table import ColumnType, Kind, Schema, Test


def test_questions_answers_and_values(loans, young):
    path = trace(loans, young)
    assert [(step.node, step.question, step.answer) for step in path.steps] == [
        (0, "age <= 40.5", True),
        (1, "job is pilot", False),
        (4, "school <= college", True),
    ]
    assert [step.values for step in path.steps] == [{"age": 30}, {"job": "clerk"}, {"school": "none"}]
    assert (path.label, path.leaf.node, path.leaf.rows, path.leaf.accuracy) == ("bad", 7, 15, 0.8)
    assert path.nodes == (0, 1, 4, 7)
    assert str(path) == (
        "age <= 40.5? yes: age = 30\n"
        "job is pilot? no: job = clerk\n"
        "school <= college? yes: school = none\n"
        "=> bad; leaf 7: 15 rows, 80.0 % right (54.8 to 93.0 %)"
    )


def test_a_table_gives_a_list(loans, young):
    paths = trace(loans, [young, young | {"age": None}, young | {"job": "diver"}])
    assert [path.leaf.node for path in paths] == [7, 5, 7]
    assert "age = missing" in str(paths[1])
    assert "job = diver" in str(paths[2])


def test_confidence(loans, young):
    narrow, wide = (trace(loans, young, confidence=share).leaf.interval for share in (0.5, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_as_plain_values(loans, young):
    content = trace(loans, young).to_dict()
    assert content["label"] == "bad"
    assert content["path"][0] == {"node": 0, "question": "age <= 40.5", "answer": True, "values": {"age": 30.0}}
    assert content["leaf"]["rows"] == 15


@pytest.mark.each("seed", range(60))
def test_answers_are_those_of_the_model(case, make_table, seed):
    """Each step's answer, given at the root of a graph of its own, leads to the same side."""
    made = case(seed)
    passed = made.graph.decision_path(made.table).toarray()
    for at, path in enumerate(trace(made.graph, made.table)):
        assert [*(step.node for step in path.steps), path.leaf.node] == np.flatnonzero(passed[at]).tolist()
        for step in path.steps:
            node = made.graph.nodes()[step.node]
            ask = Node(**{name: getattr(node, name) for name in node.__slots__} | {"yes": 1, "no": 2})
            leaves = [Node(0, (1.0, 0.0, 0.0), 1), Node(1, (0.0, 1.0, 0.0), 1)]
            alone = Graph.of_nodes(made.graph.schema, made.graph.classes, [ask, *leaves], made.graph.missing_seen)
            assert bool(alone.predict(made.table)[at] == 0) == step.answer


def test_sums_and_branches_whose_answers_lead_to_one_node():
    schema = Schema((ColumnType("x", Kind.NUMBER), ColumnType("y", Kind.NUMBER)), named=True)
    total = Node(0, (1.0,), 1, Test.LINEAR, threshold=3.0, missing_yes=True, yes=1, no=1, factors=((0, 1.0), (1, 2.0)))
    graph = Graph.of_nodes(schema, np.array(["a"]), [total, Node(0, (1.0,), 1)])
    paths = trace(graph, [{"x": 1, "y": 1}, {"x": 2, "y": 1}, {"x": 2, "y": None}])
    assert [path.steps[0].answer for path in paths] == [True, False, True]
    assert str(paths[1]).startswith("x + 2 * y <= 3? no: x = 2, y = 1\n")


def test_a_lone_leaf():
    graph = Graph.leaf(Schema((ColumnType("x", Kind.NUMBER),), named=True), np.array(["a"]), 0, [2.0], 2)
    assert str(trace(graph, [1.0])) == "every row\n=> a; leaf 0: 2 rows, 100.0 % right (34.2 to 100.0 %)"
