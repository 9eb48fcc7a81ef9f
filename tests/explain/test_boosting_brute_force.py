"""Hybrid trees with boosting in their leaves: every cell of the grid of thresholds is tried."""

from itertools import product
from math import inf, isnan

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.explain import counterfactuals

N_ROWS = 70
LEVELS = ("blue", "green", "red")


def estimators(seed):
    few = {"max_iter": 4, "max_leaf_nodes": 4, "min_samples_leaf": 4, "random_state": 0}
    return [
        HistGradientBoostingClassifier(**few),
        HistGradientBoostingClassifier(**few),
        GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0),
        RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        ExtraTreesClassifier(n_estimators=3, max_depth=2, random_state=0),
        GridSearchCV(HistGradientBoostingClassifier(**few), {"max_depth": [2]}, cv=2),
    ][seed % 7]


def made_by(seed, *, gaps=False):
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["number", "integer", "level"], int(rng.integers(1, 4)))
    columns = {}
    for j, kind in enumerate(kinds):
        if kind == "level":
            columns[f"c{j}"] = pd.Categorical(rng.choice(LEVELS, N_ROWS), categories=list(LEVELS))
        else:
            columns[f"c{j}"] = rng.integers(-4, 5, N_ROWS) * (1.0 if kind == "integer" else 0.37)
    X = pd.DataFrame(columns)
    if gaps:
        X = X.mask(rng.random(X.shape) < 0.15)
    y = rng.integers(0, int(rng.integers(2, 4)), N_ROWS)
    y[:3] = [0, 1, y.max()]
    tree = OptimalTreeClassifier(max_depth=int(rng.integers(0, 3)), min_samples_leaf=8)
    hybrid = HybridTreeClassifier(tree, estimators(seed), min_rows=10, keep="always", random_state=0).fit(X, y)
    costs = {name: float(rng.choice([0.5, 1.0, 3.0])) for name in X.columns}
    return rng, hybrid, X, costs, kinds


def values_of_column(X, name, kind, old):
    """Values that a column may take, by the documentation: with data, the observed ones."""
    observed = list(LEVELS) if kind == "level" else sorted(X[name].dropna().unique().tolist())
    return [*observed, *([None] if X[name].isna().any() else []), *([] if old in observed else [old])]


def price(kind, old, new, cost):
    gone_old, gone_new = old is None or old != old, new is None or new != new
    if gone_old or gone_new:
        return 0.0 if gone_old and gone_new else cost
    if kind == "level":
        return 0.0 if old == new else cost
    return cost * abs(old - new)


def grid(X, row, kinds, costs, limits):
    options = []
    for name, kind in zip(X.columns, kinds, strict=True):
        old = row[name]
        values = values_of_column(X, name, kind, old)
        if name in limits["fixed"]:
            values = [old]
        elif name in limits["only_up"]:
            values = [v for v in values if v is not None and (old is None or v >= old)] or [old]
        if old is None and None not in values:
            values.append(None)
        options.append(values)
    rows = pd.DataFrame(list(product(*options)), columns=X.columns, dtype=object)
    total = sum(
        np.array([price(kind, row[name], new, costs[name]) for new in rows[name]])
        for name, kind in zip(X.columns, kinds, strict=True)
    )
    typed = pd.DataFrame(
        {
            name: pd.Categorical(rows[name], categories=list(LEVELS)) if kind == "level" else rows[name].astype(float)
            for name, kind in zip(X.columns, kinds, strict=True)
        }
    )
    return typed, total


def check(seed, *, gaps=False, with_data=True, time_limit=None, want=None):
    rng, hybrid, X, costs, kinds = made_by(seed, gaps=gaps)
    cells = X.astype(object).iloc[int(rng.integers(N_ROWS))]
    row = {name: None if pd.isna(value) else value for name, value in cells.items()}
    ordered = [name for name, kind in zip(X.columns, kinds, strict=True) if kind != "level"]
    limits = {
        "fixed": [name for name in X.columns if rng.random() < 0.2],
        "only_up": [name for name in ordered if rng.random() < 0.2],
    }
    found = counterfactuals(
        hybrid, row, want, costs=costs, data=X if with_data else None, time_limit=time_limit, **limits
    )
    rows, total = grid(X, row, kinds, costs, limits)
    labels = hybrid.predict(rows)
    wanted = np.isin(labels, found.wanted)
    best = total[wanted].min() if wanted.any() else inf
    for answer in found:
        after = rows.iloc[:0].copy()
        after.loc[0] = [np.nan if answer.row[name] is None else answer.row[name] for name in X.columns]
        after = pd.DataFrame({name: after[name].astype(rows[name].dtype) for name in X.columns})
        assert hybrid.predict(after)[0] == answer.label != found.label
        assert hybrid.apply(after)[0] == answer.leaf.node
        assert answer.cost == pytest.approx(
            sum(price(k, row[n], answer.row[n], costs[n]) for n, k in zip(X.columns, kinds, strict=True))
        )
        assert not {change.column for change in answer.changes} & set(limits["fixed"])
    return found, best, (rows, total, wanted, row)


@pytest.mark.each("seed", range(140))
def test_no_cell_is_nearer(seed):
    """Cells of the thresholds hold observed values, as thresholds lie between them."""
    found, best, (rows, total, wanted, row) = check(seed)
    if found.already:
        return
    assert all(answer.proved for answer in found)
    assert found.bound is None
    if seed % 7 == 5:  # random thresholds need not lie between observed values, nor hold one
        assert (found[0].cost if len(found) else inf) <= best + 1e-9
        return
    assert (found[0].cost if len(found) else inf) == pytest.approx(best)
    # The further ones are the nearest that change no superset of the columns of those before.
    old = {name: row[name] for name in rows.columns}
    changed = np.column_stack([rows[name].astype(object) != old[name] for name in rows.columns])
    names, free = list(rows.columns), wanted.copy()
    for answer in found:
        assert answer.cost == pytest.approx(total[free].min())
        mine = [names.index(change.column) for change in answer.changes]
        free &= ~changed[:, mine].all(axis=1)
    assert len(found) == 3 or not free.any()


@pytest.mark.each("seed", [seed for seed in range(200, 270) if seed % 7 < 5])
def test_missing_values(seed):
    found, best, _ = check(seed, gaps=True)
    if not found.already:
        assert (found[0].cost if len(found) else inf) == pytest.approx(best)
        assert all(answer.proved for answer in found)


@pytest.mark.each("seed", range(300, 340))
def test_unproved_is_never_nearer_than_the_truth(seed):
    """Out of time, answers come from known rows: their cost is an upper bound, and the bound is below the truth."""
    found, best, _ = check(seed, time_limit=0.02)
    if found.already or seed % 7 == 5:
        return
    for answer in found:
        assert answer.cost >= best - 1e-9
        if answer.proved and answer is found[0]:
            assert answer.cost == pytest.approx(best)
        assert answer.bound is None or answer.bound <= best + 1e-9
    assert found.bound is None or found.bound <= best + 1e-9 or len(found)


@pytest.mark.each("seed", range(400, 440))
def test_without_data_thresholds_decide(seed):
    """No row of the table is nearer, up to what numbers of few digits beyond a threshold cost."""
    found, best, (_, _, wanted, _) = check(seed, with_data=False)
    if not found.already and wanted.any():
        assert found[0].cost <= best + 1e-9
        assert all(answer.proved for answer in found)


@pytest.mark.each("seed", range(500, 520))
def test_scaled_features(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (N_ROWS, 2)) * 0.5
    y = rng.integers(0, 2, N_ROWS)
    inner = [HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=4), DecisionTreeClassifier(max_depth=3)][
        seed % 2
    ]
    hybrid = HybridTreeClassifier(
        OptimalTreeClassifier(max_depth=1, min_samples_leaf=8),
        make_pipeline(StandardScaler(), inner),
        min_rows=5,
        keep="always",
        random_state=0,
    ).fit(X, y)
    row, costs = X[0], {"x0": 1.0, "x1": 2.0}
    found = counterfactuals(hybrid, row, costs=costs, data=X)
    points = np.array(list(product(np.unique(X[:, 0]), np.unique(X[:, 1]))))
    wanted = hybrid.predict(points) != found.label
    total = np.abs(points - row) @ [1.0, 2.0]
    assert not isnan(total.min())
    assert (found[0].cost if len(found) else inf) == pytest.approx(total[wanted].min() if wanted.any() else inf)
    assert all(answer.proved for answer in found)
