"""What all hybrid trees share: known rows to start from, any leaf model, one time limit, progress, texts."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.errors import InputError
from exactree.explain import AtLeast, CounterfactualTable, counterfactuals, leaf_report, trace
from exactree.explain.boosting.box_search import BoxSearch
from exactree.explain.hybrid.known_rows import KnownRows
from exactree.explain.network import leaf_solver
from exactree.mip import MipResult, MipStatus

OPAQUE = [SVC(), GaussianNB(), KNeighborsClassifier(3), MLPClassifier((4,), "tanh", max_iter=60, random_state=0)]


def loans(seed=0, n_rows=160):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n_rows).astype(float),
            "income": rng.gamma(2.0, 2.0, n_rows).round(2),
            "job": rng.choice(["clerk", "nurse", "pilot"], n_rows),
        }
    )
    good = (X["income"] > 4) ^ (X["age"] < 30) | (X["job"] == "pilot")
    y = np.where(good ^ (rng.random(n_rows) < 0.1), "good", "bad")
    return X, y


def fitted(X, y, model, depth=1, **options):
    tree = OptimalTreeClassifier(max_depth=depth)
    hybrid = HybridTreeClassifier(tree, model, random_state=0, keep="always", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return hybrid.fit(X, y)


def columns_cost(X, row, others):
    """Cost of moving a row to others: 1 per unit and change of level."""
    total = np.zeros(len(others))
    for name in X.columns:
        new = others[name].to_numpy()
        total += (new != row[name]) if name == "job" else np.abs(new.astype(float) - row[name])
    return total


COSTS = {"age": 1.0, "income": 1.0, "job": 1.0}


@pytest.mark.each("model", OPAQUE)
def test_any_model_is_never_worse_than_the_nearest_known_row(model):
    X, y = loans()
    hybrid = fitted(X, y, model, min_rows=20)
    labels = hybrid.predict(X)
    for at in range(0, 24, 2):
        row = dict(X.iloc[at])
        found = counterfactuals(hybrid, row, costs=COSTS, data=X)
        known = columns_cost(X, row, X[labels != labels[at]])
        assert found[0].cost <= known.min() + 1e-9
        for answer in found:
            after = pd.DataFrame([answer.row])
            assert hybrid.predict(after)[0] == answer.label != found.label
            assert hybrid.apply(after)[0] == answer.leaf.node
            assert answer.cost == pytest.approx(columns_cost(X, row, after)[0])
            # Only the nearest row of a whole leaf region can be proved without reading the model.
            assert answer.proved == (answer.bound is None)
            assert answer.proved or answer.bound <= answer.cost


def test_other_models_are_seldom_proved():
    X, y = loans()
    hybrid = fitted(X, y, SVC(), min_rows=20)
    found = [counterfactuals(hybrid, X.iloc[[at]], costs=COSTS, data=X, k=1) for at in range(12)]
    unproved = [one[0] for one in found if not one[0].proved]
    assert unproved
    assert "(not proved to be the nearest: none costs less than 0" in str(unproved[0])


@pytest.mark.each("seed", range(12))
def test_actionability_holds_for_known_rows(seed):
    X, y = loans(seed)
    hybrid = fitted(X, y, [KNeighborsClassifier(3), HistGradientBoostingClassifier(max_iter=5)][seed % 2], min_rows=20)
    limits = {"fixed": ["job"], "only_up": ["age"], "ranges": {"income": (1.0, 6.0)}}
    for at in range(6):
        row = dict(X.iloc[at])
        for answer in counterfactuals(hybrid, row, costs=COSTS, data=X, **limits):
            assert answer.row["job"] == row["job"]
            assert answer.row["age"] >= row["age"]
            assert 1.0 <= answer.row["income"] <= 6.0 or answer.row["income"] == row["income"]


@pytest.mark.each("seed", range(6))
def test_rules_hold_with_boosting(seed):
    """What a rule rejects may have a feasible neighbour in its cell, so that nothing beyond it is proved."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (120, 2)).astype(float)
    y = ((X[:, 0] > 2) ^ (X[:, 1] > 3)).astype(int)
    hybrid = fitted(X, y, DecisionTreeClassifier(max_depth=3), min_rows=10)
    for at in range(8):
        row = X[at] if X[at, 0] >= X[at, 1] else X[at][::-1]
        found = counterfactuals(hybrid, row, costs={"x0": 1.0, "x1": 1.0}, rules=[AtLeast("x0", "x1")], data=X)
        points = np.array([[a, b] for a in range(6) for b in range(6) if a >= b], dtype=float)
        wanted = points[hybrid.predict(points) != found.label]
        if len(wanted):
            best = np.abs(wanted - row).sum(axis=1).min()
            for answer in found:
                assert answer.row["x0"] >= answer.row["x1"]
                assert not answer.proved or answer.bound is None
            if len(found) and found[0].proved:
                assert found[0].cost <= best + 1e-9


def test_a_network_starts_from_known_rows(monkeypatch):
    """A MIP that finds nothing, or something far away, does not hide a training row that is near."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4)).round(2)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    hybrid = fitted(X, y, MLPClassifier((8,), max_iter=200, random_state=0), min_rows=20)
    labels, costs = hybrid.predict(X), {f"x{j}": 1.0 for j in range(4)}
    calls = []

    def too_slow(mip, **options):
        calls.append(options)
        return MipResult(MipStatus.TIME_LIMIT, None, np.inf, 0.0)

    monkeypatch.setattr(leaf_solver, "solve", too_slow)
    for at in range(6):
        near = np.abs(X[labels != labels[at]] - X[at]).sum(axis=1).min()
        found = counterfactuals(hybrid, X[at], costs=costs, data=X, k=1)
        assert found[0].cost <= near
        assert not found[0].proved
        # The MIP looks for nothing dearer than what is known.
        assert calls[-1]["options"].cutoff <= near * 1.001
    assert len(counterfactuals(hybrid, X[0], costs=costs, k=1)) == 1  # without data rows are moved by deviations


def test_one_time_limit_for_a_whole_table(monkeypatch):
    X, y = loans()
    hybrid = fitted(X, y, MLPClassifier((6,), max_iter=60, random_state=0), min_rows=20)
    given = []

    def slow(mip, *, backend, options):
        given.append(options.seconds)
        time.sleep(min(options.seconds, 0.05))
        return MipResult(MipStatus.TIME_LIMIT, None, np.inf, 0.0)

    monkeypatch.setattr(leaf_solver, "solve", slow)
    began = time.monotonic()
    found = counterfactuals(hybrid, X.iloc[:30], costs=COSTS, data=X, time_limit=3.0)
    assert max(given, default=0.0) <= 3.0 / 2
    assert time.monotonic() - began < 30  # on a busy machine; alone it takes a second
    assert len(found) == 30
    assert not any(answer.proved for one in found for answer in one)
    nothing = counterfactuals(hybrid, X.iloc[:5], costs=COSTS, data=X, time_limit=0)
    assert [(len(one), one.bound) for one in nothing] == [(0, 0.0)] * 5


def test_progress_and_a_callback_that_stops():
    X, y = loans()
    hybrid = fitted(X, y, HistGradientBoostingClassifier(max_iter=20), min_rows=20)
    reports = []
    counterfactuals(hybrid, X.iloc[:5], costs=COSTS, data=X, callback=reports.append)
    assert {report.n_rows for report in reports} == {5}
    assert all(report.bound <= report.cost for report in reports)
    assert str(reports[0]).startswith("00:0")
    seen = []

    def stop(report):
        seen.append(report)
        return True

    found = counterfactuals(hybrid, X.iloc[:5], costs=COSTS, data=X, callback=stop)
    assert len(seen) == 1
    assert [one.bound for one in found[1:] if not one.already] == [0.0] * 4
    with pytest.raises(InputError, match="callback must be a function that takes a CounterfactualProgress; got 3"):
        counterfactuals(hybrid, X.iloc[:5], callback=3)


def test_trace_and_report_speak_for_the_models():
    X, y = loans()
    hybrid = HybridTreeClassifier(OptimalTreeClassifier(max_depth=1), KNeighborsClassifier(5), min_rows=20).fit(X, y)
    assert any(model is not None for model in hybrid.leaf_models_.values())
    answers, leaves = hybrid.predict(X), hybrid.apply(X)
    scores = {score.node: score for score in hybrid.report_.leaves}
    for at, path in enumerate(trace(hybrid, X)):
        score = scores[leaves[at]]
        assert (path.label, path.leaf.node, path.leaf.model) == (answers[at], leaves[at], score.model)
        expected = score.accuracy if score.validated is None else score.validated
        assert path.leaf.accuracy == expected
    modelled = next(score for score in hybrid.report_.leaves if score.model is not None)
    text = str(trace(hybrid, X[leaves == modelled.node].iloc[[0]]))
    assert f"; leaf {modelled.node}: KNeighborsClassifier, {modelled.rows} rows, " in text
    assert text.endswith(" in validation")
    report = leaf_report(hybrid, X, y, test=(X[:40], y[:40]))
    for line in report.leaves:
        here = leaves == line.node
        assert line.score.accuracy == (answers[here] == y[here]).mean()
        assert line.model == scores[line.node].model
    assert f"leaf {modelled.node}: KNeighborsClassifier if " in str(report)
    always = fitted(X, y, KNeighborsClassifier(5), min_rows=20)
    assert " in training" in str(trace(always, X.iloc[[0]]))


def test_several_rows_print_as_a_table():
    X, y = loans()
    hybrid = fitted(X, y, DecisionTreeClassifier(max_depth=3, random_state=0), min_rows=20)
    found = counterfactuals(hybrid, X.iloc[:4], costs=COSTS, data=X, k=2)
    assert isinstance(found, CounterfactualTable)
    lines = str(found).splitlines()
    assert lines[0].split() == ["row", "now", "then", "cost", "changes"]
    assert len(lines) == 1 + sum(max(len(one), 1) for one in found)
    frame = pd.DataFrame(found.to_frame())
    assert frame["row"].tolist() == [at for at, one in enumerate(found) for _ in one]
    assert frame["cost"].tolist() == [answer.cost for one in found for answer in one]
    stuck = counterfactuals(hybrid, X.iloc[:2], "bad", costs=COSTS, fixed=list(X.columns))
    assert [one.already or "none within these limits" in str(stuck) for one in stuck] == [True, True]
    late = counterfactuals(hybrid, X.iloc[:2], costs=COSTS, time_limit=0)
    assert str(late).count("none found in time") == 2


def test_scikit_learn_trees_are_refused_by_name():
    X, y = loans()
    tree = DecisionTreeClassifier(max_depth=1).fit(X[["age"]], y)
    message = (
        "This DecisionTreeClassifier is a model of scikit-learn, whose splits exactree does not read. Give a model of "
        "exactree, such as OptimalTreeClassifier(max_depth=3).fit(X, y)."
    )
    for explain in (counterfactuals, trace):
        with pytest.raises(InputError) as raised:
            explain(tree, [30.0])
        assert str(raised.value) == message


def test_boxes_that_are_left_prove_nothing(monkeypatch):
    """A search that stops at once leaves known rows, and the cost of its first box as the bound."""
    X, y = loans()
    hybrid = fitted(X, y, HistGradientBoostingClassifier(max_iter=20), min_rows=20)
    whole = [counterfactuals(hybrid, X.iloc[[at]], costs=COSTS, data=X, k=1)[0] for at in range(8)]
    assert all(answer.proved for answer in whole)
    monkeypatch.setattr(BoxSearch, "next", lambda self, *arguments: None)
    known = [counterfactuals(hybrid, X.iloc[[at]], costs=COSTS, data=X, k=1)[0] for at in range(8)]
    for found, best in zip(known, whole, strict=True):
        assert found.cost >= best.cost - 1e-9
        assert found.proved or found.bound <= best.cost
    assert sum(found.proved for found in known) < 4


def test_a_leaf_waits_no_longer_than_its_distance(monkeypatch):
    """Without known rows the order of the leaves alone decides which counterfactual comes first."""
    monkeypatch.setattr(KnownRows, "candidates", lambda *arguments: [])
    X, y = loans()
    hybrid = fitted(X, y, DecisionTreeClassifier(max_depth=3, random_state=0), depth=2, min_rows=20)
    labels = hybrid.predict(X)
    for at in range(30):
        row = dict(X.iloc[at])
        found = counterfactuals(hybrid, row, costs=COSTS, data=X, k=1)
        assert found[0].cost <= columns_cost(X, row, X[labels != labels[at]]).min() + 1e-9
