"""Hybrid trees with random networks in their leaves: no row of a fine grid is nearer than what the MIPs find."""

import warnings
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.explain import counterfactuals

N_ROWS = 90
LEVELS = ("blue", "green", "red")
POINTS = {1: 401, 2: 81, 3: 25}  # of the grid in each column of numbers, by the number of columns
RANGE = (-2.0, 2.0)
SURE = 2e-4  # points of the grid whose classes are nearer than this are left out: answers keep a margin of 1e-4


@dataclass(frozen=True)
class Made:
    hybrid: HybridTreeClassifier
    X: pd.DataFrame
    column_costs: dict
    kinds: tuple  # of each column: number, integer or level


def random_table(rng, kinds, *, gaps=False):
    columns = {}
    for j, kind in enumerate(kinds):
        if kind == "level":
            columns[f"c{j}"] = pd.Categorical(rng.choice(LEVELS, N_ROWS), categories=list(LEVELS))
        elif kind == "integer":
            columns[f"c{j}"] = rng.integers(-2, 3, N_ROWS).astype(float)
        else:
            columns[f"c{j}"] = rng.uniform(*RANGE, N_ROWS)
    X = pd.DataFrame(columns)
    return X.mask(rng.random(X.shape) < 0.15) if gaps else X


def random_hybrid(rng, X, n_classes, leaf_estimator):
    """Fitted for shape only; then the networks get random weights, so that their borders lie anywhere."""
    y = rng.integers(0, n_classes, len(X))
    tree = OptimalTreeClassifier(max_depth=int(rng.integers(1, 3)), min_samples_leaf=8)
    hybrid = HybridTreeClassifier(
        tree, leaf_estimator, min_rows=int(rng.choice([10, 30])), keep="always", random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if not any(hybrid.fit(X, y).leaf_models_.values()):  # then it would be a tree
            hybrid.set_params(min_rows=1).fit(X, y)
    for model in hybrid.leaf_models_.values():
        inner = None if model is None else model[-1] if hasattr(model, "steps") else model
        if isinstance(inner, MLPClassifier):
            inner.coefs_ = [rng.normal(0, 1.5, w.shape) for w in inner.coefs_]
            inner.intercepts_ = [rng.normal(0, 1.0, b.shape) for b in inner.intercepts_]
        elif inner is not None:
            inner.coef_ = rng.normal(0, 1.5, inner.coef_.shape)
            inner.intercept_ = rng.normal(0, 1.0, inner.intercept_.shape)
    return hybrid


def random_estimator(rng, seed):
    hidden = tuple(int(n) for n in rng.integers(2, 6, int(rng.integers(1, 3))))
    network = MLPClassifier(hidden, activation="identity" if seed % 7 == 3 else "relu", max_iter=1)
    return LogisticRegression(max_iter=5) if seed % 9 == 4 else network


def made_by(seed, kinds=None, *, gaps=False):
    rng = np.random.default_rng(seed)
    kinds = kinds or ("number",) * (1 + seed % 3)
    X = random_table(rng, kinds, gaps=gaps)
    estimator = random_estimator(rng, seed)
    if seed % 5 == 2 and "level" not in kinds and not gaps:
        scaler = StandardScaler() if seed % 2 else MinMaxScaler()
        estimator = make_pipeline(scaler, estimator)
    hybrid = random_hybrid(rng, X, int(rng.integers(2, 4)), estimator)
    column_costs = {name: float(rng.choice([0.5, 1.0, 3.0])) for name in X.columns}
    return rng, Made(hybrid, X, column_costs, tuple(kinds))


def grid(made, row, limits):
    """All rows that the limits allow, by the words of the documentation, and what they cost."""
    options = []
    n_numbers = sum(kind == "number" for kind in made.kinds)
    for name, kind in zip(made.X.columns, made.kinds, strict=True):
        old = row[name]
        if kind == "level":
            values = list(LEVELS)
        elif kind == "integer":
            values = [float(v) for v in range(int(RANGE[0]), int(RANGE[1]) + 1)]
        else:
            values = np.linspace(*RANGE, POINTS[n_numbers]).tolist()
        if not pd.isna(old):
            values = [v for v in values if name not in limits["only_up"] or v >= old]
            values = [v for v in values if name not in limits["only_down"] or v <= old]
        if kind == "level" and made.X[name].isna().any():  # ranges forbid it to numbers
            values.append(np.nan)
        options.append([old] if name in limits["fixed"] else [old, *(v for v in values if v != old)])
    rows = pd.DataFrame(list(product(*options)), columns=made.X.columns)
    return rows, sum(cost_of(made, name, row[name], rows[name]) for name in rows.columns)


def cost_of(made, name, old, new):
    """A cost per unit; per change for levels, and where a value comes or goes."""
    kind = made.kinds[list(made.X.columns).index(name)]
    if kind == "level" or pd.isna(old):
        return made.column_costs[name] * differs(new, old)
    return made.column_costs[name] * abs(new - old)


def differs(new, old):
    return pd.notna(new) if pd.isna(old) else new != old


def sure(hybrid, rows):
    """Where the best class beats the second by a margin; a leaf without a model is always sure."""
    with np.errstate(divide="ignore"):
        ordered = np.sort(np.log(hybrid.predict_proba(rows)), axis=1)
    modelled = np.isin(hybrid.apply(rows), [n for n, model in hybrid.leaf_models_.items() if model is not None])
    return ~modelled | (ordered[:, -1] - ordered[:, -2] > SURE)


def random_limits(rng, made, limited):
    names = list(made.X.columns)
    orderly = [name for name, kind in zip(names, made.kinds, strict=True) if kind != "level"]
    some = lambda pool, share: [name for name in pool if limited and rng.random() < share]  # noqa: E731
    return {"fixed": some(names, 0.25), "only_up": some(orderly, 0.3), "only_down": some(orderly, 0.2)}


def check(rng, made, limits, *, bounded=True):
    row = dict(made.X.astype(object).iloc[int(rng.integers(N_ROWS))].items())
    now = made.hybrid.predict(pd.DataFrame([row]).astype(made.X.dtypes))[0]
    numbers = [name for name, kind in zip(made.X.columns, made.kinds, strict=True) if kind != "level"]
    ranges = dict.fromkeys(numbers, RANGE) if bounded else {}
    found = counterfactuals(
        made.hybrid, row, costs=made.column_costs, data=made.X, ranges=ranges, time_limit=None, **limits
    )
    rows, costs = grid(made, row, limits)
    typed = rows.astype(made.X.dtypes)
    wanted = (made.hybrid.predict(typed) != now) & sure(made.hybrid, typed)
    best = costs[wanted].min() if wanted.any() else None
    assert found.label == now
    assert len(found) or best is None
    for answer in found:
        check_answer(made, row, now, limits, answer)
        assert all(RANGE[0] <= change.new <= RANGE[1] for change in answer.changes if change.column in ranges)
    if best is None:
        return
    assert found[0].cost <= best * (1 + 2e-4) + 1e-6
    changed = pd.DataFrame({name: differs(rows.loc[wanted, name], row[name]) for name in rows.columns})
    dominated = np.zeros(len(changed), dtype=bool)
    for answer in found:
        dominated |= changed[[change.column for change in answer.changes]].all(axis=1).to_numpy()
    assert dominated.all() or len(found) == 3
    assert (costs[wanted][~dominated] >= found[-1].cost * (1 - 2e-4) - 1e-6).all()


def check_answer(made, row, now, limits, answer):
    after = pd.DataFrame([answer.row], columns=made.X.columns).astype(made.X.dtypes)
    assert made.hybrid.predict(after)[0] == answer.label != now
    assert made.hybrid.apply(after)[0] == answer.leaf.node
    assert answer.proved
    total = 0.0
    for change in answer.changes:
        kind = made.kinds[list(made.X.columns).index(change.column)]
        old, new = row[change.column], np.nan if change.new is None else change.new
        assert change.old is None if pd.isna(old) else change.old == old
        assert differs(new, old)
        assert change.column not in limits["fixed"]
        if kind != "level":
            assert not (change.column in limits["only_up"] and change.new < old)
            assert not (change.column in limits["only_down"] and change.new > old)
        assert kind != "integer" or change.new == round(change.new)
        assert change.cost == pytest.approx(cost_of(made, change.column, old, new))
        total += change.cost
    assert answer.cost == pytest.approx(total)


@pytest.mark.each("seed", range(72))
def test_no_row_of_a_grid_is_nearer(seed):
    rng, made = made_by(seed)
    check(rng, made, random_limits(rng, made, limited=bool(seed % 2)))


KINDS = [("level", "number"), ("integer", "number"), ("level", "integer"), ("integer", "level", "number"), ("level",)]


@pytest.mark.each("kinds", KINDS)
@pytest.mark.each("seed", range(200, 205))
def test_integers_stay_integers_and_levels_are_levels(seed, kinds):
    rng, made = made_by(seed, kinds)
    check(rng, made, random_limits(rng, made, limited=bool(seed % 2)))


@pytest.mark.parametrize(
    "kinds", [("number",), ("integer", "number"), ("level", "number"), ("level", "integer")], ids="-".join
)
@pytest.mark.each("seed", range(300, 305))
def test_values_come_and_go(seed, kinds):
    rng, made = made_by(seed, kinds, gaps=True)
    check(rng, made, random_limits(rng, made, limited=bool(seed % 2)))


@pytest.mark.each("seed", range(400, 418))
def test_numbers_without_ends(seed):
    rng, made = made_by(seed)
    check(rng, made, random_limits(rng, made, limited=bool(seed % 2)), bounded=False)
