"""Ranks of columns, and merged rows, against plain sorting and comparison of rows."""

import numpy as np
import pytest

from exactree.encode import encode
from exactree.encode.labels import encode_labels
from exactree.encode.ranking import ranked, ranked_if_present
from exactree.kernel import rank_numbers
from exactree.table import Table

N_ROWS = (1, 2, 30, 1500)  # few rows and many are sorted in different ways


def random_column(rng, n_rows):
    """Return numbers with ties, without, of a small range, of two values, constant, or with missing ones."""
    kind = rng.integers(7)
    values = [
        rng.normal(size=n_rows),
        rng.integers(0, 5, n_rows) / 3,
        rng.integers(-3, 40, n_rows).astype(float),
        rng.integers(0, 2, n_rows) * 7.5,
        np.full(n_rows, 2.5),
        1e9 + rng.integers(0, 9, n_rows) * 1e-6,
        np.where(rng.random(n_rows) < 0.3, np.nan, rng.integers(0, 20, n_rows) / 7),
    ][kind]
    if np.isnan(values).all():
        values[0] = 1.0
    return values


def expected_ranks(values):
    """Rank a column as the encoding says: missing values once below and once above the others."""
    present = ~np.isnan(values)
    distinct, ranks = np.unique(values[present], return_inverse=True)
    if present.all():
        return [ranks] if len(distinct) > 1 else []
    low, high = np.zeros(len(values), dtype=int), np.full(len(values), len(distinct))
    low[present], high[present] = ranks + 1, ranks
    return [low, high] if len(distinct) > 1 else [low]


def expected_points(columns, labels):
    """Number the rows by first appearance of their ranks and labels, and say which are the first."""
    number = {}
    point_of = [number.setdefault(key, len(number)) for key in zip(*columns, labels.tolist(), strict=True)]
    return np.array(point_of), np.unique(point_of, return_index=True)[1]


@pytest.mark.each("seed", range(120))
def test_encoded_tables_equal_plain_sorting(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.choice(N_ROWS))
    X = np.column_stack([random_column(rng, n_rows) for _ in range(int(rng.integers(1, 5)))])
    y = rng.integers(0, 3, n_rows)
    weights = rng.integers(1, 4, n_rows) / 2 if seed % 2 else None
    data = encode(Table.of(X if seed % 3 else np.asfortranarray(X)), y, sample_weight=weights)
    ranks = [found for column in X.T for found in expected_ranks(column)]
    point_of, first = expected_points([column.tolist() for column in ranks], y)
    groups = expected_points([column.tolist() for column in ranks], np.zeros(n_rows, dtype=int))[0]
    np.testing.assert_array_equal(data.point_of, point_of)
    np.testing.assert_array_equal(data.point_groups, groups[first])
    np.testing.assert_array_equal(data.ranks, np.array(ranks, dtype=int).reshape(len(ranks), n_rows)[:, first])
    np.testing.assert_array_equal(data.classes[data.point_labels], y[first])
    np.testing.assert_array_equal(data.point_counts, np.bincount(point_of))
    np.testing.assert_allclose(data.point_weights, np.bincount(point_of, weights=data.weights))
    for column, wanted in zip(data.columns, ranks, strict=True):
        assert column.n_ranks == wanted.max() + 1
        np.testing.assert_array_equal(column.ranks, wanted[first])


@pytest.mark.each("seed", range(40))
def test_ranks_and_steps_do_not_depend_on_the_way_of_sorting(seed):
    rng = np.random.default_rng(seed)
    values = random_column(rng, int(rng.choice(N_ROWS)))
    values = values[~np.isnan(values)]
    whole = np.column_stack([np.zeros(len(values)), values])[:, 1]  # every second number of an array
    for column in (values, whole, np.ascontiguousarray(values[::-1])[::-1]):
        distinct, ranks = np.unique(column, return_inverse=True)
        found = ranked(column)
        np.testing.assert_array_equal(found.distinct, distinct)
        np.testing.assert_array_equal(found.ranks, ranks)
        assert found.step == ranked(np.sort(column)).step


def test_a_column_with_missing_values_is_not_ranked_as_if_it_had_none():
    values = np.array([2.0, np.nan, 1.0])
    room = np.empty(3, dtype=np.uint32)
    assert ranked_if_present(values, room) is None
    assert rank_numbers(values, room) is None
    with pytest.raises(ValueError, match="NaN"):
        ranked(values)


def test_the_kernel_refuses_ranks_of_another_length():
    with pytest.raises(ValueError, match="ranks of column 0 has 2 rows, not 3"):
        rank_numbers(np.zeros(3), np.empty(2, dtype=np.uint32))


def test_the_only_two_equal_rows_are_merged():
    data = encode(Table.of([[1.0, 5.0], [2.0, 6.0], [2.0, 6.0], [3.0, 4.0]]), [0, 1, 1, 0])
    assert data.point_of.tolist() == [0, 1, 1, 2]
    assert data.point_counts.tolist() == [1, 2, 1]


def test_ranks_stay_where_they_were_written():
    X = np.random.default_rng(0).normal(size=(50, 3))
    data = encode(Table.of(X), np.arange(50) % 2)
    assert all(np.shares_memory(column.ranks, data.ranks) for column in data.columns)
    assert data.point_labels is data.labels
    constant = encode(Table.of(np.column_stack([X[:, 0], np.zeros(50), X[:, 2]])), np.arange(50) % 2)
    np.testing.assert_array_equal(constant.ranks, data.ranks[[0, 2]])


@pytest.mark.parametrize(
    "y",
    [
        np.array([3, -2, 3, 7], dtype=np.int8),
        np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64),
        np.array([-128, 127], dtype=np.int8),
        np.array([2**62, -(2**62)]),
        np.array([True, False, True]),
    ],
)
def test_whole_labels_are_numbered_in_order(y):
    classes, codes = encode_labels(y, len(y))
    wanted, inverse = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, wanted)
    assert classes.dtype == y.dtype
    np.testing.assert_array_equal(codes, inverse)
    assert codes.dtype == np.int32


def test_nothing_is_ranked_once_it_is_late():
    late = encode(Table.of([[1.0, 2.0], [3.0, 4.0]]), ["a", "b"], is_late=lambda: True)
    assert not late.in_time
    assert late.columns == ()
    assert late.n_points == 2
    asked = []
    encode(Table.of([[1.0, 2.5, 3.0], [3.0, 4.0, 3.0], [2.0, 1.0, 4.0]]), [0, 1, 0], is_late=lambda: asked.append(1))
    assert len(asked) == 4  # all columns of two values, each of the others, the end
