"""The progress callback of ``fit``: what it is told, by whom, and what it may do."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

import exactree
from exactree import (
    BinOCT,
    ColumnGeneration,
    Fairness,
    HybridTreeClassifier,
    NotProvedWarning,
    OptimalDiagramClassifier,
    OptimalTreeClassifier,
    Progress,
)
from exactree.encode import CartSampling
from exactree.errors import InputError
from exactree.estimators.fit_run import FitRun
from exactree.estimators.sklearn_callbacks import SUPPORTED
from exactree.solve import DIAGRAM_SOLVERS, SOLVERS, Budget, Capabilities, solver_named

WINDOW = ("reading", "encoding")


@pytest.fixture(scope="module")
def tiny():
    rng = np.random.default_rng(3)
    return rng.integers(0, 3, (14, 3)), rng.integers(0, 2, 14)


@pytest.fixture(scope="module")
def hard():
    """Rows on which no solver proves a tree of depth 4 within a test."""
    return load_breast_cancer(return_X_y=True)


def tree_solver(name):
    return ColumnGeneration(sampling=CartSampling(trees=20)) if name == "column-generation" else name


def estimator_for(name, kind, **options):
    if kind == "diagram":
        return OptimalDiagramClassifier((1, 2), solver=name, **options)
    objective = "leaf_accuracy" if name == "xct" else "accuracy"
    return OptimalTreeClassifier(2, solver=tree_solver(name), objective=objective, min_samples_leaf=1, **options)


ALL = [*((name, "tree") for name in SOLVERS), *((name, "diagram") for name in DIAGRAM_SOLVERS)]


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_every_solver_reports(name, kind, tiny):
    reports = []
    fitted = estimator_for(name, kind).fit(*tiny, callback=reports.append)
    assert tuple(report.stage for report in reports[:2]) == WINDOW
    assert all(isinstance(report, Progress) and report.stage for report in reports)
    assert (reports[-1].cost, reports[-1].bound, reports[-1].gap) == (fitted.cost_, fitted.lower_bound_, fitted.gap_)
    assert [report.seconds for report in reports] == sorted(report.seconds for report in reports)
    assert reports[0].cost == reports[0].gap == inf


@pytest.mark.parametrize("at", ["reading", "solver"])
@pytest.mark.parametrize(("name", "kind"), ALL)
def test_every_solver_stops_and_keeps_what_it_has(name, kind, at, tiny):
    def stop(progress):
        seen.append(progress)
        return progress.stage == "reading" if at == "reading" else progress.stage not in WINDOW

    seen = []
    estimator = estimator_for(name, kind)
    with pytest.warns(NotProvedWarning) if name not in ("exhaustive",) else _quiet() as told:
        try:
            estimator.fit(*tiny, callback=stop)
        finally:
            # Some solvers prove their first model in no time.
            if not told and getattr(estimator, "status_", "") == "optimal":
                _warn()
    assert len(estimator.predict(tiny[0])) == 14
    assert estimator.status_ in ("interrupted", "optimal", "ended")
    assert sum(progress.stage not in WINDOW for progress in seen) == (0 if at == "reading" else 1)
