"""Constraints as users of the estimator give them: groups by name, beside the table, at fit; clones; grid searches."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from exactree import BinOCT, Fairness, FalseNegatives, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.problem.groups import groups_of
from exactree.table import Table

PARITY = Fairness("demographic_parity", at_most=0.1, groups="sex")


@pytest.fixture
def loans():
    """Income decides, and men have more of it: the best tree favours them."""
    rng = np.random.default_rng(2)
    sex = np.array(["f", "m"])[rng.integers(0, 2, 40)]
    income = rng.integers(0, 6, 40) + 2 * (sex == "m")
    paid = np.where(income + rng.integers(0, 3, 40) > 4, "paid", "lost")
    return pd.DataFrame({"sex": sex, "income": income, "age": rng.integers(20, 26, 40)}), paid


def rates(tree, X, positive="paid"):
    said = tree.predict(X) == positive
    return [said[X["sex"] == sex].mean() for sex in ("f", "m")]


def difference(tree, X):
    return abs(np.subtract(*rates(tree, X)))


def test_fairness_by_the_name_of_a_column(loans):
    X, y = loans
    free = OptimalTreeClassifier(max_depth=2).fit(X, y)
    fair = OptimalTreeClassifier(max_depth=2, constraints=[PARITY]).fit(X, y)
    assert difference(free, X) > 0.1 >= difference(fair, X)
    assert fair.is_optimal_
    assert fair.cost_ == (fair.predict(X) != y).sum() > free.cost_


def test_groups_may_come_in_three_ways(loans):
    X, y = loans
    by_name = OptimalTreeClassifier(max_depth=1, constraints=[PARITY]).fit(X, y)
    beside = Fairness("demographic_parity", at_most=0.1, groups=X["sex"].to_numpy())
    at_fit = Fairness("demographic_parity", at_most=0.1)
    for constraint, extra in ((beside, {}), (at_fit, {"sensitive_features": X["sex"]})):
        tree = OptimalTreeClassifier(max_depth=1, constraints=[constraint]).fit(X, y, **extra)
        assert tree.cost_ == by_name.cost_


def test_the_column_of_the_groups_need_not_be_in_the_table(loans):
    X, y = loans
    blind = X.drop(columns="sex")
    fair = Fairness("equal_opportunity", at_most=0.05, positive="paid")
    tree = OptimalTreeClassifier(max_depth=2, constraints=[fair]).fit(blind, y, sensitive_features=X["sex"])
    said, due = tree.predict(blind) == "paid", y == "paid"
    shares = [said[due & (X["sex"] == sex)].mean() for sex in ("f", "m")]
    assert abs(shares[0] - shares[1]) <= 0.05 + 1e-9


def test_equal_rows_of_different_groups_stay_together():
    # No question parts rows of one value, so their groups count by their shares: 3 of 4 "a" and 1 of 4 "b" have x = 1.
    X = np.repeat([0.0, 1.0], 4)[:, None]
    y = np.repeat([0, 1], 4)
    groups = ["a", "b", "b", "b", "a", "a", "a", "b"]
    for at_most, cost in ((0.49, 4), (0.5, 0)):
        fair = Fairness("demographic_parity", at_most=at_most)
        tree = OptimalTreeClassifier(max_depth=1, constraints=[fair]).fit(X, y, sensitive_features=groups)
        assert (tree.cost_, tree.is_optimal_) == (cost, True)


def test_rows_of_weight_zero_have_no_say(loans):
    X, y = loans
    fair = Fairness("demographic_parity", at_most=0.1)
    tree = OptimalTreeClassifier(max_depth=1, constraints=[fair])
    few = tree.fit(X[:30], y[:30], sensitive_features=X["sex"][:30]).cost_
    weights = np.arange(40) < 30
    assert tree.fit(X, y, sample_weight=weights, sensitive_features=X["sex"]).cost_ == few


def test_sample_weights_count_and_class_weights_do_not():
    X, y, weights = [[0.0], [1.0], [1.0], [2.0]], [1, 0, 1, 0], [1, 1, 2, 5]
    one, two = FalseNegatives(at_most=1), FalseNegatives(at_most=2)
    heavy = {0: 10.0, 1: 1.0}
    for constraint, answers in ((one, [1, 1, 1, 0]), (two, [1, 0, 0, 0])):
        tree = OptimalTreeClassifier(max_depth=1, constraints=[constraint], class_weight=heavy)
        assert tree.fit(X, y, sample_weight=weights).predict(X).tolist() == answers


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 7], [0.0, 1.0]])
def test_labels_of_any_kind(loans, labels):
    X, y = loans
    renamed = np.array(labels)[(y == "paid").astype(int)]
    tree = OptimalTreeClassifier(max_depth=1, constraints=[PARITY, FalseNegatives(3, positive=labels[1])])
    tree.fit(X, renamed)
    assert ((tree.predict(X) != renamed) & (renamed == labels[1])).sum() <= 3
    assert difference_of(tree.predict(X) == labels[1], X) <= 0.1


def difference_of(said, X):
    return abs(said[X["sex"] == "f"].mean() - said[X["sex"] == "m"].mean())


def test_a_tree_that_satisfies_them_anyway_is_proved_by_the_search(loans):
    X, y = loans
    tree = OptimalTreeClassifier(max_depth=3, constraints=[FalseNegatives(40, positive="lost")]).fit(X, y)
    assert (tree.is_optimal_, tree.cost_) == (True, OptimalTreeClassifier(max_depth=3).fit(X, y).cost_)
    assert "binaries" not in tree.solution_.counters  # no program was written


def test_the_search_bounds_what_a_stopped_mip_has(loans):
    X, y = loans
    free = OptimalTreeClassifier(max_depth=3).fit(X, y)

    tree = OptimalTreeClassifier(max_depth=3, constraints=[PARITY])
    tree.set_params(solver=BinOCT(warm_start="search"))
    with pytest.warns(match="Not proved optimal: the callback stopped the search"):
        tree.fit(X, y, callback=lambda progress: np.isfinite(progress.cost))
    assert (tree.status_, tree.lower_bound_) == ("interrupted", free.cost_)
    assert difference(tree, X) <= 0.1


def test_clones_and_pickled_parameters(loans):
    X, y = loans
    tree = OptimalTreeClassifier(max_depth=1, constraints=[Fairness("demographic_parity", 0.1, groups=X["sex"])])
    copy = clone(tree)
    assert copy.get_params()["constraints"][0].measure == "demographic_parity"
    assert copy.fit(X, y).cost_ == tree.fit(X, y).cost_


def test_grid_search_splits_the_groups(loans):
    X, y = loans
    grid = {"constraints": [[Fairness("demographic_parity", at_most)] for at_most in (0.05, 1.0)]}
    found = GridSearchCV(OptimalTreeClassifier(max_depth=1), grid, cv=2, error_score="raise")
    found.fit(X, y, sensitive_features=X["sex"])
    assert found.best_params_["constraints"][0].at_most in (0.05, 1.0)
    assert difference(found.best_estimator_, X) <= found.best_params_["constraints"][0].at_most


def test_what_no_tree_satisfies(loans):
    X, y = loans
    both = [FalseNegatives(0, positive="paid"), FalseNegatives(0, positive="lost")]
    with pytest.raises(Infeasible, match=r"No tree within .* more of any of these: false negatives of class 'paid'; f"):
        OptimalTreeClassifier(max_depth=1, constraints=both).fit(X, y)
    with pytest.raises(Infeasible, match=r"No tree within .* more of any of these: false negatives of class 'paid'; f"):
        OptimalTreeClassifier(max_depth=0, constraints=both).fit(X, y)


def test_a_solver_that_holds_none_says_who_does(loans):
    tree = OptimalTreeClassifier(constraints=[PARITY], solver="dl85", max_depth=2)
    with pytest.raises(
        Unsupported,
        match=r"'dl85' cannot solve .* rate of positive answers .* Able: search, binoct, oct, column-generation\.",
    ):
        tree.fit(*loans)
    with pytest.raises(Unsupported, match=r"it does not support trees deeper than 5 \(max_depth=6\)"):
        OptimalTreeClassifier(constraints=[PARITY], max_depth=6, solver="binoct").fit(*loans)


def test_more_than_two_classes_need_a_name(loans):
    X, _ = loans
    with pytest.raises(InputError, match=r"positive is not given, and there are 3 classes: say which one is meant\."):
        OptimalTreeClassifier(constraints=[PARITY]).fit(X, np.arange(40) % 3)


def test_groups_of_several_columns_and_of_missing_values():
    data = encode(Table.of(np.arange(4.0)[:, None]), [0, 1, 0, 1])
    names, numbers = groups_of([["f", 1], ["m", 2], ["f", 1], ["f", 2]], data)
    assert [names[k] for k in numbers] == [("f", "1"), ("m", "2"), ("f", "1"), ("f", "2")]
    names, numbers = groups_of([1.0, np.nan, 2.0, np.nan], data)
    assert [names[k] for k in numbers] == [1, None, 2, None]
    assert groups_of([True, False, True, True], data)[0] == [False, True]


def test_too_many_groups(loans):
    X, y = loans
    spread = X.assign(age=np.arange(40))
    with pytest.raises(InputError, match=r"There are 40 groups, and every two are compared; the most is 20\."):
        OptimalTreeClassifier(constraints=[Fairness("demographic_parity", 0.1, groups="age")]).fit(spread, y)
