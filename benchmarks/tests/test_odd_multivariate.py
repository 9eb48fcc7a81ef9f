"""The comparison of oblique and univariate splits: what counts as better, and one small run."""

import os
from pathlib import Path

import pytest
from exactree_bench.runner.outcome import Outcome, Status
from exactree_bench.suites import SUITES, Settings, run_suite
from exactree_bench.suites.odd.multivariate import Pair

FOLDER = os.environ.get("EXACTREE_DATA")


def fit(cost, errors=3, test_errors=2):
    counters = {"train_rows": 50.0, "test_rows": 25.0, "test_errors": float(test_errors)}
    if cost is not None:
        counters["cost"] = cost
    return Outcome(Status.STOPPED, errors=errors, counters=counters)


def test_costs_are_compared_with_the_prices_of_nodes_in_them():
    assert Pair("iris", "I", fit(5.0), fit(4.0)).compared == "better"
    assert Pair("iris", "I", fit(5.0), fit(5.0 + 1e-9)).compared == "equal"
    assert Pair("iris", "I", fit(5.0), fit(5.1)).compared == "worse"
    assert Pair("iris", "OCT-H, depth 2", fit(None, errors=3), fit(None, errors=2)).costs == (0.06, 0.04)


@pytest.mark.skipif(not FOLDER, reason="set EXACTREE_DATA to the folder of benchmark tables")
def test_a_small_run(tmp_path, progress):
    settings = Settings(Path(FOLDER), tmp_path, seconds=2.0, sets=("soybean-small",), skeletons=("I", "tree"))
    report = run_suite(SUITES["odd-multivariate"], settings, progress)
    shapes, sets = report.sections
    assert [row[0] for row in shapes.rows] == ["I, price 0.1", "tree, price 0.1", "all"]
    assert [row[0] for row in sets.rows] == ["soybean-small", "all"]
    assert not report.unreached
    assert shapes.records[-1]["runs"] == 2
    assert shapes.records[-1]["worse"] == 0
