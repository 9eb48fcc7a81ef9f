"""Moves of categories, ordered or not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.explain.counterfactual.action import Move
from exactree.explain.counterfactual.price import Price
from exactree.explain.counterfactual.value_sets import Levels
from exactree.table import MISSING_CODE, UNKNOWN_CODE

FIRST = -UNKNOWN_CODE  # where level 0 stands in arrays that begin with unknown and missing


@dataclass(frozen=True, slots=True, eq=False)
class LevelMover:
    """Moves of one category."""

    prices: NDArray[np.float64]  # (n_levels + 2, n_levels + 2) from and to: unknown, missing, levels; inf: forbidden
    later: NDArray[np.float64]  # the same shape: of moves that cost the same, the one with the least here is taken

    def move(self, inside: Levels, value: int) -> Move | None:
        """Return the cheapest move to one of some levels; the nearest or most usual one of those that cost the same."""
        if value in inside:
            return Move(value, 0.0, changes=False)
        row, ties = self.prices[value + FIRST], self.later[value + FIRST]
        code = min(inside.codes, key=lambda c: (row[c + FIRST], ties[c + FIRST], c))
        cost = float(row[code + FIRST])
        return Move(code, cost, changes=True) if np.isfinite(cost) else None

    def costs(self, insides: Sequence[Levels], values: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what moves cost, shape (n_rows, n_sets)."""
        cheapest = [self.prices[:, [c + FIRST for c in sorted(inside.codes)]].min(axis=1) for inside in insides]
        return np.column_stack(cheapest)[values + FIRST]


def level_mover(
    price: Price, n_levels: int, *, ordered: bool, allowed: Levels, up: bool, down: bool, counts: list[int]
) -> LevelMover:
    """Write down what every change of a level costs.

    Examples
    --------
    >>> mover = level_mover(
    ...     Price(per_unit=1.0, switch=5.0), 3, ordered=True, allowed=Levels(frozenset([0, 1, 2])),
    ...     up=True, down=False, counts=[1, 1, 1],
    ... )
    >>> mover.move(Levels(frozenset([1, 2])), 0), mover.move(Levels(frozenset([0])), 2)
    (Move(value=1, cost=1.0, changes=True), None)
    """
    size = n_levels + FIRST
    prices, later = np.full((size, size), np.inf), np.zeros((size, size))
    for old in range(UNKNOWN_CODE, n_levels):
        for new in sorted(allowed.codes):
            at = old + FIRST, new + FIRST
            rises, falls = 0 <= old < new, 0 <= new < old
            if ordered and old >= 0 and new >= 0 and not (up if rises else down):
                continue
            if new == MISSING_CODE or (ordered and old < 0):
                prices[at] = price.switch
            else:
                prices[at] = price.per_unit * abs(new - old) + price.per_change if ordered else price.per_level[new]
            near = ordered and (rises or falls)
            later[at] = np.inf if new < 0 else abs(new - old) if near else -counts[new]
    np.fill_diagonal(prices, 0.0)
    return LevelMover(prices, later)
