"""Counterfactuals of hybrid trees: what is answered, what is asked of the leaves, and what is said if time is short."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.errors import InputError
from exactree.explain import AtLeast, Rises, counterfactuals
from exactree.explain.network import leaf_solver
from exactree.mip import MipStatus, solve
from exactree.solve import OCT

NETWORK = MLPClassifier((6,), max_iter=150, random_state=0)


def fitted(X, y, leaf_estimator=NETWORK, depth=1, **options):
    hybrid = HybridTreeClassifier(
        OptimalTreeClassifier(max_depth=depth), leaf_estimator, random_state=0, **{"keep": "always"} | options
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return hybrid.fit(X, y)


def by_hand(coefficients, intercept, n_columns=2):
    """Two leaves, x0 <= 0 and above; on both sides a linear model that says 1 where its sum is above 0."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-4, 4, (400, n_columns))
    X[:, 0] = np.where(np.abs(X[:, 0]) < 0.1, 0.1, X[:, 0])
    X[0, 0] = -0.1  # the cut lies in the middle: at 0
    y = (rng.random(400) < np.where(X[:, 0] <= 0, 0.3, 0.7)).astype(int)
    hybrid = fitted(X, y, make_pipeline("passthrough", LogisticRegression()), prepare=None)
    for model in hybrid.leaf_models_.values():
        model[-1].coef_, model[-1].intercept_ = np.array([coefficients]), np.array([intercept])
    return hybrid, X


@pytest.fixture(scope="module")
def line():
    """1 is said where x0 + 2 x1 > 1."""
    return by_hand([1.0, 2.0], -1.0)


@pytest.fixture(scope="module")
def loans():
    """Numbers, truth values, categories with and without order, all with missing values."""
    rng, n_rows = np.random.default_rng(0), 240
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(18, 80, n_rows)),
            "owner": pd.array(rng.choice([True, False, None], n_rows, p=[0.5, 0.4, 0.1]), dtype="boolean"),
            "city": pd.Categorical(rng.choice(["Oslo", "Rome", "Bonn", None], n_rows, p=[0.3, 0.3, 0.3, 0.1])),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows), categories=["S", "M", "L"], ordered=True),
        }
    )
    risk = (X["age"].fillna(30) < 40) + (X["city"] == "Rome").astype(int) - X["size"].cat.codes / 2
    return X, np.where(risk + rng.normal(0, 0.5, n_rows) > 0.5, "bad", "good")


def changes_of(answer):
    return {change.column: change.new for change in answer.changes}


def test_the_nearest_point_of_a_half_plane(line):
    hybrid, _ = line
    found = counterfactuals(hybrid, [1.0, -1.0], costs={"x0": 1.0, "x1": 1.0})
    # x1 counts twice: to rise by 1 is enough, and a little more for the margin
    assert changes_of(found[0]) == {"x1": pytest.approx(0.0, abs=1e-3)}
    assert found[0].cost == pytest.approx(1.0, abs=1e-3)
    assert changes_of(found[1]) == {"x0": pytest.approx(3.0, abs=1e-3)}
    assert len(found) == 2  # whatever else changes, changes one of these
    assert (found.label, found[0].label, found[0].proved, found.bound) == (0, 1, True, None)


@pytest.mark.parametrize(("row", "n_leaves"), [([3.0, -1.5], 1), ([0.2, -1.5], 2)])
def test_a_leaf_that_is_too_far_away_is_not_solved(line, monkeypatch, row, n_leaves):
    asked, solve = [], leaf_solver.NetworkSolver.nearest

    def noted(self, region, *arguments, **options):
        asked.append(region.node)
        return solve(self, region, *arguments, **options)

    monkeypatch.setattr(leaf_solver.NetworkSolver, "nearest", noted)
    found = counterfactuals(line[0], row, costs={"x0": 1.0, "x1": 1.0}, k=1)
    assert found[0].cost < 2.0  # from 3.0 the way to the other leaf costs more than that, from 0.2 much less
    assert len(set(asked)) == n_leaves


def test_prices_turn_the_way(line):
    found = counterfactuals(line[0], [1.0, -1.0], costs={"x0": 1.0, "x1": 3.0}, k=1)
    assert changes_of(found[0]) == {"x0": pytest.approx(3.0, abs=1e-3)}
    assert len(found) == 1


def test_a_leaf_of_its_own_is_stopped_at_its_border():
    """What is said below 0 is said nowhere above: the answer lies on the border, as near as a tree would put it."""
    hybrid, _ = by_hand([0.0, 0.0], 1.0)
    left, right = sorted(hybrid.leaf_models_)
    hybrid.leaf_models_[right][-1].intercept_ = np.array([-1.0])
    found = counterfactuals(hybrid, [2.0, 0.0], costs={"x0": 1.0, "x1": 1.0})
    assert [(answer.leaf.node, changes_of(answer)) for answer in found] == [(left, {"x0": 0.0})]
    assert found[0].cost == 2.0
    there = counterfactuals(hybrid, [-2.0, 0.0], costs={"x0": 1.0, "x1": 1.0})
    assert 0 < there[0].row["x0"] < 1e-3
    assert len(str(there[0].row["x0"])) < 9  # a number that people can read


@pytest.mark.each(
    ("limits", "new"),
    [
        ({"fixed": ["x1"]}, {"x0": 3.0}),
        ({"only_down": ["x1"]}, {"x0": 3.0}),
        ({"only_up": ["x1"]}, {"x1": 0.0}),
        ({"ranges": {"x1": (-1.0, -0.5)}}, {"x1": -0.5, "x0": 2.0}),
        ({"ranges": {"x1": (-4.0, -2.0)}}, {"x0": 3.0}),
    ],
)
def test_limits(line, limits, new):
    found = counterfactuals(line[0], [1.0, -1.0], costs={"x0": 1.0, "x1": 1.0}, k=1, **limits)
    assert changes_of(found[0]) == {name: pytest.approx(value, abs=1e-3) for name, value in new.items()}


def test_rules(line):
    costs = {"x0": 1.0, "x1": 1.0}
    found = counterfactuals(line[0], [1.0, -1.0], costs=costs, k=1, rules=[Rises("x1", then="x0", by=0.5)])
    assert changes_of(found[0]) == {
        "x0": pytest.approx(1.5, abs=1e-3),
        "x1": pytest.approx(-0.25, abs=1e-3),
    }
    found = counterfactuals(line[0], [-3.0, -1.0], costs=costs, k=1, rules=[AtLeast("x0", "x1")])
    assert found[0].row["x0"] >= found[0].row["x1"]
    assert found[0].cost == pytest.approx(14 / 3, abs=2e-3)  # both meet at 1 / 3


def test_the_fewest_changes_are_small_ones(line):
    """Of values that cost the same the nearest is taken."""
    found = counterfactuals(line[0], [1.0, -1.0], costs="changes")
    assert [answer.cost for answer in found] == [1.0, 1.0]
    new = {name: value for answer in found for name, value in changes_of(answer).items()}
    assert new == {"x0": pytest.approx(3.0, abs=1e-3), "x1": pytest.approx(0.0, abs=1e-3)}


def test_what_only_far_away_is_said_is_found(line):
    found = counterfactuals(line[0], [1.0, -20.0], costs={"x0": 1.0, "x1": 1.0}, fixed=["x1"])
    assert changes_of(found[0]) == {"x0": pytest.approx(41.0, abs=1e-3)}


def test_whole_columns_stay_whole(line):
    hybrid, X = line
    data = np.round(X)
    found = counterfactuals(hybrid, [1.0, -1.0], costs={"x0": 1.0, "x1": 1.0}, data=data)
    assert changes_of(found[0]) == {"x1": 1.0} or changes_of(found[0]) == {"x0": 2.0, "x1": 0.0}
    assert found[0].cost == 2.0


def test_many_rows_and_rows_that_are_fine_already(line):
    found = counterfactuals(line[0], [[1.0, -1.0], [1.0, 3.0]], want=1, costs={"x0": 1.0, "x1": 1.0})
    assert [one.already for one in found] == [False, True]
    assert [len(one) for one in found] == [2, 0]


def test_leaves_and_their_models_are_what_the_answers_tell(loans):
    X, y = loans
    hybrid = fitted(X, y, depth=2, min_rows=30)
    scores = {score.node: score for score in hybrid.report_.leaves}
    for one in counterfactuals(hybrid, X[:3], data=X):
        for leaf in (one.source, *(answer.leaf for answer in one)):
            assert (leaf.rows, leaf.accuracy) == (scores[leaf.node].rows, scores[leaf.node].accuracy)
        assert one.label in ("bad", "good")


@pytest.mark.parametrize(
    "leaf_estimator",
    [NETWORK, LogisticRegression(), GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2)],
    ids=["network", "linear", "search"],
)
def test_every_kind_of_column_with_gaps(loans, leaf_estimator):
    X, y = loans
    hybrid = fitted(X, y, leaf_estimator, min_rows=30)
    rows = X[:5]
    now = hybrid.predict(rows)
    for at, one in enumerate(counterfactuals(hybrid, rows, data=X)):
        assert one.label == now[at]
        assert len(one)
        for answer in one:
            after = pd.DataFrame([answer.row]).astype(X.dtypes)
            assert hybrid.predict(after)[0] == answer.label != now[at]
            assert answer.proved
            age = answer.row["age"]
            assert age is None or age == round(age)
            assert {c.column for c in answer.changes} == {
                name for name in X if not (same := answer.row[name] == one.row[name]) and same is not None
            }


def test_a_gap_is_filled_with_a_usual_value_if_that_will_do(loans):
    X, y = loans
    hybrid = fitted(X, y, LogisticRegression(), min_rows=30)
    rows = X[X["age"].isna()]
    found = counterfactuals(hybrid, rows, data=X, fixed=["owner", "city", "size"])
    usual = X["age"].median()
    will_do = hybrid.predict(rows.assign(age=usual)) != hybrid.predict(rows)
    assert 0 < will_do.sum() < len(will_do)
    for one, does in zip(found, will_do, strict=True):
        assert (len(one) > 0 and one[0].row["age"] == usual) == does


def test_a_pipeline_of_the_callers_own(loans):
    X, y = loans
    X = X.assign(city=X["city"].astype(object).fillna("none"), age=X["age"].fillna(40.0))[["age", "city"]]
    steps = make_column_transformer((OneHotEncoder(), ["city"]), (StandardScaler(), ["age"]))
    hybrid = fitted(X, y, make_pipeline(steps, MLPClassifier((4,), max_iter=100, random_state=0)), min_rows=30)
    for one in counterfactuals(hybrid, X[:4], data=X):
        for answer in one:
            assert hybrid.predict(pd.DataFrame([answer.row]))[0] == answer.label != one.label


def test_labels_that_are_fractions(line):
    _, X = line
    hybrid = fitted(X, np.where(X[:, 0] + X[:, 1] > 0.3, 0.5, 1.5), LogisticRegression(), min_rows=10)
    found = counterfactuals(hybrid, X[0], data=X)
    assert {found.label, found[0].label} == {0.5, 1.5}


def test_a_tree_that_asks_about_sums():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, (40, 2)).round(1)
    y = np.where(X.sum(axis=1) > 0, rng.random(40) < 0.8, rng.random(40) < 0.2).astype(int)
    tree = OptimalTreeClassifier(max_depth=1, solver=OCT(multivariate=True), time_limit=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hybrid = HybridTreeClassifier(tree, LogisticRegression(), min_rows=5, keep="always").fit(X, y)
    assert hybrid.tree_.is_linear
    for one in counterfactuals(hybrid, X[:12], costs={"x0": 1.0, "x1": 1.0}):
        for answer in one:
            after = np.array([list(answer.row.values())])
            assert (hybrid.predict(after)[0], hybrid.apply(after)[0]) == (answer.label, answer.leaf.node)


def test_leaves_can_be_asked_to_be_good(line):
    hybrid, _ = line
    scores = {score.node: score.accuracy for score in hybrid.report_.leaves}
    worse, better = sorted(scores, key=scores.get)
    row = [2.0, -3.0] if worse == hybrid.apply([[2.0, -3.0]])[0] else [-2.0, -3.0]
    costs = {"x0": 1.0, "x1": 1.0}
    assert counterfactuals(hybrid, row, costs=costs)[0].leaf.node == worse
    found = counterfactuals(hybrid, row, costs=costs, min_accuracy=scores[better])
    assert {answer.leaf.node for answer in found} == {better}
    stuck = counterfactuals(hybrid, row, costs=costs, min_support=1000)
    assert (len(stuck), stuck.relax.limit.kind) == (0, "min_support")


def test_when_time_is_short_nothing_is_claimed(line):
    found = counterfactuals(line[0], [1.0, -1.0], costs={"x0": 1.0, "x1": 1.0}, time_limit=0)
    assert (len(found), found.relax, found.bound) == (0, None, 0.0)
    assert str(found).endswith("no change that leads to 1 was found in time; none costs less than 0")
    assert found.to_dict()["bound"] == 0.0


def stopped_early(monkeypatch, status):
    """Let every MIP end with what it found, but half of the proof."""

    def stopped(mip, **options):
        answer = solve(mip, **options)
        return answer if answer.values is None else replace(answer, status=status, bound=answer.objective / 2)

    monkeypatch.setattr(leaf_solver, "solve", stopped)


def test_what_is_not_proved_says_so(line, monkeypatch):
    stopped_early(monkeypatch, MipStatus.TIME_LIMIT)
    found = counterfactuals(line[0], [1.0, -1.0], costs={"x0": 1.0, "x1": 1.0}, k=1)
    assert (found[0].cost, found[0].proved) == (pytest.approx(1.0, abs=1e-3), False)
    assert found[0].bound == pytest.approx(0.5, abs=1e-3)
    assert "1 change (not proved to be the nearest: none costs less than 0.500" in str(found[0])
    assert found[0].to_dict()["bound"] == found[0].bound


def test_control_c_is_not_swallowed(line, monkeypatch):
    stopped_early(monkeypatch, MipStatus.INTERRUPTED)
    with pytest.raises(KeyboardInterrupt):
        counterfactuals(line[0], [1.0, -1.0])


def test_a_model_that_does_not_agree_is_never_overruled(line, monkeypatch):
    """If the model predicts another label for what the MIP found, that is no counterfactual, nor are others proved."""
    hybrid, _ = line
    monkeypatch.setattr(type(hybrid), "predict", lambda self, X: np.zeros(len(np.asarray(X)), dtype=int))
    found = counterfactuals(hybrid, [1.0, -1.0], costs={"x0": 1.0, "x1": 1.0})
    assert len(found) == 0
    assert found.bound == pytest.approx(1.0, abs=1e-3)


def test_wrong_time_limits(line):
    for wrong in (-1, "soon", True):
        message = f"time_limit must be a number of seconds, 0 or more, or None for no limit; got {wrong!r}."
        with pytest.raises(InputError, match=re.escape(message)):
            counterfactuals(line[0], [1.0, -1.0], time_limit=wrong)
