"""Actions on categories, ordered or not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exactree.arrays import Floats, Int32s
from exactree.explain.counterfactual.action import Action
from exactree.explain.counterfactual.costs import ColumnCost
from exactree.explain.counterfactual.value_sets import LevelSet
from exactree.table import MISSING_CODE, UNKNOWN_CODE

FIRST = -UNKNOWN_CODE  # index of level 0 in arrays that begin with unknown and missing


@dataclass(frozen=True, slots=True, eq=False)
class LevelActionSet:
    """The actions on one category."""

    # (n_levels + 2, n_levels + 2) from and to: unknown, missing, levels; inf: infeasible
    cost_matrix: Floats
    tie_break: Floats  # same shape: of equal costs the action with the least value here is taken

    def cheapest(self, inside: LevelSet, value: int) -> Action | None:
        """Return the cheapest action into a set of levels; of equal costs the nearest or most frequent level."""
        if value in inside:
            return Action(value, 0.0, changes=False)
        row, ties = self.cost_matrix[value + FIRST], self.tie_break[value + FIRST]
        code = min(inside.codes, key=lambda c: (row[c + FIRST], ties[c + FIRST], c))
        cost = float(row[code + FIRST])
        return Action(code, cost, changes=True) if np.isfinite(cost) else None

    def costs(self, insides: Sequence[LevelSet], values: Int32s) -> Floats:
        """Return the cost of the cheapest action per value and set, shape (n_rows, n_sets)."""
        cheapest = [self.cost_matrix[:, [c + FIRST for c in sorted(inside.codes)]].min(axis=1) for inside in insides]
        return np.column_stack(cheapest)[values + FIRST]


def level_action_set(
    column_cost: ColumnCost, n_levels: int, *, ordered: bool, allowed: LevelSet, up: bool, down: bool, counts: list[int]
) -> LevelActionSet:
    """Return the actions on a category, with the cost of every change of level.

    Examples
    --------
    >>> action_set = level_action_set(
    ...     ColumnCost(per_unit=1.0, missing=5.0), 3, ordered=True, allowed=LevelSet(frozenset([0, 1, 2])),
    ...     up=True, down=False, counts=[1, 1, 1],
    ... )
    >>> action_set.cheapest(LevelSet(frozenset([1, 2])), 0), action_set.cheapest(LevelSet(frozenset([0])), 2)
    (Action(value=1, cost=1.0, changes=True), None)
    """
    size = n_levels + FIRST
    cost_matrix, tie_break = np.full((size, size), np.inf), np.zeros((size, size))
    for old in range(UNKNOWN_CODE, n_levels):
        for new in sorted(allowed.codes):
            at = old + FIRST, new + FIRST
            rises, falls = 0 <= old < new, 0 <= new < old
            if ordered and old >= 0 and new >= 0 and not (up if rises else down):
                continue
            if new == MISSING_CODE or (ordered and old < 0):
                cost_matrix[at] = column_cost.missing
            else:
                cost_matrix[at] = (
                    column_cost.per_unit * abs(new - old) + column_cost.per_change
                    if ordered
                    else column_cost.per_level[new]
                )
            near = ordered and (rises or falls)
            tie_break[at] = np.inf if new < 0 else abs(new - old) if near else -counts[new]
    np.fill_diagonal(cost_matrix, 0.0)
    return LevelActionSet(cost_matrix, tie_break)
