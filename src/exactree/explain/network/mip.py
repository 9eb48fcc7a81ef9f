"""A network in a program: its outputs as sums of columns, and rows that ask for a wanted class.

=========  ===============================================================================
in code    meaning
=========  ===============================================================================
h          what goes into a unit: a sum of columns, between ``low`` and ``high`` for sure
y          what comes out of a ReLU, where the sign of h is not known
on         binary: h is above 0
chosen     binary, one per wanted class: its output is above those of all unwanted ones
=========  ===============================================================================

The ends of h come from the values that the columns of the table may take, layer by layer. A unit whose sign they tell
needs no binary; the others have big-M rows with these ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.explain.counterfactual.mip import Terms, Tied, Writer
from exactree.explain.counterfactual.value_sets import Levels, Span, Values
from exactree.explain.network.network import Layer, Network, Reading

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of columns of the program, and the ends between which it lies."""

    constant: float
    terms: Terms
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Input:
    """One column of the table in the program."""

    tied: Tied
    low: float  # the lowest and the highest number it may be; low above high if it can only be missing
    high: float
    missing: bool  # whether it may be missing


def readable(reading: Reading, values: Values) -> Values:
    """Return the part of some values that a model does not refuse."""
    if isinstance(values, Span):
        return values if reading.takes_missing else values.present()
    assert reading.levels is not None
    known = {code for code in range(len(reading.levels)) if not np.isnan(reading.levels[code]).any()}
    return Levels(frozenset(c for c in values.codes if (reading.takes_missing if c < 0 else c in known)))


def write_network(
    program: Writer, network: Network, inputs: Mapping[int, Input], wanted: NDArray[np.bool_], margin: float
) -> None:
    """Write a network, and that one of its wanted classes beats all others by a margin."""
    sums = _first(network, inputs)
    for at, layer in enumerate(network.layers):
        if at > 0:
            sums = _next(layer, sums)
        if layer.relu:
            sums = [_bent(program, h) for h in sums]
    mine = np.flatnonzero(wanted[network.labels]).tolist()
    others = np.flatnonzero(~wanted[network.labels]).tolist()
    _write_choice(program, [sums[o] for o in mine], [sums[o] for o in others], margin)


def _first(network: Network, inputs: Mapping[int, Input]) -> list[Sum]:
    """Return what goes into the units of the first layer."""
    bias = network.layers[0].bias
    low, high, constant = bias.copy(), bias.copy(), bias.copy()
    factors: dict[int, Floats] = {}
    for j, reading in network.readings.items():
        part, (least, most) = inputs[j], _ends(reading, inputs[j])
        low, high = low + least, high + most
        if reading.levels is None:
            constant = constant + _write_number(part.tied, reading, factors)
        else:
            for code, column in part.tied.takes.items():
                factors[column] = reading.absent if code < 0 else reading.levels[code]
    return [
        Sum(
            float(constant[u]), {c: float(f[u]) for c, f in factors.items() if f[u] != 0}, float(low[u]), float(high[u])
        )
        for u in range(len(bias))
    ]


def _write_number(tied: Tied, reading: Reading, factors: dict[int, Floats]) -> Floats:
    # slope * (now + terms) + shift, and where there is no value, absent in place of what slope and shift make of now
    here = reading.slope * float(tied.now) + reading.shift
    gone = reading.absent - here if tied.missing or tied.missing_now else np.zeros_like(here)
    for column, sign in tied.terms.items():
        factors[column] = sign * reading.slope
    for column, sign in tied.missing.items():
        factors[column] = sign * gone
    return np.asarray(here + tied.missing_now * gone)


def _ends(reading: Reading, part: Input) -> tuple[Floats, Floats]:
    """Return the least and the most that a column adds to each unit."""
    if reading.levels is not None:
        some = [reading.absent if code < 0 else reading.levels[code] for code in part.tied.takes]
    else:
        some = [reading.slope * end + reading.shift for end in (part.low, part.high) if part.low <= part.high]
        some += [reading.absent] if part.missing else []
    if not some:  # nothing is allowed, and the program says so elsewhere
        return np.zeros_like(reading.slope), np.zeros_like(reading.slope)
    return np.min(some, axis=0), np.max(some, axis=0)


def _next(layer: Layer, inputs: Sequence[Sum]) -> list[Sum]:
    """Return what goes into the units of a later layer."""
    found = []
    for u in range(len(layer.bias)):
        weights = layer.weights[:, u].tolist()
        constant = low = high = float(layer.bias[u])
        terms = Terms()
        for weight, y in zip(weights, inputs, strict=True):
            constant += weight * y.constant
            low += min(weight * y.low, weight * y.high)
            high += max(weight * y.low, weight * y.high)
            for column, factor in y.terms.items():
                terms[column] = terms.get(column, 0.0) + weight * factor
        found.append(Sum(constant, terms, low, high))
    return found


def _bent(program: Writer, h: Sum) -> Sum:
    """Return max(h, 0)."""
    if h.high <= 0:
        return Sum(0.0, {}, 0.0, 0.0)
    if h.low >= 0:
        return h
    on = program.column(high=1.0)
    y = program.column(high=h.high, whole=False)
    beyond = {column: -factor for column, factor in h.terms.items()} | {y: 1.0}
    program.row(beyond, at_least=h.constant)  # y >= h
    program.row(beyond | {on: -h.low}, at_most=h.constant - h.low)  # y <= h - low (1 - on)
    program.row({y: 1.0, on: -h.high}, at_most=0.0)  # y <= high on
    return Sum(0.0, {y: 1.0}, 0.0, h.high)


def _write_choice(program: Writer, mine: Sequence[Sum], others: Sequence[Sum], margin: float) -> None:
    # mine - other >= margin for all others: of the only wanted class, or of one that is chosen
    if not others:
        return
    chosen = [program.column(high=1.0) for _ in mine] if len(mine) > 1 else []
    if len(mine) != 1:
        program.row(dict.fromkeys(chosen, 1.0), at_least=1.0)
    for at, f in enumerate(mine):
        for other in others:
            terms: dict[int, Any] = dict(f.terms)
            for column, factor in other.terms.items():
                terms[column] = terms.get(column, 0.0) - factor
            least = margin - f.constant + other.constant
            slack = max(margin - (f.low - other.high), 0.0)
            if chosen:
                terms[chosen[at]] = -slack
                least -= slack
            program.row(terms, at_least=least)
