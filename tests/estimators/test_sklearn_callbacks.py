"""scikit-learn's own callback protocol, in versions that have it."""

import pytest
from sklearn.datasets import load_iris

from exactree import HybridTreeClassifier, NotProvedWarning, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.estimators.sklearn_callbacks import SUPPORTED

if not SUPPORTED:
    pytest.skip("this scikit-learn has no callbacks", allow_module_level=True)

from sklearn.callback import FitCallback, ScoringMonitor
from sklearn.model_selection import GridSearchCV


class Recorder:
    """Records what is called; asks to stop at the end of a task of some name."""

    max_propagation_depth = None

    def __init__(self, stop_at=None):
        self.stop_at, self.calls = stop_at, []

    def setup(self, estimator, context):
        self.calls.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self.calls.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.calls.append(("end", context.task_name))
        if fitted_estimator is not None:
            self.score = fitted_estimator.score(X, y)
        return context.task_name == self.stop_at

    def teardown(self, estimator, context):
        self.calls.append(("teardown", context.task_name))


ESTIMATORS = [
    OptimalTreeClassifier(2),
    OptimalDiagramClassifier((1, 2)),
    HybridTreeClassifier(OptimalTreeClassifier(1)),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_hooks_are_called_in_order(estimator):
    X, y = load_iris(return_X_y=True)
    recorder = Recorder()
    assert isinstance(recorder, FitCallback)
    fitted = estimator.set_callbacks(recorder).fit(X, y)
    assert recorder.calls[:6] == [
        ("setup", "fit"),
        ("begin", "fit"),
        ("begin", "reading"),
        ("end", "reading"),
        ("begin", "encoding"),
        ("end", "encoding"),
    ]
    assert recorder.calls[-2:] == [("end", "fit"), ("teardown", "fit")]
    assert recorder.score == fitted.score(X, y)


def test_a_hook_stops_the_fit():
    X, y = load_iris(return_X_y=True)
    recorder = Recorder(stop_at="search")
    tree = OptimalTreeClassifier(3).set_callbacks(recorder)
    with pytest.warns(NotProvedWarning, match="the callback stopped the search"):
        tree.fit(X, y)
    assert tree.status_ == "interrupted"
    assert recorder.calls.count(("end", "search")) == 1


def test_teardown_follows_a_failure():
    recorder = Recorder()
    with pytest.raises(ValueError, match="requires y"):
        OptimalTreeClassifier(1).set_callbacks(recorder).fit([[1]], None)
    assert recorder.calls == [("setup", "fit"), ("begin", "fit"), ("teardown", "fit")]


def test_both_callbacks_follow():
    X, y = load_iris(return_X_y=True)
    recorder, reports = Recorder(), []
    OptimalTreeClassifier(1).set_callbacks(recorder).fit(X, y, callback=reports.append)
    assert [name for what, name in recorder.calls if what == "begin"][1:] == [report.stage for report in reports]


def test_scikit_learns_monitor_scores_the_tree():
    X, y = load_iris(return_X_y=True)
    monitor = ScoringMonitor(scoring="accuracy")
    tree = OptimalTreeClassifier(2).set_callbacks(monitor).fit(X, y)
    scores = [row["accuracy"] for row in monitor.get_logs().data]
    assert scores == [tree.score(X, y)]


def test_in_a_grid_search():
    X, y = load_iris(return_X_y=True)
    recorder = Recorder()
    GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2]}, cv=2).set_callbacks(recorder).fit(X, y)
    assert [name for what, name in recorder.calls if what == "end"].count("reading") == 5
