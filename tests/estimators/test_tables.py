"""Tables as users bring them, and the inputs on which other packages give wrong answers or die."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from exactree import OptimalTreeClassifier
from exactree.errors import InputError

AGES = [[20], [60], [20], [60]]


def fit(X, y, **options):
    return OptimalTreeClassifier(max_depth=options.pop("max_depth", 2)).fit(X, y, **options)


LABELS = {
    "strings": ["no", "yes", "no", "yes"],
    "truth values": [False, True, False, True],
    "minus one and one": [-1, 1, -1, 1],
    "ten and twenty": [10, 20, 10, 20],
    "floats": [0.5, 1.5, 0.5, 1.5],
    "large integers": [2**60, 2**60 + 1, 2**60, 2**60 + 1],
    "unsigned": np.array([3, 250, 3, 250], dtype=np.uint8),
    "objects": np.array(["b", "a", "b", "a"], dtype=object),
    "pandas": pd.Series(["b", "a", "b", "a"]),
    "pandas strings": pd.Series(["b", "a", "b", "a"], dtype="string"),
    "pandas categories": pd.Series(["b", "a", "b", "a"], dtype="category"),
    "pandas nullable": pd.Series([7, 3, 7, 3], dtype="Int64"),
    "polars": pl.Series(["b", "a", "b", "a"]),
}


@pytest.mark.each("y", LABELS.values())
def test_labels_come_back_as_they_went_in(y):
    tree = fit(AGES, y)
    assert tree.cost_ == 0
    assert tree.predict(AGES).tolist() == list(y)
    assert tree.classes_.tolist() == sorted(set(y))


@pytest.mark.each("y", LABELS.values())
def test_a_fitted_tree_can_be_pickled(y):
    tree = fit(AGES, y)
    assert pickle.loads(pickle.dumps(tree)).predict(AGES).tolist() == list(y)


def test_a_column_of_classes_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        assert fit(AGES, np.array([[0], [1], [0], [1]])).cost_ == 0


SEPARATING = {
    "numbers": [[20], [60]],
    "strings": [["red"], ["blue"]],
    "truth values": [[True], [False]],
    "tiny differences": [[1.0], [np.nextafter(1.0, 2.0)]],
    "large integers": [[2**60], [2**60 + 1]],
    "huge numbers": [[1e300], [-1e300]],
    "small numbers": [[5e-324], [0.0]],
    "missing": [[np.nan], [1.0]],
    "missing string": [[None], ["red"]],
}


@pytest.mark.each("X", SEPARATING.values())
def test_nothing_that_separates_is_lost(X):
    tree = fit(X, ["first", "second"], max_depth=1)
    assert tree.cost_ == 0
    assert tree.predict(X).tolist() == ["first", "second"]


def test_numbers_are_not_binned():
    # The one row that differs lies between two of any five quantiles.
    X = np.arange(1000.0)[:, None]
    y = np.arange(1000) == 137
    tree = fit(X, y)
    assert (tree.status_, tree.cost_) == ("optimal", 0)
    assert tree.predict([[136.0], [137.0], [138.0]]).tolist() == [False, True, False]


def test_missing_values_are_a_value():
    X = np.array([[np.nan], [1.0], [2.0], [np.nan], [3.0]])
    tree = fit(X, [1, 0, 0, 1, 1])
    assert tree.cost_ == 0
    assert tree.predict([[np.nan], [0.0], [9.0]]).tolist() == [1, 0, 1]


def test_missing_at_predict_where_training_had_none_goes_with_the_majority():
    tree = fit([[1.0], [2.0], [3.0]], ["few", "many", "many"], max_depth=1)
    assert tree.predict([[np.nan]]).tolist() == ["many"]


def test_an_unseen_category_is_none_of_those_seen():
    X = [["red"], ["green"], ["blue"], ["blue"]]
    tree = fit(X, ["warm", "cold", "cold", "cold"], max_depth=1)
    assert tree.predict([["violet"]]).tolist() == ["cold"]


def test_sample_weight_decides():
    X, y = [[1.0], [1.0], [1.0]], ["light", "light", "heavy"]
    assert fit(X, y).predict(X).tolist() == ["light"] * 3
    assert fit(X, y, sample_weight=[1, 1, 5]).predict(X).tolist() == ["heavy"] * 3
    assert fit(X, y, sample_weight=[1, 1, 5]).cost_ == 2


def test_rows_of_weight_zero_do_not_count():
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    tree = fit(X, y, sample_weight=[1, 0, 1], max_depth=2)
    assert tree.n_leaves_ == 1
    assert tree.classes_.tolist() == [0, 1]
    assert tree.predict_proba([[2.0]]).tolist() == [[1.0, 0.0]]


def people():
    return pd.DataFrame(
        {
            "age": pd.array([30, None, 41, 25, 60, 33], dtype="Int64"),
            "score": pd.array([0.5, 0.25, None, 1.0, 0.75, 0.1], dtype="Float64"),
            "member": pd.array([True, False, None, True, False, True], dtype="boolean"),
            "city": pd.Series(["Oslo", "Rome", None, "Rome", "Oslo", "Bonn"], dtype="string"),
            "colour": pd.Categorical(["red", "blue", "red", None, "green", "blue"]),
            "size": pd.Categorical(["S", "L", "M", "S", None, "L"], categories=["S", "M", "L"], ordered=True),
        }
    )


def test_pandas_columns_of_every_kind():
    X, y = people(), [0, 1, 1, 0, 1, 1]
    tree = fit(X, y, max_depth=3)
    assert tree.cost_ == 0
    assert tree.predict(X).tolist() == y
    assert tree.feature_names_in_.tolist() == X.columns.tolist()


@pytest.mark.each("name", people().columns)
def test_each_pandas_column_alone_is_no_worse_than_a_guess(name):
    X, y = people()[[name]], [0, 1, 1, 0, 1, 1]
    tree = fit(X, y, max_depth=3)
    assert tree.cost_ == np.count_nonzero(tree.predict(X) != np.array(y)) <= 2


def test_polars_equals_pandas():
    frame = people()
    frame["size"] = frame["size"].astype(object)  # an ordered category is an Enum in polars
    plain = {name: [None if pd.isna(v) else v for v in frame[name].tolist()] for name in frame}
    X = pl.DataFrame(plain).with_columns(pl.col("size").cast(pl.Enum(["S", "M", "L"])))
    y = [0, 1, 1, 0, 1, 1]
    tree = fit(X, y, max_depth=3)
    assert tree.cost_ == fit(people(), y, max_depth=3).cost_
    assert tree.predict(X).tolist() == y
    assert tree.feature_names_in_.tolist() == X.columns


def test_an_ordered_category_is_cut_between_two_levels():
    sizes = pd.Categorical(["S", "M", "L", "XL"] * 3, categories=["S", "M", "L", "XL"], ordered=True)
    X = pd.DataFrame({"size": sizes})
    tree = fit(X, [0, 0, 1, 1] * 3, max_depth=1)
    assert tree.cost_ == 0
    assert "size <= M" in str(tree)
    unordered = fit(pd.DataFrame({"size": sizes.as_unordered()}), [0, 0, 1, 1] * 3, max_depth=1)
    assert unordered.cost_ == 3


def test_numbers_declared_as_categories():
    X, y = [[1], [2], [3]] * 4, [0, 1, 0] * 4
    assert fit(X, y, max_depth=1).cost_ == 4
    assert OptimalTreeClassifier(max_depth=1, categorical_features=[0]).fit(X, y).cost_ == 0


def test_new_levels_and_types_at_predict():
    X = people()
    tree = fit(X, [0, 1, 1, 0, 1, 1], max_depth=3)
    other = X.assign(age=X["age"].astype("Float64"), colour=X["colour"].astype(object), member=[1, 0, None, 1, 0, 1])
    assert tree.predict(other).tolist() == tree.predict(X).tolist()
    with pytest.raises(InputError, match=r"Column 'city' held strings.*now it holds numbers"):
        tree.predict(X.assign(city=1.0))


def test_one_class_only():
    tree = fit(AGES, ["same"] * 4)
    assert (tree.n_leaves_, tree.cost_, tree.status_) == (1, 0, "optimal")
    assert tree.predict(AGES).tolist() == ["same"] * 4


def test_constant_columns_and_contradictions():
    X, y = [[1.0, 5.0]] * 5, [0, 1, 1, 0, 1]
    tree = fit(X, y)
    assert (tree.n_leaves_, tree.cost_, tree.lower_bound_) == (1, 2, 2)


def test_duplicate_column_names():
    X = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(InputError, match="'a'"):
        fit(X, [0, 1])
