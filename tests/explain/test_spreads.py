"""Distances without a table: fitted models, and those saved from them, remember how much each column varied."""

import copy
import pickle
from functools import cache
from io import BytesIO

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.neural_network import MLPClassifier

from exactree import HybridTreeClassifier, OptimalDiagramClassifier, OptimalTreeClassifier, pareto_front
from exactree.errors import InputError
from exactree.explain import Rises, counterfactuals
from exactree.explain.counterfactual.costs import column_costs
from exactree.explain.rows import graph_of
from exactree.model import Graph, dumps, loads, simplify
from exactree.solve import SOLVERS
from exactree.table import Table


@cache
def loans():
    """Numbers, integers, booleans, categories, ordered ones and gaps in most of them."""
    rng = np.random.default_rng(3)
    n_rows = 240
    X = pd.DataFrame(
        {
            "age": pd.Series(rng.integers(18, 80, n_rows).astype(float)).where(rng.random(n_rows) < 0.9),
            "income": np.round(rng.lognormal(1, 1, n_rows), 2),
            "loans": rng.integers(0, 4, n_rows) * (rng.random(n_rows) < 0.3),
            "owner": rng.random(n_rows) < 0.3,
            "city": pd.Series(rng.choice(["x", "y", "z"], n_rows, p=[0.7, 0.2, 0.1])).where(rng.random(n_rows) < 0.8),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n_rows), ["s", "m", "l"], ordered=True),
        }
    )
    score = X["age"].fillna(50) / 20 + X["income"] - X["loans"] + 2 * (X["city"] == "y") + rng.normal(size=n_rows)
    return X, np.where(score > score.median(), "good", "bad")


def tree_with(**options):
    X, y = loans()
    return OptimalTreeClassifier(max_depth=2, **options).fit(X, y)


def hybrid():
    X, y = loans()
    network = MLPClassifier((3,), max_iter=100, random_state=0)
    return HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), network, min_rows=20, keep="always").fit(X, y)


def diagram():
    X, y = loans()
    return OptimalDiagramClassifier(widths=(1, 2), thresholds="quantiles(4)").fit(X, y)


MODELS = {
    "tree": tree_with,
    "few thresholds": lambda: tree_with(thresholds="quantiles(3)"),
    "sampled thresholds": lambda: tree_with(thresholds="sampled"),
    "worst leaf": lambda: tree_with(objective="leaf_accuracy", thresholds="quantiles(4)"),
    "diagram": diagram,
    "hybrid": hybrid,
    "curve": lambda: pareto_front(*loans(), max_depth=2, thresholds="quantiles(4)")[0].tree,
}


def priced(model, data=None):
    """Prices of all columns."""
    schema = graph_of(model).schema if not hasattr(model, "leaf_models_") else model.tree_.schema
    table = None if data is None else Table.of(data).conform(schema)
    return column_costs(schema.columns, range(len(schema.columns)), "mad", table)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.each("make", MODELS.values())
def test_prices_are_those_of_the_training_table(make):
    model = make()
    assert priced(model) == priced(model, loans()[0])
    graph = graph_of(model) if not hasattr(model, "leaf_models_") else model.tree_
    assert priced(loads(dumps(graph))) == priced(model)


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.each("name", sorted(SOLVERS))
def test_every_solver_hands_the_spreads_on(name):
    X, y = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0], [4.0, 9.0]]), ["a", "a", "b", "b"]
    tree = OptimalTreeClassifier(max_depth=1, solver=name, time_limit=20.0)
    if name == "xct":
        tree.set_params(objective="leaf_accuracy", min_samples_leaf=1)
    assert priced(tree.fit(X, y)) == priced(tree, X)


def test_rows_of_weight_zero_were_not_there():
    X, y = loans()
    weight = np.arange(len(X)) % 2
    tree = OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    assert priced(tree) == priced(tree, X[weight > 0])
    assert priced(tree) != priced(tree, X)


def test_copies_remember():
    tree = tree_with()
    stored = BytesIO()
    joblib.dump(tree, stored)
    stored.seek(0)
    for copied in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), joblib.load(stored)):
        assert priced(copied) == priced(tree)
        assert copied.tree_.same_as(tree.tree_)
    assert priced(simplify(tree.tree_)) == priced(tree)
    assert priced(clone(tree).fit(*loans())) == priced(tree)


def test_a_warm_start_measures_anew():
    X, y = loans()
    tree = tree_with(warm_start=True)
    first = priced(tree)
    half = X.assign(income=X["income"] / 2)
    assert priced(tree.fit(half, y)) == priced(tree, half)
    assert priced(tree) != first


def test_a_graph_that_differs_in_spreads_only_is_the_same():
    graph = tree_with().tree_
    bare = Graph.of_nodes(Table.of(loans()[0]).schema, graph.classes, graph.nodes(), graph.missing_seen)
    assert bare.same_as(graph)
    assert bare.schema.columns[0].spread is None


def test_predicting_measures_nothing(monkeypatch):
    X, _ = loans()
    tree = tree_with()
    monkeypatch.setattr("exactree.table.spread.usual_step", pytest.fail)
    monkeypatch.setattr("exactree.encode.ranking.usual_step", pytest.fail)
    assert len(tree.predict(X)) == len(X)
    assert len(counterfactuals(tree, X[:2])) == 2


def test_costs_are_in_usual_steps_without_a_table():
    X = np.array([[10.0], [20.0], [30.0], [40.0], [50.0]])
    tree = OptimalTreeClassifier(max_depth=1).fit(X, ["a", "a", "a", "b", "b"])
    (answer,) = counterfactuals(tree, [10.0])
    assert answer.row == {"x0": 36.0}  # above the threshold of 35
    assert answer.cost == 2.6  # in steps of 10


def test_columns_that_only_a_rule_names_have_a_price():
    X, _ = loans()
    tree = OptimalTreeClassifier(max_depth=1).fit(X, np.where(X["income"] > 3, "good", "bad"))
    row = X[X["income"] < 3].iloc[0]
    answer = counterfactuals(tree, row, rules=[Rises("income", then="loans", by=1)])[0]
    assert {change.column for change in answer.changes} == {"income", "loans"}
    assert answer.cost == pytest.approx(sum(change.cost for change in answer.changes))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_networks_in_leaves_without_a_table():
    X, _ = loans()
    model = hybrid()
    for one in counterfactuals(model, X[:3], k=1):
        (answer,) = one.answers
        after = pd.DataFrame([answer.row]).astype(X.dtypes.drop("loans"))  # need not be integers without data
        assert model.predict(after)[0] == answer.label != one.label


def test_a_graph_without_spreads_says_what_to_do():
    X, _ = loans()
    tree = tree_with()
    bare = Graph.of_nodes(Table.of(X).schema, tree.classes_, tree.tree_.nodes(), tree.tree_.missing_seen)
    message = (
        r"costs='mad' needs the spread .* does not have: .*\. Give data=X, .*; or fit it again; or use costs='changes'"
    )
    with pytest.raises(InputError, match=message):
        counterfactuals(bare, X[:1])
    assert len(counterfactuals(bare, X[:1], data=X)) > 0
    assert len(counterfactuals(bare, X[:1], costs="changes")) > 0
