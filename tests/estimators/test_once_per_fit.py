"""What a fit with the default solver does once: parse the thresholds, search, build and validate a graph."""

import sys

import numpy as np
import pandas as pd
import pytest

from exactree import NotProvedWarning, OptimalTreeClassifier, kernel
from exactree.model import Graph

RANDOM = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "number": np.round(RANDOM.exponential(size=60), 2),
        "holes": np.where(RANDOM.random(60) < 0.3, np.nan, RANDOM.random(60)),
        "colour": RANDOM.choice(["red", "green", "blue"], 60),
        "wide": RANDOM.integers(0, 9, 60) + 2**60,
    }
)
LABELS = RANDOM.integers(0, 3, 60)


@pytest.fixture
def calls(monkeypatch):
    """Count graphs, searches and texts that are parsed as thresholds."""
    counted = {"graphs": 0, "searches": 0, "parsed": 0}

    def counting(name, function, counts=lambda *_: True):
        def wrapper(*args, **options):
            counted[name] += counts(*args)
            return function(*args, **options)

        return wrapper

    monkeypatch.setattr(Graph, "__post_init__", counting("graphs", Graph.__post_init__))
    monkeypatch.setattr(kernel, "search", counting("searches", kernel.search))
    for name in ("exactree.estimators.encoding", "exactree.encode.encode"):
        module = sys.modules[name]
        monkeypatch.setattr(module, "policy", counting("parsed", module.policy, lambda spec: isinstance(spec, str)))
    return counted


@pytest.mark.parametrize("X", [FRAME, FRAME[["number", "holes"]].to_numpy()], ids=["frame", "array"])
@pytest.mark.parametrize("thresholds", ["all", "quantiles(5)", "sampled(3)"])
def test_once_per_fit(calls, X, thresholds):
    tree = OptimalTreeClassifier(max_depth=3, thresholds=thresholds).fit(X, LABELS)
    assert tree.tree_.n_leaves > 2
    assert calls == {"graphs": 1, "searches": 1, "parsed": 1}


@pytest.mark.parametrize("depth", [2, 5])
def test_once_per_fit_without_time_and_with_a_warm_start(calls, depth):
    tree = OptimalTreeClassifier(max_depth=depth, warm_start=True, time_limit=0)
    for _ in range(2):
        with pytest.warns(NotProvedWarning):
            tree.fit(FRAME, LABELS)
    assert calls == {"graphs": 2, "searches": 2, "parsed": 2}
