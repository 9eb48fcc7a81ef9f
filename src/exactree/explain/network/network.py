"""Models of leaves as networks over the columns of the table: layers of sums, with ReLU between them or without.

A linear classifier is a network of one layer. A network with one output says its second class above 0; it gets a first
output of 0, so that in all of them the class with the highest output is the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats
from exactree.errors import Unsupported
from exactree.explain.network.features import Feature, features_of, prepared
from exactree.table import Schema

LINEAR = ("LogisticRegression", "LogisticRegressionCV", "LinearSVC", "SGDClassifier", "RidgeClassifier", "Perceptron")
BENDS = {"relu": True, "identity": False}


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Sums of what the layer before tells; ``relu`` if negative ones become 0."""

    weights: Floats  # (n_inputs, n_units)
    bias: Floats  # (n_units,)
    relu: bool


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What one column of the table adds to the units of the first layer; NaN where the model refuses such a value."""

    slope: Floats  # (n_units,) of a number
    shift: Floats  # (n_units,) of a number
    absent: Floats  # (n_units,) if it is missing
    levels: Floats | None  # (n_levels, n_units) of a category
    middle: float = 0.0  # the number that the model sees as 0
    step: float = 1.0  # what it sees as a step of 1

    @property
    def takes_missing(self) -> bool:
        """Whether the value may be missing."""
        return not bool(np.isnan(self.absent).any())


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The model of a leaf."""

    readings: Mapping[int, Reading]  # by column
    layers: tuple[Layer, ...]  # the weights of the first one are in the readings
    labels: NDArray[np.intp]  # (n_outputs,) which class of the tree each output stands for


def network_of(model: Any, schema: Schema, classes: list[Any], *, as_they_came: bool) -> Network:
    """Read a fitted model of a leaf; what is no network, or sees bent columns, is refused.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from exactree.table import Table
    >>> X = [[1.0, 5.0], [2.0, 7.0], [3.0, 5.0], [4.0, 6.0]]
    >>> model = LogisticRegression().fit(X, ["a", "a", "b", "b"])
    >>> network = network_of(model, Table.of(X).schema, ["a", "b"], as_they_came=True)
    >>> len(network.layers), network.labels.tolist(), sorted(network.readings)
    (1, [0, 1], [0, 1])
    """
    features, inner = features_of(schema, as_they_came=as_they_came), model
    while (opened := _opened(inner, features)) is not None:
        inner, features = opened
    layers = _with_two_outputs(_layers(inner))
    labels = np.array([classes.index(label) for label in np.asarray(model.classes_).tolist()], dtype=np.intp)
    return Network(_readings(features, layers[0].weights), layers, labels)


def constant(label: int) -> Network:
    """Return a network that reads nothing and always says one class.

    Examples
    --------
    >>> constant(2).labels.tolist()
    [2]
    """
    return Network({}, (Layer(np.zeros((0, 1)), np.zeros(1), relu=False),), np.array([label], dtype=np.intp))


def _opened(model: Any, features: list[Feature]) -> tuple[Any, list[Feature]] | None:
    """Look into a pipeline, a search, or what translates labels; None if there is nothing to look into."""
    if type(model).__name__ == "Pipeline":
        for _, step in model.steps[:-1]:
            features = prepared(step, features)
        return model.steps[-1][1], features
    for name in ("best_estimator_", "estimator_"):
        if hasattr(model, name):
            return getattr(model, name), features
    return None


def _layers(model: Any) -> tuple[Layer, ...]:
    name, known = type(model).__name__, type(model).__module__.partition(".")[0] == "sklearn"
    if known and name == "MLPClassifier" and model.activation in BENDS:
        pairs = list(zip(model.coefs_, model.intercepts_, strict=True))
        return tuple(
            Layer(
                np.asarray(w, dtype=np.float64), np.asarray(b, dtype=np.float64), BENDS[model.activation] and not last
            )
            for (w, b), last in zip(pairs, [False] * (len(pairs) - 1) + [True], strict=True)
        )
    if known and name in LINEAR:
        weights = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)).T
        bias = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), weights.shape[1:])
        return (Layer(weights, bias, relu=False),)
    what = f"{name}(activation={model.activation!r})" if known and name == "MLPClassifier" else name
    raise Unsupported(
        f"A leaf holds a {what}, through which counterfactuals cannot look. They know MLPClassifier with activation "
        f"'relu' or 'identity', and {', '.join(LINEAR)}. Use one of these as leaf_estimator, or explain the tree "
        f"alone: give its tree_."
    )


def _with_two_outputs(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    last = layers[-1]
    if last.weights.shape[1] > 1:
        return layers
    weights = np.hstack([np.zeros_like(last.weights), last.weights])
    return (*layers[:-1], Layer(weights, np.append(0.0, last.bias), relu=False))


def _readings(features: list[Feature], weights: Floats) -> dict[int, Reading]:
    """Add up what the features of each column tell the first layer."""
    found = {}
    for j in dict.fromkeys(feature.column for feature in features):
        mine = [at for at, feature in enumerate(features) if feature.column == j]
        some, rows = [features[at] for at in mine], weights[mine]
        levels = None
        if some[0].levels is not None:
            table = np.array([feature.levels for feature in some], dtype=np.float64)
            levels = table.T @ rows
        slope, shift, absent = (
            np.array([getattr(feature, part) for feature in some], dtype=np.float64) @ rows
            for part in ("slope", "shift", "absent")
        )
        steep = max(some, key=lambda feature: abs(feature.slope))
        middle, step = (-steep.shift / steep.slope, 1 / abs(steep.slope)) if steep.slope else (0.0, 1.0)
        found[j] = Reading(slope, shift, absent, levels, middle, step)
    return found
