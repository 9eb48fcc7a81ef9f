"""The cells that the thresholds of an ensemble cut a column into: within a cell all values get the same answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nextafter

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools
from exactree.explain.boosting.ensemble import Ensemble, Split
from exactree.explain.counterfactual.value_sets import LARGEST, Interval, LevelSet, ValueSet
from exactree.explain.network.features import Feature

ROUNDED = 1e-6  # relative: how far from a threshold numbers are that scaling rounds to either side of it

_Asked = tuple[int, Split, bool]  # a leaf of the ensemble, a split on the way there, and whether the way goes left


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCells:
    """The cells of one column, numbers ascending and the missing value last; and the leaves that read the column."""

    cells: Sequence[ValueSet]
    targets: Sequence[ValueSet]  # the same without what is too near to a threshold to be sure of its side
    leaves: NDArray[np.intp]  # (n,) leaves of the ensemble that split on the column
    inside: Bools  # (n, n_cells) whether a value of the cell can reach the leaf


def cells_of(ensemble: Ensemble, values: Mapping[int, ValueSet]) -> dict[int, ColumnCells]:
    """Cut the values that columns may take in a region; values that the model rejects are left out."""
    asked: dict[int, list[_Asked]] = {j: [] for j in values}
    for at, leaf in enumerate(ensemble.leaves):
        for split, left in leaf.path:
            asked[ensemble.features[split.feature].column].append((at, split, left))
    return {j: _column_cells(ensemble, j, inside, asked[j]) for j, inside in values.items()}


def _column_cells(ensemble: Ensemble, j: int, values: ValueSet, asked: Sequence[_Asked]) -> ColumnCells:
    features = {i: feature for i, feature in enumerate(ensemble.features) if feature.column == j}
    cuts = {split: _cut_of(features[split.feature], split, ensemble) for _, split, _ in asked}
    cells = _cut(values, list(cuts.values()))
    if features and not ensemble.takes_missing:
        cells = [cell for cell in cells if _accepted(cell, list(features.values()))]
    left_of = _left_cells(ensemble, features, cells, cuts)
    leaves, place = np.unique(np.array([at for at, _, _ in asked], dtype=np.intp), return_inverse=True)
    inside = np.ones((len(leaves), len(cells)), dtype=np.bool_)
    for row, (_, split, left) in zip(place.tolist(), asked, strict=True):
        inside[row] &= left_of[split] == left
    return ColumnCells(cells, [_shrunk(cell, list(features.values())) for cell in cells], leaves, inside)


def _left_cells(
    ensemble: Ensemble, features: Mapping[int, Feature], cells: Sequence[ValueSet], cuts: Mapping[Split, float]
) -> dict[Split, Bools]:
    """Return for every split which cells go left; numbers all at once, as there can be thousands of both."""
    numbers = [at for at, cell in enumerate(cells) if isinstance(cell, Interval) and not cell.missing]
    highs = np.array([cells[at].high for at in numbers])  # type: ignore[union-attr]
    specials: Sequence[int] = [at for at in range(len(cells)) if at not in set(numbers)]
    left_of: dict[Split, Bools] = {}
    for split, cut in cuts.items():
        feature = features[split.feature]
        left = np.zeros(len(cells), dtype=np.bool_)
        others: Sequence[int] = range(len(cells))
        if cut == cut:
            left[numbers] = (highs <= cut) == (feature.slope > 0)
            others = specials
        for at in others:
            left[at] = _goes_left(feature, split, cells[at], ensemble)
        left_of[split] = left
    return left_of


def _shrunk(cell: ValueSet, features: Sequence[Feature]) -> ValueSet:
    """Return a cell without the values that scaling may round to the other side of a threshold."""
    slopes = [abs(f.slope) for f in features if f.slope and (f.slope, f.intercept) != (1, 0)]
    if not slopes or isinstance(cell, LevelSet) or cell.missing or isinstance(cell.low, int):
        return cell
    margins = [ROUNDED * max(abs(end), 1 / min(slopes)) if abs(end) < LARGEST else 0.0 for end in (cell.low, cell.high)]
    low, high = cell.low + margins[0], cell.high - margins[1]
    return Interval(low, high, missing=False) if low <= high else cell


def _cut_of(feature: Feature, split: Split, ensemble: Ensemble) -> float:
    """Return the greatest number of the column on the lower side of a split; NaN if none of its numbers is cut."""
    if feature.levels is not None or split.levels is not None or feature.slope == 0:
        return float("nan")
    limit = _double(split.threshold) if ensemble.single else split.threshold
    if feature.slope == 1 and feature.intercept == 0:
        return limit
    cut = (limit - feature.intercept) / feature.slope
    # With a negative slope the column's greater numbers go left, the cut among them.
    return cut if feature.slope > 0 else nextafter(cut, -inf)


def _double(threshold: float) -> float:
    """Return the greatest double that is at most the threshold once it is rounded to 32 bits."""
    if not isfinite(threshold):
        return threshold
    below = np.float32(threshold)
    if float(below) > threshold:
        below = np.nextafter(below, np.float32(-inf))
    above = np.nextafter(below, np.float32(inf))
    middle = (float(below) + float(above)) / 2
    return middle if float(np.float32(middle)) <= threshold else nextafter(middle, -inf)


def _cut(values: ValueSet, cuts: Sequence[float]) -> list[ValueSet]:
    if isinstance(values, LevelSet):
        return [LevelSet(frozenset([code])) for code in sorted(values.codes)]
    ends = sorted({cut for cut in cuts if values.low <= cut < values.high})
    whole = isinstance(values.low, int)
    found: list[ValueSet] = []
    lows = [values.low, *((int(np.floor(cut)) + 1 if whole else nextafter(cut, inf)) for cut in ends)]
    highs = [*((int(np.floor(cut)) if whole else cut) for cut in ends), values.high]
    for low, high in zip(lows, highs, strict=True):
        if low <= high:
            found.append(Interval(low, high, missing=False))
    return [*found, values.absent()] if values.missing else found


def _accepted(cell: ValueSet, features: Sequence[Feature]) -> bool:
    """Whether a model that takes no missing values takes those of a cell."""
    return all(_feature_value(feature, cell) == _feature_value(feature, cell) for feature in features)


def _feature_value(feature: Feature, cell: ValueSet) -> float:
    """Return the feature for a cell: that of any of its numbers, as all of them get the same answers."""
    if isinstance(cell, LevelSet):
        (code,) = cell.codes
        known = feature.levels is not None and code >= 0
        value = feature.levels[code] if known and feature.levels is not None else feature.if_missing
    elif cell.missing:
        value = feature.if_missing
    else:
        return feature.slope * float(cell.high) + feature.intercept
    return float("nan") if value is None else float(value)


def _goes_left(feature: Feature, split: Split, cell: ValueSet, ensemble: Ensemble) -> bool:
    """Return whether the values of a cell go left."""
    value = _feature_value(feature, cell)
    if value != value:
        return split.missing_left
    if split.levels is not None:
        return int(value) in split.levels
    return float(np.float32(value) if ensemble.single else value) <= split.threshold
