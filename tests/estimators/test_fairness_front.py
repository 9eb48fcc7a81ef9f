"""The curve of errors against the difference of rates."""

import numpy as np
import pytest

from exactree import Fairness, NotProvedWarning, OptimalTreeClassifier, fairness_front
from exactree.errors import InputError


def people(n_rows=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n_rows, 3)).astype(float)
    group = (X[:, 0] + rng.normal(0, 2, n_rows) > 2.5).astype(int)
    return X, (X[:, 0] + X[:, 1] + rng.normal(0, 1.5, n_rows) > 5).astype(int), group


def test_every_point_is_the_best_for_its_difference():
    X, y, group = people()
    front = fairness_front(X, y, groups=group, max_depth=2, resolution=0)
    assert front.proved
    assert len(front) > 3
    for point in front:
        at_most = point.difference + 1e-9
        tree = OptimalTreeClassifier(max_depth=2, constraints=Fairness("demographic_parity", at_most, groups=group))
        assert tree.fit(X, y).cost_ == point.cost


def test_costs_rise_as_differences_fall():
    X, y, group = people(seed=1)
    front = fairness_front(X, y, sensitive_features=group, measure="equal_opportunity", max_depth=2)
    costs, differences = [point.cost for point in front], [point.difference for point in front]
    assert costs == sorted(costs)
    assert differences == sorted(differences, reverse=True)
    assert front[0].cost == OptimalTreeClassifier(max_depth=2).fit(X, y).cost_


def test_the_difference_is_that_of_the_tree():
    X, y, group = people(seed=2)
    for point in fairness_front(X, y, groups=group, max_depth=2, resolution=0.05):
        leaf = OptimalTreeClassifier(max_depth=2).fit(X, y)._table(X)
        answers = point.tree.label[point.tree.apply(leaf)]
        apart = abs(answers[group == 0].mean() - answers[group == 1].mean())
        assert point.difference == pytest.approx(apart)


def test_time_is_for_the_whole_curve_and_points_stay():
    X, y, group = people()
    with pytest.warns(NotProvedWarning, match=r"The curve is not proved \(time_limit\): \d of \d points are"):
        front = fairness_front(X, y, groups=group, max_depth=2, time_limit=0.0)
    assert (front.status, len(front)) == ("time_limit", 1)


def test_a_callback_stops_it():
    X, y, group = people()
    with pytest.warns(NotProvedWarning, match="interrupted"):
        front = fairness_front(X, y, groups=group, max_depth=2, callback=lambda progress: np.isfinite(progress.cost))
    assert front.status == "interrupted"


def test_the_picture_has_a_mark_for_each_point():
    X, y, group = people()
    front = fairness_front(X, y, groups=group, max_depth=2)
    assert front.to_svg().count("<circle") == len(front)
    assert "difference of rates (demographic parity)" in front.to_svg()


def test_wrong_arguments():
    X, y, group = people(40)
    with pytest.raises(InputError, match="resolution must be a difference of rates, 0 or more; got -1"):
        fairness_front(X, y, groups=group, resolution=-1)
    with pytest.raises(InputError, match="fairness_front takes no further constraints"):
        fairness_front(X, y, groups=group, constraints=[Fairness("demographic_parity", 0.1, groups=group)])
    with pytest.raises(InputError, match="Unknown measure 'parity' of fairness"):
        fairness_front(X, y, groups=group, measure="parity")
