"""Leaf models as networks over the columns of the table: affine layers, with or without ReLU between them.

A linear classifier is a network of one layer. A network with one output predicts its second class if the output is
above 0; it gets a first output of 0, so that in all networks the class with the highest output is predicted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats
from exactree.errors import Unsupported
from exactree.explain.network.features import Feature, input_features, transformed_features
from exactree.table import Schema

LINEAR = ("LogisticRegression", "LogisticRegressionCV", "LinearSVC", "SGDClassifier", "RidgeClassifier", "Perceptron")
ACTIVATIONS = {"relu": True, "identity": False}


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """An affine layer; ``relu`` if negative outputs become 0."""

    weights: Floats  # (n_inputs, n_units)
    bias: Floats  # (n_units,)
    relu: bool


@dataclass(frozen=True, slots=True, eq=False)
class ColumnWeights:
    """What one table column adds to the units of the first layer; NaN for values that the model rejects."""

    slope: Floats  # (n_units,) of a number
    intercept: Floats  # (n_units,) of a number
    if_missing: Floats  # (n_units,) if it is missing
    levels: Floats | None  # (n_levels, n_units) of a category
    center: float = 0.0  # the number that is 0 to the model
    scale: float = 1.0  # the distance that is 1 to the model

    @property
    def takes_missing(self) -> bool:
        """Whether the value may be missing."""
        return not bool(np.isnan(self.if_missing).any())


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The model of a leaf."""

    column_weights: Mapping[int, ColumnWeights]  # by column
    layers: tuple[Layer, ...]  # the weights of the first are in ``column_weights``
    labels: NDArray[np.intp]  # (n_outputs,) class of the tree, by output


def network_of(model: Any, schema: Schema, classes: list[Any], *, raw_rows: bool) -> Network:
    """Read a fitted leaf model; reject models that are no ReLU network, or read nonlinear features.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from exactree.table import Table
    >>> X = [[1.0, 5.0], [2.0, 7.0], [3.0, 5.0], [4.0, 6.0]]
    >>> model = LogisticRegression().fit(X, ["a", "a", "b", "b"])
    >>> network = network_of(model, Table.of(X).schema, ["a", "b"], raw_rows=True)
    >>> len(network.layers), network.labels.tolist(), sorted(network.column_weights)
    (1, [0, 1], [0, 1])
    """
    features, inner = input_features(schema, raw_rows=raw_rows), model
    while (opened := unwrapped(inner, features)) is not None:
        inner, features = opened
    layers = _with_two_outputs(_layers(inner))
    labels = np.array([classes.index(label) for label in np.asarray(model.classes_).tolist()], dtype=np.intp)
    return Network(_column_weights(features, layers[0].weights), layers, labels)


def constant(label: int) -> Network:
    """Return a network that reads nothing and always predicts one class.

    Examples
    --------
    >>> constant(2).labels.tolist()
    [2]
    """
    return Network({}, (Layer(np.zeros((0, 1)), np.zeros(1), relu=False),), np.array([label], dtype=np.intp))


def unwrapped(model: Any, features: list[Feature]) -> tuple[Any, list[Feature]] | None:
    """Return the model inside a pipeline, a search or a label encoder; None if there is none."""
    if type(model).__name__ == "Pipeline":
        for _, step in model.steps[:-1]:
            features = transformed_features(step, features)
        return model.steps[-1][1], features
    for name in ("best_estimator_", "estimator_"):
        if hasattr(model, name):
            return getattr(model, name), features
    return None


def _layers(model: Any) -> tuple[Layer, ...]:
    name, known = type(model).__name__, type(model).__module__.partition(".")[0] == "sklearn"
    if known and name == "MLPClassifier" and model.activation in ACTIVATIONS:
        pairs = list(zip(model.coefs_, model.intercepts_, strict=True))
        return tuple(
            Layer(
                np.asarray(w, dtype=np.float64),
                np.asarray(b, dtype=np.float64),
                ACTIVATIONS[model.activation] and not last,
            )
            for (w, b), last in zip(pairs, [False] * (len(pairs) - 1) + [True], strict=True)
        )
    if known and name in LINEAR:
        weights = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)).T
        bias = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), weights.shape[1:])
        return (Layer(weights, bias, relu=False),)
    what = f"{name}(activation={model.activation!r})" if known and name == "MLPClassifier" else name
    raise Unsupported(
        f"Counterfactuals do not support {what} as a leaf model. They support MLPClassifier with activation "
        f"'relu' or 'identity', and {', '.join(LINEAR)}. Use one of these as leaf_estimator, or explain the tree "
        f"alone: give its tree_."
    )


def _with_two_outputs(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    last = layers[-1]
    if last.weights.shape[1] > 1:
        return layers
    weights = np.hstack([np.zeros_like(last.weights), last.weights])
    return (*layers[:-1], Layer(weights, np.append(0.0, last.bias), relu=False))


def _column_weights(features: list[Feature], weights: Floats) -> dict[int, ColumnWeights]:
    """Add up the first-layer weights of the features of each column."""
    found = {}
    for j in dict.fromkeys(feature.column for feature in features):
        mine = [at for at, feature in enumerate(features) if feature.column == j]
        some, rows = [features[at] for at in mine], weights[mine]
        levels = None
        if some[0].levels is not None:
            table = np.array([feature.levels for feature in some], dtype=np.float64)
            levels = table.T @ rows
        slope, intercept, if_missing = (
            np.array([getattr(feature, part) for feature in some], dtype=np.float64) @ rows
            for part in ("slope", "intercept", "if_missing")
        )
        steepest = max(some, key=lambda feature: abs(feature.slope))
        center, scale = (
            (-steepest.intercept / steepest.slope, 1 / abs(steepest.slope)) if steepest.slope else (0.0, 1.0)
        )
        found[j] = ColumnWeights(slope, intercept, if_missing, levels, center, scale)
    return found
