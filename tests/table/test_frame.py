"""Named raw columns: rows of them, and what scikit-learn does with them."""

import pickle

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import exactree
from exactree.errors import InputError
from exactree.estimators import OptimalTreeClassifier
from exactree.table import Frame


def frame():
    series = nw.from_native(pl.Series([True, None, False, True]), series_only=True)
    return Frame(("age", "colour", "smoker"), [np.array([30, 41, 52, 63]), ["red", None, "blue", "red"], series])


def cells(frame):
    return [frame.column("age").tolist(), frame.column("colour").tolist(), frame.column("smoker").tolist()]


@pytest.mark.each(
    "rows",
    [[2, 0], np.array([2, 0]), (np.array([2, 0]), ...), slice(2, None, -2), [-2, 0]],
)
def test_some_rows(rows):
    assert cells(frame()[rows]) == [[52, 30], ["blue", "red"], [False, True]]


@pytest.mark.parametrize("rows", [[True, False, False, True], np.array([True, False, False, True]), slice(0, 4, 3)])
def test_rows_by_mask_and_slice(rows):
    assert cells(frame()[rows]) == [[30, 63], ["red", "red"], [True, True]]


@pytest.mark.parametrize("rows", ["age", 2, (slice(None), 1), np.array([[1]])])
def test_what_gives_no_rows(rows):
    with pytest.raises(InputError, match=r"a slice, a list of row numbers or a mask; got .*frame\.column\(name\)"):
        frame()[rows]


def test_a_row_that_is_not_there():
    with pytest.raises(IndexError):
        frame()[[4]]


def test_shape_and_short_form():
    assert frame().shape == (4, 3)
    assert len(frame()) == 4
    assert repr(frame()) == "<Frame of 4 rows and 3 columns: age, colour, smoker>"
    assert repr(frame().without("age", "colour")[:1]) == "<Frame of 1 row and 1 column: smoker>"
    wide = Frame(tuple("abcdefg"), [[1]] * 7)
    assert repr(wide) == "<Frame of 1 row and 7 columns: a, b, c, d, e, ...>"


def test_as_an_array():
    assert np.asarray(frame().without("smoker")).tolist() == [[30, "red"], [41, None], [52, "blue"], [63, "red"]]
    numbers = Frame(("a", "b"), [np.array([1, 2]), np.array([0.5, np.nan])])
    np.testing.assert_array_equal(np.asarray(numbers), [[1, 0.5], [2, np.nan]])
    assert np.asarray(numbers, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match=r"always a copy"):
        numbers.__array__(copy=False)


def test_the_tools_of_scikit_learn_take_it():
    data = exactree.datasets.load("tic-tac-toe")
    tree = OptimalTreeClassifier(max_depth=1)
    assert cross_val_score(tree, data.X, data.y, cv=3).shape == (3,)
    X_train, X_test, y_train, y_test = train_test_split(data.X, data.y, random_state=0, stratify=data.y)
    assert (X_train.shape, X_test.shape) == ((718, 9), (240, 9))
    assert tree.fit(X_train, y_train).score(X_test, y_test) > 0.6
    search = GridSearchCV(make_pipeline(tree), {"optimaltreeclassifier__max_depth": [0, 1]}, cv=2)
    assert search.fit(data.X, data.y).n_features_in_ == 9


def test_other_estimators_take_one_of_numbers():
    data = exactree.datasets.load("monks-1")
    assert DecisionTreeClassifier(max_depth=3, random_state=0).fit(data.X, data.y).score(data.X, data.y) > 0.7


def test_it_can_be_pickled():
    data = exactree.datasets.load("monks-1")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(data.X)).to_numpy(), data.X.to_numpy())


def test_the_estimator_knows_the_names():
    X = Frame(("age", "colour"), [[30, 41, 52, 63], ["red", "blue", "blue", "red"]])
    tree = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "a", "b", "b"])
    assert tree.n_features_in_ == 2
    assert tree.feature_names_in_.tolist() == ["age", "colour"]
    assert tree.feature_names_in_.dtype == object
    assert tree.predict(pd.DataFrame({"age": [20, 70], "colour": ["red", "red"]})).tolist() == ["a", "b"]
    assert tree.predict(Frame(("colour", "age"), [["red", "red"], [20, 70]])).tolist() == ["a", "b"]
    with pytest.raises(InputError, match=r"X lacks columns the model was fitted on: 'colour'"):
        tree.predict(X.without("colour"))
    with pytest.raises(ValueError, match=r"feature names should match"):
        tree.predict(pd.DataFrame({"age": [20], "color": ["red"]}))
    tree.fit(X.to_numpy(), ["a", "a", "b", "b"])
    assert not hasattr(tree, "feature_names_in_")
