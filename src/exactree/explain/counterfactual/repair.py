"""Repair of candidates that violate oblique splits or rules: the nearest point of the region that satisfies them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum, isnan
from typing import Any

from exactree.explain.counterfactual.action import Action, ActionSet
from exactree.explain.counterfactual.leaf_regions import values_of
from exactree.explain.counterfactual.level_actions import LevelActionSet
from exactree.explain.counterfactual.mip import (
    ColumnVariables,
    MipBuilder,
    Terms,
    level_variables,
    number_variables,
    solve_actions,
)
from exactree.explain.counterfactual.number_actions import NumberActionSet
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.rules import Rises, Rule
from exactree.explain.counterfactual.short_numbers import short_number_beyond
from exactree.explain.counterfactual.value_sets import LARGEST, LARGEST_INTEGER, Interval, LevelSet
from exactree.model import Graph

MARGINS = (0.0, 1e-6, 1e-4)  # relative to a linear combination: tried in turn until the model agrees with the MIP
ABOVE = 1e-6  # the same for strict inequalities, which a MIP cannot express
FAR = 8.0  # times the largest known distance: bound on changes that nothing else bounds
DIGITS = 6  # significant digits of numbers that a MIP found, if the candidate stays feasible


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """The constraints that couple columns, and candidates that satisfy them."""

    graph: Graph
    action_sets: Mapping[int, ActionSet]
    rules: tuple[Rule, ...]

    def apply(self, candidate: Candidate, row: Row) -> Candidate | None:
        """Return a feasible candidate as it is, else the nearest feasible point of its region, or None."""
        if self.is_feasible(candidate, row):
            return candidate
        for margin in MARGINS:
            found = self._solve(candidate, row, margin)
            if found is None:
                return None
            rounded = _rounded(found, self.action_sets, row)
            for repaired in (self._with_typical_values(rounded, row), rounded, self._shortened(found, row), found):
                if self.is_feasible(repaired, row):
                    return repaired
        return None

    def is_feasible(self, candidate: Candidate, row: Row) -> bool:
        """Whether the changed row lies in the region and satisfies the rules."""
        if not candidate.region.oblique and not self.rules:
            return True

        def new(column: int) -> Any:
            return candidate.actions[column].value if column in candidate.actions else row(column)

        inside = all(new(j) in values for j, values in candidate.region.values.items())
        sums = all(self._answer(node, new) == yes for node, yes in candidate.region.oblique)
        return inside and sums and all(rule.holds(self._by_name(row), self._by_name(new)) for rule in self.rules)

    def _shortened(self, candidate: Candidate, row: Row) -> Candidate:
        """Write numbers as people do, column by column, where a little farther from the row is still feasible."""
        for j, action in candidate.actions.items():
            action_set, now = self.action_sets[j], row(j)
            if isinstance(action_set, NumberActionSet) and isinstance(action.value, float) and not isnan(now):
                value = short_number_beyond(action.value, now)
                short = Action(value, action_set.cost_of(value, now), changes=value != now)
                shortened = replace(candidate, actions={**candidate.actions, j: short})
                candidate = shortened if self.is_feasible(shortened, row) else candidate
        return candidate

    def _with_typical_values(self, candidate: Candidate, row: Row) -> Candidate:
        """Replace missing values by typical ones: to the MIP all values cost the same."""
        actions = dict(candidate.actions)
        for j in (j for j in candidate.actions if isnan(row(j))):
            usual = self.action_sets[j].cheapest(values_of(self.graph, candidate.region, j).present(), row(j))
            actions[j] = usual or actions[j]
        return replace(candidate, actions=actions)

    def _by_name(self, row: Row) -> Any:
        """Return a function from column names to values of a row, None if missing or unknown."""
        number = {column.name: j for j, column in enumerate(self.graph.schema.columns)}

        def read(name: str) -> Any:
            value = row(number[name])
            coded = isinstance(self.action_sets[number[name]], LevelActionSet)
            return None if isnan(value) or (coded and value < 0) else value

        return read

    def _answer(self, node: int, row: Row) -> bool:
        """Answer of a row at an oblique split, added up as the model does it."""
        total = 0.0
        for column, coefficient in self.graph.sum_at(node):
            total += coefficient * row(column)
        return bool(self.graph.missing_yes[node] if isnan(total) else total <= self.graph.threshold[node])

    def _solve(self, candidate: Candidate, row: Row, margin: float) -> Candidate | None:
        columns = sorted(self.coupled_columns(candidate))
        builder, far = MipBuilder(), FAR * max([1.0, *self.distances(candidate, columns, row)])
        variables: dict[int, ColumnVariables] = {}
        for j in columns:
            values, action_set = values_of(self.graph, candidate.region, j), self.action_sets[j]
            if isinstance(action_set, NumberActionSet) and isinstance(values, Interval):
                variables[j] = number_variables(builder, action_set, values, row(j), far)
            elif isinstance(action_set, LevelActionSet) and isinstance(values, LevelSet):
                variables[j] = level_variables(builder, action_set, values, row(j))
        self.add_constraints(builder, variables, candidate, row, margin)
        answer = solve_actions(builder, variables)
        if answer is None:
            return None
        actions, proved = answer
        kept = {j: action for j, action in candidate.actions.items() if j not in variables}
        return replace(candidate, actions=kept | actions, proved=proved)

    def add_constraints(
        self,
        builder: MipBuilder,
        variables: Mapping[int, ColumnVariables],
        candidate: Candidate,
        row: Row,
        margin: float,
    ) -> None:
        """Add the oblique splits of a decision path, and the rules."""
        for node, yes in candidate.region.oblique:
            self._add_oblique_split(builder, variables, node, yes, margin)
        for rule in self.rules:
            if isinstance(rule, Rises):
                self._add_rises(builder, variables, rule, row)
            else:
                self._add_at_least(builder, *(variables[self._column_index(name)] for name in rule.names))

    def _column_index(self, name: str) -> int:
        return [column.name for column in self.graph.schema.columns].index(name)

    def coupled_columns(self, candidate: Candidate) -> set[int]:
        """Return the columns that oblique splits or rules couple."""
        in_rules = {self._column_index(name) for rule in self.rules for name in rule.names}
        return in_rules | {j for node, _ in candidate.region.oblique for j, _ in self.graph.sum_at(node)}

    def distances(self, candidate: Candidate, columns: list[int], row: Row) -> Iterator[float]:
        """Yield the distances that bound how far values may have to change."""
        for j in columns:
            action_set, values = self.action_sets[j], values_of(self.graph, candidate.region, j)
            if isinstance(values, Interval) and isinstance(action_set, NumberActionSet):
                ends = (values.low, values.high, action_set.feasible.low, action_set.feasible.high)
                here = 0 if isnan(row(j)) else row(j)
                yield from (float(abs(end - here)) for end in ends if abs(end) < LARGEST_INTEGER and abs(end) < LARGEST)
        for node, _ in candidate.region.oblique:
            terms = [(coefficient, row(j)) for j, coefficient in self.graph.sum_at(node)]
            now = fsum(abs(coefficient * value) for coefficient, value in terms if not isnan(value))
            yield from ((abs(float(self.graph.threshold[node])) + now) / abs(coefficient) for coefficient, _ in terms)
        for rule in self.rules:
            larger, smaller = (row(self._column_index(name)) for name in rule.names)
            known = not isnan(larger) and not isnan(smaller)
            yield abs(float(rule.by)) if isinstance(rule, Rises) else float(abs(larger - smaller)) if known else 0.0

    def _add_oblique_split(
        self, builder: MipBuilder, variables: Mapping[int, ColumnVariables], node: int, yes: bool, margin: float
    ) -> None:
        # yes: linear combination <= threshold; no: above it; relaxed if a value is missing and missing values go here
        threshold, now, missing_now = float(self.graph.threshold[node]), 0.0, 0
        terms, missing = Terms(), Terms()
        for column, coefficient in self.graph.sum_at(node):
            part = variables[column]
            now += coefficient * float(part.now)
            missing_now += part.missing_now
            missing |= part.missing
            terms |= {place: coefficient * sign for place, sign in part.terms.items()}
        size = max(1.0, abs(threshold), abs(now))
        slack = builder.magnitude(terms) + abs(now) + abs(threshold) + size
        sign = 1.0 if yes else -1.0
        row = {place: sign * coefficient for place, coefficient in terms.items()}
        row |= {place: -slack * coefficient for place, coefficient in missing.items()}
        distance = (margin if yes else max(margin, ABOVE)) * size
        builder.row(row, at_most=sign * (threshold - now) - distance + slack * missing_now)

    def _add_rises(self, builder: MipBuilder, variables: Mapping[int, ColumnVariables], rule: Rises, row: Row) -> None:
        # after - before >= by if the first one rises, unless it becomes missing
        first, second = (variables[self._column_index(name)] for name in rule.names)
        before = self._by_name(row)(rule.then)
        if before is None:
            return
        least = float(before - second.now)
        slack = abs(rule.by) + builder.magnitude(second.terms) + abs(least)
        terms = dict(second.terms) | dict.fromkeys(first.rises, -rule.by - slack)
        for place, sign in second.missing.items():
            terms[place] = terms.get(place, 0.0) + slack * sign
        builder.row(terms, at_least=least - slack)

    def _add_at_least(self, builder: MipBuilder, first: ColumnVariables, second: ColumnVariables) -> None:
        # first - second >= 0, unless one of them is missing
        terms = dict(first.terms) | {place: -sign for place, sign in second.terms.items()}
        least = float(second.now - first.now)
        slack = builder.magnitude(terms) + abs(least)
        for place, sign in {**first.missing, **second.missing}.items():
            terms[place] = terms.get(place, 0.0) + slack * sign
        builder.row(terms, at_least=least - slack * (first.missing_now + second.missing_now))


def _rounded(candidate: Candidate, action_sets: Mapping[int, ActionSet], row: Row) -> Candidate:
    """Round numbers to few digits; the result may be infeasible."""
    actions = dict(candidate.actions)
    for j, action in candidate.actions.items():
        action_set = action_sets[j]
        if isinstance(action_set, NumberActionSet) and isinstance(action.value, float) and not isnan(action.value):
            value = float(f"{action.value:.{DIGITS}g}")
            actions[j] = Action(value, action_set.cost_of(value, row(j)), changes=value != row(j))
    return replace(candidate, actions={j: action for j, action in actions.items() if action.changes})
