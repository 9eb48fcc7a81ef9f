"""How a tree shows itself."""

import io
import re
import warnings
from contextlib import redirect_stderr
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from exactree import NotProvedWarning, OptimalTreeClassifier
from exactree.plot import to_svg
from exactree.solve import Status


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    return OptimalTreeClassifier(max_depth=2).fit(X, names[y])


def test_repr_shows_what_was_changed():
    assert repr(OptimalTreeClassifier()) == "OptimalTreeClassifier()"
    assert repr(OptimalTreeClassifier(4, time_limit=None)) == "OptimalTreeClassifier(max_depth=4, time_limit=None)"


def test_print_shows_the_tree(fitted):
    text = str(fitted)
    assert text == fitted.to_text()
    assert text.count("rows") == 3
    for word in ("petal", "setosa", "versicolor", "virginica", "% right"):
        assert word in text


def test_print_before_fit_shows_the_parameters():
    assert str(OptimalTreeClassifier(max_depth=1)) == "OptimalTreeClassifier(max_depth=1)"


def test_notebooks_show_a_picture(fitted):
    bundle = fitted._repr_mimebundle_()
    assert bundle["text/plain"] == str(fitted)
    page = bundle["text/html"]
    assert "<svg" in page
    assert "proved optimal: no allowed tree costs less than 6" in page
    assert "OptimalTreeClassifier(max_depth=2)" in page


def test_notebooks_show_parameters_before_fit():
    assert "OptimalTreeClassifier" in OptimalTreeClassifier()._repr_mimebundle_()["text/html"]


def test_notebooks_escape_what_comes_from_the_table():
    evil = "<script>alert(1)</script>"
    tree = OptimalTreeClassifier(max_depth=1, class_weight={evil: 1}).fit([["a"], ["b"]], [evil, "<b>"])
    page = tree._repr_mimebundle_()["text/html"]
    assert "<script>" not in page
    assert "<b>" not in page


def test_pictures_fit_the_page_in_notebooks_only(fitted):
    page = fitted._repr_mimebundle_()["text/html"]
    assert page.count('style="max-width:100%;height:auto"') == 1
    assert "style" not in to_svg(fitted.tree_)  # some viewers of files show nothing if the height is not a number


def test_notebooks_show_the_gap():
    rng = np.random.default_rng(0)
    tree = OptimalTreeClassifier(max_depth=4, time_limit=0)
    with pytest.warns(NotProvedWarning):
        tree.fit(rng.random((300, 5)), rng.integers(0, 2, size=300))
    assert "(time_limit)" in tree._repr_mimebundle_()["text/html"]


def test_verbose_writes_to_standard_error(capsys):
    rng = np.random.default_rng(0)
    tree = OptimalTreeClassifier(max_depth=5, time_limit=1.3, verbose=1)
    with redirect_stderr(io.StringIO()) as lines, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)
        tree.fit(rng.random((1000, 10)), rng.integers(0, 2, size=1000))
    assert "cost" in lines.getvalue()
    assert "gap" in lines.getvalue()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("objective", "leaf"),
    [("leaf_accuracy", "the worst leaf"), ("leaf_confidence", "the worst leaf, at the confidence asked for,")],
)
def test_where_the_worst_leaf_decides_its_share_is_told(objective, leaf):
    X, y = load_iris(return_X_y=True)
    tree = OptimalTreeClassifier(max_depth=2, objective=objective).fit(X, y)
    worst = f"{100 * (1 - tree.cost_):.6g} %"
    assert f"proved optimal: in no allowed tree is {leaf} more than {worst} right" in page_of(tree)
    stopped = replace(tree.solution_, status=Status.TIME_LIMIT, bound=0.0)
    said = f"{leaf} is {worst} right, and in no allowed tree more than 100 % (time_limit)"
    tree.solution_ = stopped
    assert said in page_of(tree)
    with pytest.warns(NotProvedWarning, match=re.escape(f"{leaf} is {worst} right, and in no allowed tree more than")):
        tree._warn(stopped)


def page_of(tree):
    return tree._repr_mimebundle_()["text/html"]
