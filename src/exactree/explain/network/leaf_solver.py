"""The nearest row of a leaf region for which the network of the leaf predicts a target label.

A MIP needs bounds on every number. If neither region nor actionability bound one, a first MIP searches nearby. The cost
of its solution bounds the distance of all better ones, and so the numbers of a second MIP, which finds the nearest row
and proves it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, isnan
from typing import Any

import numpy as np

from exactree.arrays import Bools
from exactree.explain.counterfactual.action import Action, ActionSet
from exactree.explain.counterfactual.leaf_regions import LeafRegion, values_of
from exactree.explain.counterfactual.level_actions import FIRST, LevelActionSet
from exactree.explain.counterfactual.mip import ColumnVariables, MipBuilder, Terms, level_variables, number_variables
from exactree.explain.counterfactual.number_actions import NumberActionSet
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.repair import DIGITS, FAR, Repair
from exactree.explain.counterfactual.value_sets import LARGEST, LARGEST_INTEGER, Interval, LevelSet, ValueSet
from exactree.explain.network.mip import NetworkInput, accepted_values, add_network
from exactree.explain.network.network import Network
from exactree.mip import MipOptions, MipStatus, solve

MARGINS = (1e-4, 1e-3, 1e-2)  # by which a target output must exceed the others: tried in turn until the model agrees
NEAR = 1.0  # times the largest known distance: bound of the first MIP
SAME = 1e-6  # relative: tolerance of the MIP solver on costs
READABLE = 1e-4  # relative: additional cost accepted for numbers of few digits
NEAR_END = 1e-3  # relative: distance from a threshold accepted for a number of few digits


@dataclass(frozen=True, slots=True)
class LeafResult:
    """The nearest row of one region, if one was found, and a lower bound on its cost; inf: infeasible."""

    candidate: Candidate | None
    bound: float
    doubtful: float = inf  # lower bound on the cost of rows about which the model and its description disagree


@dataclass(frozen=True, slots=True)
class _MipResult:
    actions: Mapping[int, Action] | None
    bound: float


@dataclass(frozen=True, slots=True, eq=False)
class NetworkSolver:
    """Solves leaf regions of one row: the networks, the actions, and the model that checks candidates."""

    repair: Repair
    networks: Mapping[int, Network]  # by leaf
    predicted_label: Callable[[Candidate], int | None]  # None if the changed row ends in another leaf

    def can_predict(self, node: int, wanted: Bools) -> bool:
        """Whether the network of a leaf knows a target label."""
        return bool(wanted[self.networks[node].labels].any())

    def lower_bound(self, region: LeafRegion, row: Row) -> float:
        """Return a lower bound on the cost of moving a row into a region; inf if that is infeasible."""
        values = self.values(region)
        return sum((least_cost(self._action_set(j), values[j], row(j)) for j in values), start=0.0)

    def nearest(
        self,
        region: LeafRegion,
        row: Row,
        wanted: Bools,
        excluded: Sequence[frozenset[int]],
        *,
        limit: float = inf,
        until: float = inf,
        deadline: float | None = None,
    ) -> LeafResult:
        """Find the nearest row of a region with a target label that changes no excluded set of columns as a whole.

        Rows that cost more than the limit are of no interest; if there are no others, the limit is the bound. A MIP
        does not stop at ``until``.
        """
        leaf_mip = _LeafMip(self, region, row, wanted, tuple(excluded), limit, deadline)
        first: _MipResult | None = None
        for margin in MARGINS:
            found = leaf_mip.solve(margin)
            first = first or found
            if found.actions is None or (found is not first and leaf_mip.is_late()):
                break
            for actions in leaf_mip.rounded_variants(found.actions):
                candidate = Candidate(
                    region, {j: action for j, action in actions.items() if action.changes}, accuracy=-1.0
                )
                label = self._label(candidate, row, wanted)
                if label is not None:
                    proved = candidate.cost <= first.bound * (1 + SAME + READABLE) + SAME
                    return LeafResult(replace(candidate, label=label, proved=proved), min(first.bound, candidate.cost))
        assert first is not None
        return LeafResult(None, first.bound)

    def _label(self, candidate: Candidate, row: Row, wanted: Bools) -> int | None:
        """Return the predicted label of a candidate if it is a target and the candidate is feasible."""
        if not self.repair.is_feasible(candidate, row):
            return None
        label = self.predicted_label(candidate)
        return label if label is not None and wanted[label] else None

    def _action_set(self, j: int) -> ActionSet:
        return self.repair.action_sets[j]

    def values(self, region: LeafRegion) -> dict[int, ValueSet]:
        """Return the values of the columns that decide a region, as far as its network accepts them."""
        network = self.networks[region.node]
        columns = {*network.column_weights, *region.values, *self.repair.coupled_columns(Candidate(region, {}, -1.0))}
        found = {j: values_of(self.repair.graph, region, j) for j in sorted(columns)}
        return {
            j: accepted_values(network.column_weights[j], v) if j in network.column_weights else v
            for j, v in found.items()
        }


@dataclass(frozen=True, slots=True, eq=False)
class _LeafMip:
    """The MIPs of one row and one region."""

    solver: NetworkSolver
    region: LeafRegion
    row: Row
    wanted: Bools
    excluded: tuple[frozenset[int], ...]
    limit: float
    deadline: float | None

    def solve(self, margin: float) -> _MipResult:
        """Search nearby, then as far as the cost of the solution found there allows."""
        distances = self._distances()
        near = {j: min(NEAR * size, self._affordable_distance(j, self.limit)) for j, size in distances.items()}
        found = self._solve_within(near, margin)
        cost = self.limit if found.actions is None else sum(action.cost for action in found.actions.values())
        far = {j: min(FAR * size, self._affordable_distance(j, cost)) for j, size in distances.items()}
        if all(far[j] <= near[j] for j in far) or cost <= self._least_change():
            return found
        if self.is_late():
            return _MipResult(found.actions, 0.0)
        farther = self._solve_within({j: max(far[j], near[j]) for j in far}, margin)
        if farther.actions is None and found.actions is not None:  # out of time, or numerical noise
            return _MipResult(found.actions, min(farther.bound, cost))
        return farther

    def _affordable_distance(self, j: int, cost: float) -> float:
        """How far a number may change before that alone costs more."""
        action_set = self.solver.repair.action_sets[j]
        assert isinstance(action_set, NumberActionSet)
        if isnan(self.row(j)) or action_set.column_cost.per_unit == 0:
            return inf
        return cost * (1 + SAME) / action_set.column_cost.per_unit

    def _least_change(self) -> float:
        """The least cost of any change; the row as it is has no target label."""
        return min((self._least_change_of(j) for j in self.solver.values(self.region)), default=0.0)

    def _least_change_of(self, j: int) -> float:
        action_set = self.solver.repair.action_sets[j]
        if isinstance(action_set, NumberActionSet):
            return (
                0.0
                if action_set.column_cost.per_unit > 0
                else min(action_set.column_cost.per_change, action_set.column_cost.missing)
            )
        assert isinstance(action_set, LevelActionSet)
        return float(np.delete(action_set.cost_matrix[self.row(j) + FIRST], self.row(j) + FIRST).min(initial=inf))

    def _distances(self) -> dict[int, float]:
        """Distances that bound how far numbers may have to change: to ends, to data, and to the network's centers."""
        network, repair = self.solver.networks[self.region.node], self.solver.repair
        shared = list(repair.distances(Candidate(self.region, {}, -1.0), [], self.row))
        found, steps = dict[int, float](), dict[int, float]()
        for j, values in self.solver.values(self.region).items():
            action_set = repair.action_sets[j]
            if not isinstance(action_set, NumberActionSet) or not isinstance(values, Interval):
                continue
            ends: list[Any] = [
                values.low,
                values.high,
                action_set.feasible.low,
                action_set.feasible.high,
                action_set.scale,
                -action_set.scale,
            ]
            if action_set.observed is not None:
                ends += [action_set.observed[0].item(), action_set.observed[-1].item()]
            if j in network.column_weights:
                ends.append(network.column_weights[j].center)
                steps[j] = network.column_weights[j].scale
            here = 0 if isnan(self.row(j)) else self.row(j)
            known = [float(abs(end - here)) for end in ends if abs(end) < LARGEST and abs(end) < LARGEST_INTEGER]
            found[j] = max([steps.get(j, 1.0), *known, *shared])
        # One column may have to compensate for another: in units of the network all may change equally far.
        most = max((found[j] / steps[j] for j in steps), default=0.0)
        return {j: max(size, most * steps.get(j, 0.0)) for j, size in found.items()}

    def _solve_within(self, far: Mapping[int, float], margin: float) -> _MipResult:
        """Build and solve the MIP in which numbers change no farther than this."""
        builder, inputs, tie_breaks = MipBuilder(), dict[int, NetworkInput](), Terms()
        for j, values in self.solver.values(self.region).items():
            inputs[j] = self._input(builder, j, values, far.get(j, 0.0), tie_breaks)
        network, repair = self.solver.networks[self.region.node], self.solver.repair
        variables = {j: part.variables for j, part in inputs.items()}
        add_network(builder, network, inputs, self.wanted, margin)
        repair.add_constraints(builder, variables, Candidate(self.region, {}, -1.0), self.row, margin)
        for columns in self.excluded:
            self._add_no_good_cut(builder, variables, columns)
        return self._run(builder, variables, tie_breaks)

    def _input(self, builder: MipBuilder, j: int, values: ValueSet, far: float, tie_breaks: Terms) -> NetworkInput:
        action_set, value = self.solver.repair.action_sets[j], self.row(j)
        if isinstance(action_set, LevelActionSet) and isinstance(values, LevelSet):
            return NetworkInput(level_variables(builder, action_set, values, value), 0.0, -1.0, missing=False)
        assert isinstance(action_set, NumberActionSet)
        assert isinstance(values, Interval)
        variables = number_variables(builder, action_set, values, value, far)
        low, high = value_bounds(action_set, values, value, far)
        if isnan(value):
            _prefer_typical_value(builder, action_set, variables, values, (low, high), tie_breaks)
        elif action_set.column_cost.per_unit == 0 and far > 0:
            tie_breaks |= dict.fromkeys(variables.terms, 1 / far)
        gone = values.missing and (action_set.feasible.missing or isnan(value))
        return NetworkInput(variables, low, high, missing=gone)

    def _add_no_good_cut(
        self, builder: MipBuilder, variables: Mapping[int, ColumnVariables], columns: Iterable[int]
    ) -> None:
        # at least one of these columns must not change
        changed = [variables[j].changed for j in columns if j in variables]
        if len(changed) == len(set(columns)):  # else one of them never changes here
            terms = {column: 1.0 for part in changed for column in part}
            builder.row(terms, at_most=len(changed) - 1.0)

    def _run(self, builder: MipBuilder, variables: Mapping[int, ColumnVariables], tie_breaks: Terms) -> _MipResult:
        mip = builder.mip.program()
        answer = solve(mip, backend="highs", options=MipOptions(seconds=self._seconds(), cutoff=self.limit))
        if answer.status is MipStatus.INTERRUPTED:  # exactree.mip handles Ctrl-C itself; here there is nothing to keep
            raise KeyboardInterrupt
        if answer.values is None:
            return _MipResult(None, self.limit if answer.status is MipStatus.INFEASIBLE else max(answer.bound, 0.0))
        proved = answer.status is MipStatus.OPTIMAL
        values = answer.values
        if tie_breaks and not self.is_late():  # second objective: of equal costs the nearest
            costly = {c: float(mip.cost[c]) for c in np.flatnonzero(mip.cost).tolist()}
            builder.row(costly, at_most=answer.objective + SAME * max(1.0, answer.objective))
            cost = np.zeros(mip.n_columns)
            cost[list(tie_breaks)] = list(tie_breaks.values())
            nearer = solve(
                replace(builder.mip.program(), cost=cost, start=values),
                backend="highs",
                options=MipOptions(seconds=self._seconds()),
            )
            values = values if nearer.values is None else nearer.values
        actions = {j: part.decode(values) for j, part in variables.items()}
        cost_of_all = sum(action.cost for action in actions.values())
        return _MipResult(actions, cost_of_all if proved else max(answer.bound, 0.0))

    def is_late(self) -> bool:
        """Whether time is up."""
        return self._seconds() == 0.0

    def _seconds(self) -> float | None:
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)

    def rounded_variants(self, actions: Mapping[int, Action]) -> Iterator[dict[int, Action]]:
        """Yield the same changes with numbers of few digits, then as the MIP has them."""
        values = self.solver.values(self.region)
        exact = {j: self._clipped(j, values[j], action, action.value) for j, action in actions.items()}
        dearest = sum(action.cost for action in exact.values()) * (1 + READABLE)
        for attempt in (self._tree_value, self._rounded, self._rounded_away):
            some = {
                j: self._clipped(j, values[j], action, attempt(j, values[j], action)) for j, action in exact.items()
            }
            if sum(action.cost for action in some.values()) <= dearest:
                yield some
        yield exact

    def _clipped(self, j: int, values: ValueSet, action: Action, value: Any) -> Action:
        """Return the action to a number, clipped to its bounds, which solvers violate by their tolerance."""
        action_set, old = self.solver.repair.action_sets[j], self.row(j)
        if (
            not isinstance(action_set, NumberActionSet)
            or not isinstance(values, Interval)
            or not action.changes
            or isnan(value)
        ):
            return action
        low, high = max(values.low, action_set.feasible.low), min(values.high, action_set.feasible.high)
        new = min(max(value, low), high)
        return Action(new, action_set.cost_of(new, old) if new != old else 0.0, changes=bool(new != old))

    def _tree_value(self, j: int, values: ValueSet, action: Action) -> Any:
        """Return the value that a tree's counterfactual takes if it is as near, else one of few digits."""
        action_set = self.solver.repair.action_sets[j]
        usual = None
        if isinstance(action_set, NumberActionSet) and isinstance(values, Interval):
            usual = action_set.cheapest(values.present(), self.row(j))
        if usual is None or not usual.changes or isnan(usual.value):
            return self._rounded(j, values, action)
        near = abs(usual.value - action.value) <= NEAR_END * max(abs(action.value), 1e-300)
        return usual.value if near or isnan(self.row(j)) else self._rounded(j, values, action)

    def _rounded(self, j: int, values: ValueSet, action: Action) -> Any:
        value = action.value
        return float(f"{value:.{DIGITS}g}") if isinstance(value, float) and isfinite(value) else value

    def _rounded_away(self, j: int, values: ValueSet, action: Action) -> Any:
        """Return a number of few digits on the far side, where the margin of the network is larger."""
        value, near = action.value, self._rounded(j, values, action)
        if not isinstance(value, float) or not isfinite(value) or isnan(self.row(j)):
            return value
        short = abs(near - self.row(j)) < abs(value - self.row(j))
        unit = 10.0 ** (floor(np.log10(abs(value))) - DIGITS + 1) if value else 0.0
        return float(f"{near + unit * np.sign(value - self.row(j)):.{DIGITS}g}") if short else near


def _prefer_typical_value(
    builder: MipBuilder,
    action_set: NumberActionSet,
    variables: ColumnVariables,
    values: Interval,
    ends: tuple[float, float],
    tie_breaks: Terms,
) -> None:
    # away >= number - usual * filled, away >= usual * filled - number
    usual = action_set.cheapest(values.present(), np.nan)
    if usual is None or not variables.terms:
        return
    number, filled = next(iter(variables.terms)), next(iter(variables.missing))
    width = max(ends[1] - ends[0], 1e-300)
    away = builder.column(high=2 * max(map(abs, (*ends, usual.value))), integer=False)
    for sign in (1.0, -1.0):
        builder.row({away: 1.0, number: -sign, filled: sign * usual.value}, at_least=0.0)
    tie_breaks[away] = 1 / width


def value_bounds(action_set: NumberActionSet, inside: Interval, value: Any, far: float) -> tuple[float, float]:
    """Return bounds on the numbers that a value may become; low above high if there are none."""
    low, high = max(inside.low, action_set.feasible.low), min(inside.high, action_set.feasible.high)
    if isnan(value):
        return (max(low, -far), min(high, far)) if action_set.can_fill else (0.0, -1.0)
    low = max(low, value - ceil(far)) if action_set.down else max(low, value)
    high = min(high, value + ceil(far)) if action_set.up else min(high, value)
    stays = value in inside
    return float(min(low, value) if stays else low), float(max(high, value) if stays else high)


def least_cost(action_set: ActionSet, inside: ValueSet, value: Any) -> float:
    """Return a lower bound on the cost of taking a value into a set, whatever the digits of the number.

    Examples
    --------
    >>> from exactree.explain.counterfactual.costs import ColumnCost
    >>> anywhere = Interval(-LARGEST, LARGEST, missing=False)
    >>> action_set = NumberActionSet(
    ...     ColumnCost(per_unit=2.0), anywhere, observed=None, typical=0.0, up=True, down=False, can_fill=True,
    ...     integer=False, seems_integer=False, scale=1.0,
    ... )
    >>> [least_cost(action_set, Interval(*ends, missing=False), 1.0) for ends in ((3.5, 9.0), (0.0, 0.5))]
    [5.0, inf]
    """
    if value in inside:
        return 0.0
    if isinstance(action_set, LevelActionSet) and isinstance(inside, LevelSet):
        return min((float(action_set.cost_matrix[value + FIRST, code + FIRST]) for code in inside.codes), default=inf)
    assert isinstance(action_set, NumberActionSet)
    assert isinstance(inside, Interval)
    low, high = max(inside.low, action_set.feasible.low), min(inside.high, action_set.feasible.high)
    best = (
        action_set.column_cost.missing if inside.missing and action_set.feasible.missing and not isnan(value) else inf
    )
    if low > high:
        return best
    if isnan(value):
        return min(best, action_set.column_cost.missing) if action_set.can_fill else best
    if action_set.rounds(value == floor(value)):
        low, high = ceil(low) if abs(low) < LARGEST else low, floor(high) if abs(high) < LARGEST else high
    target = low if value < inside.low else high
    allowed = action_set.up if value < inside.low else action_set.down
    return min(best, action_set.cost_of(target, value)) if allowed else best
