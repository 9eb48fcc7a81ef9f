"""The question put to a solver, and the only definition of cost."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints
from exactree.encode import Encoded
from exactree.model import Graph
from exactree.problem.constraints import Limit
from exactree.problem.leaf_limit import LeafLimit
from exactree.problem.limits import Limits
from exactree.problem.linear_limit import LIMIT_NOISE, LinearLimit, SoftLimit
from exactree.problem.objective import Objective
from exactree.problem.split_columns import n_further_columns, too_many_columns

# Solvers that scale weights to integers, and sums of floats, may be off by this share of the worst possible cost.
# Measured on 1e6 rows with random float weights: below 1e-12.
RESOLUTION = 1e-9
HALF = 0.5  # where all costs are integers, nothing lies between two of them
LARGEST_SUM = 2.0**52  # up to which sums of integers are exact


class Scored(Protocol):
    """A question about trees or diagrams: what every answer to it is scored and checked by.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> from exactree.problem import accuracy
    >>> data = encode(Table.of([[0], [1]]), ["a", "b"])
    >>> problem: Scored = Problem(data, accuracy(data), Limits(max_depth=1))
    >>> problem.objective.name
    'accuracy'
    """

    @property
    def data(self) -> Encoded:
        """The encoded rows."""
        ...

    @property
    def objective(self) -> Objective:
        """What is minimised."""
        ...

    @property
    def tolerance(self) -> float:
        """Differences in cost below this are noise."""
        ...

    def cost(self, model: Graph, leaf: Int32s | None = None) -> float:
        """Cost of a model on the training rows."""
        ...

    def violations(self, model: Graph, leaf: Int32s | None = None) -> list[str]:
        """What is not allowed about a model."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Find the allowed tree of lowest cost on this data.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> from exactree.problem import accuracy
    >>> from exactree.solve import solve
    >>> data = encode(Table.of([[0], [1], [2]]), ["a", "b", "a"])
    >>> problem = Problem(data, accuracy(data), Limits(max_depth=1))
    >>> problem.cost(solve(problem).model)
    1.0
    """

    data: Encoded
    objective: Objective
    limits: Limits
    constraints: tuple[Limit, ...] = ()  # on the answers or on every leaf; most solvers take none

    @property
    def on_answers(self) -> tuple[LinearLimit, ...]:
        """Constraints on the answers of all rows together."""
        return tuple(limit for limit in self.constraints if isinstance(limit, LinearLimit))

    @property
    def soft(self) -> tuple[SoftLimit, ...]:
        """Constraints on the answers whose violation has a price."""
        return tuple(limit for limit in self.constraints if isinstance(limit, SoftLimit))

    @property
    def total_penalty_at_most(self) -> float:
        """What violations of constraints with a price may cost together."""
        return sum(soft.price * max(limit.largest / limit.unit for limit in soft.limits) for soft in self.soft)

    @property
    def on_leaves(self) -> tuple[LeafLimit, ...]:
        """Constraints on each leaf by itself that no leaf may break."""
        return tuple(limit for limit in self.constraints if isinstance(limit, LeafLimit) and limit.price is None)

    @property
    def priced_on_leaves(self) -> tuple[LeafLimit, ...]:
        """Those that a leaf may break at a price."""
        return tuple(limit for limit in self.constraints if isinstance(limit, LeafLimit) and limit.price is not None)

    @property
    def limits_on_leaves(self) -> tuple[LeafLimit, ...]:
        """All constraints on each leaf, with a price or without."""
        return (*self.on_leaves, *self.priced_on_leaves)

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return self.data.total_weight

    @property
    def leaf_price(self) -> float:
        """What each leaf adds to the cost."""
        return self.limits.ccp_alpha * self.total_weight

    def price_of(self, limit: LeafLimit) -> float:
        """What each leaf that breaks a limit with a price adds to the cost."""
        return (limit.price or 0.0) * self.total_weight

    @property
    def column_price(self) -> float:
        """What each column of an oblique split but the first adds to the cost."""
        return self.limits.column_price * self.total_weight

    @property
    def min_leaf_weight(self) -> float:
        """Least weight of the rows in a leaf."""
        return self.limits.min_weight_fraction_leaf * self.total_weight

    @property
    def tolerance(self) -> float:
        """Differences in cost below this are noise."""
        if self.objective.is_worst_leaf:
            return RESOLUTION
        priced = [self.price_of(limit) for limit in self.priced_on_leaves]
        each = np.array([self.leaf_price, self.column_price, *priced])
        total = self.leaf_price + sum(priced)
        if penalties := self.total_penalty_at_most:
            worst = self.total_weight * float(self.objective.matrix.max(initial=0.0)) + total + penalties
            return RESOLUTION * worst
        return noise_of(self.data, self.objective, each, total)

    def cost(self, model: Graph, leaf: Int32s | None = None) -> float:
        """Weighted cost of the model's answers on the training rows, plus prices of leaves, splits and violations.

        Leaves that break a limit with a price pay for that as well.
        For worst-leaf objectives it is 1 less the score of the worst leaf.
        Every solver's result is re-scored with this method, so no formulation and no kernel carries a second
        definition of the objective. ``leaf`` is what ``model.apply`` gives for the training rows, if known already.
        """
        at = model.apply(self.data.table) if leaf is None else leaf
        if self.objective.is_worst_leaf:
            leaves = np.unique(at)
            return 1.0 - float(
                self.objective.leaf_scores(
                    self._amounts_at(model, at, self.data.weights)[leaves], model.label[leaves]
                ).min()
            )
        answers = model.label[at]
        mistakes = self.data.weights * self.objective.matrix[self.data.labels, answers]
        prices = self.leaf_price * model.n_leaves + self.column_price * n_further_columns(model)
        penalties = sum(soft.penalty(answers) for soft in self.soft) + self._price_of_bad_leaves(model, at)
        return float(np.sum(mistakes)) + prices + penalties

    def _price_of_bad_leaves(self, model: Graph, at: Int32s) -> float:
        """What a model's leaves pay for breaking limits with a price."""
        price = 0.0
        for limit in self.priced_on_leaves:
            price += self.price_of(limit) * int((~self._obeyed(limit, model, at)).sum())
        return price

    def _obeyed(self, limit: LeafLimit, model: Graph, at: Int32s) -> Bools:
        """Which leaves of a model that rows reach obey a limit."""
        leaves = np.unique(at)
        allowed = limit.allows(self._amounts_at(model, at, limit.amount)[leaves])
        return np.asarray(allowed[np.arange(len(leaves)), model.label[leaves]])

    def order(self, model: Graph) -> tuple[float, ...]:
        """Return what models are compared by: cost; for worst-leaf objectives then leaves and errors."""
        at = model.apply(self.data.table)
        if not self.objective.is_worst_leaf:
            return (self.cost(model, at),)
        wrong = float(self.data.weights[model.label[at] != self.data.labels].sum())
        return self.cost(model, at), float(model.n_leaves), wrong

    def _amounts_at(self, model: Graph, at: Int32s, amount: Floats) -> Floats:
        """Sum of some amount per row of each class at each node where rows end, (n_nodes, n_classes)."""
        data = self.data
        cells = np.bincount(
            at.astype(np.int64) * data.n_classes + data.labels,
            weights=amount,
            minlength=model.n_nodes * data.n_classes,
        )
        return cells.reshape(model.n_nodes, data.n_classes).astype(np.float64)

    def allows_sides(self, *sides: Ints) -> bool:
        """Whether these sets of points are all large enough to be leaves."""
        return all(
            self.data.point_counts[side].sum() >= self.limits.min_samples_leaf
            and self.data.point_weights[side].sum() >= self.min_leaf_weight * (1 - RESOLUTION)
            for side in sides
        )

    def allowed_answers(self, points: Ints) -> Bools:
        """Which classes a leaf of these points may answer, by the constraints on each leaf, (n_classes,)."""
        allowed = np.ones(self.data.n_classes, dtype=np.bool_)
        for limit in self.on_leaves:
            allowed &= self._allowed_by(limit, points)
        return allowed

    def answer_prices(self, points: Ints) -> Floats:
        """What a leaf of these points pays for each answer, by the limits with a price, (n_classes,)."""
        prices = np.zeros(self.data.n_classes)
        for limit in self.priced_on_leaves:
            prices += np.where(self._allowed_by(limit, points), 0.0, self.price_of(limit))
        return prices

    def _allowed_by(self, limit: LeafLimit, points: Ints) -> Bools:
        """Which classes a leaf of some points may answer by one limit, (n_classes,)."""
        data = self.data
        units = np.bincount(data.point_of, weights=limit.amount)[points]
        amounts = np.bincount(data.point_labels[points], weights=units, minlength=data.n_classes)
        return np.asarray(limit.allows(amounts[None, :].astype(np.float64))[0])

    def violations(self, model: Graph, leaf: Int32s | None = None) -> list[str]:
        """What is not allowed about a model; empty if it may be returned. ``leaf`` as in :meth:`cost`."""
        found = []
        if self.limits.max_depth is not None and model.depth > self.limits.max_depth:
            found.append(f"its depth is {model.depth}, the limit is {self.limits.max_depth}")
        if model.n_leaves > self.limits.most_leaves:
            found.append(f"it has {model.n_leaves} leaves, the limit is {self.limits.most_leaves}")
        if model.n_nodes > 1:
            at = model.apply(self.data.table) if leaf is None else leaf
            leaves = model.leaves
            fewest = int(np.bincount(at, minlength=model.n_nodes)[leaves].min())
            if fewest < self.limits.min_samples_leaf:
                found.append(f"a leaf has {fewest} rows, the limit is {self.limits.min_samples_leaf}")
            if self.min_leaf_weight > 0:
                least = float(np.bincount(at, weights=self.data.weights, minlength=model.n_nodes)[leaves].min())
                if least < self.min_leaf_weight * (1 - RESOLUTION):
                    found.append(f"a leaf has weight {least:g}, the limit is {self.min_leaf_weight:g}")
        found += too_many_columns(model, self.limits.max_split_columns)
        if self.constraints:
            found += self._broken(model, model.apply(self.data.table) if leaf is None else leaf)
        return found

    def _broken(self, model: Graph, at: Int32s) -> list[str]:
        """Return the constraints that a model breaks."""
        found = [f"too large: {c.text}" for c in self.on_answers if c.excess(model.label[at]) > LIMIT_NOISE]
        for limit in self.on_leaves:
            if not self._obeyed(limit, model, at).all():
                found.append(f"too large: {limit.text}")
        return found


def noise_of(data: Encoded, objective: Objective, price: float | Floats, prices: float) -> float:
    """Difference in cost that is noise, with prices per leaf or node and some of these together.

    It is a share of the worst possible cost; but where weights, costs and price are integers, sums are exact, and two
    costs that differ do so by one at least.
    """
    worst = data.total_weight * float(objective.matrix.max(initial=0.0)) + prices
    noise = RESOLUTION * worst
    if noise <= HALF or worst > LARGEST_SUM:
        return noise
    is_whole = all(np.array_equal(numbers, np.rint(numbers)) for numbers in (price, objective.matrix, data.weights))
    return HALF if is_whole else noise
