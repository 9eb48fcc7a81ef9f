"""The cost of changes: by distance, by number of changes, or as the caller sets it."""

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

from exactree.errors import InputError
from exactree.table import Column, ColumnType, Kind, Spread, Table, spread_of
from exactree.table.spread import DEVIATIONS

NAMES = ("mad", "changes")


@dataclass(frozen=True, slots=True)
class ColumnCost:
    """Costs of changing one column; those that apply add up."""

    per_unit: float = 0.0  # of a number, or per step of an ordered category
    per_change: float = 0.0  # of the same, however far
    per_level: tuple[float, ...] = ()  # of a category, by its new level
    missing: float = 0.0  # from a missing value to any other, or back


def column_costs(
    columns: Sequence[ColumnType], used: Sequence[int], costs: Any, data: Table | None
) -> dict[int, ColumnCost]:
    """Return the costs of some columns, by column number.

    Examples
    --------
    >>> column_costs([ColumnType("age", Kind.NUMBER)], [0], {"age": 0.5}, None)
    {0: ColumnCost(per_unit=0.5, per_change=0.0, per_level=(), missing=0.5)}
    """
    if isinstance(costs, Mapping):
        return _given_costs(columns, used, costs)
    if costs not in NAMES:
        raise InputError(f"costs is {costs!r}. Expected 'mad', 'changes', or a dict from column to cost per unit.")
    if costs == "changes":
        return {j: ColumnCost(0.0, 1.0, (1.0,) * len(columns[j].levels), 1.0) for j in used}
    return {j: _mad_costs(_spread(columns[j], None if data is None else data.columns[j])) for j in used}


def _given_costs(columns: Sequence[ColumnType], used: Sequence[int], costs: Mapping[Any, Any]) -> dict[int, ColumnCost]:
    names = [column.name for column in columns]
    for name, cost in costs.items():
        if name not in names:
            raise InputError(f"costs names {name!r}, but the columns are: {', '.join(map(repr, names))}.")
        number = isinstance(cost, numbers.Real) and not isinstance(cost, bool)
        if not number or not isfinite(cost) or cost < 0:
            raise InputError(f"costs must map columns to finite numbers, 0 or more; got {cost!r} for {name!r}.")
    lacking = [names[j] for j in used if names[j] not in costs]
    if lacking:
        raise InputError(
            f"costs has no entry for {', '.join(map(repr, lacking))}, which may have to change. "
            f"Add a cost per unit, or forbid changes: fixed={lacking!r}."
        )
    found = {}
    for j in used:
        cost = float(costs[names[j]])
        category = columns[j].kind is Kind.CATEGORY
        found[j] = ColumnCost(0.0 if category else cost, 0.0, (cost,) * len(columns[j].levels), cost)
    return found


def _spread(column: ColumnType, observed: Column | None) -> Spread:
    """Return how much a column varies in the given rows, or in those that the model was fitted to."""
    spread = column.spread if observed is None else spread_of(observed)
    if spread is None:
        raise InputError(
            "costs='mad' needs the spread of every column, which this model does not have: it was made by hand, "
            "or saved by an older release. Give data=X, the table it was fitted on; or fit it again; or use "
            "costs='changes' or a dict from column to cost per unit."
        )
    return spread


def _mad_costs(spread: Spread) -> ColumnCost:
    """Return costs scaled by the spread of a column: a distance of one median absolute deviation costs 1."""
    missing = _rarity(spread.missing, spread.rows)
    if spread.step is None:
        return ColumnCost(per_level=tuple(_rarity(count, spread.rows) for count in spread.counts), missing=missing)
    return ColumnCost(per_unit=1 / spread.step, missing=missing)


def _rarity(count: int, n_rows: int) -> float:
    """Cost of a binary property by its share of the rows; a property of no row counts as half a row."""
    share = min(max(count, 0.5), n_rows - 0.5) / n_rows
    return 1 / (DEVIATIONS * sqrt(share * (1 - share)))
