"""The multipliers of the relaxed problem that give the highest bound: cutting planes over the trees met so far.

Each tree bounds the relaxed cost from above, as a linear function of the multipliers. The next multipliers are where
the least of these functions is highest (Kelley's method), a small LP.
"""

import numpy as np
from scipy.optimize import linprog

from exactree.arrays import Floats
from exactree.solve.search.constrained.amounts import GroupAmounts

LARGEST = 100.0  # of a multiplier: so many times the total cost, for the largest violation that there can be


class CuttingPlanes:
    """Upper bounds of the relaxed cost, from trees."""

    def __init__(self, amounts: GroupAmounts, total_cost: float) -> None:
        self._soft = [side.soft for side in amounts.sides]
        self._prices = amounts.prices
        self._sizes = np.array([side.size for side in amounts.sides])
        self._unit = max(total_cost, np.finfo(float).tiny)
        self._rows: list[Floats] = []
        self._costs: list[float] = []

    def add(self, cost: float, violations: Floats) -> None:
        """Take over a tree: its cost without penalties, and its violation of each side."""
        self._rows.append(violations / self._sizes)
        self._costs.append(cost / self._unit)

    def least_violated(self) -> tuple[int, float] | None:
        """Return which hard limit the model met that is nearest to allowed breaks most, and by how much."""
        hard = [at for at, soft in enumerate(self._soft) if soft is None]
        if not hard or not self._rows:
            return None
        rows = (np.array(self._rows) * self._sizes)[:, hard]
        nearest = rows[int(rows.max(axis=1).argmin())]
        return hard[int(nearest.argmax())], float(nearest.max())

    def next(self) -> tuple[Floats, float]:
        """Return the multipliers where the model is highest, and its height there."""
        n = len(self._sizes)
        rows, costs = np.array(self._rows), np.array(self._costs)
        groups = [[side == number for side in self._soft] for number in range(len(self._prices))]
        # height - multipliers @ violations <= cost, for each tree; soft multipliers together at most the price
        matrix = np.vstack([np.hstack([np.ones((len(rows), 1)), -rows]), *self._price_rows(groups)])
        right = np.concatenate([costs, self._prices / self._unit])
        bounds = [(None, None), *[(0.0, LARGEST)] * n]
        found = linprog(np.r_[-1.0, np.zeros(n)], A_ub=matrix, b_ub=right, bounds=bounds, method="highs")
        if not found.success:
            return np.zeros(n), np.inf
        return np.maximum(found.x[1:], 0.0) * self._unit / self._sizes, float(found.x[0]) * self._unit

    def _price_rows(self, groups: list[list[bool]]) -> list[Floats]:
        """For each soft limit, a row that adds up the multipliers of its sides, in their own units."""
        return [np.r_[0.0, np.where(group, 1.0 / self._sizes, 0.0)][None, :] for group in groups]
