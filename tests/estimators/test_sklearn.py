"""The estimator among its scikit-learn neighbours."""

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from exactree import OptimalTreeClassifier
from exactree.errors import InputError


def sklearn_version():
    return tuple(map(int, sklearn.__version__.split(".")[:2]))


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def fitted(iris):
    return OptimalTreeClassifier(max_depth=2).fit(*iris)


def test_pipeline(iris):
    X, y = iris
    model = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=2)).fit(X, y)
    assert model.score(X, y) == pytest.approx(144 / 150)


def test_set_output_of_a_transformer_before_keeps_the_names(iris):
    X, y = iris
    model = make_pipeline(MinMaxScaler().set_output(transform="pandas"), OptimalTreeClassifier(max_depth=2))
    tree = model.fit(X, y)[-1]
    assert tree.feature_names_in_.tolist() == X.columns.tolist()
    assert "petal" in str(tree)


@pytest.mark.skipif(
    sklearn_version() < (1, 9) and not hasattr(pl.DataFrame, "__dataframe__"),
    reason="scikit-learn before 1.9 cannot join frames of polars 2",
)
def test_set_output_of_a_column_transformer_in_polars(iris):
    X, y = iris
    scale = make_column_transformer((MinMaxScaler(), X.columns[:2]), remainder="passthrough")
    model = make_pipeline(scale.set_output(transform="polars"), OptimalTreeClassifier(max_depth=2)).fit(X, y)
    assert model.score(X, y) == pytest.approx(144 / 150)


def test_sparse_output_of_a_one_hot_encoder():
    X, y = [["red", "s"], ["red", "m"], ["blue", "s"], ["blue", "m"]], [0, 1, 1, 0]
    model = make_pipeline(OneHotEncoder(), OptimalTreeClassifier(max_depth=2)).fit(X, y)
    assert issparse(model[0].transform(X))
    assert model.predict(X).tolist() == y


def test_grid_search_in_two_processes(iris):
    grid = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2], "min_samples_leaf": [1, 5]}, cv=3, n_jobs=2)
    grid.fit(*iris)
    assert grid.best_params_["max_depth"] == 2
    assert grid.best_estimator_.is_optimal_


def test_cross_validation(iris):
    assert cross_val_score(OptimalTreeClassifier(max_depth=2), *iris, cv=5).mean() > 0.9
    scores = cross_validate(OptimalTreeClassifier(max_depth=2), *iris, scoring=["accuracy", "roc_auc_ovr"])
    assert (scores["test_roc_auc_ovr"] > 0.9).all()


def test_bagging_and_permutation_importance(iris, fitted):
    X, y = iris
    bag = BaggingClassifier(OptimalTreeClassifier(max_depth=1), n_estimators=3, random_state=0).fit(X, y)
    assert bag.score(X, y) > 0.6
    found = permutation_importance(fitted, X, y, random_state=0).importances_mean
    assert found.argmax() in (2, 3)


def test_clone_keeps_parameters_and_forgets_the_fit(fitted):
    copy = clone(fitted.set_params(ccp_alpha=0.0))
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "tree_")


def test_every_parameter_survives_a_clone():
    given = dict.fromkeys(OptimalTreeClassifier().get_params(), "kept as it is")
    assert clone(OptimalTreeClassifier(**given)).get_params() == given


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(iris, fitted, protocol):
    again = pickle.loads(pickle.dumps(fitted, protocol))
    assert again.tree_.same_as(fitted.tree_)
    assert np.array_equal(again.predict_proba(iris[0]), fitted.predict_proba(iris[0]))
    assert (again.status_, again.cost_, again.solution_.bound) == (fitted.status_, fitted.cost_, fitted.solution_.bound)


def test_joblib(iris, fitted):
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    assert np.array_equal(joblib.load(file).predict(iris[0]), fitted.predict(iris[0]))


def test_sample_weight_is_routed(iris):
    X, y = iris
    weight = np.where(y == 2, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        tree = OptimalTreeClassifier(max_depth=1).set_fit_request(sample_weight=True)
        tree.set_score_request(sample_weight=True)
        scale = StandardScaler().set_fit_request(sample_weight=False)
        model = make_pipeline(scale, tree).fit(X, y, sample_weight=weight)
        grid = GridSearchCV(tree, {"max_depth": [1]}, cv=2).fit(X, y, sample_weight=weight)
    assert model[-1].cost_ == OptimalTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight).cost_
    assert grid.best_estimator_.cost_ == model[-1].cost_ == 50.0


def test_apply_decision_path_and_proba_agree(iris, fitted):
    X, y = iris
    leaves = fitted.apply(X)
    path = fitted.decision_path(X)
    assert path.shape == (150, fitted.tree_.n_nodes)
    assert path.sum(axis=1).max() == fitted.get_depth() + 1 == 3
    assert all(path[[row], [leaf]] == 1 for row, leaf in enumerate(leaves))
    assert len(np.unique(leaves)) == fitted.get_n_leaves() == fitted.n_leaves_
    proba = fitted.predict_proba(X)
    assert np.allclose(proba.sum(axis=1), 1)
    assert (fitted.classes_[proba.argmax(axis=1)] == fitted.predict(X)).all()
    for leaf in np.unique(leaves):
        share = np.bincount(y[leaves == leaf], minlength=3) / np.count_nonzero(leaves == leaf)
        assert np.allclose(proba[leaves == leaf], share)


def test_feature_importances(iris, fitted):
    found = fitted.feature_importances_
    assert found.shape == (4,)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    assert found[:2].sum() == 0
    lone = OptimalTreeClassifier(max_depth=0).fit(*iris)
    assert lone.feature_importances_.tolist() == [0, 0, 0, 0]


def test_refit_replaces_everything(iris):
    tree = OptimalTreeClassifier(max_depth=1).fit(*iris)
    tree.fit([["a", 1], ["b", 2]], ["x", "y"])
    assert tree.classes_.tolist() == ["x", "y"]
    assert tree.n_features_in_ == 2
    assert not hasattr(tree, "feature_names_in_")


def test_class_weight(iris):
    X, y = iris
    explicit = OptimalTreeClassifier(max_depth=1, class_weight={2: 5.0}).fit(X, y)
    weighted = OptimalTreeClassifier(max_depth=1).fit(X, y, sample_weight=np.where(y == 2, 5.0, 1.0))
    assert explicit.cost_ == weighted.cost_
    rare = np.r_[np.zeros(90, int), np.ones(10, int)]
    noise = np.random.default_rng(0).integers(0, 3, size=(100, 1)).astype(float)
    balanced = OptimalTreeClassifier(max_depth=1, class_weight="balanced").fit(noise, rare)
    same = OptimalTreeClassifier(max_depth=1, objective="balanced_accuracy").fit(noise, rare)
    assert balanced.cost_ == pytest.approx(same.cost_)


def test_an_unfitted_tree_says_so():
    with pytest.raises(sklearn.exceptions.NotFittedError):
        OptimalTreeClassifier().predict([[1.0]])


def test_the_number_of_columns_is_checked(iris):
    fitted = OptimalTreeClassifier(max_depth=1).fit(iris[0].to_numpy(), iris[1])
    with pytest.raises(ValueError, match="X has 3 features, but OptimalTreeClassifier is expecting 4 features"):
        fitted.predict(np.zeros((2, 3)))


def test_column_names_are_checked(iris, fitted):
    X, _ = iris
    with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
        fitted.predict(X.rename(columns={X.columns[0]: "other"}))
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[X.columns[::-1]])


def test_names_missing_at_predict_are_warned_about(iris, fitted):
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        found = fitted.predict(iris[0].to_numpy())
    assert np.array_equal(found, fitted.predict(iris[0]))


def test_strings_where_numbers_were(fitted):
    X = pd.DataFrame({name: ["a", "b"] for name in fitted.feature_names_in_})
    with pytest.raises(InputError, match="held numbers when the model was fitted; now it holds categories"):
        fitted.predict(X)
