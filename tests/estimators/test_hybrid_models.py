"""What sits in the leaves of a hybrid tree: which models can, what they read, and how they are fitted."""

import importlib.util
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, StackingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.errors import InputError
from exactree.estimators.hybrid.leaf_columns import MOST_LEVELS, CodedLabels, able_to_read, as_numbers
from exactree.table import Table

STUMP = OptimalTreeClassifier(max_depth=1)
FOREST = RandomForestClassifier(n_estimators=5)
BOOSTING = HistGradientBoostingClassifier(max_iter=5)


def numbers(n_rows=300, n_classes=2, seed=0):
    return make_classification(
        n_rows, n_features=6, n_informative=5, n_redundant=0, n_classes=n_classes, flip_y=0.1, random_state=seed
    )


def fit(X, y, leaf_estimator=None, tree=STUMP, **options):
    return HybridTreeClassifier(tree, leaf_estimator, **{"keep": "always"} | options).fit(X, y)


def loans(n_rows=240, seed=0):
    """Numbers, truth values, categories with and without order, all with missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(18, 80, n_rows)),
            "owner": pd.array(rng.choice([True, False, None], n_rows, p=[0.5, 0.4, 0.1]), dtype="boolean"),
            "city": pd.Categorical(rng.choice(["Oslo", "Rome", "Bonn", None], n_rows, p=[0.3, 0.3, 0.3, 0.1])),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows), categories=["S", "M", "L"], ordered=True),
        }
    )
    risk = (X["age"].fillna(30) < 40) + (X["city"] == "Rome").astype(int) - X["size"].cat.codes / 2
    return X, np.where(risk + rng.normal(0, 0.5, n_rows) > 0.5, "bad", "good")


@pytest.mark.parametrize(
    "search",
    [
        GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 4]}, cv=3),
        RandomizedSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 4]}, n_iter=2, cv=3),
    ],
)
def test_search_objects(search):
    X, y = numbers()
    hybrid = fit(X, y, search, random_state=0)
    for node, model in hybrid.leaf_models_.items():
        here = hybrid.apply(X) == node
        by_hand = clone(search).set_params(**({"random_state": 0} if hasattr(search, "random_state") else {}))
        by_hand.fit(X[here], y[here])
        assert model.best_params_ == by_hand.best_params_
        assert np.array_equal(hybrid.predict(X[here]), by_hand.predict(X[here]))


def test_a_neural_network_gets_scaled_columns():
    X, y = numbers()
    X = X * 1e6 + 1e8  # hopeless for a network as they are
    network = MLPClassifier((3,), solver="lbfgs", alpha=1.0, max_iter=2000, random_state=0)
    hybrid = fit(X, y, network)
    for node, model in hybrid.leaf_models_.items():
        here = hybrid.apply(X) == node
        by_hand = make_pipeline(StandardScaler(), clone(network)).fit(X[here], y[here])
        assert np.allclose(model.predict_proba(X[here]), by_hand.predict_proba(X[here]))
    assert hybrid.score(X, y) > hybrid.tree_estimator_.score(X, y)


MIXED = {
    "boosting": BOOSTING,
    "search over boosting": GridSearchCV(BOOSTING, {"max_depth": [1, 2]}, cv=2),
    "forest": RandomForestClassifier(n_estimators=5),
    "network": MLPClassifier((4,), solver="lbfgs", alpha=1.0, max_iter=2000),
    "logistic": LogisticRegression(),
    "naive": GaussianNB(),
    "neighbours": KNeighborsClassifier(),
    "support vectors": SVC(),
    "optimal tree": OptimalTreeClassifier(max_depth=2),
    "one against the rest": OneVsRestClassifier(LogisticRegression()),
}


@pytest.mark.each("name", MIXED)
def test_categories_and_missing_values(name):
    X, y = loans()
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    hybrid = HybridTreeClassifier(STUMP, MIXED[name], random_state=0, min_rows=30, keep="always").fit(
        X, y, sample_weight=weights
    )
    assert sum(model is not None for model in hybrid.leaf_models_.values()) == 2
    assert set(hybrid.predict(X)) <= {"bad", "good"}
    assert hybrid.score(X, y) > 0.6
    strange = X.assign(city=pd.Categorical(["Kyiv"] * len(X)), age=np.nan)
    assert hybrid.predict(strange).shape == (240,)
    assert hybrid.feature_names_in_.tolist() == ["age", "owner", "city", "size"]
    if name != "support vectors":
        assert np.allclose(hybrid.predict_proba(strange).sum(axis=1), 1)


def test_what_models_read():
    X, _ = loans()
    table = Table.of(X)
    read = as_numbers(table)
    assert np.array_equal(read[:, 0], X["age"], equal_nan=True)
    assert np.array_equal(read[:, 1], X["owner"].astype("Float64").to_numpy(float, na_value=np.nan), equal_nan=True)
    assert np.array_equal(read[:, 3], X["size"].cat.codes)
    assert np.array_equal(np.isnan(read[:, 2]), X["city"].isna())
    boosting = able_to_read(HistGradientBoostingClassifier(), table.schema)
    assert boosting[0] is None
    assert boosting[1].categorical_features == [2]
    prepared = able_to_read(LogisticRegression(), table.schema)[0].fit_transform(read)
    # three numbers, two of them with a column for missing values; three cities and none
    assert prepared.shape == (240, 3 + 2 + 4)
    assert not np.isnan(prepared).any()
    assert np.allclose(prepared[:, :5].mean(axis=0), 0)
    assert np.allclose(prepared[:, :5].std(axis=0), 1)
    forest = able_to_read(FOREST, table.schema)[0].fit_transform(read)
    assert np.array_equal(forest[:, :3], read[:, [0, 1, 3]], equal_nan=True)
    assert able_to_read(FOREST, Table.of([[1.0], [None]]).schema)[0] is None


def test_categories_of_many_levels():
    codes = np.random.default_rng(0).integers(0, 300, 4000)
    table = Table.of(pd.DataFrame({"code": [f"c{code:03d}" for code in codes], "n": codes % 7}))
    assert len(table.columns[0].levels) == 300
    boosting = able_to_read(HistGradientBoostingClassifier(), table.schema)[1]
    assert boosting.categorical_features is None  # it refuses more than 255
    prepared = able_to_read(LogisticRegression(), table.schema)[0].fit_transform(as_numbers(table))
    assert prepared.shape == (4000, 1 + MOST_LEVELS)


def test_what_the_caller_chose_for_categories_stays():
    X, y = loans()
    hybrid = fit(X, y, HistGradientBoostingClassifier(categorical_features=[2, 3], max_iter=5), min_rows=30)
    assert hybrid.leaf_models_[1].categorical_features == [2, 3]


def test_a_column_without_values_in_one_leaf():
    X = np.c_[np.repeat([0.0, 1.0], 60), np.r_[np.full(60, np.nan), np.arange(60)]]
    y = np.r_[np.tile([0, 0, 1], 20), np.tile([0, 1, 1], 20)]
    hybrid = fit(X, y, LogisticRegression(), tree=OptimalTreeClassifier(max_depth=1).fit(X[:, [0, 0]], X[:, 0] + y * 0))
    assert [model is not None for model in hybrid.leaf_models_.values()] == [True, True]
    assert np.isfinite(hybrid.predict_proba([[0.0, 5.0], [1.0, np.nan]])).all()


def test_a_pipeline_gets_rows_as_they_came():
    X, y = loans()
    city = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    prepare = make_column_transformer((SimpleImputer(), ["age"]), (city, ["city"]))
    own = Pipeline([("prepare", prepare), ("model", LogisticRegression())])
    hybrid = HybridTreeClassifier(STUMP, own, min_rows=30, keep="always").fit(X, y, sample_weight=np.arange(1, 241))
    for node, model in hybrid.leaf_models_.items():
        here = hybrid.apply(X) == node
        by_hand = clone(own).fit(X[here], y[here], model__sample_weight=np.arange(1, 241)[here])
        assert np.allclose(model.predict_proba(X[here]), by_hand.predict_proba(X[here]))
    assert [leaf.model for leaf in hybrid.report_.leaves] == ["LogisticRegression"] * 2
    search = GridSearchCV(own, {"model__C": [0.1, 10.0]}, cv=2)
    assert fit(X, y, search, min_rows=30).report_.leaves[0].model == "GridSearchCV of LogisticRegression"


def test_prepare_none_hands_rows_over_as_they_came():
    X, y = loans()
    hybrid = fit(X, y, OptimalTreeClassifier(max_depth=2), min_rows=30, prepare=None)
    assert hybrid.leaf_models_[1].feature_names_in_.tolist() == X.columns.tolist()
    assert "city" in " ".join(str(model) for model in hybrid.leaf_models_.values())
    with pytest.raises(ValueError, match=r"(?i)convert|cast") as caught:
        fit(X, y, GaussianNB(), min_rows=30, prepare=None)
    assert caught.value.__notes__ == [
        f"This happened to the model of leaf 1, on {np.count_nonzero(hybrid.apply(X) == 1)} rows."
    ]


def test_sample_weight_reaches_models_that_take_it():
    X, y = numbers()
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    for estimator in (
        DecisionTreeClassifier(max_depth=2, random_state=0),
        GridSearchCV(DecisionTreeClassifier(max_depth=2, random_state=0), {"min_samples_leaf": [1, 5]}, cv=2),
    ):
        hybrid = HybridTreeClassifier(STUMP, estimator, keep="always").fit(X, y, sample_weight=weight)
        for node, model in hybrid.leaf_models_.items():
            here = (hybrid.apply(X) == node) & (weight > 0)
            by_hand = clone(estimator).fit(X[here], y[here], sample_weight=weight[here])
            assert np.array_equal(model.predict_proba(X), by_hand.predict_proba(X))
    without = HybridTreeClassifier(STUMP, KNeighborsClassifier(), keep="always").fit(X, y, sample_weight=weight)
    here = (without.apply(X) == 1) & (weight > 0)
    by_hand = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(X[here], y[here])
    assert np.array_equal(without.leaf_models_[1].predict(X), by_hand.predict(X))


def test_pickle():
    X, y = loans()
    hybrid = fit(X, y, LogisticRegression(), min_rows=30)
    again = pickle.loads(pickle.dumps(hybrid))
    assert np.array_equal(again.predict_proba(X), hybrid.predict_proba(X))
    assert again.tree_.same_as(hybrid.tree_)
    assert again.report_ == hybrid.report_


class Majority:
    """The least that a leaf model can be: no base class, no parameters, no weights, no probabilities."""

    def fit(self, X, y):
        values, counts = np.unique(y, return_counts=True)
        self.answer = values[counts.argmax()]
        return self

    def predict(self, X):
        return np.repeat(self.answer, len(X))


def test_anything_with_fit_and_predict():
    X, y = numbers()
    majority = Majority()
    hybrid = HybridTreeClassifier(STUMP, majority, random_state=0, keep="always").fit(X, y, sample_weight=np.ones(300))
    assert np.array_equal(hybrid.predict(X), hybrid.tree_estimator_.predict(X))
    assert hybrid.leaf_models_[1] is not hybrid.leaf_models_[2] is not majority
    assert not hasattr(hybrid, "predict_proba")
    assert not hasattr(majority, "answer")


def test_a_stack_predicts_only_once_it_is_fitted():
    X, y = numbers()
    stack = StackingClassifier([("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))], cv=3)
    hybrid = fit(X, y, stack, random_state=0)
    assert hybrid.score(X, y) > hybrid.report_.tree_accuracy
    assert np.allclose(hybrid.predict_proba(X).sum(axis=1), 1)


def test_coded_labels():
    X, y = numbers(n_classes=3)
    names = np.array(["ant", "bee", "cat"])[y]
    model = CodedLabels(GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [3]})).fit(X, names)
    plain = DecisionTreeClassifier(random_state=0, max_depth=3).fit(X, names)
    assert model.estimator_.best_estimator_.classes_.tolist() == [0, 1, 2]
    assert np.array_equal(model.predict(X), plain.predict(X))
    assert np.array_equal(model.predict_proba(X), plain.predict_proba(X))


def test_xgboost_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("exactree.estimators.hybrid.leaf_models.find_spec", lambda name: None)
    with pytest.raises(InputError) as caught:
        fit(*numbers(60), "xgboost")
    assert str(caught.value) == "leaf_estimator='xgboost' needs the package xgboost: pip install 'exactree[hybrid]'."


@pytest.mark.skipif(importlib.util.find_spec("xgboost") is None, reason="xgboost is not installed")
def test_xgboost():
    X, y = loans()
    hybrid = HybridTreeClassifier(STUMP, "xgboost", min_rows=30, random_state=0, keep="always").fit(
        X, y, sample_weight=np.ones(240)
    )
    assert all(model.estimator_.feature_types == ["q", "q", "c", "q"] for model in hybrid.leaf_models_.values())
    assert hybrid.score(X, y) > hybrid.report_.tree_accuracy
    assert np.allclose(hybrid.predict_proba(X.assign(city="Kyiv")).sum(axis=1), 1)
    classifier = importlib.import_module("xgboost").XGBClassifier(n_estimators=5, random_state=0)
    X, y = numbers(n_classes=3)
    names = np.array(["ant", "bee", "cat"])
    for estimator in (classifier, GridSearchCV(classifier, {"max_depth": [1, 3]}, cv=2)):
        hybrid = fit(X, names[y], estimator)
        for node in hybrid.leaf_models_:
            here = hybrid.apply(X) == node
            present, codes = np.unique(y[here], return_inverse=True)
            by_hand = clone(estimator).fit(X[here], codes)
            assert hybrid.predict(X[here]).tolist() == names[present[by_hand.predict(X[here])]].tolist()
