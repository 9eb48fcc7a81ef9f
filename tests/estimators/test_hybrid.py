"""Shallow trees with models in their leaves: compared with routing and fitting by hand."""

import io
from contextlib import redirect_stderr

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.errors import InputError
from exactree.estimators.hybrid.leaf_models import why_constant

STUMP = OptimalTreeClassifier(max_depth=1)
FOREST = RandomForestClassifier(n_estimators=5)
BOOSTING = HistGradientBoostingClassifier(max_iter=5)


def numbers(n_rows=300, n_classes=2, seed=0):
    return make_classification(
        n_rows, n_features=6, n_informative=5, n_redundant=0, n_classes=n_classes, flip_y=0.1, random_state=seed
    )


def fit(X, y, leaf_estimator=None, tree=STUMP, **options):
    return HybridTreeClassifier(tree, leaf_estimator, **{"keep": "always"} | options).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_equal_those_made_by_hand(n_classes):
    X, y = numbers(n_classes=n_classes)
    tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    hybrid = fit(X, y, DecisionTreeClassifier(max_depth=3, random_state=0), tree=OptimalTreeClassifier(max_depth=2))
    leaves = tree.apply(X)
    new, _ = numbers(200, n_classes, seed=1)
    labels, shares = tree.predict(new), tree.predict_proba(new)
    for leaf in np.unique(leaves):
        here, there = leaves == leaf, tree.apply(new) == leaf
        assert (hybrid.leaf_models_[leaf] is None) == (here.sum() < 50 or len(set(y[here])) == 1)
        if hybrid.leaf_models_[leaf] is not None:
            model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[here], y[here])
            labels[there] = model.predict(new[there])
            shares[there] = 0
            shares[np.ix_(there, model.classes_)] = model.predict_proba(new[there])
    assert any(model is not None for model in hybrid.leaf_models_.values())
    assert (labels != tree.predict(new)).any()
    assert np.array_equal(hybrid.predict(new), labels)
    assert np.array_equal(hybrid.predict_proba(new), shares)
    assert np.array_equal(hybrid.apply(new), tree.apply(new))
    assert (hybrid.decision_path(new) != tree.decision_path(new)).nnz == 0


def test_the_default_is_gradient_boosting_in_the_leaves_of_a_tree_of_depth_three():
    X, y = numbers()
    hybrid = HybridTreeClassifier(min_rows=20).fit(X, y)
    models = [model for model in hybrid.leaf_models_.values() if model is not None]
    assert models
    assert all(isinstance(model, HistGradientBoostingClassifier) for model in models)
    assert hybrid.tree_estimator_.get_params() == OptimalTreeClassifier(max_depth=3).get_params()
    assert hybrid.tree_ is hybrid.tree_estimator_.tree_
    assert sorted(hybrid.leaf_models_) == hybrid.tree_.leaves.tolist()


def known_leaves():
    """Four leaves along the first column: pure, small, with a rare class, and with enough of everything."""
    rng = np.random.default_rng(0)
    X = np.c_[np.repeat([0.0, 1.0, 2.0, 3.0], [60, 20, 60, 60]), rng.normal(size=200)]
    y = np.concatenate([[0] * 60, [0, 1, 1, 1] * 5, [0] * 57 + [1] * 3, [0, 1, 1] * 20])
    tree = OptimalTreeClassifier(max_depth=2).fit(np.c_[X[:, 0], np.zeros(200)], X[:, 0].astype(int) % 2)
    return tree, X, y


def test_why_leaves_keep_their_class():
    tree, X, y = known_leaves()
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=5)
    hybrid = fit(X, y, search, tree=tree, min_rows=50)
    by_value = {value: hybrid.apply([[value, 0.0]])[0] for value in (0.0, 1.0, 2.0, 3.0)}
    why = {leaf.node: (leaf.model, leaf.why) for leaf in hybrid.report_.leaves}
    assert why[by_value[0.0]] == (None, "all its rows are 0")
    assert why[by_value[1.0]] == (None, "20 rows, fewer than min_rows=50")
    assert why[by_value[2.0]] == (None, "class 1 has 3 rows there, fewer than the 5 folds of GridSearchCV")
    assert why[by_value[3.0]] == ("GridSearchCV of GaussianNB", "fitted on 60 rows of 2 classes")
    assert [node for node, model in hybrid.leaf_models_.items() if model is not None] == [by_value[3.0]]
    assert (hybrid.predict(X[:140]) == tree.predict(X[:140])).all()
    assert hybrid.predict_proba(X[:140]).tolist() == tree.predict_proba(X[:140]).tolist()


def test_a_rare_class_is_no_obstacle_without_folds():
    tree, X, y = known_leaves()
    hybrid = fit(X, y, GaussianNB(), tree=tree, min_rows=20)
    assert sum(model is not None for model in hybrid.leaf_models_.values()) == 3


@pytest.mark.each(
    ("estimator", "needed"),
    [
        (GridSearchCV(GaussianNB(), {}), "5 folds of GridSearchCV"),
        (GridSearchCV(GaussianNB(), {}, cv=7), "7 folds of GridSearchCV"),
        (
            GridSearchCV(GaussianNB(), {}, cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=3)),
            "4 folds of GridSearchCV",
        ),
        (CalibratedClassifierCV(GaussianNB(), cv=3), "3 folds of CalibratedClassifierCV"),
        (GridSearchCV(GaussianNB(), {}, cv=StratifiedShuffleSplit(9)), None),
        (MLPClassifier(early_stopping=True), None),
        (GaussianNB(), None),
    ],
)
def test_rows_that_each_class_needs(estimator, needed):
    why = why_constant(estimator, np.array([98, 2]), np.array(["no", "yes"]), min_rows=50)
    assert why == (None if needed is None else f"class 'yes' has 2 rows there, fewer than the {needed}")


def test_early_stopping_needs_two_rows_of_each_class():
    classes, lone = np.array(["no", "yes"]), "class 'yes' has 1 row there, fewer than the 2 that early stopping needs"
    few, many = np.array([98, 1]), np.array([20_000, 1])
    assert why_constant(MLPClassifier(early_stopping=True), few, classes, min_rows=1) == lone
    assert why_constant(HistGradientBoostingClassifier(), few, classes, min_rows=1) is None
    assert why_constant(HistGradientBoostingClassifier(), many, classes, min_rows=1) == lone
    assert why_constant(GaussianNB(), many, classes, min_rows=1) is None


def test_classes_that_a_leaf_does_not_have():
    rng = np.random.default_rng(0)
    X = np.c_[np.repeat([0.0, 1.0], 100), rng.normal(size=200)]
    y = np.where(X[:, 0] == 0, np.where(X[:, 1] > 0, "ant", "bee"), np.where(X[:, 1] > 0, "cat", "bee"))
    hybrid = fit(X, y, LogisticRegression(), tree=OptimalTreeClassifier(max_depth=1).fit(X[:, :1].repeat(2, 1), y))
    left, right = (hybrid.leaf_models_[node] for node in hybrid.apply([[0.0, 0.0], [1.0, 0.0]]))
    assert left.classes_.tolist() == ["ant", "bee"]
    assert right.classes_.tolist() == ["bee", "cat"]
    shares = hybrid.predict_proba(X)
    assert hybrid.classes_.tolist() == ["ant", "bee", "cat"]
    assert (shares[:100, 2] == 0).all()
    assert (shares[100:, 0] == 0).all()
    assert np.allclose(shares.sum(axis=1), 1)
    assert (hybrid.classes_[shares.argmax(axis=1)] == hybrid.predict(X)).all()
    assert hybrid.score(X, y) > 0.95 > hybrid.tree_estimator_.score(X, y)


def test_classes_that_only_the_fitted_tree_has_seen():
    X, y = numbers(n_classes=3)
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert (tree.predict_proba(X) > 0).all()
    hybrid = fit(X[y < 2], y[y < 2], GaussianNB(), tree=tree)
    assert all(model is not None for model in hybrid.leaf_models_.values())
    shares = hybrid.predict_proba(X)
    assert (shares[:, 2] == 0).all()
    assert np.allclose(shares.sum(axis=1), 1)


def test_sparse_matrices_lists_and_frames_give_the_same():
    X, y = numbers()
    X = np.where(np.abs(X) < 0.5, 0, X)
    hybrid = fit(X, y, FOREST, random_state=0)
    expected = hybrid.predict_proba(X)
    for other in (csr_matrix(X), X.tolist(), pd.DataFrame(X), np.asfortranarray(X)):
        assert np.array_equal(fit(other, y, FOREST, random_state=0).predict_proba(other), expected)
    named = pl.DataFrame(X, schema=list("abcdef"))
    assert np.array_equal(fit(named, y, FOREST, random_state=0).predict_proba(named), expected)


@pytest.mark.parametrize(
    "estimator", [BOOSTING, FOREST, RandomizedSearchCV(FOREST, {"max_depth": [1, 2, 3, 4]}, n_iter=2, cv=2)]
)
def test_the_number_of_jobs_does_not_matter(estimator):
    X, y = numbers(n_classes=3)
    tree = OptimalTreeClassifier(max_depth=2)
    found = [fit(X, y, estimator, tree=tree, min_rows=20, n_jobs=jobs, random_state=3) for jobs in (1, 2)]
    assert sum(model is not None for model in found[0].leaf_models_.values()) > 1
    assert np.array_equal(found[0].predict_proba(X), found[1].predict_proba(X))
    assert found[0].report_ == found[1].report_


def test_random_state_seeds_what_is_left_open():
    X, y = numbers()
    seeds = [model.random_state for model in fit(X, y, FOREST, random_state=0).leaf_models_.values()]
    assert len(set(seeds)) == len(seeds) == 2
    assert seeds == [model.random_state for model in fit(X, y, FOREST, random_state=0).leaf_models_.values()]
    kept = fit(X, y, clone(FOREST).set_params(random_state=5), random_state=0)
    assert [model.random_state for model in kept.leaf_models_.values()] == [5, 5]
    inside = fit(X, y, GridSearchCV(FOREST, {"max_depth": [2]}, cv=2), random_state=0)
    assert all(model.estimator.random_state is not None for model in inside.leaf_models_.values())
    assert FOREST.random_state is None


def test_rows_of_weight_zero_are_left_out():
    X, y = numbers()
    weight = np.tile([0.0, 1.0], 150)
    weighted = HybridTreeClassifier(STUMP, GaussianNB(), min_rows=10, keep="always").fit(X, y, sample_weight=weight)
    half = fit(X[1::2], y[1::2], GaussianNB(), min_rows=10)
    assert np.allclose(weighted.predict_proba(X), half.predict_proba(X))
    assert weighted.report_ == half.report_


def test_a_fitted_tree_is_not_fitted_again():
    X, y = numbers()
    tree = OptimalTreeClassifier(max_depth=1).fit(X[:100], y[:100])
    before = tree.tree_
    hybrid = fit(X, y, GaussianNB(), tree=tree)
    assert hybrid.tree_estimator_ is tree
    assert hybrid.tree_ is before
    assert clone(hybrid).fit(X, y).tree_.rows[0] == 300  # as always, a clone forgets the fit,
    frozen = clone(HybridTreeClassifier(FrozenEstimator(tree), GaussianNB())).fit(X, y)
    assert frozen.tree_ is before  # unless it is frozen
    assert np.array_equal(frozen.predict(X), hybrid.predict(X))


def test_a_tree_that_is_not_fitted_stays_so():
    X, y = numbers()
    tree = OptimalTreeClassifier(max_depth=1)
    assert fit(X, y, GaussianNB(), tree=tree).tree_estimator_ is not tree
    assert not hasattr(tree, "tree_")


def test_leaves_of_a_fitted_tree_that_no_row_reaches():
    X, y = numbers()
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y)
    here = tree.apply(X) == 1
    hybrid = fit(X[here], y[here], GaussianNB(), tree=tree)
    assert hybrid.report_.leaves[1].why == "no training row came here"
    assert np.isnan(hybrid.report_.leaves[1].accuracy)
    assert hybrid.report_.leaf_accuracy == hybrid.report_.leaves[0].accuracy == hybrid.report_.accuracy
    assert "-       -  the class: no training row came here" in str(hybrid.report_)
    assert (hybrid.predict(X[~here]) == tree.predict(X[~here])).all()


def test_report_numbers():
    X, y = numbers(400, n_classes=3)
    hybrid = fit(X[:300], y[:300], GaussianNB(), tree=OptimalTreeClassifier(max_depth=2), min_rows=60)
    for report, rows in ((hybrid.report_, slice(300)), (hybrid.leaf_report(X[300:], y[300:]), slice(300, 400))):
        new, labels = X[rows], y[rows]
        leaf, tree, answer = hybrid.apply(new), hybrid.tree_estimator_.predict(new), hybrid.predict(new)
        for line in report.leaves:
            here = leaf == line.node
            assert line.rows == here.sum()
            assert line.tree_right == (tree[here] == labels[here]).sum()
            assert line.right == (answer[here] == labels[here]).sum()
            assert line.tree_accuracy == pytest.approx((tree[here] == labels[here]).mean())
            assert line.label == tree[here][0]
            assert (line.model is None) == (hybrid.leaf_models_[line.node] is None)
        share = [[(found[leaf == n] == labels[leaf == n]).mean() for n in np.unique(leaf)] for found in (tree, answer)]
        assert report.rows == len(labels)
        assert report.tree_accuracy == pytest.approx((tree == labels).mean())
        assert report.accuracy == pytest.approx(hybrid.score(new, labels))
        assert report.tree_leaf_accuracy == pytest.approx(min(share[0]))
        assert report.leaf_accuracy == pytest.approx(min(share[1]))
        text = str(report)
        assert len(text.splitlines()) == 1 + hybrid.tree_.n_leaves + 2
        assert f"tree    {100 * (tree == labels).mean():.1f} % right" in text
        assert "GaussianNB, fitted on" in text
    assert {line.model for line in hybrid.report_.leaves} == {None, "GaussianNB"}


def test_cross_validation():
    X, y = numbers()
    assert cross_val_score(HybridTreeClassifier(STUMP, GaussianNB(), keep="always"), X, y, cv=3).mean() > 0.6
    grid = GridSearchCV(HybridTreeClassifier(STUMP, GaussianNB()), {"tree__max_depth": [1, 2], "min_rows": [20, 1000]})
    assert grid.fit(X, y).best_params_["min_rows"] == 20


def test_progress_lines():
    X, y = numbers()
    with redirect_stderr(io.StringIO()) as told:
        hybrid = fit(X, y, GaussianNB(), verbose=1)
    lines = told.getvalue().splitlines()
    assert lines[0] == "tree: depth 1, leaves 2, models to fit 2"
    first = hybrid.report_.leaves[0]
    share = f"{100 * first.accuracy:.1f} %"
    assert lines[1] == f"leaf 1 of 2 (node {first.node}): {first.rows} rows, {share} of them right"
    assert len(lines) == 3
    with redirect_stderr(io.StringIO()) as told:
        fit(X, y, GaussianNB())
    assert told.getvalue() == ""


def test_models_without_probabilities():
    X, y = numbers()
    hybrid = HybridTreeClassifier(STUMP, SVC(), keep="always")
    assert not hasattr(hybrid, "predict_proba")
    assert not hasattr(hybrid.fit(X, y), "predict_proba")
    assert hybrid.score(X, y) > hybrid.report_.tree_accuracy
    with pytest.raises(AttributeError) as caught:
        hybrid.predict_proba(X)
    assert "SVC has no predict_proba" in str(caught.value.__cause__)
    assert hasattr(HybridTreeClassifier(STUMP, SVC(), min_rows=1000, keep="always").fit(X, y), "predict_proba")


LABELS = {
    "strings": ["no", "yes"],
    "truth values": [False, True],
    "minus one and one": [-1, 1],
    "objects": np.array(["short", "a much longer one"], dtype=object),
    "large integers": [2**60, 2**60 + 1],
    "floats": [0.5, 1.5],
}


@pytest.mark.each("names", LABELS.values())
def test_labels_come_back_as_they_went_in(names):
    X, y = numbers()
    labels = np.asarray(names)[y]
    hybrid = fit(X, labels, DecisionTreeClassifier(random_state=0))
    assert hybrid.predict(X).tolist() == labels.tolist()
    assert hybrid.leaf_report(X, labels).accuracy == 1


def test_a_column_of_classes_is_taken_with_a_warning():
    X, y = numbers()
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        hybrid = fit(X, y[:, None], GaussianNB())
    assert np.array_equal(hybrid.predict(X), fit(X, y, GaussianNB()).predict(X))


def test_refit_replaces_everything():
    X, y = numbers()
    hybrid = fit(pd.DataFrame(X[:, :4], columns=list("abcd")), np.array(["no", "yes"])[y], GaussianNB())
    assert hybrid.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    hybrid.fit(X, y)
    assert hybrid.n_features_in_ == 6
    assert not hasattr(hybrid, "feature_names_in_")
    assert hybrid.classes_.tolist() == [0, 1]


ESTIMATOR = "leaf_estimator must be a classifier with fit and predict, or a search over one"
TREE = "tree must be an estimator of exactree, such as OptimalTreeClassifier(max_depth=3), fitted or not"
WRONG = [
    ({"min_rows": 0}, "min_rows must be 1 or more; got 0."),
    ({"min_rows": 2.5}, "min_rows must be an integer; got 2.5."),
    ({"n_jobs": 0}, "n_jobs must not be 0; use 1 for one thread, -1 for one per core."),
    ({"prepare": "scale"}, "prepare must be 'auto' or None; got 'scale'. For other steps use a Pipeline."),
    ({"leaf_estimator": "svm"}, f"Unknown leaf_estimator 'svm'; the only name is 'xgboost'. {ESTIMATOR}."),
    ({"leaf_estimator": SVC}, f"{ESTIMATOR}; got the class SVC. Make one of it: leaf_estimator=SVC()."),
    ({"leaf_estimator": 7}, f"{ESTIMATOR}; got 7."),
    ({"leaf_estimator": StandardScaler()}, f"{ESTIMATOR}; got StandardScaler()."),
    (
        {"leaf_estimator": Ridge()},
        f"{ESTIMATOR}; got Ridge(), which predicts numbers. Use the classifier of its kind.",
    ),
    ({"tree": 3}, f"{TREE}; got 3."),
    ({"tree": OptimalTreeClassifier}, f"{TREE}; got {OptimalTreeClassifier!r}."),
    (
        {"tree": DecisionTreeClassifier()},
        f"{TREE}; got scikit-learn's DecisionTreeClassifier(), whose splits exactree does not read.",
    ),
]


@pytest.mark.each(("options", "message"), WRONG)
def test_wrong_parameters(options, message):
    with pytest.raises(InputError) as caught:
        HybridTreeClassifier(**options).fit(*numbers(60))
    assert str(caught.value) == message


def test_labels_that_a_fitted_tree_does_not_know():
    X, y = numbers()
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y)
    message = r"y has the label 7, which the fitted tree does not know; it knows 0, 1\. Fit the tree on rows of all"
    with pytest.raises(InputError, match=message):
        fit(X, np.where(y == 1, 7, y), tree=tree)


def test_wrong_rows_and_labels():
    X, y = numbers()
    hybrid = fit(X, y, GaussianNB())
    with pytest.raises(InputError, match="X has 300 rows but y has 299 labels"):
        fit(X, y[:-1])
    with pytest.raises(InputError, match="X has 300 rows but y has 299 labels"):
        fit(X, y[:-1], tree=hybrid.tree_estimator_)
    with pytest.raises(InputError, match="X has 300 rows but y has 299 labels"):
        hybrid.leaf_report(X, y[:-1])
    with pytest.raises(ValueError, match="X has 3 features, but HybridTreeClassifier is expecting 6 features"):
        hybrid.predict(X[:, :3])
    with pytest.raises(NotFittedError):
        HybridTreeClassifier().predict(X)
    with pytest.raises(NotFittedError):
        HybridTreeClassifier().leaf_report(X, y)
