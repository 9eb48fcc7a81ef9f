"""The nearest row of a leaf's box that the network of the leaf answers as wanted.

A program needs ends for every number. Where neither box nor limits give any, a value is looked for near by first. What
is found there costs something, and no change that is dearer need be looked for: that gives the ends of a second
program, in which the nearest one is found and proved.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.explain.counterfactual.action import Move, Mover
from exactree.explain.counterfactual.leaf_regions import Box, values_of
from exactree.explain.counterfactual.level_actions import FIRST, LevelMover
from exactree.explain.counterfactual.mip import Terms, Tied, Writer, tied_levels, tied_number
from exactree.explain.counterfactual.number_actions import NumberMover
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.repair import DIGITS, FAR, Settler
from exactree.explain.counterfactual.value_sets import LARGEST, LARGEST_INTEGER, Levels, Span, Values
from exactree.explain.network.mip import Input, readable, write_network
from exactree.explain.network.network import Network
from exactree.mip import MipOptions, MipStatus, solve

MARGINS = (1e-4, 1e-3, 1e-2)  # by which an output must beat the others: tried in turn until the model itself agrees
NEAR = 1.0  # times the largest distance around: where to look first
SAME = 1e-6  # relative: costs nearer than this are the same to a foreign solver
READABLE = 1e-4  # relative: what numbers of few digits may cost more
NEAR_END = 1e-3  # relative: how far from a threshold a number of few digits may lie


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one box: the nearest row, if one was found, and what none can cost less than; inf: there is none."""

    candidate: Candidate | None
    bound: float


@dataclass(frozen=True, slots=True)
class _Solved:
    moves: Mapping[int, Move] | None
    bound: float


@dataclass(frozen=True, slots=True, eq=False)
class NetSolver:
    """What is the same for all boxes: the model, what may change, and how answers are checked."""

    settler: Settler
    networks: Mapping[int, Network]  # by leaf
    says: Callable[[Candidate], int | None]  # the label of a row so changed; None if it ends in another leaf

    def floor(self, box: Box, row: Row) -> float:
        """Return what it costs at least to bring a row into a box; inf if it may not go there."""
        values = self.values(box)
        return sum((least_cost(self._mover(j), values[j], row(j)) for j in values), start=0.0)

    def nearest(
        self,
        box: Box,
        row: Row,
        wanted: NDArray[np.bool_],
        patterns: Sequence[frozenset[int]],
        *,
        limit: float = inf,
        deadline: float | None = None,
    ) -> Outcome:
        """Find the nearest row of a box with a wanted label that changes none of some sets of columns all at once.

        What costs more than the limit is of no interest; if there is nothing else, the limit is the bound.
        """
        task = _Task(self, box, row, wanted, tuple(patterns), limit, deadline)
        first: _Solved | None = None
        for margin in MARGINS:
            found = task.solved(margin)
            first = first or found
            if found.moves is None:
                break
            for moves in task.worded(found.moves):
                candidate = Candidate(box, {j: move for j, move in moves.items() if move.changes}, accuracy=-1.0)
                label = self._label(candidate, row, wanted)
                if label is not None:
                    proved = candidate.cost <= first.bound * (1 + SAME + READABLE) + SAME
                    return Outcome(replace(candidate, label=label, proved=proved), min(first.bound, candidate.cost))
        assert first is not None
        return Outcome(None, first.bound)

    def _label(self, candidate: Candidate, row: Row, wanted: NDArray[np.bool_]) -> int | None:
        """Return what the model says of a changed row, if it is wanted and the row keeps to its box and the rules."""
        if not self.settler.fits(candidate, row):
            return None
        label = self.says(candidate)
        return label if label is not None and wanted[label] else None

    def _mover(self, j: int) -> Mover:
        return self.settler.movers[j]

    def values(self, box: Box) -> dict[int, Values]:
        """Return what the columns that matter may be in a box."""
        network = self.networks[box.node]
        columns = {*network.readings, *box.values, *self.settler.tied_columns(Candidate(box, {}, -1.0))}
        found = {j: values_of(self.settler.graph, box, j) for j in sorted(columns)}
        return {j: readable(network.readings[j], v) if j in network.readings else v for j, v in found.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """One row and one box."""

    solver: NetSolver
    box: Box
    row: Row
    wanted: NDArray[np.bool_]
    patterns: tuple[frozenset[int], ...]
    limit: float
    deadline: float | None

    def solved(self, margin: float) -> _Solved:
        """Look near by, then as far as what was found there makes worth while."""
        sizes = self._sizes()
        near = {j: min(NEAR * size, self._worth(j, self.limit)) for j, size in sizes.items()}
        found = self._within(near, margin)
        cost = self.limit if found.moves is None else sum(move.cost for move in found.moves.values())
        far = {j: min(FAR * size, self._worth(j, cost)) for j, size in sizes.items()}
        if all(far[j] <= near[j] for j in far) or cost <= self._least_change():
            return found
        farther = self._within({j: max(far[j], near[j]) for j in far}, margin)
        if farther.moves is None and found.moves is not None:  # time is up, or noise: what was found stands
            return _Solved(found.moves, min(farther.bound, cost))
        return farther

    def _worth(self, j: int, cost: float) -> float:
        """How far a number may go before that alone costs more."""
        mover = self.solver.settler.movers[j]
        assert isinstance(mover, NumberMover)
        if isnan(self.row(j)) or mover.price.per_unit == 0:
            return inf
        return cost * (1 + SAME) / mover.price.per_unit

    def _least_change(self) -> float:
        """What any change costs at least; the row as it is will not do."""
        return min((self._least_change_of(j) for j in self.solver.values(self.box)), default=0.0)

    def _least_change_of(self, j: int) -> float:
        mover = self.solver.settler.movers[j]
        if isinstance(mover, NumberMover):
            return 0.0 if mover.price.per_unit > 0 else min(mover.price.per_change, mover.price.switch)
        assert isinstance(mover, LevelMover)
        return float(np.delete(mover.prices[self.row(j) + FIRST], self.row(j) + FIRST).min(initial=inf))

    def _sizes(self) -> dict[int, float]:
        """Sizes of the distances that numbers may have to go: to ends, data, and what the network takes for usual."""
        network, settler = self.solver.networks[self.box.node], self.solver.settler
        shared = list(settler.sizes(Candidate(self.box, {}, -1.0), [], self.row))
        found, steps = dict[int, float](), dict[int, float]()
        for j, values in self.solver.values(self.box).items():
            mover = settler.movers[j]
            if not isinstance(mover, NumberMover) or not isinstance(values, Span):
                continue
            ends: list[Any] = [values.low, values.high, mover.reach.low, mover.reach.high, mover.scale, -mover.scale]
            if mover.observed is not None:
                ends += [mover.observed[0].item(), mover.observed[-1].item()]
            if j in network.readings:
                ends.append(network.readings[j].middle)
                steps[j] = network.readings[j].step
            here = 0 if isnan(self.row(j)) else self.row(j)
            known = [float(abs(end - here)) for end in ends if abs(end) < LARGEST and abs(end) < LARGEST_INTEGER]
            found[j] = max([steps.get(j, 1.0), *known, *shared])
        # What one column has done another may have to undo: in steps of the network all may go equally far.
        most = max((found[j] / steps[j] for j in steps), default=0.0)
        return {j: max(size, most * steps.get(j, 0.0)) for j, size in found.items()}

    def _within(self, far: Mapping[int, float], margin: float) -> _Solved:
        """Write and solve the program in which numbers go no farther than this."""
        program, inputs, draws = Writer(), dict[int, Input](), Terms()
        for j, values in self.solver.values(self.box).items():
            inputs[j] = self._input(program, j, values, far.get(j, 0.0), draws)
        network, settler = self.solver.networks[self.box.node], self.solver.settler
        tied = {j: part.tied for j, part in inputs.items()}
        write_network(program, network, inputs, self.wanted, margin)
        settler.tie(program, tied, Candidate(self.box, {}, -1.0), self.row, margin)
        for pattern in self.patterns:
            self._forbid(program, tied, pattern)
        return self._run(program, tied, draws)

    def _input(self, program: Writer, j: int, values: Values, far: float, draws: Terms) -> Input:
        mover, value = self.solver.settler.movers[j], self.row(j)
        if isinstance(mover, LevelMover) and isinstance(values, Levels):
            return Input(tied_levels(program, mover, values, value), 0.0, -1.0, missing=False)
        assert isinstance(mover, NumberMover)
        assert isinstance(values, Span)
        tied = tied_number(program, mover, values, value, far)
        low, high = reached(mover, values, value, far)
        if isnan(value):
            _draw_to_usual(program, mover, tied, values, (low, high), draws)
        elif mover.price.per_unit == 0 and far > 0:
            draws |= dict.fromkeys(tied.terms, 1 / far)
        gone = values.missing and (mover.reach.missing or isnan(value))
        return Input(tied, low, high, missing=gone)

    def _forbid(self, program: Writer, tied: Mapping[int, Tied], pattern: Iterable[int]) -> None:
        # of these columns at least one stays as it is
        changed = [tied[j].changed for j in pattern if j in tied]
        if len(changed) == len(set(pattern)):  # else one of them never changes here
            terms = {column: 1.0 for part in changed for column in part}
            program.row(terms, at_most=len(changed) - 1.0)

    def _run(self, program: Writer, tied: Mapping[int, Tied], draws: Terms) -> _Solved:
        whole = program.mip.program()
        answer = solve(whole, backend="highs", options=MipOptions(seconds=self._seconds(), cutoff=self.limit))
        if answer.status is MipStatus.INTERRUPTED:  # the layer takes Ctrl-C for itself; here there is nothing to keep
            raise KeyboardInterrupt
        if answer.values is None:
            return _Solved(None, self.limit if answer.status is MipStatus.INFEASIBLE else max(answer.bound, 0.0))
        proved = answer.status is MipStatus.OPTIMAL
        values = answer.values
        if draws:  # of all that cost the same, the one that is nearest
            costly = {c: float(whole.cost[c]) for c in np.flatnonzero(whole.cost).tolist()}
            program.row(costly, at_most=answer.objective + SAME * max(1.0, answer.objective))
            cost = np.zeros(whole.n_columns)
            cost[list(draws)] = list(draws.values())
            nearer = solve(
                replace(program.mip.program(), cost=cost, start=values),
                backend="highs",
                options=MipOptions(seconds=self._seconds()),
            )
            values = values if nearer.values is None else nearer.values
        moves = {j: part.read(values) for j, part in tied.items()}
        cost_of_all = sum(move.cost for move in moves.values())
        return _Solved(moves, cost_of_all if proved else max(answer.bound, 0.0))

    def _seconds(self) -> float | None:
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)

    def worded(self, moves: Mapping[int, Move]) -> Iterator[dict[int, Move]]:
        """Return the same changes with numbers that people can read, then as the program has them."""
        values = self.solver.values(self.box)
        exact = {j: self._moved(j, values[j], move, move.value) for j, move in moves.items()}
        dearest = sum(move.cost for move in exact.values()) * (1 + READABLE)
        for attempt in (self._usual, self._rounded, self._rounded_away):
            some = {j: self._moved(j, values[j], move, attempt(j, values[j], move)) for j, move in exact.items()}
            if sum(move.cost for move in some.values()) <= dearest:
                yield some
        yield exact

    def _moved(self, j: int, values: Values, move: Move, value: Any) -> Move:
        """Return the move of a number to a value, kept within its ends: a solver's noise may lie beyond them."""
        mover, old = self.solver.settler.movers[j], self.row(j)
        if not isinstance(mover, NumberMover) or not isinstance(values, Span) or not move.changes or isnan(value):
            return move
        low, high = max(values.low, mover.reach.low), min(values.high, mover.reach.high)
        new = min(max(value, low), high)
        return Move(new, mover.cost_of(new, old) if new != old else 0.0, changes=bool(new != old))

    def _usual(self, j: int, values: Values, move: Move) -> Any:
        """Return the value to which a tree would move it, if it is as near, else one of few digits."""
        mover = self.solver.settler.movers[j]
        usual = None
        if isinstance(mover, NumberMover) and isinstance(values, Span):
            usual = mover.move(values.present(), self.row(j))
        if usual is None or not usual.changes or isnan(usual.value):
            return self._rounded(j, values, move)
        near = abs(usual.value - move.value) <= NEAR_END * max(abs(move.value), 1e-300)
        return usual.value if near or isnan(self.row(j)) else self._rounded(j, values, move)

    def _rounded(self, j: int, values: Values, move: Move) -> Any:
        value = move.value
        return float(f"{value:.{DIGITS}g}") if isinstance(value, float) and isfinite(value) else value

    def _rounded_away(self, j: int, values: Values, move: Move) -> Any:
        """Return a number of few digits on the far side, where the network says the same more surely."""
        value, near = move.value, self._rounded(j, values, move)
        if not isinstance(value, float) or not isfinite(value) or isnan(self.row(j)):
            return value
        short = abs(near - self.row(j)) < abs(value - self.row(j))
        unit = 10.0 ** (floor(np.log10(abs(value))) - DIGITS + 1) if value else 0.0
        return float(f"{near + unit * np.sign(value - self.row(j)):.{DIGITS}g}") if short else near


def _draw_to_usual(
    program: Writer, mover: NumberMover, tied: Tied, values: Span, ends: tuple[float, float], draws: Terms
) -> None:
    # away >= number - usual * filled, away >= usual * filled - number
    usual = mover.move(values.present(), np.nan)
    if usual is None or not tied.terms:
        return
    number, filled = next(iter(tied.terms)), next(iter(tied.missing))
    width = max(ends[1] - ends[0], 1e-300)
    away = program.column(high=2 * max(map(abs, (*ends, usual.value))), whole=False)
    for sign in (1.0, -1.0):
        program.row({away: 1.0, number: -sign, filled: sign * usual.value}, at_least=0.0)
    draws[away] = 1 / width


def reached(mover: NumberMover, inside: Span, value: Any, far: float) -> tuple[float, float]:
    """Return the ends of the numbers that a value may become; the first above the second if there are none."""
    low, high = max(inside.low, mover.reach.low), min(inside.high, mover.reach.high)
    if isnan(value):
        return (max(low, -far), min(high, far)) if mover.fill else (0.0, -1.0)
    low = max(low, value - ceil(far)) if mover.down else max(low, value)
    high = min(high, value + ceil(far)) if mover.up else min(high, value)
    stays = value in inside
    return float(min(low, value) if stays else low), float(max(high, value) if stays else high)


def least_cost(mover: Mover, inside: Values, value: Any) -> float:
    """Return what it costs at least that a value goes into a set, whether the number there can be read or not.

    Examples
    --------
    >>> from exactree.explain.counterfactual.price import Price
    >>> anywhere = Span(-LARGEST, LARGEST, missing=False)
    >>> mover = NumberMover(
    ...     Price(per_unit=2.0), anywhere, observed=None, middle=0.0, up=True, down=False, fill=True, whole=False,
    ...     seems_whole=False, scale=1.0,
    ... )
    >>> least_cost(mover, Span(3.5, 9.0, missing=False), 1.0), least_cost(mover, Span(0.0, 0.5, missing=False), 1.0)
    (5.0, inf)
    """
    if value in inside:
        return 0.0
    if isinstance(mover, LevelMover) and isinstance(inside, Levels):
        return min((float(mover.prices[value + FIRST, code + FIRST]) for code in inside.codes), default=inf)
    assert isinstance(mover, NumberMover)
    assert isinstance(inside, Span)
    low, high = max(inside.low, mover.reach.low), min(inside.high, mover.reach.high)
    best = mover.price.switch if inside.missing and mover.reach.missing and not isnan(value) else inf
    if low > high:
        return best
    if isnan(value):
        return min(best, mover.price.switch) if mover.fill else best
    if mover.rounds(value == floor(value)):
        low, high = ceil(low) if abs(low) < LARGEST else low, floor(high) if abs(high) < LARGEST else high
    target = low if value < inside.low else high
    allowed = mover.up if value < inside.low else mover.down
    return min(best, mover.cost_of(target, value)) if allowed else best
