"""The nearest answer costs as little as the cheapest of all rows, on random trees and diagrams over small grids."""

from dataclasses import dataclass
from itertools import product
from math import isnan, sqrt

import numpy as np
import pytest

from exactree.explain import counterfactuals
from exactree.table import CATEGORICAL_KINDS, Kind

SEEDS = range(240)


@dataclass(frozen=True)
class Limits:
    fixed: tuple = ()
    only_up: tuple = ()
    only_down: tuple = ()
    ranges: tuple = ()  # pairs of a name and the values allowed, as the model reads them

    def parameters(self, schema):
        columns = {c.name: c for c in schema.columns}
        return {
            "fixed": list(self.fixed),
            "only_up": list(self.only_up),
            "only_down": list(self.only_down),
            "ranges": {name: own_range(columns[name], allowed) for name, allowed in self.ranges},
        }


def own_range(column, allowed):
    if column.kind in CATEGORICAL_KINDS:
        return [column.levels[code] for code in allowed]
    if column.kind is Kind.BOOLEAN:
        return [bool(value) for value in allowed]
    return (min(allowed), max(allowed))


def is_missing(column, value):
    return value == -1 if column.kind in CATEGORICAL_KINDS else isnan(value)


def may_go(column, old, new, limits, seen):
    """Whether one value may become another, by the words of the documentation."""
    name = column.name
    if old == new or (is_missing(column, old) and is_missing(column, new)):
        return True
    if name in limits.fixed:
        return False
    if is_missing(column, new):
        return bool(seen) and name not in (*limits.only_up, *limits.only_down, *dict(limits.ranges))
    allowed = dict(limits.ranges).get(name)
    if allowed is not None and not min(allowed) <= new <= max(allowed):
        return False
    if allowed is not None and column.kind in CATEGORICAL_KINDS and new not in allowed:
        return False
    if is_missing(column, old) or (column.kind in CATEGORICAL_KINDS and old < 0):
        return True
    return not (name in limits.only_up and new < old) and not (name in limits.only_down and new > old)


def changed(column, old, new):
    return not (old == new or (is_missing(column, old) and is_missing(column, new)))


def rarity(share, n_rows):
    share = min(max(share, 0.5 / n_rows), 1 - 0.5 / n_rows)
    return 1 / (1.48 * sqrt(share * (1 - share)))


def price_by_spread(case, j, old, new):
    column, values = case.graph.schema.columns[j], case.table.columns[j].values
    missing = case.table.columns[j].missing
    n_rows = len(values)
    nowhere = is_missing(column, old) or (
        column.kind in CATEGORICAL_KINDS and old < 0
    )  # an unknown level has no place either
    if is_missing(column, new) or (nowhere and column.kind is not Kind.CATEGORY):
        return rarity(missing.mean(), n_rows)
    if column.kind is Kind.CATEGORY:
        return rarity((values == new).mean(), n_rows)
    known = np.array([float(value - values[~missing][0]) for value in values[~missing].tolist()])
    spread = float(np.median(np.abs(known - np.median(known)))) or 1.48 * known.std() or 1.0
    return abs(new - old) / spread


def price_by_unit(case, j, old, new):
    column = case.graph.schema.columns[j]
    price = j + 0.5
    if (
        column.kind is Kind.CATEGORY
        or is_missing(column, old)
        or is_missing(column, new)
        or (old < 0 and column.kind in CATEGORICAL_KINDS)
    ):
        return price
    return price * abs(new - old)


PRICES = {"changes": lambda case, j, old, new: 1.0, "mad": price_by_spread, "mapping": price_by_unit}


def cheapest(case, row, wanted, limits, price, make_table):
    """Cost and rows of the cheapest row with a wanted label, by trying all; None if there is none."""
    columns = case.graph.schema.columns
    options = [
        [
            v
            for v in dict.fromkeys([row[j], *case.values[j]])
            if may_go(c, row[j], v, limits, case.graph.missing_seen[j])
        ]
        for j, c in enumerate(columns)
    ]
    rows = list(product(*options))
    labels = case.graph.predict(make_table(case.graph.schema, rows))
    costs = [
        sum(price(case, j, row[j], new[j]) for j, c in enumerate(columns) if changed(c, row[j], new[j])) for new in rows
    ]
    usable = [(cost, new) for cost, new, label in zip(costs, rows, labels, strict=True) if wanted[label]]
    return min((cost for cost, _ in usable), default=None)


def own(column, value):
    """A value as a caller would write it."""
    if is_missing(column, value):
        return None
    if column.kind in CATEGORICAL_KINDS:
        return "purple" if value < 0 else column.levels[value]
    return bool(value) if column.kind is Kind.BOOLEAN else value


def random_limits(rng, case):
    columns = case.graph.schema.columns
    names = [c.name for c in columns]
    orderly = [c.name for c in columns if c.kind is not Kind.CATEGORY]
    some = lambda pool: tuple(name for name in pool if rng.random() < 0.2)  # noqa: E731
    ranges = []
    for j, column in enumerate(columns):
        if rng.random() < 0.2:
            present = [v for v in case.values[j] if not is_missing(column, v)]
            low, high = sorted(rng.integers(0, len(present), 2).tolist())
            ranges.append((column.name, tuple(present[low : high + 1])))
    return Limits(some(names), some(orderly), some(orderly), tuple(ranges))


def random_row(rng, case):
    row = [case.values[j][int(rng.integers(len(case.values[j])))] for j in range(len(case.values))]
    for j, column in enumerate(case.graph.schema.columns):
        if column.kind in CATEGORICAL_KINDS and rng.random() < 0.1:
            row[j] = -2  # a level that the model does not know
    return tuple(row)


@pytest.mark.each("seed", SEEDS)
@pytest.mark.parametrize("name", PRICES)
def test_no_row_is_cheaper(case, make_table, seed, name):
    made, rng = case(seed), np.random.default_rng([seed, len(name)])
    schema = made.graph.schema
    costs = {c.name: j + 0.5 for j, c in enumerate(schema.columns)} if name == "mapping" else name
    for limits in (Limits(), random_limits(rng, made)):
        row = random_row(rng, made)
        given = {c.name: own(c, value) for c, value in zip(schema.columns, row, strict=True)}
        now = int(made.graph.predict(make_table(schema, [row]))[0])
        wanted = np.arange(3) != now
        best = cheapest(made, row, wanted, limits, PRICES[name], make_table)
        found = counterfactuals(made.graph, given, costs=costs, data=made.table, **limits.parameters(schema))
        assert (best is None) == (len(found) == 0)
        if best is not None:
            assert found[0].cost == pytest.approx(best, rel=1e-9)
            check_answers(made, found, limits, row, wanted, make_table)


def check_answers(made, found, limits, row, wanted, make_table):
    columns = made.graph.schema.columns
    assert [answer.cost for answer in found] == sorted(answer.cost for answer in found)
    sets = [frozenset(change.column for change in answer.changes) for answer in found]
    assert not any(a <= b for i, a in enumerate(sets) for b in sets[i + 1 :])
    for answer in found:
        new = tuple(
            row[j] if answer.row[c.name] == own(c, row[j]) else coded(c, answer.row[c.name])
            for j, c in enumerate(columns)
        )
        assert all(may_go(c, row[j], new[j], limits, made.graph.missing_seen[j]) for j, c in enumerate(columns))
        assert wanted[made.graph.predict(make_table(made.graph.schema, [new]))[0]]
        assert {c.name for j, c in enumerate(columns) if changed(c, row[j], new[j])} == {
            c.column for c in answer.changes
        }
        assert answer.proved


def coded(column, value):
    if column.kind in CATEGORICAL_KINDS:
        return -1 if value is None else column.levels.index(value)
    return np.nan if value is None else value


@pytest.mark.each("seed", range(120))
def test_every_row_is_beaten_by_an_answer(case, make_table, seed):
    """With as many answers as there are, each row with another label has the changes of one that costs no more."""
    made, rng = case(seed), np.random.default_rng(seed)
    row, columns = random_row(rng, made), made.graph.schema.columns
    given = {c.name: own(c, value) for c, value in zip(columns, row, strict=True)}
    column_costs = {c.name: j + 0.5 for j, c in enumerate(columns)}
    found = counterfactuals(made.graph, given, k=99, costs=column_costs, data=made.table)
    answers = [(frozenset(change.column for change in answer.changes), answer.cost) for answer in found]
    options = [
        [
            v
            for v in dict.fromkeys([row[j], *made.values[j]])
            if may_go(c, row[j], v, Limits(), made.graph.missing_seen[j])
        ]
        for j, c in enumerate(columns)
    ]
    rows = list(product(*options))
    labels, now = (
        made.graph.predict(make_table(made.graph.schema, rows)),
        made.graph.predict(make_table(made.graph.schema, [row])),
    )
    for new in (new for new, label in zip(rows, labels, strict=True) if label != now[0]):
        moved = [j for j, c in enumerate(columns) if changed(c, row[j], new[j])]
        cost = sum(price_by_unit(made, j, row[j], new[j]) for j in moved)
        names = {columns[j].name for j in moved}
        assert any(some <= names and least <= cost + 1e-9 for some, least in answers)


@pytest.mark.each("seed", range(80))
def test_a_table_gives_what_its_rows_give(case, seed):
    made = case(seed)
    rng = np.random.default_rng(seed)
    limits = random_limits(rng, made).parameters(made.graph.schema)
    columns = made.graph.schema.columns
    rows = [{c.name: own(c, value) for c, value in zip(columns, random_row(rng, made), strict=True)} for _ in range(7)]
    for data, costs in ((made.table, "mad"), (None, "changes")):
        together = counterfactuals(made.graph, rows, data=data, costs=costs, **limits)
        apart = [counterfactuals(made.graph, row, data=data, costs=costs, **limits) for row in rows]
        assert together == apart
