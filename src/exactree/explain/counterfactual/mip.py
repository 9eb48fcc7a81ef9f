"""A MIP for the nearest point of a leaf region in which oblique splits or rules couple columns.

There is one small MIP per region. A number is written as its current value, plus its increase, minus its decrease:

==============  ===========================================================
in code         meaning
==============  ===========================================================
distance        how far a number increases or decreases
goes            binary: it does
gone            binary: a value becomes missing
filled          binary: a missing value becomes ``number``
level_binaries  by code: the binary that a category takes this level
==============  ===========================================================
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor, inf, isnan, nan
from typing import Any

import numpy as np

from exactree.explain.counterfactual.action import Action
from exactree.explain.counterfactual.level_actions import FIRST, LevelActionSet
from exactree.explain.counterfactual.number_actions import NumberActionSet
from exactree.explain.counterfactual.value_sets import Interval, LevelSet
from exactree.mip import Kind, Mip, MipStatus, solve

Terms = dict[int, float]  # coefficients by column of the MIP


@dataclass(slots=True)
class MipBuilder:
    """Builds a MIP one column and one row at a time."""

    mip: Mip = field(default_factory=Mip)
    highs: list[float] = field(default_factory=list)

    def column(self, *, high: float, cost: float = 0.0, integer: bool = True, low: float = 0.0) -> int:
        """Add a column; by default a binary one if ``high`` is 1."""
        name = f"c{len(self.highs)}"
        kind = Kind.INTEGER if integer else Kind.CONTINUOUS
        found = self.mip.columns(name, 1, kind=kind, low=low, high=high, cost=cost)
        self.highs.append(max(abs(low), abs(high)))
        return int(found[0])

    def row(self, terms: Terms, *, at_least: float = -inf, at_most: float = inf) -> None:
        """Add a row; a violated row without columns makes the MIP infeasible too."""
        places, values = np.array([list(terms)], dtype=np.int64), np.array([list(terms.values())])
        if not terms:
            places, values = np.array([[self.column(high=0.0)]]), np.ones((1, 1))
        self.mip.family(f"r{self.mip.n_rows}", [(values, places)], at_least=at_least, at_most=at_most)

    def magnitude(self, terms: Terms) -> float:
        """Return the largest absolute value of a linear expression."""
        return sum(abs(coefficient) * self.highs[column] for column, coefficient in terms.items())


@dataclass(frozen=True, slots=True)
class ColumnVariables:
    """The MIP variables of one table column: its value is ``now`` plus ``terms`` unless it is missing."""

    now: Any  # 0 if it is missing now
    terms: Terms
    rises: Terms  # adds up to 1 if the value goes up
    missing: Terms  # with ``missing_now``: adds up to 1 if there is no value
    missing_now: int
    changed: Terms  # adds up to 1 if the value changes
    decode: Callable[[Any], Action]  # from a solution of the MIP
    level_binaries: Mapping[int, int] = field(default_factory=dict)  # category: the binary column of each code


def number_variables(
    builder: MipBuilder, action_set: NumberActionSet, inside: Interval, value: Any, far: float
) -> ColumnVariables:
    """Add the variables of a numeric column; ``far`` bounds the distance if nothing else does."""
    now = 0 if isnan(value) else value
    far = ceil(far) if isinstance(now, int) else far  # beyond 2**53 neighbouring integers are the same float
    low = max(inside.low, action_set.feasible.low, now - far)
    high = min(inside.high, action_set.feasible.high, now + far)
    if isnan(value):
        return _filled(builder, action_set, inside, low, high)
    integer, cost = action_set.rounds(value == floor(value)), action_set.column_cost
    terms, rises, options = Terms(), Terms(), Terms()
    directions = ((action_set.up, 1.0, low - value, high - value), (action_set.down, -1.0, value - high, value - low))
    for allowed, sign, nearest, farthest in directions:
        if integer:  # HiGHS has returned a wrong optimum for fractional bounds of integer columns
            nearest, farthest = ceil(nearest), floor(farthest)
        if not allowed or farthest <= 0 or nearest > farthest:
            continue
        goes = builder.column(high=1.0, cost=cost.per_change)
        distance = builder.column(high=float(farthest), cost=cost.per_unit, integer=integer)
        builder.row({distance: 1.0, goes: -float(farthest)}, at_most=0.0)
        builder.row({distance: 1.0, goes: -float(max(nearest, 0))}, at_least=0.0)
        terms[distance], options[goes] = sign, 1.0
        if sign > 0:
            rises[goes] = 1.0
    gone = Terms()
    if inside.missing and action_set.feasible.missing:
        gone = {builder.column(high=1.0, cost=cost.missing): 1.0}
    builder.row(options | gone, at_least=0.0 if value in inside else 1.0, at_most=1.0)

    def decode(values: Any) -> Action:
        if any(values[column] > 0.5 for column in gone):
            return Action(nan, cost.missing, changes=True)
        change = sum(sign * values[column] for column, sign in terms.items())
        change = round(change) if integer else change
        new = value + change if any(values[column] > 0.5 for column in options) else value
        return Action(new, action_set.cost_of(new, value) if new != value else 0.0, changes=bool(new != value))

    return ColumnVariables(value, terms, rises, gone, 0, options | gone, decode)


def _filled(builder: MipBuilder, action_set: NumberActionSet, inside: Interval, low: Any, high: Any) -> ColumnVariables:
    """Add the variables of a numeric column whose value is missing now."""
    terms, missing = Terms(), Terms()
    integer = action_set.rounds(True)
    if integer:
        low, high = ceil(low), floor(high)
    if action_set.can_fill and low <= high:
        filled = builder.column(high=1.0, cost=action_set.column_cost.missing)
        number = builder.column(low=min(low, 0), high=max(high, 0), integer=integer)
        builder.row({number: 1.0, filled: -float(high)}, at_most=0.0)
        builder.row({number: 1.0, filled: -float(low)}, at_least=0.0)
        terms, missing = {number: 1.0}, {filled: -1.0}
    if not inside.missing:
        builder.row(dict.fromkeys(missing, 1.0), at_least=1.0)

    def decode(values: Any) -> Action:
        if not any(values[column] > 0.5 for column in missing):
            return Action(nan, 0.0, changes=False)
        new = float(values[next(iter(terms))])
        return Action(float(round(new)) if integer else new, action_set.column_cost.missing, changes=True)

    return ColumnVariables(0, terms, Terms(), missing, 1, dict.fromkeys(missing, 1.0), decode)


def level_variables(builder: MipBuilder, action_set: LevelActionSet, inside: LevelSet, value: int) -> ColumnVariables:
    """Add one binary per feasible level of a category."""
    costs = action_set.cost_matrix[value + FIRST]
    codes = [code for code in sorted(inside.codes) if np.isfinite(costs[code + FIRST])]
    level_binaries = {code: builder.column(high=1.0, cost=float(costs[code + FIRST])) for code in codes}
    builder.row(dict.fromkeys(level_binaries.values(), 1.0), at_least=1.0, at_most=1.0)

    def decode(values: Any) -> Action:
        code = max(level_binaries, key=lambda c: values[level_binaries[c]])
        return Action(code, float(costs[code + FIRST]), changes=code != value)

    return ColumnVariables(
        now=0,
        terms={column: float(code) for code, column in level_binaries.items() if code >= 0},
        rises={column: 1.0 for code, column in level_binaries.items() if code > value >= 0},
        missing={column: 1.0 for code, column in level_binaries.items() if code < 0},
        missing_now=0,
        changed={column: 1.0 for code, column in level_binaries.items() if code != value},
        decode=decode,
        level_binaries=level_binaries,
    )


def solve_actions(
    builder: MipBuilder, variables: Mapping[int, ColumnVariables]
) -> tuple[dict[int, Action], bool] | None:
    """Return the cheapest actions and whether they are proved optimal; None if the MIP is infeasible."""
    answer = solve(builder.mip.program(), backend="highs")
    if answer.values is None:
        return None
    actions = {column: part.decode(answer.values) for column, part in variables.items()}
    return {j: action for j, action in actions.items() if action.changes}, answer.status is MipStatus.OPTIMAL
