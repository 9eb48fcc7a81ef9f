"""Models that version 0.1.0 saved and pickled load, and predict what they predicted then."""

import json
import pickle
from pathlib import Path

import pandas as pd
import pytest
from sklearn.base import clone

from exactree import OCT, load
from exactree.estimators.front import ParetoFront
from exactree.table import Table

FOLDER = Path(__file__).parent / "version-0.1.0"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())


def rows(columns):
    return pd.read_csv(FOLDER / "loans.csv").fillna({"income": 0.0} if "home" not in columns else {})[columns]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_pickles_predict_as_before(name):
    estimator, expected = pickle.loads((FOLDER / f"{name}.pickle").read_bytes()), EXPECTED[name]
    assert list(estimator.predict(rows(expected["columns"]))) == expected["labels"]
    if expected["status"] is not None:
        assert (estimator.status_, estimator.cost_) == (expected["status"], expected["cost"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_pickles_have_all_parameters(name):
    estimator = pickle.loads((FOLDER / f"{name}.pickle").read_bytes())
    assert repr(clone(estimator)) == repr(estimator)


def test_a_pickled_solver_has_all_options():
    now = OCT(multivariate=True, max_split_columns=None)
    old = OCT.__new__(OCT)
    old.__setstate__(
        [getattr(now, name) for name in OCT.__slots__ if name not in ("max_split_columns", "column_price")]
    )
    assert old == now
    assert pickle.loads(pickle.dumps(OCT(column_price=0.5))) == OCT(column_price=0.5)


@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - {"hybrid"}))
def test_saved_models_predict_as_before(name):
    model, expected = load(FOLDER / f"{name}.json"), EXPECTED[name]
    table = Table.of(rows(expected["columns"])).conform(model.schema)
    assert [str(model.classes[label]) for label in model.predict(table)] == expected["labels"]


def test_a_pickled_front():
    front = pickle.loads((FOLDER / "pareto-front.pickle").read_bytes())
    assert isinstance(front, ParetoFront)
    assert [(point.leaves, point.proved) for point in front.points] == [(4, True)]
