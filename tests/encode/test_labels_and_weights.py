"""Labels of every kind, weights of rows and classes, and what is said about unusable ones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from exactree.encode import encode
from exactree.errors import InputError
from exactree.table import Table


def table(n):
    return Table.of(np.arange(float(n)).reshape(-1, 1))


@pytest.mark.each(
    ("y", "classes", "kind"),
    [
        (["b", "a", "b"], ["a", "b"], "U"),
        (("b", "a", "b"), ["a", "b"], "U"),
        (np.array(["b", "a", "b"]), ["a", "b"], "U"),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"], "O"),
        (pd.Series(["b", "a", "b"]), ["a", "b"], "O"),
        (pd.Series(["b", "a", "b"], dtype="category"), ["a", "b"], "O"),
        (pl.Series(["b", "a", "b"]), ["a", "b"], "UO"),
        (pl.Series(["b", "a", "b"], dtype=pl.Categorical), ["a", "b"], "O"),
        ([20, 10, 20], [10, 20], "i"),
        (np.array([20, 10, 20], dtype=object), [10, 20], "i"),
        (pd.Series([20, 10, 20], dtype="Int64"), [10, 20], "i"),
        ([True, False, True], [False, True], "b"),
        (np.array([2.0, 1.0, 2.0]), [1.0, 2.0], "f"),
        ([2, 1.0, 2], [1.0, 2.0], "f"),
    ],
)
def test_labels(y, classes, kind):
    encoded = encode(table(3), y)
    assert encoded.classes.tolist() == classes
    assert encoded.classes.dtype.kind in kind
    assert encoded.labels.tolist() == [1, 0, 1]
    assert encoded.labels.dtype == np.int32


def test_fractions_may_be_classes_if_they_repeat():
    assert encode(table(4), [0.5, 1.5, 0.5, 1.5]).classes.tolist() == [0.5, 1.5]


class Wrapped:
    def __init__(self, data):
        self.data = np.asarray(data)

    def __array__(self, dtype=None, copy=None):
        return self.data


def test_objects_with_array_interface():
    encoded = encode(table(2), Wrapped([1, 2]), sample_weight=Wrapped([1, 2]))
    assert encoded.weights.tolist() == [1.0, 2.0]


@pytest.mark.each(
    ("y", "message"),
    [
        (None, r"requires y to be passed, but the target y is None"),
        ([0, 1], r"^X has 3 rows but y has 2 labels\."),
        (np.zeros((3, 1)), r"y must have one dimension, got shape \(3, 1\).*y\.ravel\(\)"),
        ([[1], [2, 3], [4]], r"Unknown label type: y holds a list, \[1\]"),
        ([np.zeros((2, n)) for n in (1, 2, 3)], r"y must be a list of labels, one per row"),
        (7, r"Expected 1D array, got scalar array instead: y is 7"),
        ([0, None, 1], r"y contains NaN or None: row 1 has no label.*drop the rows"),
        (["a", None, "b"], r"row 1 has no label"),
        (["a", "b", float("nan")], r"row 2 has no label"),
        (pd.Series([1, None, 2], dtype="Int64"), r"row 1 has no label"),
        ([0.0, np.nan, 1.0], r"row 1 has no label"),
        ([0.0, np.inf, 1.0], r"y contains infinity \(row 1\)"),
        ([0.5, 1.5, 2.5], r"^Unknown label type: .*continuous \(regression\) target: 3 different fractional numbers"),
        ([1, "a", 2], r"Unknown label type: y mixes 1 \(int\) and 'a' \(str\).*str\(\)"),
        ([True, 2, False], r"y mixes True \(bool\) and 2 \(int\)"),
        (np.array([1j, 2, 3]), r"Complex data not supported: y"),
        ([1j, 2, 3], r"Complex data not supported: y"),
        (np.array(["2020-01-01"] * 3, dtype="M8[D]"), r"Unknown label type: y has dtype datetime64"),
        ([b"a", b"b", b"a"], r"Unknown label type: y holds a bytes, b'a'"),
    ],
)
def test_unusable_labels(y, message):
    with pytest.raises(InputError, match=message):
        encode(table(3), y)


@pytest.mark.each(
    ("weights", "message"),
    [
        ([1, -1, 1], r"sample_weight contains a negative weight \(entry 1: -1\.0\)"),
        ([1, np.nan, 1], r"sample_weight contains NaN \(entry 1"),
        ([1, 1, np.inf], r"sample_weight contains infinity \(entry 2"),
        ([1, 1], r"sample_weight has shape \(2,\) but X has 3 rows"),
        ([[1], [1], [1]], r"sample_weight has shape \(3, 1\)"),
        ([0, 0, 0], r"Every sample_weight is zero"),
        ([1.7e308] * 3, r"sum of sample_weight is too large"),
        (["a", "b", "c"], r"sample_weight must be numbers, one per row"),
    ],
)
def test_unusable_row_weights(weights, message):
    with pytest.raises(InputError, match=message):
        encode(table(3), [0, 1, 1], sample_weight=weights)


@pytest.mark.each(
    ("weights", "message"),
    [
        ("even", r"class_weight is 'even'\. Expected None, 'balanced', or a dict"),
        ([1, 2], r"class_weight is \[1, 2\]"),
        ({"c": 1}, r"class_weight names 'c', which is not a label in y\. The labels are: 'a', 'b'"),
        ({"a": -1}, r"class_weight contains a negative weight"),
        ({"a": "much"}, r"class_weight must map labels to numbers; got 'much' for 'a'"),
        ({"a": 0, "b": 0}, r"Every class_weight is zero"),
    ],
)
def test_unusable_class_weights(weights, message):
    with pytest.raises(InputError, match=message):
        encode(table(3), ["a", "b", "b"], class_weight=weights)


def test_class_weights_that_leave_no_row():
    with pytest.raises(InputError, match=r"All weights are zero: class_weight leaves no row"):
        encode(table(2), ["a", "b"], sample_weight=[1, 0], class_weight={"a": 0})


@pytest.mark.parametrize("weights", ["balanced", {"a": 2.5}, {"a": 2, "c": 0}])
def test_class_weights_are_those_of_scikit_learn(weights):
    y = np.array(["a", "b", "c", "b", "b"])
    encoded = encode(table(5), y, class_weight=weights)
    expected = compute_sample_weight(weights, y)
    np.testing.assert_array_equal(encoded.weights, expected[expected > 0])
    assert encoded.classes.tolist() == ["a", "b", "c"]


def test_rows_of_weight_zero_go_but_their_class_stays():
    encoded = encode(table(4), ["a", "b", "c", "a"], sample_weight=[1, 2, 0, 0])
    assert encoded.classes.tolist() == ["a", "b", "c"]
    assert encoded.labels.tolist() == [0, 1]
    assert encoded.table.columns[0].values.tolist() == [0.0, 1.0]
    balanced = encode(table(4), ["a", "b", "c", "a"], sample_weight=[1, 2, 0, 0], class_weight="balanced")
    assert balanced.weights.tolist() == [1.0, 2.0]


def test_whole_weights_stay_whole():
    encoded = encode(Table.of(np.zeros((1000, 1))), np.zeros(1000), sample_weight=np.full(1000, 3))
    assert encoded.weights.dtype == np.float64
    assert encoded.point_weights.tolist() == [3000.0]
