"""Numbers beyond a threshold are such as a person would write, and on the right side of it."""

import numpy as np
import pytest

from exactree.explain import counterfactuals
from exactree.model import Graph, Node
from exactree.table import ColumnType, Kind, Schema, Test


def cut_at(threshold):
    schema = Schema((ColumnType("x", Kind.NUMBER),), named=True)
    nodes = [Node(0, (2.0, 2.0), 4, Test.AT_MOST, 0, threshold, yes=1, no=2)]
    return Graph.of_nodes(schema, np.array(["a", "b"]), [*nodes, Node(0, (2.0, 0.0), 2), Node(1, (0.0, 2.0), 2)])


@pytest.mark.each(
    ("threshold", "below", "above"),
    [
        (0.1 + 0.2, 0.3, 0.3001),
        (953.7, 953.7, 953.8),
        (0.135650000000001, 0.1356, 0.1357),
        (-1.00000000000001, -1.001, -1.0),
        (1234.56789, 1234.0, 1235.0),
    ],
)
def test_few_digits_on_both_sides(threshold, below, above):
    graph = cut_at(threshold)
    from_above = counterfactuals(graph, [threshold + 10.25], costs={"x": 1.0})[0]
    from_below = counterfactuals(graph, [threshold - 10.25], costs={"x": 1.0})[0]
    assert (from_above.row["x"], from_below.row["x"]) == (below, above)


@pytest.mark.each("seed", range(200))
def test_on_the_right_side_and_near(seed):
    rng = np.random.default_rng(seed)
    threshold = float(rng.normal() * 10.0 ** rng.integers(-8, 9))
    graph, far = cut_at(threshold), abs(threshold) * 3 + 1
    for sign in (-1, 1):
        answer = counterfactuals(graph, [threshold + sign * far + 0.123], costs={"x": 1.0})[0]
        assert (answer.row["x"] <= threshold) == (sign == 1)
        assert abs(answer.row["x"] - threshold) <= 1.001e-3 * abs(threshold)
        assert len(f"{answer.row['x']:.17g}") <= 24
        assert float(f"{answer.row['x']:.5g}") == answer.row["x"]


def test_there_is_no_number_of_few_digits_in_a_narrow_leaf():
    schema = Schema((ColumnType("x", Kind.NUMBER),), named=True)
    low, high = 1.23456789, 1.23456791
    nodes = [
        Node(0, (3.0, 1.0), 4, Test.AT_MOST, 0, high, yes=1, no=2),
        Node(0, (1.0, 1.0), 2, Test.AT_MOST, 0, low, yes=3, no=4),
        Node(0, (2.0, 0.0), 2),
        Node(0, (1.0, 0.0), 1),
        Node(1, (0.0, 1.0), 1),
    ]
    graph = Graph.of_nodes(schema, np.array(["a", "b"]), nodes)
    for start in (0.5, 2.5):
        assert low < counterfactuals(graph, [start], costs={"x": 1.0})[0].row["x"] <= high


@pytest.mark.each("seed", range(30))
def test_few_digits_beyond_an_oblique_split(seed):
    rng = np.random.default_rng(seed)
    factors = tuple((column, float(rng.normal())) for column in range(2))
    schema = Schema(tuple(ColumnType(name, Kind.NUMBER) for name in "xy"), named=True)
    threshold = float(rng.normal())
    nodes = [Node(0, (2.0, 2.0), 4, Test.LINEAR, -1, threshold, yes=1, no=2, factors=factors)]
    graph = Graph.of_nodes(schema, np.array(["a", "b"]), [*nodes, Node(0, (2.0, 0.0), 2), Node(1, (0.0, 2.0), 2)])
    row = rng.normal(size=2).round(2)
    answer = counterfactuals(graph, row.tolist(), costs={"x": 1.0, "y": 1.0})[0]
    new = np.array([answer.row["x"], answer.row["y"]])
    coefficients = np.array([factor for _, factor in factors])
    missing = abs(coefficients @ row - threshold)
    assert (coefficients @ new <= threshold) != (coefficients @ row <= threshold)
    assert np.abs(new - row).sum() <= 1.002 * missing / np.abs(coefficients).max() + 1e-5
    changed = new[new != row]
    assert len(changed) == 1
    assert float(f"{changed[0]:.8g}") == changed[0]
