"""From the nearest point of a box to the nearest one that also keeps sums and rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum, isnan
from typing import Any

from exactree.explain.counterfactual.action import Move, Mover
from exactree.explain.counterfactual.leaf_regions import values_of
from exactree.explain.counterfactual.level_actions import LevelMover
from exactree.explain.counterfactual.mip import Terms, Tied, Writer, solved, tied_levels, tied_number
from exactree.explain.counterfactual.number_actions import NumberMover
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.rules import Rises, Rule
from exactree.explain.counterfactual.value_sets import LARGEST, LARGEST_INTEGER, Levels, Span
from exactree.model import Graph

MARGINS = (0.0, 1e-6, 1e-4)  # of the size of a sum: tried in turn until the model itself agrees with the program
ABOVE = 1e-6  # the same for sums that must be above a threshold, which no program can say
FAR = 8.0  # times the largest number around: as far as a value is looked for that nothing keeps from going farther
DIGITS = 6  # of fractions that a program came up with, if so many will do


@dataclass(frozen=True, slots=True, eq=False)
class Settler:
    """What ties the columns of a row to each other."""

    graph: Graph
    movers: Mapping[int, Mover]
    rules: tuple[Rule, ...]

    def settle(self, candidate: Candidate, row: Row) -> Candidate | None:
        """Return the candidate if it is allowed as it is, else the nearest allowed point of its box, or None."""
        if self.fits(candidate, row):
            return candidate
        for margin in MARGINS:
            found = self._solved(candidate, row, margin)
            if found is None:
                return None
            rounded = _rounded(found, self.movers, row)
            for settled in (self._usual(rounded, row), rounded, found):
                if self.fits(settled, row):
                    return settled
        return None

    def fits(self, candidate: Candidate, row: Row) -> bool:
        """Whether a row so changed goes the way of the box and keeps the rules."""
        if not candidate.box.sums and not self.rules:
            return True

        def new(column: int) -> Any:
            return candidate.moves[column].value if column in candidate.moves else row(column)

        inside = all(new(j) in values for j, values in candidate.box.values.items())
        sums = all(self._answer(node, new) == yes for node, yes in candidate.box.sums)
        return inside and sums and all(rule.holds(self._by_name(row), self._by_name(new)) for rule in self.rules)

    def _usual(self, candidate: Candidate, row: Row) -> Candidate:
        """Return the same with usual values where there was none: a program takes any, as all cost the same."""
        moves = dict(candidate.moves)
        for j in (j for j in candidate.moves if isnan(row(j))):
            usual = self.movers[j].move(values_of(self.graph, candidate.box, j).present(), row(j))
            moves[j] = usual or moves[j]
        return replace(candidate, moves=moves)

    def _by_name(self, row: Row) -> Any:
        """Return a function from names to values of a row, None where a value is missing or unknown."""
        number = {column.name: j for j, column in enumerate(self.graph.schema.columns)}

        def read(name: str) -> Any:
            value = row(number[name])
            coded = isinstance(self.movers[number[name]], LevelMover)
            return None if isnan(value) or (coded and value < 0) else value

        return read

    def _answer(self, node: int, row: Row) -> bool:
        """Answer of a row to the question about a sum, added up as the model does it."""
        total = 0.0
        for column, factor in self.graph.sum_at(node):
            total += factor * row(column)
        return bool(self.graph.missing_yes[node] if isnan(total) else total <= self.graph.threshold[node])

    def _solved(self, candidate: Candidate, row: Row, margin: float) -> Candidate | None:
        columns = sorted(self.tied_columns(candidate))
        program, far = Writer(), FAR * max([1.0, *self.sizes(candidate, columns, row)])
        tied: dict[int, Tied] = {}
        for j in columns:
            values, mover = values_of(self.graph, candidate.box, j), self.movers[j]
            if isinstance(mover, NumberMover) and isinstance(values, Span):
                tied[j] = tied_number(program, mover, values, row(j), far)
            elif isinstance(mover, LevelMover) and isinstance(values, Levels):
                tied[j] = tied_levels(program, mover, values, row(j))
        self.tie(program, tied, candidate, row, margin)
        answer = solved(program, tied)
        if answer is None:
            return None
        moves, proved = answer
        kept = {j: move for j, move in candidate.moves.items() if j not in tied}
        return replace(candidate, moves=kept | moves, proved=proved)

    def tie(self, program: Writer, tied: Mapping[int, Tied], candidate: Candidate, row: Row, margin: float) -> None:
        """Write down the sums that a way asks about, and the rules."""
        for node, yes in candidate.box.sums:
            self._write_sum(program, tied, node, yes, margin)
        for rule in self.rules:
            if isinstance(rule, Rises):
                self._write_rise(program, tied, rule, row)
            else:
                self._write_order(program, *(tied[self._number(name)] for name in rule.names))

    def _number(self, name: str) -> int:
        return [column.name for column in self.graph.schema.columns].index(name)

    def tied_columns(self, candidate: Candidate) -> set[int]:
        """Columns that sums or rules tie to each other."""
        in_rules = {self._number(name) for rule in self.rules for name in rule.names}
        return in_rules | {j for node, _ in candidate.box.sums for j, _ in self.graph.sum_at(node)}

    def sizes(self, candidate: Candidate, columns: list[int], row: Row) -> Iterator[float]:
        """Sizes of the distances that a value may have to go."""
        for j in columns:
            mover, values = self.movers[j], values_of(self.graph, candidate.box, j)
            if isinstance(values, Span) and isinstance(mover, NumberMover):
                ends = (values.low, values.high, mover.reach.low, mover.reach.high)
                here = 0 if isnan(row(j)) else row(j)
                yield from (float(abs(end - here)) for end in ends if abs(end) < LARGEST_INTEGER and abs(end) < LARGEST)
        for node, _ in candidate.box.sums:
            terms = [(factor, row(j)) for j, factor in self.graph.sum_at(node)]
            now = fsum(abs(factor * value) for factor, value in terms if not isnan(value))
            yield from ((abs(float(self.graph.threshold[node])) + now) / abs(factor) for factor, _ in terms)
        for rule in self.rules:
            larger, smaller = (row(self._number(name)) for name in rule.names)
            known = not isnan(larger) and not isnan(smaller)
            yield abs(float(rule.by)) if isinstance(rule, Rises) else float(abs(larger - smaller)) if known else 0.0

    def _write_sum(self, program: Writer, tied: Mapping[int, Tied], node: int, yes: bool, margin: float) -> None:
        # yes: sum of factor * value <= threshold; no: above it. Where missing values go too, not if one is missing.
        threshold, now, missing_now = float(self.graph.threshold[node]), 0.0, 0
        terms, missing = Terms(), Terms()
        for column, factor in self.graph.sum_at(node):
            part = tied[column]
            now += factor * float(part.now)
            missing_now += part.missing_now
            missing |= part.missing
            terms |= {place: factor * sign for place, sign in part.terms.items()}
        size = max(1.0, abs(threshold), abs(now))
        slack = program.size(terms) + abs(now) + abs(threshold) + size
        sign = 1.0 if yes else -1.0
        row = {place: sign * factor for place, factor in terms.items()}
        row |= {place: -slack * factor for place, factor in missing.items()}
        distance = (margin if yes else max(margin, ABOVE)) * size
        program.row(row, at_most=sign * (threshold - now) - distance + slack * missing_now)

    def _write_rise(self, program: Writer, tied: Mapping[int, Tied], rule: Rises, row: Row) -> None:
        # after - before >= by if the first one rises, unless it becomes missing
        first, second = (tied[self._number(name)] for name in rule.names)
        before = self._by_name(row)(rule.then)
        if before is None:
            return
        least = float(before - second.now)
        slack = abs(rule.by) + program.size(second.terms) + abs(least)
        terms = dict(second.terms) | dict.fromkeys(first.rises, -rule.by - slack)
        for place, sign in second.missing.items():
            terms[place] = terms.get(place, 0.0) + slack * sign
        program.row(terms, at_least=least - slack)

    def _write_order(self, program: Writer, first: Tied, second: Tied) -> None:
        # first - second >= 0, unless one of them is missing
        terms = dict(first.terms) | {place: -sign for place, sign in second.terms.items()}
        least = float(second.now - first.now)
        slack = program.size(terms) + abs(least)
        for place, sign in {**first.missing, **second.missing}.items():
            terms[place] = terms.get(place, 0.0) + slack * sign
        program.row(terms, at_least=least - slack * (first.missing_now + second.missing_now))


def _rounded(candidate: Candidate, movers: Mapping[int, Mover], row: Row) -> Candidate:
    """Return the same with fractions of few digits, which may turn out not to be allowed."""
    moves = dict(candidate.moves)
    for j, move in candidate.moves.items():
        mover = movers[j]
        if isinstance(mover, NumberMover) and isinstance(move.value, float) and not isnan(move.value):
            value = float(f"{move.value:.{DIGITS}g}")
            moves[j] = Move(value, mover.cost_of(value, row(j)), changes=value != row(j))
    return replace(candidate, moves={j: move for j, move in moves.items() if move.changes})
