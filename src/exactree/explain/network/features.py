"""The features that a leaf model reads, as functions of the table's columns: numbers scaled, levels one-hot encoded.

Every feature comes from one column of the table. It is an affine function of the column's numbers, or one number per
level, and a constant if the value is missing. Preprocessing is followed step by step; only steps that keep this form
are supported:

===================================================  =====================================
step of scikit-learn                                 effect
===================================================  =====================================
StandardScaler, MinMaxScaler, MaxAbsScaler,          shifts and scales
RobustScaler
SimpleImputer                                        fills missing values, adds indicators
OneHotEncoder, OrdinalEncoder                        encodes levels as numbers
ColumnTransformer, Pipeline, "passthrough"           applies others in parallel or in turn
===================================================  =====================================

Steps are recognised by name, so that none has to be imported.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exactree.errors import Unsupported
from exactree.table import CATEGORICAL_KINDS, Schema

SUPPORTED = "scalers, SimpleImputer, OneHotEncoder, OrdinalEncoder, ColumnTransformer and Pipeline"


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a model, as a function of one column of the table.

    Examples
    --------
    >>> Feature(0, slope=0.5, intercept=-10.0, if_missing=0.0).scaled(minus=0.0, coefficient=2.0)
    Feature(column=0, slope=1.0, intercept=-20.0, if_missing=0.0, levels=None)
    """

    column: int
    slope: float = 0.0  # of a number
    intercept: float = 0.0
    if_missing: Any = np.nan  # the feature if the value is missing; NaN: none
    levels: tuple[Any, ...] | None = None  # of a category: by code; NaN for levels that the model rejects

    @property
    def is_filled(self) -> bool:
        """Whether the feature has a number if the value is missing."""
        return not _is_nan(self.if_missing)

    def scaled(self, minus: float, coefficient: float) -> "Feature":
        """Return the feature minus a number, times a coefficient."""
        levels = None if self.levels is None else tuple(coefficient * (level - minus) for level in self.levels)
        return Feature(
            self.column,
            coefficient * self.slope,
            coefficient * (self.intercept - minus),
            coefficient * (self.if_missing - minus),
            levels,
        )

    def filled(self, value: Any) -> "Feature":
        """Return the feature with missing values replaced."""
        levels = self.levels
        if levels is not None:
            levels = tuple(value if _is_nan(level) else level for level in levels)
        return replace(self, if_missing=self.if_missing if self.is_filled else value, levels=levels)

    def missing_indicator(self) -> "Feature":
        """Return the indicator of missing values: 1 if this feature has none, else 0."""
        levels = None if self.levels is None else tuple(float(_is_nan(level)) for level in self.levels)
        return Feature(self.column, if_missing=float(not self.is_filled), levels=levels)


def _is_nan(value: Any) -> bool:
    return value is None or bool(value != value)


def input_features(schema: Schema, *, raw_rows: bool) -> list[Feature]:
    """Return the columns of a table as features, before any preprocessing.

    Levels are codes, or the caller's own values with ``raw_rows``.
    """
    found = []
    for j, column in enumerate(schema.columns):
        if column.kind in CATEGORICAL_KINDS:
            codes = tuple(float(code) for code in range(len(column.levels)))
            found.append(Feature(j, levels=tuple(column.levels) if raw_rows else codes))
        else:
            found.append(Feature(j, slope=1.0))
    return found


def transformed_features(step: Any, features: Sequence[Feature]) -> list[Feature]:
    """Return the features after a fitted step of a pipeline; reject unsupported steps.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> transformed_features(StandardScaler().fit([[1.0], [3.0]]), [Feature(0, slope=1.0)])[0].slope
    1.0
    """
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return list(features)
    name = type(step).__name__
    if type(step).__module__.partition(".")[0] != "sklearn" or name not in STEPS:
        raise Unsupported(
            f"Counterfactuals do not support {step!r} as a step of a leaf model. They support {SUPPORTED}. "
            f"Use these, or explain the tree alone: give its tree_."
        )
    return STEPS[name](step, features)


def _standard(step: Any, features: Sequence[Feature]) -> list[Feature]:
    means = step.mean_ if step.with_mean else np.zeros(len(features))
    scales = step.scale_ if step.with_std else np.ones(len(features))
    return _scaled(features, means, 1 / np.asarray(scales))


def _min_max(step: Any, features: Sequence[Feature]) -> list[Feature]:
    if step.clip:
        raise Unsupported("MinMaxScaler(clip=True) is not linear. Use clip=False for counterfactuals.")
    return _scaled(features, -step.min_ / step.scale_, step.scale_)


def _max_abs(step: Any, features: Sequence[Feature]) -> list[Feature]:
    return _scaled(features, np.zeros(len(features)), 1 / step.scale_)


def _robust(step: Any, features: Sequence[Feature]) -> list[Feature]:
    centers = step.center_ if step.with_centering else np.zeros(len(features))
    scales = step.scale_ if step.with_scaling else np.ones(len(features))
    return _scaled(features, centers, 1 / np.asarray(scales))


def _scaled(features: Sequence[Feature], minus: Any, factors: Any) -> list[Feature]:
    parts = zip(features, np.asarray(minus).tolist(), np.asarray(factors).tolist(), strict=True)
    return [feature.scaled(less, coefficient) for feature, less, coefficient in parts]


def _imputed(step: Any, features: Sequence[Feature]) -> list[Feature]:
    if not _is_nan(step.missing_values):
        raise Unsupported(f"{step!r} replaces a number, which is not linear. Use NaN for missing values.")
    values = np.asarray(step.statistics_).tolist()
    found = [f.filled(value) for f, value in zip(features, values, strict=True) if not _is_nan(value)]
    if step.add_indicator:
        found += [features[i].missing_indicator() for i in step.indicator_.features_.tolist()]
    return found


def _encoded(step: Any, features: Sequence[Feature]) -> list[Feature]:
    """Encode every level, one column at a time."""
    found: list[Feature] = []
    usual = [categories[0] for categories in step.categories_]
    widths = getattr(step, "_n_features_outs", [1] * len(features))  # an OrdinalEncoder has one per column
    for i, (feature, width) in enumerate(zip(features, widths, strict=True)):
        if feature.levels is None:
            raise Unsupported(f"{type(step).__name__} encodes numbers in a leaf model. Let it encode categories only.")
        values = [*feature.levels, feature.if_missing]
        answers = [_encoded_row(step, [*usual[:i], value, *usual[i + 1 :]], sum(widths)) for value in values]
        for at in range(len(found), len(found) + width):
            *levels, if_missing = (float(answer[at]) for answer in answers)
            found.append(Feature(feature.column, if_missing=if_missing, levels=tuple(levels)))
    return found


def _encoded_row(step: Any, values: list[Any], width: int) -> Any:
    """Return the encoding of one row; all NaN if the encoder rejects the row."""
    numeric = all(categories.dtype.kind in "biuf" for categories in step.categories_)
    row = np.array([values], dtype=np.float64 if numeric else object)
    try:
        with warnings.catch_warnings():  # about absent column names and new levels, both intended
            warnings.simplefilter("ignore", UserWarning)
            answer = step.transform(row)
    except ValueError:
        return np.full(width, np.nan)
    return np.asarray(answer.toarray() if hasattr(answer, "toarray") else answer, dtype=np.float64)[0]


def _column_transformer(step: Any, features: Sequence[Feature]) -> list[Feature]:
    parts = {name: inner for name, inner, _ in step.transformers_}
    chosen = step._transformer_to_input_indices
    found: list[Feature] = []
    for name in sorted(parts, key=lambda name: step.output_indices_[name].start):
        indices = chosen[name]
        if len(indices) and not (isinstance(parts[name], str) and parts[name] == "drop"):
            found += transformed_features(parts[name], [features[i] for i in indices])
    return found


def _pipeline(step: Any, features: Sequence[Feature]) -> list[Feature]:
    found = list(features)
    for _, inner in step.steps:
        found = transformed_features(inner, found)
    return found


def _unchanged(step: Any, features: Sequence[Feature]) -> list[Feature]:
    if step.func is not None:
        raise Unsupported(f"{step!r} may be nonlinear. Counterfactuals support {SUPPORTED}.")
    return list(features)


STEPS: dict[str, Callable[[Any, Sequence[Feature]], list[Feature]]] = {
    "StandardScaler": _standard,
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": _max_abs,
    "RobustScaler": _robust,
    "SimpleImputer": _imputed,
    "OneHotEncoder": _encoded,
    "OrdinalEncoder": _encoded,
    "ColumnTransformer": _column_transformer,
    "Pipeline": _pipeline,
    "FunctionTransformer": _unchanged,
}
