"""Changes in the caller's own units, within the caller's limits; what is said where there are none."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from exactree import OptimalTreeClassifier
from exactree.errors import InputError, Unsupported
from exactree.explain import counterfactuals, trace
from exactree.model import Graph, Node
from exactree.table import ColumnType, Kind, Schema, Test


def changes_of(answer):
    return {change.column: (change.old, change.new) for change in answer.changes}


def test_one_answer_for_every_path_out(loans, young):
    found = counterfactuals(loans, young, costs="changes")
    assert [changes_of(answer) for answer in found] == [
        {"job": ("clerk", "pilot")},
        {"age": (30, 41)},
        {"income": (2.0, 2.451), "school": ("none", "master")},
    ]
    assert [answer.cost for answer in found] == [1.0, 1.0, 2.0]
    assert found.label == "bad"
    assert {answer.label for answer in found} == {"good"}
    assert all(answer.proved for answer in found)


def test_ties_go_to_the_leaf_that_is_right_more_often(loans, young):
    found = counterfactuals(loans, young, costs="changes")
    assert [answer.leaf.accuracy for answer in found[:2]] == [1.0, 0.9]


def test_equal_costs_go_to_fewer_changes(loans, young):
    """Two steps of school lead to a leaf that is right less often than the one for a year of age and no debts."""
    row = young | {"age": 40, "debts": True, "income": 3.0}
    column_costs = {"age": 1.0, "debts": 1.0, "school": 1.0, "job": 9.0, "income": 9.0}
    found = counterfactuals(loans, row, costs=column_costs, k=2)
    assert [(answer.cost, answer.n_changes, answer.leaf.accuracy) for answer in found] == [
        (2.0, 1, 0.75),
        (2.0, 2, 0.9),
    ]


def test_at_most_k(loans, young):
    assert len(counterfactuals(loans, young, k=1, costs="changes")) == 1


@pytest.mark.parametrize(
    "row",
    [
        [30, 2.0, "clerk", "none", False],
        (30, 2.0, "clerk", "none", False),
        np.array([30, 2.0, "clerk", "none", False], dtype=object),
        pd.Series({"debts": False, "income": 2.0, "job": "clerk", "school": "none", "age": 30}),
        pd.DataFrame({"age": [30], "income": [2.0], "job": ["clerk"], "school": ["none"], "debts": [False]}),
        pl.DataFrame({"age": [30], "income": [2.0], "job": ["clerk"], "school": ["none"], "debts": [False]}),
    ],
    ids=lambda row: type(row).__name__,
)
def test_a_row_in_many_forms(loans, young, row):
    assert counterfactuals(loans, row, costs="changes") == counterfactuals(loans, young, costs="changes")


def test_a_table_gives_a_list(loans, young):
    frame = pd.DataFrame([young, young | {"age": 50}])
    found = counterfactuals(loans, frame, costs="changes")
    assert [result.label for result in found] == ["bad", "good"]
    assert changes_of(found[1][0]) in ({"debts": (False, True)}, {"age": (50, 40)})


def test_a_fitted_estimator_is_a_model_too():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    tree = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "a", "b", "b"])
    (answer,) = counterfactuals(tree, [1.0], data=X)
    assert changes_of(answer) == {"x0": (1.0, 3.0)}
    assert answer.row == {"x0": 3.0}
    assert tree.predict([[3.0]]) == ["b"]


def test_fixed_columns_stay(loans, young):
    found = counterfactuals(loans, young, fixed=["age", "job"], costs="changes")
    assert [set(changes_of(answer)) for answer in found] == [{"income", "school"}]


def test_only_up_and_only_down(loans, young):
    assert "age" not in str(counterfactuals(loans, young, only_down=["age"], costs="changes"))
    assert changes_of(counterfactuals(loans, young, only_up=["age"], fixed=["job"], costs="changes")[0]) == {
        "age": (30, 41)
    }
    old = young | {"age": 50, "debts": True}
    assert all(
        "debts" not in changes_of(answer) for answer in counterfactuals(loans, old, only_up=["debts"], costs="changes")
    )


def test_ordered_categories_go_up_only(loans, young):
    wealthy = young | {"income": 3.0, "school": "master"}
    assert (
        counterfactuals(loans, wealthy, fixed=["age", "income", "job", "debts"], costs="changes")[0].changes[0].new
        == "college"
    )
    found = counterfactuals(
        loans, wealthy, fixed=["age", "income", "job", "debts"], only_up=["school"], costs="changes"
    )
    assert len(found) == 0


def test_ranges_say_what_a_column_may_change_to(loans, young):
    answer = counterfactuals(loans, young, ranges={"age": (45, 60)}, fixed=["job"], costs="changes")[0]
    assert changes_of(answer) == {"age": (30, 45)}
    found = counterfactuals(loans, young, ranges={"age": (None, 40), "job": ["clerk", "nurse"]}, costs="changes")
    assert [set(changes_of(answer)) for answer in found] == [{"income", "school"}]


def test_what_is_outside_its_range_may_stay(loans, young):
    answer = counterfactuals(loans, young, ranges={"age": (45, 60)}, fixed=["school"], k=1, costs="changes")[0]
    assert changes_of(answer) == {"job": ("clerk", "pilot")}


def test_wanted_labels(loans, young):
    assert counterfactuals(loans, young, "good", costs="changes") == counterfactuals(
        loans, young, ["good"], costs="changes"
    )
    already = counterfactuals(loans, young, "bad", costs="changes")
    assert already.already
    assert len(already) == 0
    assert already.relax is None
    assert "nothing has to change" in str(already)


def test_observed_values_are_preferred(loans, young):
    data = [[44, 2.0, "clerk", "none", False], [39, 2.7, "nurse", "college", True], [61, 3.1, "pilot", "master", False]]
    found = counterfactuals(loans, young, costs="changes", data=data, k=9)
    assert {"age": (30, 44)} in [changes_of(answer) for answer in found]
    assert {"income": (2.0, 2.7), "school": ("none", "master")} in [changes_of(answer) for answer in found]


def test_numbers_without_data_are_whole_only_where_thresholds_suggest_it(loans, young):
    assert counterfactuals(loans, young | {"age": 30.5}, fixed=["job"], costs="changes")[0].changes[0].new == 40.51
    old = young | {"age": 50.0}
    assert counterfactuals(loans, old, fixed=["debts"], costs="changes")[0].changes[0].new == 40.0
    assert counterfactuals(loans, old | {"age": 50.25}, fixed=["debts"], costs="changes")[0].changes[0].new == 40.5


def test_rare_levels_are_dear(loans, young):
    row = [30, 2.0, "clerk", "none", False]
    data = [row] * 20 + [[50, 2.0, "clerk", "none", False]] * 20 + [[30, 2.0, "pilot", "none", False]]
    assert changes_of(counterfactuals(loans, young, data=data)[0]) == {"age": (30, 50)}
    assert changes_of(counterfactuals(loans, young, data=data, costs="changes")[0]) == {"job": ("clerk", "pilot")}


def missing_graph(*, seen):
    """Rows without x, and those with x above 5, are b."""
    schema = Schema((ColumnType("x", Kind.NUMBER), ColumnType("c", Kind.CATEGORY, ("p", "q"))), named=True)
    nodes = [
        Node(0, (2.0, 2.0), 4, Test.AT_MOST, 0, 5.0, missing_yes=False, yes=1, no=2),
        Node(0, (2.0, 0.0), 2),
        Node(1, (0.0, 2.0), 2),
    ]
    return Graph.of_nodes(schema, np.array(["a", "b"]), nodes, np.array([seen, False]))


def test_a_value_may_become_missing_only_if_that_was_seen():
    column_costs = {"x": 1.0, "c": 1.0}
    answer = counterfactuals(missing_graph(seen=True), {"x": 1, "c": "p"}, costs=column_costs)[0]
    assert changes_of(answer) == {"x": (1, None)}
    assert answer.cost == 1.0
    answer = counterfactuals(missing_graph(seen=False), {"x": 1, "c": "p"}, costs=column_costs)[0]
    assert changes_of(answer) == {"x": (1, 6)}
    for limit in ({"only_up": ["x"]}, {"ranges": {"x": (0, 9)}}):
        assert (
            counterfactuals(missing_graph(seen=True), {"x": 1, "c": "p"}, costs=column_costs, **limit)[0].row["x"] > 5
        )


def test_a_missing_value_may_get_one_at_the_price_of_a_change():
    answer = counterfactuals(missing_graph(seen=True), {"x": None, "c": "p"}, costs={"x": 7.0, "c": 1.0})[0]
    assert changes_of(answer) == {"x": (None, 5)}
    assert answer.cost == 7.0
    data = [[1.0, "p"], [2.0, "p"], [2.5, "q"], [3.0, "q"], [9.0, "q"]]
    assert counterfactuals(missing_graph(seen=True), {"x": None, "c": "p"}, data=data)[0].row["x"] == 2.5


def test_a_missing_value_stays_where_it_does_no_harm(loans, young):
    for answer in counterfactuals(loans, young | {"income": None, "school": None}, costs="changes"):
        assert answer.row["income"] is None or "income" in changes_of(answer)


def test_unknown_levels_are_shown_as_they_came(loans, young):
    found = counterfactuals(loans, young | {"job": "diver"}, costs="changes")
    assert found.row["job"] == "diver"
    assert changes_of(found[0]) == {"job": ("diver", "pilot")}
    assert found[1].row["job"] == "diver"


def test_integers_beyond_floats():
    big = 2**60
    schema = Schema((ColumnType("id", Kind.INTEGER),), named=True)
    nodes = [
        Node(0, (2.0, 2.0), 4, Test.AT_MOST, 0, code=big, yes=1, no=2),
        Node(0, (2.0, 0.0), 2),
        Node(1, (0.0, 2.0), 2),
    ]
    graph = Graph.of_nodes(schema, np.array(["a", "b"]), nodes)
    up = counterfactuals(graph, {"id": big - 2}, costs={"id": 0.5})[0]
    assert (up.row["id"], up.cost) == (big + 1, 1.5)
    down = counterfactuals(graph, {"id": big + 7}, costs={"id": 0.5})[0]
    assert (down.row["id"], down.cost) == (big, 3.5)
    far = counterfactuals(graph, [[-(2**63)], [2**63 - 1]], costs={"id": 1.0})
    assert [result[0].cost for result in far] == [float(big + 1 + 2**63), float(2**63 - 1 - big)]


def parity(n_columns):
    """A diagram with 2**n_columns paths: odd if an odd number of columns is true."""
    schema = Schema(tuple(ColumnType(f"b{j}", Kind.BOOLEAN) for j in range(n_columns)), named=True)

    def branch(column, yes, no):
        return Node(0, (1.0, 1.0), 2, Test.AT_MOST, column, 0.5, yes=yes, no=no)

    nodes = [branch(0, 1, 2)]
    for j in range(1, n_columns):
        even, odd = 2 * j + 1, 2 * j + 2
        nodes += [branch(j, even, odd), branch(j, odd, even)]
    nodes += [Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)]
    return Graph.of_nodes(schema, np.array(["even", "odd"]), nodes)


def test_a_diagram_with_a_billion_ways():
    graph = parity(30)
    row = {f"b{j}": j % 3 == 0 for j in range(30)}
    column_costs = {f"b{j}": 1.0 + j % 7 for j in range(30)}
    found = counterfactuals(graph, row, costs=column_costs, k=40)
    assert len(found) == 30
    assert all(answer.n_changes == 1 for answer in found)
    assert [answer.cost for answer in found] == sorted(column_costs.values())


def test_none_in_a_diagram_with_a_billion_ways():
    """After all columns comes a gate that decides alone and may not change: every path is in vain."""
    graph = parity(30)
    gate, last = 30, graph.n_nodes
    gates = [Node(0, (1.0, 1.0), 2, Test.AT_MOST, gate, 0.5, yes=last, no=last + 1)] * 2
    nodes = [*graph.nodes()[:-2], *gates, *graph.nodes()[-2:]]
    schema = Schema((*graph.schema.columns, ColumnType("gate", Kind.BOOLEAN)), named=True)
    gated = Graph.of_nodes(schema, graph.classes, nodes)
    found = counterfactuals(
        gated, {f"b{j}": True for j in range(30)} | {"gate": False}, fixed=["gate"], costs="changes"
    )
    assert len(found) == 0
    assert (found.relax.limit.about, found.relax.answer.n_changes) == ("gate", 1)


def test_none_and_the_limit_to_give_up(loans, young):
    limits = {"fixed": ["age", "job"], "ranges": {"income": (None, 2.4)}}
    column_costs = {"age": 1.0, "income": 1.0, "job": 5.0, "school": 1.0, "debts": 1.0}
    found = counterfactuals(loans, young, costs=column_costs, **limits)
    assert len(found) == 0
    assert not found.already
    assert (found.relax.limit.kind, found.relax.limit.about) == ("ranges", "income")
    assert changes_of(found.relax.answer) == {"income": (2.0, 2.451), "school": ("none", "master")}
    assert "no change within these limits leads to good" in str(found)
    assert "without the limit that income must stay in its range" in str(found)
    dear = counterfactuals(loans, young, costs=column_costs | {"school": 50.0}, **limits)
    assert (dear.relax.limit.kind, dear.relax.limit.about) == ("fixed", "job")


def test_none_where_two_limits_are_in_the_way(loans, young):
    found = counterfactuals(loans, young, fixed=["age", "job", "income", "school"], costs="changes")
    assert len(found) == 0
    assert found.relax.limit.about == "job"
    found = counterfactuals(
        loans,
        young,
        fixed=["age", "job", "income", "school"],
        only_down=["age"],
        ranges={"job": ["clerk"]},
        costs="changes",
    )
    assert found.relax is None
    assert "without" not in str(found)


def test_none_where_no_leaf_says_so(young):
    schema = Schema((ColumnType("x", Kind.NUMBER),), named=True)
    graph = Graph.leaf(schema, np.array(["a", "b"]), 0, [3.0, 1.0], 4)
    found = counterfactuals(graph, {"x": 1}, "b", fixed=["x"], costs="changes")
    assert len(found) == 0
    assert found.relax is None


def test_relaxing_a_fixed_column_without_a_price_is_not_tried(loans, young):
    column_costs = {"income": 1.0, "school": 1.0, "debts": 1.0}
    found = counterfactuals(loans, young, costs=column_costs, fixed=["age", "job"], only_down=["school"])
    assert (found.relax.limit.kind, found.relax.limit.about) == ("only_down", "school")


def test_printed(loans, young):
    assert str(counterfactuals(loans, young, k=3, costs="changes")) == (
        "now bad; leaf 7: 15 rows, 80.0 % right (54.8 to 93.0 %)\n"
        "1. good: cost 1, 1 change; leaf 3: 3 rows, 100.0 % right (43.9 to 100.0 %)\n"
        "   job  clerk -> pilot\n"
        "2. good: cost 1, 1 change; leaf 5: 10 rows, 90.0 % right (59.6 to 98.2 %)\n"
        "   age  30 -> 41\n"
        "3. good: cost 2, 2 changes; leaf 10: 8 rows, 75.0 % right (40.9 to 92.9 %)\n"
        "   income  2 -> 2.451\n"
        "   school  none -> master"
    )


def test_a_frame_of_answers(loans, young):
    frame = counterfactuals(loans, young, k=2, costs="changes").to_frame()
    assert pd.DataFrame(frame).shape == pl.DataFrame(frame).shape == (2, 11)
    assert frame["job"] == ["pilot", "clerk"]
    assert frame["age"] == [30, 41]
    assert frame["accuracy"] == [1.0, 0.9]
    assert frame["rows"] == [3, 10]


def test_a_column_called_cost_is_kept():
    schema = Schema((ColumnType("cost", Kind.NUMBER),), named=True)
    nodes = [Node(0, (1.0, 1.0), 2, Test.AT_MOST, 0, 0.5, yes=1, no=2), Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)]
    graph = Graph.of_nodes(schema, np.array(["a", "b"]), nodes)
    frame = counterfactuals(graph, {"cost": 0}, costs="changes").to_frame()
    assert (frame["cost"], frame["cost_"]) == ([1], [1.0])


WRONG = [
    ({"k": 0}, "k must be an integer, 1 or more; got 0."),
    ({"want": "fine"}, "want is 'fine', but the model's labels are: 'bad', 'good'."),
    ({"want": []}, "want is an empty list. Name a label, or leave it out for any but the current one."),
    ({"costs": "far"}, "costs is 'far'. Expected 'mad', 'changes', or a dict from column to cost per unit."),
    ({"costs": None}, "costs is None. Expected 'mad', 'changes', or a dict from column to cost per unit."),
    ({"costs": "mad"}, "costs='mad' needs the spread of every column, which this model does not have"),
    ({"costs": {"agee": 1}}, "costs names 'agee', but the columns are: 'age', 'income', 'job', 'school', 'debts'."),
    ({"costs": {"age": -1}}, "costs must map columns to finite numbers, 0 or more; got -1 for 'age'."),
    ({"costs": {"age": 1, "job": 1}}, "costs has no entry for 'income', 'school', 'debts', which may have to change."),
    ({"fixed": "age"}, "fixed is 'age'. Expected a list of column names, such as ['age']."),
    ({"fixed": ["agee"]}, "fixed names 'agee', but the columns are: 'age', 'income', 'job', 'school', 'debts'."),
    ({"only_up": ["job"]}, "only_up names 'job', whose levels have no order. List the levels it may change to instead"),
    ({"ranges": [1]}, "ranges must be a dict such as {'age': (18, 70)}; got [1]."),
    ({"ranges": {"age": 5}}, "ranges has 5 for 'age'. Expected a pair of numbers such as (18, 70), None for no end."),
    ({"ranges": {"age": (70, 18)}}, "ranges has (70, 18) for 'age': the low end is above the high end. Swap the two."),
    ({"ranges": {"job": ["cook"]}}, "ranges has 'cook' for 'job', whose values are: 'clerk', 'nurse', 'pilot'."),
    ({"ranges": {"job": []}}, "ranges has no value for 'job'. If it must not change, use fixed=['job']."),
]


@pytest.mark.each(("options", "message"), WRONG)
def test_wrong_parameters(loans, young, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        counterfactuals(loans, young, **options)


def test_models_in_leaves_are_not_overlooked(loans, young):
    hybrid = SimpleNamespace(tree_=loans, leaf_models_={3: None, 5: object()})
    with pytest.raises(Unsupported, match=r"has models in its leaves.*To explain the tree alone, give its tree_\."):
        trace(hybrid, young)
    with pytest.raises(Unsupported, match=r"has models in its leaves.*To explain the tree alone, give its tree_\."):
        counterfactuals(hybrid, young, costs="changes")
    hybrid.leaf_models_[5] = None
    assert counterfactuals(hybrid, young, costs="changes") == counterfactuals(loans, young, costs="changes")


def test_wrong_rows_and_models(loans, young):
    with pytest.raises(InputError, match=r"The row lacks 'age'\. Give a value for every column of the model"):
        counterfactuals(loans, {name: value for name, value in young.items() if name != "age"})
    with pytest.raises(InputError, match=r"The row has 2 values, but the model has 5 columns: 'age'"):
        counterfactuals(loans, [1, 2])
    with pytest.raises(InputError, match=r"This OptimalTreeClassifier is not fitted yet: call fit first"):
        counterfactuals(OptimalTreeClassifier(), [1, 2])
    with pytest.raises(InputError, match=r"model is a str\. Expected a fitted estimator"):
        counterfactuals("tree", [1, 2])
