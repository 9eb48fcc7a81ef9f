"""A network in a builder: its outputs as sums of columns, and rows that ask for a wanted class.

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

from exactree.explain.counterfactual.mip import ColumnVariables, MipBuilder, Terms
from exactree.explain.counterfactual.value_sets import Interval, LevelSet, ValueSet
from exactree.explain.network.network import ColumnWeights, Layer, Network

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearExpression:
    """A sum of columns of the builder, and the ends between which it lies."""

    constant: float
    terms: Terms
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class NetworkInput:
    """One column of the table in the builder."""

    variables: ColumnVariables
    low: float  # the lowest and the highest number it may be; low above high if it can only be missing
    high: float
    missing: bool  # whether it may be missing


def accepted_values(weights: ColumnWeights, values: ValueSet) -> ValueSet:
    """Return the part of some values that a model does not refuse."""
    if isinstance(values, Interval):
        return values if weights.takes_missing else values.present()
    assert weights.levels is not None
    known = {code for code in range(len(weights.levels)) if not np.isnan(weights.levels[code]).any()}
    return LevelSet(frozenset(c for c in values.codes if (weights.takes_missing if c < 0 else c in known)))


def add_network(
    builder: MipBuilder, network: Network, inputs: Mapping[int, NetworkInput], wanted: NDArray[np.bool_], margin: float
) -> None:
    """Write a network, and that one of its wanted classes beats all others by a margin."""
    sums = _first_layer(network, inputs)
    for at, layer in enumerate(network.layers):
        if at > 0:
            sums = _later_layer(layer, sums)
        if layer.relu:
            sums = [_relu(builder, h) for h in sums]
    mine = np.flatnonzero(wanted[network.labels]).tolist()
    others = np.flatnonzero(~wanted[network.labels]).tolist()
    _add_target_class(builder, [sums[o] for o in mine], [sums[o] for o in others], margin)


def _first_layer(network: Network, inputs: Mapping[int, NetworkInput]) -> list[LinearExpression]:
    """Return what goes into the units of the first layer."""
    bias = network.layers[0].bias
    low, high, constant = bias.copy(), bias.copy(), bias.copy()
    factors: dict[int, Floats] = {}
    for j, weights in network.column_weights.items():
        part, (least, most) = inputs[j], _ends(weights, inputs[j])
        low, high = low + least, high + most
        if weights.levels is None:
            constant = constant + _number_terms(part.variables, weights, factors)
        else:
            for code, column in part.variables.level_binaries.items():
                factors[column] = weights.if_missing if code < 0 else weights.levels[code]
    return [
        LinearExpression(
            float(constant[u]), {c: float(f[u]) for c, f in factors.items() if f[u] != 0}, float(low[u]), float(high[u])
        )
        for u in range(len(bias))
    ]


def _number_terms(variables: ColumnVariables, weights: ColumnWeights, factors: dict[int, Floats]) -> Floats:
    # slope * (now + terms) + intercept, and where there is no value, if_missing in place of what slope and intercept make of now
    here = weights.slope * float(variables.now) + weights.intercept
    gone = weights.if_missing - here if variables.missing or variables.missing_now else np.zeros_like(here)
    for column, sign in variables.terms.items():
        factors[column] = sign * weights.slope
    for column, sign in variables.missing.items():
        factors[column] = sign * gone
    return np.asarray(here + variables.missing_now * gone)


def _ends(weights: ColumnWeights, part: NetworkInput) -> tuple[Floats, Floats]:
    """Return the least and the most that a column adds to each unit."""
    if weights.levels is not None:
        some = [weights.if_missing if code < 0 else weights.levels[code] for code in part.variables.level_binaries]
    else:
        some = [weights.slope * end + weights.intercept for end in (part.low, part.high) if part.low <= part.high]
        some += [weights.if_missing] if part.missing else []
    if not some:  # nothing is allowed, and the builder says so elsewhere
        return np.zeros_like(weights.slope), np.zeros_like(weights.slope)
    return np.min(some, axis=0), np.max(some, axis=0)


def _later_layer(layer: Layer, inputs: Sequence[LinearExpression]) -> list[LinearExpression]:
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
            for column, coefficient in y.terms.items():
                terms[column] = terms.get(column, 0.0) + weight * coefficient
        found.append(LinearExpression(constant, terms, low, high))
    return found


def _relu(builder: MipBuilder, h: LinearExpression) -> LinearExpression:
    """Return max(h, 0)."""
    if h.high <= 0:
        return LinearExpression(0.0, {}, 0.0, 0.0)
    if h.low >= 0:
        return h
    on = builder.column(high=1.0)
    y = builder.column(high=h.high, integer=False)
    child_region = {column: -coefficient for column, coefficient in h.terms.items()} | {y: 1.0}
    builder.row(child_region, at_least=h.constant)  # y >= h
    builder.row(child_region | {on: -h.low}, at_most=h.constant - h.low)  # y <= h - low (1 - on)
    builder.row({y: 1.0, on: -h.high}, at_most=0.0)  # y <= high on
    return LinearExpression(0.0, {y: 1.0}, 0.0, h.high)


def _add_target_class(
    builder: MipBuilder, mine: Sequence[LinearExpression], others: Sequence[LinearExpression], margin: float
) -> None:
    # mine - other >= margin for all others: of the only wanted class, or of one that is chosen
    if not others:
        return
    chosen = [builder.column(high=1.0) for _ in mine] if len(mine) > 1 else []
    if len(mine) != 1:
        builder.row(dict.fromkeys(chosen, 1.0), at_least=1.0)
    for at, f in enumerate(mine):
        for other in others:
            terms: dict[int, Any] = dict(f.terms)
            for column, coefficient in other.terms.items():
                terms[column] = terms.get(column, 0.0) - coefficient
            least = margin - f.constant + other.constant
            slack = max(margin - (f.low - other.high), 0.0)
            if chosen:
                terms[chosen[at]] = -slack
                least -= slack
            builder.row(terms, at_least=least)
