"""Columns coupled by rules and oblique splits: again no row of the grid is cheaper."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from exactree.errors import InputError
from exactree.explain import AtLeast, Rises, counterfactuals
from exactree.explain.counterfactual.short_numbers import NEAR
from exactree.model import Graph, Node
from exactree.table import Column, ColumnType, Kind, Schema, Table, Test

NAMES = ("a", "b", "c")
TOP = 5  # values are integers from 0 to this
EVERY_VALUE = [[float(v)] * 3 for v in range(TOP + 1)]


def schema_of(n_columns):
    return Schema(tuple(ColumnType(name, Kind.NUMBER) for name in NAMES[:n_columns]), named=True)


def as_table(rows):
    columns = zip(NAMES, np.array(rows, dtype=float).T, strict=False)
    return Table(tuple(Column(n, Kind.NUMBER, v) for n, v in columns), len(rows), True)


def some_branch(rng, n_columns, sums, yes, no):
    node = Node(0, (0.0, 0.0), 0, Test.AT_MOST, int(rng.integers(n_columns)), yes=yes, no=no)
    node = replace(node, missing_yes=bool(rng.random() < 0.5))
    if not sums or rng.random() < 0.4:
        return replace(node, threshold=float(rng.integers(0, TOP)) + 0.5)
    chosen = sorted(rng.choice(n_columns, 2, replace=False).tolist())
    factors = tuple((j, float(rng.choice([-2.0, -1.0, 0.7, 1.0, 3.0]))) for j in chosen)
    return replace(node, test=Test.LINEAR, column=-1, threshold=float(rng.integers(-4, 9)), factors=factors)


def some_graph(seed, *, sums):
    rng = np.random.default_rng(seed)
    n_columns = 3
    seen = rng.random(n_columns) < (0.4 if sums else 0.2)
    size = int(rng.integers(2, 6))
    if seed % 2:
        nodes = [Node(0, (1.0, 0.0), 1)]
        for _ in range(size):
            at = int(rng.choice([i for i, node in enumerate(nodes) if node.is_leaf]))
            nodes[at] = some_branch(rng, n_columns, sums, len(nodes), len(nodes) + 1)
            nodes += [Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)]
    else:  # every branch leads to the next one, and to one of two leaves
        leaves = [Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)]
        ends = [[i + 1, size + int(rng.integers(2))] for i in range(size - 1)] + [[size, size + 1]]
        nodes = [some_branch(rng, n_columns, sums, *rng.permutation(end).tolist()) for end in ends] + leaves
    return Graph.of_nodes(schema_of(n_columns), np.array(["no", "yes"]), nodes, seen), rng


def asking_all(graph):
    """The same graph behind questions about every column, all of which lead to it."""
    first = [Node(0, (0.0, 0.0), 0, Test.AT_MOST, j, 0.5, yes=j + 1, no=j + 1) for j in range(3)]
    later = [n if n.is_leaf else replace(n, yes=n.yes + 3, no=n.no + 3) for n in graph.nodes()]
    return Graph.of_nodes(graph.schema, graph.classes, [*first, *later], graph.missing_seen)


def cheapest(graph, row, rules, column_costs, fixed, values, *, may_vanish):
    """Cost of the cheapest row with another label by trying all; missing and back costs as a unit."""

    def cost(new):
        total = 0.0
        for old, value, price in zip(row, new, column_costs, strict=True):
            if np.isnan(old) != np.isnan(value):
                total += price
            elif not np.isnan(old):
                total += price * abs(value - old)
        return total

    def reader(cells):
        return lambda name: None if np.isnan(cells[NAMES.index(name)]) else cells[NAMES.index(name)]

    options = []
    for j, old in enumerate(row):
        others = [] if NAMES[j] in fixed else [value for value in values if value != old]
        vanishes = may_vanish and graph.missing_seen[j] and NAMES[j] not in fixed and not np.isnan(old)
        options.append([old, *others, *([np.nan] if vanishes else [])])
    rows = list(product(*options))
    labels, now = graph.predict(as_table(rows)), graph.predict(as_table([row]))[0]
    usable = [new for new, label in zip(rows, labels, strict=True) if label != now]
    return min((cost(new) for new in usable if all(r.holds(reader(row), reader(new)) for r in rules)), default=None)


def check(graph, rng, rules, *, bounded, data=EVERY_VALUE):
    row = tuple(float(v) for v in rng.integers(0, TOP + 1, 3))
    row = tuple(np.nan if seen and rng.random() < 0.3 else v for v, seen in zip(row, graph.missing_seen, strict=True))
    column_costs = tuple(float(v) for v in rng.integers(1, 6, 3))
    fixed = [name for name in NAMES if rng.random() < 0.15]
    found = counterfactuals(
        graph,
        {name: None if np.isnan(v) else v for name, v in zip(NAMES, row, strict=True)},
        costs=dict(zip(NAMES, column_costs, strict=True)),
        fixed=fixed,
        ranges=dict.fromkeys(NAMES, (0, TOP)) if bounded else {},
        rules=rules,
        data=data,
    )
    values = [float(v) for v in (range(TOP + 1) if bounded else range(-4, TOP + 5))]
    best = cheapest(graph, row, rules, column_costs, fixed, values, may_vanish=not bounded)
    assert [answer.cost for answer in found] == sorted(answer.cost for answer in found)
    assert all(answer.proved for answer in found)
    inside = len(found) > 0 and all(v is None or v in values for v in found[0].row.values())
    if bounded or inside or best is None:
        assert (best is None) == (len(found) == 0)
    if best is not None:
        most = best if inside else best * (1 + NEAR)  # numbers of few digits are a little farther away
        assert found[0].cost == pytest.approx(best, abs=1e-9) if inside else found[0].cost <= most + 1e-9
    return best


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.each("seed", range(40))
def test_sums(seed, bounded):
    graph, rng = some_graph(seed, sums=True)
    check(graph, rng, [], bounded=bounded)


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.each("seed", range(40))
def test_rules(seed, bounded):
    graph, rng = some_graph(seed, sums=False)
    pool = [Rises("a", then="b", by=2), Rises("c", then="a"), AtLeast("b", "c"), AtLeast("c", "a")]
    check(graph, rng, [pool[i] for i in rng.permutation(len(pool))[: 1 + seed % 2]], bounded=bounded)


@pytest.mark.parametrize("rules", [[], [Rises("a", then="b", by=2), AtLeast("b", "c")]], ids=["free", "coupled"])
@pytest.mark.each("seed", range(30))
def test_without_data_integers_are_guessed_from_the_thresholds(seed, rules):
    graph, rng = some_graph(seed, sums=False)
    check(asking_all(graph) if rules else graph, rng, rules, bounded=False, data=None)


@pytest.mark.each("seed", range(20))
def test_sums_and_rules(seed):
    graph, rng = some_graph(seed, sums=True)
    check(graph, rng, [Rises("b", then="c", by=1), AtLeast("a", "b")], bounded=True)


def sum_graph(kind=Kind.NUMBER):
    """Rows with x + 2 y above 3 are yes."""
    schema = Schema((ColumnType("x", Kind.NUMBER), ColumnType("y", kind)), named=True)
    total = Node(0, (1.0, 1.0), 2, Test.LINEAR, threshold=3.0, yes=1, no=2, factors=((0, 1.0), (1, 2.0)))
    return Graph.of_nodes(schema, np.array(["no", "yes"]), [total, Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)])


def test_fractions_just_above_a_sum():
    answer = counterfactuals(sum_graph(), {"x": 0.5, "y": 0.25}, costs={"x": 1.0, "y": 1.0})[0]
    assert [change.column for change in answer.changes] == ["y"]
    assert 1.25 < answer.row["y"] <= 1.251
    assert 0.5 + 2 * answer.row["y"] > 3
    back = counterfactuals(sum_graph(), answer.row, costs={"x": 1.0, "y": 9.0})[0]
    assert [change.column for change in back.changes] == ["x"]
    assert back.row["x"] + 2 * back.row["y"] <= 3


def test_fewest_changes_of_a_sum():
    found = counterfactuals(sum_graph(), {"x": -40.0, "y": -7.0}, costs="changes")
    assert [answer.n_changes for answer in found] == [1]
    assert counterfactuals(sum_graph(), {"x": 1.0, "y": 0.0}, costs="changes", fixed=["y"])[0].row["x"] > 3


def test_truth_values_in_sums():
    answer = counterfactuals(sum_graph(Kind.BOOLEAN), {"x": 2.0, "y": False}, costs={"x": 9.0, "y": 1.0})[0]
    assert {change.column: change.new for change in answer.changes} == {"y": True}


def test_a_missing_number_in_a_sum_becomes_a_usual_one_if_that_will_do():
    data = [[float(v), 0.0] for v in (2, 3, 4, 5, 6, 99)]
    answer = counterfactuals(sum_graph(), {"x": None, "y": -1.0}, "no", data=data, fixed=["y"])[0]
    assert answer.row["x"] == 4
    answer = counterfactuals(sum_graph(), {"x": None, "y": 0.0}, "no", data=data, fixed=["y"])[0]
    assert answer.row["x"] <= 3


def test_none_for_a_sum_out_of_reach():
    found = counterfactuals(sum_graph(), {"x": 0.0, "y": 0.0}, fixed=["y"], ranges={"x": (0, 2)}, costs="changes")
    assert len(found) == 0
    assert found.relax.limit.kind in ("fixed", "ranges")


STUDENTS = Schema(
    (
        ColumnType("school", Kind.ORDERED, ("none", "college", "master")),
        ColumnType("age", Kind.NUMBER),
        ColumnType("id", Kind.INTEGER),
        ColumnType("last", Kind.INTEGER),
        ColumnType("job", Kind.CATEGORY, ("clerk", "pilot")),
    ),
    named=True,
)
BIG = 2**60
ANNA = {"school": "none", "age": 30, "id": BIG + 3, "last": BIG + 3, "job": "clerk"}
PRICES = dict.fromkeys(ANNA, 1.0)


def students(column, **question):
    """The no side of one question is yes."""
    root = Node(0, (1.0, 1.0), 2, Test.AT_MOST, column, yes=1, no=2, **question)
    return Graph.of_nodes(STUDENTS, np.array(["no", "yes"]), [root, Node(0, (1.0, 0.0), 1), Node(1, (0.0, 1.0), 1)])


def test_who_gets_a_degree_gets_older():
    graph = students(0, threshold=0.5)
    rule = Rises("school", then="age", by=4)
    answer = counterfactuals(graph, ANNA, costs=PRICES, rules=[rule])[0]
    assert {change.column: change.new for change in answer.changes} == {"school": "college", "age": 34}
    assert answer.cost == 5.0
    found = counterfactuals(graph, ANNA, costs=PRICES, rules=[rule], fixed=["age"])
    assert len(found) == 0
    assert (found.relax.limit.kind, found.relax.limit.about, found.relax.answer.cost) == ("rules", rule, 1.0)
    assert "without the limit that Rises(column='school', then='age', by=4)" in str(found)


def test_an_effect_that_is_an_ordered_category():
    graph = students(1, threshold=40.5)
    answer = counterfactuals(graph, ANNA, costs=PRICES, rules=[Rises("age", then="school", by=2)])[0]
    assert {change.column: change.new for change in answer.changes} == {"school": "master", "age": 41}


def test_a_rule_that_holds_anyway_changes_nothing():
    graph = students(1, threshold=40.5)
    assert counterfactuals(graph, ANNA, costs=PRICES, rules=[Rises("school", then="age")]) == counterfactuals(
        graph, ANNA, costs=PRICES
    )


def test_integers_beyond_floats_keep_their_order():
    graph = students(2, code=BIG + 6)
    answer = counterfactuals(graph, ANNA, costs=PRICES, rules=[AtLeast("last", "id")])[0]
    assert {change.column: change.new for change in answer.changes} == {"id": BIG + 7, "last": BIG + 7}
    assert answer.cost == 8.0


@pytest.mark.each(
    ("rules", "message"),
    [
        (Rises("a", then="b"), r"rules must be a list, such as .*; got Rises"),
        (["up"], r"rules must hold Rises\(\.\.\.\) and AtLeast\(\.\.\.\); got 'up'"),
        ([Rises("schol", then="age")], r"names 'schol', but the columns are: 'school', 'age'"),
        ([Rises("job", then="age")], r"needs numbers or an ordered category, but 'job' is of the kind category"),
        ([AtLeast("school", "age")], r"needs numbers, but 'school' is of the kind ordered"),
        ([AtLeast("age", "age")], r"names one column twice\. Name two"),
    ],
)
def test_wrong_rules(rules, message):
    with pytest.raises(InputError, match=message):
        counterfactuals(students(1, threshold=40.5), ANNA, rules=rules)
