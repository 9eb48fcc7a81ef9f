"""Ranks, cuts, and merging of equal rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from exactree.encode import MissingRank, encode
from exactree.encode.ranking import midpoints_of_pairs
from exactree.table import Table, Test

FINITE = st.floats(allow_nan=False, allow_infinity=False)
ROUGH = st.sampled_from([0.0, -0.0, 1.0, np.nextafter(1.0, 2.0), 5e-324, 1e-323, -1.7e308, 1.7e308, 0.1, 0.3])


def midpoints(values):
    return midpoints_of_pairs(values[:-1], values[1:])


def one(values, labels=None, **options):
    """Encode one column, every row its own label unless given, so no rows are merged."""
    labels = np.arange(len(values)) if labels is None else labels
    X = values if isinstance(values, pd.DataFrame) else [[value] for value in values]
    return encode(Table.of(X), labels, **options)


@given(st.lists(FINITE | ROUGH, min_size=1, max_size=40))
def test_ranks_are_in_the_order_of_values_and_every_cut_parts_them(values):
    encoded = one(values)
    array = np.array(values)
    if len(set(values)) == 1:
        assert encoded.columns == ()
        return
    (column,) = encoded.columns
    assert column.n_ranks == len(set(values))
    np.testing.assert_array_equal(array[:, None] < array, column.ranks[:, None] < column.ranks)
    for rank, cut in enumerate(column.cuts):
        np.testing.assert_array_equal(array <= cut, column.ranks <= rank)


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(2**62, 2**62 + 5), min_size=1, max_size=20))
def test_large_integers_are_parted_exactly(values):
    values = [*values, 2**63 - 1, -(2**63)]
    (column,) = one(values).columns
    assert column.cuts.dtype == np.int64
    assert column.n_ranks == len(set(values))
    for rank, cut in enumerate(column.cuts.tolist()):
        assert [value <= cut for value in values] == (column.ranks <= rank).tolist()


@given(st.floats(allow_nan=False, allow_infinity=False, max_value=1.7e308))
def test_neighbouring_doubles_are_parted(value):
    high = np.nextafter(value, np.inf)
    (cut,) = midpoints(np.array([value, high]))
    assert value <= cut < high


def test_midpoints_neither_overflow_nor_vanish():
    assert midpoints(np.array([-1.6e308, 1.6e308])).tolist() == [0.0]
    assert 1.6e308 < midpoints(np.array([1.6e308, 1.7e308]))[0] < 1.7e308
    assert midpoints(np.array([0.0, 5e-324])).tolist() == [0.0]


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=30), st.sampled_from([1e-9, 1e-3, 7.0, 1e6, 1e12]))
def test_scaling_keeps_ranks(values, scale):
    plain, scaled = one([float(v) for v in values]), one([v * scale for v in values])
    assert [c.ranks.tolist() for c in plain.columns] == [c.ranks.tolist() for c in scaled.columns]


TABLES = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 30), st.integers(1, 4)), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan])
)


@given(TABLES, st.randoms(use_true_random=False))
def test_merging_keeps_weights_and_says_who_went_where(X, random):
    X[0] = 0.0  # no column may be without any value
    n = len(X)
    labels = np.array([random.randrange(3) for _ in range(n)])
    weights = np.array([random.randrange(1, 5) for _ in range(n)], dtype=float)
    encoded = encode(Table.of(X), labels, sample_weight=weights)
    points = {}
    for row in range(n):
        points.setdefault((*np.where(np.isnan(X[row]), -1, X[row]), labels[row]), len(points))
    expected = [points[(*np.where(np.isnan(X[row]), -1, X[row]), labels[row])] for row in range(n)]
    assert encoded.point_of.tolist() == expected  # numbered by first appearance
    assert encoded.n_points == len(points)
    np.testing.assert_array_equal(encoded.point_weights, np.bincount(expected, weights))
    np.testing.assert_array_equal(encoded.point_counts, np.bincount(expected))
    np.testing.assert_array_equal(encoded.classes[encoded.point_labels[encoded.point_of]], labels)
    groups = {}
    for key in points:
        groups.setdefault(key[:-1], len(groups))
    assert encoded.point_groups.tolist() == [groups[key[:-1]] for key in points]
    assert all(len(column.ranks) == encoded.n_points for column in encoded.columns)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_many_columns_are_merged_exactly(seed):
    """More columns than fit into one 64-bit key."""
    generator = np.random.default_rng(seed)
    base = generator.integers(0, 50, (20, 30)).astype(float)
    base[1] = base[0]
    base[1, 29] += 1  # differs from the first row only in the last column
    rows = generator.integers(0, 20, 200)
    encoded = encode(Table.of(base[rows]), np.zeros(200))
    _, first, inverse = np.unique(base[rows], axis=0, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    assert encoded.point_of.tolist() == order[inverse.ravel()].tolist()


def test_no_rows_to_merge_and_no_columns_to_ask():
    encoded = encode(Table.of([[1.0, 5], [2.0, 5]]), [0, 1])
    assert [column.source for column in encoded.columns] == [0]
    constant = encode(Table.of([[5], [5], [5]]), ["a", "b", "a"])
    assert constant.columns == ()
    assert constant.point_weights.tolist() == [2, 1]
    assert constant.point_groups.tolist() == [0, 0]


def test_missing_values_rank_lowest_and_highest():
    low, high = one([2.0, np.nan, 1.0]).columns
    assert (low.missing, high.missing) == (MissingRank.LOW, MissingRank.HIGH)
    assert (low.ranks.tolist(), low.cuts.tolist()) == ([2, 0, 1], [-np.inf, 1.5])
    assert (high.ranks.tolist(), high.cuts.tolist()) == ([1, 2, 0], [1.5, np.inf])
    assert low.ranks.dtype == np.uint32


def test_missing_beside_one_value_is_one_question():
    (column,) = one([2.0, np.nan, 2.0]).columns
    assert (column.missing, column.ranks.tolist(), column.cuts.tolist()) == (MissingRank.LOW, [1, 0, 1], [-np.inf])


def test_truth_values_and_ordered_levels():
    (truth,) = one([True, False]).columns
    assert (truth.cuts.tolist(), truth.ranks.tolist()) == ([0.5], [1, 0])
    sizes = pd.Categorical(["l", "s", "xl"], categories=["s", "m", "l", "xl"], ordered=True)
    (size,) = one(pd.DataFrame({"size": sizes})).columns
    assert (size.test, size.cuts.tolist(), size.ranks.tolist()) == (Test.AT_MOST, [1.0, 2.5], [1, 0, 2])
    low, high = one(pd.DataFrame({"size": pd.Categorical(["b", None, "a"], ordered=True)})).columns
    assert (low.ranks.tolist(), high.ranks.tolist()) == ([2, 0, 1], [1, 2, 0])


def asked(values):
    return [(column.test, column.level, column.ranks.tolist()) for column in one(values).columns]


def test_categories_ask_for_one_level_each():
    assert asked(["b", "a", "c"]) == [
        (Test.IS_LEVEL, 0, [1, 0, 1]),
        (Test.IS_LEVEL, 1, [0, 1, 1]),
        (Test.IS_LEVEL, 2, [1, 1, 0]),
    ]
    assert asked(["b", "a", "b"]) == [(Test.IS_LEVEL, 0, [1, 0, 1])]
    assert asked(["b", "b"]) == []


def test_missing_is_one_more_level():
    assert asked(["b", None, "a"]) == [
        (Test.IS_LEVEL, 0, [1, 1, 0]),
        (Test.IS_LEVEL, 1, [0, 1, 1]),
        (Test.IS_MISSING, -1, [1, 0, 1]),
    ]
    assert asked(["b", None]) == [(Test.IS_MISSING, -1, [1, 0])]


def test_levels_that_only_rows_of_weight_zero_have_are_not_asked_for():
    encoded = one(["a", "b", "c", "d"], sample_weight=[1, 0, 1, 1])
    assert [column.level for column in encoded.columns] == [0, 2, 3]
    assert encoded.table.n_rows == encoded.n_rows == 3


def test_counts_and_words():
    encoded = encode(Table.of([[1.0, "a"], [2.0, "b"], [3.0, "c"]]), ["x", "y", "y"])
    assert (encoded.n_rows, encoded.n_points, encoded.n_classes, encoded.n_questions) == (3, 3, 2, 5)
    assert (encoded.thresholds, encoded.complete) == ("all", True)


def test_the_callers_arrays_are_left_alone():
    X, y, weights = np.array([[1.0], [np.nan], [3.0]]), np.array([1, 0, 1]), np.array([1.0, 0.0, 2.0])
    for array in (X, y, weights):
        array.flags.writeable = False
    encoded = encode(Table.of(X), y, sample_weight=weights, class_weight={1: 3.0})
    assert encoded.weights.tolist() == [3.0, 6.0]


def test_the_column_a_person_is_named_in(monkeypatch):
    monkeypatch.setattr("exactree.encode.columns.MAX_LEVEL_CELLS", 8)
    with pytest.raises(ValueError, match=r"'x0' has 3 levels in 3 rows.*more than fits into memory.*group rare levels"):
        one(["a", "b", "c"])


def test_a_column_without_any_value():
    with pytest.raises(ValueError, match=r"Column 'x0' has no value in any row.*Drop the column"):
        one([None, None])
    with pytest.raises(ValueError, match=r"Column 'x0' has no value in any row"):
        one([None, 1.0], sample_weight=[1, 0])
