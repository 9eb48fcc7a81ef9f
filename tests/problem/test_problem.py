"""What a tree costs, and which trees are allowed: by hand on tables small enough for it."""

import numpy as np
import pytest

from exactree.encode import encode
from exactree.errors import InputError
from exactree.problem import Limits, Objective, Problem, accuracy, balanced_accuracy, cost_sensitive
from exactree.solve import Budget, Search
from exactree.table import Table

X = [[0.0], [0.0], [1.0], [2.0], [2.0]]
Y = ["a", "b", "b", "c", "c"]


def data_of(**options):
    return encode(Table.of(X), Y, **options)


def best(problem):
    return Search().solve(problem, Budget()).model


def test_errors_are_counted_by_weight():
    data = data_of(sample_weight=[1.0, 2.5, 1.0, 1.0, 4.0])
    problem = Problem(data, accuracy(data), Limits(2))
    model = best(problem)
    assert problem.cost(model) == 1.0  # only the lighter of the two opposite twins is wrong
    assert problem.total_weight == 9.5


def test_leaves_have_a_price():
    data = data_of()
    problem = Problem(data, accuracy(data), Limits(2, ccp_alpha=0.1))
    assert problem.leaf_price == 0.5
    model = best(problem)
    assert problem.cost(model) == 1 + 0.5 * model.n_leaves == 2.0


def test_balanced_accuracy_counts_classes_alike():
    data = data_of()
    matrix = balanced_accuracy(data).matrix
    assert matrix == pytest.approx(np.array([[0, 5 / 3, 5 / 3], [5 / 6, 0, 5 / 6], [5 / 6, 5 / 6, 0]]))
    # With one answer for all, each class is as good as any other: two thirds of the weight are lost.
    assert Problem(data, balanced_accuracy(data), Limits(0)).cost(
        best(Problem(data, balanced_accuracy(data), Limits(0)))
    ) == pytest.approx(10 / 3)


def test_a_class_without_weight_has_no_part_in_balanced_accuracy():
    data = data_of(sample_weight=[1, 0, 0, 1, 1])
    matrix = balanced_accuracy(data).matrix
    assert matrix[1].tolist() == [0, 0, 0]
    assert matrix[0, 2] == pytest.approx(1.5)


def test_cost_matrices_as_arrays_and_as_mappings():
    data = data_of()
    by_name = cost_sensitive(data, {("a", "b"): 7, ("c", "c"): 0.5})
    assert by_name.matrix.tolist() == [[0, 7, 1], [1, 0, 1], [1, 1, 0.5]]
    assert cost_sensitive(data, by_name.matrix.tolist()).matrix.tolist() == by_name.matrix.tolist()
    problem = Problem(data, by_name, Limits(2))
    assert problem.cost(best(problem)) == 1 + 2 * 0.5  # the twins are called a; being right about c has a cost


def test_a_row_of_costs_may_not_fall_below_zero():
    with pytest.raises(InputError, match="finite numbers, 0 or more"):
        cost_sensitive(data_of(), -np.ones((3, 3)))


def test_leaf_costs():
    objective = Objective("mine", np.array([[0.0, 1.0], [5.0, 0.0]]))
    assert objective.leaf_costs(np.array([3.0, 1.0])).tolist() == [5.0, 3.0]


def test_violations_name_each_broken_limit():
    data = encode(Table.of(X), ["a", "a", "b", "c", "c"])
    model = best(Problem(data, accuracy(data), Limits(2)))
    assert (model.depth, model.n_leaves) == (2, 3)
    narrow = Limits(1, max_leaf_nodes=2, min_samples_leaf=2, min_weight_fraction_leaf=0.3)
    assert Problem(data, accuracy(data), narrow).violations(model) == [
        "its depth is 2, the limit is 1",
        "it has 3 leaves, the limit is 2",
        "a leaf has 1 rows, the limit is 2",
        "a leaf has weight 1, the limit is 1.5",
    ]


def test_a_lone_leaf_is_always_allowed():
    data = data_of()
    problem = Problem(data, accuracy(data), Limits(0, min_samples_leaf=99, min_weight_fraction_leaf=0.5))
    assert problem.violations(best(problem)) == []


def test_sides_must_be_large_enough():
    data = data_of()
    points = np.arange(data.n_points)
    problem = Problem(data, accuracy(data), Limits(2, min_samples_leaf=2))
    assert problem.allows_sides(points[:2], points[2:])
    assert not problem.allows_sides(points[:1], points[1:])


def test_most_leaves():
    assert [Limits(depth).most_leaves for depth in range(4)] == [1, 2, 4, 8]
    assert Limits(2, max_leaf_nodes=9).most_leaves == 4


@pytest.mark.each(
    ("options", "message"),
    [
        ({"max_depth": -1}, "max_depth must be 0 or more; got -1."),
        ({"max_depth": 1, "max_leaf_nodes": 0}, "max_leaf_nodes must be 1 or more, or None for no limit; got 0."),
        ({"max_depth": 1, "min_samples_leaf": 0}, "min_samples_leaf must be 1 or more rows; got 0."),
        ({"max_depth": 1, "min_weight_fraction_leaf": 0.7}, "min_weight_fraction_leaf must lie in 0..0.5; got 0.7."),
        ({"max_depth": 1, "ccp_alpha": -1.0}, "ccp_alpha must lie in 0..1e+09; got -1.0."),
    ],
)
def test_impossible_limits(options, message):
    with pytest.raises(InputError) as caught:
        Limits(**options)
    assert str(caught.value) == message
