"""What takes a graph takes a fitted estimator too."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from exactree import HybridTreeClassifier, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.errors import InputError, Unsupported
from exactree.export import to_text
from exactree.model import dumps, given_graph, load, paths, save, simplify, walk
from exactree.plot import save_svg, to_svg

RANDOM = np.random.default_rng(0)
X, y = RANDOM.random((60, 2)), RANDOM.integers(0, 2, 60)
TREE = OptimalTreeClassifier(2).fit(X, y)
DIAGRAM = OptimalDiagramClassifier((1, 2)).fit(X, y)


@pytest.mark.each(("estimator", "graph"), [(TREE, TREE.tree_), (DIAGRAM, DIAGRAM.diagram_)])
def test_an_estimator_stands_for_its_graph(tmp_path, estimator, graph):
    assert simplify(estimator).same_as(simplify(graph))
    assert to_text(estimator) == to_text(graph)
    assert to_svg(estimator) == to_svg(graph)
    assert dumps(estimator) == dumps(graph)
    assert list(walk(estimator)) == list(walk(graph))
    assert list(paths(estimator)) == list(paths(graph))
    save(estimator, tmp_path / "model.json")
    assert load(tmp_path / "model.json").same_as(graph)
    save_svg(estimator, tmp_path / "model.svg")
    assert (tmp_path / "model.svg").read_text(encoding="utf-8") == to_svg(graph)


def test_what_has_no_graph_is_refused():
    with pytest.raises(InputError, match=r"^This OptimalTreeClassifier is not fitted yet: call fit first\.$"):
        simplify(OptimalTreeClassifier())
    other = DecisionTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(InputError, match=r"^Expected a graph, such as tree\.tree_ .*; got a DecisionTreeClassifier\.$"):
        to_text(other)
    with pytest.raises(InputError, match=r"got a str\.$"):
        to_svg("tree")
    with pytest.raises(InputError, match=r"got a type\.$"):
        given_graph(OptimalTreeClassifier)


def test_a_tree_with_models_in_its_leaves_is_not_all(tmp_path):
    hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression(), min_rows=5, keep="always").fit(X, y)
    with pytest.raises(Unsupported, match=r"^This HybridTreeClassifier has models in its leaves, .* give its tree_\.$"):
        save(hybrid, tmp_path / "never.json")
    assert to_text(hybrid.tree_)
