"""OptimalDiagramClassifier among scikit-learn's tools: labels, names, pipelines, grids, files and notebooks."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from exactree import (
    ODD,
    BinOCT,
    Fairness,
    FalseNegatives,
    NotProvedWarning,
    OptimalDiagramClassifier,
    OptimalTreeClassifier,
)
from exactree.errors import InputError, Unsupported
from exactree.estimators.diagram import read_diagram_limits
from exactree.explain import leaf_report, trace
from exactree.model import load, save
from exactree.plot import save_svg
from exactree.problem import SKELETONS

SHARES = [0.07, np.float32(0.07), 0.29, 0.001]

BITS = pd.DataFrame(list(product((0, 1), repeat=3)) * 4, columns=["left", "middle", "right"])
PARITY = np.where(BITS.sum(axis=1) % 2, "odd", "even")


@pytest.fixture(scope="module")
def diagram():
    return OptimalDiagramClassifier((1, 2, 2), solver="exhaustive").fit(BITS, PARITY)


def test_labels_names_and_numbers(diagram):
    assert diagram.classes_.tolist() == ["even", "odd"]
    assert diagram.feature_names_in_.tolist() == ["left", "middle", "right"]
    assert (diagram.predict(BITS) == PARITY).all()
    assert diagram.score(BITS, PARITY) == 1.0
    np.testing.assert_array_equal(diagram.predict_proba(BITS).argmax(axis=1), PARITY == "odd")
    assert (diagram.n_nodes_, diagram.n_leaves_, diagram.depth_) == (5, 2, 3)
    assert diagram.objective_ == pytest.approx(0.1)
    assert diagram.feature_importances_.sum() == pytest.approx(1.0)
    path = diagram.decision_path(BITS)
    assert path.sum(axis=1).tolist() == [4] * len(BITS), "three questions and a leaf"
    with pytest.raises(ValueError, match="feature names"):
        diagram.predict(BITS.rename(columns={"left": "up"}))


def test_clones_and_parameters(diagram):
    copy = clone(diagram)
    assert copy.get_params() == diagram.get_params()
    assert not hasattr(copy, "diagram_")
    again = clone(OptimalDiagramClassifier()).set_params(**diagram.get_params()).fit(BITS, PARITY)
    assert again.diagram_.same_as(diagram.diagram_)
    assert pickle.loads(pickle.dumps(diagram)).diagram_.same_as(diagram.diagram_)


def test_pipelines_grids_and_cross_validation():
    few = OptimalDiagramClassifier((1, 2), solver="exhaustive")
    line = make_pipeline(MinMaxScaler(), few)
    found = GridSearchCV(line, {"optimaldiagramclassifier__widths": [(1,), (1, 2), (1, 2, 2)]}, cv=2).fit(BITS, PARITY)
    assert found.best_params_ == {"optimaldiagramclassifier__widths": (1, 2, 2)}
    assert found.best_score_ == 1.0
    assert cross_val_score(few, BITS, PARITY, cv=2).max() < 1.0


def test_a_saved_diagram_answers_the_same(diagram, tmp_path):
    save(diagram.diagram_, tmp_path / "diagram.json")
    again = load(tmp_path / "diagram.json")
    assert again.same_as(diagram.diagram_)
    assert "go on at [1]" in str(diagram)


def test_the_notebook_speaks_of_diagrams(diagram):
    page = diagram._repr_mimebundle_()["text/html"]
    assert "no allowed diagram costs less than 3.2" in page
    assert page.count("right ≤ 0.5") == 2, "nodes of the last layer, once each"
    assert "16 rows · 50.0 %" in page


def test_paths_through_a_diagram_are_described(diagram):
    assert str(trace(diagram, {"left": 1, "middle": 1, "right": 0})).splitlines()[-1].startswith("=> even; ")
    assert [line.score.rows for line in leaf_report(diagram, BITS, PARITY).leaves] == [16, 16]


def test_skeletons_have_names():
    assert {sum(widths) for widths in SKELETONS.values()} == {15}
    with pytest.raises(InputError, match=r"widths is 'V'\. Expected one of I, II, III, IV"):
        OptimalDiagramClassifier("V").fit(BITS, PARITY)


def test_a_share_of_rows_at_every_node():
    stable = OptimalDiagramClassifier((1, 2, 2), ccp_alpha=0.0, min_samples_node=0.5, solver="exhaustive")
    assert stable.fit(BITS, PARITY).fragmentation().least >= 0.5
    assert stable.cost_ == 0
    strict = clone(stable).set_params(min_samples_node=0.6).fit(BITS, PARITY)
    assert strict.cost_ > 0
    assert strict.fragmentation().least >= 0.6


def test_a_share_is_what_was_meant():
    """In floats, 0.07 * 100 is a little more than 7."""
    limits = [read_diagram_limits(vars(OptimalDiagramClassifier(min_samples_node=share)), 100) for share in SHARES]
    assert [each.min_samples_node for each in limits] == [7, 7, 29, 1]


def test_truth_values_of_numpy_are_taken():
    usual = OptimalDiagramClassifier((1, 2, 2), tree=True).fit(BITS, PARITY)
    other = OptimalDiagramClassifier((1, 2, 2), tree=np.True_, multivariate=np.False_).fit(BITS, PARITY)
    assert other.diagram_.same_as(usual.diagram_)


@pytest.mark.parametrize("one", [FalseNegatives(0), np.array([FalseNegatives(0)]), (FalseNegatives(0),)])
def test_a_single_constraint_needs_no_list(one):
    for estimator in (OptimalDiagramClassifier((1,)), OptimalTreeClassifier(max_depth=1)):
        missed = estimator.set_params(constraints=one).fit(BITS, PARITY).predict(BITS)[np.array(PARITY) == 1] == 0
        assert not missed.any()


@pytest.mark.each(
    ("wrong", "words"),
    [
        ({"constraints": 5}, r"constraints must be a list, such as \[FalseNegatives\(at_most=3\)\]; got 5"),
        ({"constraints": FalseNegatives}, "constraints must be a list, .* got <class"),
        ({"constraints": [FalseNegatives]}, r"constraints must hold FalseNegatives\(\.\.\.\).* got <class"),
        ({"fairness": Fairness}, r"fairness must be Fairness\(\.\.\.\).* got <class"),
        ({"objective": "speed"}, "Unknown objective 'speed'; choose one of accuracy, balanced_accuracy, or give"),
        ({"solver": ODD}, r"solver must be a name or a solver object such as ODD\(\); got <class"),
        ({"solver": BinOCT()}, r"solver must be one of diagrams, such as ODD\(\); BinOCT\(.*\) is one of trees"),
        ({"memory_limit": float("inf")}, "memory_limit must be a number of bytes .* got inf"),
        ({"objective": "leaf_confidence"}, r"diagrams have no worst-leaf objectives .*'leaf_confidence'"),
    ],
)
def test_wrong_parameters_are_told(wrong, words):
    with pytest.raises((InputError, Unsupported), match=words):
        OptimalDiagramClassifier((1, 2), **wrong).fit(BITS, PARITY)


def test_a_class_is_no_solver_of_trees():
    with pytest.raises(InputError, match=r"solver must be a name or a solver object such as Search\(\); got <class"):
        OptimalTreeClassifier(max_depth=1, solver=BinOCT).fit(BITS, PARITY)


@pytest.mark.parametrize("write", [save, save_svg])
def test_a_row_is_no_graph(write, tmp_path):
    with pytest.raises(InputError, match=r"Expected a graph, such as .* diagram\.diagram_ .*; got a list"):
        write([0.0, 1.0], tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_trying_everything_ends_in_time():
    rng = np.random.default_rng(0)
    diagram = OptimalDiagramClassifier((1, 2, 4, 8), ccp_alpha=0.0, solver="exhaustive", time_limit=0.2)
    with pytest.warns(NotProvedWarning, match="time_limit was reached"):
        diagram.fit(rng.random((14, 4)), rng.integers(0, 2, 14))
    assert diagram.status_ == "time_limit"
    assert diagram.history_[-1, 0] < 20  # seconds; a slow machine has all it needs
    assert diagram.lower_bound_ == 0 < diagram.cost_ <= 7
