"""The nearest point of a box where columns are tied to each other: by weighted sums in questions, or by rules.

One small mixed-integer program per box. A column is written as what it is now plus what it rises less what it falls:

=========  ========================================================================
in code    meaning
=========  ========================================================================
rise       how far a number goes up, with a binary that says whether
fall       the same for down
gone       binary: a value becomes missing
filled     binary: a missing value becomes ``number``
takes      [c] binary: a category takes level c
=========  ========================================================================
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor, inf, isnan, nan
from typing import Any

import numpy as np

from exactree.explain.counterfactual.action import Move
from exactree.explain.counterfactual.level_actions import FIRST, LevelMover
from exactree.explain.counterfactual.number_actions import NumberMover
from exactree.explain.counterfactual.value_sets import Levels, Span
from exactree.mip import Kind, Mip, MipStatus, solve

Terms = dict[int, float]  # coefficients by column of the program


@dataclass(slots=True)
class Writer:
    """A program under construction, one column and one row at a time."""

    mip: Mip = field(default_factory=Mip)
    highs: list[float] = field(default_factory=list)

    def column(self, *, high: float, cost: float = 0.0, whole: bool = True, low: float = 0.0) -> int:
        """Add a column; by default a binary one if ``high`` is 1."""
        name = f"c{len(self.highs)}"
        kind = Kind.INTEGER if whole else Kind.CONTINUOUS
        found = self.mip.columns(name, 1, kind=kind, low=low, high=high, cost=cost)
        self.highs.append(max(abs(low), abs(high)))
        return int(found[0])

    def row(self, terms: Terms, *, at_least: float = -inf, at_most: float = inf) -> None:
        """Add a row; one without columns that does not hold makes the program infeasible all the same."""
        places, values = np.array([list(terms)], dtype=np.int64), np.array([list(terms.values())])
        if not terms:
            places, values = np.array([[self.column(high=0.0)]]), np.ones((1, 1))
        self.mip.family(f"r{self.mip.n_rows}", [(values, places)], at_least=at_least, at_most=at_most)

    def size(self, terms: Terms) -> float:
        """Return how far a sum can be from zero."""
        return sum(abs(factor) * self.highs[column] for column, factor in terms.items())


@dataclass(frozen=True, slots=True)
class Tied:
    """One column of the row in the program: its value is ``now`` plus ``terms`` unless it is missing."""

    now: Any  # 0 if it is missing now
    terms: Terms
    rises: Terms  # adds up to 1 if the value goes up
    missing: Terms  # with ``missing_now``: adds up to 1 if there is no value
    missing_now: int
    changed: Terms  # adds up to 1 if the value changes
    read: Callable[[Any], Move]  # from the values of the program's columns
    takes: Mapping[int, int] = field(default_factory=dict)  # category: the binary column of each code


def tied_number(
    program: Writer, mover: NumberMover, inside: Span, value: Any, far: float, *, nudge: float = 0.0
) -> Tied:
    """Write a column of numbers; ``far`` is as far as it may go if nothing else keeps it.

    ``nudge`` is what a unit costs beyond its price, so that of values that cost the same the nearest is taken.
    """
    now = 0 if isnan(value) else value
    far = ceil(far) if isinstance(now, int) else far  # as floats, neighbours beyond 2**53 would be one
    low = max(inside.low, mover.reach.low, now - far)
    high = min(inside.high, mover.reach.high, now + far)
    if isnan(value):
        return _filled(program, mover, inside, low, high)
    whole, price = mover.rounds(value == floor(value)), mover.price
    terms, rises, options = Terms(), Terms(), Terms()
    ways = ((mover.up, 1.0, low - value, high - value), (mover.down, -1.0, value - high, value - low))
    for allowed, sign, nearest, farthest in ways:
        if whole:  # with fractions as bounds of whole columns HiGHS has been seen to call a wrong answer optimal
            nearest, farthest = ceil(nearest), floor(farthest)
        if not allowed or farthest <= 0 or nearest > farthest:
            continue
        goes = program.column(high=1.0, cost=price.per_change)
        distance = program.column(high=float(farthest), cost=price.per_unit + nudge, whole=whole)
        program.row({distance: 1.0, goes: -float(farthest)}, at_most=0.0)
        program.row({distance: 1.0, goes: -float(max(nearest, 0))}, at_least=0.0)
        terms[distance], options[goes] = sign, 1.0
        if sign > 0:
            rises[goes] = 1.0
    gone = Terms()
    if inside.missing and mover.reach.missing:
        gone = {program.column(high=1.0, cost=price.switch): 1.0}
    program.row(options | gone, at_least=0.0 if value in inside else 1.0, at_most=1.0)

    def read(values: Any) -> Move:
        if any(values[column] > 0.5 for column in gone):
            return Move(nan, price.switch, changes=True)
        change = sum(sign * values[column] for column, sign in terms.items())
        change = round(change) if whole else change
        new = value + change if any(values[column] > 0.5 for column in options) else value
        return Move(new, mover.cost_of(new, value) if new != value else 0.0, changes=bool(new != value))

    return Tied(value, terms, rises, gone, 0, options | gone, read)


def _filled(program: Writer, mover: NumberMover, inside: Span, low: Any, high: Any) -> Tied:
    """Write a column of numbers whose value is missing now."""
    terms, missing = Terms(), Terms()
    whole = mover.rounds(True)
    if whole:
        low, high = ceil(low), floor(high)
    if mover.fill and low <= high:
        filled = program.column(high=1.0, cost=mover.price.switch)
        number = program.column(low=min(low, 0), high=max(high, 0), whole=whole)
        program.row({number: 1.0, filled: -float(high)}, at_most=0.0)
        program.row({number: 1.0, filled: -float(low)}, at_least=0.0)
        terms, missing = {number: 1.0}, {filled: -1.0}
    if not inside.missing:
        program.row(dict.fromkeys(missing, 1.0), at_least=1.0)

    def read(values: Any) -> Move:
        if not any(values[column] > 0.5 for column in missing):
            return Move(nan, 0.0, changes=False)
        new = float(values[next(iter(terms))])
        return Move(float(round(new)) if whole else new, mover.price.switch, changes=True)

    return Tied(0, terms, Terms(), missing, 1, dict.fromkeys(missing, 1.0), read)


def tied_levels(program: Writer, mover: LevelMover, inside: Levels, value: int) -> Tied:
    """Write an ordered category by its codes."""
    prices = mover.prices[value + FIRST]
    codes = [code for code in sorted(inside.codes) if np.isfinite(prices[code + FIRST])]
    takes = {code: program.column(high=1.0, cost=float(prices[code + FIRST])) for code in codes}
    program.row(dict.fromkeys(takes.values(), 1.0), at_least=1.0, at_most=1.0)

    def read(values: Any) -> Move:
        code = max(takes, key=lambda c: values[takes[c]])
        return Move(code, float(prices[code + FIRST]), changes=code != value)

    return Tied(
        now=0,
        terms={column: float(code) for code, column in takes.items() if code >= 0},
        rises={column: 1.0 for code, column in takes.items() if code > value >= 0},
        missing={column: 1.0 for code, column in takes.items() if code < 0},
        missing_now=0,
        changed={column: 1.0 for code, column in takes.items() if code != value},
        read=read,
        takes=takes,
    )


def solved(program: Writer, tied: Mapping[int, Tied]) -> tuple[dict[int, Move], bool] | None:
    """Return the moves of the tied columns and whether they are proved best; None if there are none."""
    answer = solve(program.mip.program(), backend="highs")
    if answer.values is None:
        return None
    moves = {column: part.read(answer.values) for column, part in tied.items()}
    return {j: move for j, move in moves.items() if move.changes}, answer.status is MipStatus.OPTIMAL
