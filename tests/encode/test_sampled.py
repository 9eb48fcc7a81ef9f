"""Thresholds of sampled CART trees, and encoded tables with fewer questions."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.tree import DecisionTreeClassifier

from exactree import OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.encode import CartSampling, Growth, Sampled, encode, sampled_splits
from exactree.encode.restricted_thresholds import with_restricted_thresholds
from exactree.errors import InputError
from exactree.estimators import progress
from exactree.table import Table

FEW = CartSampling(trees=30)
MIXED = np.array(
    [[None, "a"], [1.0, "b"], [2.0, "b"], [None, "c"], [4.0, None], [5.0, "a"], [6.0, "c"], [7.0, "b"]] * 6,
    dtype=object,
)
LABELS = [0, 1, 1, 0, 2, 2, 1, 0] * 6


def questions(data):
    """What each question splits: the side of every row, once for each direction."""
    found = set()
    for column in data.columns:
        for rank in range(column.n_ranks - 1):
            yes = column.ranks[data.point_of] <= rank
            found.add(tuple((yes == yes[0]).tolist()))
    return found


def test_only_what_sampled_trees_ask_is_kept():
    X, y = load_breast_cancer(return_X_y=True)
    whole = encode(Table.of(X), y)
    splits = sampled_splits(whole, 3, FEW)
    asked = {tuple(question) for node in splits.nodes for question in node.tolist()}
    wanted = set()
    for column, rank in asked:
        yes = whole.columns[column].ranks[whole.point_of] <= rank
        wanted.add(tuple((yes == yes[0]).tolist()))
    fewer = encode(Table.of(X), y, thresholds=Sampled(FEW), growth=Growth(3))
    assert questions(fewer) == wanted
    assert fewer.n_questions == len(asked) < whole.n_questions
    assert not fewer.complete
    assert fewer.n_points < whole.n_points
    assert fewer.point_weights.sum() == len(y)
    assert fewer.thresholds == "sampled(30)"


def test_progress_reports_samples(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    X, y = load_wine(return_X_y=True)
    OptimalTreeClassifier(2, thresholds=Sampled(FEW), verbose=1).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [f"00:00  nothing found yet  bound 0  {stage}" for stage in ("reading", "encoding")]
    assert lines[2:4] == [f"00:00  nothing found yet  bound 0  sampling questions, {n} of 30 trees" for n in (1, 2)]
    assert lines[31].endswith("30 of 30 trees")


@pytest.mark.parametrize("depth", [39, 63, 10_000])
def test_deep_trees_are_sampled_too(depth):
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    kept = encode(Table.of(X), y, thresholds=Sampled(FEW), growth=Growth(depth))
    assert kept.n_questions == 39


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_best_tree_is_at_least_as_good_as_cart(depth):
    X, y = load_wine(return_X_y=True)
    tree = OptimalTreeClassifier(depth, thresholds=Sampled(FEW)).fit(X, y)
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    best = OptimalTreeClassifier(depth).fit(X, y)
    assert tree.is_optimal_
    assert best.cost_ <= tree.cost_ <= (cart.predict(X) != y).sum()
    assert (tree.predict(X) != y).sum() == tree.cost_
    assert tree.solution_.scope == " among those with thresholds sampled(30)"


def test_the_same_every_time_and_for_any_number_of_jobs():
    X, y = load_wine(return_X_y=True)
    trees = [OptimalTreeClassifier(2, thresholds="sampled(25)", n_jobs=jobs).fit(X, y) for jobs in (1, 3)]
    assert trees[0].to_text() == trees[1].to_text()


def test_missing_values_and_categories():
    tree = OptimalTreeClassifier(3, thresholds="sampled").fit(MIXED, LABELS)
    assert tree.cost_ >= OptimalTreeClassifier(3).fit(MIXED, LABELS).cost_
    assert (tree.predict(MIXED) != LABELS).sum() == tree.cost_
    again = OptimalTreeClassifier(3, thresholds="sampled", warm_start=True).fit(MIXED, LABELS)
    first = again.cost_
    assert again.set_params(time_limit=0.0).fit(MIXED, LABELS).cost_ == first  # its tree is found among the questions


def test_a_column_that_is_asked_keeps_its_question_for_missing_values():
    data = encode(Table.of(MIXED), LABELS)
    low, high = data.columns[:2]
    none = [np.zeros(column.n_ranks - 1, dtype=bool) for column in data.columns]
    assert with_restricted_thresholds(data, none, "none").columns == ()
    one = [mask.copy() for mask in none]
    one[1][2] = True  # of the column that ranks missing values highest
    fewer = with_restricted_thresholds(data, one, "one")
    assert [column.missing for column in fewer.columns] == [low.missing, high.missing]
    assert fewer.columns[0].cuts.tolist() == [-np.inf]
    assert fewer.columns[1].cuts.tolist() == [high.cut(2)]
    level = [mask.copy() for mask in none]
    level[2][0] = True
    assert [column.test.name for column in with_restricted_thresholds(data, level, "level").columns] == [
        "IS_LEVEL",
        "IS_MISSING",
    ]


def test_keeping_everything_is_complete_and_changes_nothing():
    data = encode(Table.of(MIXED), LABELS)
    every = [np.ones(column.n_ranks - 1, dtype=bool) for column in data.columns]
    same = with_restricted_thresholds(data, every, "every")
    assert same.complete
    assert questions(same) == questions(data)
    assert same.point_of.tolist() == data.point_of.tolist()
    assert same.point_groups.tolist() == data.point_groups.tolist()


def test_groups_hold_rows_of_different_labels():
    data = encode(Table.of([[1.0], [2.0], [3.0], [4.0]]), [0, 1, 1, 1])
    fewer = with_restricted_thresholds(data, [np.array([False, True, False])], "middle")
    assert fewer.point_of.tolist() == [0, 1, 2, 2]
    assert fewer.point_groups.tolist() == [0, 0, 1]
    assert fewer.point_counts.tolist() == [1, 1, 2]


def test_diagrams_and_lone_leaves():
    X, y = np.arange(10.0).reshape(-1, 1), [0, 0, 1, 1, 1, 0, 0, 0, 1, 1]
    diagram = OptimalDiagramClassifier((1, 2), thresholds="sampled(20)", ccp_alpha=0.0).fit(X, y)
    assert diagram.cost_ == (diagram.predict(X) != y).sum() <= 2
    assert OptimalTreeClassifier(0, thresholds="sampled").fit(X, y).n_leaves_ == 1


def test_without_time_there_are_carts_thresholds():
    X, y = load_breast_cancer(return_X_y=True)
    tree = OptimalTreeClassifier(2, thresholds="sampled", time_limit=0.0)
    with pytest.warns(match="Not proved"):
        tree.fit(X, y)
    cart = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert tree.cost_ <= (cart.predict(X) != y).sum()


def test_messages():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(
        InputError, match=r"thresholds='sampled' depend on the depth of the tree.*growth=Growth\(depth\)"
    ):
        encode(Table.of(X), y, thresholds="sampled")
    with pytest.raises(InputError, match=r"max_depth must be 0 or more; got -1"):
        OptimalTreeClassifier(-1, thresholds="sampled").fit(X, y)
    with pytest.raises(InputError, match=r"Sampled takes a CartSampling, such as CartSampling\(trees=50\); got 50"):
        Sampled(50)


def test_a_sample_cut_short_is_told(monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 0.05).tolist())
    monkeypatch.setattr("exactree.encode.sampling.monotonic", lambda: next(clock))
    rng = np.random.default_rng(0)
    tree = OptimalTreeClassifier(2, thresholds="sampled", time_limit=3).fit(rng.random((80, 3)), rng.integers(0, 2, 80))
    assert re.fullmatch(r" among those with thresholds sampled \(1\d of 300 trees\)", tree.solution_.scope)
