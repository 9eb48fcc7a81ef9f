"""What the model of a leaf sees of each column: numbers scaled, gaps filled, levels spread over columns of their own.

Every number that reaches such a model comes from one column of the table, and is a straight line of its values, or one
number per level, and something else where the value is missing. What prepares rows is followed step by step, and steps
that keep this so are all that is taken:

===================================================  =====================================
step of scikit-learn                                 does
===================================================  =====================================
StandardScaler, MinMaxScaler, MaxAbsScaler,          shifts and scales
RobustScaler
SimpleImputer                                        puts a number where none is, and says so
OneHotEncoder, OrdinalEncoder                        turns levels into numbers
ColumnTransformer, Pipeline, "passthrough"           put others side by side, or in turn
===================================================  =====================================

Steps are told by name, so that nobody has to load them to ask.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exactree.errors import Unsupported
from exactree.table import Kind, Schema

CODED = (Kind.CATEGORY, Kind.ORDERED)
KNOWN = "scalers, SimpleImputer, OneHotEncoder, OrdinalEncoder, ColumnTransformer and Pipeline"


@dataclass(frozen=True, slots=True)
class Feature:
    """One number that a model reads, as a function of one column of the table.

    Examples
    --------
    >>> Feature(0, slope=0.5, shift=-10.0, absent=0.0).scaled(minus=0.0, factor=2.0)
    Feature(column=0, slope=1.0, shift=-20.0, absent=0.0, levels=None)
    """

    column: int
    slope: float = 0.0  # of a number
    shift: float = 0.0
    absent: Any = np.nan  # what there is where the value is missing; NaN: nothing
    levels: tuple[Any, ...] | None = None  # of a category: by code; NaN for one that the model refuses

    @property
    def is_filled(self) -> bool:
        """Whether there is something where the value is missing."""
        return not _is_nan(self.absent)

    def scaled(self, minus: float, factor: float) -> "Feature":
        """Return the same less a number, then times another."""
        levels = None if self.levels is None else tuple(factor * (level - minus) for level in self.levels)
        return Feature(
            self.column, factor * self.slope, factor * (self.shift - minus), factor * (self.absent - minus), levels
        )

    def filled(self, value: Any) -> "Feature":
        """Return the same with a value where there is none."""
        levels = self.levels
        if levels is not None:
            levels = tuple(value if _is_nan(level) else level for level in levels)
        return replace(self, absent=self.absent if self.is_filled else value, levels=levels)

    def tells_missing(self) -> "Feature":
        """Return what is 1 where this has nothing, else 0."""
        levels = None if self.levels is None else tuple(float(_is_nan(level)) for level in self.levels)
        return Feature(self.column, absent=float(not self.is_filled), levels=levels)


def _is_nan(value: Any) -> bool:
    return value is None or bool(value != value)


def features_of(schema: Schema, *, as_they_came: bool) -> list[Feature]:
    """Return the columns of a table as models get them before anything prepares them.

    Levels are their codes, or the caller's own values where rows are handed over ``as_they_came``.
    """
    found = []
    for j, column in enumerate(schema.columns):
        if column.kind in CODED:
            codes = tuple(float(code) for code in range(len(column.levels)))
            found.append(Feature(j, levels=tuple(column.levels) if as_they_came else codes))
        else:
            found.append(Feature(j, slope=1.0))
    return found


def prepared(step: Any, features: Sequence[Feature]) -> list[Feature]:
    """Return what a fitted step of a pipeline makes of features; refuse steps that are not known here.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> prepared(StandardScaler().fit([[1.0], [3.0]]), [Feature(0, slope=1.0)])[0].slope
    1.0
    """
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return list(features)
    name = type(step).__name__
    if type(step).__module__.partition(".")[0] != "sklearn" or name not in STEPS:
        raise Unsupported(
            f"A step of the leaf models is {step!r}, which counterfactuals cannot look through. They know {KNOWN}. "
            f"Use these, or explain the tree alone: give its tree_."
        )
    return STEPS[name](step, features)


def _standard(step: Any, features: Sequence[Feature]) -> list[Feature]:
    means = step.mean_ if step.with_mean else np.zeros(len(features))
    scales = step.scale_ if step.with_std else np.ones(len(features))
    return _scaled(features, means, 1 / np.asarray(scales))


def _min_max(step: Any, features: Sequence[Feature]) -> list[Feature]:
    if step.clip:
        raise Unsupported("MinMaxScaler(clip=True) bends what leaf models see. Use clip=False for counterfactuals.")
    return _scaled(features, -step.min_ / step.scale_, step.scale_)


def _max_abs(step: Any, features: Sequence[Feature]) -> list[Feature]:
    return _scaled(features, np.zeros(len(features)), 1 / step.scale_)


def _robust(step: Any, features: Sequence[Feature]) -> list[Feature]:
    centers = step.center_ if step.with_centering else np.zeros(len(features))
    scales = step.scale_ if step.with_scaling else np.ones(len(features))
    return _scaled(features, centers, 1 / np.asarray(scales))


def _scaled(features: Sequence[Feature], minus: Any, factors: Any) -> list[Feature]:
    parts = zip(features, np.asarray(minus).tolist(), np.asarray(factors).tolist(), strict=True)
    return [feature.scaled(less, factor) for feature, less, factor in parts]


def _imputed(step: Any, features: Sequence[Feature]) -> list[Feature]:
    if not _is_nan(step.missing_values):
        raise Unsupported(f"{step!r} takes a value for missing, which bends what leaf models see. Use NaN for missing.")
    values = np.asarray(step.statistics_).tolist()
    found = [f.filled(value) for f, value in zip(features, values, strict=True) if not _is_nan(value)]
    if step.add_indicator:
        found += [features[i].tells_missing() for i in step.indicator_.features_.tolist()]
    return found


def _encoded(step: Any, features: Sequence[Feature]) -> list[Feature]:
    """Ask the encoder about every level, one column at a time."""
    found: list[Feature] = []
    usual = [categories[0] for categories in step.categories_]
    widths = getattr(step, "_n_features_outs", [1] * len(features))  # an OrdinalEncoder has one for each
    for i, (feature, width) in enumerate(zip(features, widths, strict=True)):
        if feature.levels is None:
            raise Unsupported(
                f"{type(step).__name__} reads numbers in a leaf model. For counterfactuals let it read categories only."
            )
        values = [*feature.levels, feature.absent]
        answers = [_asked(step, [*usual[:i], value, *usual[i + 1 :]], sum(widths)) for value in values]
        for at in range(len(found), len(found) + width):
            *levels, absent = (float(answer[at]) for answer in answers)
            found.append(Feature(feature.column, absent=absent, levels=tuple(levels)))
    return found


def _asked(step: Any, values: list[Any], width: int) -> Any:
    """Return what an encoder makes of one row; NaN for all if it refuses the row."""
    numeric = all(categories.dtype.kind in "biuf" for categories in step.categories_)
    row = np.array([values], dtype=np.float64 if numeric else object)
    try:
        with warnings.catch_warnings():  # that names of columns lack, or that a level is new: both are meant
            warnings.simplefilter("ignore", UserWarning)
            answer = step.transform(row)
    except ValueError:
        return np.full(width, np.nan)
    return np.asarray(answer.toarray() if hasattr(answer, "toarray") else answer, dtype=np.float64)[0]


def _side_by_side(step: Any, features: Sequence[Feature]) -> list[Feature]:
    parts = {name: inner for name, inner, _ in step.transformers_}
    chosen = step._transformer_to_input_indices
    found: list[Feature] = []
    for name in sorted(parts, key=lambda name: step.output_indices_[name].start):
        indices = chosen[name]
        if len(indices) and not (isinstance(parts[name], str) and parts[name] == "drop"):
            found += prepared(parts[name], [features[i] for i in indices])
    return found


def _in_turn(step: Any, features: Sequence[Feature]) -> list[Feature]:
    found = list(features)
    for _, inner in step.steps:
        found = prepared(inner, found)
    return found


def _unchanged(step: Any, features: Sequence[Feature]) -> list[Feature]:
    if step.func is not None:
        raise Unsupported(f"{step!r} may bend what leaf models see. Counterfactuals know {KNOWN}.")
    return list(features)


STEPS: dict[str, Callable[[Any, Sequence[Feature]], list[Feature]]] = {
    "StandardScaler": _standard,
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": _max_abs,
    "RobustScaler": _robust,
    "SimpleImputer": _imputed,
    "OneHotEncoder": _encoded,
    "OrdinalEncoder": _encoded,
    "ColumnTransformer": _side_by_side,
    "Pipeline": _in_turn,
    "FunctionTransformer": _unchanged,
}
