"""The action sets of all columns that decide a counterfactual."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from exactree.explain.counterfactual.action import ActionSet
from exactree.explain.counterfactual.actionability import Actionability
from exactree.explain.counterfactual.costs import ColumnCost, column_costs
from exactree.explain.counterfactual.level_actions import LevelActionSet, level_action_set
from exactree.explain.counterfactual.number_actions import NumberActionSet
from exactree.explain.counterfactual.value_sets import Interval, LevelSet, domain_of
from exactree.model import Graph
from exactree.table import CATEGORICAL_KINDS, MISSING_CODE, Kind, Table, Test


def build_action_sets(
    graph: Graph,
    actionability: Actionability,
    costs: Any,
    data: Table | None,
    more: Mapping[int, Sequence[float] | None] | None = None,
) -> dict[int, ActionSet]:
    """Return the action sets of the columns that splits or rules read, by column number.

    ``more`` are columns that leaf models read, with the thresholds there; None if they compare with no thresholds.
    """
    more = {} if more is None else more
    columns = graph.schema.columns
    used = (
        columns_in_splits(graph)
        | more.keys()
        | {j for j, c in enumerate(columns) for rule in actionability.rules if c.name in rule.names}
    )
    free = sorted(j for j in used if columns[j].name not in actionability.fixed)
    costs_of = column_costs(columns, free, costs, data)
    found: dict[int, ActionSet] = {}
    for j in sorted(used):
        cost = costs_of.get(j, ColumnCost(per_level=(0.0,) * len(columns[j].levels)))
        if columns[j].kind in CATEGORICAL_KINDS:
            found[j] = _level_action_set(graph, j, actionability, cost, data)
        else:
            found[j] = _number_action_set(graph, j, actionability, cost, data, more.get(j, ()))
    return found


def columns_in_splits(graph: Graph) -> set[int]:
    """Return the columns that splits of a graph read, alone or in linear combinations."""
    alone = set(graph.column[graph.column >= 0].tolist())
    return alone | (set(np.flatnonzero(graph.factors.any(axis=0)).tolist()) if graph.is_linear else set())


def _level_action_set(
    graph: Graph, j: int, actionability: Actionability, cost: ColumnCost, data: Table | None
) -> LevelActionSet:
    column = graph.schema.columns[j]
    directions = _directions(graph, j, actionability)
    allowed = actionability.ranges.get(column.name, LevelSet(frozenset(range(len(column.levels)))))
    assert isinstance(allowed, LevelSet)
    codes = allowed.codes | ({MISSING_CODE} if directions["to_missing"] else set())
    fixed = column.name in actionability.fixed
    counts = [0] * len(column.levels)
    if data is not None:
        counts = [int((data.columns[j].values == code).sum()) for code in range(len(counts))]
    return level_action_set(
        cost,
        len(column.levels),
        ordered=column.kind is Kind.ORDERED,
        allowed=LevelSet(frozenset() if fixed else frozenset(codes)),
        up=directions["up"],
        down=directions["down"],
        counts=counts,
    )


def _number_action_set(
    graph: Graph,
    j: int,
    actionability: Actionability,
    cost: ColumnCost,
    data: Table | None,
    further: Sequence[float] | None,
) -> NumberActionSet:
    column = graph.schema.columns[j]
    directions = _directions(graph, j, actionability)
    feasible = actionability.ranges.get(column.name, domain_of(column))
    assert isinstance(feasible, Interval)
    typical: float | int = 0
    observed, integer = None, column.kind in (Kind.INTEGER, Kind.BOOLEAN)
    if data is not None and not data.columns[j].missing.all():
        present = np.sort(data.columns[j].values[~data.columns[j].missing])
        observed, typical = np.unique(present), present[(len(present) - 1) // 2].item()
        integer = integer or bool((observed == np.floor(observed)).all())
    cuts = graph.threshold[(graph.column == j) & (graph.test == Test.AT_MOST)]
    cuts = cuts[np.isfinite(cuts)]
    thresholds = None if further is None else [*cuts.tolist(), *further]
    # Halfway between integers, or on them.
    halves = thresholds is not None and len(thresholds) > 0 and all(2 * cut == np.floor(2 * cut) for cut in thresholds)
    summed = graph.is_linear and bool(graph.factors[:, j].any())
    return NumberActionSet(
        column_cost=cost,
        feasible=Interval(feasible.low, feasible.high, directions["to_missing"]),
        observed=observed,
        typical=typical,
        up=directions["up"],
        down=directions["down"],
        can_fill=directions["fill"],
        integer=integer,
        seems_integer=observed is None and halves and not summed,
        scale=float(np.abs(cuts).max(initial=0.0)) or 1.0,
    )


def _directions(graph: Graph, j: int, actionability: Actionability) -> Mapping[str, bool]:
    """Return the directions in which a column may change; becoming missing is neither up nor down, and in no range."""
    name = graph.schema.columns[j].name
    free = name not in actionability.fixed
    up, down = free and name not in actionability.only_down, free and name not in actionability.only_up
    away = up and down and name not in actionability.ranges and bool(graph.missing_seen[j])
    return {"up": up, "down": down, "fill": free, "to_missing": away}
