"""For each column that matters: what may change of it, to which values, and at what price."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from exactree.explain.counterfactual.action import Mover
from exactree.explain.counterfactual.actionability import Freedom
from exactree.explain.counterfactual.level_actions import LevelMover, level_mover
from exactree.explain.counterfactual.number_actions import NumberMover
from exactree.explain.counterfactual.price import Price, prices
from exactree.explain.counterfactual.value_sets import Levels, Span, every_value
from exactree.model import Graph
from exactree.table import MISSING_CODE, Kind, Table, Test


def movers(
    graph: Graph, freedom: Freedom, costs: Any, data: Table | None, more: frozenset[int] = frozenset()
) -> dict[int, Mover]:
    """Return the movers of all columns that the graph or a rule asks about, and of some more, by number."""
    columns = graph.schema.columns
    used = (
        asked_columns(graph)
        | more
        | {j for j, c in enumerate(columns) for rule in freedom.rules if c.name in rule.names}
    )
    free = sorted(j for j in used if columns[j].name not in freedom.fixed)
    priced = prices(columns, free, costs, data)
    found: dict[int, Mover] = {}
    for j in sorted(used):
        coded = columns[j].kind in (Kind.CATEGORY, Kind.ORDERED)
        price = priced.get(j, Price(per_level=(0.0,) * len(columns[j].levels)))
        mover = (_level_mover if coded else _number_mover)(graph, j, freedom, price, data)
        # Where a model reads a column too, thresholds between whole numbers do not say that it holds no others.
        found[j] = replace(mover, seems_whole=False) if isinstance(mover, NumberMover) and j in more else mover
    return found


def asked_columns(graph: Graph) -> set[int]:
    """Columns that a graph asks about, alone or in sums."""
    alone = set(graph.column[graph.column >= 0].tolist())
    return alone | (set(np.flatnonzero(graph.factors.any(axis=0)).tolist()) if graph.is_linear else set())


def _level_mover(graph: Graph, j: int, freedom: Freedom, price: Price, data: Table | None) -> LevelMover:
    column = graph.schema.columns[j]
    ways = _ways(graph, j, freedom)
    allowed = freedom.ranges.get(column.name, Levels(frozenset(range(len(column.levels)))))
    assert isinstance(allowed, Levels)
    codes = allowed.codes | ({MISSING_CODE} if ways["to_missing"] else set())
    fixed = column.name in freedom.fixed
    counts = [0] * len(column.levels)
    if data is not None:
        counts = [int((data.columns[j].values == code).sum()) for code in range(len(counts))]
    return level_mover(
        price,
        len(column.levels),
        ordered=column.kind is Kind.ORDERED,
        allowed=Levels(frozenset() if fixed else frozenset(codes)),
        up=ways["up"],
        down=ways["down"],
        counts=counts,
    )


def _number_mover(graph: Graph, j: int, freedom: Freedom, price: Price, data: Table | None) -> NumberMover:
    column = graph.schema.columns[j]
    ways = _ways(graph, j, freedom)
    reach = freedom.ranges.get(column.name, every_value(column))
    assert isinstance(reach, Span)
    middle: float | int = 0
    observed, whole = None, column.kind in (Kind.INTEGER, Kind.BOOLEAN)
    if data is not None and not data.columns[j].missing.all():
        present = np.sort(data.columns[j].values[~data.columns[j].missing])
        observed, middle = np.unique(present), present[(len(present) - 1) // 2].item()
        whole = whole or bool((observed == np.floor(observed)).all())
    cuts = graph.threshold[(graph.column == j) & (graph.test == Test.AT_MOST)]
    cuts = cuts[np.isfinite(cuts)]
    halves = len(cuts) > 0 and bool((2 * cuts == np.floor(2 * cuts)).all())  # as lie between whole numbers
    summed = graph.is_linear and bool(graph.factors[:, j].any())
    return NumberMover(
        price=price,
        reach=Span(reach.low, reach.high, ways["to_missing"]),
        observed=observed,
        middle=middle,
        up=ways["up"],
        down=ways["down"],
        fill=ways["fill"],
        whole=whole,
        seems_whole=observed is None and halves and not summed,
        scale=float(np.abs(cuts).max(initial=0.0)) or 1.0,
    )


def _ways(graph: Graph, j: int, freedom: Freedom) -> Mapping[str, bool]:
    """Which ways a column may go; becoming missing is neither up nor down, and in no range."""
    name = graph.schema.columns[j].name
    free = name not in freedom.fixed
    up, down = free and name not in freedom.only_down, free and name not in freedom.only_up
    away = up and down and name not in freedom.ranges and bool(graph.missing_seen[j])
    return {"up": up, "down": down, "fill": free, "to_missing": away}
