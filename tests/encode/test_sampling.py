"""Threshold sampling: CART's questions, node by node."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

from exactree.encode import CartSampling, encode, sampled_splits, sampling
from exactree.encode.sampling import Sample, _kept, _longer
from exactree.errors import InputError
from exactree.table import Table

FEW = CartSampling(trees=20)


def answers(data, splits):
    """Rows of each leaf if every node asks its first question, as labels by majority."""
    at = np.zeros(data.n_points, dtype=np.int64)
    for _ in range(splits.depth):
        questions = np.array([splits.nodes[node][0] for node in range(len(splits.nodes))])
        column, rank = questions[at].T
        at = 2 * at + np.where(data.ranks[column, np.arange(data.n_points)] <= rank, 1, 2)
    weight = np.zeros((at.max() + 1, data.n_classes))
    np.add.at(weight, (at, data.point_labels), data.point_weights)
    return weight.argmax(axis=1)[at][data.point_of]


def lists(splits):
    return [node.tolist() for node in splits.nodes]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_first_questions_answer_like_scikit_learn(depth, weighted):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).random(len(y)) + 0.5 if weighted else None
    data = encode(Table.of(X), y, sample_weight=weight)
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y, sample_weight=weight)
    ours = answers(data, sampled_splits(data, depth, CartSampling(trees=0)))
    wrong = [np.average(found != y, weights=weight) for found in (ours, cart.predict(X))]
    assert wrong[0] == pytest.approx(wrong[1])
    assert np.mean(ours == cart.predict(X)) > 0.99  # but for ties between columns


def test_a_sampled_cut_sends_all_rows_where_carts_threshold_sends_them():
    # One column: no ties between columns, so each sampled tree is that of scikit-learn on the same rows.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 1)) ** 3
    y = rng.integers(0, 3, 60)
    data = encode(Table.of(X), y)
    for number in range(30):
        sampling = CartSampling(trees=number + 1, share=0.5, root=1000, other=1000)
        splits = sampled_splits(data, 2, sampling)
        rows = np.random.default_rng([0, number]).permutation(60)[:30]
        cart = DecisionTreeClassifier(max_depth=2).fit(X[rows], y[rows])
        threshold = cart.tree_.threshold[0]
        sides = [tuple((data.ranks[0] <= rank)[data.point_of].tolist()) for _, rank in splits.nodes[0]]
        assert tuple((X[:, 0] <= threshold).tolist()) in sides


def test_as_many_as_asked_for_and_carts_own():
    X, y = load_breast_cancer(return_X_y=True)
    data = encode(Table.of(X), y)
    many = sampled_splits(data, 3, CartSampling(trees=60, root=1000, other=1000))
    few = sampled_splits(data, 3, CartSampling(trees=60, root=2, other=1))
    assert len(few.nodes) == 7
    assert few.trees == many.trees == 60
    for node, (kept, seen) in enumerate(zip(few.nodes, many.nodes, strict=True)):
        assert 1 <= len(kept) <= (3 if node == 0 else 2)
        assert kept.tolist() == seen.tolist()[: len(kept)]
        assert len({tuple(question) for question in seen.tolist()}) == len(seen)


def test_more_frequent_questions_come_first_and_ties_in_order():
    data = encode(Table.of([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]), [0, 0, 1, 1])
    splits = sampled_splits(data, 1, CartSampling(trees=400, share=0.75))
    first, second, *rare = splits.nodes[0].tolist()
    assert (first, second) == ([0, 1], [1, 1])  # of two equal columns, the tree on all rows takes the first
    assert sorted(rare) == [[0, 2], [1, 2]]  # without the row of 3, the middle between 2 and 4 sends it to the yes side


def test_ties_are_kept_by_column_and_rank():
    grown = [{1: (2, 0)}, {1: (1, 5)}, {1: (1, 2)}, {1: (0, 7)}] * 3 + [{1: (1, 5)}, {0: (9, 9)}]
    assert _longer([], 1, grown) == [(1, 5), (0, 7), (1, 2), (2, 0)]
    assert _longer([(4, 4), (1, 2)], 1, grown) == [(4, 4), (1, 2), (1, 5), (0, 7), (2, 0)]


def test_the_question_on_all_rows_comes_first():
    data = encode(Table.of([[1.0], [2.0]]), [0, 1])
    assert _kept(1, Sample(2, {}, {1: [(1, 5), (0, 7)]}, 3, 3), data).tolist() == [[1, 5], [0, 7]]
    assert _kept(1, Sample(2, {1: (0, 7)}, {1: [(1, 5), (0, 7)]}, 3, 3), data).tolist() == [[0, 7], [1, 5]]


def test_further_shares_fill_lists_that_have_room():
    X, y = load_breast_cancer(return_X_y=True)
    data = encode(Table.of(X), y)
    short = sampled_splits(data, 2, CartSampling(trees=30))
    filled = sampled_splits(data, 2, CartSampling(trees=30, share=(0.9, 0.5, 0.2)))
    for node, (before, after) in enumerate(zip(short.nodes, filled.nodes, strict=True)):
        assert after.tolist()[: len(before)] == before.tolist()
        assert len(before) < len(after) <= (51 if node == 0 else 34)
    assert filled.trees == 90
    full = sampled_splits(data, 2, CartSampling(trees=30, root=1, other=1, share=(0.9, 0.5)))
    assert full.trees == 30  # no list has room for more
    assert lists(full) == lists(sampled_splits(data, 2, CartSampling(trees=30, root=1, other=1)))


def test_further_shares_draw_other_rows():
    X, y = load_breast_cancer(return_X_y=True)
    data = encode(Table.of(X), y)
    once, twice = (sampled_splits(data, 2, CartSampling(trees=5, share=share)) for share in (0.5, (0.5, 0.5)))
    assert sum(map(len, twice.nodes)) > sum(map(len, once.nodes))


def test_the_same_whatever_the_jobs_and_another_seed_differs():
    X, y = load_breast_cancer(return_X_y=True)
    data = encode(Table.of(X), y)
    once, again = (sampled_splits(data, 3, CartSampling(trees=40), jobs=jobs) for jobs in (1, 4))
    assert lists(once) == lists(again)
    assert lists(once) != lists(sampled_splits(data, 3, CartSampling(trees=40, seed=1)))


def test_joblib_takes_the_samples_to_processes(monkeypatch):
    sent = []
    send = sampling._Sampler.__reduce_ex__
    monkeypatch.setattr(sampling._Sampler, "__reduce_ex__", lambda self, way: sent.append(way) or send(self, way))
    X, y = load_iris(return_X_y=True)
    data = encode(Table.of(X), y)
    by_threads = sampled_splits(data, 2, CartSampling(trees=20), jobs=2)
    assert sent == []
    with parallel_config(backend="loky"):
        by_processes = sampled_splits(data, 2, CartSampling(trees=20), jobs=2)
    assert sent
    assert (lists(by_processes), by_processes.trees) == (lists(by_threads), 20)


def test_without_time_there_is_cart():
    X, y = load_iris(return_X_y=True)
    data = encode(Table.of(X), y)
    for jobs in (1, 2):
        splits = sampled_splits(data, 3, CartSampling(), jobs=jobs, seconds=0.0)
        assert splits.trees == 0
        assert lists(splits) == lists(sampled_splits(data, 3, CartSampling(trees=0)))


def test_every_node_has_a_question_even_below_a_pure_leaf():
    data = encode(Table.of([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1])
    splits = sampled_splits(data, 3, FEW)
    assert [len(node) >= 1 for node in splits.nodes] == [True] * 7
    one_class = sampled_splits(encode(Table.of([[0.0], [1.0]]), ["a", "a"]), 2, FEW)
    assert lists(one_class) == [[[0, 0]]] * 3


def test_data_without_questions_and_depth_zero():
    alike = encode(Table.of([[1.0], [1.0]]), [0, 1])
    assert [node.shape for node in sampled_splits(alike, 2, FEW).nodes] == [(0, 2)] * 3
    assert sampled_splits(alike, 0, FEW).nodes == ()


def test_missing_values_and_categories():
    X = [[None, "a"], [1.0, "b"], [2.0, "b"], [None, "c"], [4.0, None], [5.0, "a"]] * 5
    data = encode(Table.of(np.array(X, dtype=object)), [0, 1, 1, 0, 2, 2] * 5)
    splits = sampled_splits(data, 2, CartSampling(trees=50, share=0.5))
    for node in splits.nodes:
        for column, rank in node.tolist():
            assert 0 <= rank < data.columns[column].n_ranks - 1
    assert (answers(data, splits) == data.labels).mean() >= 2 / 3


def test_rows_are_sampled_not_points():
    # One point of 95 rows and five of one row each: half of the rows nearly always leave most of the five out.
    data = encode(Table.of([[0.0]] * 95 + [[float(v)] for v in range(1, 6)]), [0] * 95 + [1, 0, 1, 0, 1])
    splits = sampled_splits(data, 1, CartSampling(trees=100, share=0.5))
    assert len(splits.nodes[0]) > 1
    assert sampled_splits(data, 1, CartSampling(trees=100, share=1.0)).nodes[0].tolist() == [[0, 0]]


def test_huge_integers_and_huge_floats():
    whole = encode(Table.of(np.array([[-(2**62)], [2**62 - 1], [2**62], [5], [7]], dtype=np.int64)), [0, 1, 1, 0, 1])
    floats = encode(Table.of([[-1.7e308], [1.6e308], [1.7e308], [5.0], [7.0]]), [0, 1, 1, 0, 1])
    for data in (whole, floats):
        found = sampled_splits(data, 2, CartSampling(trees=40, share=0.5)).nodes
        assert {tuple(question) for question in found[0].tolist()} <= {(0, rank) for rank in range(4)}


@pytest.mark.each(
    ("options", "message"),
    [
        ({"trees": -1}, r"trees must be an integer, 0 or more; got -1"),
        ({"trees": 2.5}, r"trees must be an integer, 0 or more; got 2\.5"),
        ({"share": 0.0}, r"share must be a number above 0 and at most 1, such as 0\.9, or several.*; got 0\.0"),
        ({"share": ()}, r"share must be .*; got \(\)"),
        ({"share": (0.9, True)}, r"share must be .*; got \(0\.9, True\)"),
        ({"share": "0.9"}, r"share must be .*; got '0\.9'"),
        ({"share": 1.1}, r"share must be .*; got 1\.1"),
        ({"root": 0}, r"root must be an integer, 1 or more; got 0"),
        ({"other": True}, r"other must be an integer, 1 or more; got True"),
        ({"seed": None}, r"seed must be an integer, 0 or more; got None"),
    ],
)
def test_settings_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        CartSampling(**options)


def test_depth_and_jobs_are_checked():
    data = encode(Table.of([[0.0], [1.0]]), [0, 1])
    with pytest.raises(InputError, match=r"depth 12 at most; got depth 13"):
        sampled_splits(data, 13, FEW)
    with pytest.raises(InputError, match=r"jobs must be an integer, 1 or more; got 0"):
        sampled_splits(data, 1, FEW, jobs=0)
