"""The progress callback of ``fit``: what it receives, from whom, and what it may do."""

import warnings
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression

import exactree
from exactree import (
    ColumnGeneration,
    HybridTreeClassifier,
    LeafAccuracy,
    NotProvedWarning,
    OptimalDiagramClassifier,
    OptimalTreeClassifier,
    Progress,
    Search,
)
from exactree.errors import InputError
from exactree.estimators import encoding, fit_run
from exactree.solve import DIAGRAM_SOLVERS, SOLVERS, Budget, Capabilities, Solution, registry
from exactree.table import table as table_module

BEFORE = ("reading", "encoding")
SOLVERS_OF = [*((name, "tree") for name in SOLVERS), *((name, "diagram") for name in DIAGRAM_SOLVERS)]
RANDOM = np.random.default_rng(3)
TINY = RANDOM.integers(0, 3, (14, 3)), RANDOM.integers(0, 2, 14)
SMALL = RANDOM.integers(0, 4, (60, 5)), RANDOM.integers(0, 2, 60)


def estimator_of(name, kind, **options):
    """Return an estimator and rows that its solver takes."""
    data = TINY if name == "exhaustive" else SMALL
    if kind == "diagram":
        return OptimalDiagramClassifier((1, 2), solver=name, ccp_alpha=0.01, **options), data
    objective = "leaf_accuracy" if name == "xct" else "accuracy"
    depth = 2 if name == "exhaustive" else 3
    return OptimalTreeClassifier(depth, solver=name, objective=objective, min_samples_leaf=1, **options), data


def fitted_attributes(estimator):
    return {name for name in vars(estimator) if name.endswith("_") and not name.endswith("__")}


@pytest.mark.parametrize(("name", "kind"), SOLVERS_OF)
@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")  # the heuristic proves nothing
def test_every_solver_reports(name, kind):
    reports = []
    estimator = estimator_of(name, kind)[0]
    if kind == "tree":
        estimator.set_params(max_depth=2)
    estimator.fit(*TINY, callback=reports.append)
    assert tuple(report.stage for report in reports[:2]) == BEFORE
    assert all(isinstance(report, Progress) and report.stage for report in reports)
    last = reports[-1]
    assert (last.cost, last.bound, last.gap) == (estimator.cost_, estimator.lower_bound_, estimator.gap_)
    assert [report.seconds for report in reports] == sorted(report.seconds for report in reports)
    assert reports[0].cost == reports[0].gap == inf
    assert any(report.stage not in BEFORE for report in reports)


@pytest.mark.parametrize("when", ["reading", "solving"])
@pytest.mark.parametrize(("name", "kind"), SOLVERS_OF)
def test_every_solver_stops_and_returns_a_model(name, kind, when):
    seen = []

    def stop(progress):
        seen.append(progress.stage)
        return progress.stage == "reading" if when == "reading" else progress.stage not in BEFORE

    estimator, data = estimator_of(name, kind)
    with pytest.warns(NotProvedWarning, match="^Not proved optimal: the callback stopped the search. The best "):
        estimator.fit(*data, callback=stop)
    assert estimator.status_ == "interrupted"
    assert estimator.lower_bound_ < estimator.cost_
    assert len(estimator.predict(data[0])) == len(data[1])
    assert len(seen) == (1 if when == "reading" else 3)  # nobody is asked again


def test_the_model_that_a_solver_has_when_it_is_stopped_is_kept():
    costs = []

    def stop(progress):
        if isfinite(progress.cost):
            costs.append(progress.cost)
        return len(costs) == 2

    X, y = load_digits(return_X_y=True)
    with pytest.warns(NotProvedWarning):
        tree = OptimalTreeClassifier(4, time_limit=None).fit(X, y, callback=stop)
    assert tree.status_ == "interrupted"
    assert tree.cost_ <= costs[-1]  # the search may find better trees before it looks whether it shall stop


@pytest.mark.parametrize("solver", ["binoct", "column-generation", "odd"])
def test_a_stopped_mip_keeps_its_incumbent(solver):
    estimator, data = estimator_of(solver, "diagram" if solver == "odd" else "tree")
    with pytest.warns(NotProvedWarning):
        estimator.fit(*data, callback=lambda progress: isfinite(progress.cost))
    greedy = estimator.solution_
    assert estimator.status_ == "interrupted"
    assert isfinite(greedy.cost)


@pytest.mark.parametrize(("name", "kind"), SOLVERS_OF)
def test_an_exception_of_the_callback_is_raised_and_nothing_is_fitted(name, kind):
    mine = ZeroDivisionError("mine")

    def fail(progress):
        if isfinite(progress.cost):
            raise mine

    estimator, data = estimator_of(name, kind)
    with pytest.raises(ZeroDivisionError) as raised:
        estimator.fit(*data, callback=fail)
    assert raised.value is mine
    assert fitted_attributes(estimator) == set()


def test_an_exception_leaves_an_earlier_fit_as_it_was():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = OptimalTreeClassifier(2).fit(X, y)
    before = dict(vars(tree))

    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tree.fit(X.to_numpy()[:, :2], y, callback=fail)
    assert vars(tree) == before


def test_what_is_no_function_is_refused():
    with pytest.raises(InputError, match=r"^callback must be a function that takes a Progress; got 'print'\.$"):
        OptimalTreeClassifier(1).fit(*TINY, callback="print")


@pytest.mark.parametrize("answer", [None, 1, "stop", 0.5])
def test_only_true_stops(answer):
    assert OptimalTreeClassifier(2).fit(*TINY, callback=lambda progress: answer).is_optimal_


def test_numpys_true_stops():
    with pytest.warns(NotProvedWarning):
        assert OptimalTreeClassifier(3).fit(*SMALL, callback=lambda _: np.True_).status_ == "interrupted"


def test_sampling_stops():
    seen = []

    def stop(progress):
        seen.append(progress)
        return progress.details.startswith("sampling questions, 5 of")

    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(NotProvedWarning):
        tree = OptimalTreeClassifier(3, thresholds="sampled").fit(X, y, callback=stop)
    assert seen[-1].stage == "sampling"
    assert tree.solution_.scope == " among those with thresholds sampled (5 of 300 trees)"


def test_a_stop_before_any_model_satisfies_the_constraints():
    tree = OptimalTreeClassifier(3, solver="oct", constraints=[LeafAccuracy(0.9)])
    message = "^The callback stopped the search before it found a model that satisfies all constraints.$"
    with pytest.raises(InputError, match=message):
        tree.fit(*SMALL, callback=lambda _: True)


def test_progress_is_public():
    assert exactree.Progress is Progress
    assert "Progress" in exactree.__all__


class TestHybrid:
    def test_reports(self):
        X, y = load_iris(return_X_y=True)
        reports = []
        HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression()).fit(X, y, callback=reports.append)
        assert [report.stage for report in reports[:2]] == list(BEFORE)
        assert reports[-1].stage == "leaf models"
        assert [report.seconds for report in reports] == sorted(report.seconds for report in reports)

    def test_stop_before_the_leaf_models(self):
        X, y = load_breast_cancer(return_X_y=True)
        hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression())
        with pytest.warns(NotProvedWarning):
            hybrid.fit(X, y, callback=lambda progress: progress.stage == "search")
        assert set(hybrid.leaf_models_.values()) == {None}
        assert "the callback stopped the fit before its model was fitted" in str(hybrid.report_)
        assert len(hybrid.predict(X)) == len(X)

    def test_stop_between_leaf_models(self):
        X, y = load_breast_cancer(return_X_y=True)
        hybrid = HybridTreeClassifier(OptimalTreeClassifier(1).fit(X, y), LogisticRegression(max_iter=10_000))
        message = "^The callback stopped the fit before 1 of the leaf models were fitted; those leaves keep"
        with pytest.warns(NotProvedWarning, match=message):
            hybrid.fit(X, y, callback=lambda progress: progress.stage == "leaf models")
        assert [model is None for model in hybrid.leaf_models_.values()].count(True) == 1

    def test_an_exception_leaves_nothing(self):
        X, y = load_iris(return_X_y=True)
        hybrid = HybridTreeClassifier(OptimalTreeClassifier(1), LogisticRegression())

        def fail(progress):
            if progress.stage == "leaf models":
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            hybrid.fit(X, y, callback=fail)
        assert fitted_attributes(hybrid) == set()


@dataclass
class Recorder:
    """Keeps the budget that it gets, and solves by search."""

    name: ClassVar[str] = "recorder"
    handles: ClassVar[Capabilities] = Search.handles
    budgets: list[Budget] = field(default_factory=list)

    def solve(self, problem: Any, budget: Budget, *, start: Any = None, callback: Any = None) -> Solution:
        self.budgets.append(budget)
        return Search().solve(problem, Budget())


@pytest.mark.parametrize(("limit", "left"), [(60.0, 48.0), (10.0, 0.0), (None, None)])
def test_the_time_limit_includes_reading_and_encoding(limit, left, monkeypatch):
    now = [100.0]
    real = table_module.source_of

    def slow(X):
        now[0] += 12.0
        return real(X)

    monkeypatch.setattr(table_module, "source_of", slow)
    monkeypatch.setattr(fit_run, "monotonic", lambda: now[0])
    solver = Recorder()
    OptimalTreeClassifier(1, solver=solver, time_limit=limit).fit(*TINY)
    assert [budget.seconds for budget in solver.budgets] == [left]


def test_columns_of_a_large_table_are_not_ranked_without_time(monkeypatch):
    now = [100.0]
    real = table_module.source_of

    def slow(X):
        now[0] += 12.0
        return real(X)

    monkeypatch.setattr(table_module, "source_of", slow)
    monkeypatch.setattr(fit_run, "monotonic", lambda: now[0])
    monkeypatch.setattr(encoding, "QUICK_CELLS", 3)
    X, y = TINY
    with pytest.warns(NotProvedWarning, match="time_limit was reached"):
        tree = OptimalTreeClassifier(1, time_limit=10.0).fit(X, y)
    assert (tree.status_, tree.n_leaves_, tree.lower_bound_) == ("time_limit", 1, 0.0)
    assert (
        tree.cost_ == np.count_nonzero(tree.predict(X) != y) == min(np.bincount(np.unique(y, return_inverse=True)[1]))
    )
    assert OptimalTreeClassifier(1, time_limit=12.5).fit(X, y).is_optimal_
    monkeypatch.setattr(registry, "lone_leaf", None)  # a leaf may break constraints, so the columns are ranked
    warnings.simplefilter("ignore", NotProvedWarning)
    OptimalTreeClassifier(1, time_limit=11.5, constraints=[LeafAccuracy(0.5)]).fit(X, y)


def test_the_search_names_the_depth_that_it_is_at():
    reports = []
    X, y = load_breast_cancer(return_X_y=True)
    # The primal heuristic finds a tree without errors, before any depth is searched.
    OptimalTreeClassifier(4, solver=Search(without=("anytime",))).fit(X, y, callback=reports.append)
    seen = {report.stage for report in reports}
    assert "search depth 4" in seen
    assert seen <= {*BEFORE, "greedy", "search", "improve", *(f"search depth {depth}" for depth in (2, 3, 4))}


def test_enumeration_of_diagrams_is_followed_and_stopped():
    reports = []

    def stop(progress):
        reports.append(progress)
        return len(reports) == 6  # after those of reading, encoding and the start of the solver

    X, y = np.indices((3, 2, 2)).reshape(3, -1).T, np.arange(12) % 5 % 2
    diagram = OptimalDiagramClassifier((1, 2, 2), solver="exhaustive", time_limit=None)
    with pytest.warns(NotProvedWarning, match="the callback stopped the search"):
        diagram.fit(X, y, callback=stop)
    assert len(reports) == 6
    assert {report.stage for report in reports[2:]} == {"enumeration"}


def test_column_generation_names_its_stages():
    reports = []
    solver = ColumnGeneration(finish="ilp", consistency="node")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)
        OptimalTreeClassifier(2, solver=solver).fit(*SMALL, callback=reports.append)
    assert "pricing" in {report.stage for report in reports if report.details.startswith("iteration ")}
    assert {report.stage for report in reports} <= {"reading", "encoding", "sampling", "pricing", "MIP"}
