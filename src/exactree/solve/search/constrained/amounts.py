"""Costs and limited sums of each label for each group of rows, and what limits say about sums, multipliers and costs.

A *sum* is what one or two limits restrict: two limits whose coefficients differ in sign only are one sum, limited from
above and from below. A *side* is one of these limits; the relaxed problem charges a multiplier for each of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import floor

import numpy as np
from scipy.sparse import csc_array, csr_array

from exactree.arrays import Bools, Floats, Ints
from exactree.problem import DiagramProblem, LeafLimit, LinearLimit, Problem
from exactree.problem.linear_limit import LIMIT_NOISE
from exactree.solve.gains import LARGEST_SUM, exact_scale, group_costs, price_of_size, sums_by

UNLIMITED = 2**61  # more than any sum; as kInfiniteCost in the kernel
LARGEST_WHOLE = 2.0**50  # of sums of integers, which stay as they are


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One limit: ``sign`` times a sum is at most ``at_most``, with noise; of a soft limit if ``soft`` is its number."""

    sum: int
    sign: int
    at_most: float
    unit: float  # of the sum, for one unit of violation
    size: float  # what the sum could be at most, in these units
    soft: int | None


class GroupAmounts:
    """What a label costs for each group of rows, and what it adds to each sum, in integers and in the user's units."""

    def __init__(self, problem: Problem | DiagramProblem, check: Callable[[], None] = lambda: None) -> None:
        """``check`` is called for each limit, and raises where time is up."""
        self.problem = problem
        self.on_leaves = () if isinstance(problem, DiagramProblem) else problem.limits_on_leaves
        data = problem.data
        self.n_groups, self.n_classes = int(data.point_groups.max()) + 1, data.n_classes
        self.group_of_row = data.point_groups[data.point_of]
        self.costs = group_costs(problem)  # (n_groups, n_classes)
        self.cost_scale = _cost_scale(problem, self.costs)
        self.sides: list[Side] = []
        # What each group and label add to each sum; with many pairs of groups and strata, mostly nothing.
        entries: list[tuple[Ints, Ints]] = []  # of each sum: places, group * n_classes + label, and integers
        known: dict[bytes, tuple[int, int]] = {}  # digest of the entries of a sum -> its number, and 1 or -1
        self.least: list[int] = []
        self.most: list[int] = []
        for limit, soft in _limits_of(problem):
            check()
            self._add(limit, soft, entries, known)
        ends = np.cumsum([0, *(len(places) for places, _ in entries)])
        none = [np.zeros(0, dtype=np.int64)]
        columns = [np.concatenate([*none, *part]) for part in zip(*entries, strict=True)] or [none[0], none[0]]
        shape = (self.n_groups * self.n_classes, len(entries))
        self._sums = csc_array((columns[1], columns[0], ends), shape=shape).tocsr()

    def _add(
        self,
        limit: LinearLimit,
        soft: int | None,
        entries: list[tuple[Ints, Ints]],
        known: dict[bytes, tuple[int, int]],
    ) -> None:
        by_group = sums_by(self.group_of_row, limit.coefficient, self.n_groups)
        whole = np.array_equal(limit.coefficient, np.rint(limit.coefficient)) and limit.largest <= LARGEST_WHOLE
        scale = 1.0 if whole else float(2.0 ** np.floor(np.log2(LARGEST_WHOLE / limit.largest)))
        integers = np.rint(by_group * scale).astype(np.int64).ravel()
        places = np.flatnonzero(integers)
        values = integers[places]
        at, sign = known.get(_digest(places, values), (len(entries), 1))
        if at == len(entries):
            known[_digest(places, -values)] = at, -1
            known[_digest(places, values)] = at, 1
            entries.append((places, values))
            self.least.append(-UNLIMITED)
            self.most.append(UNLIMITED)
        allowed = limit.at_most * scale if soft is not None else float(_most_allowed(limit, scale))
        self.sides.append(Side(at, sign, allowed, limit.unit * scale, limit.largest / limit.unit, soft))
        if soft is None and sign > 0:
            self.most[at] = min(self.most[at], int(allowed))
        elif soft is None:
            self.least[at] = max(self.least[at], -int(allowed))

    @property
    def sums(self) -> Ints:
        """What each label of each group adds to each sum, (n_groups, n_classes, n_sums)."""
        return np.asarray(self._sums.toarray().reshape(self.n_groups, self.n_classes, -1))

    def charges(self, by_sum: Floats) -> Floats:
        """What each label of each group is charged, (n_groups, n_classes), given the charge for a unit of each sum."""
        return np.asarray((self._sums @ by_sum).reshape(self.n_groups, self.n_classes))

    def sums_of(self, leaf_of_group: Ints, n_leaves: int) -> Ints:
        """What each label of each leaf adds to each sum, (n_leaves, n_classes, n_sums)."""
        labels = np.arange(self.n_classes)
        leaf = (leaf_of_group[:, None] * self.n_classes + labels).ravel()
        ones, size = np.ones(len(leaf), dtype=np.int64), n_leaves * self.n_classes
        gathered = csr_array((ones, (leaf, np.arange(len(leaf)))), shape=(size, len(leaf))) @ self._sums
        return np.asarray(gathered.toarray().reshape(n_leaves, self.n_classes, -1))

    @property
    def is_whole(self) -> bool:
        """Whether costs and prices are integers, and nothing else is paid."""
        return self.cost_scale == 1.0 and not self.problem.soft and np.array_equal(self.costs, np.rint(self.costs))

    @property
    def n_sums(self) -> int:
        """Number of sums."""
        return len(self.most)

    @cached_property
    def prices(self) -> Floats:
        """Price of the violation of each soft limit, in the user's units."""
        return np.array([soft.price for soft in self.problem.soft])

    def violations(self, sums: Floats | Ints) -> Floats:
        """Violation of each side, (..., n_sides), negative where there is room; ``sums`` is (..., n_sums)."""
        at = [side.sum for side in self.sides]
        signs = np.array([side.sign for side in self.sides])
        allowed = np.array([side.at_most for side in self.sides])
        units = np.array([side.unit for side in self.sides])
        return np.asarray((signs * np.asarray(sums)[..., at] - allowed) / units)

    def allowed(self, sums: Ints) -> Bools:
        """Whether sums, (..., n_sums), satisfy all limits that are not soft."""
        return np.asarray(
            (sums >= np.array(self.least, dtype=np.int64)).all(axis=-1)
            & (sums <= np.array(self.most, dtype=np.int64)).all(axis=-1)
        )

    def penalties(self, sums: Ints) -> Floats:
        """What violations of soft limits cost, (...), in the user's units."""
        total = np.zeros(np.asarray(sums).shape[:-1])
        if not self.problem.soft:
            return total
        violations = self.violations(sums)
        for number, price in enumerate(self.prices):
            of_limit = [at for at, side in enumerate(self.sides) if side.soft == number]
            total = total + price * np.maximum(0.0, violations[..., of_limit].max(axis=-1))
        return total

    def multipliers_by_sum(self, multipliers: Floats) -> tuple[Floats, float]:
        """What the relaxed problem charges for each unit of each sum, and what is subtracted from its cost."""
        by_sum, constant = np.zeros(self.n_sums), 0.0
        for multiplier, side in zip(multipliers, self.sides, strict=True):
            by_sum[side.sum] += multiplier * side.sign / side.unit
            constant += multiplier * side.at_most / side.unit
        return by_sum, constant

    def allowed_labels(self, leaf_of_group: Ints, n_leaves: int) -> Bools:
        """Which labels leaves may have by the limits on each leaf, (n_leaves, n_classes)."""
        allowed = np.ones((n_leaves, self.n_classes), dtype=np.bool_)
        for limit in self.on_leaves:
            if limit.price is None:
                allowed &= limit.allows(self._amounts_of(limit, leaf_of_group, n_leaves))
        return allowed

    def answer_prices(self, leaf_of_group: Ints, n_leaves: int) -> Floats:
        """What leaves pay for each label by the limits that they may break at a price, (n_leaves, n_classes)."""
        prices = np.zeros((n_leaves, self.n_classes))
        for limit in self.on_leaves:
            if limit.price is not None:
                allowed = limit.allows(self._amounts_of(limit, leaf_of_group, n_leaves))
                prices += np.where(allowed, 0.0, limit.price * self.problem.total_weight)
        return prices

    def _amounts_of(self, limit: LeafLimit, leaf_of_group: Ints, n_leaves: int) -> Floats:
        """Units of each class in each leaf, (n_leaves, n_classes)."""
        places = leaf_of_group[self.group_of_row] * self.n_classes + self.problem.data.labels
        units = np.bincount(places, weights=limit.amount, minlength=n_leaves * self.n_classes)
        return units.reshape(n_leaves, self.n_classes).astype(np.float64)


def _digest(places: Ints, values: Ints) -> bytes:
    return blake2b(places.tobytes() + values.tobytes()).digest()


def _cost_scale(problem: Problem | DiagramProblem, costs: Floats) -> float:
    """Power of two that makes costs and all prices integers, or as near as sums that stay exact allow."""
    price, most_paid = price_of_size(problem)
    of_leaves = () if isinstance(problem, DiagramProblem) else problem.priced_on_leaves
    prices = [price, *((limit.price or 0.0) * problem.total_weight for limit in of_leaves)]
    scale = exact_scale(costs, np.array(prices), most_paid)
    penalties = problem.total_penalty_at_most
    return scale if penalties == 0 else min(scale, float(2.0 ** np.floor(np.log2(LARGEST_SUM / penalties))))


def _limits_of(problem: Problem | DiagramProblem) -> Iterator[tuple[LinearLimit, int | None]]:
    """All limits, with the number of the soft limit that they belong to."""
    for limit in problem.on_answers:
        yield limit, None
    for number, soft in enumerate(problem.soft):
        for limit in soft.limits:
            yield limit, number


def _most_allowed(limit: LinearLimit, scale: float) -> int:
    """Return the largest integer sum that :meth:`Problem.violations` lets pass."""
    guess = floor((limit.at_most + LIMIT_NOISE * limit.largest) * scale)
    if scale != 1.0:
        return guess
    fits = (total for total in (guess + 1, guess) if (total - limit.at_most) / limit.largest <= LIMIT_NOISE)
    return next(fits, guess - 1)
