"""Models of leaves are read as they are: every feature they see, and every output they give."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.errors import Unsupported
from exactree.estimators.hybrid.leaf_columns import able_to_read, as_numbers
from exactree.explain import counterfactuals
from exactree.explain.network.features import input_features, transformed_features
from exactree.explain.network.network import network_of
from exactree.table import Table

N_ROWS = 60
NETWORK = MLPClassifier((4,), max_iter=20, random_state=0)


def mixed(rng, *, gaps=True):
    gone = lambda values: np.where(rng.random(N_ROWS) < 0.2, None, values) if gaps else values  # noqa: E731
    return pd.DataFrame(
        {
            "age": gone(rng.integers(18, 80, N_ROWS)).astype(float),
            "city": pd.Categorical(gone(rng.choice(["Oslo", "Rome", "Bonn"], N_ROWS))),
            "owner": pd.array(gone(rng.choice([True, False], N_ROWS)), dtype="boolean"),
            "size": pd.Categorical(gone(rng.choice(["S", "M", "L"], N_ROWS)), categories=["S", "M", "L"], ordered=True),
            "spent": rng.normal(100, 30, N_ROWS),
        }
    )


def seen(features, table):
    """What features say of rows, computed from the rows alone."""
    found = np.empty((table.n_rows, len(features)))
    for at, feature in enumerate(features):
        column = table.columns[feature.column]
        for i, (value, gone) in enumerate(zip(column.values.tolist(), column.missing.tolist(), strict=True)):
            if gone or (feature.levels is not None and value < 0):
                found[i, at] = feature.if_missing
            elif feature.levels is not None:
                found[i, at] = feature.levels[value]
            else:
                found[i, at] = feature.slope * value + feature.intercept
    return found


@pytest.mark.each("seed", range(8))
def test_what_is_prepared_by_itself_is_seen(seed):
    rng = np.random.default_rng(seed)
    table = Table.of(mixed(rng, gaps=bool(seed % 4)))
    some = rng.random(N_ROWS) < 0.3  # a leaf: levels and gaps may be lacking there
    preparation, _ = able_to_read(NETWORK, table.schema)
    preparation.fit(as_numbers(table)[some])
    features = transformed_features(preparation, input_features(table.schema, raw_rows=False))
    np.testing.assert_allclose(seen(features, table), preparation.transform(as_numbers(table)), atol=1e-9)


NUMBERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler((-1, 3)),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(with_centering=False, with_scaling=False),
    make_pipeline(SimpleImputer(strategy="mean"), MinMaxScaler(), "passthrough", StandardScaler()),
    make_pipeline(MinMaxScaler(), SimpleImputer(strategy="constant", fill_value=7.0, add_indicator=True)),
    make_column_transformer((StandardScaler(), [2]), ("passthrough", [0]), ("drop", [1])),
    make_column_transformer((SimpleImputer(), [1, 0]), remainder="passthrough"),
    FunctionTransformer(),
]


@pytest.mark.each("step", NUMBERS)
def test_steps_over_numbers_are_seen_through(step):
    rng = np.random.default_rng(0)
    X = rng.normal(50, 20, (N_ROWS, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    table = Table.of(X)
    features = transformed_features(step.fit(X), input_features(table.schema, raw_rows=True))
    np.testing.assert_allclose(seen(features, table), step.transform(X), atol=1e-9)


LEVELS = [
    OneHotEncoder(),
    OneHotEncoder(drop="first", sparse_output=False),
    OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3),
    OrdinalEncoder(),
]


@pytest.mark.parametrize("step", LEVELS, ids=lambda step: str(step)[:40])
def test_encoders_are_asked_level_by_level(step):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.choice(list("pqrs"), N_ROWS), "b": rng.choice(["x", "y", "z"], N_ROWS)})
    table = Table.of(X)
    features = transformed_features(step.fit(X), input_features(table.schema, raw_rows=True))
    answer = step.transform(X)
    np.testing.assert_array_equal(seen(features, table), answer.toarray() if hasattr(answer, "toarray") else answer)


def test_a_level_that_the_encoder_refuses_is_refused():
    X = pd.DataFrame({"a": ["p", "q", "r"]})
    step = OneHotEncoder().fit(X[:2])
    features = transformed_features(step, input_features(Table.of(X).schema, raw_rows=True))
    assert [np.isnan(feature.levels).tolist() for feature in features] == [[False, False, True]] * 2


MODELS = [
    MLPClassifier((5,), max_iter=30, random_state=0),
    MLPClassifier((4, 3), max_iter=30, random_state=0),
    MLPClassifier((3,), activation="identity", max_iter=30, random_state=0),
    LogisticRegression(),
    LinearSVC(),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
    Perceptron(random_state=0),
    make_pipeline(StandardScaler(), MLPClassifier((5,), max_iter=30, random_state=0)),
    GridSearchCV(make_pipeline(MinMaxScaler(), LogisticRegression()), {"logisticregression__C": [0.1, 1.0]}, cv=2),
]


def outputs(network, X):
    """Outputs of a network, column by column and layer by layer."""
    h = sum(weights.slope * X[:, [j]] + weights.intercept for j, weights in network.column_weights.items())
    h = h + network.layers[0].bias
    for before, layer in zip(network.layers, network.layers[1:], strict=False):
        h = (np.maximum(h, 0) if before.relu else h) @ layer.weights + layer.bias
    return h


@pytest.mark.each("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_highest_output_is_what_the_model_says(model, n_classes):
    rng = np.random.default_rng(2)
    X = rng.normal(3, 2, (N_ROWS, 3))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0] - X[:, 1] + rng.normal(0, 1, N_ROWS), [-1, 1])]
    y = np.where(y == "mid", "top", y) if n_classes == 2 else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    classes = ["low", "mid", "other", "top"]  # the tree may know more classes than a leaf
    network = network_of(model, Table.of(X).schema, classes, raw_rows=True)
    said = np.array(classes)[network.labels[outputs(network, X).argmax(axis=1)]]
    assert said.tolist() == model.predict(X).tolist()


UNSUPPORTED = "Counterfactuals do not support"
REFUSED = [
    (SVC(), f"{UNSUPPORTED} SVC as a leaf model."),
    (
        MLPClassifier((2,), "tanh", max_iter=2),
        f"{UNSUPPORTED} MLPClassifier(activation='tanh') as a leaf model.",
    ),
    (
        make_pipeline(PolynomialFeatures(), LogisticRegression()),
        f"{UNSUPPORTED} PolynomialFeatures() as a step",
    ),
    (make_pipeline(MinMaxScaler(clip=True), LogisticRegression()), "MinMaxScaler(clip=True) is not linear."),
    (make_pipeline(FunctionTransformer(np.exp), LogisticRegression()), "FunctionTransformer(func=<ufunc 'exp'>) may"),
    (make_pipeline(OrdinalEncoder(), LogisticRegression()), "OrdinalEncoder encodes numbers in a leaf model."),
    (
        make_pipeline(SimpleImputer(missing_values=-1), LogisticRegression()),
        "SimpleImputer(missing_values=-1) replaces a number",
    ),
]


@pytest.mark.each(("model", "message"), REFUSED)
def test_nonlinear_models_are_no_networks(model, message):
    """They are refused as networks, with advice; counterfactuals come from a local search, and say so."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (N_ROWS, 2)).astype(float), rng.integers(0, 2, N_ROWS)
    hybrid = HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), model, min_rows=1, keep="always")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        hybrid.fit(X, y)
    schema, known = Table.of(X).schema, hybrid.classes_.tolist()
    leaf_model = next(filter(None, hybrid.leaf_models_.values()))
    with pytest.raises(Unsupported) as raised:
        network_of(leaf_model, schema, known, raw_rows=hybrid.reads_raw_rows_)
    assert str(raised.value).startswith(message)
    found = counterfactuals(hybrid, X[0], data=X)
    for answer in found:
        assert hybrid.predict([list(answer.row.values())])[0] == answer.label != found.label
