"""A network as a MIP: its outputs as linear expressions, and constraints that make a target class win.

=========  ===============================================================================
in code    meaning
=========  ===============================================================================
h          input of a unit: a linear expression with bounds ``low`` and ``high``
y          output of a ReLU, if the sign of h is not fixed
on         binary: h is above 0
chosen     binary, one per target class: its output exceeds those of all other classes
=========  ===============================================================================

Bounds on h are propagated layer by layer from the values that the table's columns may take. A unit whose sign they fix
needs no binary; the others have big-M constraints with these bounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.explain.counterfactual.mip import ColumnVariables, MipBuilder, Terms
from exactree.explain.counterfactual.value_sets import Interval, LevelSet, ValueSet
from exactree.explain.network.network import ColumnWeights, Layer, Network


@dataclass(frozen=True, slots=True)
class LinearExpression:
    """A linear expression over columns of the MIP, with bounds."""

    constant: float
    terms: Terms
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class NetworkInput:
    """One table column as input of a network."""

    variables: ColumnVariables
    low: float  # bounds on its number; low above high if it can only be missing
    high: float
    missing: bool  # whether it may be missing


def accepted_values(weights: ColumnWeights, values: ValueSet) -> ValueSet:
    """Return the part of some values that a model accepts."""
    if isinstance(values, Interval):
        return values if weights.takes_missing else values.present()
    assert weights.levels is not None
    known = {code for code in range(len(weights.levels)) if not np.isnan(weights.levels[code]).any()}
    return LevelSet(frozenset(c for c in values.codes if (weights.takes_missing if c < 0 else c in known)))


def add_network(
    builder: MipBuilder, network: Network, inputs: Mapping[int, NetworkInput], wanted: Bools, margin: float
) -> None:
    """Add a network, and the constraint that a target class exceeds all others by a margin."""
    sums = _first_layer(network, inputs)
    for at, layer in enumerate(network.layers):
        if at > 0:
            sums = _later_layer(layer, sums)
        if layer.relu:
            sums = [_relu(builder, h) for h in sums]
    targets = np.flatnonzero(wanted[network.labels]).tolist()
    others = np.flatnonzero(~wanted[network.labels]).tolist()
    _add_target_class(builder, [sums[o] for o in targets], [sums[o] for o in others], margin)


def _first_layer(network: Network, inputs: Mapping[int, NetworkInput]) -> list[LinearExpression]:
    """Return the inputs of the units of the first layer."""
    bias = network.layers[0].bias
    low, high, constant = bias.copy(), bias.copy(), bias.copy()
    factors: dict[int, Floats] = {}
    for j, weights in network.column_weights.items():
        part, (least, most) = inputs[j], _contribution_bounds(weights, inputs[j])
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
    # slope * (now + terms) + intercept; if the value is missing: if_missing, and no terms
    here = weights.slope * float(variables.now) + weights.intercept
    gone = weights.if_missing - here if variables.missing or variables.missing_now else np.zeros_like(here)
    for column, sign in variables.terms.items():
        factors[column] = sign * weights.slope
    for column, sign in variables.missing.items():
        factors[column] = sign * gone
    return np.asarray(here + variables.missing_now * gone)


def _contribution_bounds(weights: ColumnWeights, part: NetworkInput) -> tuple[Floats, Floats]:
    """Return bounds on what a column adds to each unit."""
    if weights.levels is not None:
        some = [weights.if_missing if code < 0 else weights.levels[code] for code in part.variables.level_binaries]
    else:
        some = [weights.slope * end + weights.intercept for end in (part.low, part.high) if part.low <= part.high]
        some += [weights.if_missing] if part.missing else []
    if not some:  # infeasible, by another constraint
        return np.zeros_like(weights.slope), np.zeros_like(weights.slope)
    return np.min(some, axis=0), np.max(some, axis=0)


def _later_layer(layer: Layer, inputs: Sequence[LinearExpression]) -> list[LinearExpression]:
    """Return the inputs of the units of a later layer."""
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
    above = {column: -coefficient for column, coefficient in h.terms.items()} | {y: 1.0}
    builder.row(above, at_least=h.constant)  # y >= h
    builder.row(above | {on: -h.low}, at_most=h.constant - h.low)  # y <= h - low (1 - on)
    builder.row({y: 1.0, on: -h.high}, at_most=0.0)  # y <= high on
    return LinearExpression(0.0, {y: 1.0}, 0.0, h.high)


def _add_target_class(
    builder: MipBuilder, targets: Sequence[LinearExpression], others: Sequence[LinearExpression], margin: float
) -> None:
    # target - other >= margin for all others, for the only target class or for one that is chosen
    if not others:
        return
    chosen = [builder.column(high=1.0) for _ in targets] if len(targets) > 1 else []
    if len(targets) != 1:
        builder.row(dict.fromkeys(chosen, 1.0), at_least=1.0)
    for at, f in enumerate(targets):
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
