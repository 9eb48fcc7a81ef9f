"""What a change costs: by distance, by number of changes, or by column_costs of the caller's."""

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
    """Prices of one column; what a change costs is the sum of those that apply."""

    per_unit: float = 0.0  # numbers, and ordered categories by steps
    per_change: float = 0.0  # the same, however far
    per_level: tuple[float, ...] = ()  # category: of each level that may be entered
    missing: float = 0.0  # from a missing value to any other or back


def column_costs(
    columns: Sequence[ColumnType], used: Sequence[int], costs: Any, data: Table | None
) -> dict[int, ColumnCost]:
    """Return the column_costs of some columns, by number.

    Examples
    --------
    >>> column_costs([ColumnType("age", Kind.NUMBER)], [0], {"age": 0.5}, None)
    {0: ColumnCost(per_unit=0.5, per_change=0.0, per_level=(), missing=0.5)}
    """
    if isinstance(costs, Mapping):
        return _given_costs(columns, used, costs)
    if costs not in NAMES:
        raise InputError(f"costs is {costs!r}. Expected 'mad', 'changes', or a dict from column to price per unit.")
    if costs == "changes":
        return {j: ColumnCost(0.0, 1.0, (1.0,) * len(columns[j].levels), 1.0) for j in used}
    return {j: _mad_costs(_spread(columns[j], None if data is None else data.columns[j])) for j in used}


def _given_costs(columns: Sequence[ColumnType], used: Sequence[int], costs: Mapping[Any, Any]) -> dict[int, ColumnCost]:
    names = [column.name for column in columns]
    for name, price in costs.items():
        if name not in names:
            raise InputError(f"costs names {name!r}, but the columns are: {', '.join(map(repr, names))}.")
        number = isinstance(price, numbers.Real) and not isinstance(price, bool)
        if not number or not isfinite(price) or price < 0:
            raise InputError(f"costs must map columns to finite numbers, 0 or more; got {price!r} for {name!r}.")
    lacking = [names[j] for j in used if names[j] not in costs]
    if lacking:
        raise InputError(
            f"costs has no price for {', '.join(map(repr, lacking))}, which may have to change. "
            f"Name a price, or forbid changes: fixed={lacking!r}."
        )
    found = {}
    for j in used:
        price = float(costs[names[j]])
        category = columns[j].kind is Kind.CATEGORY
        found[j] = ColumnCost(0.0 if category else price, 0.0, (price,) * len(columns[j].levels), price)
    return found


def _spread(column: ColumnType, observed: Column | None) -> Spread:
    """Tell how much a column varies: in the rows at hand, or in those that the model was fitted to."""
    spread = column.spread if observed is None else spread_of(observed)
    if spread is None:
        raise InputError(
            "costs='mad' measures how far values lie apart, which this model does not remember: it was made by hand, "
            "or saved by an older release. Give data=X, the table it was fitted on; or fit it again; or use "
            "costs='changes' or a dict from column to price per unit."
        )
    return spread


def _mad_costs(spread: Spread) -> ColumnCost:
    """Prices by how much a column varies: a step as large as the usual one costs 1."""
    missing = _rarity(spread.missing, spread.rows)
    if spread.step is None:
        return ColumnCost(per_level=tuple(_rarity(count, spread.rows) for count in spread.counts), missing=missing)
    return ColumnCost(per_unit=1 / spread.step, missing=missing)


def _rarity(count: int, n_rows: int) -> float:
    """Price of a yes/no property by its share of the rows; what no row has counts as half a row."""
    share = min(max(count, 0.5), n_rows - 0.5) / n_rows
    return 1 / (DEVIATIONS * sqrt(share * (1 - share)))
