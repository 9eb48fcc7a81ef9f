"""The curve as users see it: parameters, ends, table, picture, warning."""

import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from exactree import NotProvedWarning, OptimalTreeClassifier, pareto_front
from exactree.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 15, 500), "b": rng.random(500).round(1), "c": rng.choice(["u", "v"], 500)})
    y = np.where((X.a > 7) ^ (rng.random(500) < 0.25), "yes", "no")
    return X, y


@pytest.fixture(scope="module")
def front(table):
    return pareto_front(*table, max_depth=3, min_samples_leaf=20)


def test_its_ends_are_the_best_trees_of_either_kind(table, front):
    accurate = OptimalTreeClassifier(max_depth=3, min_samples_leaf=20).fit(*table)
    trusted = OptimalTreeClassifier(max_depth=3, min_samples_leaf=20, objective="leaf_accuracy").fit(*table)
    assert len(front) > 2
    assert front.proved
    assert front[0].accuracy == pytest.approx(1 - accurate.cost_ / 500)
    assert front[-1].worst == pytest.approx(1 - trusted.cost_)


def test_worth_rises_as_accuracy_falls(front):
    frame = front.to_frame()
    assert list(frame) == ["worst", "accuracy", "leaves", "proved"]
    assert (np.diff(frame["worst"]) > 0).all()
    assert (np.diff(frame["accuracy"]) < 0).all()
    assert frame["leaves"] == [point.tree.n_leaves for point in front]


def test_weights_and_what_leaves_are_worth_are_those_of_the_tree(table):
    X, y = table
    weight = np.where(y == "yes", 3.0, 1.0)
    options = {"max_depth": 2, "objective": "leaf_confidence", "confidence": 0.9}
    heavy = pareto_front(X, y, weight, **options)
    tree = OptimalTreeClassifier(**options).fit(X, y, sample_weight=weight)
    assert heavy[-1].worst == pytest.approx(1 - tree.cost_)
    same = pareto_front(X, y, class_weight={"yes": 3.0, "no": 1.0}, **options)
    assert same.to_frame() == heavy.to_frame()


def test_least_rows_are_as_for_the_worst_leaf(table):
    assert {int(point.tree.rows[point.tree.leaves].min()) >= 50 for point in pareto_front(*table, max_depth=2)} == {
        True
    }


def test_it_prints_as_a_table(front):
    lines = str(front).splitlines()
    assert lines[0] == "worst leaf  accuracy  leaves  proved"
    assert len(lines) == len(front) + 2
    assert lines[-1] == f"proved: no allowed tree lies beyond this curve; allowed are {front.scope}"


def test_it_draws_a_mark_for_each_point(front, tmp_path):
    front.save_svg(tmp_path / "curve.svg", title="Trees & leaves")
    picture = ET.parse(tmp_path / "curve.svg").getroot()
    marks = picture.findall(f".//{SVG}circle")
    assert len(marks) == len(front)
    assert len({mark.get("fill") for mark in marks}) == 1
    assert "Trees & leaves" in {text.text for text in picture.iter(f"{SVG}text")}
    assert front.to_svg().removeprefix("<svg") in front._repr_html_()


def test_a_stopped_curve_says_so(table):
    with pytest.warns(NotProvedWarning, match=r"not proved \(time_limit\): 0 of \d+ points are"):
        front = pareto_front(*table, max_depth=3, time_limit=0.0)
    assert not front.proved
    assert front.to_frame()["proved"] == [False] * len(front)
    assert "not proved (time_limit)" in str(front)
    assert 'fill="#ffffff" stroke' in front.to_svg()
    assert "hollow: not proved" in front.to_svg()


def test_only_where_leaves_count(table):
    with pytest.raises(InputError, match=r"objective is 'accuracy'; .* leaf_accuracy, leaf_confidence"):
        pareto_front(*table, objective="accuracy")
