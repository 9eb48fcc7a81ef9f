"""A model replaces the class of a leaf only if it wins in validation on the rows of that leaf."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalTreeClassifier
from exactree.errors import InputError
from exactree.estimators.hybrid.leaf_validation import fold_numbers
from exactree.estimators.hybrid.report import HybridReport, LeafScore

STUMP = OptimalTreeClassifier(max_depth=1)


def table(seed, n_rows=240, n_classes=2):
    """A first column that a tree splits, and noise that only sometimes says more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).round(2)
    y = (X[:, 0] > 0).astype(int) + (n_classes > 2) * (X[:, 1] > 0.8)
    noise = rng.random(n_rows) < rng.uniform(0.1, 0.4)
    y[noise] = rng.integers(0, n_classes, noise.sum())
    if seed % 2:
        y[X[:, 2] > 0.5] = 0
    return X, y


def by_hand(model, X, y, seed):
    """The labels predicted for rows while they are held out."""
    folds, found = fold_numbers(y, seed), np.empty(len(y), dtype=int)
    for fold in np.unique(folds):
        found[folds == fold] = model().fit(X[folds != fold], y[folds != fold]).predict(X[folds == fold])
    return found


def tree_of_cart():
    return DecisionTreeClassifier(max_depth=4, random_state=0)


@pytest.mark.each("seed", range(40))
def test_a_model_is_kept_where_it_wins(seed):
    X, y = table(seed, n_classes=2 + seed % 2)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)) if seed % 3 == 0 else None
    options = [{}, {"objective": "balanced_accuracy"}, {"cost_matrix": {(0, 1): 3.0}}, {"class_weight": {0: 4.0}}]
    tree = OptimalTreeClassifier(max_depth=1, **options[seed % 4]).fit(X, y, sample_weight=weight)
    hybrid = HybridTreeClassifier(tree, GaussianNB(), min_rows=20).fit(X, y, sample_weight=weight)
    always = HybridTreeClassifier(tree, GaussianNB(), min_rows=20, keep="always").fit(X, y, sample_weight=weight)
    cost = costs_of(seed % 4, y, weight)
    for node, model in always.leaf_models_.items():
        here = tree.apply(X) == node
        if model is None:
            assert hybrid.leaf_models_[node] is None
            continue
        mine = validated_cost(X[here], y[here], weight if weight is None else weight[here], cost[here])
        constant = cost[here][np.arange(here.sum()), tree.tree_.label[node]].sum()
        assert (hybrid.leaf_models_[node] is not None) == (mine < constant * (1 - 1e-9)), (mine, constant)
    assert (
        hybrid.report_.validated_accuracy is None
        or options[seed % 4]
        or (weight is not None or hybrid.report_.validated_accuracy >= hybrid.report_.tree_accuracy)
    )


def costs_of(kind, y, weight):
    """What each answer costs for each row, (n_rows, n_classes)."""
    n_classes, weight = y.max() + 1, np.ones(len(y)) if weight is None else weight
    matrix = 1.0 - np.eye(n_classes)
    if kind == 1:
        totals = np.bincount(y, weights=weight)
        matrix *= (totals.sum() / totals)[:, None]
    if kind == 2:
        matrix[0, 1] = 3.0
    if kind == 3:
        matrix[0] *= 4.0
    return matrix[y] * weight[:, None]


def validated_cost(X, y, weight, cost):
    folds, total = fold_numbers(y, None), 0.0
    for fold in np.unique(folds):
        train, test = folds != fold, np.flatnonzero(folds == fold)
        model = GaussianNB()
        # The numbers are scaled in each fold, as they are for the final model.
        mean, scale = X[train].mean(axis=0), X[train].std(axis=0)
        model.fit((X[train] - mean) / scale, y[train], None if weight is None else weight[train])
        total += cost[test, model.predict((X[test] - mean) / scale)].sum()
    return total


def test_noise_keeps_the_class_and_says_why():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), (rng.random(400) < 0.3).astype(int)
    hybrid = HybridTreeClassifier(STUMP, min_rows=20).fit(X, y)
    assert all(model is None for model in hybrid.leaf_models_.values())
    assert (hybrid.predict(X) == hybrid.tree_estimator_.predict(X)).all()
    assert all(
        re.fullmatch(r"HistGradientBoostingClassifier is no better: \d+ right in validation, the class \d+", leaf.why)
        for leaf in hybrid.report_.leaves
        if leaf.rows >= 20
    )
    assert hybrid.report_.validated_accuracy is None
    always = HybridTreeClassifier(STUMP, min_rows=20, keep="always").fit(X, y)
    assert always.report_.accuracy > 0.9  # of the rows that the models know by heart


def test_the_report_tells_how_good_a_model_was_on_rows_it_did_not_know():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
    hybrid = HybridTreeClassifier(STUMP, DecisionTreeClassifier(max_depth=2), min_rows=20).fit(X, y)
    kept = [leaf for leaf in hybrid.report_.leaves if leaf.model is not None]
    assert kept
    for leaf in kept:
        here = hybrid.apply(X) == leaf.node
        folds = by_hand(lambda: DecisionTreeClassifier(max_depth=2), X[here], y[here], None)
        assert leaf.validated == pytest.approx((folds == y[here]).mean(), abs=0.02)
        assert f"; {round(leaf.validated * leaf.rows)} right in validation, the class {leaf.tree_right}" in leaf.why
    assert str(hybrid.report_).endswith(" % right")
    assert "; in validation " in str(hybrid.report_)


@pytest.mark.each("seed", range(30))
def test_folds_spread_every_class_evenly(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, int(rng.integers(1, 40)))
    folds = fold_numbers(codes, seed)
    assert set(folds) == set(range(min(5, len(codes))))
    for code in np.unique(codes):
        counts = np.bincount(folds[codes == code], minlength=folds.max() + 1)
        assert counts.max() - counts.min() <= 1
    assert np.array_equal(folds, fold_numbers(codes, seed))


def test_classes_too_rare_for_a_fold():
    """One row of a class, and as many rows as a search has folds: held out, they are errors, and nothing fails."""
    X = np.c_[np.arange(60.0), np.zeros(60)]
    y = np.r_[np.zeros(59, dtype=int), 1]
    rare = HybridTreeClassifier(OptimalTreeClassifier(max_depth=0), LogisticRegression(), min_rows=10).fit(X, y)
    assert rare.report_.leaves[0].why == "LogisticRegression is no better: 59 right in validation, the class 59"
    y[-5:] = 1
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=5)
    found = HybridTreeClassifier(OptimalTreeClassifier(max_depth=0), search, min_rows=10).fit(X, y)
    # Four of the five are too few for five folds, so that every row of the class is an error.
    assert found.report_.leaves[0].why.startswith("GridSearchCV of KNeighborsClassifier is no better: 55 right")


def test_jobs_and_seeds_do_not_matter():
    X, y = table(1)
    options = {"min_rows": 20, "random_state": 3}
    one, two = (HybridTreeClassifier(STUMP, tree_of_cart(), n_jobs=n, **options).fit(X, y) for n in (1, 2))
    assert one.report_ == two.report_


def test_a_callback_stops_the_validation():
    X, y = table(1)
    reports = []

    def stop(progress):
        reports.append(progress)
        return progress.stage == "leaf validation"

    with pytest.warns(UserWarning, match="The callback stopped the fit before"):
        hybrid = HybridTreeClassifier(STUMP, HistGradientBoostingClassifier(), min_rows=20).fit(X, y, callback=stop)
    assert reports[-1].details == "0 of 2 leaves"
    assert all(model is None for model in hybrid.leaf_models_.values())
    assert {leaf.why for leaf in hybrid.report_.leaves} == {"the callback stopped the fit before its model was fitted"}


def test_errors_name_the_leaf_and_the_way_out():
    class Broken(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no")

    X, y = table(1)
    with pytest.raises(ValueError, match="no") as caught:
        HybridTreeClassifier(STUMP, Broken(), min_rows=20).fit(X, y)
    assert "in validation, which keep='always' leaves out" in caught.value.__notes__[0]


def test_wrong_parameters():
    X, y = table(1)
    message = "keep must be 'if_better' or 'always'; got 'never'."
    with pytest.raises(InputError, match=re.escape(message)):
        HybridTreeClassifier(STUMP, keep="never").fit(X, y)
    message = (
        "tree must be an estimator of exactree, such as OptimalTreeClassifier(max_depth=3), fitted or not; got "
        "scikit-learn's DecisionTreeClassifier(), whose splits exactree does not read."
    )
    for tree in (DecisionTreeClassifier(), DecisionTreeClassifier().fit(X, y)):
        with pytest.raises(InputError, match=re.escape(message)):
            HybridTreeClassifier(tree).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_hybrids_of_the_first_version():
    folder = Path(__file__).parents[1] / "compatibility" / "version-0.1.0"
    old = pickle.loads((folder / "hybrid.pickle").read_bytes())
    assert old.keep == "always"
    assert "in validation" not in str(old.report_)
    assert all(leaf.validated is None for leaf in old.report_.leaves)
    new = HybridReport((LeafScore(1, "a", 4, 3, 4, "SVC", "fitted", 0.75),))
    assert pickle.loads(pickle.dumps(new)) == new


def test_no_model_is_fitted_when_time_is_over():
    X, y = table(1)
    hybrid = HybridTreeClassifier(clone(STUMP).fit(X, y), HistGradientBoostingClassifier(), min_rows=20, time_limit=0.0)
    with pytest.warns(UserWarning, match="^time_limit=0 was over before 2 of the leaf models were fitted"):
        hybrid.fit(X, y)
    assert all(model is None for model in hybrid.leaf_models_.values())
    assert {leaf.why for leaf in hybrid.report_.leaves} == {"time_limit was over before its model was fitted"}


@pytest.mark.each(("own", "most"), [(None, 50.0), (60.0, 50.0), (20.0, 20.0)])
def test_tree_and_models_share_the_time_limit(own, most):
    X, y = table(1)
    tree = clone(STUMP).set_params(time_limit=own)
    hybrid = HybridTreeClassifier(tree, HistGradientBoostingClassifier(), min_rows=20, time_limit=50.0).fit(X, y)
    assert 0 < hybrid.tree_estimator_.time_limit <= most
    assert tree.time_limit == own
    assert any(model is not None for model in hybrid.leaf_models_.values())
